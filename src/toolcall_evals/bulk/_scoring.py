"""One stored row to scores: decode, read, check; nothing is made that nobody asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic_core import from_json

from .._convert import Turns
from .._errors import TraceFormatError, said
from .._evaluator import Evaluator, scores_of
from .._model import Score, Trajectory
from ._fields import Fields

MOST_CAUSE = 500


class Scored:
    """
    What became of one row.

    Attributes:
        id: The row's own id, or None.
        scores: A score for each evaluator, in their order; none where the row could not be read.
        trajectory: The run, or None where the row could not be read.
        error: Why it could not be read, or None.
        reference: What the row says that was expected, or None.
    """

    __slots__ = ("error", "id", "reference", "scores", "trajectory")

    def __init__(
        self,
        id: str | None,
        scores: list[Score],
        run: Trajectory | None,
        error: str | None = None,
        reference: Any = None,
    ) -> None:
        self.id, self.scores, self.trajectory, self.error, self.reference = id, scores, run, error, reference


class RowScorer:
    """Scores rows, one after another, with the same evaluators."""

    def __init__(
        self,
        evaluators: Sequence[Evaluator],
        fields: Fields = Fields(),  # noqa: B008 - frozen
        *,
        adapter: str | None = None,
        form: str | None = None,
        turns: Turns = "all",
    ) -> None:
        """
        Args:
            evaluators: What scores each run.
            fields: Where in a row the trace, its id and its reference stand.
            adapter: As for `to_trajectory`; so are `form` and `turns`.
        """
        self.evaluators = list(evaluators)
        self.fields = fields
        self._reading: dict[str, Any] = {"adapter": adapter, "form": form, "turns": turns}

    def line(self, data: bytes | str) -> Scored:
        """Score one line of JSON; never raises for what is in it."""
        try:
            row = load(data)
        except (ValueError, RecursionError) as error:
            return Scored(None, [], None, f"not JSON: {said(error)}"[:MOST_CAUSE])
        return self.value(row)

    def value(self, row: Any) -> Scored:
        """Score one decoded row; never raises for what is in it."""
        try:
            id = self.fields.id_of(row)
            reference = self.fields.reference_of(row)
            run = self.fields.trajectory_of(row, **self._reading)
        except TraceFormatError as error:
            return Scored(None, [], None, str(error)[:MOST_CAUSE])
        except Exception as error:  # noqa: BLE001 - one row must not end a run over millions
            return Scored(None, [], None, f"cannot be read: {said(error)}"[:MOST_CAUSE])
        return Scored(id, scores_of(self.evaluators, run, reference), run, None, reference)


def load(data: bytes | str) -> Any:
    """
    A line of JSON as `json.loads` reads it: NaN, integers of any length and lone surrogates too.

    Raises:
        ValueError: It is no JSON, or no UTF-8 text.
    """
    try:
        return from_json(data)  # not orjson, which reads integers of more than 64 bits as floats
    except ValueError:
        return json.loads(data if isinstance(data, str) else str(data, "utf-8"))
