from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory, checks, expect


def run(*calls: str | ToolInvocation, **fields: Any) -> Trajectory:
    made = [ToolInvocation(name=call, args={}, status="success") if isinstance(call, str) else call for call in calls]
    return Trajectory(invocations=tuple(made), **fields)


@pytest.mark.parametrize(
    ("expectation", "calls", "passes"),
    [
        pytest.param(["a", "b"], "a b", True, id="the calls"),
        pytest.param(["a", "b"], "a x b", True, id="others in between"),
        pytest.param(["a", "b"], "b a", False, id="another order"),
        pytest.param(["a", "b"], "a", False, id="one missing"),
        pytest.param(expect.sequence("a", expect.parallel("b", "c"), "d"), "a c b d", True, id="a parallel group"),
        pytest.param(expect.sequence("a", expect.parallel("b", "c"), "d"), "a b d c", False, id="a parallel group left too late"),
        pytest.param(expect.sequence("a", expect.optional("b")), "a", True, id="an optional call"),
        pytest.param(expect.sequence("a", expect.never("c")), "a c", False, id="a forbidden call"),
        pytest.param(expect.never("c"), "a b", True, id="a statement alone says nothing of other calls"),
        pytest.param(expect.before("a", "b"), "b a", False, id="before"),
        pytest.param(expect.at_most(1, "a"), "a a", False, id="at most"),
        pytest.param(expect.any_of(["a"], ["b", "c"]), "b c", True, id="any of several ways"),
        pytest.param(expect.nothing(), "a", False, id="nothing"),
        pytest.param([], "a", False, id="an empty list expects no call"),
        pytest.param([], "", True, id="nothing expected, nothing called"),
        pytest.param({"type": "sequence", "parts": [{"name": "a"}]}, "a", True, id="plain data"),
    ],
)
def test_a_run_goes_as_its_expectation_says(expectation: Any, calls: str, passes: bool) -> None:
    assert checks.follows(expectation).score(run(*calls.split())).score == passes


def test_extras_may_be_refused() -> None:
    score = checks.follows(["a"], extras=False).score(run("a", "x"))
    assert (score.score, score.comment) == (0.0, "unexpected x(); 1 of 1 expected call matched")
    assert checks.follows(["a"], extras=False).score(run("a")).score == 1.0


def test_the_comment_shows_argument_and_path() -> None:
    made = run(ToolInvocation("book", {"to": {"city": "Oslo"}}, status="success"))
    score = checks.follows([{"name": "book", "args": {"to": {"city": "Rome"}}}]).score(made)
    assert score.comment == "wrong arguments: book with to.city='Oslo' where 'Rome' was expected; 0 of 1 expected call matched"
    assert score.details["diff"]["wrong_arguments"][0]["path"] == "to.city"


@pytest.mark.parametrize(
    ("reference", "score"),
    [
        pytest.param({"expect": expect.to_json(expect.never("b"))}, 0.0, id="expect"),
        pytest.param({"tool_calls": [{"name": "a"}, {"name": "b"}]}, 1.0, id="tool_calls"),
        pytest.param({"tool_calls": []}, 0.0, id="no call"),
        pytest.param({"messages": [{"role": "assistant", "content": "hi"}]}, 0.0, id="a reference run without calls"),
        pytest.param({"expect": {"type": "nonsense"}}, None, id="unreadable"),
        pytest.param({"expected_tool": "a"}, None, id="another key"),
        pytest.param(None, None, id="none"),
    ],
)
def test_the_expectation_may_come_per_example(reference: Any, score: float | None) -> None:
    assert checks.follows().score(run("a", "b"), reference).score == score


def test_bad_expectations_are_refused_when_built() -> None:
    with pytest.raises(SettingError, match="before takes two different calls"):
        checks.follows({"type": "before", "earlier": "a", "later": "a"})
    with pytest.raises(SettingError, match=r"expectation\[1\]"):
        checks.follows(["a", 3])
    with pytest.raises(SettingError, match="extras must be True or False"):
        checks.follows(["a"], extras="no")  # type: ignore[arg-type]  # what is refused
