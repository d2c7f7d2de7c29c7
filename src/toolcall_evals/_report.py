"""What a CI job shows of a verdict: Markdown and JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from . import _table as table

if TYPE_CHECKING:
    from .results import ResultRow

ROWS_SHOWN = 20
LINE_LENGTH = 300

_MARKUP = re.compile(r"[\\|\[\]`*_~&<>#@]")
"""What Markdown, the HTML in it, or GitHub (a mention, an issue) would not show as it is."""

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 forbids."""


def row_line(key: str, row: ResultRow, what: str) -> str:
    """A row in one line: what it is about, what came out, and why."""
    again = f" (repetition {row.repetition + 1})" if row.repetition else ""
    asked = f" {table.cut(row.example, 60)!r}" if row.example and row.example != row.id else ""
    return table.cut(table.one_line(f"{key}, {row.id}{again}{asked}: {what}{'; ' if row.comment else ''}{row.comment}"), LINE_LENGTH)


def markdown(title: str, rows: Sequence[Sequence[str]], lines: Sequence[str]) -> str:
    """A title, a table (its head first) and a list of lines."""
    shown = [rows[0], ["---"] * len(rows[0]), *[[plain(cell) for cell in row] for row in rows[1:]]]
    listed = ["", *[f"- {plain(line)}" for line in lines]] if lines else []
    return "\n".join([f"### {plain(title)}", "", *[f"| {' | '.join(row)} |" for row in shown], *listed, ""])


def plain(text: str) -> str:
    """Text that Markdown shows as it is, in one line."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", table.one_line(text))


def junit_xml(cases: Sequence[tuple[str, str, str]]) -> str:
    """A suite of (name, why it failed or an empty text, text) as JUnit XML."""
    failures = sum(bool(message) for _, message, _ in cases)
    attributes = {"name": "toolcall-evals", "tests": str(len(cases)), "failures": str(failures), "errors": "0", "skipped": "0"}
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", attributes)
    for name, message, text in cases:
        case: Any = ElementTree.SubElement(suite, "testcase", classname="toolcall_evals", name=_legal(name))
        if message:
            case = ElementTree.SubElement(case, "failure", message=_legal(message))
            case.text = _legal(text)
        elif text:
            ElementTree.SubElement(case, "system-out").text = _legal(text)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True)


def _legal(text: str) -> str:
    return _ILLEGAL.sub("?", text)
