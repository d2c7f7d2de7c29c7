"""Whether tools were called in an order: a subsequence of the calls, as `tool_order` and the code scorer mean it."""

from __future__ import annotations

from collections.abc import Sequence

from ._model import ToolInvocation
from ._shown import cut, listed, place


def in_order(names: Sequence[str], called: Sequence[str]) -> list[int]:
    """The positions of the calls that the names meet, taken as early as can be; as many as names when all are met."""
    found: list[int] = []
    start = 0
    for name in names:
        try:
            start = called.index(name, start) + 1
        except ValueError:  # it does not come
            break
        found.append(start - 1)
    return found


def told(names: Sequence[str], calls: Sequence[ToolInvocation], found: Sequence[int]) -> str:
    """How far an order was met, and where it broke, in words."""
    if len(found) == len(names):
        return f"the order {listed(names)} was kept" if names else "no order is expected"
    missing = names[len(found)]
    before = [index for index in range(found[-1] + 1 if found else 0) if calls[index].name == missing]
    after = f" after {place(calls, found[-1])}" if found else ""
    early = f", only before, as {place(calls, before[-1])}" if before else ""
    return f"expected {listed(names)}: number {len(found) + 1}, {cut(missing)}, was not called{after}{early}"
