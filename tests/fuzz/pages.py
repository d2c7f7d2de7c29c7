"""The target that shows: no text of a trace becomes an element, an attribute, or a file."""

from __future__ import annotations

import os
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from toolcall_evals import ToolInvocation, Trajectory, checks
from toolcall_evals.gates import gate
from toolcall_evals.report import Survey, write_report
from toolcall_evals.results import ResultRow

from . import laws
from .choices import Choices, one
from .inputs import Run
from .mutate import made

ATTACKS = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "{{ 7 * 7 }}",
    "]]>--><svg onload=alert(1)>",
    "</style></title></details><iframe srcdoc='x'>",
    "../../outside",
    "/tmp/outside\x00",
    "$(touch outside); `touch outside`",
    "&lt;b&gt;",
    "a\n\nb|c",
    "\ud800\u202e\x1b[31m",
)
"""Texts that are more than text where nobody escapes them."""

_ONCE = ("html", "head", "body", "script", "style")
_NEVER = frozenset({"img", "iframe", "object", "embed", "link", "base", "marquee", "video", "audio"})


class _Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names[tag] += 1
        self.attributes.update(name for name, _ in attrs)
        self.links.update(value or "" for name, value in attrs if name == "href")


def reports(folder: str) -> Run:
    """A page on runs, and a gate's XML, in all of whose texts are attacks."""
    evaluator = checks.called_tool("f")

    def run(choices: Choices) -> None:
        place = Path(tempfile.mkdtemp(dir=folder))
        survey, runs, rows = Survey(), {}, []
        for number in range(1 + choices.below(2)):
            trajectory, source, id = _attack(choices), one(choices, ATTACKS), one(choices, ATTACKS)
            score = evaluator.score(trajectory, {"tool_calls": [{"name": one(choices, ATTACKS)}]})
            survey.add(source, number, id, trajectory, [score], {"tool_calls": [{"name": one(choices, ATTACKS)}]})
            runs[number] = trajectory
            rows.append(ResultRow(f"{id}{number}", one(choices, ATTACKS), score.score, score.status, score.comment, example=source))
        shown = {(facts.source, facts.row): runs[facts.row] for facts in survey.worth_a_look()}
        write_report(place / "report.html", survey=survey, tallies=[], runs=shown, title=one(choices, ATTACKS))
        judged = gate(rows, [rows[0].key])
        ET.fromstring(judged.junit_xml().encode())
        laws.expect("only the report is written", os.listdir(place) == ["report.html"], os.listdir(place))
        _holds_no_attack((place / "report.html").read_text(encoding="utf-8"))
        (place / "report.html").unlink()
        place.rmdir()

    return run


def _attack(choices: Choices) -> Trajectory:
    def text() -> str:
        return one(choices, ATTACKS)

    calls = tuple(
        ToolInvocation(text(), {text(): made(choices, 2)}, id=text(), status="error", result=text(), error=text(), agent=text())
        for _ in range(choices.below(3))
    )
    said: Any = tuple(text() for _ in range(choices.below(3)))
    return Trajectory(text(), (("user", text()),), said, calls, warnings=(text(),), source=text(), error=one(choices, (None, text())))


def _holds_no_attack(page: str) -> None:
    found = _Elements(page)
    for name in _ONCE:
        laws.expect("there is one of each", found.names[name] == 1, f"{name} {found.names[name]}")
    laws.expect("no element comes from a trace", not _NEVER & found.names.keys(), sorted(_NEVER & found.names.keys()))
    handlers = [name for name in found.attributes if name.startswith("on") or name in ("src", "srcdoc", "autofocus", "formaction")]
    laws.expect("no attribute comes from a trace", not handlers, handlers)
    away = [link for link in found.links if not link.startswith("#")]
    laws.expect("no link leads away", not away, away)
