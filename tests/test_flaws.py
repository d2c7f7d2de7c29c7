"""Every flaw that was measured in another library and can be asked of this one, with the answer that a user would want.

The table in docs/flaws.md is made from here: `python tests/test_flaws.py` writes it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from toolcall_evals import Score, SettingError, Tool, ToolInvocation, Trajectory, checks, expect, scorers, to_trajectory
from toolcall_evals.testing import assert_scores

PAGE = Path(__file__).resolve().parents[1] / "docs" / "flaws.md"

MASTRA, AGENTEVALS, OPENEVALS = "Mastra evals 1.10.2", "agentevals 0.0.9", "openevals 0.2.2"
BOTH = "agentevals, openevals"
DEEPEVAL, RAGAS, ADK, AZURE = "DeepEval 4.3.1", "Ragas 0.4.3", "Google ADK 2.13.0", "Azure AI Evaluation 1.18.10"
STRANDS, MLFLOW, PYDANTIC, BFCL, TAU2 = "Strands evals 1.5.0", "MLflow 3.17.2", "pydantic-evals 2.62.0", "BFCL 2026.3.23", "tau2-bench"

NOT_ASKED = {47: "whether the other library can be imported beside another version of one of its dependencies"}
"""Rows about a library's own plumbing."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """
    One row.

    Attributes:
        number: Its number in the measurements.
        peer: The library, with the version that was measured.
        case: The least input that shows it.
        says: What that library says.
        here: What this one says.
        ask: The test.
    """

    number: int
    peer: str
    case: str
    says: str
    here: str
    ask: Callable[[], None]

    @property
    def id(self) -> str:
        """The id of its test."""
        return f"B2-{self.number:02}"


FLAWS: list[Flaw] = []


def flaw(number: int, peer: str, case: str, says: str, here: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """The function below asks this library."""

    def kept(ask: Callable[[], None]) -> Callable[[], None]:
        FLAWS.append(Flaw(number, peer, case, says, here, ask))
        return ask

    return kept


def call(tool: str, /, **args: Any) -> ToolInvocation:
    return ToolInvocation(tool, args, status="success")


def run(*calls: str | ToolInvocation, **fields: Any) -> Trajectory:
    return Trajectory(invocations=tuple([call(each) if isinstance(each, str) else each for each in calls]), **fields)


def wanted(tool: str, /, **args: Any) -> dict[str, Any]:
    return {"name": tool, "args": args}


def requests(*calls: tuple[str, str], content: Any = None) -> dict[str, Any]:
    """An OpenAI assistant message that asks for calls, each a name and the text of its arguments."""
    stated = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": content, "tool_calls": stated}


def match(expected: Any, order: str, made: Any, args: Any = "exact") -> float | None:
    return scorers.tool_calls_match(expected, order, args).score(made).score


def f1(expected: Any, made: Any) -> Score:
    return scorers.tool_call_f1(expected).score(made)


@flaw(1, MASTRA, "order [search, summarize], flexible; called summarize, search, summarize", "0 (its `checks.toolOrder`: 1)", "1 and 1")
def _() -> None:
    made = run("summarize", "search", "summarize")
    assert scorers.tool_call_accuracy(expected_tool_order=["search", "summarize"]).score(made).score == 1.0
    assert checks.tool_order(["search", "summarize"]).score(made).score == 1.0


@flaw(2, MASTRA, "order [search, search]; called search, search", "0 (`toolOrder`: 1)", "1 and 1")
def _() -> None:
    made = run("search", "search")
    assert scorers.tool_call_accuracy(expected_tool_order=["search", "search"]).score(made).score == 1.0
    assert checks.tool_order(["search", "search"]).score(made).score == 1.0


HELLO = Trajectory(texts=("hello",))
TWO_CHECKS = (checks.includes("goodbye"), checks.includes("hello"))


@flaw(3, MASTRA, 'includes("goodbye") and includes("hello"), both threshold 1, answer "hello"', "one score, 1; passed", "failed")
def _() -> None:
    with pytest.raises(AssertionError, match="1 of 2 checks failed"):
        assert_scores(HELLO, *TWO_CHECKS)


@flaw(4, MASTRA, "the same two as gates", "both .5 under one id", "0 and 1 under two keys")
def _() -> None:
    assert {check.key: check.score(HELLO).score for check in TWO_CHECKS} == {"includes:goodbye": 0.0, "includes:hello": 1.0}


def judged(verdict: dict[str, Any], asked: list[Any], tools: list[Any], made: Trajectory) -> Score:
    def judge(messages: Any, schema: Any) -> dict[str, Any]:
        asked.append(messages)
        return verdict

    return scorers.tool_call_accuracy_llm(judge=judge, available_tools=tools).score(made)


ONE_RIGHT = [{"call": 1, "tool_called": "get_weather", "verdict": "appropriate", "reasoning": "it fits"}]


@flaw(
    5, MASTRA, "judge: one call appropriate, missing tools [calendar, email]", "1.0", "1/3: each missing tool is one more call of grade 0"
)
def _() -> None:
    verdict = {"evaluations": ONE_RIGHT, "missing_tools": ["calendar", "email"], "reason": "two missing"}
    score = judged(verdict, [], ["get_weather", "calendar", "email"], run("get_weather", input="weather, and mail it"))
    assert score.score == pytest.approx(1 / 3)


@flaw(
    6, MASTRA, "`availableTools` as its reference page shows them (name, description)", 'prompt says "undefined: Get weather"', "the name"
)
def _() -> None:
    asked: list[Any] = []
    verdict = {"evaluations": ONE_RIGHT, "missing_tools": [], "reason": "right"}
    judged(verdict, asked, [{"name": "get_weather", "description": "Get weather"}], run("get_weather", input="weather?"))
    prompt = json.dumps(asked)
    assert "get_weather" in prompt and "Get weather" in prompt and "undefined" not in prompt


@flaw(7, MASTRA, "expected a{y:2,x:1}; called a{x:1,y:2}", "0", "match")
def _() -> None:
    assert match([wanted("a", y=2, x=1)], "strict", run(call("a", x=1, y=2))) == 1.0


@flaw(8, MASTRA, "expected a{x:999} without stepType; called a{x:1}", "1: arguments ignored in silence", "0")
def _() -> None:
    assert scorers.trajectory_accuracy([wanted("a", x=999)]).score(run(call("a", x=1))).score == 0.0
    assert match([wanted("a", x=999)], "strict", run(call("a", x=1))) == 0.0


@flaw(9, MASTRA, "unordered: expected s (any), s{q:1}; called s{q:1}, s{q:2}", ".5 (greedy)", "1")
def _() -> None:
    made = run(call("s", q=1), call("s", q=2))
    assert scorers.trajectory_accuracy([{"name": "s"}, wanted("s", q=1)], "unordered").score(made).score == 1.0


@flaw(10, MASTRA, "relaxed: expected A, B, C; called B, C, A", ".33 (greedy)", "2/3")
def _() -> None:
    assert scorers.trajectory_accuracy(["A", "B", "C"]).score(run("B", "C", "A")).score == pytest.approx(2 / 3)


@flaw(11, MASTRA, "unordered: expected a; called a and 50 others", "1.0", "by choice: unordered 0, superset 1, F1 2/52")
def _() -> None:
    made = run("a", *[f"b{number}" for number in range(50)])
    assert (match(["a"], "unordered", made), match(["a"], "superset", made)) == (0.0, 1.0)
    assert f1(["a"], made).score == pytest.approx(2 / 52)


@flaw(12, MASTRA, "one extra step: relaxed, strict", "1.0 and .75; its page says .75 and 0/1", "1.0 and 0.0, as the docstring says")
def _() -> None:
    made = run("a", "b", "x")
    values = [scorers.trajectory_accuracy(["a", "b"], ordering).score(made).score for ordering in ("relaxed", "strict")]
    assert values == [1.0, 0.0]
    said = " ".join((scorers.trajectory_accuracy.__doc__ or "").split())
    assert "made in this order; others cost nothing. `strict`: 1.0 for exactly these calls in order, else 0.0" in said


@flaw(13, MASTRA, "`matches(/sunny/g)` run twice", "1, then 0", "1, 1")
def _() -> None:
    check = checks.matches("sunny")
    assert [check.score(Trajectory(texts=("sunny",))).score for _ in range(2)] == [1.0, 1.0]


@flaw(14, MASTRA, '`matches(/a\\|b/, exact)` on "axyz"', "1", "0")
def _() -> None:
    assert checks.matches("a|b", exact=True).score(Trajectory(texts=("axyz",))).score == 0.0


@flaw(15, MASTRA, 'includes("Brooklyn"); a message of two text parts, the word in the first', "0", "1")
def _() -> None:
    parts = [{"type": "text", "text": "It rains in Brooklyn."}, {"type": "text", "text": "Take a coat."}]
    assert checks.includes("Brooklyn").score([{"role": "assistant", "content": parts}]).score == 1.0


@flaw(
    16,
    MASTRA,
    'similarity("42") on "The answer is 42"; one-character strings',
    '.15; "日" against "日本" 0',
    "the same, documented; `includes` asks it",
)
def _() -> None:
    made = Trajectory(texts=("The answer is 42",))
    assert checks.similarity("42").score(made).score == pytest.approx(2 / 13)
    assert checks.similarity("日").score(Trajectory(texts=("日本",))).score == 0.0
    assert "a text of one character has no bigram and gives 0 unless equal" in " ".join((checks.similarity.__doc__ or "").split())
    assert checks.includes("42").score(made).score == 1.0


@flaw(
    17,
    MASTRA,
    'noToolErrors: result "Error: boom"; a call that waits for approval',
    "1; 0",
    "a failure that the runtime reports: 0. A result that only reads like one: 1, and the comment names it. A call without an answer: 0, "
    "as left unfinished; one that a person refused is no error",
)
def _() -> None:
    asks, says = requests(("a", "{}")), {"role": "tool", "tool_call_id": "c0", "content": "Error: boom"}
    reported = checks.no_tool_errors().score([asks, {"type": "tool", "status": "error", "tool_call_id": "c0", "content": "boom"}])
    assert reported.score == 0.0
    read = checks.no_tool_errors().score([asks, says])
    assert (read.score, "a result that reads like an error" in read.comment) == (1.0, True)
    waits = checks.no_tool_errors().score([asks])
    assert (waits.score, "left unfinished" in waits.comment) == (0.0, True)
    assert checks.no_tool_errors().score(run(ToolInvocation("a", {}, status="rejected"))).score == 1.0


@flaw(
    18,
    MASTRA,
    "redundancy: A, B, A with equal arguments; equal arguments in another key order; a retry after a failure",
    "not found; not found; counted",
    "found; found; not counted",
)
def _() -> None:
    check = checks.no_redundant_calls()
    assert check.score(run(call("a", x=1), "b", call("a", x=1))).score == 0.0
    assert check.score(run(call("a", x=1, y=2), call("a", y=2, x=1))).score == 0.0
    assert check.score(run(ToolInvocation("a", {"x": 1}, status="error"), call("a", x=1))).score == 1.0


@flaw(
    19,
    MASTRA,
    "a forbidden tool inside a sub-agent; a forbidden pair with one call between",
    "1; 1",
    "0; by choice: anywhere 0, adjacent 1",
)
def _() -> None:
    inner = ToolInvocation("delete", {}, status="success", parent_id="p1", agent="worker")
    nested = run(ToolInvocation("delegate", {}, id="p1", status="success"), inner)
    assert checks.did_not_call("delete").score(nested).score == 0.0
    assert checks.follows(expect.never("delete")).score(nested).score == 0.0
    pair, apart = expect.sequence("read", "send"), run("read", "x", "send")
    assert checks.follows(expect.never(pair)).score(apart).score == 0.0
    assert checks.follows(expect.never(pair, adjacent=True)).score(apart).score == 1.0


@flaw(20, MASTRA, "one failed call, never retried; three failures interleaved with another tool", "failures score 1; 1", "0; 0")
def _() -> None:
    failed = ToolInvocation("a", {}, status="error")
    for made in (run(failed), run(failed, "b", failed, "b", failed, "b")):
        assert checks.recovered_from_errors().score(made).score == 0.0
        assert checks.no_tool_errors().score(made).score == 0.0


@flaw(
    21,
    MASTRA,
    '`calledTool(x, {times: 0})`, `includes("")`; `toolOrder([])`; `expectedToolOrder: []`',
    "1, 1; 1; always 0",
    "refused when built, both; an empty order is met by every run, and in strict mode only by one without calls",
)
def _() -> None:
    with pytest.raises(SettingError, match="times must be"):
        checks.called_tool("x", times=0)
    with pytest.raises(SettingError, match="expected must be"):
        checks.includes("")
    assert checks.tool_order([]).score(run("a")).score == 1.0
    strict = scorers.tool_call_accuracy(expected_tool_order=[], strict_mode=True)
    assert (strict.score(run("a")).score, strict.score(run()).score) == (0.0, 1.0)


@flaw(
    22,
    BOTH,
    "called s{q:a,p:1}, s{q:a}; reference s{q:a}, s{q:a,p:1}; arguments superset; strict, unordered, superset",
    "False (first fit)",
    "True; strict where the two are `parallel`, False where one is to follow the other",
)
def _() -> None:
    made, reference = run(call("s", q="a", p=1), call("s", q="a")), [wanted("s", q="a"), wanted("s", q="a", p=1)]
    assert [match(reference, order, made, "superset") for order in ("unordered", "superset", "strict")] == [1.0, 1.0, 0.0]
    assert match(expect.parallel(*reference), "strict", made, "superset") == 1.0


@flaw(23, AGENTEVALS, "called s{q:a}; reference s{q:a,p:1}; arguments subset; unordered", "False (strict: True)", "True, both")
def _() -> None:
    made, reference = run(call("s", q="a")), [wanted("s", q="a", p=1)]
    assert [match(reference, order, made, "subset") for order in ("unordered", "strict")] == [1.0, 1.0]


TWO = [("search", '{"q": 1}'), ("open", '{"id": 2}')]
SAME = [wanted("search", q=1), wanted("open", id=2)]


@flaw(24, BOTH, "strict: the same two calls in one message or in two", "False", "True: how messages are cut plays no part")
def _() -> None:
    in_one, in_two = [requests(*TWO)], [requests(TWO[0]), requests(TWO[1])]
    for made in (in_one, in_two):
        score = scorers.tool_calls_match(SAME).score(made)
        assert (score.score, score.comment) == (1.0, "as expected: 2 calls matched, one by one in this order")
    assert scorers.tool_calls_match().score(in_one, {"messages": in_two}).score == 1.0


@flaw(25, BOTH, "strict: one extra assistant text; another final answer, same calls", "False; True", "True; True: calls alone decide")
def _() -> None:
    said = [{"role": "assistant", "content": "Let me see."}, requests(*TWO), {"role": "assistant", "content": "Done."}]
    assert scorers.tool_calls_match().score(said, {"messages": said[1:]}).score == 1.0
    assert scorers.tool_calls_match().score(said, {"messages": [requests(*TWO), {"role": "assistant", "content": "Other."}]}).score == 1.0


ONLY_X = {"a": {"*": "ignore", "x": "exact"}}


@flaw(
    26,
    AGENTEVALS,
    "key list [x]: x None against absent; both absent; path items.0.x on unequal lists",
    "True; True; True",
    "False; True: nothing is asked of x; False",
)
def _() -> None:
    assert match([wanted("a", x=None)], "strict", run("a"), ONLY_X) == 0.0
    assert match([wanted("a")], "strict", run("a"), ONLY_X) == 1.0
    assert match([wanted("a", items=[{"x": 1}])], "strict", run(call("a", items=[])), {"a": {"*": "ignore", "items": "partial"}}) == 0.0


@flaw(27, BOTH, 'arguments text `{"x": 1` or empty', "JSONDecodeError", "score 0 with a reason; empty text is no arguments")
def _() -> None:
    score = scorers.tool_calls_match([wanted("a", x=1)]).score([requests(("a", '{"x": 1'))])
    assert (score.score, "wrong arguments: a with arguments='{\"x\": 1'" in score.comment) == (0.0, True)
    assert checks.arguments_valid().score([requests(("a", '{"x": 1'))]).score == 0.0
    assert match([wanted("a")], "strict", [requests(("a", ""))]) == 1.0


@flaw(28, BOTH, "AIMessage with only `invalid_tool_calls`, reference without calls", "True: the attempt is invisible", "a malformed call")
def _() -> None:
    broken = [{"name": "a", "args": '{"x', "id": "1", "error": "bad JSON", "type": "invalid_tool_call"}]
    made = [{"type": "ai", "content": "", "tool_calls": [], "invalid_tool_calls": broken}]
    (asked,) = to_trajectory(made).invocations
    assert (asked.name, asked.status) == ("a", "invalid")
    assert match([], "strict", made) == 0.0


@flaw(29, AGENTEVALS, "the caller's message list with content None and no ids", "changed in place", "unchanged")
def _() -> None:
    made = [requests(*TWO), {"role": "assistant", "content": None}]
    before = copy.deepcopy(made)
    scorers.tool_calls_match().score(made, {"messages": made})
    assert made == before


@flaw(
    30,
    BOTH,
    'True and 1; 1 and 1.0; 1 and "1"; é as one or two code points; 0.1 + 0.2 and 0.3',
    "equal; equal; not; not; not",
    "not; equal; not; equal; not; each loosened by a setting",
)
def _() -> None:
    pairs = [(True, 1), (1, 1.0), (1, "1"), ("é", "e\u0301"), (0.1 + 0.2, 0.3)]
    assert [match([wanted("a", x=one)], "strict", run(call("a", x=other))) for one, other in pairs] == [0.0, 1.0, 0.0, 1.0, 0.0]
    assert match([wanted("a", x=1)], "strict", run(call("a", x="1")), "loose") == 1.0
    assert match([wanted("a", x=expect.number(0.3, rel=1e-9))], "strict", run(call("a", x=0.1 + 0.2))) == 1.0
    assert match([wanted("a", x=expect.either(True, 1))], "strict", run(call("a", x=1))) == 1.0


@flaw(31, BOTH, "any mismatch", "comment None", "what differs, in words and as data")
def _() -> None:
    score = scorers.tool_calls_match([wanted("a", x={"y": [1, 2]}), "b"]).score(run(call("a", x={"y": [1, 3]}), "c"))
    assert score.comment.startswith("missing b; wrong arguments: a with x.y[1]=3 where 2 was expected; unexpected c()")
    assert score.details["diff"]["wrong_arguments"][0]["path"] == "x.y[1]"


@flaw(32, OPENEVALS, "JSON: a superset list, its references swapped", ".5 or .75", "the same")
def _() -> None:
    made = run(call("s", x=1, y=2), call("s", x=1), call("s", x=3))
    one, other = [wanted("s", x=1), wanted("s", x=1, y=2)], [wanted("s", x=1, y=2), wanted("s", x=1)]
    for scorer in (scorers.tool_call_f1, scorers.argument_accuracy):
        assert scorer(one).score(made).score == scorer(other).score(made).score
    lists = [expect.unordered_list({"x": 1}, {"x": 1, "y": 2}), expect.unordered_list({"x": 1, "y": 2}, {"x": 1})]
    assert [match([wanted("a", v=each)], "strict", run(call("a", v=[{"x": 1, "y": 2}, {"x": 1}]))) for each in lists] == [1.0, 1.0]


@flaw(33, DEEPEVAL, "expected a, a; called a, a", ".5 (ordering mode 1.0)", "1")
def _() -> None:
    assert f1(["a", "a"], run("a", "a")).score == match(["a", "a"], "unordered", run("a", "a")) == 1.0


@flaw(34, DEEPEVAL, "expected a; called a and 20 others", '1.0, "all expected tools were called"', "by choice: F1 2/22, superset 1")
def _() -> None:
    made = run("a", *[f"b{number}" for number in range(20)])
    score = f1(["a"], made)
    assert score.score == pytest.approx(2 / 22)
    assert "unexpected b0()" in score.comment
    assert match(["a"], "superset", made) == 1.0


@flaw(35, DEEPEVAL, "built without a key, no LLM needed", "error: OpenAI key not configured", "runs")
def _() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("OPENAI_API_KEY", raising=False)
        assert f1(["a"], run("a")).score == 1.0


@flaw(36, DEEPEVAL, "parameters None against {} or {q:1}, with parameters on", "AttributeError", "None is no arguments: 1; 0")
def _() -> None:
    for expected, value in (({"name": "a", "args": None}, 1.0), (wanted("a", q=1), 0.0)):
        assert match([expected], "strict", run("a")) == value
        assert match([expected], "strict", run(ToolInvocation("a", None, status="success"))) == value


@flaw(37, DEEPEVAL, "expected s{x:1,y:2}, s{x:1}; called s{x:1}, s{x:1,y:1}", ".5 (greedy)", ".75")
def _() -> None:
    made = run(call("s", x=1), call("s", x=1, y=1))
    assert scorers.argument_accuracy([wanted("s", x=1, y=2), wanted("s", x=1)]).score(made).score == 0.75


@flaw(38, DEEPEVAL, "pay{to:eve,amount:5} for pay{to:bob,amount:5}", "1.0; with parameters .5, passes", "fails")
def _() -> None:
    score = scorers.tool_calls_match([wanted("pay", to="bob", amount=5)]).score(run(call("pay", to="eve", amount=5)))
    assert (score.score, "to='eve' where 'bob' was expected" in score.comment) == (0.0, True)


@flaw(39, DEEPEVAL, "one of two equal calls missing", 'reason "missing tools []"', "names it")
def _() -> None:
    score = f1([wanted("a", x=1), wanted("a", x=1)], run(call("a", x=1)))
    assert score.score == pytest.approx(2 / 3)
    assert "missing a(x=1)" in score.comment


@flaw(40, DEEPEVAL, "argument correctness, no call made; a call that has no parameters", "1.0, success; fails", "not applicable; passes")
def _() -> None:
    assert scorers.argument_accuracy([wanted("a", x=1)]).score(run()).status == "not_applicable"
    assert scorers.argument_accuracy([wanted("a")]).score(run("a")).score == 1.0


@flaw(41, RAGAS, "one extra call; one of three missing", "0.0 in both modes", "partial: F1 6/7 and 4/5")
def _() -> None:
    values = [f1(["a", "b", "c"], run(*names)).score for names in ("abcx", "ab")]
    assert values == [pytest.approx(6 / 7), pytest.approx(4 / 5)]


@flaw(42, RAGAS, "F1: both empty; one call repeated five times; two expected, one made", "0.0; 1.0; 1.0", "1; 1/3; 2/3")
def _() -> None:
    values = [f1([], run()).score, f1(["a"], run(*"aaaaa")).score, f1(["a", "a"], run("a")).score]
    assert values == [1.0, pytest.approx(1 / 3), pytest.approx(2 / 3)]


@flaw(43, RAGAS, "an extra argument danger=True", "accuracy 1.0; F1 0.0", "by choice, one answer: exact 0, superset 1")
def _() -> None:
    made = run(call("a", x=1, danger=True))
    assert [match([wanted("a", x=1)], "strict", made, rule) for rule in ("exact", "superset")] == [0.0, 1.0]
    assert [scorers.tool_call_f1([wanted("a", x=1)], rule).score(made).score for rule in ("exact", "superset")] == [0.0, 1.0]


@flaw(
    44,
    RAGAS,
    '1 and "1"; None and "None"; 1 and 1.0; a nested dict in other key order',
    "match; match; no; no; F1 says the reverse of each",
    "one rule: no; no; match; match",
)
def _() -> None:
    pairs = [(1, "1"), (None, "None"), (1, 1.0), ({"a": 1, "b": 2}, {"b": 2, "a": 1})]
    for scorer in (scorers.tool_calls_match, scorers.tool_call_f1, scorers.argument_accuracy):
        values = [scorer([wanted("a", x=one)]).score(run(call("a", x=other))).score for one, other in pairs]
        assert values == [0.0, 0.0, 1.0, 1.0]


@flaw(45, RAGAS, "flexible: called s{a}, s{b}; reference s{b}, s{c}", "0 (sorted, then zipped)", ".5")
def _() -> None:
    assert f1([wanted("s", q="b"), wanted("s", q="c")], run(call("s", q="a"), call("s", q="b"))).score == 0.5


@flaw(
    46,
    RAGAS,
    "LangGraph messages with `tool_calls`; with list content; with bad JSON",
    "no calls, so 0 on a perfect run; TypeError; JSONDecodeError",
    "1; 1; a malformed call",
)
def _() -> None:
    from langchain_core.messages import AIMessage, ToolMessage

    asked = [{"name": "search", "args": {"q": 1}, "id": "1", "type": "tool_call"}]
    contents: list[Any] = ["", [{"type": "text", "text": "Let me see."}]]
    for content in contents:
        messages = [AIMessage(content=content, tool_calls=asked), ToolMessage("found", tool_call_id="1")]
        assert match([wanted("search", q=1)], "strict", {"messages": messages}) == 1.0
    broken = {"name": "search", "args": '{"q', "id": "1", "error": None, "type": "invalid_tool_call"}
    assert checks.arguments_valid().score({"messages": [AIMessage(content="", invalid_tool_calls=[broken])]}).score == 0.0


@flaw(
    48,
    ADK,
    "expected none, three calls; IN_ORDER, ANY_ORDER",
    "1.0",
    "0 by `follows`, strict, unordered and subset; in_order and superset allow other calls by their meaning",
)
def _() -> None:
    made = run("a", "b", "c")
    assert checks.follows([]).score(made).score == 0.0
    assert [match([], order, made) for order in ("strict", "unordered", "subset", "in_order", "superset")] == [0.0, 0.0, 0.0, 1.0, 1.0]


@flaw(49, ADK, "arguments None against {}", "0 in all modes", "1: expecting None is expecting no arguments")
def _() -> None:
    for order in ("strict", "in_order", "unordered"):
        assert match([{"name": "a", "args": None}], order, run("a")) == 1.0
        assert match([{"name": "a", "args": None}], order, run(ToolInvocation("a"))) == 1.0


DEFAULTS = (Tool("a", None, {"type": "object", "properties": {"x": {}, "limit": {"type": "integer", "default": 10}}}),)


@flaw(50, ADK, "the call has one extra argument at its default", "0 in all modes", "by the tool's schema: 1; without one 0")
def _() -> None:
    made = run(call("a", x=1, limit=10), available_tools=DEFAULTS)
    assert match([wanted("a", x=1)], "strict", made) == 1.0
    assert match([wanted("a", x=1)], "strict", run(call("a", x=1, limit=10))) == 0.0


@flaw(51, ADK, "2 actual turns, 1 expected", "ValueError", "a score and a reason")
def _() -> None:
    talk = [{"role": "user", "content": "one"}, requests(TWO[0]), {"role": "user", "content": "two"}, requests(TWO[1])]
    score = scorers.per_turn(scorers.tool_calls_match(), [[SAME[0]]]).score(talk)
    assert (score.score, score.comment) == (
        0.5,
        "2 turns made, 1 expected; mean 0.5 of 2 turns: turn 2: 0, no such turn is expected",
    )


@flaw(52, AZURE, "search twice with different arguments", "cannot be stated; 0", "a list of two calls: 1")
def _() -> None:
    assert match([wanted("s", q=1), wanted("s", q=2)], "strict", run(call("s", q=1), call("s", q=2))) == 1.0


@flaw(53, AZURE, '1 and "1"; nested 1 and "1"; None and "None"; 1 and 1.0', "1; 0; 1; 0", "one rule: 0; 0; 0; 1")
def _() -> None:
    pairs = [(1, "1"), ({"n": 1}, {"n": "1"}), (None, "None"), (1, 1.0)]
    assert [match([wanted("a", x=one)], "strict", run(call("a", x=other))) for one, other in pairs] == [0.0, 0.0, 0.0, 1.0]


@flaw(
    54,
    AZURE,
    "ground truth with parameters loaded from JSON; empty ground truth; OpenAI-style tool message",
    "an exception each",
    "accepted, each",
)
def _() -> None:
    stated = json.loads('[{"name": "search", "args": {"q": 1}}]')
    asked = [requests(TWO[0]), {"role": "tool", "tool_call_id": "c0", "content": "found"}]
    check = scorers.tool_calls_match()
    assert [check.score(asked, {"tool_calls": stated}).score, check.score(run(), {"tool_calls": []}).score] == [1.0, 1.0]
    assert check.score(asked, {"messages": asked}).score == 1.0


@flaw(55, AZURE, "any order, 20 extras", "1.0, reason None", "F1 2/22 and the reason; precision and recall in the details")
def _() -> None:
    score = f1(["a"], run("a", *[f"b{number}" for number in range(20)]))
    assert (score.details["precision"], score.details["recall"]) == (pytest.approx(1 / 21), 1.0)
    assert score.comment.startswith("F1 0.0909: 1 matched of 1 expected and 21 made; unexpected b0()")


@flaw(
    56,
    STRANDS,
    "exact: a, b, x, x, x against a, b; expected empty; any order: a, a against a, a; steps as dicts",
    "1.0; ZeroDivisionError; .5; TypeError",
    "0; 1 without calls, else 0; 1; works",
)
def _() -> None:
    assert match(["a", "b"], "strict", run(*"abxxx")) == 0.0
    assert [match([], "strict", made) for made in (run(), run("a"))] == [1.0, 0.0]
    assert match(["a", "a"], "unordered", run("a", "a")) == match([{"name": "a"}], "strict", run("a")) == 1.0


@flaw(57, MLFLOW, "unordered exact: a, a, b against a, b, b", "yes", "no")
def _() -> None:
    assert match(list("aab"), "unordered", run(*"abb")) == 0.0


@flaw(58, MLFLOW, "expected pay{to:bob} and log (no arguments stated); called pay{to:eve}, log", "yes", "no")
def _() -> None:
    assert match([wanted("pay", to="bob"), "log"], "strict", run(call("pay", to="eve"), "log")) == 0.0


@flaw(
    59,
    MLFLOW,
    'expected []; tool input "hello"; 1 and 1.0',
    "exception; exception; no",
    "1 without calls; a text is compared as it is; equal",
)
def _() -> None:
    assert match([], "strict", run()) == 1.0
    assert match([{"name": "a", "args": "hello"}], "strict", run(ToolInvocation("a", None, "hello", status="success"))) == 1.0
    assert match([wanted("a", x=1)], "strict", run(call("a", x=1.0))) == 1.0


@flaw(60, MLFLOW, "exact mode, code only", "asks an LLM once for each trace to find the tools", "asks nobody: the tests have no network")
def _() -> None:
    assert match(SAME, "strict", [requests(*TWO)]) == 1.0


@flaw(
    61, PYDANTIC, "tool spans of another instrumentation, expected no tools", "passes", "not scored: the record could not have shown a call"
)
def _() -> None:
    for check in (checks.used_no_tools(), scorers.tool_calls_match([])):
        assert check.score("All done.").status == "could_not_score"
    assert checks.used_no_tools().score(Trajectory(has_call_record=False, source="spans")).status == "could_not_score"


@flaw(62, PYDANTIC, "delete_all called and failed, expected no tools", "passes by default", "0, and the comment names it")
def _() -> None:
    made = run(ToolInvocation("delete_all", {}, status="error"))
    for check in (checks.used_no_tools(), checks.did_not_call("delete_all"), scorers.tool_calls_match([])):
        score = check.score(made)
        assert (score.score, "delete_all" in score.comment) == (0.0, True)
    assert match([expect.call("delete_all", success=True)], "strict", made) == 0.0


@flaw(63, PYDANTIC, "right arguments on the second call", 'False ("first")', "True: any call will do")
def _() -> None:
    assert checks.called_with("s", {"q": 2}).score(run(call("s", q=1), call("s", q=2))).score == 1.0


@flaw(
    64,
    PYDANTIC,
    "expected {f:{x:1}}, called {f:{x:1,y:2}}, subset; a parallel pair a, b of which b started first, exact",
    "False; 0.0",
    "by choice: partial 1, superset (of the arguments alone) 0; parallel 1, sequence 0",
)
def _() -> None:
    made = run(call("a", f={"x": 1, "y": 2}))
    assert [match([wanted("a", f={"x": 1})], "strict", made, rule) for rule in ("partial", "superset")] == [1.0, 0.0]
    assert [match(each, "strict", run("b", "a")) for each in (expect.parallel("a", "b"), ["a", "b"])] == [1.0, 0.0]


@flaw(65, BFCL, "gold {q: a or b}, {q: a}; called a, b, parallel", "invalid (greedy)", "valid")
def _() -> None:
    expected = [wanted("s", q=expect.either("a", "b")), wanted("s", q="a")]
    assert match(expected, "unordered", run(call("s", q="a"), call("s", q="b"))) == 1.0


@flaw(66, BFCL, '"1.5" for "15"; "-5" for "5"; "2/3" for "23"', "valid", "invalid, by every rule")
def _() -> None:
    for made, expected in (("1.5", "15"), ("-5", "5"), ("2/3", "23")):
        assert [match([wanted("a", x=expected)], "strict", run(call("a", x=made)), rule) for rule in ("exact", "loose")] == [0.0, 0.0]


@flaw(
    67,
    BFCL,
    "a tab for a space; é in two code points; a curly apostrophe; 0.1+0.2 for 0.3; 1.0 for an integer",
    "invalid",
    "settings: loose; always equal; text_like or regex; number; always equal",
)
def _() -> None:
    assert match([wanted("a", x="New York")], "strict", run(call("a", x="New\tYork")), "loose") == 1.0
    assert match([wanted("a", x="é")], "strict", run(call("a", x="e\u0301"))) == 1.0
    curly = run(call("a", x="the bird’s nest"))
    assert match([wanted("a", x=expect.text_like("the bird's nest", 0.7))], "strict", curly) == 1.0
    assert match([wanted("a", x=expect.number(0.3, abs=1e-9))], "strict", run(call("a", x=0.1 + 0.2))) == 1.0
    assert match([wanted("a", x=1)], "strict", run(call("a", x=1.0))) == 1.0


@flaw(68, TAU2, "golden refund{id:1,amount:50}; called refund{}", "match", "no")
def _() -> None:
    assert match([wanted("refund", id=1, amount=50)], "superset", run("refund")) == 0.0
    assert match([wanted("refund", id=1, amount=50)], "superset", run("refund"), "superset") == 0.0


@flaw(
    69,
    TAU2,
    "two equal golden actions, one call; one golden, ten calls; wrong order; one extra argument at its default",
    "both match; match; match; no match",
    "0: each call is taken once; unordered 0, superset 1; by choice; by the tool's schema",
)
def _() -> None:
    assert match(["a", "a"], "superset", run("a")) == 0.0
    assert [match(["a"], order, run(*"aaaaaaaaaa")) for order in ("unordered", "superset")] == [0.0, 1.0]
    assert [match(["a", "b"], order, run("b", "a")) for order in ("strict", "unordered")] == [0.0, 1.0]
    assert match([wanted("a", x=1)], "superset", run(call("a", x=1, limit=10), available_tools=DEFAULTS)) == 1.0


del _


@pytest.mark.parametrize("each", FLAWS, ids=lambda each: each.id)
def test_the_answer_is_the_one_that_a_user_would_want(each: Flaw) -> None:
    each.ask()


def test_every_row_is_asked_or_says_why_it_is_not() -> None:
    assert [each.number for each in FLAWS] == [number for number in range(1, 70) if number not in NOT_ASKED]


def table() -> str:
    """The rows of the page."""
    rows = [f"| {each.number} | {each.peer} | {each.case} | {each.says} | {each.here} | `{each.id}` |" for each in FLAWS]
    head = ["| # | library | least input | it says | toolcall-evals says | test |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def parts(page: str) -> tuple[str, str, str]:
    """What stands before the table, the table, and what stands after it."""
    start = page.index("| # |")
    end = page.index("\n\n", start) + 1 if "\n\n" in page[start:] else len(page)
    return page[:start], page[start:end], page[end:]


def test_the_page_shows_these_rows() -> None:
    assert parts(PAGE.read_text(encoding="utf-8"))[1] == table()


if __name__ == "__main__":
    before, old, after = parts(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(before + table() + after, encoding="utf-8")
