"""Where a target's decisions come from: bytes that a fuzzer steers, or a random generator."""

from __future__ import annotations

import random
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Choices(Protocol):
    """Decisions, one after another; every engine drives the same targets by them."""

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1."""


class Drawn:
    """Decisions of a seeded random generator: the plain mutation loop."""

    __slots__ = ("_random", "taken")

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random
        self.taken: list[int] = []

    def below(self, count: int) -> int:
        return int(self._random() * count)


class Read:
    """Decisions read from bytes: what a coverage-guided fuzzer varies. After their end every decision is 0."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def below(self, count: int) -> int:
        if count <= 1:
            return 0
        width = 1 if count <= 256 else 2
        piece = self._data[self._at : self._at + width]
        self._at += width
        return int.from_bytes(piece, "little") % count


def one(choices: Choices, items: list[Item] | tuple[Item, ...]) -> Item:
    """One of some items."""
    return items[choices.below(len(items))]
