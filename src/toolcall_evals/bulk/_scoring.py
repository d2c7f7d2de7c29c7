"""One stored row to scores: decode, read, check; nothing is made that nobody asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import orjson
from pydantic_core import from_json

from .._convert import Turns
from .._errors import TraceFormatError, said
from .._evaluator import Evaluator, scores_of
from .._model import Score, Trajectory
from ..messages import usual_chat
from ._fields import REFERENCE, Fields

MOST_CAUSE = 500

PAUSE = 50
"""Lines after an unusual one that are not tried as a usual chat: the lines of a file are mostly of one form."""


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
        self._unusual = 0
        self._plain = fields == Fields() and adapter is None and form is None and turns == "all"

    def line(self, data: bytes | str | memoryview) -> Scored:
        """Score one line of JSON; never raises for what is in it."""
        try:
            if self._plain and type(data) is bytes:
                if self._unusual:
                    self._unusual -= 1
                elif (found := self._usual(data)) is not None:
                    return found
                else:
                    self._unusual = PAUSE
            row = load(data)
        except (ValueError, RecursionError) as error:
            return Scored(None, [], None, f"not JSON: {said(error)}"[:MOST_CAUSE])
        return self.value(row)

    def _usual(self, data: bytes) -> Scored | None:
        """The scores of a usual chat, in which no number matters that orjson would read differently; None for every other line."""
        try:
            row = orjson.loads(data)
            if type(row) is not dict or "tools" in row or REFERENCE in row or (run := usual_chat(row)) is None:
                return None
        except Exception:  # noqa: BLE001 - the general way says what is wrong
            return None
        return Scored(self.fields.id_of(row), scores_of(self.evaluators, run), run)

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


def load(data: bytes | str | memoryview) -> Any:
    """
    A line of JSON as `json.loads` reads it: NaN, integers of any length and lone surrogates too.

    Raises:
        ValueError: It is no JSON, or no UTF-8 text.
    """
    text = bytes(data) if isinstance(data, memoryview) else data
    try:
        return from_json(text)  # orjson reads integers of more than 64 bits as floats
    except (ValueError, TypeError):  # what json reads and pydantic does not: lone surrogates, deep nesting; or no JSON at all
        return json.loads(text if isinstance(text, str) else str(text, "utf-8"))
