"""What a report shows of many runs: counts and the few runs worth a look, of bounded size, in parts that add up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from .._model import Score, ToolInvocation, Trajectory
from ..summary._confusion import cells_of
from ._diff_lines import diff_lines
from ._facts import Failure, RunFacts, SourceFacts, ToolFacts, seconds_of
from ._names import MOST_NAMES, OTHERS, add_counts, kept_name, kept_text, trim
from ._ranking import Ranking

MOST_WORST = 60
MOST_FOR_KEY = 12
MOST_SLOW = 10
MOST_UNREAD = 50

UNSCORED = 1e-9
"""What a score that could not be had counts among the worst for its evaluator: less than any that is below 1."""

MOST_CALLS = 40
"""Calls in a run that the histogram tells apart; more are one group."""

MOST_SOURCES = 200
MOST_WARNINGS = 100
MOST_FAILURES = 20
MOST_TOOLS = 20
MOST_REQUEST = 400
MOST_SOURCE = 4096
MOST_COMMENT = 800

_ROOM = 8 * MOST_NAMES
"""Names of all kinds that may be held before they are trimmed."""

_VARIES = re.compile(r"'[^']{0,200}'|\"[^\"]{0,200}\"|\d+")
"""What differs between warnings of one kind."""


class Survey:
    """
    Facts of many runs. Those of parts add up by `merge` to those of the whole, in any order.

    Attributes:
        runs: How many runs were read.
        calls: How many calls they made.
        flawed: How many runs have a score below 1.
        unreadable: How many rows could not be read.
        per_run: How many runs made so many calls; `MOST_CALLS` stands for that many or more.
        tools: Each tool's facts by name.
        sources: Each file's.
        origins: How many runs were read from which kind of record.
        warnings: What records could not show, and of how many runs; numbers and quoted names are left out.
        expected: How many calls were expected, by references in the rows.
        right: For how many of them the right tool was called.
        cells: How often which tool was called for which expected one.
        unexpected: Calls that stand for no expected one, by tool.
    """

    def __init__(self) -> None:
        self.runs = self.calls = self.flawed = self.unreadable = self.expected = self.right = 0
        self.per_run: Counter[int] = Counter()
        self.tools: dict[str, ToolFacts] = {}
        self.sources: dict[str, SourceFacts] = {}
        self.origins: dict[str, int] = {}
        self.warnings: dict[str, int] = {}
        self.cells: dict[tuple[str, str], int] = {}
        self.unexpected: dict[str, int] = {}
        self._worst = Ranking(MOST_WORST)
        self._slowest = Ranking(MOST_SLOW)
        self._longest = Ranking(MOST_SLOW)
        self._by_key: dict[str, Ranking] = {}
        self._unread: list[tuple[str, int, str]] = []

    @property
    def worst(self) -> list[RunFacts]:
        """The runs that lost most, the worst first."""
        return self._worst.runs

    @property
    def slowest(self) -> list[RunFacts]:
        """The runs that took longest."""
        return self._slowest.runs

    @property
    def longest(self) -> list[RunFacts]:
        """The runs with the most calls."""
        return self._longest.runs

    @property
    def unread(self) -> list[tuple[str, int, str]]:
        """The first rows that could not be read: (source, row, cause)."""
        return sorted(self._unread)[:MOST_UNREAD]

    def worth_a_look(self) -> list[RunFacts]:
        """Every run that is kept, each once: the worst, then the worst for each evaluator, the slowest and those with the most calls."""
        rankings = [self._worst, *[self._by_key[key] for key in sorted(self._by_key)], self._slowest, self._longest]
        return list({(facts.source, facts.row): facts for ranking in rankings for facts in ranking.runs}.values())

    def add(self, source: str, row: int, id: str, run: Trajectory, scores: Sequence[Score], reference: Any = None) -> None:
        """Count one run and its scores."""
        source, calls = kept_text(source, MOST_SOURCE), run.calls(None)
        self.runs += 1
        self.calls += len(calls)
        self.per_run[min(len(calls), MOST_CALLS)] += 1
        for call in calls:
            (self.tools.get(call.name) or self._tool(call.name)).count(call)
        add_counts(self.origins, {kept_name(run.source): 1})
        if run.warnings:
            add_counts(self.warnings, dict.fromkeys([_VARIES.sub("…", kept_text(text, MOST_REQUEST)) for text in run.warnings], 1))
        if reference is not None:
            self._compare(run, reference)
        flawed = self._consider(source, row, id, run, scores, calls)
        self.flawed += flawed
        add_counts(self.sources, {source: SourceFacts(1, int(flawed))})
        if len(self.tools) + len(self.cells) + len(self.unexpected) + len(self.sources) + len(self.warnings) + len(self.origins) > _ROOM:
            self._trim()

    def add_unreadable(self, source: str, row: int, cause: str) -> None:
        """Count a row that could not be read."""
        source = kept_text(source, MOST_SOURCE)
        self.unreadable += 1
        add_counts(self.sources, {source: SourceFacts(unreadable=1)})
        self._unread.append((source, row, kept_text(cause, MOST_REQUEST)))
        if len(self._unread) > 2 * MOST_UNREAD:
            self._trim()

    def merge(self, other: Survey) -> None:
        """Add the facts of other rows."""
        self.runs += other.runs
        self.calls += other.calls
        self.flawed += other.flawed
        self.unreadable += other.unreadable
        self.expected += other.expected
        self.right += other.right
        self.per_run.update(other.per_run)
        add_counts(self.tools, {name: facts + ToolFacts() for name, facts in other.tools.items()})
        for name in ("sources", "origins", "warnings", "cells", "unexpected"):
            add_counts(getattr(self, name), getattr(other, name))
        for mine, its in ((self._worst, other._worst), (self._slowest, other._slowest), (self._longest, other._longest)):
            mine.merge(its)
        for key, ranking in other._by_key.items():
            self._by_key.setdefault(key, Ranking(MOST_FOR_KEY)).merge(ranking)
        self._unread += other._unread
        self._trim()

    def to_dict(self) -> dict[str, Any]:
        """These facts as JSON."""
        self._trim()
        runs = self.worth_a_look()
        numbers = {(facts.source, facts.row): number for number, facts in enumerate(runs)}

        def ranked(ranking: Ranking) -> list[list[Any]]:
            return [[-each.measure, numbers[each.source, each.row]] for each in ranking.ranked]

        return {
            "runs": self.runs,
            "calls": self.calls,
            "flawed": self.flawed,
            "unreadable": self.unreadable,
            "expected": self.expected,
            "right": self.right,
            "per_run": sorted(self.per_run.items()),
            "tools": {name: facts.to_dict() for name, facts in self.tools.items()},
            "sources": {name: facts.to_list() for name, facts in self.sources.items()},
            "origins": dict(self.origins),
            "warnings": dict(self.warnings),
            "cells": sorted([[*pair, count] for pair, count in self.cells.items()]),
            "unexpected": dict(self.unexpected),
            "kept": [facts.to_dict() for facts in runs],
            "worst": ranked(self._worst),
            "slowest": ranked(self._slowest),
            "longest": ranked(self._longest),
            "by_key": {key: ranked(ranking) for key, ranking in self._by_key.items()},
            "unread": [list(each) for each in self._unread],
        }

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> Survey:
        """The facts that `to_dict` wrote."""
        survey = Survey()
        for name in ("runs", "calls", "flawed", "unreadable", "expected", "right"):
            setattr(survey, name, stored[name])
        survey.per_run = Counter(dict(stored["per_run"]))
        survey.tools = {name: ToolFacts.from_dict(facts) for name, facts in stored["tools"].items()}
        survey.sources = {name: SourceFacts(*facts) for name, facts in stored["sources"].items()}
        for name in ("origins", "warnings", "unexpected"):
            setattr(survey, name, dict(stored[name]))
        survey.cells = {(wanted, called): count for wanted, called, count in stored["cells"]}
        kept = [RunFacts.from_dict(facts) for facts in stored["kept"]]

        def fill(ranking: Ranking, entries: list[list[Any]]) -> None:
            for measure, number in entries:
                ranking.put(measure, kept[number])

        fill(survey._worst, stored["worst"])
        fill(survey._slowest, stored["slowest"])
        fill(survey._longest, stored["longest"])
        for key, entries in stored["by_key"].items():
            fill(survey._by_key.setdefault(key, Ranking(MOST_FOR_KEY)), entries)
        survey._unread = [(source, row, cause) for source, row, cause in stored["unread"]]
        return survey

    def _tool(self, name: str) -> ToolFacts:
        return self.tools.setdefault(kept_name(name), ToolFacts())

    def _compare(self, run: Trajectory, reference: Any) -> None:
        """Count which tool was called for which expected one."""
        found = cells_of(run, reference)
        if found is not None:
            self.expected += len(found[0])
            self.right += sum([wanted == called for wanted, called in found[0]])
            add_counts(self.cells, Counter([(kept_name(wanted), kept_name(called)) for wanted, called in found[0]]))
            add_counts(self.unexpected, Counter(map(kept_name, found[1])))

    def _consider(self, source: str, row: int, id: str, run: Trajectory, scores: Sequence[Score], calls: Sequence[ToolInvocation]) -> bool:
        """Keep the run where it belongs to those worth a look; returns whether a score is below 1."""
        lost = {kept_name(score.key): 1 - score.score for score in scores if score.score is not None}
        total, seconds = sum(lost.values()), seconds_of(run.duration_s)
        lost |= {kept_name(score.key): UNSCORED for score in scores if score.status == "could_not_score"}
        wanted: list[tuple[Ranking, float]] = [(self._worst, total), (self._longest, len(calls)), (self._slowest, seconds or 0.0)]
        wanted += [(self._by_key.setdefault(key, Ranking(MOST_FOR_KEY)), each) for key, each in lost.items() if each > 0]
        places = [(ranking, measure) for ranking, measure in wanted if measure > 0 and ranking.takes(measure, source, row)]
        if places:
            failed = [score for score in scores if score.score is not None and score.score < 1]
            failed += [score for score in scores if score.status == "could_not_score"]
            facts = RunFacts(
                source,
                row,
                kept_name(id),
                kept_text(run.input or "", MOST_REQUEST),
                len(calls),
                sum([call.status in ("error", "invalid") for call in calls]),
                seconds,
                tuple(dict.fromkeys([kept_name(call.name) for call in calls]))[:MOST_TOOLS],
                total,
                tuple([_failure(score) for score in failed[:MOST_FAILURES]]),
            )
            for ranking, measure in places:
                ranking.put(measure, facts)
        return total > 0

    def _trim(self) -> None:
        """Bring what may grow to its bound; what is kept depends on the facts alone."""
        trim(self.tools)
        trim(self.sources, MOST_SOURCES)
        trim(self.origins, MOST_WARNINGS)
        trim(self.warnings, MOST_WARNINGS)
        trim(self.cells, MOST_NAMES, (OTHERS, OTHERS))
        trim(self.unexpected)
        self._unread = sorted(self._unread)[:MOST_UNREAD]


def _failure(score: Score) -> Failure:
    return Failure(kept_name(score.key), score.score, kept_text(score.comment, MOST_COMMENT), diff_lines(score.details))
