"""Gates on results: what must hold on every row, what must hold on the mean, and one verdict for a CI job."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from xml.etree import ElementTree

from . import _settings as setting
from . import _table as table
from ._rows import ResultRow, read_rows
from ._statistics import mean_interval

Outcome: TypeAlias = Literal["passed", "scored", "failed"]
ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class KeyResult:
    """
    One key's part of the verdict.

    Attributes:
        key: The feedback key.
        rule: What was asked of it, in words; empty when nothing was.
        held: Whether that holds; True when nothing was asked.
        mean: The mean of the scored rows, 0..1, or None.
        interval: The mean's 95 % interval, or None.
        scored: How many rows have a number.
        failing: The rows that break a gate: a score below 1.
        unscored: The rows that could not be scored.
        not_applicable: How many rows the question did not arise for.
    """

    key: str
    rule: str
    held: bool
    mean: float | None
    interval: tuple[float, float] | None
    scored: int
    failing: tuple[ResultRow, ...]
    unscored: tuple[ResultRow, ...]
    not_applicable: int


@dataclass(frozen=True, slots=True)
class GateReport:
    """
    The verdict on a set of results; `str()` of it is a table.

    Attributes:
        verdict: `passed`: every gate and every threshold holds; `scored`: every gate holds, a threshold does not; `failed`: a gate does not.
        keys: Each key's part, those with a rule first.
    """

    verdict: Outcome
    keys: tuple[KeyResult, ...]

    @property
    def exit_code(self) -> int:
        """0 when passed, 1 otherwise."""
        return 0 if self.verdict == "passed" else 1

    def __str__(self) -> str:
        head = ("key", "rule", "holds", "mean", "95 % interval", "scored", "not scored", "n/a")
        return "\n".join([f"verdict: {self.verdict}", *table.columns([head, *[_cells(key) for key in self.keys]]), *_broken(self.keys)])

    def markdown(self) -> str:
        """The report as Markdown, for a pull request or a job summary."""
        head = ["key", "rule", "holds", "mean", "95 % interval", "scored", "not scored", "n/a"]
        rows = [head, ["---"] * len(head), *[[_plain(cell) for cell in _cells(key)] for key in self.keys]]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        broken = [f"- {_plain(line)}" for line in _broken(self.keys)]
        return "\n".join([f"### Tool calls: {self.verdict}", "", *lines, *(["", *broken] if broken else []), ""])

    def junit_xml(self) -> str:
        """The report as JUnit XML: one test case for each key with a rule."""
        ruled = [key for key in self.keys if key.rule]
        failures = sum(not key.held for key in ruled)
        suite = ElementTree.Element("testsuite", name="toolcall-evals", tests=str(len(ruled)), failures=str(failures), errors="0")
        for key in ruled:
            case = ElementTree.SubElement(suite, "testcase", classname="toolcall_evals", name=_legal(key.key))
            if not key.held:
                failure = ElementTree.SubElement(case, "failure", message=_legal(f"{key.rule} does not hold"))
                failure.text = _legal("\n".join(_broken([key])))
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def gate(
    results: Any,
    gates: Sequence[str] = (),
    thresholds: Mapping[str, float | tuple[float, float]] | None = None,
    *,
    allow_unscored: bool = False,
) -> GateReport:
    """
    Do these results hold what was asked of them?

    Args:
        results: As `read_rows` takes them: LangSmith's results, rows, or the path of a results file.
        gates: Keys whose score must be 1 on every row.
        thresholds: By key, what the mean must reach, or (least, most), each in 0..1.
        allow_unscored: Whether a row that could not be scored may pass a gate, and is left out of a threshold's mean without breaking it.

    Raises:
        ValueError: No gate and no threshold, a key that no row has, a threshold outside 0..1, or results as `read_rows` refuses them.
    """
    rows = read_rows(results)
    limits = {key: _limits(key, value) for key, value in (thresholds or {}).items()}
    gated = setting.names("gates", list(gates))
    if not gated and not limits:
        setting.refuse("gates", gates, "some keys, or thresholds must have some")
    by_key: dict[str, list[ResultRow]] = {}
    for row in rows:
        by_key.setdefault(row.key, []).append(row)
    for key in (*gated, *limits):
        if key not in by_key:
            setting.refuse("a gate or threshold", key, f"a key of the results: {sorted(by_key)}")
    keys = [_judged(key, by_key[key], key in gated, limits.get(key), allow_unscored) for key in by_key]
    failed = any(not key.held and key.key in gated for key in keys)
    missed = any(not key.held for key in keys)
    verdict: Outcome = "failed" if failed else "scored" if missed else "passed"
    return GateReport(verdict, tuple(sorted(keys, key=lambda key: not key.rule)))


def _limits(key: str, value: Any) -> tuple[float, float]:
    least, most = value if isinstance(value, tuple | list) and len(value) == 2 else (value, 1.0)
    limits = setting.fraction(f"the threshold of {key}", least), setting.fraction(f"the threshold of {key}", most)
    if limits[0] > limits[1]:
        setting.refuse(f"the threshold of {key}", value, "(least, most) in that order")
    return limits


def _judged(key: str, rows: Sequence[ResultRow], gated: bool, limits: tuple[float, float] | None, allow_unscored: bool) -> KeyResult:
    scores = [row.score for row in rows if row.score is not None]
    unscored = tuple(row for row in rows if row.status == "could_not_score")
    failing = tuple(row for row in rows if gated and row.score is not None and row.score < 1)
    mean = math.fsum(scores) / len(scores) if scores else None
    complete = bool(scores) and (allow_unscored or not unscored)
    held = (not gated or (complete and not failing)) and (limits is None or (complete and mean is not None and limits[0] - 1e-12 <= mean <= limits[1] + 1e-12))
    rules = (["1 on every row"] if gated else []) + ([] if limits is None else [f"mean in {limits[0]:g}..{limits[1]:g}"])
    interval = mean_interval(scores) if scores else None
    return KeyResult(key, " and ".join(rules), held, mean, interval, len(scores), failing, unscored, sum(row.status == "not_applicable" for row in rows))


def _cells(key: KeyResult) -> tuple[str, ...]:
    interval = "-" if key.interval is None else f"{key.interval[0]:.2f} to {key.interval[1]:.2f}"
    holds = "-" if not key.rule else "yes" if key.held else "NO"
    mean = "-" if key.mean is None else f"{key.mean:.3f}"
    return key.key, key.rule or "-", holds, mean, interval, str(key.scored), str(len(key.unscored)), str(key.not_applicable)


def _broken(keys: Sequence[KeyResult]) -> list[str]:
    """The rows that a person must look at: those that break a gate, then those that could not be scored."""
    lines: list[str] = []
    for key in keys:
        if not key.rule:
            continue
        rows = [(row, f"{row.score:g}") for row in key.failing] + [(row, "could not score") for row in key.unscored]
        lines += [table.one_line(f"{key.key}, {row.id}: {what}; {row.comment}")[:300] for row, what in rows[:ROWS_SHOWN]]
        if len(rows) > ROWS_SHOWN:
            lines.append(f"{key.key}: {len(rows) - ROWS_SHOWN} more")
    return lines


def _plain(cell: str) -> str:
    """Text that Markdown and the HTML in it show as it is."""
    for character, shown in (("\\", "\\\\"), ("|", "\\|"), ("<", "&lt;"), ("[", "\\["), ("`", "\\`"), ("*", "\\*"), ("_", "\\_")):
        cell = cell.replace(character, shown)
    return cell


def _legal(text: str) -> str:
    """Text without the characters that XML 1.0 forbids."""
    return "".join([each if each in "\t\n\r" or " " <= each <= "\ud7ff" or "\ue000" <= each <= "\ufffd" or each >= "\U00010000" else "?" for each in text])
