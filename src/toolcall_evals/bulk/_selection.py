"""Which rows are asked for: conditions, a sample, a limit."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from ._errors import BulkError
from ._fields import at, is_absent

OPERATORS = (">=", "<=", "!=", "=", ">", "<", "~")


@dataclass(frozen=True, slots=True)
class Condition:
    """
    One condition on a row: a field, an operator, a value.

    Attributes:
        field: A dotted path.
        operator: One of `OPERATORS`; `~` is "contains".
        value: What the field is held against: JSON where it is some, and a text otherwise.
    """

    field: str
    operator: str
    value: Any

    @staticmethod
    def of(text: str) -> Condition:
        """
        Read `field=value`.

        Raises:
            BulkError: There is no operator in it, or no field before it.
        """
        places = [(text.find(operator), -len(operator), operator) for operator in OPERATORS if operator in text]
        if not places or min(places)[0] == 0:
            raise BulkError(f"expected a condition such as 'tags.kind=refund', with one of {' '.join(OPERATORS)}, found {text!r}")
        place, _, operator = min(places)
        stated = text[place + len(operator) :].strip()
        try:
            value = json.loads(stated)
        except ValueError:
            value = stated
        return Condition(text[:place].strip(), operator, value)

    def holds(self, row: Any) -> bool:
        """Whether it holds of a row; not of one that lacks the field (which `!=` takes)."""
        found = at(row, self.field)
        if is_absent(found):
            return self.operator == "!="
        if self.operator in ("=", "!="):
            same = found == self.value and isinstance(found, bool) == isinstance(self.value, bool)
            same = same or (isinstance(found, str) and not isinstance(self.value, str) and found == str(self.value))
            return same == (self.operator == "=")
        if self.operator == "~":
            return str(self.value) in found if isinstance(found, str) else self.value in found if isinstance(found, list | dict) else False
        try:
            return bool(
                {">": found > self.value, "<": found < self.value, ">=": found >= self.value, "<=": found <= self.value}[self.operator]
            )
        except TypeError:
            return False


@dataclass(frozen=True, slots=True)
class Selection:
    """
    Which rows are scored.

    Attributes:
        where: Conditions that must all hold.
        sample: The share of rows to take, above 0 to 1, chosen by place: the same rows each time.
        seed: Chooses other rows.
        limit: The most rows to take, or None.
    """

    where: tuple[Condition, ...] = ()
    sample: float = 1.0
    seed: int = 0
    limit: int | None = None

    def drawn(self, source: str, number: int) -> bool:
        """Whether the sample takes the row at this place."""
        if self.sample >= 1:
            return True
        digest = hashlib.blake2b(f"{self.seed}\0{source}\0{number}".encode("utf-8", "surrogateescape"), digest_size=8).digest()
        return int.from_bytes(digest, "big") < self.sample * 2**64

    def wanted(self, row: Any) -> bool:
        """Whether all conditions hold of a row."""
        return all(condition.holds(row) for condition in self.where)
