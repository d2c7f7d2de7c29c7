"""What a survey keeps of a tool, of a file, and of a run that is worth a look."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._model import ToolInvocation

MOST_ATTEMPTS = 1_000_000
MOST_SECONDS = 10_000_000.0
"""Longer than any run takes: such a time is a fault of the record, and not counted."""


def seconds_of(value: Any) -> float | None:
    """A duration as a record states it, or None where it is no time."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= MOST_SECONDS
    return float(value) if known else None


@dataclass(slots=True)
class ToolFacts:
    """
    One tool's calls.

    Attributes:
        calls: How many there are.
        statuses: How many of each status.
        retried: How many were tried more than once.
        attempts: How often they were tried.
        timed: How many have a duration.
        microseconds: The sum of those; whole numbers, so that it is the same in any order.
        longest: The longest of them, in microseconds.
    """

    calls: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    retried: int = 0
    attempts: int = 0
    timed: int = 0
    microseconds: int = 0
    longest: int = 0

    def count(self, call: ToolInvocation) -> None:
        """Count one call."""
        self.calls += 1
        self.statuses[call.status] += 1
        self.attempts += min(call.attempts, MOST_ATTEMPTS)
        self.retried += call.attempts > 1
        if call.duration_s is not None and (seconds := seconds_of(call.duration_s)) is not None:
            spent = round(seconds * 1e6)
            self.timed += 1
            self.microseconds += spent
            self.longest = max(self.longest, spent)

    def __add__(self, other: ToolFacts) -> ToolFacts:
        return ToolFacts(
            self.calls + other.calls,
            self.statuses + other.statuses,
            self.retried + other.retried,
            self.attempts + other.attempts,
            self.timed + other.timed,
            self.microseconds + other.microseconds,
            max(self.longest, other.longest),
        )

    @property
    def failed(self) -> int:
        """How many calls ran and failed, or were faulty requests."""
        return self.statuses["error"] + self.statuses["invalid"]

    def to_dict(self) -> dict[str, Any]:
        """These facts as JSON."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "statuses": dict(self.statuses)}

    @staticmethod
    def from_dict(stored: Mapping[str, Any]) -> ToolFacts:
        """The facts that `to_dict` wrote."""
        return ToolFacts(**{**stored, "statuses": Counter(stored["statuses"])})


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """
    One file's runs.

    Attributes:
        runs: How many were read.
        flawed: Of how many some score is below 1.
        unreadable: How many rows could not be read.
    """

    runs: int = 0
    flawed: int = 0
    unreadable: int = 0

    def __add__(self, other: SourceFacts) -> SourceFacts:
        return SourceFacts(self.runs + other.runs, self.flawed + other.flawed, self.unreadable + other.unreadable)

    def to_list(self) -> list[int]:
        """These facts as JSON."""
        return [self.runs, self.flawed, self.unreadable]


class Failure(NamedTuple):
    """
    What one evaluator finds wrong with a run.

    Attributes:
        key: The evaluator's.
        score: Below 1, or None where it could not be scored.
        comment: Why.
        diff: What differs from the expected calls, as (kind, text); empty where the evaluator compares none.
    """

    key: str
    score: float | None
    comment: str
    diff: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RunFacts:
    """
    One run that is worth a look.

    Attributes:
        source: The file it is in.
        row: Its row there.
        id: Its own id.
        request: What it was asked.
        calls: How many calls it made.
        errors: How many of them failed.
        seconds: How long it took, where known.
        tools: The first of the tools that it called.
        lost: By how much its scores fall short of 1, added up.
        failed: What failed or could not be scored.
    """

    source: str
    row: int
    id: str
    request: str
    calls: int
    errors: int
    seconds: float | None
    tools: tuple[str, ...]
    lost: float
    failed: tuple[Failure, ...]

    def to_dict(self) -> dict[str, Any]:
        """These facts as JSON."""
        facts = {name: getattr(self, name) for name in self.__slots__}
        failed = [[each.key, each.score, each.comment, [list(line) for line in each.diff]] for each in self.failed]
        return {**facts, "tools": list(self.tools), "failed": failed}

    @staticmethod
    def from_dict(stored: Mapping[str, Any]) -> RunFacts:
        """The facts that `to_dict` wrote."""
        return RunFacts(**{**stored, "tools": tuple(stored["tools"]), "failed": tuple(_failures(stored["failed"]))})


def _failures(stored: Iterable[Any]) -> Iterable[Failure]:
    for key, score, comment, diff in stored:
        yield Failure(key, score, comment, tuple([(kind, text) for kind, text in diff]))
