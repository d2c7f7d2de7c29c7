"""Making a part of an expectation out of finished parts: each refuses what no run could meet."""

from __future__ import annotations

from typing import Any, TypeVar

from .._errors import SettingError
from .._represented import represented
from ._contradictions import has_statement, refuse_contradictions
from ._language import Alternatives, Before, Call, Expectation, Group, Never, Optional, Sequence, Times

Part = TypeVar("Part", bound=Expectation)


def sequence(parts: tuple[Expectation, ...]) -> Sequence:
    """The parts one after the other."""
    return _sound(Sequence(parts))


def group(parts: tuple[Expectation, ...], at_once: bool = False) -> Group:
    """The parts in any order."""
    return _sound(Group(parts, at_once))


def optional(part: Expectation) -> Optional:
    """The part or nothing."""
    _refuse_statement("optional", part)
    return Optional(part)


def one_of(options: tuple[Expectation, ...]) -> Alternatives:
    """One of several calls."""
    if not options or not all(isinstance(option, Call) for option in options):
        raise SettingError("one_of takes one or more calls; any_of takes whole expectations")
    return Alternatives(options)


def any_of(options: tuple[Expectation, ...]) -> Alternatives:
    """One of several expectations."""
    if not options:
        raise SettingError("any_of takes one or more expectations, got none")
    return Alternatives(options, trajectories=True)


def times(word: str, number: Any, part: Expectation) -> Times:
    """The part so many times; the word is `at_least`, `at_most` or `exactly`."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise SettingError(f"{word} takes a whole number of at least 1, got {represented(number)}; `never` says that a call is not made")
    _refuse_statement(word, part)
    return Times(part, 0 if word == "at_most" else number, None if word == "at_least" else number)


def before(earlier: Expectation, later: Expectation) -> Before:
    """One call before another."""
    if not isinstance(earlier, Call) or not isinstance(later, Call):
        raise SettingError(f"before takes two calls, got {represented(earlier, 200)} and {represented(later, 200)}"[:500])
    if earlier.covers(later) and later.covers(earlier):
        raise SettingError(f"before takes two different calls, got {represented(earlier)} twice"[:500])
    return Before(earlier, later)


def never(part: Expectation, adjacent: Any = False) -> Never:
    """A call, or a sequence of calls, that is not made."""
    if not isinstance(adjacent, bool):
        raise SettingError(f"adjacent must be True or False, got {represented(adjacent)}"[:500])
    steps = (part,) if isinstance(part, Call) else part.parts if isinstance(part, Sequence) else ()
    calls = tuple([step for step in steps if isinstance(step, Call)])
    if not calls or len(calls) != len(steps):
        raise SettingError(f"never takes a call or a sequence of calls, got {represented(part)}"[:500])
    return Never(calls, adjacent)


def _sound(part: Part) -> Part:
    refuse_contradictions(part)
    return part


def _refuse_statement(word: str, part: Expectation) -> None:
    if has_statement(part):
        raise SettingError(f"{word} takes calls and what is made of them, not a statement about the whole run: {represented(part)}"[:500])
