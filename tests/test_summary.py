"""Summaries of experiments, counted by hand."""

from __future__ import annotations

import asyncio
import pickle
import uuid
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langsmith import aevaluate, evaluate
from langsmith.evaluation.evaluator import RunEvaluator
from langsmith.schemas import Example

from toolcall_evals import Evaluator, ToolInvocation, Trajectory, checks, scorers, summary
from toolcall_evals.langsmith import offline_client


def run(*names: str, **beside: Any) -> Trajectory:
    return Trajectory(invocations=tuple([ToolInvocation(name, {}, status="success") for name in names]), **beside)


def example(id: str, *names: str) -> SimpleNamespace:
    return SimpleNamespace(id=id, inputs={}, outputs={"tool_calls": [{"name": name} for name in names]})


def results(evaluator: summary.SummaryEvaluator, *pairs: tuple[Trajectory, SimpleNamespace]) -> dict[str, dict[str, Any]]:
    found = evaluator([each for each, _ in pairs], [each for _, each in pairs])["results"]
    return {result["key"]: result for result in found}


PAIRS = [
    (run("a", "b"), example("1", "a", "b")),  # 2 of 2 and 2
    (run("a", "c"), example("2", "a", "b")),  # 1 of 2 and 2: c for b
    (run("d"), example("3")),  # 0 of 0 and 1
    (run(error="down"), example("4", "a")),  # cannot be scored
]


def test_the_totals_are_those_counted_by_hand() -> None:
    found = results(summary.tool_call_totals(), *PAIRS)
    assert {key: result["score"] for key, result in found.items()} == pytest.approx(
        {
            "tool_calls:micro_precision": 3 / 5,
            "tool_calls:micro_recall": 3 / 4,
            "tool_calls:micro_f1": 6 / 9,
            # a: 2 of 2 and 2; b: 1 of 2 and 1; c: 0 of 0 and 1; d: 0 of 0 and 1
            "tool_calls:macro_precision": (1 + 1 + 0 + 0) / 4,
            "tool_calls:macro_recall": (1 + 1 / 2) / 2,
            "tool_calls:macro_f1": (1 + 2 / 3 + 0 + 0) / 4,
            "tool_calls:per_run_precision": (1 + 1 / 2 + 0) / 3,
            "tool_calls:per_run_recall": (1 + 1 / 2 + 1) / 3,
            "tool_calls:per_run_f1": (1 + 1 / 2 + 0) / 3,
        }
    )
    assert found["tool_calls:micro_f1"]["comment"] == (
        "3 matched of 4 expected and 5 made, in 3 runs; 1 could not be scored (the run crashed: down)"
    )


def test_nothing_to_count_is_no_zero() -> None:
    for result in results(summary.tool_call_totals(), (run(error="down"), example("1", "a"))).values():
        assert result["score"] is None
    assert results(summary.tool_confusion(), (run("a"), example("1")))["tool_confusion"]["score"] is None


def test_the_confusion_says_what_was_called_in_place_of_what() -> None:
    found = results(summary.tool_confusion(), *PAIRS)["tool_confusion"]
    assert found["score"] == 3 / 4
    assert found["extra"] == {"matrix": {"a": {"a": 2}, "b": {"b": 1, "c": 1}}, "unexpected": {"d": 1}}
    assert found["comment"] == (
        "the right tool for 3 of 4 expected calls, in 3 runs; 1 could not be scored (the run crashed: down)\n"
        "expected  called  times\nb         c       1\n(none)    d       1"
    )


@pytest.mark.parametrize(
    ("expected", "called", "matrix", "unexpected"),
    [
        pytest.param("abc", "xac", {"a": {"a": 1}, "b": {"(none)": 1}, "c": {"c": 1}}, {"x": 1}, id="an extra at another place"),
        pytest.param("abc", "axc", {"a": {"a": 1}, "b": {"x": 1}, "c": {"c": 1}}, {}, id="an extra at its place"),
        pytest.param("ab", "ba", {"a": {"a": 1}, "b": {"b": 1}}, {}, id="another order"),
        pytest.param("aa", "a", {"a": {"(none)": 1, "a": 1}}, {}, id="once too few"),
        pytest.param("ab", "xyz", {"a": {"x": 1}, "b": {"y": 1}}, {"z": 1}, id="all wrong"),
    ],
)
def test_a_call_stands_for_the_expected_call_at_its_place(expected: str, called: str, matrix: Any, unexpected: Any) -> None:
    found = results(summary.tool_confusion(), (run(*called), example("1", *expected)))["tool_confusion"]["extra"]
    assert found == {"matrix": matrix, "unexpected": unexpected}


CALLS = st.lists(st.sampled_from("abcd"), max_size=8)


@given(st.lists(st.tuples(CALLS, CALLS), min_size=1, max_size=5))
def test_the_confusion_sums_to_the_expected_calls_and_loses_no_call(cases: list[tuple[list[str], list[str]]]) -> None:
    found = results(summary.tool_confusion(), *[(run(*called), example("1", *expected)) for expected, called in cases])
    extra = found["tool_confusion"]["extra"]
    cells = [(called, count) for row in extra["matrix"].values() for called, count in row.items()]
    assert sum(count for _, count in cells) == sum(len(expected) for expected, _ in cases)
    made = sum(count for called, count in cells if called != "(none)") + sum(extra["unexpected"].values())
    assert made == sum(len(called) for _, called in cases)


REPEATED = [(run(*names), example(id)) for id, names in [("1", "a"), ("2", "b"), ("1", "a"), ("2", "a"), ("3", "a"), ("1", "b")]]


@pytest.mark.parametrize(
    ("built", "key", "score"),
    [
        # example 1: 2 of 3 succeed, 2: 1 of 2, 3: 1 of 1
        (summary.pass_hat(checks.called_tool("a"), 1), "pass_hat_1:called_tool:a", (2 / 3 + 1 / 2 + 1) / 3),
        (summary.pass_hat(checks.called_tool("a"), 2), "pass_hat_2:called_tool:a", (1 / 3 + 0) / 2),
        (summary.pass_at(checks.called_tool("a"), 2), "pass_at_2:called_tool:a", 1.0),
        (summary.pass_hat(checks.called_tool("a"), 4), "pass_hat_4:called_tool:a", None),
        (summary.mean_score(checks.called_tool("a")), "mean:called_tool:a", (2 / 3 + 1 / 2 + 1) / 3),
        (summary.unscored_rate(checks.called_tool("a")), "unscored:called_tool:a", 0.0),
    ],
)
def test_repetitions_are_grouped_by_example(built: summary.SummaryEvaluator, key: str, score: float | None) -> None:
    assert results(built, *REPEATED)[key]["score"] == (score if score is None else pytest.approx(score))
    assert built.__name__ == key


def test_examples_with_too_few_scored_runs_are_named() -> None:
    pairs = [*REPEATED, (run(error="down"), example("3"))]
    result = results(summary.pass_hat(checks.called_tool("a"), 2), *pairs)["pass_hat_2:called_tool:a"]
    assert result["comment"] == "pass^2 of 2 examples; 1 had fewer than 2 scored runs: 3"
    rate = results(summary.unscored_rate(checks.called_tool("a")), *pairs)["unscored:called_tool:a"]
    assert (rate["score"], rate["extra"]) == (1 / 7, {"ids": ["3"]})


def test_the_interval_is_over_examples_not_over_runs() -> None:
    once = [(run("a" if n else "b"), example(str(n))) for n in range(4)]
    one, many = (results(summary.mean_score(checks.called_tool("a")), *pairs)["mean:called_tool:a"] for pairs in (once, once * 10))
    assert one["extra"] == many["extra"] == {"mean": 0.75, "interval": pytest.approx([0.3006, 0.9544], abs=1e-4), "examples": 4}


class Judge(Evaluator):
    """Counts how often it is asked, as a judge would be paid."""

    asked = 0

    def _scored(self, run: Trajectory, reference: Any) -> Any:
        type(self).asked += 1
        return super()._scored(run, reference)

    async def ascore(self, run: Any, reference: Any = None) -> Any:
        return self.score(run, reference)


def always(run: Trajectory) -> Any:
    return 1.0, lambda: ("fine", {})


def examples(count: int) -> list[Example]:
    return [Example(id=uuid.uuid4(), inputs={"messages": [("user", "hi")]}) for _ in range(count)]


def judge_and_summaries() -> tuple[Evaluator, list[Any]]:
    Judge.asked = 0
    judge = summary.remembered(Judge("judge", always, {}))
    return judge, [summary.mean_score(judge), summary.pass_hat(judge, 2), summary.unscored_rate(judge)]


@pytest.mark.filterwarnings("ignore:'upload_.*' parameter is in beta")
def test_a_judge_is_asked_once_a_run_for_rows_and_summaries() -> None:
    judge, summaries = judge_and_summaries()
    options: dict[str, Any] = {"client": offline_client(), "upload_results": False, "num_repetitions": 2, "max_concurrency": 4}
    found = evaluate(
        lambda inputs: {"messages": [*inputs["messages"], ("ai", "hello")]},
        data=examples(3),
        evaluators=[judge],
        summary_evaluators=summaries,
        **options,
    )
    rows = list(found)
    assert [row["evaluation_results"]["results"][0].score for row in rows] == [1.0] * 6
    assert [(result.key, result.score) for result in found._summary_results["results"]] == [
        ("mean:judge", 1.0),
        ("pass_hat_2:judge", 1.0),
        ("unscored:judge", 0.0),
    ]
    assert Judge.asked == 6


@pytest.mark.filterwarnings("ignore:'upload_.*' parameter is in beta")
def test_so_it_is_under_aevaluate() -> None:
    judge, summaries = judge_and_summaries()

    async def target(inputs: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [*inputs["messages"], ("ai", "hello")]}

    async def all_rows() -> Sequence[Any]:
        options: dict[str, Any] = {"client": offline_client(), "upload_results": False}
        found = await aevaluate(target, data=examples(3), evaluators=[judge], summary_evaluators=summaries, **options)
        return [row async for row in found]

    rows = asyncio.run(all_rows())
    assert [row["evaluation_results"]["results"][0].comment for row in rows] == ["fine"] * 3
    assert Judge.asked == 3


def test_what_is_remembered_is_by_run_and_a_copy_begins_with_nothing() -> None:
    judge, _ = judge_and_summaries()
    one, other = (SimpleNamespace(id=n, outputs={"messages": [("ai", "x")]}, inputs={}, error=None, child_runs=[]) for n in (1, 2))
    for each in (one, one, other):
        assert judge(run=each)["score"] == 1.0
    assert Judge.asked == 2
    pickle.loads(pickle.dumps(judge))(run=one)
    assert Judge.asked == 3
    assert judge.score(Trajectory()).score == 1.0
    assert repr(judge) == "remembered(judge())" and judge.key == "judge" and isinstance(judge, RunEvaluator)


@pytest.mark.parametrize("built", [summary.mean_score, summary.unscored_rate, lambda judge: summary.pass_at(judge, 1)])
def test_a_judge_that_would_be_paid_twice_is_refused(built: Any) -> None:
    with pytest.raises(ValueError, match=r"must be remembered\(judge\)"):
        built(Judge("judge", always, {}))
    with pytest.raises(ValueError, match="must be a check or a scorer"):
        built(checks.called_tool)


@pytest.mark.parametrize("settings", [{"k": 0}, {"k": True}, {"k": 1, "at_least": 2}])
def test_settings_without_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        summary.pass_hat(scorers.tool_call_f1(), **settings)


def test_runs_and_examples_must_go_together() -> None:
    with pytest.raises(ValueError, match="found 1 runs and 0 examples"):
        summary.mean_score(checks.called_tool("a"))([run("a")], [])
    with pytest.raises(ValueError, match="expected an example with an id"):
        summary.mean_score(checks.called_tool("a"))([run("a")], [{}])
