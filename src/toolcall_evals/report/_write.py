"""Writes the report: one file, with its style and its script inside, that asks nothing of a network."""

from __future__ import annotations

import base64
import functools
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
from . import _cards as cards
from . import _overview as overview
from ._matrix import matrix
from ._names import MOST_NAMES, OTHERS
from ._shown import count, plain
from ._survey import Survey


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
        path: The file; it appears whole or not at all. Folders that are not there are made.
        survey: Facts of the runs.
        tallies: One for each evaluator.
        gate: What was asked of the scores, and whether it holds.
        verdict: The verdict at the top; None where nothing was asked.
        runs: The runs of `survey.worth_a_look()` by (source, row), for their timelines.
        title: The page's title.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f"{target.name}.new")
    unfinished.write_text(_page(survey, tallies, gate, verdict, runs or {}, title), encoding="utf-8", errors="replace")
    os.replace(unfinished, target)


def _page(
    survey: Survey,
    tallies: Sequence[Tally],
    gate: GateReport | None,
    verdict: Verdict | None,
    runs: Mapping[tuple[str, int], Trajectory],
    title: str,
) -> str:
    facts = Survey()
    facts.merge(survey)  # a copy within its bounds
    style, script = _file("report.css"), _file("report.js")
    shown = cards.cards(facts.worth_a_look(), runs)
    numbers = cards.choices(shown)
    return _template().render(
        title=plain(title, 200),
        version=__version__,
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'",
        style=Markup(style),
        script=Markup(script),
        count=count,
        most_names=count(MOST_NAMES),
        verdict=overview.verdict_of(verdict, gate, facts),
        figures=overview.figures(facts, tallies),
        keys=overview.key_rows(tallies, gate, numbers["key"]),
        tools=overview.tool_rows(facts),
        more_tools=max(0, len(facts.tools.keys() - {OTHERS}) - overview.MOST_TOOLS),
        others=OTHERS if OTHERS in facts.tools else "",
        confusion=matrix(facts),
        per_run=overview.calls_per_run(facts),
        calls_in_words=overview.calls_in_words(facts),
        timed=any(tool.timed for tool in facts.tools.values()),
        slowest=cards.rows_of(facts.slowest, shown),
        longest=cards.rows_of(facts.longest, shown),
        cards=[{**card, "tags": cards.tags(card, numbers)} for card in shown],
        choices=numbers,
        runs=facts.runs,
        unread=[(plain(source, 300), row, plain(cause)) for source, row, cause in facts.unread],
        unreadable=facts.unreadable,
        sources=overview.source_rows(facts),
        origins=overview.counted(facts.origins, 20),
        warnings=overview.counted(facts.warnings, 20),
    )


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html.j2")


@functools.cache
def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
