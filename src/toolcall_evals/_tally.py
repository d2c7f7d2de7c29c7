"""The scores of one key in numbers: what a gate or a report needs of them, in memory that does not grow with the rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .results import ResultRow
from .statistics import interval_of

BINS = 20
KEPT = 20
"""Rows of each kind that a tally of a large set keeps to be looked at."""


@dataclass(slots=True)
class Tally:
    """
    Counts and sums of one key's rows.

    Attributes:
        key: The feedback key.
        keep: How many rows of each kind are kept; None keeps all.
        ones: Scores of exactly 1.
        zeros: Scores of exactly 0.
        between: How many scores lie between.
        total: Their sum.
        squares: The sum of their squares.
        bins: How many scores fall into each twentieth of 0..1; 1 is in the last.
        unscored: Rows that could not be scored.
        not_applicable: Rows for which the question did not arise.
        lowest: The rows below 1, the lowest first; equal ones as they came.
        highest: The rows above 0, the highest first.
        could_not: The rows that could not be scored, as they came.
        low_end: The score from which on `lowest` takes no more.
        high_end: The score from which down `highest` takes no more.
    """

    key: str
    keep: int | None = KEPT
    ones: int = 0
    zeros: int = 0
    between: int = 0
    total: float = 0.0
    squares: float = 0.0
    bins: list[int] = field(default_factory=lambda: [0] * BINS)
    unscored: int = 0
    not_applicable: int = 0
    lowest: list[ResultRow] = field(default_factory=list)
    highest: list[ResultRow] = field(default_factory=list)
    could_not: list[ResultRow] = field(default_factory=list)
    low_end: float = 2.0
    high_end: float = -1.0

    @staticmethod
    def of(key: str, rows: Iterable[ResultRow], keep: int | None = None) -> Tally:
        """The tally of rows of this key."""
        tally = Tally(key, keep)
        between: list[float] = []
        for row in rows:
            tally.count(row.score, row.status, lambda row=row: row, between)  # type: ignore[misc]  # a default that binds the row
        tally.close(between)
        return tally

    def count(self, score: float | None, status: str, row: Callable[[], ResultRow], between: list[float]) -> None:
        """
        Count one score; `close` afterwards.

        Args:
            row: Makes the row, which is kept only where there is room.
            between: Takes the scores that are neither 0 nor 1: they are summed at once, without rounding on the way.
        """
        if score is None:
            if status == "not_applicable":
                self.not_applicable += 1
            else:
                self.unscored += 1
                if self.keep is None or len(self.could_not) < self.keep:
                    self.could_not.append(row())
            return
        if score == 1.0:
            self.ones += 1
            self.bins[-1] += 1
        elif score == 0.0:
            self.zeros += 1
            self.bins[0] += 1
        else:
            between.append(score)
            self.bins[min(int(score * BINS), BINS - 1)] += 1
        if score < 1.0 and score < self.low_end:
            self.lowest.append(row())
            self._shorten(self.lowest)
        if score > 0.0 and score > self.high_end:
            self.highest.append(row())
            self._shorten(self.highest)

    def close(self, between: list[float]) -> None:
        """Add the scores that `count` put aside, and put the kept rows in order."""
        self.between += len(between)
        self.total = math.fsum([self.total, *between])
        self.squares = math.fsum([self.squares, *[score * score for score in between]])
        self._sort()

    def merge(self, other: Tally) -> None:
        """Add the tally of later rows."""
        self.ones += other.ones
        self.zeros += other.zeros
        self.between += other.between
        self.total += other.total
        self.squares += other.squares
        self.bins = [mine + its for mine, its in zip(self.bins, other.bins, strict=True)]
        self.unscored += other.unscored
        self.not_applicable += other.not_applicable
        self.lowest += other.lowest
        self.highest += other.highest
        self.could_not = (self.could_not + other.could_not)[: self.keep]
        self._sort()

    def _shorten(self, rows: list[ResultRow]) -> None:
        """Drop what will not be kept: making a row's comment costs as much as its score."""
        if self.keep is not None and len(rows) >= self.keep:
            self._sort()

    def _sort(self) -> None:
        self.lowest.sort(key=lambda row: row.score or 0.0)
        self.highest.sort(key=lambda row: -(row.score or 0.0))
        if self.keep is not None:
            del self.lowest[self.keep :], self.highest[self.keep :]
            if len(self.lowest) == self.keep:
                self.low_end = self.lowest[-1].score or 0.0
            if len(self.highest) == self.keep:
                self.high_end = self.highest[-1].score or 0.0

    @property
    def scored(self) -> int:
        """How many rows have a score."""
        return self.ones + self.zeros + self.between

    @property
    def below_one(self) -> int:
        """How many scores are below 1."""
        return self.zeros + self.between

    @property
    def mean(self) -> float | None:
        """The mean of the scores, or None."""
        return (self.ones + self.total) / self.scored if self.scored else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The mean's 95 % interval, as `mean_interval` gives it."""
        return interval_of(self.ones, self.zeros, self.between, self.total, self.squares)

    def to_dict(self) -> dict[str, Any]:
        """This tally as JSON, without the details of rows."""
        rows = {name: [_kept(row) for row in getattr(self, name)] for name in ("lowest", "highest", "could_not")}
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in rows}
        return {**plain, **rows}

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> Tally:
        """The tally that `to_dict` wrote."""
        rows = {name: [ResultRow(**row) for row in stored[name]] for name in ("lowest", "highest", "could_not")}
        return Tally(**{**stored, **rows})


def _kept(row: ResultRow) -> dict[str, Any]:
    plain = {name: getattr(row, name) for name in ResultRow.__slots__}  # `asdict` would copy each value
    return {**plain, "details": {}, "value": None}
