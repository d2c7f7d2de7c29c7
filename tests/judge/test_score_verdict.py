from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import ToolInvocation, Trajectory
from toolcall_evals.judge import Evaluation, Verdict, score_verdict

GRADES = ["appropriate", "partial", "inappropriate"]


def run(*names: str) -> Trajectory:
    return Trajectory(invocations=tuple(ToolInvocation(name) for name in names))


def verdict(*given: tuple[int | None, str, str], missing: tuple[str, ...] = (), right: bool | None = None) -> Verdict:
    evaluations: list[Any] = [{"call": number, "tool_called": name, "verdict": grade} for number, name, grade in given]
    return Verdict.model_validate({"evaluations": evaluations, "missing_tools": missing, "no_call_was_right": right})


@pytest.mark.parametrize(
    ("calls", "given", "graded", "binary"),
    [
        pytest.param("a", verdict((1, "a", "appropriate")), 1.0, 1.0, id="right"),
        pytest.param("a", verdict((1, "a", "partial")), 0.5, 0.0, id="less suitable"),
        pytest.param("a b", verdict((1, "a", "appropriate"), (2, "b", "inappropriate")), 0.5, 0.5, id="half of them"),
        pytest.param("a", verdict((1, "a", "appropriate"), missing=("b",)), 0.5, 0.5, id="a missing tool"),
        pytest.param("a", verdict((1, "a", "appropriate"), missing=("b", "b")), 0.5, 0.5, id="missing twice is once"),
        pytest.param("a a", verdict((None, "a", "partial"), (None, "a", "appropriate")), 0.75, 0.5, id="joined by name"),
        pytest.param("a b", verdict((2, "b", "appropriate")), 0.5, 0.5, id="a call without verdict"),
        pytest.param("a", verdict((1, "a", "appropriate"), (2, "b", "appropriate")), 1.0, 1.0, id="a verdict without call"),
        pytest.param("a", verdict((1, "a", "partial"), (1, "a", "appropriate")), 0.5, 0.0, id="the first of two"),
        pytest.param("a a", verdict((None, "a", "partial"), (1, "a", "appropriate")), 0.75, 0.5, id="numbers before names"),
        pytest.param("", verdict(right=True), 1.0, 1.0, id="no call, right"),
        pytest.param("", verdict(right=False), 0.0, 0.0, id="no call, wrong"),
        pytest.param("", verdict(), 1.0, 1.0, id="no call, nothing missing"),
        pytest.param("", verdict(missing=("a",)), 0.0, 0.0, id="no call, a tool missing"),
        pytest.param("", verdict((None, "a", "partial")), 0.5, 0.0, id="no call, yet verdicts"),
    ],
)
def test_the_arithmetic(calls: str, given: Verdict, graded: float, binary: float) -> None:
    assert (score_verdict(given, run(*calls.split())), score_verdict(given, run(*calls.split()), grading="binary")) == (graded, binary)


def test_missing_tools_may_be_ignored() -> None:
    assert score_verdict(verdict((1, "a", "appropriate"), missing=("b",)), run("a"), missing="ignore") == 1.0


@pytest.mark.parametrize("settings", [{"grading": "kind"}, {"missing": "maybe"}])
def test_unknown_words_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be one of"):
        score_verdict(verdict(), run(), **settings)


@pytest.mark.parametrize(
    "bad", [{}, {"verdict": "great"}, {"call": 0, "verdict": "partial"}, {"verdict": "appropriate", "was_appropriate": False}]
)
def test_an_evaluation_that_says_nothing_or_contradicts_itself_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Evaluation.model_validate({"tool_called": "a", **bad})


entries = st.tuples(st.none() | st.integers(1, 5), st.sampled_from("abc"), st.sampled_from(GRADES))


@given(st.lists(st.sampled_from("abc"), max_size=4), st.lists(entries, max_size=6), st.lists(st.sampled_from("abc"), max_size=3))
def test_scores_lie_in_0_to_1_and_a_missing_tool_never_raises_one(calls: list[str], given: list[Any], missed: list[str]) -> None:
    with_missing = score_verdict(verdict(*given, missing=tuple(missed)), run(*calls))
    assert 0.0 <= with_missing <= score_verdict(verdict(*given), run(*calls)) <= 1.0
