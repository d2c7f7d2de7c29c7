"""One stored row to scores: decode, read, check; nothing is made that nobody asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
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
"""Lines after an unusual one that are not tried as a usual run: the lines of a file are mostly of one form."""


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
        """The scores of a usual run, in which no number matters that orjson would read differently; None for every other line."""
        try:
            row = orjson.loads(data)
            if type(row) is not dict or "tools" in row or REFERENCE in row:
                return None
            run = usual_chat(row)  # arguments are text in it, decoded as `load` does
            if run is None:
                run = self.fields.trajectory_of(row, **self._reading) if _is_plain(row) else None
                if run is None or not _is_exact(run):
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


def _is_plain(row: dict[str, Any]) -> bool:
    """Whether a row is nothing but ids and messages whose contents are texts, so that no number of it becomes one."""
    for message in row["messages"]:
        if type(message.get("data", message).get("content")) is not str:
            return False
    return all(name == "messages" or type(value) is str for name, value in row.items())


def _is_exact(run: Trajectory) -> bool:
    """Whether all numbers of a run are those of its arguments, and none is one that orjson may have rounded."""
    if run.usage is not None or run.available_tools is not None or run.duration_s is not None:
        return False
    for call in run.invocations:
        if call.raw_result is not None or call.artifact is not None or call.executed_args is not None or call.extra:
            return False
        if call.duration_s is not None or call.args is None or _rounded(call.args.values()):
            return False
    return True


def _rounded(values: Iterable[Any]) -> bool:
    for value in values:
        kind = type(value)
        if kind is float:
            if not -_LONG < value < _LONG:
                return True
        elif (kind is dict and _rounded(value.values())) or (kind is list and _rounded(value)):
            return True
    return False


_LONG = 2.0**63
"""Integers up to here are read as integers."""


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
