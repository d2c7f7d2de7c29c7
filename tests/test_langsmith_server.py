"""What LangSmith's unmodified client sends and gets when our evaluators are in its list, against a stand-in for the server."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from langsmith import aevaluate, evaluate, evaluate_existing

from langsmith_stub import StubLangSmith
from toolcall_evals import Evaluator, checks, scorers
from toolcall_evals.langsmith import results_table
from toolcall_evals.summary import mean_score, pass_at, pass_hat, remembered, tool_call_totals, tool_confusion, unscored_rate

QUESTIONS = {
    "one call": {"expected_tool_order": ["search"]},
    "two calls": {"expected_tool_order": ["search", "book"]},
    "no call": {},
    "crash": {"expected_tool_order": ["search"]},
}
TOOLS = {"one call": ["search"], "two calls": ["book", "search"], "no call": []}
KEYS = ["called_tool:search", "did_not_call:book", "in_order"]
EXPECTED = {
    ("one call", "called_tool:search"): 1.0,
    ("one call", "did_not_call:book"): 1.0,
    ("one call", "in_order"): 1.0,
    ("two calls", "called_tool:search"): 1.0,
    ("two calls", "did_not_call:book"): 0.0,
    ("two calls", "in_order"): 0.0,
    ("no call", "called_tool:search"): 0.0,
    ("no call", "did_not_call:book"): 1.0,
    ("no call", "in_order"): None,
    ("crash", "called_tool:search"): None,
    ("crash", "did_not_call:book"): None,
    ("crash", "in_order"): None,
}


def evaluators() -> list[Evaluator]:
    return [checks.called_tool("search"), checks.did_not_call("book"), scorers.tool_call_accuracy(key="in_order")]


def target(inputs: dict[str, Any]) -> dict[str, Any]:
    if inputs["question"] == "crash":
        raise RuntimeError("the model is down")
    calls = [
        {"id": str(n), "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(TOOLS[inputs["question"]])
    ]
    messages: list[dict[str, Any]] = [{"role": "user", "content": inputs["question"]}]
    if calls:
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": call["id"], "content": "done"} for call in calls]
    return {"messages": [*messages, {"role": "assistant", "content": "Done."}]}


async def atarget(inputs: dict[str, Any]) -> dict[str, Any]:
    return target(inputs)


class Experiment:
    """A dataset on a stub, and what an experiment on it left there."""

    def __init__(self, stub: StubLangSmith) -> None:
        self.stub = stub
        self.client = stub.client()
        dataset = self.client.create_dataset(f"questions {uuid.uuid4()}")
        self.name = dataset.name
        for question, outputs in QUESTIONS.items():
            stub.store_example({"dataset_id": str(dataset.id), "inputs": {"question": question}, "outputs": outputs})

    def sent(self, count: int) -> list[dict[str, Any]]:
        """The bodies of all feedback, once there are `count`."""
        self.client.flush()
        assert self.stub.wait(lambda: len(self.stub.feedback) >= count), f"{len(self.stub.feedback)} of {count} arrived"
        assert len(self.stub.feedback) == count
        assert self.stub.unknown == [] and self.stub.errors == []
        return self.stub.feedback

    def question_of(self, feedback: dict[str, Any]) -> str:
        run = self.stub.runs[feedback["run_id"]]
        return str(self.stub.examples[run["reference_example_id"]]["inputs"]["question"])

    def scores(self, count: int) -> dict[tuple[str, str], float | None]:
        return {(self.question_of(item), item["key"]): item.get("score") for item in self.sent(count)}


@pytest.fixture
def experiment() -> Iterator[Experiment]:
    with StubLangSmith() as stub:
        yield Experiment(stub)


@pytest.mark.parametrize("concurrency", [0, 4])
def test_evaluate_uploads_a_score_for_each_example_and_key(experiment: Experiment, concurrency: int) -> None:
    evaluate(target, data=experiment.name, evaluators=evaluators(), client=experiment.client, max_concurrency=concurrency)
    assert experiment.scores(12) == EXPECTED


@pytest.mark.parametrize("concurrency", [0, 4])
def test_aevaluate_uploads_the_same_scores(experiment: Experiment, concurrency: int) -> None:
    options: dict[str, Any] = {"client": experiment.client, "max_concurrency": concurrency}
    asyncio.run(aevaluate(atarget, data=experiment.name, evaluators=evaluators(), **options))
    assert experiment.scores(12) == EXPECTED


def test_feedback_travels_as_multipart_to_a_server_of_today() -> None:
    with StubLangSmith(multipart=True, zstd=True) as stub:
        experiment = Experiment(stub)
        evaluate(target, data=experiment.name, evaluators=evaluators(), client=experiment.client, max_concurrency=0)
        assert experiment.scores(12) == EXPECTED
        assert any(call.headers.get("content-encoding") == "zstd" for call in stub.calls)


def test_a_feedback_body_has_the_key_the_score_the_reason_and_the_details(experiment: Experiment) -> None:
    evaluate(target, data=experiment.name, evaluators=[checks.called_tool("search", times=2)], client=experiment.client, max_concurrency=0)
    bodies = {experiment.question_of(item): item for item in experiment.sent(4)}
    scored = bodies["two calls"]
    assert scored["key"] == "called_tool:search::x2"
    assert scored["score"] == 0.0
    assert "search" in scored["comment"]
    assert scored["extra"]["status"] == "scored"
    assert (scored["extra"]["details"]["count"], scored["extra"]["details"]["times"]) == (1, 2)
    assert not scored.get("error")


def test_what_could_not_be_scored_is_marked_as_an_error_with_the_reason(experiment: Experiment) -> None:
    evaluate(target, data=experiment.name, evaluators=[checks.called_tool("search")], client=experiment.client, max_concurrency=0)
    (crashed,) = [item for item in experiment.sent(4) if experiment.question_of(item) == "crash"]
    assert crashed.get("score") is None
    assert "the model is down" in crashed["comment"]
    assert crashed["extra"]["error"] is True
    assert crashed["extra"]["status"] == "could_not_score"
    assert crashed["error"] is True


def test_a_missing_reference_is_no_zero(experiment: Experiment) -> None:
    evaluate(
        target, data=experiment.name, evaluators=[scorers.tool_call_accuracy(key="in_order")], client=experiment.client, max_concurrency=0
    )
    (unstated,) = [item for item in experiment.sent(4) if experiment.question_of(item) == "no call"]
    assert unstated.get("score") is None
    assert "expected_tool" in unstated["comment"]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_no_check_has_a_trace_of_its_own_and_the_keys_are_known_up_front(experiment: Experiment, asynchronous: bool) -> None:
    if asynchronous:
        asyncio.run(aevaluate(atarget, data=experiment.name, evaluators=evaluators(), client=experiment.client))
    else:
        evaluate(target, data=experiment.name, evaluators=evaluators(), client=experiment.client)
    assert {item["key"] for item in experiment.sent(12)} == set(KEYS)
    stub = experiment.stub
    assert [session["name"] for session in stub.sessions.values() if session["name"] == "evaluators"] == []
    assert len([run for run in stub.runs.values() if not run.get("parent_run_id")]) == 4
    (created,) = [call.body for call in stub.calls if call.method == "POST" and call.path == "/sessions"]
    assert created["evaluator_keys"] == KEYS


def test_repetitions_are_all_scored(experiment: Experiment) -> None:
    results = evaluate(
        target, data=experiment.name, evaluators=evaluators(), client=experiment.client, num_repetitions=3, max_concurrency=4
    )
    table = results_table(results)
    assert experiment.scores(36) == EXPECTED
    assert {(row.example, row.key): row.score for row in table.rows} == EXPECTED
    assert sorted({(row.example, row.repetition) for row in table.rows}) == sorted(
        (question, n) for question in QUESTIONS for n in range(3)
    )


@pytest.mark.parametrize("nested", [False, True])
def test_an_existing_experiment_gets_the_same_scores(experiment: Experiment, nested: bool) -> None:
    first = evaluate(target, data=experiment.name, evaluators=[], client=experiment.client, max_concurrency=0)
    experiment.sent(0)
    again = evaluate_existing(
        first.experiment_name, evaluators=evaluators(), client=experiment.client, load_nested=nested, max_concurrency=0
    )
    assert experiment.scores(12) == EXPECTED
    assert {(row.example, row.key): row.score for row in results_table(again).rows} == EXPECTED


def test_the_table_says_what_was_uploaded(experiment: Experiment) -> None:
    results = evaluate(target, data=experiment.name, evaluators=evaluators(), client=experiment.client, max_concurrency=0)
    table = results_table(results)
    uploaded = {(experiment.question_of(item), item["key"]): (item.get("score"), item["comment"]) for item in experiment.sent(12)}
    assert {(row.example, row.key): (row.score, row.comment) for row in table.rows} == uploaded
    assert [(each.key, each.mean, each.passed, each.scored, each.could_not_score) for each in table.by_key()] == [
        ("called_tool:search", pytest.approx(2 / 3), 2, 3, 1),
        ("did_not_call:book", pytest.approx(2 / 3), 2, 3, 1),
        ("in_order", 0.5, 1, 2, 2),
    ]


def test_a_crashing_target_is_the_only_thing_langsmith_logs(experiment: Experiment, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        evaluate(target, data=experiment.name, evaluators=evaluators(), client=experiment.client, max_concurrency=0)
    assert {record.getMessage() for record in caplog.records} == {"Error running target function: the model is down"}


def summaries() -> list[Any]:
    called = remembered(checks.called_tool("search"))
    search = [{"name": "search"}]
    return [
        mean_score(called),
        pass_at(called, 2),
        pass_hat(called, 2),
        unscored_rate(called),
        tool_call_totals(search),
        tool_confusion(search),
    ]


SUMMARIES = {
    # of four questions, run twice: two call search, one does not, one crashes
    "mean:called_tool:search": 2 / 3,
    "pass_at_2:called_tool:search": 2 / 3,
    "pass_hat_2:called_tool:search": 2 / 3,
    "unscored:called_tool:search": 2 / 8,
    # each time: search expected 3 times and called twice, book called once
    "tool_calls:micro_precision": 2 / 3,
    "tool_calls:micro_recall": 2 / 3,
    "tool_calls:micro_f1": 2 / 3,
    "tool_calls:macro_precision": (1 + 0) / 2,
    "tool_calls:macro_recall": 2 / 3,
    "tool_calls:macro_f1": (4 / 5 + 0) / 2,
    "tool_calls:per_run_precision": (1 + 1 / 2 + 0) / 3,
    "tool_calls:per_run_recall": (1 + 1 + 0) / 3,
    "tool_calls:per_run_f1": (1 + 2 / 3 + 0) / 3,
    "tool_confusion": 2 / 3,
}

LANGSMITHS_OWN = pytest.mark.filterwarnings("ignore:The following arguments are no longer used in the create_feedback:DeprecationWarning")
"""It warns of an argument that it gives to itself, and loses the summary where that is an error (langsmith 0.15.1)."""


@LANGSMITHS_OWN
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("multipart", [False, True])
def test_summaries_arrive_as_feedback_of_the_experiment(multipart: bool, asynchronous: bool) -> None:
    with StubLangSmith(multipart=multipart) as stub:
        experiment = Experiment(stub)
        options: dict[str, Any] = {"data": experiment.name, "client": experiment.client, "num_repetitions": 2}
        if asynchronous:
            asyncio.run(aevaluate(atarget, summary_evaluators=summaries(), **options))
        else:
            evaluate(target, summary_evaluators=summaries(), max_concurrency=0, **options)
        sent = {item["key"]: item for item in experiment.sent(len(SUMMARIES))}
        (session,) = {item["session_id"] for item in sent.values()}
        assert stub.sessions[session]["reference_dataset_id"] in stub.datasets
    assert {key: item["score"] for key, item in sent.items()} == pytest.approx(SUMMARIES, abs=1e-4)  # langsmith rounds to four places
    assert all(item.get("run_id") is None for item in sent.values())
    assert sent["tool_confusion"]["extra"] == {"matrix": {"search": {"(none)": 2, "search": 4}}, "unexpected": {"book": 2}}
    assert sent["mean:called_tool:search"]["comment"].startswith("mean 0.667 of 3 examples, 95 % interval 0.208 to 0.939; 2 could not be")


@LANGSMITHS_OWN
def test_a_summary_of_nothing_that_could_be_scored_has_no_number(experiment: Experiment) -> None:
    evaluate(target, data=experiment.name, summary_evaluators=[tool_confusion()], client=experiment.client, max_concurrency=0)
    (sent,) = experiment.sent(1)
    assert sent.get("score") is None
    assert "4 could not be scored (no calls are expected" in sent["comment"]
