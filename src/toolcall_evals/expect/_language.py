"""The language: what a run should have done, as frozen data. Each part validates itself when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._errors import SettingError
from .._represented import represented
from .._shown import cut
from ..matching import RULES, UNSTATED
from ..matching._equality import equal
from ._words import words


class Expectation:
    """What a run should have done; `repr` says it in words. Immutable."""

    __slots__ = ()

    def __repr__(self) -> str:
        return words(self)


@dataclass(frozen=True, slots=True, repr=False)
class Call(Expectation):
    """
    One call.

    Attributes:
        name: The tool.
        args: The arguments, in which values may be matchers; None for none; left out for any.
        rule: How the arguments are compared; None leaves it to the scorer.
        result: The result, or a matcher of it; left out for any.
        success: Whether it must have succeeded; None for either.
        agent: Who must have asked; None for anybody.
        inside: What should have been done inside this call's tool, such as by a sub-agent; None for anything.
    """

    name: str
    args: Any = UNSTATED
    rule: str | None = None
    result: Any = UNSTATED
    success: bool | None = None
    agent: str | None = None
    inside: Expectation | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise SettingError(f"name of a call must be a text, got {represented(self.name)}"[:500])
        if isinstance(self.args, Mapping) and not all(isinstance(name, str) for name in self.args):
            raise SettingError(f"args of the call {cut(self.name)} must have texts as names, got {represented(list(self.args))}"[:500])
        if self.rule is not None and self.rule not in RULES:
            raise SettingError(f"rule of the call {cut(self.name)} must be one of {sorted(RULES)}, got {represented(self.rule)}"[:500])
        if self.success is not None and not isinstance(self.success, bool):
            raise SettingError(f"success of the call {cut(self.name)} must be True, False or None, got {represented(self.success)}"[:500])
        if self.agent is not None and not isinstance(self.agent, str):
            raise SettingError(f"agent of the call {cut(self.name)} must be a text or None, got {represented(self.agent)}"[:500])
        for field in ("name", "agent"):  # a class of somebody's own may show itself as it likes, or not at all
            if type(text := getattr(self, field)) is not str and text is not None:
                object.__setattr__(self, field, str.__str__(text))

    def covers(self, other: Call) -> bool:
        """Is every call that `other` expects also one that this one describes?"""
        same = self.name == other.name and self.success in (None, other.success) and self.agent in (None, other.agent)
        if not same or self.result is not UNSTATED or self.inside is not None:
            return False
        return self.args is UNSTATED or self.rule == "ignore" or (other.args is not UNSTATED and equal(self.args, other.args))


@dataclass(frozen=True, slots=True, repr=False)
class Sequence(Expectation):
    """Parts one after the other."""

    parts: tuple[Expectation, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Group(Expectation):
    """Parts in any order, each keeping its own; `at_once` says that they are asked for together."""

    parts: tuple[Expectation, ...]
    at_once: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Optional(Expectation):
    """A part that may be absent."""

    part: Expectation


@dataclass(frozen=True, slots=True, repr=False)
class Alternatives(Expectation):
    """Exactly one of several calls or, where they are `trajectories`, of several whole expectations."""

    options: tuple[Expectation, ...]
    trajectories: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Times(Expectation):
    """A part at least and at most so many times, one after the other; `most` None is without limit."""

    part: Expectation
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Before(Expectation):
    """Whenever `later` is called, `earlier` has been called before. Asks for neither."""

    earlier: Call
    later: Call


@dataclass(frozen=True, slots=True, repr=False)
class Never(Expectation):
    """A call that is not made anywhere; or calls that do not follow one another in this order, `adjacent` or anywhere in the run."""

    calls: tuple[Call, ...]
    adjacent: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Nothing(Expectation):
    """No call at all."""
