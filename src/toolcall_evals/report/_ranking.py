"""The first few runs by some measure, whatever the order in which they come."""

from __future__ import annotations

from bisect import insort
from typing import NamedTuple

from ._facts import RunFacts


class Ranked(NamedTuple):
    """A run at its place: the largest measure first, equal ones by file and row."""

    measure: float
    """Negative: the first is the smallest."""
    source: str
    row: int
    facts: RunFacts

    @property
    def rank(self) -> tuple[float, str, int]:
        """What they are sorted by."""
        return self[:3]


class Ranking:
    """At most so many runs, those with the largest measure first."""

    __slots__ = ("most", "ranked")

    def __init__(self, most: int) -> None:
        self.most = most
        self.ranked: list[Ranked] = []

    def takes(self, measure: float, source: str, row: int) -> bool:
        """Whether a run belongs among them."""
        return len(self.ranked) < self.most or (-measure, source, row) < self.ranked[-1].rank

    def put(self, measure: float, facts: RunFacts) -> None:
        """Take a run, and let go of the last where there are too many."""
        insort(self.ranked, Ranked(-measure, facts.source, facts.row, facts), key=lambda each: each.rank)
        del self.ranked[self.most :]

    def merge(self, other: Ranking) -> None:
        """Take the runs of another."""
        self.ranked = sorted([*self.ranked, *other.ranked], key=lambda each: each.rank)[: self.most]

    @property
    def runs(self) -> list[RunFacts]:
        """The runs, in order."""
        return [each.facts for each in self.ranked]
