from __future__ import annotations

import pickle

import pytest
from examples.own_check import fast_enough

from toolcall_evals import ToolInvocation, Trajectory


def run(*durations: float | None) -> Trajectory:
    calls = [ToolInvocation("search", {}, status="success", duration_s=each) for each in durations]
    return Trajectory(invocations=tuple(calls))


@pytest.mark.parametrize(
    ("durations", "score", "status"),
    [
        ((0.5, 1.0), 1.0, "scored"),
        ((0.5, 3.0), 0.0, "scored"),
        ((None,), None, "could_not_score"),
        ((), None, "not_applicable"),
    ],
)
def test_calls_are_held_against_the_limit(
    durations: tuple[float | None, ...],
    score: float | None,
    status: str,
) -> None:
    found = pickle.loads(pickle.dumps(fast_enough(2))).score(run(*durations))
    assert (found.key, found.score, found.status) == ("fast_enough:2", score, status)


def test_the_comment_names_the_slowest_call() -> None:
    assert fast_enough(2).score(run(2.5, 3.0)).comment == "search took 3 s, more than 2"


@pytest.mark.parametrize("seconds", [0, -1, True, "2", float("nan")])
def test_a_limit_that_makes_no_sense_is_refused(seconds: object) -> None:
    with pytest.raises(ValueError, match="seconds must be a number above 0"):
        fast_enough(seconds)  # type: ignore[arg-type]  # what a user may pass all the same
