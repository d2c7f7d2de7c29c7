from __future__ import annotations

import pickle
import time
from typing import Any

import pytest

from toolcall_evals import SettingError
from toolcall_evals.expect import (
    any_value,
    either,
    loosely,
    may_be_absent,
    number,
    partial,
    regex,
    satisfies,
    text_like,
    unordered_list,
    verbatim,
)
from toolcall_evals.matching import ABSENT, Matcher
from toolcall_evals.matching._equality import NotComparable
from toolcall_evals.matching._matchers import matcher_of


def is_even(value: Any) -> bool:
    return bool(value % 2 == 0)


@pytest.mark.parametrize(
    ("matcher", "accepted", "refused"),
    [
        pytest.param(any_value(), [None, 0, "x"], [ABSENT], id="any value, but given"),
        pytest.param(either("C", "celsius"), ["C", "celsius"], ["c", "", None, ABSENT], id="one of several values"),
        pytest.param(either(1, regex("^one$")), [1, 1.0, "one"], [True, "1", "ones"], id="matchers among the values"),
        pytest.param(regex(r"^O-\d+$"), ["O-17"], ["o-17", "O-17x", 17, None, ABSENT], id="a pattern"),
        pytest.param(regex("oslo", ignore_case=True), ["Oslo, Norway"], ["Bergen"], id="a pattern whatever the case"),
        pytest.param(number(0.3, abs=1e-9), [0.1 + 0.2, 0.3], [0.31, "0.3", True, None, float("nan")], id="absolute tolerance"),
        pytest.param(number(100, rel=0.01), [99, 101, 100.5], [98.9, 101.1, float("inf"), 10**400], id="relative tolerance"),
        pytest.param(number(1), [1, 1.0], [True, 2], id="no tolerance"),
        pytest.param(text_like("weather in Oslo", 0.8), ["Weather in  oslo", "weather in Oslo?"], ["news", 3, ABSENT], id="similar text"),
        pytest.param(unordered_list("a", "b", "a"), [["a", "a", "b"], ("b", "a", "a")], [["a", "b"], ["b", "b", "a"], "aab"], id="a list"),
        pytest.param(unordered_list(any_value(), "a"), [["a", "b"], ["b", "a"], ["a", "a"]], [["b", "c"]], id="never greedy"),
        pytest.param(partial({"f": {"x": 1}}), [{"f": {"x": 1, "y": 2}, "g": 0}], [{"f": {"x": 2}}, {"f": 1}, {}], id="nested partial"),
        pytest.param(partial({"l": [{"x": 1}]}), [{"l": [{"x": 1, "y": 2}]}], [{"l": [{"x": 1}, {"x": 1}]}], id="partial inside a list"),
        pytest.param(may_be_absent("C"), [ABSENT, "C"], ["F", None], id="may be absent"),
        pytest.param(loosely("New York"), ["new  york"], ["york", ABSENT], id="loosely"),
        pytest.param(satisfies(is_even), [2, 0], [3, ABSENT], id="a predicate"),
        pytest.param(verbatim({"$expect": "regex"}), [{"$expect": "regex"}], ["regex"], id="verbatim"),
        pytest.param(matcher_of({"a": [any_value(), 2]}), [{"a": [0, 2]}], [{"a": [0, 3]}, {"a": [0]}, {}], id="a matcher deep inside"),
    ],
)
def test_a_matcher_accepts_what_it_says(matcher: Matcher, accepted: list[Any], refused: list[Any]) -> None:
    assert [value for value in accepted if not matcher.accepts(value)] == []
    assert [value for value in refused if matcher.accepts(value)] == []
    assert [value for value in accepted if list(matcher.faults(value, "x"))] == []
    assert [value for value in refused if not list(matcher.faults(value, "x"))] == []
    assert all(matcher.likeness(value) == 1.0 for value in accepted)
    assert all(0.0 <= matcher.likeness(value) < 1.0 for value in refused)
    assert pickle.loads(pickle.dumps(matcher)) == matcher


@pytest.mark.parametrize(
    ("matcher", "said"),
    [
        (any_value(), "any_value()"),
        (either("a", 1), "either('a', 1)"),
        (regex("^a", ignore_case=True), "regex('^a', ignore_case=True)"),
        (number(3, rel=0.1), "number(3, rel=0.1)"),
        (text_like("cats"), "text_like('cats')"),
        (unordered_list(1, 2), "unordered_list(1, 2)"),
        (partial({"a": 1}), "partial({'a': 1})"),
        (may_be_absent(5), "may_be_absent(5)"),
        (loosely("5"), "loosely('5')"),
        (satisfies(is_even), "satisfies(is_even)"),
    ],
    ids=str,
)
def test_a_matcher_shows_as_it_is_written(matcher: Matcher, said: str) -> None:
    assert repr(matcher) == said


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: regex("("), "regular expression"),
        (lambda: regex(3), "must be a text"),  # type: ignore[arg-type]  # the mistake that is tested
        (lambda: number("3"), "value of a number"),  # type: ignore[arg-type]  # as above
        (lambda: number(3, rel=-1), "rel of a number"),
        (lambda: number(float("nan")), "value of a number"),
        (lambda: text_like("a", 0), "threshold"),
        (lambda: text_like("a", 1.5), "threshold"),
        (lambda: satisfies("even"), "callable"),  # type: ignore[arg-type]  # as above
        (lambda: unordered_list(*range(301)), "up to 300 items"),
    ],
    ids=["pattern", "pattern type", "number", "tolerance", "nan", "zero", "above one", "predicate", "too many"],
)
def test_a_matcher_that_cannot_work_is_refused_when_it_is_made(make: Any, named: str) -> None:
    with pytest.raises(SettingError, match=named):
        make()


def test_faults_point_at_the_deepest_value_that_differs() -> None:
    matcher = matcher_of({"filter": {"days": [1, 2], "city": "Oslo"}, "q": "x"})
    faults = matcher.faults({"filter": {"days": [1, 3], "city": "Oslo"}, "p": 1}, "")
    found = [(fault.path, fault.expected, fault.actual, fault.rule) for fault in faults]
    assert found == [("filter.days[1]", 2, 3, "exact"), ("q", "x", ABSENT, "exact"), ("p", ABSENT, 1, "exact")]


def test_a_predicate_that_raises_is_no_verdict() -> None:
    with pytest.raises(NotComparable, match="is_even raised TypeError"):
        satisfies(is_even).accepts("x")


def test_a_pattern_that_takes_too_long_is_no_verdict() -> None:
    began = time.process_time()
    with pytest.raises(NotComparable, match=r"took longer than 0.5 s"):
        regex(r"(a|aa)+$").accepts("a" * 60 + "b")
    assert time.process_time() - began < 5
