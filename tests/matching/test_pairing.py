from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import ToolInvocation
from toolcall_evals.expect import number, regex
from toolcall_evals.matching import Rules, Wanted, pair_any_order, pair_closely, pair_in_order

RULES = ["exact", "superset", "subset", "partial", "loose", "ignore"]
VALUES = st.sampled_from([0, 1, True, "1", "a", "A", {"n": 1}, {"n": 1, "m": 2}])
ARGS = st.dictionaries(st.sampled_from(["p", "q"]), VALUES, max_size=2)
MATCHED = ARGS.map(lambda args: {**args, "p": regex("^[aA]$")})
EXPECTED = st.lists(st.tuples(st.sampled_from("ab"), st.one_of(st.none(), ARGS, MATCHED)), max_size=5)
PLAIN = st.tuples(st.sampled_from("ab"), ARGS)
CALLS = st.lists(PLAIN, max_size=7)


def wanted_of(expected: list[tuple[str, Any]], rule: str, single: dict[str, Any] | None = None) -> list[tuple[Wanted]]:
    return [(Wanted(name, rule=rule) if args is None else Wanted(name, args, rule, single),) for name, args in expected]


def calls_of(calls: list[tuple[str, Any]]) -> list[ToolInvocation]:
    return [ToolInvocation(name, args=args, status="success") for name, args in calls]


def most_pairs(rows: Any, calls: list[ToolInvocation], row: int = 0, used: frozenset[int] = frozenset()) -> int:
    if row == len(rows):
        return 0
    tried = [
        1 + most_pairs(rows, calls, row + 1, used | {index})
        for index, call in enumerate(calls)
        if index not in used and any(wanted.fits(call) for wanted in rows[row])
    ]
    return max([most_pairs(rows, calls, row + 1, used), *tried])


def greedy_pairs(rows: Any, calls: list[ToolInvocation]) -> int:
    used: set[int] = set()
    for row in rows:
        for index, call in enumerate(calls):
            if index not in used and row[0].fits(call):
                used.add(index)
                break
    return len(used)


def most_alike(rows: Any, calls: list[ToolInvocation]) -> tuple[int, float]:
    """The most pairs that fit and, with so many, the greatest likeness; over all ways to pair calls of one tool."""
    best = (0, 0.0)
    for way in itertools.permutations([*range(len(calls)), *[None] * len(rows)], len(rows)):
        pairs = [(row, calls[index]) for row, index in zip(rows, way, strict=True) if index is not None]
        if all(row[0].name == call.name for row, call in pairs):
            best = max(best, (sum(row[0].fits(call) for row, call in pairs), sum(row[0].likeness(call) for row, call in pairs)))
    return best


@pytest.mark.parametrize("rule", RULES)
@given(expected=EXPECTED, called=CALLS, turned=st.randoms(use_true_random=False))
def test_a_pairing_is_as_large_as_any_and_independent_of_the_order_of_the_input(rule: str, expected: Any, called: Any, turned: Any) -> None:
    rows, calls = wanted_of(expected, rule), calls_of(called)
    found = pair_any_order(rows, calls)
    assert len(found.pairs) == most_pairs(rows, calls) >= greedy_pairs(rows, calls)
    assert len({row for row, _ in found.pairs}) == len({call for _, call in found.pairs}) == len(found.pairs)
    assert all(rows[row][0].fits(calls[call]) for row, call in found.pairs)
    assert len(pair_any_order(turned.sample(rows, len(rows)), turned.sample(calls, len(calls))).pairs) == len(found.pairs)


@given(expected=st.lists(st.tuples(st.just("a"), ARGS), max_size=12), called=st.lists(st.tuples(st.just("a"), ARGS), max_size=12))
@pytest.mark.parametrize("rule", RULES)
def test_taking_equal_pairs_first_loses_none(rule: str, expected: Any, called: Any) -> None:
    rows, calls = wanted_of(expected, rule), calls_of(called)
    plain = pair_any_order([(*row, Wanted("another tool")) for row in rows], calls)  # two calls in a place: no pair is taken first
    assert len(pair_any_order(rows, calls).pairs) == len(plain.pairs)


@given(values=st.lists(st.integers(0, 8), max_size=10), called=st.lists(st.integers(0, 8), max_size=10))
def test_tolerances_are_paired_as_well_as_can_be(values: list[int], called: list[int]) -> None:
    rows = [(Wanted("a", {"x": number(value, abs=1)}),) for value in values]
    calls = calls_of([("a", {"x": value}) for value in called])
    nearest, left = 0, sorted(called)
    for value in sorted(values):  # intervals of one length: the smallest call that fits the smallest value
        for index, other in enumerate(left):
            if abs(other - value) <= 1:
                nearest += 1
                del left[: index + 1]
                break
    assert len(pair_any_order(rows, calls).pairs) == nearest


@pytest.mark.parametrize("rule", ["exact", "superset", "loose"])
@given(expected=st.lists(PLAIN, max_size=3), called=st.lists(PLAIN, max_size=4))
def test_close_pairs_fit_as_often_as_any(rule: str, expected: Any, called: Any) -> None:
    rows, calls = wanted_of(expected, rule), calls_of(called)
    found = pair_closely(rows, calls)
    likeness = sum(rows[row][0].likeness(calls[call]) for row, call in [*found.pairs, *found.near])
    fitting, best = most_alike(rows, calls)
    assert len(found.pairs) == fitting
    assert likeness <= best + 1e-6
    if rule == "exact":  # elsewhere equal pairs are taken first, whatever it costs the others
        assert likeness == pytest.approx(best, abs=1e-5)


@given(expected=EXPECTED, called=CALLS)
def test_pairs_in_order_never_cross_and_are_as_many_as_any(expected: Any, called: Any) -> None:
    rows, calls = wanted_of(expected, "superset"), calls_of(called)
    found = pair_in_order(rows, calls)
    table = [[0] * (len(calls) + 1) for _ in range(len(rows) + 1)]
    for row in range(len(rows)):
        for index, call in enumerate(calls):
            both = table[row][index] + rows[row][0].fits(call)
            table[row + 1][index + 1] = max(table[row][index + 1], table[row + 1][index], both)
    assert len(found.pairs) == table[-1][-1]
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in itertools.pairwise(found.pairs))


def test_among_equally_many_pairs_the_most_alike_are_taken() -> None:
    rows = wanted_of([("pay", {"to": "bob", "amount": 5}), ("pay", {"to": "eve", "amount": 5})], "exact")
    calls = calls_of([("pay", {"to": "eve", "amount": 6}), ("pay", {"to": "bob", "amount": 6})])
    assert pair_closely(rows, calls).near == [(0, 1), (1, 0)]


def test_the_rules_of_single_arguments_keep_equal_pairs_from_being_taken_blindly() -> None:
    single = Rules({"a": {"x": regex("^1$")}}).of("a")[1]
    assert pair_any_order(wanted_of([("a", {"x": "2"})], "exact", single), calls_of([("a", {"x": "2"})])).pairs == []


@pytest.mark.parametrize("rule", ["exact", "superset", "ignore"])
def test_thousands_of_calls_of_one_tool_take_no_time_to_speak_of(rule: str) -> None:
    calls = [("t", {"a": index % 3, "b": index % 5, "d": index}) for index in range(3_000)]
    rows = wanted_of([("t", {"a": (index + 1) % 3, "b": index % 5}) for index in range(3_000)], rule)
    began = time.process_time()
    found = pair_any_order(rows, calls_of(calls))
    assert time.process_time() - began < 6
    assert found.bound is (rule == "superset")
    assert len(found.pairs) == (0 if rule == "exact" else 3_000) or (found.bound and len(found.pairs) > 2_500)


def test_an_omitted_argument_equals_its_default() -> None:
    defaults = {"a": {"limit": 10}}
    rows = wanted_of([("a", {"q": "x"}), ("a", {"q": "x", "limit": 10})], "exact")
    calls = calls_of([("a", {"q": "x", "limit": 10}), ("a", {"q": "x"})])
    assert len(pair_any_order(rows, calls, defaults).pairs) == 2
    assert len(pair_any_order(rows, calls_of([("a", {"q": "x", "limit": 9})]), defaults).pairs) == 0
