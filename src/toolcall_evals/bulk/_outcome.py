"""What comes of a run: the sums over its parts, and how they are kept beside its output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._tally import Tally
from ._part import Part, new_survey
from ._plan import Plan

if TYPE_CHECKING:
    from ..report import Survey

MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: bytes read of bytes there are, rows taken, and how many of them could not be read."""

    done: int
    total: int
    rows: int
    unreadable: int


@dataclass(slots=True)
class Outcome:
    """
    What came of a run over files.

    Attributes:
        rows: How many rows were taken: scored, or found unreadable.
        unreadable: How many could not be read.
        errors: The first of these, with place and cause.
        errors_path: Where all are listed; None where there are none, or no output was asked for.
        tallies: One for each evaluator, in their order.
        survey: What a report shows of the runs, where that was asked for.
        seconds: How long it took.
        was_finished: Whether the output was there already, of the same files and evaluators: then nothing was scored again.
    """

    rows: int
    unreadable: int
    errors: list[dict[str, Any]]
    errors_path: Path | None
    tallies: list[Tally]
    survey: Survey | None
    seconds: float
    was_finished: bool = False

    def to_dict(self) -> dict[str, Any]:
        """This outcome as JSON."""
        return {
            "rows": self.rows,
            "unreadable": self.unreadable,
            "errors": self.errors,
            "errors_path": None if self.errors_path is None else str(self.errors_path),
            "tallies": [tally.to_dict() for tally in self.tallies],
            "survey": None if self.survey is None else self.survey.to_dict(),
            "seconds": self.seconds,
        }

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> Outcome:
        """The outcome that `to_dict` wrote, of a run that was finished before."""
        return Outcome(
            rows=stored["rows"],
            unreadable=stored["unreadable"],
            errors=stored["errors"],
            errors_path=None if stored["errors_path"] is None else Path(stored["errors_path"]),
            tallies=[Tally.from_dict(each) for each in stored["tallies"]],
            survey=None if stored["survey"] is None else new_survey().from_dict(stored["survey"]),
            seconds=stored["seconds"],
            was_finished=True,
        )


class Sums:
    """What parts add up to."""

    def __init__(self, plan: Plan, total: int, progress: Callable[[Progress], None] | None) -> None:
        """
        Args:
            plan: How rows are scored.
            total: How many bytes there are to read.
            progress: Told after each part.
        """
        self._tallies = [Tally(evaluator.key) for evaluator in plan.built()]
        self._survey = new_survey() if plan.survey else None
        self._errors: list[dict[str, Any]] = []
        self._rows = self._unreadable = self._done = 0
        self._total, self._progress = total, progress

    def add(self, part: Part) -> None:
        """Add a part; in the order of the chunks."""
        for mine, its in zip(self._tallies, part.tallies, strict=True):
            mine.merge(its)
        if self._survey is not None and part.survey is not None:
            self._survey.merge(part.survey)
        self._errors += part.errors[: MOST_SHOWN - len(self._errors)]
        self._rows += part.taken
        self._unreadable += len(part.errors)
        self._done += part.weight
        if self._progress is not None:
            self._progress(Progress(min(self._done, self._total), self._total, self._rows, self._unreadable))

    def outcome(self, seconds: float, errors_path: Path | None) -> Outcome:
        """The sums of all parts."""
        return Outcome(self._rows, self._unreadable, self._errors, errors_path, self._tallies, self._survey, seconds)
