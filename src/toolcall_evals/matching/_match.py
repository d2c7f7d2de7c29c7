"""Expected calls against calls: what is matched, what is missing, what nobody expected, what was forbidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .._model import ToolInvocation
from ._edges import Edges, Row
from ._pairing import Pairing, obvious_pairs, pair_any_order, pair_in_order
from ._plan import Forbidden, Plan
from ._structure import best_match
from ._wanted import Defaults


@dataclass(frozen=True, slots=True)
class Violation:
    """
    A statement of the expectation that the run breaks.

    Attributes:
        text: The statement in words.
        calls: The indexes of the calls that break it.
    """

    text: str
    calls: tuple[int, ...]


@dataclass(slots=True)
class Match:
    """
    How one plan and the calls of a run go together.

    Attributes:
        plan: The plan.
        calls: The calls.
        ordered: Whether the order had to be kept.
        pairs: (place, call) indexes, rising in the call.
        missing: The places not filled, each as often as it is missing.
        extra: The indexes of the calls that fill no place.
        violations: What else is broken.
        bound: A size limit was passed: there may be a larger match.
        defaults: What an omitted argument equals, by tool.
    """

    plan: Plan
    calls: Sequence[ToolInvocation]
    ordered: bool
    pairs: list[tuple[int, int]]
    missing: list[int]
    extra: list[int]
    violations: list[Violation] = field(default_factory=list)
    bound: bool = False
    defaults: Defaults | None = None

    @property
    def complete(self) -> bool:
        """Nothing is missing and nothing is broken; calls that nobody expected may be there."""
        return not self.missing and not self.violations

    @property
    def expected(self) -> int:
        """How many calls were expected: those matched and those missing."""
        return len(self.pairs) + len(self.missing)

    def rank(self) -> tuple[int, int, int]:
        """The greater the better the match."""
        return -len(self.missing) - len(self.violations), len(self.pairs), -len(self.extra)


def best_plan_match(
    plans: Sequence[Plan], calls: Sequence[ToolInvocation], ordered: bool = True, defaults: Defaults | None = None
) -> Match:
    """The match of the plan that goes best with the calls; the first of equally good ones."""
    best = match(plans[0], calls, ordered, defaults)
    for plan in plans[1:]:
        if best.complete and not best.extra:
            break
        other = match(plan, calls, ordered, defaults)
        best = other if other.rank() > best.rank() else best
    return best


def match(plan: Plan, calls: Sequence[ToolInvocation], ordered: bool = True, defaults: Defaults | None = None) -> Match:
    """
    Fill as many places as possible.

    Args:
        plan: What is expected.
        calls: The calls, in order, without hallucinated ones.
        ordered: Whether sequences must keep their order; False: everything in any order.
        defaults: What an omitted argument equals, by tool.
    """
    if ordered and plan.shape == "sequence":
        found = pair_in_order(plan.rows, calls, defaults)
    elif ordered and plan.shape == "tree":
        found = _in_structure(plan, calls, defaults)
    else:
        found = _in_any_order(plan, calls, defaults)
    open_need = list(plan.need)
    for place, _ in found.pairs:
        open_need[place] -= 1
    used = {call for _, call in found.pairs}
    missing = [place for place, number in enumerate(open_need) for _ in range(max(number, 0))]
    extra = [index for index in range(len(calls)) if index not in used]
    pairs = sorted(found.pairs, key=lambda pair: pair[1])
    result = Match(plan, calls, ordered, pairs, missing, extra, bound=found.bound, defaults=defaults)
    result.violations = _violations(plan, calls, extra, defaults)
    return result


def _in_any_order(plan: Plan, calls: Sequence[ToolInvocation], defaults: Defaults | None) -> Pairing:
    if all(need == 1 and most == 1 for need, most in zip(plan.need, plan.most, strict=True)):
        return pair_any_order(plan.rows, calls, defaults)
    places = [place for place, need in enumerate(plan.need) for _ in range(need)]
    required = len(places)
    for place, most in enumerate(plan.most):
        callable_times = sum(any(wanted.name == call.name for wanted in plan.rows[place]) for call in calls)
        more = callable_times if most is None else min(most, callable_times)
        places += [place] * (more - plan.need[place])
    found = pair_any_order([plan.rows[place] for place in places], calls, defaults, required)
    return Pairing([(places[row], call) for row, call in found.pairs], [], found.bound)


def _in_structure(plan: Plan, calls: Sequence[ToolInvocation], defaults: Defaults | None) -> Pairing:
    edges = Edges(plan.rows, calls, defaults)
    fitting: list[set[int]] = [set() for _ in calls]
    for place, columns in enumerate(edges.of_row):
        for column in columns:
            fitting[column].add(place)
    pairs, bound = best_match(plan.tree, list(map(frozenset, fitting)))
    return Pairing(pairs, [], bound or edges.bound)


def _violations(plan: Plan, calls: Sequence[ToolInvocation], extra: Sequence[int], defaults: Defaults | None) -> list[Violation]:
    found = [Violation(each.text, indexes) for each in plan.forbidden if (indexes := occurrence(each, calls, defaults))]
    for rule in plan.precedence:
        for index, call in enumerate(calls):
            if rule.earlier.fits(call, defaults):
                break
            if rule.later.fits(call, defaults):
                found.append(Violation(rule.text, (index,)))
                break
    for wanted, text in plan.limited:
        if surplus := tuple([index for index in extra if wanted.fits(calls[index], defaults)]):
            found.append(Violation(text, surplus))
    if plan.silent and calls:
        found.append(Violation("no call", tuple(range(len(calls)))))
    return found


def occurrence(forbidden: Forbidden, calls: Sequence[ToolInvocation], defaults: Defaults | None = None) -> tuple[int, ...]:
    """The calls of the first occurrence (of a single call: of every one); empty where there is none."""
    steps = forbidden.calls
    if len(steps) == 1:
        return tuple([index for index, call in enumerate(calls) if steps[0].fits(call, defaults)])
    if forbidden.adjacent:
        for start in range(len(calls) - len(steps) + 1):
            if all(step.fits(calls[start + offset], defaults) for offset, step in enumerate(steps)):
                return tuple(range(start, start + len(steps)))
        return ()
    indexes: list[int] = []
    for index, call in enumerate(calls):
        if steps[len(indexes)].fits(call, defaults):
            indexes.append(index)
            if len(indexes) == len(steps):
                return tuple(indexes)
    return ()


def strictly_equal(rows: Sequence[Row], calls: Sequence[ToolInvocation], defaults: Defaults | None = None) -> bool:
    """Does the k-th call fill the k-th place, with none left on either side?"""
    if len(rows) != len(calls):
        return False
    for row, call in zip(rows, calls, strict=True):  # noqa: SIM110 - a generator costs as much as the comparison
        if not row[0].fits(call, defaults) and not _fills(row[1:], call, defaults):
            return False
    return True


def occurs_in_order(rows: Sequence[Row], calls: Sequence[ToolInvocation], defaults: Defaults | None = None) -> bool:
    """Do calls fill every place in this order, others in between allowed? The earliest call that fits leaves most for the rest."""
    if len(rows) > len(calls):
        return False
    waiting = iter(calls)
    for row in rows:
        for call in waiting:
            if _fills(row, call, defaults):
                break
        else:
            return False
    return True


def all_paired(rows: Sequence[Row], calls: Sequence[ToolInvocation], defaults: Defaults | None = None) -> bool:
    """Can every place (where there are fewer calls, every call) be paired, whatever the order? For places of one call each."""
    wanted = min(len(rows), len(calls))
    obvious = obvious_pairs(rows, calls, defaults)
    return len(pair_any_order(rows, calls, defaults).pairs if obvious is None else obvious) == wanted


def _fills(row: Row, call: ToolInvocation, defaults: Defaults | None) -> bool:
    for wanted in row:  # noqa: SIM110 - as above
        if wanted.fits(call, defaults):
            return True
    return False
