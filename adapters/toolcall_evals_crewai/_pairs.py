"""Which end belongs to which start of a tool: by id, and where the ids are lost or wrong by what the events hold."""

from __future__ import annotations

from ._fields import text_field
from ._names import resolves
from ._protocol import read_input
from ._rows import ENDS, Log, Row, opener_id, parent_id, shown_name


def paired(log: Log) -> tuple[dict[int, int], set[int]]:
    """
    The end of each start, by position, and every end that needs no call of its own.

    By id where that names a start of the same tool, else by parent, name and arguments, first come first served.
    """
    starts = [at for at, row in enumerate(log.rows) if row["type"] == "tool_usage_started"]
    pairs: dict[int, int] = {}
    spare: list[int] = []
    for at, row in enumerate(log.rows):
        if row["type"] in ENDS:
            start = _named_start(log, row)
            if start is None or start in pairs:
                spare.append(at)
            else:
                pairs[start] = at
    taken = set(pairs.values())
    for at in spare:
        row = log.rows[at]
        waiting = [(fit, -start) for start in starts if start < at and start not in pairs and (fit := _fit(log.rows[start], row))]
        if waiting:
            pairs[-max(waiting)[1]] = at
            taken.add(at)
        elif _named_start(log, row) is not None:
            log.warnings.append(f"a call of {shown_name(row)} ends twice; the first end is read")
            taken.add(at)
        else:
            log.warnings.append(f"a call of {shown_name(row)} ends without a start in this record")
    return pairs, taken


def _named_start(log: Log, end: Row) -> int | None:
    """The start that an end names, unless a corrupt stack made it name something else."""
    opener = opener_id(end)
    at = log.positions.get(opener) if opener else None
    if at is None or log.rows[at]["type"] != "tool_usage_started":
        return None
    return at if resolves(shown_name(log.rows[at]), shown_name(end)) else None


def _fit(start: Row, end: Row) -> int:
    """How well an end that names no start belongs to one: 0 for not at all, more for the same arguments, and for the same place."""
    mine, its = text_field(start, "agent_id"), text_field(end, "agent_id")
    if not resolves(shown_name(start), shown_name(end)) or (mine and its and mine != its):
        return 0
    same_args = read_input(start.get("tool_args"))[0] == end.get("tool_args")
    return 1 + 2 * same_args + (parent_id(start) == parent_id(end))
