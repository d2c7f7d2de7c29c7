"""Gates on results: what must hold on every row, what must hold on the mean, and one verdict for a CI job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from . import _report as report
from . import _settings as setting
from . import _table as table
from ._tally import Tally
from .results import ResultRow, read_results

Verdict: TypeAlias = Literal["passed", "scored", "failed"]

SLACK = 1e-12
"""A mean of many scores may miss a threshold by a rounding error."""

HEAD = ("key", "rule", "holds", "mean", "95 % interval", "scored", "not scored", "n/a")


@dataclass(frozen=True, slots=True)
class KeyResult:
    """
    One key's part of the verdict.

    Attributes:
        key: The feedback key.
        rule: What was asked of it, in words; empty when nothing was.
        held: Whether that holds; True when nothing was asked.
        reasons: Why it does not, in words.
        mean: The mean of the scored rows, 0..1, or None.
        interval: The mean's 95 % interval, or None.
        scored: How many rows have a number.
        failing: The rows to look at, worst first: those that break the gate, or that keep the mean from its threshold.
        unscored: The rows that could not be scored; also one for each run that has no row of this key.
        not_applicable: How many rows the question did not arise for.
        failing_count: How many rows fail, where `failing` holds only the first of a large set.
        unscored_count: How many rows could not be scored, likewise.
    """

    key: str
    rule: str
    held: bool
    reasons: tuple[str, ...]
    mean: float | None
    interval: tuple[float, float] | None
    scored: int
    failing: tuple[ResultRow, ...]
    unscored: tuple[ResultRow, ...]
    not_applicable: int
    failing_count: int
    unscored_count: int


@dataclass(frozen=True, slots=True)
class GateReport:
    """
    The verdict on a set of results; `str()` of it is a table.

    Attributes:
        verdict: `passed`: every gate and threshold holds; `scored`: every gate holds, a threshold does not; `failed`: a gate does not.
        keys: Each key's part, those with a rule first.
    """

    verdict: Verdict
    keys: tuple[KeyResult, ...]

    @property
    def exit_code(self) -> int:
        """0 when passed, 1 otherwise."""
        return 0 if self.verdict == "passed" else 1

    def __str__(self) -> str:
        lines = table.columns(self._rows())
        return "\n".join([f"verdict: {self.verdict}", *lines, *[table.one_line(line) for key in self.keys for line in _to_look_at(key)]])

    def markdown(self) -> str:
        """The report as Markdown, for a pull request or a job's summary."""
        found = [line for key in self.keys for line in _to_look_at(key)]
        return report.markdown(f"Tool calls: {self.verdict}", self._rows(), found)

    def junit_xml(self) -> str:
        """The report as JUnit XML: a test case for each key with a rule."""
        ruled = [key for key in self.keys if key.rule]
        return report.junit_xml(
            [(key.key, "" if key.held else f"{key.rule}: {'; '.join(key.reasons)}", "\n".join(_to_look_at(key))) for key in ruled]
        )

    def _rows(self) -> list[tuple[str, ...]]:
        """A head and a row for each key; without the columns of rules where there are none."""
        rows = [HEAD, *[_cells(key) for key in self.keys]]
        return rows if any(key.rule for key in self.keys) else [(row[0], *row[3:]) for row in rows]


def gate(
    results: Any,
    gates: Sequence[str] = (),
    thresholds: Mapping[str, float | tuple[float, float]] | None = None,
    *,
    allow_unscored: bool = False,
) -> GateReport:
    """
    Do these results hold what was asked of them?

    A key with a rule must have a row for every run: one that has none could not be scored. A rule that nothing was scored for
    does not hold.

    Args:
        results: As `read_results` takes them: LangSmith's results, rows, or the path of a results file.
        gates: Keys whose score must be 1 on every row. Where the question did not arise, a row passes.
        thresholds: By key, what the mean must reach, or (least, most), each in 0..1.
        allow_unscored: Whether rows that could not be scored are let pass. They break a gate and a threshold otherwise.

    Raises:
        ValueError: No gate and no threshold, a key that no row has, a threshold outside 0..1, or results as `read_results` refuses them.
    """
    gated, limits = _keys(gates), _limits(thresholds)
    setting.flag("allow_unscored", allow_unscored)
    if not gated and not limits:
        setting.refuse("gates", gates, "some keys, where no thresholds are given")
    by_key: dict[str, list[ResultRow]] = {}
    runs: dict[tuple[str, int], ResultRow] = {}
    for row in read_results(results):
        by_key.setdefault(row.key, []).append(row)
        runs.setdefault((row.id, row.repetition), row)
    for key in (*gated, *limits):
        if key not in by_key:
            setting.refuse("a gate or threshold", key, f"a key of the results, {sorted(by_key)}")
        seen = {(row.id, row.repetition) for row in by_key[key]}
        by_key[key] += [_absent(key, row) for place, row in runs.items() if place not in seen]
    return _report([Tally.of(key, rows) for key, rows in by_key.items()], gated, limits, allow_unscored)


def gate_tallies(
    tallies: Sequence[Tally],
    gates: Sequence[str] = (),
    thresholds: Mapping[str, float | tuple[float, float]] | None = None,
    *,
    allow_unscored: bool = False,
) -> GateReport:
    """
    `gate` on what was only counted, for sets too large to hold; also without any rule, which holds.

    Args:
        tallies: One for each key, over the same runs.
        gates: As for `gate`; so are `thresholds` and `allow_unscored`.

    Raises:
        ValueError: A key that no tally has, or a threshold outside 0..1.
    """
    gated, limits = _keys(gates), _limits(thresholds)
    known = sorted(tally.key for tally in tallies)
    for key in (*gated, *limits):
        if key not in known:
            setting.refuse("a gate or threshold", key, f"a key of the results, {known}")
    return _report(tallies, gated, limits, allow_unscored)


def _report(
    tallies: Sequence[Tally], gated: Sequence[str], limits: Mapping[str, tuple[float, float]], allow_unscored: bool
) -> GateReport:
    keys = [_judged(tally, tally.key in gated, limits.get(tally.key), allow_unscored) for tally in tallies]
    verdict: Verdict = "passed" if all(key.held for key in keys) else "scored"
    if any(tally.key in gated and not _holds(tally, allow_unscored) for tally in tallies):
        verdict = "failed"
    return GateReport(verdict, tuple(sorted(keys, key=lambda key: not key.rule)))


def _keys(gates: Any) -> tuple[str, ...]:
    if isinstance(gates, str) or not isinstance(gates, Sequence) or not all(isinstance(key, str) for key in gates):
        setting.refuse("gates", gates, "a list of feedback keys")
    return tuple(dict.fromkeys(gates))


def _limits(thresholds: Any) -> dict[str, tuple[float, float]]:
    if not isinstance(thresholds, Mapping | None):
        setting.refuse("thresholds", thresholds, "a mapping from feedback keys to what their means must reach")
    limits: dict[str, tuple[float, float]] = {}
    for key, value in (thresholds or {}).items():
        least, most = value if isinstance(value, tuple | list) and len(value) == 2 else (value, 1.0)
        name = f"the threshold of {key}"
        limits[key] = setting.fraction(name, least), setting.fraction(name, most)
        if least > most:
            setting.refuse(name, value, "(least, most) in that order")
    return limits


def _absent(key: str, row: ResultRow) -> ResultRow:
    comment = "this run has no result under the key: its evaluator gave none"
    return ResultRow(row.id, key, None, "could_not_score", comment, repetition=row.repetition, example=row.example)


def _holds(tally: Tally, allow_unscored: bool) -> bool:
    """Whether a gate does."""
    return tally.scored > 0 and tally.below_one == 0 and (allow_unscored or not tally.unscored)


def _judged(tally: Tally, gated: bool, limits: tuple[float, float] | None, allow_unscored: bool) -> KeyResult:
    mean, reasons = tally.mean, list[str]()
    failing, count = (tally.lowest, tally.below_one) if gated else ([], 0)
    if count:
        reasons.append(f"{count} of {tally.scored} rows are below 1")
    if limits and mean is not None and mean < limits[0] - SLACK:
        reasons.append(f"the mean {mean:.4g} is below {limits[0]:g}")
        failing, count = tally.lowest, tally.below_one
    elif limits and mean is not None and mean > limits[1] + SLACK:
        reasons.append(f"the mean {mean:.4g} is above {limits[1]:g}")
        failing, count = (failing, count) if count else (tally.highest, tally.ones + tally.between)
    if (gated or limits) and tally.unscored and not allow_unscored:
        reasons.append(f"{tally.unscored} rows could not be scored")
    if (gated or limits) and not tally.scored:
        reasons.append("no row was scored")
    rules = (["1 on every row"] if gated else []) + (["mean " + _range(limits)] if limits else [])
    return KeyResult(
        tally.key,
        " and ".join(rules),
        not reasons,
        tuple(reasons),
        mean,
        tally.interval,
        tally.scored,
        tuple(failing),
        tuple(tally.could_not),
        tally.not_applicable,
        count,
        tally.unscored,
    )


def _range(limits: tuple[float, float]) -> str:
    return f"at least {limits[0]:g}" if limits[1] == 1 else f"in {limits[0]:g}..{limits[1]:g}"


def _cells(key: KeyResult) -> tuple[str, ...]:
    interval = "-" if key.interval is None else f"{key.interval[0]:.2f} to {key.interval[1]:.2f}"
    holds = "-" if not key.rule else "yes" if key.held else "NO"
    mean = "-" if key.mean is None else f"{key.mean:.3f}"
    name = table.one_line(key.key)
    return name, key.rule or "-", holds, mean, interval, str(key.scored), str(key.unscored_count), str(key.not_applicable)


def _to_look_at(key: KeyResult) -> list[str]:
    """Why a rule does not hold, the rows that break it, and those that could not be scored, whether that was allowed or not."""
    if not key.rule:
        return []
    rows = [(row, f"{row.score:g}") for row in key.failing] + [(row, "could not score") for row in key.unscored]
    shown = [report.row_line(key.key, row, what) for row, what in rows[: report.ROWS_SHOWN]]
    more = key.failing_count + key.unscored_count - len(shown)
    return [f"{key.key}: {reason}" for reason in key.reasons] + shown + ([f"{key.key}: {more} more rows"] if more else [])
