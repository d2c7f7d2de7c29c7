"""What a report shows of many runs: counts and the few runs worth a look, of bounded size, in parts that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .._json import json_ready
from .._model import Score, Trajectory
from ..summary._confusion import cells_of

MOST_NAMES = 300
"""Names of tools, files, warnings and pairs that are told apart; the rest is counted as `OTHERS`."""

OTHERS = "(others)"
MOST_RUNS = 60
"""The worst runs that are kept; of the slowest and the longest a third."""

MOST_CALLS = 40
"""Calls in a run that the histogram tells apart; more are one group."""

MOST_TEXT = 300


@dataclass(slots=True)
class ToolFacts:
    """One tool's calls: by status, and how often they were tried again."""

    calls: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    retried: int = 0
    attempts: int = 0
    timed: int = 0
    seconds: float = 0.0
    longest_s: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """These facts as JSON."""
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__}, "statuses": dict(self.statuses)}

    def merge(self, other: ToolFacts) -> None:
        """Add the facts of other calls."""
        self.calls += other.calls
        self.statuses.update(other.statuses)
        self.retried += other.retried
        self.attempts += other.attempts
        self.timed += other.timed
        self.seconds += other.seconds
        self.longest_s = max(self.longest_s, other.longest_s)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run that is worth a look: where it is, what it asked, and what its failed checks say."""

    source: str
    row: int
    id: str
    request: str
    calls: int
    errors: int
    seconds: float | None
    tools: tuple[str, ...]
    lost: float
    """By how much its scores fall short of 1, added up."""
    failed: tuple[tuple[str, float | None, str], ...]
    """(key, score, comment) of what failed or could not be scored."""


class Survey:
    """
    Facts of many runs. Those of parts add up to those of the whole by `merge`, in the order of the parts.

    Attributes:
        runs: How many runs were read.
        calls: How many calls they made.
        per_run: How many runs made so many calls; `MOST_CALLS` stands for that many or more.
        tools: Each tool's facts by name.
        origins: How many runs were read from which kind of record.
        warnings: What records could not show, and how often.
        cells: How often which tool was called for which expected one, from references in the rows.
        unexpected: Calls that stand for no expected one, by tool.
        worst: The runs that lost most, the worst first.
        slowest: The runs that took longest.
        longest: The runs with the most calls.
        unreadable: How many rows could not be read.
        unread: The first of them: (source, row, cause).
    """

    def __init__(self) -> None:
        self.runs = 0
        self.calls = 0
        self.unreadable = 0
        self.per_run: Counter[int] = Counter()
        self.tools: dict[str, ToolFacts] = {}
        self.origins: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()
        self.cells: Counter[tuple[str, str]] = Counter()
        self.unexpected: Counter[str] = Counter()
        self.worst: list[RunFacts] = []
        self.slowest: list[RunFacts] = []
        self.longest: list[RunFacts] = []
        self.unread: list[tuple[str, int, str]] = []

    def add(self, source: str, row: int, id: str, run: Trajectory, scores: Sequence[Score], reference: Any = None) -> None:
        """Count one run and its scores."""
        calls = run.calls(None)
        self.runs += 1
        self.calls += len(calls)
        self.per_run[min(len(calls), MOST_CALLS)] += 1
        errors = 0
        for call in calls:
            facts = self.tools.get(call.name) or self.tools.setdefault(_name(self.tools, call.name), ToolFacts())
            facts.calls += 1
            facts.statuses[call.status] += 1
            facts.attempts += call.attempts
            facts.retried += call.attempts > 1
            errors += call.status in ("error", "invalid")
            if call.duration_s is not None:
                facts.timed += 1
                facts.seconds += call.duration_s
                facts.longest_s = max(facts.longest_s, call.duration_s)
        self.origins[_name(self.origins, run.source)] += 1
        for warning in run.warnings:
            self.warnings[_name(self.warnings, _cut(warning))] += 1
        if reference is not None and (found := cells_of(run, reference)) is not None:
            for wanted, called in found[0]:
                self.cells[(wanted, called) if (wanted, called) in self.cells or len(self.cells) < MOST_NAMES else (OTHERS, OTHERS)] += 1
            for called in found[1]:
                self.unexpected[_name(self.unexpected, called)] += 1
        self._consider(source, row, id, run, scores, len(calls), errors)

    def _consider(self, source: str, row: int, id: str, run: Trajectory, scores: Sequence[Score], calls: int, errors: int) -> None:
        """Keep the run where it belongs to those worth a look."""
        lost = sum(1 - score.score if score.score is not None else 0.5 for score in scores if score.status != "not_applicable")
        seconds = run.duration_s
        bad = lost > 0 and (len(self.worst) < MOST_RUNS or lost > self.worst[-1].lost)
        few = MOST_RUNS // 3
        slow = seconds is not None and (len(self.slowest) < few or seconds > (self.slowest[-1].seconds or 0.0))
        long = calls > 0 and (len(self.longest) < few or calls > self.longest[-1].calls)
        if not (bad or slow or long):
            return
        failed = [score for score in scores if score.score != 1 and score.status != "not_applicable"]
        failures = tuple([(score.key, score.score, _cut(score.comment)) for score in failed])
        tools = tuple(dict.fromkeys([call.name for call in run.invocations]))[:20]
        facts = RunFacts(source, row, id[:MOST_TEXT], _cut(run.input or ""), calls, errors, seconds, tools, lost, failures)
        if bad:
            _insert(self.worst, facts, _by_loss, MOST_RUNS)
        if slow:
            _insert(self.slowest, facts, _by_time, few)
        if long:
            _insert(self.longest, facts, _by_calls, few)

    def add_unreadable(self, source: str, row: int, cause: str) -> None:
        """Count a row that could not be read."""
        self.unreadable += 1
        if len(self.unread) < MOST_RUNS:
            self.unread.append((source, row, _cut(cause)))

    def merge(self, other: Survey) -> None:
        """Add the facts of later rows."""
        self.runs += other.runs
        self.calls += other.calls
        self.unreadable += other.unreadable
        self.per_run.update(other.per_run)
        for name, facts in other.tools.items():
            self.tools.setdefault(_name(self.tools, name), ToolFacts()).merge(facts)
        for mine, its in ((self.origins, other.origins), (self.warnings, other.warnings), (self.unexpected, other.unexpected)):
            for name, count in its.items():
                mine[_name(mine, name)] += count
        for pair, count in other.cells.items():
            self.cells[pair if pair in self.cells or len(self.cells) < MOST_NAMES else (OTHERS, OTHERS)] += count
        self.worst = sorted([*self.worst, *other.worst], key=_by_loss)[:MOST_RUNS]
        self.slowest = sorted([*self.slowest, *other.slowest], key=_by_time)[: MOST_RUNS // 3]
        self.longest = sorted([*self.longest, *other.longest], key=_by_calls)[: MOST_RUNS // 3]
        self.unread = [*self.unread, *other.unread][:MOST_RUNS]

    def to_dict(self) -> dict[str, Any]:
        """These facts as JSON."""
        return dict(
            json_ready(
                {
                    "runs": self.runs,
                    "calls": self.calls,
                    "unreadable": self.unreadable,
                    "per_run": list(self.per_run.items()),
                    "tools": {name: facts.to_dict() for name, facts in self.tools.items()},
                    "origins": self.origins,
                    "warnings": self.warnings,
                    "cells": [[*pair, count] for pair, count in self.cells.items()],
                    "unexpected": self.unexpected,
                    "worst": [asdict(facts) for facts in self.worst],
                    "slowest": [asdict(facts) for facts in self.slowest],
                    "longest": [asdict(facts) for facts in self.longest],
                    "unread": self.unread,
                }
            )
        )

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> Survey:
        """The facts that `to_dict` wrote."""
        survey = Survey()
        survey.runs, survey.calls, survey.unreadable = stored["runs"], stored["calls"], stored["unreadable"]
        survey.per_run = Counter(dict(map(tuple, stored["per_run"])))
        survey.tools = {name: ToolFacts(**{**facts, "statuses": Counter(facts["statuses"])}) for name, facts in stored["tools"].items()}
        survey.origins, survey.warnings = Counter(stored["origins"]), Counter(stored["warnings"])
        survey.cells = Counter({(wanted, called): count for wanted, called, count in stored["cells"]})
        survey.unexpected = Counter(stored["unexpected"])
        survey.worst, survey.slowest, survey.longest = (_runs(stored[name]) for name in ("worst", "slowest", "longest"))
        survey.unread = [(source, row, cause) for source, row, cause in stored["unread"]]
        return survey


def _runs(stored: Iterable[dict[str, Any]]) -> list[RunFacts]:
    return [RunFacts(**{**facts, "tools": tuple(facts["tools"]), "failed": tuple(map(tuple, facts["failed"]))}) for facts in stored]


def _insert(runs: list[RunFacts], facts: RunFacts, order: Any, most: int) -> None:
    runs.append(facts)
    runs.sort(key=order)
    del runs[most:]


def _by_loss(facts: RunFacts) -> float:
    return -facts.lost


def _by_time(facts: RunFacts) -> float:
    return -(facts.seconds or 0.0)


def _by_calls(facts: RunFacts) -> int:
    return -facts.calls


def _name(known: Any, name: str) -> str:
    name = name[:MOST_TEXT]
    return name if name in known or len(known) < MOST_NAMES else OTHERS


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} ..."
