"""Open requests, found by tool and arguments without going over all of them: a run of thousands of calls must not cost their square."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ._joined import Joined
from ._names import cleaned

_DEPTH = 8
"""Below it all values count as alike; a likeness only narrows down what is compared."""


class OpenRequests:
    """The requests that may still find what ran for them, in order."""

    def __init__(self) -> None:
        self._alike: dict[tuple[str, int], list[Joined]] = {}

    def add(self, request: Joined) -> None:
        """Keep a request until a run is found for it."""
        self._alike.setdefault(likeness(request.draft.name, request.draft.args), []).append(request)

    def alike(self, name: str, args: Any) -> Iterator[Joined]:
        """Those that may be of the same tool with the same arguments."""
        return iter(self._alike.get(likeness(name, args), ()))

    def close(self, request: Joined) -> None:
        """Forget a request whose run was found, before its draft changes."""
        alike = self._alike.get(likeness(request.draft.name, request.draft.args), [])
        alike[:] = [each for each in alike if each is not request]


def likeness(name: str, args: Any) -> tuple[str, int]:
    """Equal for the same tool with equal arguments, and hardly ever else."""
    return cleaned(name), _hash(args, _DEPTH)


def _hash(value: Any, depth: int) -> int:
    """A hash of any value, equal where values are."""
    if depth == 0:
        return 0
    if isinstance(value, Mapping):
        return hash(frozenset((_hash(key, depth - 1), _hash(item, depth - 1)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return hash(tuple(_hash(item, depth - 1) for item in value))
    if isinstance(value, str):
        return str.__hash__(value)  # an enum's own hash differs from that of the text that it equals
    if isinstance(value, int):
        return int.__hash__(value)
    return float.__hash__(value) if isinstance(value, float) else 0
