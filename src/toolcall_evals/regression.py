"""Two versions of an agent on the same examples: which rows got worse, and is the difference more than chance?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _settings as setting
from . import _table as table
from ._rows import ResultRow, ResultsError, read_rows
from ._statistics import paired_p_value

ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Change:
    """One example's score under one key, before and after."""

    id: str
    key: str
    before: float
    after: float
    comment: str


@dataclass(frozen=True, slots=True)
class KeyComparison:
    """
    One key, before and after.

    Attributes:
        key: The feedback key.
        pairs: How many examples were scored in both.
        before: The mean of the baseline on them, 0..1.
        after: The mean of the candidate on them, 0..1.
        p_value: How likely a mean difference of this size is if nothing changed: the paired permutation test, two-sided.
        worse: The examples that got worse, the worst first.
        better: How many got better.
        lost: Ids that were scored before and could not be scored now.
    """

    key: str
    pairs: int
    before: float
    after: float
    p_value: float
    worse: tuple[Change, ...]
    better: int
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    A candidate against a baseline; `str()` of it is a table.

    Attributes:
        keys: One comparison for each key that both have.
        only_before: Ids that only the baseline has.
        only_after: Ids that only the candidate has.
        keys_missing: Keys that the baseline has and the candidate does not.
    """

    keys: tuple[KeyComparison, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    keys_missing: tuple[str, ...]

    def regressed(self, alpha: float = 0.05) -> bool:
        """
        Did it get worse by more than chance? As a gate: `assert not comparison.regressed()`.

        True when a key's mean fell with a p-value of at most `alpha`, when a run that was scored cannot be scored now, or when examples
        or keys of the baseline are missing.

        Raises:
            ValueError: `alpha` outside 0..1.
        """
        setting.fraction("alpha", alpha)
        fell = any(key.after < key.before and key.p_value <= alpha for key in self.keys)
        return fell or any(key.lost for key in self.keys) or bool(self.only_before) or bool(self.keys_missing)

    def __str__(self) -> str:
        head = ("key", "examples", "before", "after", "p", "worse", "better", "lost")
        rows = [
            (key.key, str(key.pairs), f"{key.before:.3f}", f"{key.after:.3f}", f"{key.p_value:.3f}", str(len(key.worse)), str(key.better), str(len(key.lost)))
            for key in self.keys
        ]
        worse = [
            table.one_line(f"{change.key}, {change.id}: {change.before:g} -> {change.after:g}; {change.comment}")[:300]
            for key in self.keys
            for change in key.worse[:ROWS_SHOWN]
        ]
        return "\n".join([*table.columns([head, *rows]), *worse, *_missing(self)])


def compare(baseline: Any, candidate: Any) -> Comparison:
    """
    Compare two results of the same examples.

    Args:
        baseline: The results before, as `read_rows` takes them: a results file, rows, or LangSmith's results.
        candidate: The results now. Repetitions of an example are averaged.

    Raises:
        ValueError: Results as `read_rows` refuses them, or nothing in common.
    """
    before, after = _by_place(read_rows(baseline)), _by_place(read_rows(candidate))
    keys = [key for key in before if key in after]
    ids_before, ids_after = _ids(before), _ids(after)
    if not keys or not ids_before & ids_after:
        raise ResultsError("expected results with examples and keys in common, found none: was the candidate run on another dataset?")
    return Comparison(
        tuple([_compared(key, before[key], after[key]) for key in keys]),
        tuple(sorted(ids_before - ids_after)),
        tuple(sorted(ids_after - ids_before)),
        tuple(sorted(before.keys() - after.keys())),
    )


def _by_place(rows: Sequence[ResultRow]) -> dict[str, dict[str, list[ResultRow]]]:
    places: dict[str, dict[str, list[ResultRow]]] = {}
    for row in rows:
        places.setdefault(row.key, {}).setdefault(row.id, []).append(row)
    return places


def _ids(places: dict[str, dict[str, list[ResultRow]]]) -> set[str]:
    return {id for by_id in places.values() for id in by_id}


def _mean(rows: Sequence[ResultRow]) -> float | None:
    scores = [row.score for row in rows if row.score is not None]
    return math.fsum(scores) / len(scores) if scores else None


def _compared(key: str, before: dict[str, list[ResultRow]], after: dict[str, list[ResultRow]]) -> KeyComparison:
    changes: list[Change] = []
    lost: list[str] = []
    for id in before.keys() & after.keys():
        old, new = _mean(before[id]), _mean(after[id])
        if old is not None and new is None:
            lost.append(id)
        elif old is not None and new is not None:
            changes.append(Change(id, key, old, new, min(after[id], key=lambda row: 2.0 if row.score is None else row.score).comment))
    differences = [change.after - change.before for change in changes]
    worse = sorted([change for change in changes if change.after < change.before], key=lambda change: (change.after - change.before, change.id))
    n = len(changes) or 1
    return KeyComparison(
        key,
        len(changes),
        math.fsum([change.before for change in changes]) / n,
        math.fsum([change.after for change in changes]) / n,
        paired_p_value(differences),
        tuple(worse),
        sum(difference > 0 for difference in differences),
        tuple(sorted(lost)),
    )


def _missing(comparison: Comparison) -> list[str]:
    parts = (
        ("only in the baseline", comparison.only_before),
        ("only in the candidate", comparison.only_after),
        ("keys that the candidate lacks", comparison.keys_missing),
        ("could not be scored any more", tuple(sorted({id for key in comparison.keys for id in key.lost}))),
    )
    return [f"{label}: {', '.join(names[:ROWS_SHOWN])}{' and more' if len(names) > ROWS_SHOWN else ''}" for label, names in parts if names]
