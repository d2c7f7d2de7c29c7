"""One run as a short numbered timeline: what a person reads when a check failed."""

from __future__ import annotations

import json

from . import _table as table
from ._json import json_ready
from ._model import ToolInvocation, Trajectory

SHOWN = 30
"""Calls that are shown; of a longer run the first and the last ones."""

WARNINGS_SHOWN = 3
VALUE_LENGTH = 300

COLOURS = {"success": "32", "error": "31", "invalid": "31", "rejected": "33", "pending": "33", "hallucinated": "35"}


def timeline(run: Trajectory, width: int = 100, *, colour: bool = False) -> str:
    """
    A run as text: the request, each call with arguments, status, agent and result, the answer, and what the record cannot show.

    Args:
        width: Columns that a line may take.
        colour: Whether statuses are coloured with terminal codes.
    """
    lines = [_line("user", run.input, width)] if run.input else []
    calls = list(enumerate(run.invocations, 1))
    cut = len(calls) - SHOWN
    if cut > 0:
        calls = [*calls[: SHOWN // 2], *calls[-(SHOWN - SHOWN // 2) :]]
    for place, (number, call) in enumerate(calls):
        if cut > 0 and place == SHOWN // 2:
            lines.append(f"  ... {cut} calls left out ...")
        lines += _call(number, call, width, colour)
    if not run.invocations:
        lines.append("  (no tool call)" if run.has_call_record else "  (this record could not have shown tool calls)")
    if run.final_text:
        lines.append(_line("answer", run.final_text, width))
    if run.error:
        lines.append(_line("crashed", run.error, width))
    return "\n".join([*lines, *[_line("note", warning, width) for warning in run.warnings[:WARNINGS_SHOWN]]])


def _line(label: str, text: str, width: int) -> str:
    return table.cut(f"  {label}: {table.one_line(text)}", width)


def _call(number: int, call: ToolInvocation, width: int, colour: bool) -> list[str]:
    facts: list[str] = [call.status]
    facts += [f"{call.attempts} attempts"] if call.attempts > 1 else []
    facts += [call.kind] if call.kind != "tool" else []
    facts += [f"by {table.cut(table.one_line(call.agent), 40)}"] if call.agent else []
    end = f"  [{', '.join(facts)}]"
    begin = f"  {number}. {table.cut(table.one_line(call.name), 60) or '(no name)'}"
    head = table.cut(f"{begin}({_asked(call)})", max(width - table.width_of(end), table.width_of(begin) + 10))
    if colour:
        end = f"\x1b[{COLOURS[call.status]}m{end}\x1b[0m"
    told = call.error or call.result
    return [head + end, *([table.cut(f"     -> {table.one_line(told)}", width)] if told else [])]


def _asked(call: ToolInvocation) -> str:
    if call.args is None:
        return table.one_line(call.raw_args or "")
    values = {name: json.dumps(json_ready(value), ensure_ascii=False)[:VALUE_LENGTH] for name, value in call.args.items()}
    return table.one_line(", ".join([f"{name}={value}" for name, value in values.items()]))
