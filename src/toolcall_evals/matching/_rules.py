"""How the arguments of expected calls are compared: one rule for all, one for each tool, or one for each argument."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import SettingError
from .._represented import represented, unfit
from ._matchers import Fields, Loosely, Matcher, has_matcher, matcher_of
from ._values import AnyValue, Ignored, Number, Partly, TextLike, UnorderedList

RULES = ("exact", "ignore", "subset", "superset", "partial", "loose")
"""What the arguments as a whole may be compared by."""

ARGUMENT_RULES = ("exact", "ignore", "any_value", "loose", "partial", "unordered_list")
"""What one argument may be compared by; a matcher will do too."""


class Rules:
    """
    The setting `args=` of a scorer.

    Either a rule's name, for every tool; or a mapping from tools to a rule's name or to a mapping from arguments to rules. `*`
    stands for every other tool, and among arguments for the rule of the tool's arguments as a whole.
    """

    __slots__ = ("_default", "_tools", "setting")

    def __init__(self, setting: Any = "exact") -> None:
        """
        Raises:
            SettingError: An unknown rule; says where.
        """
        if not isinstance(setting, str) and (fault := unfit(setting, "args")) is not None:
            raise SettingError(f"args cannot be read: {fault}"[:500])
        self.setting = setting
        by_tool = setting if isinstance(setting, Mapping) else {"*": setting}
        tools = {tool: _tool_rules(tool, rules) for tool, rules in by_tool.items()}
        self._default: tuple[str, dict[str, Any]] = tools.pop("*", ("exact", {}))
        self._tools = tools

    def __getstate__(self) -> Any:
        return None, {name: getattr(self, name) for name in self.__slots__}

    def of(self, tool: str) -> tuple[str, dict[str, Any]]:
        """The rule of a tool's arguments, and the rules of single arguments."""
        return self._tools.get(tool, self._default)

    def __repr__(self) -> str:
        return repr(self.setting)


def _tool_rules(tool: Any, rules: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(tool, str):
        raise SettingError(f"args must name tools by texts, got {represented(tool)}")
    where = "args" if tool == "*" else f"args[{tool!r}]"
    if isinstance(rules, str):
        return checked_rule(rules, where), {}
    if not isinstance(rules, Mapping):
        raise SettingError(f"{where} must be one of {sorted(RULES)} or a mapping from arguments to rules, got {represented(rules)}"[:500])
    whole = checked_rule(rules.get("*", "exact"), f"{where}['*']")
    return whole, {name: _argument_rule(rule, f"{where}[{name!r}]") for name, rule in rules.items() if name != "*"}


def checked_rule(rule: Any, where: str) -> str:
    """The rule's name, if it is one."""
    if not isinstance(rule, str) or rule not in RULES:
        raise SettingError(f"{where} must be one of {sorted(RULES)}, got {represented(rule)}"[:500])
    return rule


def _argument_rule(rule: Any, where: str) -> Any:
    if isinstance(rule, Matcher | Tolerance) or (isinstance(rule, str) and rule in ARGUMENT_RULES):
        return rule
    raise SettingError(f"{where} must be one of {sorted(ARGUMENT_RULES)} or a matcher, got {represented(rule)}"[:500])


class Tolerance:
    """How near an argument must come to the expected value, whatever that is: for `args={"tool": {"argument": near(...)}}`."""

    __slots__ = ("abs", "rel", "threshold")

    def __init__(self, rel: float = 0.0, abs: float = 0.0, threshold: float | None = None) -> None:
        """
        Args:
            rel: The relative tolerance of numbers.
            abs: The absolute tolerance of numbers.
            threshold: How alike texts must be, above 0 and at most 1; None compares them exactly.
        """
        Number(0, rel, abs)
        if threshold is not None:
            TextLike("", threshold)
        self.rel, self.abs, self.threshold = rel, abs, threshold

    def __repr__(self) -> str:
        shown = [f"{name}={value!r}" for name in ("rel", "abs", "threshold") if (value := getattr(self, name))]
        return f"near({', '.join(shown)})"

    def __getstate__(self) -> Any:
        return None, {name: getattr(self, name) for name in self.__slots__}

    def of(self, value: Any) -> Matcher:
        """The matcher of one expected value."""
        if isinstance(value, str) and self.threshold is not None:
            return TextLike(value, self.threshold)
        if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
            return Number(value, self.rel, self.abs)
        return matcher_of(value)


def argument_matcher(args: Mapping[str, Any], rule: str, single: Mapping[str, Any]) -> Fields:
    """What the arguments of a call must be, from the expected ones and their rules; by `ignore` only matchers among them count."""
    how = "loose" if rule == "loose" else "partial" if rule == "partial" else "exact"
    fields: dict[str, Matcher] = {}
    for name, value in args.items():
        own = single.get(name)
        if own is None:
            if rule == "ignore" and not has_matcher(value):
                continue
            fields[name] = matcher_of(value, how)  # type: ignore[arg-type]  # one of the three words
        else:
            fields[name] = _single(own, value)
    for name, own in single.items():
        if name not in fields and (own == "ignore" or isinstance(own, Matcher)):
            fields[name] = Ignored() if own == "ignore" else own
    return Fields(fields, "subset" if rule == "subset" else "superset" if rule in ("superset", "partial", "ignore") else "exact")


def _single(rule: Any, value: Any) -> Matcher:
    if isinstance(rule, Matcher):
        return rule
    if isinstance(rule, Tolerance):
        return rule.of(value)
    if rule == "ignore":
        return Ignored()
    if rule == "any_value":
        return AnyValue()
    if rule == "unordered_list":
        return UnorderedList(tuple(value)) if isinstance(value, list | tuple) else matcher_of(value)
    if rule == "partial":
        return Partly(value)
    return Loosely(value) if rule == "loose" else matcher_of(value)
