"""How a call can go on in a structure: which place it takes, what is left, and how many expected calls are passed over."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals.matching._tree import moves

A, B, C = ("leaf", 0), ("leaf", 1), ("leaf", 2)


@pytest.mark.parametrize(
    ("tree", "fits", "found"),
    [
        pytest.param(A, {0}, [(0, (), 0)], id="a place"),
        pytest.param(A, {1}, [], id="another place"),
        pytest.param((), {0}, [], id="nothing is left"),
        pytest.param(("then", A, B, C), {0}, [(0, ("then", B, C), 0)], id="the first of three"),
        pytest.param(("then", A, B, C), {1}, [(1, C, 1)], id="the second passes over one"),
        pytest.param(("then", A, B, C), {2}, [(2, (), 2)], id="the last passes over two"),
        pytest.param(("then", ("maybe", A), B), {1}, [(1, (), 0)], id="what may be left out is not passed over"),
        pytest.param(("then", ("any", A, B), C), {2}, [(2, (), 2)], id="a group counts with all its calls"),
        pytest.param(("any", A, B), {1}, [(1, A, 0)], id="in any order the others wait"),
        pytest.param(("any", A, B), {0, 1}, [(0, B, 0), (1, A, 0)], id="both places"),
        pytest.param(("times", A, 2, 3), {0}, [(0, ("times", A, 1, 2), 0)], id="once of two or three"),
        pytest.param(("times", A, 1, 1), {0}, [(0, (), 0)], id="once of once"),
        pytest.param(("times", A, 0, None), {0}, [(0, ("times", A, 0, None), 0)], id="once of any number"),
        pytest.param(("times", ("then", A, B), 2, 2), {1}, [(1, ("times", ("then", A, B), 1, 1), 1)], id="inside what repeats"),
    ],
)
def test_a_call_takes_a_place_and_leaves_the_rest(tree: Any, fits: set[int], found: list[Any]) -> None:
    assert moves(tree, frozenset(fits)) == found
