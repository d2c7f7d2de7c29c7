"""How often a repeated body succeeds, and whether that is enough."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals._repeat import Outcome, repeat, settings_of
from toolcall_evals.testing import NotScoredError, _fail, soft


def outcome(pattern: str, **settings: Any) -> Outcome:
    """Runs a body that comes to what each letter says: s succeeds, f fails, u could not be scored, c crashes."""
    errors = {"f": AssertionError("wrong"), "u": NotScoredError("no record"), "c": ConnectionError("down")}
    left = list(pattern)

    def body() -> None:
        if (letter := left.pop(0)) in errors:
            raise errors[letter]

    return repeat(body, lambda: None, settings_of((), {"n": len(pattern), **settings}))


@pytest.mark.parametrize(
    ("pattern", "settings", "passed"),
    [
        ("fffs", {}, True),
        ("ffff", {}, False),
        ("ffss", {"pass_at": 2}, True),
        ("fsss", {"pass_hat": 3}, False),
        ("fsss", {"pass_hat": 1}, False),
        ("ssss", {"pass_hat": 1}, True),
        # pass^3 of 4 in 5 is 4/10
        ("fssss", {"pass_hat": 3, "at_least": 0.4}, True),
        ("fssss", {"pass_hat": 3, "at_least": 0.41}, False),
        ("ffff", {"pass_hat": 2, "at_least": 0}, True),
        ("ffss", {"pass_hat": 3}, False),
        ("ssss", {"pass_hat": 4}, True),
        # pass^2 of 3 in 4 is 3/6, pass@2 is 6/6; pass@1 is 3/4
        ("fsss", {"pass_hat": 2, "at_least": 0.5}, True),
        ("fsss", {"pass_hat": 2, "at_least": 0.51}, False),
        ("fsss", {"pass_at": 2, "at_least": 1}, True),
        ("fsss", {"pass_at": 1, "at_least": 0.75}, True),
        ("fsss", {"pass_at": 1, "at_least": 0.76}, False),
        ("uuus", {"pass_at": 1}, True),
        ("uuuu", {"pass_at": 1}, False),
        ("uuss", {"pass_hat": 2}, False),
        ("uuus", {"pass_hat": 2}, False),
        ("uuss", {"pass_hat": 3}, False),
        ("ccss", {"pass_hat": 2}, False),
        ("cccc", {}, False),
    ],
)
def test_enough_runs_must_succeed(pattern: str, settings: dict[str, Any], passed: bool) -> None:
    assert outcome(pattern, **settings).passed is passed


def test_the_outcome_says_how_sure_it_is() -> None:
    assert str(outcome("fsssu", pass_hat=2)) == (
        "3 of 4 succeeded, pass@2 1.00, pass^2 0.50, 95 % interval 0.30 to 0.95, 1 could not be scored"
    )
    assert (
        outcome("usu", pass_hat=2)
        .failure_text()
        .startswith("could not score: 1 of 3 runs were scored, 2 are needed\n--- run 1: no record\n--- run 3: no record")
    )


HALF = "1 of 2 succeeded, pass@1 0.50, pass^1 0.50, 95 % interval 0.09 to 0.91"


@pytest.mark.parametrize(
    ("pattern", "settings", "missed"),
    [
        ("fs", {"pass_hat": 1}, f"{HALF}; every run was expected to succeed (at_least= asks for less)"),
        ("fu", {}, "0 of 1 succeeded, pass@1 0.00, pass^1 0.00, 95 % interval 0.00 to 0.79, 1 could not be scored; a success was expected"),
        ("fs", {"at_least": 0.9}, f"{HALF}; pass@1 at least 0.9 was expected"),
    ],
)
def test_the_failure_says_what_was_missed(pattern: str, settings: dict[str, Any], missed: str) -> None:
    assert outcome(pattern, **settings).failure_text().splitlines()[0] == missed


def test_the_failure_shows_some_texts_and_where_a_crash_was() -> None:
    lines = outcome("cffff", pass_at=1, at_least=0.9).failure_text().splitlines()
    assert lines[0].endswith("; pass@1 at least 0.9 was expected")
    assert lines[1:] == ["--- run 2: wrong", "--- run 3: wrong", "--- run 4: wrong", "--- and 2 more"]
    (crash,) = outcome("cs").unscored
    assert crash.startswith("run 1: ConnectionError: down (test_repeat.py:")


def test_what_prepares_a_run_is_no_part_of_it() -> None:
    def broken() -> None:
        raise AssertionError("a fixture")

    with pytest.raises(AssertionError, match="a fixture"):
        repeat(lambda: None, broken, settings_of((), {"n": 2}))


@pytest.mark.parametrize(
    ("args", "kwargs", "problem"),
    [
        ((), {}, "n must be a whole number of at least 1, got None"),
        ((0,), {}, "n must be"),
        ((), {"n": True}, "n must be"),
        ((3,), {"n": 3}, "repeat_agent must be given n, pass_at or pass_hat, and at_least"),
        ((3, 1), {}, "repeat_agent must be"),
        ((3,), {"pass_k": 1}, r"got \['pass_k'\]"),
        ((3,), {"pass_at": 1, "pass_hat": 1}, "pass_at or pass_hat, not both"),
        ((3,), {"pass_at": 4}, "pass_at must be at most n=3, got 4"),
        ((3,), {"pass_hat": 0}, "pass_hat must be a whole number of at least 1"),
        ((3,), {"at_least": 80}, "at_least must be a number between 0 and 1"),
    ],
)
def test_settings_without_sense_are_refused(args: Any, kwargs: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        settings_of(args, kwargs)


def raising(error: BaseException) -> Outcome:
    def body() -> None:
        raise error

    return repeat(body, lambda: None, settings_of((), {"n": 1}))


def noted(error: Exception, *failures: AssertionError) -> Exception:
    """The error that ended a soft block which had collected these."""
    with pytest.raises(type(error)) as raised, soft():
        for failure in failures:
            _fail(failure)
        raise error
    return raised.value


@pytest.mark.parametrize(
    ("error", "failed"),
    [
        pytest.param(ExceptionGroup("both", [AssertionError("a"), AssertionError("b")]), True, id="a group of failures"),
        pytest.param(ExceptionGroup("all", [ExceptionGroup("some", [AssertionError("b")])]), True, id="a group within a group"),
        pytest.param(ExceptionGroup("both", [AssertionError("a"), ValueError("b")]), False, id="a group with a crash"),
        pytest.param(ExceptionGroup("both", [AssertionError("a"), NotScoredError("b")]), False, id="a group with what is not scored"),
        pytest.param(noted(KeyError("b"), AssertionError("a")), True, id="a crash after a failed check"),
        pytest.param(noted(KeyError("b"), NotScoredError("a")), False, id="a crash after what is not scored"),
        pytest.param(KeyError("b"), False, id="a crash"),
    ],
)
def test_a_failed_check_counts_whatever_it_comes_with(error: Exception, failed: bool) -> None:
    found = raising(error)
    assert (len(found.failures), len(found.unscored)) == ((1, 0) if failed else (0, 1))
    assert "b" in found.failure_text() and ("a" in found.failure_text()) is True


class Unspoken(Exception):
    def __str__(self) -> str:
        raise ValueError


def test_the_text_of_a_run_is_fit_for_a_terminal() -> None:
    found = raising(ValueError("\x1b]0;title\x07 \x1b[31mred\x1b[0m \x00\r" + "x" * 5_000 + "\n" + "line\n" * 500)).failure_text()
    assert "?]0;title? \x1b[31mred\x1b[0m ??xxx" in found
    assert "... and 302 more lines" in found and len(found) < 10_000
    assert "it cannot be shown" in raising(Unspoken()).failure_text()
