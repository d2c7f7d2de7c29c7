"""One expected call, ready to be compared with many calls."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from .._errors import CouldNotScore, said
from .._model import ToolInvocation
from ._equality import NotComparable, equal, frozen, loosened, needs_care
from ._matchers import ABSENT, Fault, Fields, Matcher, has_matcher, matcher_of, raising_path
from ._outcome import argument_values, result_values, succeeded
from ._rules import argument_matcher

UNSTATED = ABSENT
"""Arguments or a result that an expectation says nothing of."""

Defaults = Mapping[str, Mapping[str, Any]]
"""The defaults of each tool's arguments, from their JSON schemas."""


class Wanted:
    """
    A call that is expected.

    Attributes:
        name: The tool.
        args: The expected arguments: a mapping, a plain value, None for no arguments, or `UNSTATED` for any.
        rule: The rule that compares them.
        literal: The arguments where plain equality decides, or None.
        result: What the result must be, or None.
        success: Whether the call must have succeeded, or None.
        agent: Who must have asked, or None.
        inside: The expectation of the calls made inside this one's tool, or None.
    """

    __slots__ = (
        "_by_name", "_careful", "_lean", "_made", "_matchers", "_open", "_single", "agent", "args", "inside", "literal", "name", "result",
        "rule", "success",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        args: Any = UNSTATED,
        rule: str = "exact",
        single: Mapping[str, Any] | None = None,
        *,
        result: Any = UNSTATED,
        success: bool | None = None,
        agent: str | None = None,
        inside: Any = None,
    ) -> None:
        self.name, self.args, self.rule, self.success, self.agent, self.inside = name, args, rule, success, agent, inside
        self.result = None if result is UNSTATED else matcher_of(result)
        self._single: Mapping[str, Any] = single or {}
        self._made: Matcher | None = None
        self._matchers = args is not UNSTATED and has_matcher(args)
        mapping = isinstance(args, Mapping)
        plain = mapping and rule == "exact" and not self._single and not self._matchers
        self.literal: dict[str, Any] | None = dict(args) if plain else None
        self._careful = self.literal is None or needs_care(self.literal)
        self._lean = self.result is None and success is None and agent is None
        self._open = args is UNSTATED or (rule == "ignore" and not (mapping and (self._single or self._matchers)))
        self._by_name = args is None or mapping

    def __getstate__(self) -> Any:
        return None, {name: getattr(self, name) for name in self.__slots__}

    @property
    def matcher(self) -> Matcher | None:
        """What compares the arguments; None for any arguments. Made when first needed: plain equality mostly decides before."""
        if self._open:
            return None
        made = self._made
        if made is None:
            args = self.args
            mapping = argument_matcher(args or {}, self.rule, self._single) if self._by_name else None
            made = self._made = matcher_of(args) if mapping is None else mapping
        return made

    def fits(self, call: ToolInvocation, defaults: Defaults | None = None) -> bool:
        """
        Does the call meet every condition?

        Args:
            defaults: What an omitted argument equals, by tool.

        Raises:
            CouldNotScore: It cannot be told; names the call and the path.
        """
        if call.name != self.name:
            return False
        args = call.args
        if defaults is None and self._lean and args is not None:
            if self._open:
                return True
            try:
                literal = self.literal
                if literal is not None:
                    return (not self._careful and args == literal) or equal(literal, args)
                if self._by_name:
                    return self._accepts(args)
            except NotComparable as error:
                raise self._unclear(call, error) from error
            except Exception as error:  # the comparison of somebody's object
                raise self._unclear(call, NotComparable(said(error))) from error
        return self.arguments_fit(call, defaults) and self.conditions_hold(call)

    def arguments_fit(self, call: ToolInvocation, defaults: Defaults | None = None) -> bool:
        """Are the arguments as expected, whatever else is not?"""
        if self._open:
            return True
        if call.args is None:
            return self._plain_value_fits(call)
        if self._by_name:
            try:
                return self._accepts(self._completed(call, defaults))
            except NotComparable as error:
                raise self._unclear(call, error) from error
        return False

    def _accepts(self, args: Any) -> bool:
        matcher = self.matcher
        return matcher is None or matcher.accepts(args)

    def conditions_hold(self, call: ToolInvocation) -> bool:
        """Do agent, result and success agree, whatever the arguments are?"""
        if self.agent is not None and call.agent != self.agent:
            return False
        if self.success is not None and succeeded(call) is not self.success:
            return False
        return self.result is None or any(_is_or_wraps(self.result, value) for value in result_values(call))

    def _plain_value_fits(self, call: ToolInvocation) -> bool:
        values = argument_values(call)
        if not values:
            return self.args is None
        matcher = self.matcher
        return matcher is not None and self.args is not None and any(_is_or_wraps(matcher, value) for value in values)

    def likeness(self, call: ToolInvocation, defaults: Defaults | None = None) -> float:
        """How near the call's arguments come to the expected ones, in 0..1: the share of arguments that are as they must be."""
        if self.matcher is None:
            return 1.0
        if call.args is None:
            return 1.0 if self._plain_value_fits(call) else 0.0
        matcher = self.matcher
        try:
            return matcher.likeness(self._completed(call, defaults))
        except NotComparable as error:
            raise self._unclear(call, error) from error

    def faults(self, call: ToolInvocation, defaults: Defaults | None = None) -> list[Fault]:
        """Which argument or condition breaks which rule; empty where the call fits."""
        found: list[Fault] = []
        if self.matcher is not None and not self.arguments_fit(call, defaults):
            if call.args is None:
                found.append(Fault("", self.args, ABSENT if call.raw_args is None else call.raw_args, self.rule))
            else:
                for fault in self.matcher.faults(self._completed(call, defaults), ""):
                    plain = fault.rule in ("exact", "partial") and self.rule not in ("exact", "ignore")
                    found.append(Fault(fault.path, fault.expected, fault.actual, self.rule) if plain else fault)
        if self.agent is not None and call.agent != self.agent:
            found.append(Fault("(agent)", self.agent, call.agent, "agent"))
        if self.success is not None and succeeded(call) is not self.success:
            found.append(Fault("(success)", self.success, succeeded(call), "success"))
        if self.result is not None and not any(_is_or_wraps(self.result, value) for value in result_values(call)):
            values = result_values(call)
            found.append(Fault("(result)", self.result, values[0] if values else ABSENT, "result"))
        return found

    def exchanges(self) -> bool:
        """Does every call that fits this one also fit whoever accepts a call with the very arguments expected here?"""
        plain = not self._matchers or self.rule in ("exact", "superset", "subset")
        return self._lean and not self._single and plain and isinstance(self.args, Mapping)

    def stand_in(self, defaults: Defaults | None = None) -> Hashable:
        """A hashable stand-in of the expected arguments where they are plain values; None where they are not."""
        if self._matchers or not isinstance(self.args, Mapping):
            return None
        return stand_in(self.name, self.args, defaults)

    def folded(self) -> Hashable:
        """A hashable stand-in of the loosened arguments; None where single arguments have a rule of their own or a matcher."""
        if self._matchers or self._single or not isinstance(self.args, Mapping):
            return None
        try:
            return frozen(loosened(self.args))
        except NotComparable:
            return None

    def _completed(self, call: ToolInvocation, defaults: Defaults | None) -> Any:
        """The arguments, with a default wherever only one side leaves the argument out."""
        own = defaults.get(call.name) if defaults else None
        if not own or call.args is None or not isinstance(self.matcher, Fields):
            return call.args
        fields = self.matcher.fields
        kept = {name: value for name, value in call.args.items() if name in fields or name not in own or not equal(value, own[name])}
        return {**{name: value for name, value in own.items() if name in fields}, **kept}

    def _unclear(self, call: ToolInvocation, error: NotComparable) -> CouldNotScore:
        path = raising_path(self.matcher, call.args) if self.matcher is not None else ""
        return CouldNotScore(f"argument {path or '(all)'} of the call {call.name} cannot be compared: {error}"[:1000])


def stand_in(name: str, args: Mapping[str, Any], defaults: Defaults | None) -> Hashable:
    """A hashable stand-in of a call's arguments, completed with defaults; None where there is none."""
    own = defaults.get(name) if defaults else None
    try:
        return frozen({**own, **args} if own else args)
    except NotComparable:
        return None


def _is_or_wraps(matcher: Matcher, value: Any) -> bool:
    """A plain value is also accepted under the name `value`, as some runtimes wrap it."""
    return matcher.accepts(value) or (not isinstance(value, Mapping) and matcher.accepts({"value": value}))
