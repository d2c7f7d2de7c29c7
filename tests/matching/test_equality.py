from __future__ import annotations

from collections import OrderedDict
from datetime import date
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolcall_evals.matching._equality import NotComparable, equal, frozen, loosened, needs_care


class Degrees(float):
    """A number as a library may define it."""


class City(str):
    """A text as a library may define it."""


ENDLESS: dict[str, Any] = {}
ENDLESS["self"] = ENDLESS

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=True) | st.sampled_from(["", "1", "é", "e\u0301", "K", "\u212a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "é", "e\u0301"]), inner, max_size=2),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(1, 1.0, True, id="an integer equals the float"),
        pytest.param(True, 1, False, id="True is no number"),
        pytest.param(False, 0.0, False, id="False is no number"),
        pytest.param("1", 1, False, id="a text is no number"),
        pytest.param(None, "", False, id="None is no empty text"),
        pytest.param(None, None, True, id="None equals None"),
        pytest.param("é", "e\u0301", True, id="Unicode in composed and decomposed form"),
        pytest.param("K", "\u212a", True, id="an ASCII letter and its singleton"),
        pytest.param({"é": 1}, {"e\u0301": 1}, True, id="keys in composed and decomposed form"),
        pytest.param("a b", "a  b", False, id="white space counts"),
        pytest.param("A", "a", False, id="case counts"),
        pytest.param({"x": 1, "y": 2}, {"y": 2, "x": 1}, True, id="the order of keys does not count"),
        pytest.param([1, 2], [2, 1], False, id="the order of a list counts"),
        pytest.param([1, 2], (1, 2), True, id="a tuple is a list"),
        pytest.param({"a": [{"b": True}]}, {"a": [{"b": 1}]}, False, id="deep inside too"),
        pytest.param(float("nan"), float("nan"), True, id="NaN equals NaN"),
        pytest.param(0.1 + 0.2, 0.3, False, id="no tolerance"),
        pytest.param(2**53 + 1, float(2**53), False, id="large integers stay exact"),
        pytest.param(OrderedDict(a=1), {"a": 1}, True, id="any mapping"),
        pytest.param(date(2026, 1, 2), date(2026, 1, 2), True, id="values of other kinds by their own rule"),
        pytest.param(date(2026, 1, 2), date(2026, 1, 3), False, id="values of other kinds that differ"),
        pytest.param({1, 2}, {2, 1}, True, id="sets"),
        pytest.param({1, 2}, {1}, False, id="sets that differ"),
        pytest.param(Degrees("nan"), float("nan"), True, id="NaN of a class of its own"),
        pytest.param(Degrees(1.5), 1.5, True, id="a number of a class of its own"),
        pytest.param(Degrees(1.5), Degrees(2.5), False, id="numbers of a class of their own that differ"),
        pytest.param(City("e\u0301"), "é", True, id="a text of a class of its own"),
    ],
)
def test_one_rule_says_which_values_are_equal(one: Any, other: Any, same: bool) -> None:
    assert equal(one, other) is same
    assert equal(other, one) is same
    assert (frozen(one) == frozen(other)) is same


@example({"é": None}, {"é": None, "e\u0301": None})
@example({"é": 1, "e\u0301": 2}, {"é": 2, "e\u0301": 1})
@given(VALUES, VALUES)
def test_a_stand_in_is_equal_exactly_where_the_values_are(one: Any, other: Any) -> None:
    assert (frozen(one) == frozen(other)) is equal(one, other)
    assert frozen(one) == frozen(one)


@given(VALUES, VALUES)
def test_plain_comparison_decides_where_no_care_is_needed(one: Any, other: Any) -> None:
    if not needs_care(one) and one == other:
        assert equal(one, other)


def test_values_that_refuse_to_be_compared_are_not_guessed_at() -> None:
    class Refusing:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

        __hash__ = None  # type: ignore[assignment]  # as numpy arrays

    with pytest.raises(NotComparable, match="cannot be compared"):
        equal({"a": Refusing()}, {"a": Refusing()})
    with pytest.raises(NotComparable, match="no hash"):
        frozen([Refusing()])


def test_endless_nesting_is_not_followed_to_its_end() -> None:
    other: dict[str, Any] = {}
    other["self"] = other
    with pytest.raises(NotComparable, match="too deep"):
        equal(ENDLESS, other)
    with pytest.raises(NotComparable, match="too deep"):
        frozen(ENDLESS)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param("41.5", 41.5, True, id="numeric text"),
        pytest.param("-2", -2, True, id="negative"),
        pytest.param("1e3", 1000, True, id="exponent"),
        pytest.param(" 5 ", 5, True, id="white space around a number"),
        pytest.param("007", 7, False, id="a number with leading zeros is a name"),
        pytest.param("007", "007", True, id="and equals itself"),
        pytest.param("1_000", 1000, False, id="no Python notation"),
        pytest.param("nan", float("nan"), False, id="no names of numbers"),
        pytest.param("true", True, False, id="True is no text"),
        pytest.param("1", True, False, id="True is no number"),
        pytest.param(" New   York", "new york", True, id="case and white space"),
        pytest.param("Straße", "STRASSE", True, id="case folded, not lower-cased"),
        pytest.param({"a": ["1"]}, {"a": [1]}, True, id="deep inside"),
        pytest.param(None, "none", False, id="None is no text"),
    ],
)
def test_loose_folds_numeric_text_case_and_white_space(one: Any, other: Any, same: bool) -> None:
    assert equal(loosened(one), loosened(other)) is same


def test_loose_is_not_slow_or_wrong_on_long_digits() -> None:
    assert loosened("9" * 5_000) == "9" * 5_000
