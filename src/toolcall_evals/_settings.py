"""Settings of checks and scorers: each is validated when the evaluator is built, and says what is allowed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from ._errors import SettingError
from ._model import COUNTED_KINDS, KINDS, ToolInvocation, Trajectory
from ._represented import represented, unfit


def refuse(setting: str, value: Any, allowed: str) -> NoReturn:
    """Raise the `SettingError` that names the setting, the value and what is allowed."""
    raise SettingError(f"{setting} must be {allowed}, got {represented(value, 500)}"[:500])


def text(setting: str, value: Any) -> str:
    """A non-empty text."""
    if not isinstance(value, str) or not value:
        refuse(setting, value, "a non-empty text")
    return value


def any_text(setting: str, value: Any) -> str:
    """A text, which may be empty."""
    if not isinstance(value, str):
        refuse(setting, value, "a text")
    return value


def names(setting: str, value: Any) -> tuple[str, ...]:
    """A list of tool names; an empty one is a statement of its own."""
    if isinstance(value, str) or not isinstance(value, list | tuple):
        refuse(setting, value, "a list of tool names")
    for name in value:
        if not isinstance(name, str) or not name:
            refuse(setting, value, "a list of non-empty tool names")
    return tuple(value)


def count(setting: str, value: Any, least: int) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least or unfit(value) is not None:
        refuse(setting, value, f"a whole number of at least {least}")
    return value


def fraction(setting: str, value: Any) -> float:
    """A number in 0..1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        refuse(setting, value, "a number between 0 and 1")
    return float(value)


def seconds(setting: str, value: Any) -> float:
    """A time in seconds, above 0 and at most a day."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86_400:
        refuse(setting, value, "a number of seconds above 0 and at most 86400")
    return float(value)


def flag(setting: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        refuse(setting, value, "True or False")
    return value


def choice(setting: str, value: Any, allowed: Iterable[str]) -> str:
    """One of the allowed words."""
    words = sorted(allowed)
    if not isinstance(value, str) or value not in words:
        refuse(setting, value, f"one of {words}")
    return value


@dataclass(frozen=True, slots=True)
class Scope:
    """
    Which calls an evaluator looks at.

    Attributes:
        kinds: The kinds to keep, or None for every kind.
        agents: The agents whose calls to keep, or None for every agent.
        usual: The kinds that the evaluator keeps unless told otherwise.
    """

    kinds: frozenset[str] | None = COUNTED_KINDS
    agents: frozenset[str] | None = None
    usual: frozenset[str] | None = COUNTED_KINDS

    def calls(self, run: Trajectory) -> tuple[ToolInvocation, ...]:
        """The calls of the run that are looked at."""
        if self.agents is None:
            if self.kinds is None:
                return run._every
            if self.kinds is COUNTED_KINDS or self.kinds == COUNTED_KINDS:
                return run._counted
        return run.calls(self.kinds, self.agents)

    def names(self, run: Trajectory) -> tuple[str, ...]:
        """The names of those calls."""
        calls = self.calls(run)
        return run._names if calls is run._every else tuple([call.name for call in calls])

    def settings(self) -> list[str]:
        """The settings that made it, as `name=value`; none where nothing is narrowed."""
        kinds = [] if self.kinds == self.usual else [f"kinds={'all' if self.kinds is None else sorted(self.kinds)!r}"]
        return kinds + ([f"agent={sorted(self.agents)!r}"] if self.agents else [])

    def variant(self) -> tuple[str, ...]:
        """The words that tell it apart in a feedback key; none where nothing is narrowed."""
        kinds = () if self.kinds == self.usual else ("all" if self.kinds is None else ".".join(sorted(self.kinds)),)
        return kinds + tuple(f"by.{name}" for name in sorted(self.agents or ()))

    def __str__(self) -> str:
        kinds = "" if self.kinds in (None, self.usual) else f" of kind {' or '.join(sorted(self.kinds))}"
        return kinds + (f" by {' or '.join(sorted(self.agents))[:100]}" if self.agents else "")


def scope(kinds: str | Collection[str] | None, agent: str | Iterable[str] | None, default: frozenset[str] | None) -> Scope:
    """
    The settings `kinds=` and `agent=`, which every check and scorer takes.

    Args:
        kinds: A kind, several, "all", or None for the evaluator's own default.
        agent: The name of an agent, several, or None for every agent.
        default: The kinds where none is given; None is every kind.
    """
    chosen: frozenset[str] | None
    if kinds is None:
        chosen = default
    elif isinstance(kinds, str) and kinds == "all":
        chosen = None
    else:
        chosen = _several("kinds", kinds, f"'all' or some of {sorted(KINDS)}")
        if not chosen <= KINDS:
            refuse("kinds", kinds, f"'all' or some of {sorted(KINDS)}")
    if agent is None:
        return Scope(chosen, None, default)
    agents = _several("agent", agent, "the name of an agent or several names")
    if not all(agents):
        refuse("agent", agent, "the name of an agent or several names")
    return Scope(chosen, agents, default)


def _several(name: str, value: Any, allowed: str) -> frozenset[str]:
    """One text or several, as a set; never empty."""
    found = {value} if isinstance(value, str) else value
    listed = isinstance(found, Collection) and not isinstance(found, Mapping | bytes)
    if not listed or not found or not all(isinstance(each, str) for each in found):
        refuse(name, value, allowed)
    return frozenset(found)
