"""What was typed, as what is meant."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .._convert import Turns, adapters
from ..bulk import BulkError, Condition, Fields, Plan, Selection

Reading = tuple[str | None, str | None, str]
"""adapter, form, turns."""


def plan_of(
    evals: str | None,
    fields: tuple[str | None, str | None, str | None],
    reading: Reading,
    selected: tuple[Sequence[str], float, int, int | None],
    explain: bool,
    survey: bool,
) -> Plan:
    """
    The plan that options ask for.

    Raises:
        BulkError: An option that makes no sense; names it.
    """
    where, sample, seed, limit = selected
    if not (math.isfinite(sample) and 0 < sample <= 1):
        raise BulkError(f"expected --sample above 0 and at most 1, found {sample:g}")
    adapter, form, turns = reading_of(reading)
    selection = Selection(tuple([Condition.of(text) for text in where]), sample, seed, limit)
    return Plan(evals if evals is not None else (), Fields(*fields), selection, adapter, form, turns, explain, survey)


def reading_of(reading: Reading) -> tuple[str | None, str | None, Turns]:
    """How traces are read."""
    adapter, form, turns = reading
    if adapter is not None and adapter not in adapters():
        raise BulkError(f"expected --adapter to be one of {sorted(adapters())}, found {adapter!r}")
    if turns in ("all", "last"):
        return adapter, form, turns  # type: ignore[return-value]  # one of the two literals
    try:
        return adapter, form, int(turns)
    except ValueError as error:
        raise BulkError(f"expected --turns to be all, last or a whole number, found {turns!r}") from error


def thresholds_of(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    """
    Thresholds by key, of `KEY=LEAST` or `KEY=LEAST..MOST`. A key may hold "=": the last one counts.

    Raises:
        BulkError: A text that is no threshold.
    """
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        key, _, limits = text.rpartition("=")
        least, _, most = limits.partition("..")
        try:
            bounds = float(least), float(most or 1)
        except ValueError:
            bounds = math.nan, math.nan
        if not key or not 0 <= bounds[0] <= bounds[1] <= 1:
            raise BulkError(f"expected --threshold KEY=0.9 or KEY=0.2..0.9, in 0..1, found {text!r}")
        found[key] = bounds
    return found
