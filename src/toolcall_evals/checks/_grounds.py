"""What was said and found before each call of a run, ready to be asked whether a value occurs in it."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from .._model import ToolInvocation, Trajectory

_GROUPED = re.compile(r"(?<![\w.])[-+]?(?:\d{1,3}(?:[ ,_']\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d{1,3})?%?", re.ASCII)
_PLAIN = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"(?<![\w.,])-?\d+,\d{1,2}(?![\w,])", re.ASCII)
_SEPARATORS = re.compile("[ ,_'+%]")
_WORDS = re.compile(r"[a-z0-9]+")
_TYPOGRAPHY = str.maketrans("‘’‚‛“”„‐‑‒–—−", "''''\"\"\"------")
_MOST_DIGITS = 40
_SPACELESS = 0x0E00
"""From Thai on, scripts are mostly written without spaces: there a word may begin and end anywhere."""


def folded(text: str) -> str:
    """A text as it is compared: NFKC, case folded, white space as one space, quotes and dashes plain."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_TYPOGRAPHY)
    return " ".join(text.casefold().split())


def number_in(text: str) -> float | None:
    """The number that a folded text is, in any of the ways in which numbers are written; None where it is none."""
    if (match := _DECIMAL_COMMA.fullmatch(text)) is not None:
        return _number(match.group().replace(",", "."))
    return _number(_SEPARATORS.sub("", text)) if _GROUPED.fullmatch(text) is not None else None


def written(value: Any) -> str:
    """A value as text; empty where it has none (an object of the caller's that raises, an integer of too many digits)."""
    try:
        return value if isinstance(value, str) else str(value)
    except Exception:  # noqa: BLE001 - whatever an object of a trace does when asked
        return ""


def _number(text: str) -> float | None:
    if len(text) > _MOST_DIGITS:
        return None
    found = int(text) if text.lstrip("-").isdigit() else float(text)
    return found if math.isfinite(found) else None


def scalars(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values in a structure that hold no others, with their paths; what lies inside itself is not followed again."""
    waiting: list[tuple[str, Any, frozenset[int]]] = [(path, value, frozenset())]
    while waiting:
        where, item, above = waiting.pop()
        if isinstance(item, Mapping | list | tuple):
            if id(item) in above or len(above) > 100:
                continue
            below = above | {id(item)}
            if isinstance(item, Mapping):
                parts = [(f"{where}.{key}" if where else str(key), each, below) for key, each in item.items()]
            else:
                parts = [(f"{where}[{place}]", each, below) for place, each in enumerate(item)]
            waiting += reversed(parts)
        else:
            yield where, item


class Grounds:
    """
    The folded text of a run in the order in which it became known, and how much of it was known at each call.

    Known are what the user and the system said before the call, the results of calls asked for in earlier messages, the arguments of the
    call inside whose tool it was made and of handoffs, and what the assistant said before the user spoke again.
    """

    __slots__ = ("_firsts", "_length", "_limits", "_numbers", "_parts", "_seen", "_text", "_words")

    def __init__(self, run: Trajectory, own_words: bool = False) -> None:
        """
        Args:
            own_words: Whether what the assistant said since the user last spoke is known too.
        """
        self._parts: list[str] = []
        self._length = 0
        self._seen: set[str] = set()
        self._numbers: dict[float, int] = {}
        self._limits: dict[int, int] = {}
        self._firsts: dict[str, int | None] = {}
        self._follow(run, own_words)
        self._text = "\0".join(self._parts)
        self._words: dict[str, int] = {}
        for found in _WORDS.finditer(self._text):
            self._words.setdefault(found.group(), found.start())

    def knew_text(self, call: ToolInvocation, text: str) -> bool:
        """Did a folded text occur before the call, not as a part of a word?"""
        if text not in self._firsts:
            self._firsts[text] = self._first(text)
        first = self._firsts[text]
        return first is not None and first < self._limits[id(call)]

    def knew_number(self, call: ToolInvocation, number: float) -> bool:
        """Did a number occur before the call, however it was written?"""
        first = self._numbers.get(number)
        return first is not None and first < self._limits[id(call)]

    def _follow(self, run: Trajectory, own_words: bool) -> None:
        heard, unheard = 0, list[str]()
        results: list[ToolInvocation] = []
        by_id = {call.id: call for call in run.invocations if call.id}
        parents: set[str] = set()
        self._add(run.input)
        if all(call.message_index is None for call in run.invocations):
            for role, text in run.messages:
                self._add(text if role in ("user", "system") or (own_words and role == "assistant") else None)
        before: int | None = None
        for call in run.invocations:
            if call.message_index is None or call.message_index != before:
                self._add_results(results)
                before = call.message_index
            for role, text in run.messages[heard : call.message_index or 0]:
                if role == "assistant" and not own_words:
                    unheard.append(text)
                    continue
                if role == "user":
                    for said in unheard:
                        self._add(said)
                    unheard.clear()
                self._add(text)
            heard = max(heard, call.message_index or 0)
            if call.parent_id in by_id and call.parent_id not in parents:
                parents.add(call.parent_id or "")
                self._add_arguments(by_id[call.parent_id])
            self._limits[id(call)] = self._length
            if call.status != "hallucinated":
                results.append(call)

    def _add_results(self, calls: list[ToolInvocation]) -> None:
        for call in calls:
            self._add(call.result)
            if call.result is not None and "\\" in call.result:
                self._add(_unescaped(call.result))
            if call.raw_result is not None and call.raw_result != call.result:
                self._add("\n".join([written(value) for _, value in scalars(call.raw_result)]))
            if call.kind == "handoff":
                self._add_arguments(call)
        calls.clear()

    def _add_arguments(self, call: ToolInvocation) -> None:
        self._add("\n".join([written(value) for _, value in scalars(call.args)]) if call.args is not None else call.raw_args)

    def _add(self, text: str | None) -> None:
        if not text or text in self._seen:
            return
        self._seen.add(text)
        part = folded(text)
        for found in (*_GROUPED.finditer(part), *_PLAIN.finditer(part), *_DECIMAL_COMMA.finditer(part)):
            figures = found.group()
            number = number_in(figures)
            if number is not None:
                self._numbers.setdefault(number, self._length)
                if figures.endswith("%"):
                    self._numbers.setdefault(number / 100, self._length)
        self._parts.append(part)
        self._length += len(part) + 1

    def _first(self, text: str) -> int | None:
        """Where a text first occurs as whole words."""
        start = 0
        if text.isascii():
            firsts = [self._words.get(word, -1) for word in _WORDS.findall(text)]
            if -1 in firsts:
                return None
            start = max(0, max(firsts, default=0) - len(text))  # no earlier than its rarest word
        place = self._text.find(text, start)
        while place >= 0:
            end = place + len(text)
            if not _joins(self._text[place - 1 : place], text[0]) and not _joins(text[-1], self._text[end : end + 1]):
                return place
            place = self._text.find(text, place + 1)
        return None


def _joins(left: str, right: str) -> bool:
    """Do two neighbouring characters belong to one word?"""
    return left.isalnum() and right.isalnum() and ord(left) < _SPACELESS and ord(right) < _SPACELESS


def _unescaped(text: str) -> str | None:
    """The values of a JSON text, without its escapes."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return "\n".join([written(value) for _, value in scalars(json.loads(text))])
    except (ValueError, RecursionError):
        return None
