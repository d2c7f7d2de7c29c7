"""How alike are two texts? The Sorensen-Dice coefficient of their character pairs."""

from __future__ import annotations

from collections import Counter
from operator import add


def dice(one: str, other: str) -> float:
    """
    The coefficient, in 0..1; white space and case play no part.

    Counts pairs of code points as npm's string-similarity counts pairs of UTF-16 units. Equal texts give 1.0; a text of fewer
    than two characters has no pairs and gives 0.0 with any other.
    """
    first, second = "".join(one.split()).casefold(), "".join(other.split()).casefold()
    if first == second:
        return 1.0
    if len(first) < 2 or len(second) < 2:
        return 0.0
    pairs, others = Counter(map(add, first, first[1:])), Counter(map(add, second, second[1:]))
    shared = sum(min(count, others[pair]) for pair, count in pairs.items() if pair in others)
    return 2 * shared / (len(first) + len(second) - 2)
