"""Writes the report: one file, with its style and its script inside, that asks nothing of a network."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

import jinja2
from markupsafe import Markup

from .. import __version__
from .._model import Trajectory
from .._tally import Tally
from ..gates import GateReport, Verdict
from . import _page as page
from ._survey import Survey

WORST, OTHERS = 60, 10
"""How many of the worst runs are shown, and of the slowest and the longest."""


def write_report(
    path: str | Path,
    *,
    survey: Survey,
    tallies: Sequence[Tally],
    gate: GateReport | None = None,
    verdict: Verdict | None = None,
    runs: Mapping[tuple[str, int], Trajectory] | None = None,
    title: str = "Tool calls of stored runs",
) -> None:
    """
    Write a report on runs as one HTML file.

    Args:
        path: The file; it appears whole or not at all.
        survey: Facts of the runs.
        tallies: One for each evaluator.
        gate: What was asked of the scores, and whether it holds.
        verdict: The verdict at the top; None where nothing was asked.
        runs: The runs worth a look by (source, row), for their timelines.
        title: The page's title.
    """
    read = runs or {}
    style, script = _file("report.css"), _file("report.js")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    cards = page.run_cards(survey.worst, read, WORST)
    text = environment.from_string(_file("report.html.j2")).render(
        title=page.plain(title, 200),
        version=__version__,
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'",
        style=Markup(style),
        script=Markup(script),
        verdict=verdict,
        survey=survey,
        keys=page.key_rows(tallies, gate),
        tools=page.tool_rows(survey),
        confusion=page.confusion(survey),
        per_run=page.calls_per_run(survey),
        cards=cards,
        slowest=page.run_cards(survey.slowest, read, OTHERS),
        longest=page.run_cards(survey.longest, read, OTHERS),
        unread=[(page.plain(f"{source}, row {row}", 300), page.plain(cause)) for source, row, cause in survey.unread],
        origins=[(page.plain(name, 80), count) for name, count in survey.origins.most_common()],
        warnings=[(page.plain(name, 300), count) for name, count in survey.warnings.most_common(20)],
        choices={
            "key": sorted({key for card in cards for key in card["failed_keys"]}),
            "status": sorted({status for card in cards for status in card["statuses"]}),
            "tool": sorted({tool for card in cards for tool in card["tools"]}),
            "source": sorted({card["source"] for card in cards}),
        },
    )
    target = Path(path)
    unfinished = target.with_name(f"{target.name}.new")
    unfinished.write_text(text, encoding="utf-8", errors="replace")
    os.replace(unfinished, target)


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
