"""Two versions of an agent on the same examples: which rows got worse, and is the difference more than chance?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _report as report
from . import _settings as setting
from . import _table as table
from .results import ResultRow, ResultsError, read_results
from .statistics import paired_p_value

SAME = 1e-9
"""Means of repetitions that differ by less are equal."""

HEAD = ("key", "examples", "before", "after", "p", "worse", "better", "lost")


@dataclass(frozen=True, slots=True)
class Change:
    """
    One example's score under one key, before and after; means where it was run more than once.

    Attributes:
        before: 0..1.
        after: 0..1.
        was: The comment of the baseline's worst row.
        row: The candidate's worst row: its comment and details say what differs.
    """

    before: float
    after: float
    was: str
    row: ResultRow


@dataclass(frozen=True, slots=True)
class KeyComparison:
    """
    One key, before and after.

    Attributes:
        key: The feedback key.
        pairs: How many examples were scored in both.
        before: The mean of the baseline on them, 0..1; None without a pair.
        after: The mean of the candidate on them.
        p_value: How likely a mean difference of this size is if nothing changed: the paired permutation test, two-sided.
        worse: The examples that got worse, the worst first.
        better: How many got better.
        lost: Ids of which more rows than before could not be scored, or that have no row or no number any more.
    """

    key: str
    pairs: int
    before: float | None
    after: float | None
    p_value: float
    worse: tuple[Change, ...]
    better: int
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    A candidate against a baseline; `str()` of it is a table, with what got worse and why.

    Attributes:
        keys: One comparison for each key that both have.
        only_before: Ids that only the baseline has.
        only_after: Ids that only the candidate has.
        keys_missing: Keys that the baseline has and the candidate does not.
    """

    keys: tuple[KeyComparison, ...]
    only_before: tuple[str, ...] = field(default=())
    only_after: tuple[str, ...] = field(default=())
    keys_missing: tuple[str, ...] = field(default=())

    def regressed(self, alpha: float = 0.05, most_worse: int | None = None) -> bool:
        """
        Did it get worse by more than chance? As a gate: `assert not comparison.regressed(), str(comparison)`.

        True when a key's mean fell with a p-value of at most `alpha`, when rows that could be scored cannot be now, or when examples or
        keys of the baseline are missing. Fewer than six examples that changed can never reach p 0.05: for small sets give `most_worse`.

        Args:
            alpha: The chance of a false alarm that is accepted, 0..1.
            most_worse: How many examples may get worse under a key, whatever the means say; None for any number.

        Raises:
            ValueError: A setting out of range.
        """
        setting.fraction("alpha", alpha)
        most = math.inf if most_worse is None else setting.count("most_worse", most_worse, 0)
        fell = any((key.after or 0.0) - (key.before or 0.0) < -SAME and key.p_value <= alpha for key in self.keys)
        missing = bool(self.only_before or self.keys_missing) or any(key.lost for key in self.keys)
        return fell or missing or any(len(key.worse) > most for key in self.keys)

    def __str__(self) -> str:
        shown = [*table.columns([HEAD, *[_cells(key) for key in self.keys]]), *map(table.one_line, _to_look_at(self))]
        return "\n".join(shown)

    def markdown(self) -> str:
        """The comparison as Markdown, for a pull request or a job's summary."""
        return report.markdown("Tool calls against the baseline", [HEAD, *[_cells(key) for key in self.keys]], _to_look_at(self))


def compare(baseline: Any, candidate: Any) -> Comparison:
    """
    Compare two results of the same examples.

    Args:
        baseline: The results before, as `read_results` takes them: a results file, rows, or LangSmith's results.
        candidate: The results now. Repetitions of an example are averaged; there may be more or fewer than before.

    Raises:
        ValueError: Results as `read_results` refuses them, or nothing in common.
    """
    before, after = _by_place(read_results(baseline)), _by_place(read_results(candidate))
    ids_before, ids_after = _ids(before), _ids(after)
    keys = [key for key in before if key in after]
    if not keys or not ids_before & ids_after:
        what = "examples" if keys else "keys"
        raise ResultsError(f"expected results with {what} in common, found none: was the candidate run on another dataset?")
    shared = ids_before & ids_after
    return Comparison(
        tuple([_compared(key, _only(before[key], shared), _only(after[key], shared)) for key in keys]),
        tuple(sorted(ids_before - ids_after)),
        tuple(sorted(ids_after - ids_before)),
        tuple([key for key in before if key not in after]),
    )


def _by_place(rows: Sequence[ResultRow]) -> dict[str, dict[str, list[ResultRow]]]:
    places: dict[str, dict[str, list[ResultRow]]] = {}
    for row in rows:
        places.setdefault(row.key, {}).setdefault(row.id, []).append(row)
    return places


def _ids(places: Mapping[str, Mapping[str, Any]]) -> set[str]:
    return {id for by_id in places.values() for id in by_id}


def _only(by_id: Mapping[str, list[ResultRow]], ids: set[str]) -> dict[str, list[ResultRow]]:
    return {id: rows for id, rows in by_id.items() if id in ids}


def _compared(key: str, before: Mapping[str, list[ResultRow]], after: Mapping[str, list[ResultRow]]) -> KeyComparison:
    changes: list[Change] = []
    lost: list[str] = []
    for id, old in before.items():
        new = after.get(id, [])
        was, now = _mean(old), _mean(new)
        if (was is not None and now is None) or _unscored(new) > _unscored(old):
            lost.append(id)
        if was is not None and now is not None:
            changes.append(Change(was, now, _worst(old).comment, _worst(new)))
    worse = sorted([each for each in changes if each.after - each.before < -SAME], key=lambda each: (each.after - each.before, each.row.id))
    differences = [each.after - each.before for each in changes]
    return KeyComparison(
        key,
        len(changes),
        math.fsum([each.before for each in changes]) / len(changes) if changes else None,
        math.fsum([each.after for each in changes]) / len(changes) if changes else None,
        paired_p_value([each for each in differences if abs(each) > SAME]),
        tuple(worse),
        sum(each > SAME for each in differences),
        tuple(sorted(lost)),
    )


def _mean(rows: Sequence[ResultRow]) -> float | None:
    scores = [row.score for row in rows if row.score is not None]
    return math.fsum(scores) / len(scores) if scores else None


def _unscored(rows: Sequence[ResultRow]) -> int:
    return sum(row.unscored for row in rows)


def _worst(rows: Sequence[ResultRow]) -> ResultRow:
    return min(rows, key=lambda row: math.inf if row.score is None else row.score)


def _cells(key: KeyComparison) -> tuple[str, ...]:
    means = ["-" if mean is None else f"{mean:.3f}" for mean in (key.before, key.after)]
    return table.one_line(key.key), str(key.pairs), *means, f"{key.p_value:.3f}", str(len(key.worse)), str(key.better), str(len(key.lost))


def _to_look_at(comparison: Comparison) -> list[str]:
    lines: list[str] = []
    for key in comparison.keys:
        shown = key.worse[: report.ROWS_SHOWN]
        lines += [report.row_line(key.key, each.row, f"{each.before:.3g} -> {each.after:.3g}") for each in shown]
        lines += [f"{key.key}: {len(key.worse) - len(shown)} more got worse"] if len(key.worse) > len(shown) else []
        lines += [_listed(f"{key.key}: could be scored before, not now", key.lost)] if key.lost else []
    for label, names in (
        ("examples that only the baseline has", comparison.only_before),
        ("examples that only the candidate has", comparison.only_after),
        ("keys that the candidate lacks", comparison.keys_missing),
    ):
        lines += [_listed(label, names)] if names else []
    return lines


def _listed(label: str, names: Sequence[str]) -> str:
    more = len(names) - report.ROWS_SHOWN
    return f"{label}: {', '.join(names[: report.ROWS_SHOWN])}{f' and {more} more' if more > 0 else ''}"
