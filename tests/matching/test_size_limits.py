"""Where many calls are looked up instead of tried, and where limits cut the search short: the same pairs, or a bound that says so."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolcall_evals import ToolInvocation
from toolcall_evals.expect import regex
from toolcall_evals.matching import Rules, Wanted, _edges, _pairing, pair_closely, pair_in_order
from toolcall_evals.matching._edges import Edges

RULES = ["exact", "superset", "subset", "partial", "loose", "ignore"]
VALUES = st.sampled_from([0, 1, True, 1.0, None, float("nan"), "1", "a", " A", ["a"], {"n": 1}, {"n": 1, "m": 2}])
NAMES = st.sampled_from(["p", "q", "é"])
ARGS = st.dictionaries(NAMES, VALUES, max_size=3)
EXPECTED = st.lists(
    st.tuples(st.sampled_from("ab"), st.one_of(st.none(), ARGS, ARGS.map(lambda args: {**args, "p": regex("^[aA]$")}))), max_size=6
)
CALLED = st.lists(st.tuples(st.sampled_from("ab"), st.one_of(st.none(), ARGS)), max_size=6)
DEFAULTS = st.sampled_from([None, {"a": {"p": 1}}, {"b": {"q": "a"}}])
PATCHED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def rows_of(expected: list[tuple[str, Any]], rule: str) -> list[tuple[Wanted]]:
    return [(Wanted(name, rule=rule) if args is None else Wanted(name, args, rule),) for name, args in expected]


def calls_of(called: list[tuple[str, Any]]) -> list[ToolInvocation]:
    return [ToolInvocation(name, args=args, raw_args=None if args is not None else "{", status="success") for name, args in called]


@pytest.mark.parametrize("rule", RULES)
@PATCHED
@given(expected=EXPECTED, called=CALLED, defaults=DEFAULTS)
def test_looking_calls_up_finds_those_that_trying_them_finds(
    rule: str, expected: Any, called: Any, defaults: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, calls = rows_of(expected, rule), calls_of(called)
    monkeypatch.setattr(_edges, "FEW_TRIALS", 0)
    tried = [[index for index, call in enumerate(calls) if row[0].fits(call, defaults)] for row in rows]
    assert [list(found) for found in Edges(rows, calls, defaults).of_row] == tried


def test_a_rule_of_one_argument_is_kept_where_calls_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_edges, "FEW_TRIALS", 0)
    single = Rules({"a": {"x": regex("^1")}}).of("a")[1]
    edges = Edges([(Wanted("a", {"x": "10"}, "loose", single),)], calls_of([("a", {"x": "10"}), ("a", {"x": "11"}), ("a", {"x": "2"})]))
    assert edges.of_row == [[0, 1]]


def test_past_the_trials_the_calls_near_the_place_are_tried_and_the_result_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_edges, "MOST_TRIALS", 50)
    rows = rows_of([("a", {"x": regex(f"^{index}$")}) for index in range(40)], "exact")
    edges = Edges(rows, calls_of([("a", {"x": str(index)}) for index in range(40)]))
    assert edges.bound
    assert edges.of_row == [[index] for index in range(40)]
    assert not Edges(rows[:1], calls_of([("a", {"x": "0"})])).bound


@PATCHED
@given(expected=EXPECTED, called=CALLED)
def test_past_the_edges_an_order_is_kept_by_as_many_pairs(expected: Any, called: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, calls = rows_of(expected, "superset"), calls_of(called)
    with monkeypatch.context() as patch:
        patch.setattr(_pairing, "MOST_EDGES", -1)
        found = pair_in_order(rows, calls).pairs
    assert len(found) == len(pair_in_order(rows, calls).pairs)
    assert all(rows[row][0].fits(calls[call]) for row, call in found)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in itertools.pairwise(found))


def test_past_the_likenesses_calls_of_one_tool_are_paired_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of([("pay", {"to": "bob", "n": 5}), ("pay", {"to": "eve", "n": regex("^5$")}), ("get", {"k": 1})], "exact")
    calls = calls_of([("pay", {"to": "eve", "n": 6}), ("get", {"k": 2}), ("pay", {"to": "eve", "n": "5"})])
    closely = pair_closely(rows, calls)
    assert (closely.pairs, closely.near, closely.bound) == ([(1, 2)], [(0, 0), (2, 1)], False)
    monkeypatch.setattr(_pairing, "MOST_LIKENESSES", 4)
    at_first = pair_closely(rows, calls)
    assert (at_first.pairs, at_first.near, at_first.bound) == ([(1, 2)], [(0, 0), (2, 1)], True)
    monkeypatch.setattr(_pairing, "MOST_LIKENESSES", 5)
    assert not pair_closely(rows, calls).bound


def test_tools_that_stand_in_one_place_are_paired_together() -> None:
    either = (Wanted("a", {"x": 1}), Wanted("b", {"x": 1}))
    rows = [either, (Wanted("b", {"x": 1}),), (Wanted("c"), Wanted("b", {"x": 2}))]
    found = pair_closely(rows, calls_of([("b", {"x": 1}), ("a", {"x": 1}), ("c", {})]))
    assert (found.pairs, found.near) == ([(0, 1), (1, 0), (2, 2)], [])


def test_a_default_counts_where_more_arguments_may_be_given() -> None:
    defaults = {"a": {"limit": 10}}
    rows = rows_of([("a", {"q": "x"}), ("a", {"limit": 10})], "superset")
    found = pair_closely(rows, calls_of([("a", {"q": "x"}), ("a", {"q": "y"})]), defaults)
    assert (found.pairs, found.near) == ([(0, 0), (1, 1)], [])
