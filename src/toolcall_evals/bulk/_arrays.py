"""A list of runs as JSON lines, piece by piece: a large `.json` file is never held as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

BOM = b"\xef\xbb\xbf"
OPENING = b"[{"
OPENED_BY = {ord("]"): b"[", ord("}"): b"{"}
QUOTE, BACKSLASH, COMMA, SPACE, BREAK = b'"\\, \n'

_STRING = rb'(?:[^"\\]++|\\.)*+'
_ITEMS = re.compile(rb'(?:[^"\[\]{},]++|"' + _STRING + rb'")*+', re.DOTALL).match
"""What comes before a bracket or a comma, or a string that does not end in this piece."""

_INSIDE = re.compile(rb'(?:[^"\[\]{}]++|"' + _STRING + rb'")*+', re.DOTALL).match
"""Likewise inside an item, where commas do not matter."""

_REST = re.compile(_STRING, re.DOTALL).match
"""What is left of a string that began in an earlier piece."""


def lines_of_items(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """
    The pieces of a JSON list with a line break behind each item and none inside one; every byte stays where it is.

    Line breaks become carriage returns: white space between values, and inside a string as wrong as they are. What follows the list is
    left as it is. Whether an item is JSON finds out who reads it: a bracket closes all that were opened since its own was.
    """
    begun, in_string, escaped = False, False, False
    open = bytearray()
    for piece in pieces:
        if begun and not open:
            yield piece
            continue
        text = bytearray(piece.replace(b"\n", b"\r"))
        if not begun and text.startswith(BOM):
            text[: len(BOM)] = b" " * len(BOM)
        place = int(escaped)
        escaped = False
        while place < len(text):
            if in_string:
                place = _REST(text, place).end()  # type: ignore[union-attr]  # matches nothing at least, as the others do
                if place < len(text):
                    in_string = escaped = text[place] == BACKSLASH
                    place += 1
                continue
            place = (_INSIDE if len(open) > 1 else _ITEMS)(text, place).end()  # type: ignore[union-attr]
            if place == len(text):
                break
            letter = text[place]
            if letter in OPENING:
                if not begun:
                    begun, text[place] = True, SPACE
                open.append(letter)
            elif letter == QUOTE:
                in_string = True
            elif letter == COMMA:
                if len(open) == 1:
                    text[place] = BREAK
            elif (opened := open.rfind(OPENED_BY[letter])) >= 0:
                del open[opened:]
                if not open:
                    text[place:] = b"\n" + piece[place + 1 :]
                    break
            place += 1
        yield bytes(text)


def is_one(items: list[Any]) -> bool:
    """Whether a list is one trace: of messages, items or events, not of runs; the first of them tells."""
    if not items:
        return False
    first = items[0]
    if not isinstance(first, Mapping):
        return not isinstance(first, list)
    if not {"messages", "inputs", "outputs", "trace", "trajectory", "toolcall_evals"}.isdisjoint(first):
        return False
    return not {"role", "type", "event", "lc"}.isdisjoint(first)
