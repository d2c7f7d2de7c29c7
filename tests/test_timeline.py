"""A run as a short text."""

from __future__ import annotations

import pytest

from toolcall_evals import ToolInvocation, Trajectory
from toolcall_evals._table import width_of
from toolcall_evals._timeline import timeline

RUN = Trajectory(
    input="Is it\nraining?",
    invocations=(
        ToolInvocation("get_weather", {"city": "Köln", "days": [1, 2]}, status="success", result="14 °C\nrain", agent="weather"),
        ToolInvocation("book", raw_args='{"cit', status="invalid", attempts=2),
        ToolInvocation("transfer", {}, kind="handoff", status="success"),
        ToolInvocation("", None, status="error", error="boom \x1b[31m"),
    ),
    texts=("Let me see.", "Yes."),
    error="ValueError: no",
    warnings=("older messages are gone",),
)
SHOWN = """\
  user: Is it raining?
  1. get_weather(city="Köln", days=[1, 2])  [success, by weather]
     -> 14 °C rain
  2. book({"cit)  [invalid, 2 attempts]
  3. transfer()  [success, handoff]
  4. (no name)()  [error]
     -> boom ?[31m
  answer: Yes.
  crashed: ValueError: no
  note: older messages are gone"""


def test_a_run_is_shown_call_by_call() -> None:
    assert timeline(RUN) == SHOWN


def test_statuses_are_coloured_where_asked_and_nothing_else_is() -> None:
    coloured = timeline(RUN, colour=True)
    assert '\x1b[32m  [success, by weather]\x1b[0m\n' in coloured
    assert coloured.count("\x1b[") == 8


@pytest.mark.parametrize(
    ("run", "said"),
    [(Trajectory(), "  (no tool call)"), (Trajectory(has_call_record=False), "  (this record could not have shown tool calls)")],
)
def test_a_run_without_calls_says_whether_it_could_have_shown_any(run: Trajectory, said: str) -> None:
    assert timeline(run) == said


def test_a_long_run_is_cut_in_the_middle_and_long_lines_at_the_end() -> None:
    calls = tuple(ToolInvocation(f"tool{n}", {"text": "x" * 10_000}, status="success", result="y" * 10_000) for n in range(1, 101))
    lines = timeline(Trajectory(input="z" * 10_000, invocations=calls), 80).splitlines()
    assert len(lines) == 1 + 2 * 30 + 1
    assert max(map(width_of, lines)) <= 80
    assert lines[31] == "  ... 70 calls left out ..."
    assert lines[1].startswith("  1. tool1(") and lines[1].endswith("…  [success]")
    assert lines[-2].startswith("  100. tool100(")
