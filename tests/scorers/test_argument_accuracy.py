from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import ToolInvocation, Trajectory
from toolcall_evals.expect import any_of, sequence
from toolcall_evals.scorers import argument_accuracy


def run(*calls: tuple[str, Any]) -> Trajectory:
    return Trajectory(invocations=tuple([ToolInvocation(name, args=args, status="success") for name, args in calls]))


def stated(*calls: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "args": args} for name, args in calls]


@pytest.mark.parametrize(
    ("expected", "calls", "args", "score"),
    [
        pytest.param([("s", {"x": 1})], [("s", {"x": 1})], "exact", 1.0, id="equal"),
        pytest.param([("s", {"x": 1, "y": 2})], [("s", {"x": 1, "y": 3})], "exact", 1 / 2, id="half"),
        pytest.param([("s", {"x": 1})], [("s", {"x": 1, "y": 3})], "exact", 1 / 2, id="one more counts"),
        pytest.param([("s", {"x": 1})], [("s", {"x": 1, "y": 3})], "superset", 1.0, id="one more, allowed"),
        pytest.param([("s", {"x": 1, "y": 2})], [("s", {"x": 1})], "subset", 1.0, id="one fewer, allowed"),
        pytest.param([("s", {"x": 1, "y": 2}), ("s", {"x": 1})], [("s", {"x": 1}), ("s", {"x": 1, "y": 1})], "exact", 3 / 4, id="optimal"),
        pytest.param([("s", {"f": {"x": 1, "y": 2}})], [("s", {"f": {"x": 1, "y": 0}})], "exact", 1 / 2, id="a nested share"),
        pytest.param([("s", {"x": [1, 2, 3, 4]})], [("s", {"x": [1, 2, 3]})], "exact", 3 / 4, id="a share of a list"),
        pytest.param([("s", {"x": 1}), ("t", {"x": 1})], [("s", {"x": 1})], "exact", 1.0, id="calls not made are left out"),
        pytest.param([("s", {"x": "1"})], [("s", {"x": 1})], "loose", 1.0, id="loose"),
        pytest.param([("s", {})], [("s", {})], "exact", 1.0, id="no arguments"),
    ],
)
def test_the_score_is_the_mean_share_of_right_arguments(expected: Any, calls: Any, args: str, score: float) -> None:
    assert argument_accuracy(stated(*expected), args).score(run(*calls)).score == pytest.approx(score)


def test_without_a_pair_there_is_nothing_to_judge() -> None:
    score = argument_accuracy(stated(("s", {"x": 1}))).score(run(("t", {})))
    assert (score.score, score.status) == (None, "not_applicable")
    assert score.comment == "none of the expected tools (s) was called"


def test_the_comment_names_the_wrong_arguments() -> None:
    score = argument_accuracy(stated(("pay", {"to": "bob", "amount": 5}))).score(run(("pay", {"to": "eve", "amount": 5})))
    assert score.comment == "all arguments right in 0 of 1 paired call; wrong arguments: pay with to='eve' where 'bob' was expected"
    assert score.details["pairs"] == [{"call": "pay", "index": 0, "score": 0.5}]


def test_the_alternative_that_goes_best_with_the_run_is_judged() -> None:
    expected = any_of(sequence(*stated(("a", {"x": 1}))), sequence(*stated(("b", {"x": 1}))))
    assert argument_accuracy(expected).score(run(("b", {"x": 1}))).score == 1.0


ARGS = st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2), max_size=3)
CALLS = st.lists(st.tuples(st.sampled_from("ab"), ARGS), min_size=1, max_size=5)


@given(CALLS, CALLS, st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(expected: Any, calls: Any, draw: Any) -> None:
    score = argument_accuracy(stated(*expected)).score(run(*calls)).score
    turned = argument_accuracy(stated(*draw.sample(expected, len(expected)))).score(run(*draw.sample(calls, len(calls)))).score
    assert score == pytest.approx(turned, abs=1e-5)
