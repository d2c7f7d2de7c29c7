"""The functions that write an expectation."""

from __future__ import annotations

from typing import Any

from ..matching import UNSTATED
from . import _build
from ._language import Alternatives, Before, Call, Expectation, Group, Never, Nothing, Optional, Sequence, Times
from ._read import decoded, read


def call(
    name: str,
    args: Any = UNSTATED,
    *,
    rule: str | None = None,
    result: Any = UNSTATED,
    success: bool | None = None,
    agent: str | None = None,
    inside: Any = None,
) -> Call:
    """
    A call of a tool.

    Args:
        name: The tool.
        args: The arguments; values may be matchers, such as `regex("^O-")`. None: no arguments. Left out: any.
        rule: How the arguments are compared (`exact`, `superset`...), instead of the scorer's own rule.
        result: The value returned, or a matcher; left out: any.
        success: Whether it must have succeeded.
        agent: Who must have asked.
        inside: What should have been done inside this call's tool, such as by a sub-agent.

    Raises:
        ValueError: An unknown rule, or a name that is no text.
    """
    below = None if inside is None else read(inside, "inside")
    return Call(name, decoded(args, "args"), rule, decoded(result, "result"), success, agent, below)


def sequence(*parts: Any) -> Sequence:
    """The parts one after the other; a part is an expectation, a tool's name or {"name", "args"}."""
    return _build.sequence(_parts("sequence", parts))


def unordered(*parts: Any) -> Group:
    """The parts in any order, interleaved or not; each part keeps its own order."""
    return _build.group(_parts("unordered", parts))


def parallel(*parts: Any) -> Group:
    """Calls asked for at once: in any order among themselves, and as a whole in their place of a sequence."""
    return _build.group(_parts("parallel", parts), at_once=True)


def optional(part: Any) -> Optional:
    """A part that may be absent; where it is there it is not unexpected."""
    return _build.optional(read(part, "optional"))


def one_of(*calls: Any) -> Alternatives:
    """Exactly one of several calls, in one place."""
    return _build.one_of(_parts("one_of", calls))


def any_of(*expectations: Any) -> Alternatives:
    """Any one of several expectations; the one that goes best with the run counts."""
    return _build.any_of(_parts("any_of", expectations))


def at_least(number: int, part: Any) -> Times:
    """The part so many times or more."""
    return _build.times("at_least", number, read(part, "at_least"))


def at_most(number: int, part: Any) -> Times:
    """The part so many times or fewer; one call of it more is a violation, even where other calls are allowed."""
    return _build.times("at_most", number, read(part, "at_most"))


def exactly(number: int, part: Any) -> Times:
    """The part exactly so many times; one call of it more is a violation."""
    return _build.times("exactly", number, read(part, "exactly"))


def before(earlier: Any, later: Any) -> Before:
    """Whenever `later` is called, `earlier` has been called before. Asks for neither call."""
    return _build.before(read(earlier, "before"), read(later, "before"))


def never(unwanted: Any, *, adjacent: bool = False) -> Never:
    """
    A call that is not made anywhere in the run, or a sequence of calls that does not occur.

    Args:
        unwanted: A call, or a sequence of calls.
        adjacent: Of a sequence: only where nothing is called in between.
    """
    return _build.never(read(unwanted, "never"), adjacent)


def nothing() -> Nothing:
    """No call at all."""
    return Nothing()


def _parts(where: str, values: tuple[Any, ...]) -> tuple[Expectation, ...]:
    return tuple([read(value, f"{where}: part {index + 1}") for index, value in enumerate(values)])
