"""The LLM scorer as its users call it: settings, the promised examples, LangSmith, and what is judged."""

from __future__ import annotations

import asyncio
import inspect
import json
import pickle
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from langsmith import aevaluate, evaluate
from openai import AsyncOpenAI, OpenAI

from judge.judge_server import Reply, Script, ScriptedModel, said, serving
from langsmith_stub import StubLangSmith
from toolcall_evals import Evaluator, SettingError, Tool, ToolInvocation, Trajectory, scorers

TOOLS = [
    {"name": "get_weather", "description": "The weather in a city now."},
    {"name": "search_web", "description": "Search the web."},
    {"name": "send_email", "description": "Send an e-mail."},
]


def graded(*grades: tuple[str, str], missing: tuple[str, ...] = (), right: bool | None = None) -> dict[str, Any]:
    """A verdict as a judge gives it: the tool and the grade of each call."""
    given = [{"reasoning": "so it is", "call": n, "tool_called": tool, "verdict": grade} for n, (tool, grade) in enumerate(grades, 1)]
    verdict: dict[str, Any] = {"evaluations": given, "missing_tools": list(missing), "reason": "because"}
    return verdict if right is None else {**verdict, "no_call_was_right": right}


EXAMPLES: dict[str, tuple[list[str], str, dict[str, Any], float, float]] = {
    "What is the weather in Oslo?": (["get_weather"], "3 degrees.", graded(("get_weather", "appropriate")), 1.0, 1.0),
    "How is the weather in Lima?": (["search_web"], "Mild, says a page.", graded(("search_web", "partial")), 0.5, 0.0),
    "Can you look something up?": ([], "Gladly: what is it about?", graded(right=True), 1.0, 1.0),
    "Mail Ann that I am late.": ([], "Fine.", graded(missing=("send_email",), right=False), 0.0, 0.0),
}
"""By request, as SPEC promises: the calls made, the answer, the verdict, and the score in the gradings `graded` and `binary`."""


def messages(request: str) -> list[dict[str, Any]]:
    calls, answer, *_ = EXAMPLES[request]
    asked = [{"id": str(n), "type": "function", "function": {"name": name, "arguments": "{}"}} for n, name in enumerate(calls)]
    acted = [{"role": "assistant", "content": "", "tool_calls": asked}] if asked else []
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in asked]
    return [{"role": "user", "content": request}, *acted, *results, {"role": "assistant", "content": answer}]


def recorded(asked: list[dict[str, str]], schema: dict[str, Any]) -> dict[str, Any]:
    """A judge that knows the four requests by heart."""
    return next(verdict for request, (_, _, verdict, *_) in EXAMPLES.items() if request in asked[-1]["content"])


async def arecorded(asked: list[dict[str, str]], schema: dict[str, Any]) -> dict[str, Any]:
    await asyncio.sleep(0)
    return recorded(asked, schema)


@pytest.mark.parametrize("grading", ["graded", "binary"])
@pytest.mark.parametrize("request_text", EXAMPLES)
def test_the_promised_examples(request_text: str, grading: Any) -> None:
    score = scorers.tool_call_accuracy_llm(judge=recorded, available_tools=TOOLS, grading=grading).score(messages(request_text))
    assert score.score == EXAMPLES[request_text][3 if grading == "graded" else 4]
    assert score.details["evaluations"] == [
        {**each, "was_appropriate": each["verdict"] == "appropriate"} for each in EXAMPLES[request_text][2]["evaluations"]
    ]
    assert score.details["missing_tools"] == EXAMPLES[request_text][2]["missing_tools"]
    assert score.comment.startswith("because")


def target(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"messages": messages(inputs["request"])}


async def atarget(inputs: dict[str, Any]) -> dict[str, Any]:
    return target(inputs)


@pytest.fixture
def stub() -> Iterator[StubLangSmith]:
    with StubLangSmith() as server:
        yield server


def experiment(
    stub: StubLangSmith, evaluators: list[Evaluator], *, is_async: bool, **options: Any
) -> dict[tuple[str, str], dict[str, Any]]:
    """The feedback of an experiment on the four examples, by request and key."""
    client = stub.client()
    dataset = client.create_dataset(f"requests {uuid.uuid4()}")
    for request in EXAMPLES:
        stub.store_example({"dataset_id": str(dataset.id), "inputs": {"request": request}, "outputs": None})
    options = {"data": dataset.name, "evaluators": evaluators, "client": client, **options}
    if is_async:
        asyncio.run(aevaluate(atarget, **options))
    else:
        evaluate(target, **options)
    count = len(EXAMPLES) * len(evaluators)
    client.flush()
    assert stub.wait(lambda: len(stub.feedback) >= count)
    client.flush()
    assert stub.unknown == [] and stub.errors == []
    requests = {item["run_id"]: stub.runs[item["run_id"]]["reference_example_id"] for item in stub.feedback}
    return {(stub.examples[requests[item["run_id"]]]["inputs"]["request"], item["key"]): item for item in stub.feedback}


@pytest.mark.parametrize("judge", [recorded, arecorded])
@pytest.mark.parametrize("is_async", [False, True], ids=["evaluate", "aevaluate"])
def test_langsmith_gets_the_scores_and_a_link_to_the_judges_trace(stub: StubLangSmith, judge: Any, is_async: bool) -> None:
    both = [scorers.tool_call_accuracy_llm(judge=judge, available_tools=TOOLS, grading=grading) for grading in ("graded", "binary")]
    sent = experiment(stub, both, is_async=is_async, max_concurrency=3)
    keys = "tool_call_accuracy_llm", "tool_call_accuracy_llm::binary"
    assert {place: item["score"] for place, item in sent.items()} == {
        (request, key): EXAMPLES[request][number] for request in EXAMPLES for number, key in zip((3, 4), keys, strict=True)
    }
    for (request, key), item in sent.items():
        trace = item["feedback_source"]["metadata"]["__run"]["run_id"]
        assert stub.wait(lambda trace=trace: (stub.runs.get(trace) or {}).get("outputs")), "the judge's trace did not arrive"
        run = stub.runs[trace]
        assert run["name"] == key
        assert run["extra"]["metadata"]["target_run_id"] == item["run_id"]
        assert request in run["inputs"]["messages"][-1]["content"]
        assert run["outputs"]["score"] == item["score"]
    assert len({item["feedback_source"]["metadata"]["__run"]["run_id"] for item in sent.values()}) == 8


@pytest.mark.parametrize("is_async", [False, True], ids=["evaluate", "aevaluate"])
def test_the_trace_of_a_chat_model_lies_inside_the_judges(stub: StubLangSmith, is_async: bool) -> None:
    model = ScriptedModel(script=Script([said(graded(("get_weather", "appropriate")))]))
    scorer = scorers.tool_call_accuracy_llm(judge=model)
    item = experiment(stub, [scorer], is_async=is_async)["What is the weather in Oslo?", "tool_call_accuracy_llm"]
    trace = item["feedback_source"]["metadata"]["__run"]["run_id"]
    assert stub.wait(lambda: [run for run in stub.runs.values() if run.get("parent_run_id") == trace and run["run_type"] == "llm"])


@pytest.mark.skipif(
    "disable_evaluator_tracing" not in inspect.signature(evaluate).parameters, reason="this langsmith always traces evaluators"
)
@pytest.mark.parametrize("is_async", [False, True], ids=["evaluate", "aevaluate"])
def test_without_tracing_of_evaluators_there_is_no_link(stub: StubLangSmith, is_async: bool) -> None:
    scorer = scorers.tool_call_accuracy_llm(judge=recorded)
    sent = experiment(stub, [scorer], is_async=is_async, disable_evaluator_tracing=True)
    assert all("__run" not in (item["feedback_source"]["metadata"] or {}) for item in sent.values())
    assert not [run for run in stub.runs.values() if run["name"] == scorer.key]


def test_a_failed_judge_is_an_error_and_links_to_its_trace(stub: StubLangSmith) -> None:
    def broken(asked: Any, schema: Any) -> Any:
        raise RuntimeError("out of order")

    sent = experiment(stub, [scorers.tool_call_accuracy_llm(judge=broken)], is_async=False)
    for item in sent.values():
        assert item.get("score") is None and item["error"] is True
        assert item["comment"] == "the judge failed: RuntimeError: out of order"
        trace = item["feedback_source"]["metadata"]["__run"]["run_id"]
        assert stub.wait(lambda trace=trace: "out of order" in ((stub.runs.get(trace) or {}).get("error") or ""))


@pytest.mark.parametrize("client_class", [OpenAI, AsyncOpenAI])
@pytest.mark.parametrize("is_async", [False, True], ids=["evaluate", "aevaluate"])
def test_each_kind_of_client_serves_each_kind_of_evaluation(stub: StubLangSmith, client_class: Any, is_async: bool) -> None:
    script = Script([said(graded(("get_weather", "appropriate")))])
    with serving(script) as url:
        client = client_class(base_url=url, api_key="none")
        scorer = scorers.tool_call_accuracy_llm(judge=client, model="m", timeout_s=5, max_retries=0)
        for _ in range(2):  # a client that is bound to the first loop fails in the second
            sent = experiment(stub, [scorer], is_async=is_async, max_concurrency=2)
            assert sent["What is the weather in Oslo?", "tool_call_accuracy_llm:m"]["score"] == 1.0
            stub.feedback.clear()
        asyncio.run(client.close()) if client_class is AsyncOpenAI else client.close()


def test_an_async_client_may_be_asked_from_sync_code_and_from_several_loops_in_turn() -> None:
    run = messages("What is the weather in Oslo?")
    with serving(Script([said(graded(("get_weather", "appropriate")))])) as url:
        client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        scorer: Any = scorers.tool_call_accuracy_llm(judge=client, model="m", timeout_s=5, max_retries=0)

        async def both() -> list[float | None]:
            return [(await scorer.ascore(run)).score, scorer.score(run).score]

        assert [scorer.score(run).score, *asyncio.run(both()), *asyncio.run(both())] == [1.0] * 5
        asyncio.run(client.close())


def test_judgements_overlap_under_aevaluate_as_far_as_concurrency_allows(stub: StubLangSmith) -> None:
    running, most, lock = 0, 0, threading.Lock()

    def slow(asked: Any, schema: Any) -> Any:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.1)
        with lock:
            running -= 1
        return recorded(asked, schema)

    experiment(stub, [scorers.tool_call_accuracy_llm(judge=slow)], is_async=True, max_concurrency=2)
    assert most == 2


def test_a_cancelled_evaluation_is_cancelled_and_a_judge_that_is_cancelled_itself_is_a_fault() -> None:
    async def endless(asked: Any, schema: Any) -> Any:
        await asyncio.sleep(60)

    async def gives_up(asked: Any, schema: Any) -> Any:
        raise asyncio.CancelledError

    async def main() -> None:
        scorer: Any = scorers.tool_call_accuracy_llm(judge=endless)
        task = asyncio.create_task(scorer.ascore(messages("Mail Ann that I am late.")))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        scorer = scorers.tool_call_accuracy_llm(judge=gives_up)
        assert (await scorer.ascore(messages("Mail Ann that I am late."))).comment == "the judge failed: CancelledError: "

    asyncio.run(main())
    assert scorers.tool_call_accuracy_llm(judge=gives_up).score(messages("Mail Ann that I am late.")).status == "could_not_score"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({}, "model"),
        ({"model": ""}, "model"),
        ({"model": "openai:"}, "model"),
        ({"model": 5}, "model"),
        ({"model": "gpt-5-mini"}, "model"),
        ({"model": ":gpt-5-mini"}, "model"),
        ({"judge": 5}, "judge"),
        ({"judge": dict}, "judge"),
        ({"judge": OpenAI(api_key="none")}, "model"),
        ({"judge": recorded, "grading": "strict"}, "grading"),
        ({"judge": recorded, "votes": 0}, "votes"),
        ({"judge": recorded, "votes": True}, "votes"),
        ({"judge": recorded, "prompt": "Judge!"}, "prompt"),
        ({"judge": recorded, "system": ""}, "system"),
        ({"judge": recorded, "few_shot_examples": "x"}, "few_shot_examples"),
        ({"judge": recorded, "few_shot_examples": [{"role": "user"}]}, "few_shot_examples"),
        ({"judge": recorded, "few_shot_examples": [{"inputs": "x", "outputs": "y"}]}, "few_shot_examples"),
        ({"judge": recorded, "timeout_s": 0}, "timeout_s"),
        ({"judge": recorded, "timeout_s": float("nan")}, "timeout_s"),
        ({"judge": recorded, "max_retries": -1}, "max_retries"),
        ({"judge": recorded, "cache": ""}, "cache"),
        ({"judge": recorded, "cache": "/"}, "cache"),
        ({"judge": recorded, "cache": f"{__file__}/x"}, "cache"),
        ({"judge": recorded, "available_tools": "get_weather"}, "available_tools"),
        ({"judge": recorded, "available_tools": [5]}, "available_tools"),
        ({"judge": recorded, "kinds": "meal"}, "kinds"),
        ({"judge": recorded, "agent": ""}, "agent"),
    ],
)
def test_a_bad_setting_is_refused_by_name(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingError, match=f"^{named} must be"):
        scorers.tool_call_accuracy_llm(**settings)


def test_keys_tell_differently_set_judges_apart() -> None:
    model = {"model": "openai:gpt-5-mini"}
    different: list[dict[str, Any]] = [
        {},
        {"grading": "binary"},
        {"votes": 3},
        {"system": "Be kind."},
        {"prompt": "{run}"},
        {"few_shot_examples": [{"role": "user", "content": "x"}]},
        {"agent": "boss"},
        {"kinds": "all"},
    ]
    keys = [scorers.tool_call_accuracy_llm(**model, **settings).key for settings in different]
    assert keys[:3] == ["tool_call_accuracy_llm:openai:gpt-5-mini" + variant for variant in ("", "::binary", "::votes.3")]
    assert len({*keys, scorers.tool_call_accuracy_llm(model="openai:gpt-5").key}) == len(different) + 1


def test_an_evaluator_shows_its_settings_and_pickles() -> None:
    scorer = scorers.tool_call_accuracy_llm(judge=recorded, available_tools=TOOLS, agent="boss", grading="binary")
    assert repr(scorer) == "tool_call_accuracy_llm(judge='function', grading='binary', votes=1, agent=['boss'])"
    again = pickle.loads(pickle.dumps(scorers.tool_call_accuracy_llm(judge=recorded, available_tools=TOOLS)))
    assert again.score(messages("How is the weather in Lima?")).score == 0.5


def test_the_scorers_load_no_client_and_no_model() -> None:
    program = (
        "import toolcall_evals.scorers, sys; print(*{'openai', 'langchain_core', 'langsmith', 'pydantic', 'asyncio'} & {*sys.modules})"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "\n"


class Asked:
    """A judge that keeps what it was asked and finds every call appropriate."""

    def __init__(self) -> None:
        self.messages: list[dict[str, str]] = []
        self.schema: dict[str, Any] = {}

    def __call__(self, asked: list[dict[str, str]], schema: dict[str, Any]) -> dict[str, Any]:
        self.messages, self.schema = asked, schema
        calls = self.run["calls"]
        return graded(*[(call["tool"], "appropriate") for call in calls], right=None if calls else True)

    @property
    def run(self) -> dict[str, Any]:
        text = self.messages[-1]["content"]
        found: dict[str, Any] = json.loads(text[text.index("<run>") + 5 : text.index("</run>")])
        return found


def call(name: str, **fields: Any) -> ToolInvocation:
    return ToolInvocation(name, **{"args": {}, "status": "success", **fields})


def test_a_crashed_run_is_not_judged() -> None:
    judge = Asked()
    score = scorers.tool_call_accuracy_llm(judge=judge).score(Trajectory(input="?", error="boom"))
    assert (score.score, score.comment, judge.messages) == (None, "the run crashed: boom", [])


def test_a_run_without_a_record_of_calls_is_not_judged() -> None:
    judge = Asked()
    score = scorers.tool_call_accuracy_llm(judge=judge).score(Trajectory(input="?", texts=("x",), has_call_record=False))
    assert (score.status, judge.messages) == ("could_not_score", [])


@pytest.mark.parametrize(
    ("scope", "judged"),
    [
        ({}, ["search", "browse"]),
        ({"kinds": "all"}, ["search", "to_boss", "browse"]),
        ({"kinds": "handoff"}, ["to_boss"]),
        ({"agent": "boss"}, ["browse"]),
        ({"agent": "nobody"}, []),
    ],
)
def test_kinds_and_agents_choose_what_is_judged(scope: dict[str, Any], judged: list[str]) -> None:
    judge = Asked()
    run = Trajectory(
        input="?",
        invocations=(
            call("search", agent="a"),
            call("to_boss", agent="a", kind="handoff"),
            call("browse", agent="boss", kind="server"),
            call("made_up", status="hallucinated"),
        ),
        available_tools=(Tool("search", agent="a"), Tool("browse", agent="boss"), Tool("ask")),
    )
    score = scorers.tool_call_accuracy_llm(judge=judge, **scope).score(run)
    assert score.score == 1.0
    assert [each["tool"] for each in judge.run["calls"]] == judged
    assert judge.run["results_stated_without_a_call"] == ["made_up"]
    assert "1 stated by the model but never run (made_up)" in score.comment
    tools = judge.schema["properties"]["missing_tools"]["items"]["enum"]
    assert tools == {"boss": ["ask", "browse"], "nobody": ["ask"]}.get(scope.get("agent", ""), ["ask", "browse", "search"])


def test_two_hundred_calls_are_all_shown_and_all_judged() -> None:
    judge = Asked()
    calls = tuple(call(f"tool_{n % 7}", args={"text": "x" * 5_000}, result="y" * 5_000) for n in range(200))
    run = Trajectory(input="z" * 10_000, messages=(("user", "z" * 10_000),) * 50, invocations=calls)
    score = scorers.tool_call_accuracy_llm(judge=judge).score(run)
    assert score.score == 1.0
    assert [each["call"] for each in judge.run["calls"]] == [*range(1, 201)]
    assert "characters left out" in judge.run["calls"][0]["arguments"]
    assert judge.run["messages_left_out"] + len(judge.run["conversation"]) - 1 == 50  # one says how many
    assert len(judge.messages[-1]["content"]) < 100_000
    assert judge.schema["properties"]["evaluations"]["minItems"] == 200


def test_many_tools_are_cut_and_all_named() -> None:
    judge = Asked()
    tools = [{"name": f"t{n}", "description": "d" * 3_000, "parameters": {"title": "p" * 3_000}} for n in range(100)]
    scorers.tool_call_accuracy_llm(judge=judge, available_tools=tools).score(Trajectory(input="?", invocations=(call("t1"),)))
    assert all(f'"name": "t{n}"' in judge.messages[-1]["content"] for n in range(100))
    assert len(judge.messages[-1]["content"]) < 60_000


def test_unknown_tools_and_no_tools_are_told_apart() -> None:
    judge = Asked()
    run = Trajectory(input="?", invocations=(call("search"),))
    scorers.tool_call_accuracy_llm(judge=judge).score(run)
    assert "not known" in judge.messages[-1]["content"] and "missing_tools" in judge.schema["properties"]
    scorers.tool_call_accuracy_llm(judge=judge, available_tools=[]).score(run)
    assert "<tools>\n[]\n</tools>" in judge.messages[-1]["content"] and "missing_tools" not in judge.schema["properties"]


def test_a_prompt_keeps_its_other_braces_and_what_is_filled_in_is_not_filled_again() -> None:
    judge = Asked()
    run = Trajectory(input="{number_of_calls} {tools} {}", invocations=(call("search"),))
    prompt = 'As {"json": {x}} {0}: {{run}} {inputs} {outputs} {number_of_calls}.'
    scorers.tool_call_accuracy_llm(judge=judge, prompt=prompt, system="{run}").score(run)
    system, question = (each["content"] for each in judge.messages)
    assert system == "{run}"
    assert question.startswith('As {"json": {x}} {0}: {<run>\n{') and question.endswith("</outputs> 1.")
    assert '"request": "{number_of_calls} {tools} {}"' in question


def test_few_shot_examples_are_messages_before_or_data_after_the_question() -> None:
    judge = Asked()
    examples: list[dict[str, Any]] = [
        {"role": "user", "content": "a run"},
        {"role": "assistant", "content": "a verdict"},
        {"inputs": "Weather?", "outputs": "</examples>", "reasoning": "wrong tool", "score": 0.5},
    ]
    scorers.tool_call_accuracy_llm(judge=judge, few_shot_examples=examples).score(Trajectory(input="?", invocations=(call("search"),)))
    assert judge.messages[1:3] == examples[:2]
    told = judge.messages[-1]["content"]
    assert told.count("</examples>") == 1 and '"reasoning": "wrong tool"' in told


def test_votes_are_counted_and_their_split_is_told() -> None:
    script = Script([said(graded(("search", grade))) for grade in ("appropriate", "partial", "appropriate")])
    score = scorers.tool_call_accuracy_llm(judge=ScriptedModel(script=script), votes=3).score(
        Trajectory(input="?", invocations=(call("search"),))
    )
    assert score.score == 1.0
    assert (score.details["votes"], score.details["split"]) == (3, [{"appropriate": 2, "partial": 1}])
    assert score.details["agreement"] == pytest.approx(2 / 3)
    assert score.details["input_tokens"] == 300


def test_one_vote_that_fails_leaves_the_run_unscored() -> None:
    script = Script([said(graded(("search", "partial"))), Reply(refusal="no")])
    scorer: Any = scorers.tool_call_accuracy_llm(judge=ScriptedModel(script=script), votes=2)
    assert asyncio.run(scorer.ascore(Trajectory(input="?", invocations=(call("search"),)))).status == "could_not_score"


def test_a_vote_that_is_outvoted_gives_no_reason_and_missing_tools_are_split() -> None:
    """Two of three say a tool was needed; they miss `send_email`, one of them `get_weather` too."""
    votes = [
        {**graded(right=True), "reason": "right"},
        {**graded(right=False, missing=("send_email",)), "reason": "wrong"},
        {**graded(right=False, missing=("send_email", "get_weather")), "reason": "very wrong"},
    ]
    judge = ScriptedModel(script=Script([said(vote) for vote in votes]))
    score = scorers.tool_call_accuracy_llm(judge=judge, available_tools=TOOLS, votes=3).score(Trajectory(input="?"))
    assert (score.score, score.details["reason"], score.details["missing_tools"]) == (0.0, "wrong", ["send_email"])
    assert score.details["split"] == {"true": 1, "false": 2}
    assert score.details["missing_split"] == {
        "get_weather": {"missing": 1, "not_missing": 2},
        "send_email": {"missing": 2, "not_missing": 1},
    }
    assert score.details["agreement"] == pytest.approx(2 / 3)


def test_what_a_failed_judgement_took_is_told() -> None:
    score = scorers.tool_call_accuracy_llm(judge=ScriptedModel(script=Script([Reply("nonsense")]))).score(Trajectory(input="?"))
    assert score.status == "could_not_score"
    assert (score.details["answers"], score.details["input_tokens"], score.details["output_tokens"]) == (3, 300, 60)
    assert score.details["seconds"] >= 0


def test_an_evaluator_with_a_client_says_how_to_build_one_that_pickles() -> None:
    with pytest.raises(TypeError, match=r"cannot be pickled .* build it with model='openai:m' and no judge="):
        pickle.dumps(scorers.tool_call_accuracy_llm(judge=OpenAI(api_key="none"), model="m"))


def test_turns_are_judged_without_holding_up_the_event_loop() -> None:
    async def judge(asked: Any, schema: Any) -> dict[str, Any]:
        await asyncio.sleep(0.05)
        return graded(right=True)

    talk = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}] * 2
    evaluator: Any = scorers.per_turn(scorers.tool_call_accuracy_llm(judge=judge))

    async def main() -> tuple[float | None, int]:
        waiting = asyncio.create_task(evaluator.ascore(talk))
        beats = 0
        while not waiting.done():
            await asyncio.sleep(0.005)
            beats += 1
        return waiting.result().score, beats

    score, beats = asyncio.run(main())
    assert score == 1.0 and beats > 3
