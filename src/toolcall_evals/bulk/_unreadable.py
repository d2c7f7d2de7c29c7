"""The list of rows that could not be read: it belongs to one output, and no run touches another's."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from ._errors import OVERWRITE, BulkError
from ._places import check_writable

NAME = "errors.jsonl"
OWNER = "output"
"""The field of each line that says which output the list belongs to, by name."""


class UnreadableRows:
    """
    Where the unreadable rows of an output are listed.

    Unless told where, that is `errors.jsonl` beside the output, or `<output>.errors.jsonl` where the list there is another's.
    """

    def __init__(self, out: Path, asked: Path | None) -> None:
        """
        Args:
            out: The output.
            asked: Where the list shall be, or None.
        """
        self._out, self._asked = out, asked
        self._own = out.with_name(f"{out.name}.{NAME}")
        self.places = [asked] if asked is not None else [out.with_name(NAME), self._own]

    def check(self, *, overwrite: bool) -> None:
        """
        Can the list be written later?

        Raises:
            BulkError: It cannot; or what was asked for is there, is no list of this output, and may not be overwritten.
        """
        check_writable(self.places[0])
        if self._asked is not None and self._asked.exists() and not overwrite and not self._is_ours(self._asked):
            raise BulkError(f"{self._asked} is there already; choose another name, or {OVERWRITE}")

    def write(self, faults: Iterable[dict[str, Any]]) -> Path | None:
        """
        Write the list, whole or not at all, and remove an earlier one of this output.

        Returns:
            Where it is; None where there is nothing to list.
        """
        unfinished, count = self._own.with_name(f"{self._own.name}.new"), 0
        if self._asked is not None:
            unfinished = self._asked.with_name(f"{self._asked.name}.new")
        with open(unfinished, "wb") as file:
            for fault in faults:
                file.write(orjson.dumps({**fault, OWNER: self._out.name}) + b"\n")
                count += 1
        place = self._taken() if count else None
        if place is None:
            unfinished.unlink()
        else:
            os.replace(unfinished, place)
        for earlier in self.places:
            if earlier != place and (earlier == self._asked or self._is_ours(earlier)):
                earlier.unlink(missing_ok=True)
        return place

    def _taken(self) -> Path:
        """The place of the list; `errors.jsonl` is made at once, so that no other run takes it."""
        first = self.places[0]
        try:
            open(first, "xb").close()
        except FileExistsError:
            return first if first == self._asked or self._is_ours(first) else self._own
        return first

    def _is_ours(self, place: Path) -> bool:
        """Whether a list is one of this output: its first line says so."""
        try:
            with open(place, "rb") as file:
                first = orjson.loads(file.readline(2**16))
        except (OSError, ValueError):
            return False
        return isinstance(first, dict) and first.get(OWNER) == self._out.name
