from __future__ import annotations

import pickle
from typing import Any

import pytest

from toolcall_evals import SettingError
from toolcall_evals.expect import (
    any_of,
    at_least,
    at_most,
    before,
    call,
    exactly,
    never,
    nothing,
    one_of,
    optional,
    parallel,
    regex,
    sequence,
    unordered,
)


@pytest.mark.parametrize(
    ("expectation", "said"),
    [
        pytest.param(call("search"), "search", id="any arguments"),
        pytest.param(call("search", {"q": "cats", "n": 3}), "search(q='cats', n=3)", id="arguments"),
        pytest.param(call("search", None), "search()", id="no arguments"),
        pytest.param(call("search", {"q": regex("^c")}), "search(q=regex('^c'))", id="a matcher"),
        pytest.param(call("pay", success=False, agent="clerk"), "pay by clerk that fails", id="conditions"),
        pytest.param(call("get", result={"n": 1}), "get returning {'n': 1}", id="a result"),
        pytest.param(call("ask", inside=["search", "open"]), "ask with inside it (search, then open)", id="inside"),
        pytest.param(sequence("a", "b"), "a, then b", id="sequence"),
        pytest.param(sequence("a", parallel("b", "c"), "d"), "a, then (b and c in parallel), then d", id="parallel"),
        pytest.param(unordered("a", sequence("b", "c")), "a and (b, then c) in any order", id="unordered"),
        pytest.param(sequence("a", optional("b"), one_of("c", "d")), "a, then optionally b, then (c or d)", id="optional, one of"),
        pytest.param(any_of(sequence("a", "b"), "c"), "either (a, then b) or c", id="any of"),
        pytest.param(sequence(at_least(2, "a"), exactly(1, "b")), "at least 2 times a, then exactly once b", id="counts"),
        pytest.param(sequence("a", never("b"), before("c", "d")), "a; never b; c before d", id="statements"),
        pytest.param(never(sequence("a", "b")), "never a, then b", id="never a sequence"),
        pytest.param(never(sequence("a", "b"), adjacent=True), "never a, directly then b", id="never adjacent"),
        pytest.param(nothing(), "no call", id="nothing"),
        pytest.param(sequence(), "an empty sequence", id="empty"),
    ],
)
def test_an_expectation_reads_like_the_sentence(expectation: Any, said: str) -> None:
    assert repr(expectation) == said


@pytest.mark.parametrize(
    ("make", "named"),
    [
        pytest.param(lambda: sequence("a", never("a")), r"part 2 \(never a\) contradicts part 1 \(a\)", id="never what is called"),
        pytest.param(lambda: sequence(unordered("b", "a"), never("a")), r"contradicts part 1, part 2 \(a\)", id="deep inside"),
        pytest.param(lambda: unordered(call("a", {"x": 1}), never(call("a", {"x": 1.0}))), "contradicts", id="equal arguments"),
        pytest.param(lambda: sequence(exactly(2, "a"), never("a")), "contradicts", id="a counted call"),
        pytest.param(lambda: sequence("a", "b", never(sequence("a", "b"))), "never a, then b", id="never the sequence itself"),
        pytest.param(lambda: sequence("a", nothing()), r"no call\) contradicts", id="nothing and a call"),
        pytest.param(lambda: before("a", "a"), "two different calls", id="before itself"),
        pytest.param(lambda: unordered("a", before("a", "b"), before("b", "a")), "contradicts", id="a circle"),
        pytest.param(lambda: unordered(at_least(3, "a"), at_most(2, "a")), "contradicts", id="counts apart"),
        pytest.param(lambda: at_most(0, "a"), "at least 1, got 0", id="at most none"),
        pytest.param(lambda: exactly(True, "a"), "whole number", id="no count"),
        pytest.param(lambda: optional(never("a")), "not a statement", id="an optional statement"),
        pytest.param(lambda: at_least(1, before("a", "b")), "not a statement", id="a repeated statement"),
        pytest.param(lambda: one_of("a", sequence("b", "c")), "any_of", id="one of takes calls"),
        pytest.param(any_of, "got none", id="any of nothing"),
        pytest.param(lambda: never(unordered("a", "b")), "a call or a sequence", id="never a group"),
        pytest.param(lambda: before("a", sequence("b")), "two calls", id="before takes calls"),
        pytest.param(lambda: call("a", rule="exactly"), "'exact'", id="an unknown rule"),
        pytest.param(lambda: call(3), "must be a text", id="a name that is none"),  # type: ignore[arg-type]  # the mistake that is tested
        pytest.param(lambda: call("a", {3: 1}), "texts as names", id="argument names"),
        pytest.param(lambda: call("a", success="yes"), "True, False or None", id="success"),  # type: ignore[arg-type]  # as above
        pytest.param(lambda: sequence("a", 5), r"sequence: part 2 must be", id="a part that states nothing"),
    ],
)
def test_what_no_run_could_meet_is_refused_and_pointed_at(make: Any, named: str) -> None:
    with pytest.raises(SettingError, match=named):
        make()


@pytest.mark.parametrize(
    "expectation",
    [
        pytest.param(sequence(call("a", {"x": 1}), never(call("a", {"x": 2}))), id="other arguments"),
        pytest.param(sequence("a", "b", never(sequence("b", "a"))), id="the other way round"),
        pytest.param(sequence("a", "b", never(sequence("a", "b"), adjacent=True)), id="something in between"),
        pytest.param(any_of(sequence("a", "b"), sequence("c", never("a"))), id="in another alternative"),
        pytest.param(sequence(optional("a"), never("a")), id="an optional call"),
        pytest.param(unordered(before("a", "b"), before("b", "a")), id="a circle that no call is asked of"),
        pytest.param(unordered(at_least(1, "a"), at_most(3, "a")), id="counts that meet"),
    ],
)
def test_what_some_run_can_meet_is_accepted(expectation: Any) -> None:
    assert pickle.loads(pickle.dumps(expectation)) == expectation
