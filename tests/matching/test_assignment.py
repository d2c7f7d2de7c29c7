from __future__ import annotations

import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals.matching._alignment import heaviest_alignment, longest_alignment
from toolcall_evals.matching._assignment import heaviest_assignment, maximum_matching

GRIDS = st.integers(0, 6).flatmap(
    lambda rows: st.integers(0, 6).flatmap(
        lambda columns: st.lists(st.lists(st.booleans(), min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
)


def accepted(grid: list[list[bool]]) -> list[list[int]]:
    return [[column for column, yes in enumerate(row) if yes] for row in grid]


def most_pairs(accepts: list[list[int]], row: int = 0, used: frozenset[int] = frozenset()) -> int:
    if row == len(accepts):
        return 0
    taken = [1 + most_pairs(accepts, row + 1, used | {right}) for right in accepts[row] if right not in used]
    return max([most_pairs(accepts, row + 1, used), *taken])


def most_in_order(grid: list[list[int]], row: int, column: int) -> int:
    """The greatest weight of an alignment of rows and columns from (row, column) on; 0 is no pair."""
    if row == len(grid) or column == len(grid[row]):
        return 0
    best = max(most_in_order(grid, row + 1, column), most_in_order(grid, row, column + 1))
    return max(best, grid[row][column] + most_in_order(grid, row + 1, column + 1)) if grid[row][column] else best


@given(GRIDS)
def test_a_matching_is_as_large_as_any(grid: list[list[bool]]) -> None:
    accepts = accepted(grid)
    found = maximum_matching(accepts)
    assert len(found) == most_pairs(accepts)
    assert len(set(found.values())) == len(found)
    assert all(right in accepts[left] for left, right in found.items())


@given(GRIDS, st.integers(0, 6))
def test_the_first_rows_come_before_the_rest_without_losing_a_pair(grid: list[list[bool]], first: int) -> None:
    accepts = accepted(grid)
    first = min(first, len(accepts))
    found = maximum_matching(accepts, first)
    assert len(found) == most_pairs(accepts)
    assert len([left for left in found if left < first]) == most_pairs(accepts[:first])


def test_a_long_augmenting_path_needs_no_recursion() -> None:
    size = 3_000
    chain = [[index, index + 1] for index in range(size)] + [[0]]
    assert len(maximum_matching(chain)) == size + 1


@given(st.integers(1, 5), st.integers(0, 2), st.randoms(use_true_random=False))
def test_an_assignment_is_as_heavy_as_any(rows: int, more: int, draw: random.Random) -> None:
    weights = [[draw.randrange(10) for _ in range(rows + more)] for _ in range(rows)]
    chosen = heaviest_assignment(weights)
    assert len(set(chosen)) == rows
    heaviest = max(sum(weights[row][column] for row, column in enumerate(way)) for way in itertools.permutations(range(rows + more), rows))
    assert sum(weights[row][column] for row, column in enumerate(chosen)) == heaviest


@given(GRIDS)
def test_an_alignment_is_as_long_as_any(grid: list[list[bool]]) -> None:
    columns = len(grid[0]) if grid else 0
    masks = [sum(1 << row for row, line in enumerate(grid) if line[column]) for column in range(columns)]
    pairs = longest_alignment(masks, len(grid))
    assert len(pairs) == most_in_order([list(map(int, line)) for line in grid], 0, 0)
    assert all(grid[row][column] for row, column in pairs)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in itertools.pairwise(pairs))


@given(GRIDS, st.randoms(use_true_random=False))
def test_a_weighted_alignment_is_as_heavy_as_any(grid: list[list[bool]], draw: random.Random) -> None:
    weighted = [[draw.randint(1, 5) if yes else 0 for yes in line] for line in grid]
    columns = len(grid[0]) if grid else 0
    weights = [{row: line[column] for row, line in enumerate(weighted) if line[column]} for column in range(columns)]
    pairs = heaviest_alignment(weights, len(grid))
    assert sum(weighted[row][column] for row, column in pairs) == most_in_order(weighted, 0, 0)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in itertools.pairwise(pairs))
