from __future__ import annotations

import copy
import math
import pickle
import re
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import CouldNotScore, Evaluator, NotApplicable, SettingError, ToolInvocation, Trajectory, checks, scorers
from toolcall_evals._evaluator import could_not_score, feedback_key

STATE = {
    "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "search", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "assistant", "content": "done"},
    ]
}
ROW = {"key", "score", "comment", "extra"}


def fixed(run: Trajectory, value: Any) -> Any:
    return value, lambda: ("fixed", {"value": value})


def raising(run: Trajectory, error: Exception) -> Any:
    raise error


def filled(settings: Mapping[str, Any], reference: Any) -> Mapping[str, Any]:
    if reference is None or reference.get("value") is None:
        raise CouldNotScore("no value is expected")
    return {"value": reference.get("value")}


def test_score_and_the_langsmith_call_say_the_same() -> None:
    check = checks.called_tool("search")
    score = check.score(STATE)
    assert (score.key, score.score, score.status) == ("called_tool:search", 1.0, "scored")
    row = check(outputs=STATE)
    assert row == {"key": score.key, "score": 1.0, "comment": score.comment, "extra": {"status": "scored", "details": score.details}}
    assert check(inputs={}, outputs=STATE, reference_outputs={}, attachments=None) == row
    assert check(outputs=Trajectory(invocations=(ToolInvocation(name="search"),)))["score"] == 1.0


def test_a_score_of_true_or_false_is_a_number() -> None:
    score = Evaluator("fixed", fixed, {"value": True}).score(Trajectory())
    assert type(score.score) is float


@pytest.mark.parametrize("value", [math.nan, math.inf, 1.5, -0.5, None, "x"])
def test_a_measure_that_gives_no_score_could_not_score(value: Any) -> None:
    score = Evaluator("fixed", fixed, {"value": value}).score(Trajectory())
    assert (score.score, score.status) == (None, "could_not_score")
    assert score.comment.startswith("fixed failed: ")


@pytest.mark.parametrize(
    ("error", "status", "comment"),
    [
        (CouldNotScore("no reference"), "could_not_score", "no reference"),
        (NotApplicable("no calls"), "not_applicable", "no calls"),
        (KeyError("x"), "could_not_score", "broken failed: KeyError: 'x'"),
        (RecursionError("deep"), "could_not_score", "broken failed: RecursionError: deep"),
        (ValueError("\ud800"), "could_not_score", "broken failed: ValueError: ?"),
        (ValueError("x" * 5000), "could_not_score", "broken failed: ValueError: " + "x" * 973 + "..."),
    ],
)
def test_what_a_measure_raises_becomes_the_reason(error: Exception, status: str, comment: str) -> None:
    broken = Evaluator("broken", raising, {"error": error})
    score = broken.score(Trajectory())
    assert (score.score, score.status, score.comment) == (None, status, comment)
    row = broken(outputs=STATE)
    assert set(row) == ROW
    assert row["extra"] == {"status": status, "details": {}} | ({"error": True} if status == "could_not_score" else {})


def test_an_interrupt_is_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        Evaluator("broken", raising, {"error": KeyboardInterrupt()}).score(Trajectory())


@pytest.mark.parametrize("outputs", [None, {}, [], 5, {"output": None}, {"messages": 5}, [1], object()])
def test_outputs_that_are_no_trace_could_not_be_scored(outputs: Any) -> None:
    row = checks.called_tool("search")(outputs=outputs)
    assert (row["score"], row["extra"]["status"], row["extra"]["error"]) == (None, "could_not_score", True)
    assert row["comment"]


def run_of(**fields: Any) -> SimpleNamespace:
    defaults = {
        "id": uuid4(),
        "name": "target",
        "run_type": "chain",
        "inputs": {},
        "outputs": None,
        "error": None,
        "child_runs": [],
        "extra": {},
    }
    return SimpleNamespace(**{**defaults, **fields})


def test_a_run_goes_before_outputs_and_an_example_fills_what_is_missing() -> None:
    run, example = run_of(outputs=STATE), SimpleNamespace(inputs={}, outputs={"expected_tool": "search"})
    assert checks.called_tool()(run=run, example=example)["score"] == 1.0
    assert checks.called_tool()(run=run, example=example, reference_outputs={"expected_tool": "other"})["score"] == 0.0
    assert checks.called_tool("search")(run=run, outputs={"messages": []})["score"] == 1.0


def test_what_a_run_was_given_is_not_its_own() -> None:
    given = {"messages": STATE["messages"][:3]}
    run, example = run_of(outputs=STATE), SimpleNamespace(inputs=given, outputs=None)
    assert checks.used_no_tools()(run=run, example=example)["score"] == 1.0
    assert checks.used_no_tools()(outputs=STATE, inputs=given)["score"] == 1.0
    assert checks.used_no_tools()(outputs=STATE)["score"] == 0.0


def test_a_crashed_target_is_never_a_pass() -> None:
    run = run_of(outputs={"output": None}, error="ValueError('boom')")
    for check in (
        checks.used_no_tools(),
        checks.did_not_call("search"),
        checks.excludes("x"),
        checks.called_tool("search"),
        checks.includes("x"),
    ):
        row = check(run=run)
        assert row["score"] is None, check
        assert "boom" in row["comment"]


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_on_a_crashed_run_only_a_violation_that_was_seen_counts(value: float) -> None:
    crashed = Trajectory(error="boom")
    negative = Evaluator("fixed", fixed, {"value": value}, negative=True).score(crashed)
    assert negative.score == (0.0 if value == 0.0 else None)
    assert Evaluator("fixed", fixed, {"value": value}).score(crashed).comment == "the run crashed: boom"


def test_without_a_record_of_calls_only_texts_are_scored() -> None:
    spoken = Trajectory(texts=("x",), has_call_record=False, source="text")
    assert Evaluator("fixed", fixed, {"value": 1.0}).score(spoken).score is None
    assert Evaluator("fixed", fixed, {"value": 1.0}, evidence="text").score(spoken).score == 1.0


@pytest.mark.parametrize("outputs", [None, {}, {"output": None}, {"output": 5}], ids=str)
def test_outputs_that_hold_neither_texts_nor_calls_are_not_scored(outputs: Any) -> None:
    run = {"id": "1", "run_type": "chain", "name": "target", "inputs": {}, "outputs": outputs, "child_runs": []}
    for evidence in ("text", "calls"):
        assert Evaluator("fixed", fixed, {"value": 0.0}, evidence=evidence)(run=run)["score"] is None
    assert Evaluator("fixed", fixed, {"value": 0.0}, evidence="text").score("").score == 0.0, "an empty text is a text"


def test_settings_that_were_left_out_come_from_the_reference() -> None:
    check = Evaluator("fixed", fixed, {"value": None}, fill=filled)
    assert check.score(Trajectory(), {"value": 0.5}).score == 0.5
    assert check.score(Trajectory(), {"value": 0.25}).score == 0.25, "nothing of an example stays"
    assert check.score(Trajectory()).comment == "no value is expected"


@pytest.mark.parametrize(
    ("subject", "variant", "key"),
    [
        (None, [], "check"),
        (None, ["strict"], "check::strict"),
        ("search", [], "check:search"),
        ("search", ["x2", "by.one"], "check:search::x2:by.one"),
        ("server:tool", [], "check:server:tool"),
        (["a", "b"], [], "check:a:b"),
        ([], ["none"], "check::none"),
    ],
)
def test_a_key_is_readable(subject: Any, variant: list[str], key: str) -> None:
    assert feedback_key("check", subject, variant) == key


@pytest.mark.parametrize(
    ("subject", "beginning"),
    [("It is 72 °C", "check:It_is_72_C-"), ("a" * 60, "check:" + "a" * 48 + "-"), ("晴", "check:_-"), ("", "check:")],
)
def test_what_a_key_cannot_hold_ends_in_a_hash(subject: str, beginning: str) -> None:
    key = feedback_key("check", subject)
    assert key.startswith(beginning)
    assert re.fullmatch(r"[0-9a-f]{8}", key.removeprefix(beginning))
    assert feedback_key("check", subject) == key, "the same in every process"


parts = st.text(st.sampled_from("ab:._-x2 °"), max_size=6)
subjects = st.none() | parts | st.lists(parts, max_size=3).map(tuple)
variants = st.lists(parts.filter(bool), max_size=2).map(tuple)


@given(st.tuples(subjects, variants), st.tuples(subjects, variants))
def test_different_settings_never_share_a_key(one: Any, other: Any) -> None:
    keys = [feedback_key("check", *each) for each in (one, other)]
    assert all(re.fullmatch(r"[A-Za-z0-9_.:-]{1,130}", key) for key in keys)
    same_kind = type(one[0]) is type(other[0])  # a check gives either texts or lists
    if same_kind and one != other and not (one[0] in (None, ()) and other[0] in (None, ())):
        assert keys[0] != keys[1]


def test_a_key_may_be_given() -> None:
    check = checks.called_tool("search", key="found:it")
    assert (check.key, check.__name__, check.feedback_keys) == ("found:it", "found:it", ["found:it"])
    assert check(outputs=STATE)["key"] == "found:it"
    for key in ("", "a b", "ü", "x" * 101, 5):
        with pytest.raises(SettingError, match="key must be 1 to 100 letters, digits"):
            checks.called_tool("search", key=key)  # type: ignore[arg-type]  # what is refused


def test_two_checks_of_a_kind_stand_side_by_side() -> None:
    both = [checks.called_tool("search"), checks.called_tool("other")]
    assert {check(outputs=STATE)["key"]: check(outputs=STATE)["score"] for check in both} == {
        "called_tool:search": 1.0,
        "called_tool:other": 0.0,
    }


def test_repr_shows_how_it_was_built() -> None:
    assert repr(checks.called_tool("search", 2)) == "called_tool(name='search', times=2)"
    assert repr(checks.max_tool_calls(3, kinds="all", agent="a")) == "max_tool_calls(n=3, kinds='all', agent=['a'])"
    assert repr(checks.used_no_tools()) == "used_no_tools()"
    assert len(repr(checks.includes("x" * 5000))) == 500


def test_it_is_an_evaluator_and_its_class_cannot_be_changed() -> None:
    check = checks.called_tool("search")
    assert isinstance(check, Evaluator)
    assert type(check) is Evaluator
    with pytest.raises(TypeError, match="cannot be changed"):
        check.__class__ = object


def test_threads_may_share_one_evaluator_and_one_run() -> None:
    check = checks.called_tool()
    run = run_of(outputs=STATE)
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda n: check(run=run, reference_outputs={"expected_tool": "search" if n % 2 else "other"}), range(200)))
    assert [row["score"] for row in rows] == [float(number % 2) for number in range(200)]


def test_every_row_is_new() -> None:
    check = checks.called_tool("search")
    one, other = check(outputs=STATE), check(outputs=STATE)
    assert one == other
    one["extra"]["details"]["calls"].append("changed")
    assert check(outputs=STATE) == other


def test_inputs_outputs_and_reference_are_not_changed() -> None:
    outputs, reference = copy.deepcopy(STATE), {"tool_calls": [{"name": "search", "args": {"q": [1]}}]}
    scorers.tool_call_accuracy()(outputs=outputs, inputs=copy.deepcopy(STATE), reference_outputs=reference)
    assert outputs == STATE
    assert reference == {"tool_calls": [{"name": "search", "args": {"q": [1]}}]}


def test_could_not_score_is_a_score_too() -> None:
    score = could_not_score("k", "why")
    assert (score.key, score.score, score.status, score.comment) == ("k", None, "could_not_score", "why")


BEFORE_AND_AFTER = """
import copy, pickle, sys
from toolcall_evals import Evaluator, Trajectory, checks
check = checks.matches("x", key="mine")
assert check.score("x").score == 1.0
assert not [name for name in sys.modules if name.split(".")[0] == "langsmith"], "langsmith was imported"
stored = pickle.dumps(check)

import warnings
warnings.simplefilter("ignore")
from langsmith.evaluation import RunEvaluator
from langsmith.evaluation.evaluator import EvaluationResult
assert isinstance(check, RunEvaluator) and isinstance(check, Evaluator) and type(check) is Evaluator
for again in (pickle.loads(stored), pickle.loads(pickle.dumps(check)), copy.deepcopy(check), copy.copy(check)):
    assert isinstance(again, RunEvaluator) and type(again) is Evaluator and again.key == "mine"
    assert again.score("x").score == 1.0

from langsmith.schemas import Run
from uuid import uuid4
from datetime import datetime
run = Run(id=uuid4(), name="t", start_time=datetime.now(), run_type="chain", inputs={}, outputs={"output": "x"}, trace_id=uuid4())
result = check.evaluate_run(run)
assert isinstance(result, EvaluationResult) and (result.key, result.score) == ("mine", 1.0), result
assert check.evaluate_run(run) is not result
assert check.evaluate_run(run=run, example=None, evaluator_run_id=uuid4()).score == 1.0
assert set(check(run=run)) <= set(EvaluationResult.model_fields)
print("held")
"""


def test_it_is_a_run_evaluator_once_langsmith_is_loaded_and_never_loads_it(tmp_path: Any) -> None:
    pytest.importorskip("langsmith")
    done = subprocess.run([sys.executable, "-c", BEFORE_AND_AFTER], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.stdout.strip(), done.returncode) == ("held", 0), done.stderr


async def test_the_async_form_gives_the_same_result() -> None:
    pytest.importorskip("langsmith")
    check, run = checks.called_tool("search"), run_of(outputs=STATE)
    assert (await check.aevaluate_run(run)).model_dump() == check.evaluate_run(run).model_dump()


def test_a_measure_may_be_a_partial_and_pickles() -> None:
    check = Evaluator("fixed", partial(fixed, value=0.5), {})
    assert pickle.loads(pickle.dumps(check)).score(Trajectory()).score == 0.5


def test_a_score_keeps_no_link_to_what_is_changed_later() -> None:
    outputs = copy.deepcopy(STATE)
    score = checks.called_tool("search").score(outputs)
    outputs["messages"].clear()
    assert score.details["calls"] == ["search"]
