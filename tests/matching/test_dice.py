"""How alike two texts are: twice the shared pairs of characters, over all pairs."""

from __future__ import annotations

import pytest

from toolcall_evals.matching._dice import dice


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        pytest.param("night", "nacht", 2 * 1 / (4 + 4), id="the textbook example"),
        pytest.param("ab", "abc", 2 * 1 / (1 + 2), id="two characters have one pair"),
        pytest.param("a", "ab", 0.0, id="one character has none"),
        pytest.param("a", "A", 1.0, id="one character, equal"),
        pytest.param("", " ", 1.0, id="both without any"),
        pytest.param("aaa", "aaaaa", 2 * 2 / (2 + 4), id="repeats are counted"),
        pytest.param("aaa", "aaxa", 2 * 1 / (2 + 3), id="but not more often than they occur on both sides"),
        pytest.param("a b\nc", "ABC", 1.0, id="white space and case play no part"),
        pytest.param("abc", "xyz", 0.0, id="nothing in common"),
    ],
)
def test_it_is_the_coefficient_worked_out_by_hand(one: str, other: str, value: float) -> None:
    assert dice(one, other) == dice(other, one) == pytest.approx(value, abs=1e-12)
