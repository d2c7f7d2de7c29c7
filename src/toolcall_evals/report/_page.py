"""What the report's page shows, as plain values: everything of a trace is text here, bounded and without control characters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from .._json import json_ready
from .._model import ToolInvocation, Trajectory
from .._tally import Tally
from ..gates import GateReport
from . import _charts as charts
from ._survey import MOST_CALLS, OTHERS, RunFacts, Survey

CALLS_SHOWN = 40
TEXT_SHOWN = 600
TOOLS_SHOWN = 60
CELLS_SHOWN = 24

_BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x61C])
"""Characters that turn the direction of what follows them."""


def plain(value: Any, most: int = TEXT_SHOWN) -> str:
    """A text of a trace, as a page can show it: bounded, printable, in the order in which it is written."""
    text = value if isinstance(value, str) else str(value)
    text = text[: most + 1].encode("utf-8", "replace").decode("utf-8").translate(_BIDI)
    text = "".join([letter if letter.isprintable() or letter in "\n\t" else "\N{REPLACEMENT CHARACTER}" for letter in text])
    return text if len(text) <= most else f"{text[:most]} …"


def key_rows(tallies: Sequence[Tally], gate: GateReport | None) -> list[dict[str, Any]]:
    """A row for each evaluator."""
    rules = {} if gate is None else {key.key: key for key in gate.keys}
    rows = []
    for tally in tallies:
        rule, bounds, mean = rules.get(tally.key), tally.interval, tally.mean
        said = f"{tally.scored} scores, mean {'unknown' if mean is None else f'{mean:.3f}'}, {tally.zeros} are 0 and {tally.ones} are 1"
        rows.append(
            {
                "key": plain(tally.key, 120),
                "rule": rule.rule if rule else "",
                "held": rule.held if rule and rule.rule else None,
                "reasons": [plain(reason) for reason in rule.reasons] if rule else [],
                "mean": "–" if mean is None else f"{mean:.3f}",
                "bounds": "–" if bounds is None else f"{bounds[0]:.2f} to {bounds[1]:.2f}",
                "interval": Markup(charts.interval(mean, bounds, f"mean and 95 % interval of {plain(tally.key, 120)}")),
                "bins": Markup(charts.histogram(tally.bins, f"{plain(tally.key, 120)}: {said}, in twentieths from 0 to 1")),
                "ones": tally.ones,
                "scored": tally.scored,
                "unscored": tally.unscored,
                "absent": tally.not_applicable,
            }
        )
    return rows


def tool_rows(survey: Survey) -> list[dict[str, Any]]:
    """A row for each tool, the most used first."""
    rows = []
    for name, facts in sorted(survey.tools.items(), key=lambda item: (item[0] == OTHERS, -item[1].calls))[:TOOLS_SHOWN]:
        failed = facts.statuses["error"] + facts.statuses["invalid"]
        rows.append(
            {
                "name": plain(name, 120),
                "calls": facts.calls,
                "failed": failed,
                "failed_share": _share(failed, facts.calls),
                "retried": facts.retried,
                "retried_share": _share(facts.retried, facts.calls),
                "others": ", ".join(f"{count} {status}" for status, count in facts.statuses.most_common() if status not in ("success",)),
                "mean": f"{facts.seconds / facts.timed:.2f} s" if facts.timed else "–",
                "longest": f"{facts.longest_s:.2f} s" if facts.timed else "–",
            }
        )
    return rows


def confusion(survey: Survey) -> dict[str, Any] | None:
    """The confusion of expected and called tools as a table, or None where no reference stated calls."""
    if not survey.cells and not survey.unexpected:
        return None
    wanted = _most_common([(pair[0], count) for pair, count in survey.cells.items()])
    called = _most_common([(pair[1], count) for pair, count in survey.cells.items()])
    most = max(survey.cells.values(), default=1)
    rows = [
        {
            "name": plain(each, 80),
            "cells": [
                {"count": count, "right": each == other, "level": min(4, 1 + 4 * (count - 1) // most) if count else 0}
                for other in called
                if (count := survey.cells.get((each, other), 0)) >= 0
            ],
        }
        for each in wanted
    ]
    return {
        "called": [plain(name, 80) for name in called],
        "rows": rows,
        "unexpected": [(plain(name, 80), count) for name, count in survey.unexpected.most_common(CELLS_SHOWN)],
    }


def calls_per_run(survey: Survey) -> Markup:
    """The histogram of calls per run."""
    last = max(survey.per_run, default=0)
    counts = [survey.per_run.get(number, 0) for number in range(last + 1)]
    more = " or more" if last == MOST_CALLS else ""
    return Markup(charts.histogram(counts, f"calls per run, from 0 to {last}{more}: {counts}", 360, 60))


def run_cards(runs: Sequence[RunFacts], read: Mapping[tuple[str, int], Trajectory], most: int) -> list[dict[str, Any]]:
    """Runs worth a look, each with its timeline where it could be read again."""
    return [_card(facts, read.get((facts.source, facts.row))) for facts in runs[:most]]


def _card(facts: RunFacts, run: Trajectory | None) -> dict[str, Any]:
    calls = [] if run is None else [_call(number, call) for number, call in enumerate(run.invocations[:CALLS_SHOWN], 1)]
    statuses = sorted({call["status"] for call in calls})
    return {
        "id": plain(facts.id, 120),
        "place": plain(f"{facts.source}, row {facts.row}", 300),
        "source": plain(facts.source, 300),
        "request": plain(facts.request),
        "calls": facts.calls,
        "errors": facts.errors,
        "seconds": None if facts.seconds is None else f"{facts.seconds:.2f} s",
        "failed": [
            {"key": plain(key, 120), "score": "could not score" if score is None else f"{score:g}", "comment": plain(comment)}
            for key, score, comment in facts.failed
        ],
        "failed_keys": [plain(key, 120) for key, _, _ in facts.failed],
        "tools": [plain(tool, 120) for tool in facts.tools],
        "statuses": statuses,
        "timeline": calls,
        "left_out": 0 if run is None else max(0, len(run.invocations) - CALLS_SHOWN),
        "answer": "" if run is None else plain(run.final_text),
        "crashed": "" if run is None else plain(run.error or ""),
        "notes": [] if run is None else [plain(warning, 300) for warning in run.warnings[:3]],
        "unread": run is None,
    }


def _call(number: int, call: ToolInvocation) -> dict[str, Any]:
    args = call.raw_args or "" if call.args is None else json.dumps(json_ready(call.args), ensure_ascii=False)
    return {
        "number": number,
        "name": plain(call.name or "(no name)", 120),
        "args": plain(args),
        "status": call.status,
        "kind": call.kind if call.kind != "tool" else "",
        "agent": plain(call.agent or "", 80),
        "attempts": call.attempts,
        "told": plain(call.error or call.result or ""),
    }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _most_common(pairs: Sequence[tuple[str, int]]) -> list[str]:
    sums: dict[str, int] = {}
    for name, count in pairs:
        sums[name] = sums.get(name, 0) + count
    return sorted(sums, key=lambda name: (-sums[name], name))[:CELLS_SHOWN]
