"""How alike are two texts?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._filling import one_text
from .._model import Trajectory
from .._shown import cut
from ._read import Part, part, read, shown, variant

_WHITE_SPACE = re.compile("[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
"""What ECMAScript's `\\s` matches (ECMA-262 2024, WhiteSpace and LineTerminator); Python's has other control characters."""

_UNLIKE_PYTHON = re.compile("[\x1c-\x1f\x85\ufeff]")
"""Where the two differ; in a text without these, `str.split` removes the same and is six times faster."""


def similarity(
    expected: str | None = None,
    threshold: float | None = None,
    ignore_case: bool = True,
    *,
    text: Part = "all",
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    How similar is the agent's text to `expected`?

    The Dice coefficient of character bigrams, as npm `string-similarity` 4.0.4 computes it but on code points: white space is removed;
    twice the bigrams that both have, repeats counted, over the bigrams of both. Equal texts give 1, also empty ones; a text
    of one character has no bigram and gives 0 unless equal.

    Args:
        expected: The text to compare with. None: each example's `expected_output`.
        threshold: 0 to 1. With it the score is 1.0 when the similarity reaches it, else 0.0.
        ignore_case: Compare case-folded texts (`str.casefold`).
        text: `all`: every assistant text of the run, joined with one space. `final`: the last one.
        kinds: As in every check; texts have no kind.
        agent: As in every check; no record says which agent a text is of, so with it nothing can be scored.
        key: The feedback key, instead of `similarity:<expected>`.

    Returns:
        An evaluator that scores 0.0 to 1.0.

    Raises:
        ValueError: A threshold outside 0..1.
    """
    ignore_case = setting.flag("ignore_case", ignore_case)
    bigrams = partial(_bigrams_of, ignore_case)
    settings = {
        "expected": None if expected is None else bigrams("expected", expected),
        "threshold": None if threshold is None else setting.fraction("threshold", threshold),
        "text": part(text),
        "scope": setting.scope(kinds, agent, None),
    }
    return Evaluator(
        "similarity",
        _measure,
        settings,
        key=key,
        subject=expected,
        variant=variant(text, ignore_case) + ([] if threshold is None else [f"least.{settings['threshold']!r}"]),
        fill=partial(one_text, "expected", bigrams) if expected is None else None,
        evidence="text",
        shown={**settings, "expected": expected, "ignore_case": ignore_case},
    )


@dataclass(frozen=True, slots=True)
class _Bigrams:
    """The expected text, counted once and compared with many."""

    text: str
    ignore_case: bool
    packed: str
    counts: Counter[str]

    def compare(self, text: str) -> tuple[float, int, int]:
        """(the similarity in 0..1, the bigrams that both have, the bigrams of both)."""
        packed = _packed(text, self.ignore_case)
        both = max(len(self.packed) - 1, 0) + max(len(packed) - 1, 0)
        if packed == self.packed:
            return 1.0, both // 2, both
        if len(packed) < 2 or len(self.packed) < 2:
            return 0.0, 0, both
        counts, shared = self.counts, 0
        for bigram, count in Counter(map(add, packed, packed[1:])).items():
            known = counts.get(bigram)
            if known:
                shared += known if known < count else count
        return 2.0 * shared / both, shared, both


def _bigrams_of(ignore_case: bool, name: str, value: Any) -> _Bigrams:
    text = setting.any_text(name, value)
    packed = _packed(text, ignore_case)
    return _Bigrams(text, ignore_case, packed, Counter(map(add, packed, packed[1:])))


def _packed(text: str, ignore_case: bool) -> str:
    text = text.casefold() if ignore_case else text
    return "".join(text.split()) if _UNLIKE_PYTHON.search(text) is None else _WHITE_SPACE.sub("", text)


def _measure(run: Trajectory, expected: _Bigrams, threshold: float | None, text: str, scope: setting.Scope) -> Finding:
    whole = read(run, text, scope)
    value, shared, both = expected.compare(whole)

    def explain() -> tuple[str, dict[str, Any]]:
        limit = "" if threshold is None else f", at least {threshold} expected"
        comment = f"similarity {value:.4f} (2 x {shared} shared of {both} bigrams){limit}; {shown(run, text, whole)}"
        numbers = {"similarity": value, "threshold": threshold, "shared_bigrams": shared, "bigrams": both}
        return comment, {"expected": cut(expected.text, 1000), **numbers}

    return value if threshold is None else value >= threshold, explain
