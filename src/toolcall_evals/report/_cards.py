"""The runs worth a look, each with its failed checks and its timeline, and what they can be filtered by."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from .._json import json_ready
from .._model import ToolInvocation, Trajectory
from . import _charts as charts
from ._detail import DETAILS, MOST_BYTES, Detail, weight_of
from ._facts import Failure, RunFacts, seconds_of
from ._overview import MOST_NAME
from ._shown import MOST_TEXT, duration, plain

MOST_CARDS = 300
MOST_CHOICES = 200
"""Choices of a filter: the most frequent."""

DIFF_NAMES = {
    "broken": "rule broken",
    "missing": "missing",
    "differs": "wrong arguments",
    "moved": "out of order",
    "unexpected": "unexpected",
}
BELOW, COULD_NOT = "below 1", "could not be scored"


def cards(runs: Sequence[RunFacts], read: Mapping[tuple[str, int], Trajectory]) -> list[dict[str, Any]]:
    """Runs worth a look, each with its timeline where it could be read again, and shortened where the page would be too large."""
    shown: list[dict[str, Any]] = []
    left = MOST_BYTES
    for number, facts in enumerate(runs[:MOST_CARDS], 1):
        room = left // (min(len(runs), MOST_CARDS) - len(shown))
        for detail in DETAILS:
            card = _card(number, facts, read.get((facts.source, facts.row)), detail)
            weight = weight_of(card)
            if weight <= room:
                break
        left = max(left - weight, 0)
        shown.append(card)
    return shown


def choices(shown: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """What runs can be filtered by: for each filter, its choices, each with the number that stands for it."""
    return {name: _numbered([value for card in shown for value in card["facts"][name]]) for name in ("key", "status", "tool", "source")}


def tags(card: Mapping[str, Any], numbers: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    """A run's choices as the numbers that stand for them."""
    return {name: " ".join([str(known[value]) for value in card["facts"][name] if value in known]) for name, known in numbers.items()}


def rows_of(runs: Sequence[RunFacts], shown: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Runs as rows of a short table; `number` is that of the card."""
    numbers = {(card["source"], card["row"]): card["number"] for card in shown}
    most_calls, most_seconds = max([facts.calls for facts in runs], default=0), max([facts.seconds or 0 for facts in runs], default=0)
    return [
        {
            "id": plain(facts.id, MOST_NAME),
            "number": numbers.get((plain(facts.source, 300), facts.row)),
            "calls": f"{facts.calls:,} call{'' if facts.calls == 1 else 's'}",
            "seconds": duration(facts.seconds),
            "calls_bar": _bar(facts.calls, most_calls),
            "seconds_bar": _bar(facts.seconds or 0, most_seconds),
        }
        for facts in runs
    ]


def _card(number: int, facts: RunFacts, run: Trajectory | None, detail: Detail) -> dict[str, Any]:
    calls = () if run is None else run.invocations
    shown = [(place, call) for place, call in enumerate(calls, 1)]
    left_out, first = max(len(shown) - detail.calls, 0), detail.calls // 2
    if left_out:
        shown = [*shown[:first], *shown[len(shown) - (detail.calls - first) :]]
    room = max(60, min(600, detail.room // (2 * max(len(shown), 1))))
    most = min(MOST_TEXT, detail.text)
    statuses = sorted({call.status for call in calls})
    outcomes = sorted({COULD_NOT if failure.score is None else BELOW for failure in facts.failed})
    source = plain(facts.source, 300)
    return {
        "number": number,
        "id": plain(facts.id, MOST_NAME),
        "source": source,
        "row": facts.row,
        "request": plain(facts.request.strip(), most),
        "calls": facts.calls,
        "errors": facts.errors,
        "seconds": None if facts.seconds is None else duration(facts.seconds),
        "failed": _failures(facts.failed, detail),
        "more_failed": max(0, len(facts.failed) - detail.failures),
        "timeline": [_call(place, call, room, detail.args) for place, call in shown],
        "gap_after": first if left_out else 0,
        "left_out": left_out,
        "answer": "" if run is None else plain(run.final_text.strip(), most),
        "crashed": "" if run is None else plain(run.error or "", most),
        "notes": [] if run is None else [plain(warning, min(300, most)) for warning in run.warnings[:3]],
        "no_record": run is not None and not run.has_call_record,
        "unread": run is None,
        "shortened": detail != DETAILS[0],
        "facts": {
            "key": list(dict.fromkeys([plain(failure.key, MOST_NAME) for failure in facts.failed])),
            "status": [*[f"score: {outcome}" for outcome in outcomes], *[f"call: {status}" for status in statuses]],
            "tool": list(dict.fromkeys([plain(tool, MOST_NAME) for tool in facts.tools])),
            "source": [source],
        },
    }


def _failures(failures: Sequence[Failure], detail: Detail) -> list[dict[str, Any]]:
    """What failed; a difference that several evaluators find is shown once."""
    shown: dict[tuple[tuple[str, str], ...], str] = {}
    found = []
    for failure in failures[: detail.failures]:
        key = plain(failure.key, MOST_NAME)
        same = shown.setdefault(failure.diff, key) if failure.diff else key
        found.append(
            {
                "key": key,
                "score": COULD_NOT if failure.score is None else f"{failure.score:.3g}",
                "unscored": failure.score is None,
                "comment": plain(failure.comment, detail.text),
                "diff": []
                if same != key
                else [
                    (kind, DIFF_NAMES.get(kind, kind), plain(text, min(300, detail.text))) for kind, text in failure.diff[: detail.lines]
                ],
                "same": same if same != key else "",
            }
        )
    return found


def _call(number: int, call: ToolInvocation, room: int, most_args: int) -> dict[str, Any]:
    args = [] if call.args is None else _arguments(call.args, room, most_args)
    return {
        "number": number,
        "name": plain(call.name or "(no name)", MOST_NAME),
        "args": args,
        "more_args": len(call.args or ()) - len(args),
        "raw": plain(call.raw_args or "", room) if call.args is None else "",
        "status": call.status,
        "kind": call.kind if call.kind != "tool" else "",
        "agent": plain(call.agent or "", 80),
        "attempts": call.attempts,
        "seconds": duration(seconds) if (seconds := seconds_of(call.duration_s)) is not None else None,
        "told": plain(call.error or call.result or "", room),
        "is_error": bool(call.error),
    }


def _arguments(args: Mapping[str, Any], room: int, most: int) -> list[tuple[str, str]]:
    """Arguments with their values as JSON, as many as there is room for."""
    shown: list[tuple[str, str]] = []
    left = 2 * room
    for name, value in args.items():
        if left <= 0 or len(shown) == most:
            break
        value = value[: 2 * room] if issubclass(type(value), str) else value
        shown.append((plain(name, 80), plain(json.dumps(json_ready(value), ensure_ascii=False), min(room, left))))
        left -= sum(map(len, shown[-1]))
    return shown


def _bar(part: float, most: float) -> Markup:
    """A bar for a part of the most; the number stands beside it."""
    shown = round(1000 * part / most) if most else 0
    return Markup(charts.bar([("part", shown), ("rest", 1000 - shown)], "", width=300, height=4))


def _numbered(values: Iterable[str]) -> dict[str, int]:
    frequent = [value for value, _ in Counter(sorted(values)).most_common(MOST_CHOICES)]
    return {value: number for number, value in enumerate(sorted(frequent))}
