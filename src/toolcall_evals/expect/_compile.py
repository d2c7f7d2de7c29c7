"""An expectation made ready for matching: every way to meet it becomes a plan."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product

from .._errors import SettingError
from ..matching import Forbidden, Plan, Precedence, Rules, Wanted, arranged_plan, plain_plan
from ..matching._edges import Row
from ..matching._tree import DONE, Tree
from ._language import Alternatives, Before, Call, Expectation, Group, Never, Nothing, Optional, Sequence, Times

MOST_WAYS = 64
"""Ways to meet an expectation with `any_of` in it, each of which is matched; more are refused."""


def plans_of(expectation: Expectation, rules: Rules) -> tuple[Plan, ...]:
    """
    The ways to meet an expectation.

    Args:
        expectation: What a run should have done.
        rules: How the arguments of calls are compared that do not say it themselves.

    Raises:
        SettingError: More than `MOST_WAYS`.
    """
    if isinstance(expectation, Sequence) and is_plain(expectation):
        return (plain_plan([_wanted(part, rules) for part in expectation.parts if isinstance(part, Call)]),)
    return tuple([_plan(way, rules) for way in _ways(expectation)])


def is_plain(expectation: Expectation) -> bool:
    """Is it a list of calls, each once?"""
    return isinstance(expectation, Sequence) and all(isinstance(part, Call) for part in expectation.parts)


def _ways(node: Expectation) -> list[Expectation]:
    """The same expectation for each choice among whole expectations."""
    ways: list[Expectation]
    if isinstance(node, Alternatives):
        if all(isinstance(option, Call) for option in node.options):
            return [node]
        ways = [way for option in node.options for way in _ways(option)]
    elif isinstance(node, Sequence | Group):
        ways = []
        for parts in product(*[_ways(part) for part in node.parts]):
            ways.append(replace(node, parts=parts))
            _refuse_many(ways)
    elif isinstance(node, Optional | Times):
        ways = [replace(node, part=part) for part in _ways(node.part)]
    else:
        return [node]
    _refuse_many(ways)
    return ways


def _refuse_many(ways: list[Expectation]) -> None:
    if len(ways) > MOST_WAYS:
        raise SettingError(f"any_of in the expectation makes more than {MOST_WAYS} ways to meet it; state fewer alternatives")


def _wanted(call: Call, rules: Rules) -> Wanted:
    rule, single = rules.of(call.name)
    if call.rule is not None:
        rule, single = call.rule, {}
    return Wanted(
        call.name, call.args, rule, single, result=call.result, success=call.success, agent=call.agent, inside=call.inside
    )


@dataclass(slots=True)
class _Draft:
    """What a plan is made of, while the expectation is walked."""

    rules: Rules
    rows: list[Row] = field(default_factory=list)
    forbidden: list[Forbidden] = field(default_factory=list)
    precedence: list[Precedence] = field(default_factory=list)
    limited: list[tuple[Wanted, str]] = field(default_factory=list)
    silent: bool = False

    def tree(self, node: Expectation) -> Tree:
        """The arrangement of the node's places, which are added to `rows`; its statements are added to their lists."""
        if isinstance(node, Call):
            return self._place((node,))
        if isinstance(node, Alternatives):
            return self._place(tuple([option for option in node.options if isinstance(option, Call)]))
        if isinstance(node, Sequence):
            return _tree("then", [self.tree(part) for part in node.parts])
        if isinstance(node, Group):
            return _tree("any", [self.tree(part) for part in _merged(node.parts)])
        if isinstance(node, Optional):
            return ("maybe", self.tree(node.part))
        if isinstance(node, Times):
            return self._repeated(node)
        self._state(node)
        return DONE

    def _place(self, calls: tuple[Call, ...]) -> Tree:
        self.rows.append(tuple([_wanted(call, self.rules) for call in calls]))
        return ("leaf", len(self.rows) - 1)

    def _repeated(self, node: Times) -> Tree:
        inner = self.tree(node.part)
        if node.most is not None and inner and inner[0] == "leaf":
            self.limited += [(wanted, repr(node)) for wanted in self.rows[inner[1]]]
        return ("times", inner, node.least, node.most) if inner else DONE

    def _state(self, node: Expectation) -> None:
        if isinstance(node, Never):
            calls = tuple([_wanted(call, self.rules) for call in node.calls])
            self.forbidden.append(Forbidden(calls, node.adjacent, repr(node)))
        elif isinstance(node, Before):
            self.precedence.append(Precedence(_wanted(node.earlier, self.rules), _wanted(node.later, self.rules), repr(node)))
        elif isinstance(node, Nothing):
            self.silent = True


def _plan(expectation: Expectation, rules: Rules) -> Plan:
    draft = _Draft(rules)
    tree = draft.tree(expectation)
    return arranged_plan(draft.rows, tree, draft.forbidden, draft.precedence, draft.limited, draft.silent)


def _tree(kind: str, parts: list[Tree]) -> Tree:
    kept = [part for part in parts if part]
    return (kind, *kept) if len(kept) > 1 else kept[0] if kept else DONE


def _merged(parts: tuple[Expectation, ...]) -> list[Expectation]:
    """`at_least` and `at_most` of the same call, beside each other in any order, bound the same calls."""
    merged: list[Expectation] = []
    for part in parts:
        if isinstance(part, Times):
            for index, other in enumerate(merged):
                if isinstance(other, Times) and other.part == part.part and (other.most is None) != (part.most is None):
                    most = part.most if other.most is None else other.most
                    merged[index] = Times(part.part, max(part.least, other.least), most)
                    break
            else:
                merged.append(part)
        else:
            merged.append(part)
    return merged
