from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator

from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolcall_evals.matching._structure import best_match
from toolcall_evals.matching._tree import Tree

LEAVES = st.integers(0, 3).map(lambda place: ("leaf", place))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: ("then", *parts)),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: ("any", *parts)),
        inner.map(lambda part: ("maybe", part)),
        st.tuples(inner, st.integers(0, 2), st.integers(0, 1)).map(lambda each: ("times", each[0], each[1], max(each[1] + each[2], 1))),
    ),
    max_leaves=5,
)
CALLS = st.lists(st.frozensets(st.integers(0, 3), max_size=2), max_size=6)


def words(tree: Tree) -> set[tuple[int, ...]]:
    """Every sequence of places that meets the structure."""
    kind = tree[0]
    if kind == "leaf":
        return {(tree[1],)}
    if kind == "maybe":
        return {(), *words(tree[1])}
    if kind == "times":
        once = words(tree[1])
        return {tuple(itertools.chain(*parts)) for count in range(tree[2], tree[3] + 1) for parts in itertools.product(once, repeat=count)}
    found = words(tree[1])
    for part in tree[2:]:
        joined = set()
        for one in found:
            for other in words(part):
                joined |= {(*one, *other)} if kind == "then" else set(shuffles(one, other))
        found = joined
    return found


def shuffles(one: tuple[int, ...], other: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not one or not other:
        yield one + other
        return
    for rest in shuffles(one[1:], other):
        yield (one[0], *rest)
    for rest in shuffles(one, other[1:]):
        yield (other[0], *rest)


def common(word: tuple[int, ...], calls: list[frozenset[int]]) -> int:
    row = [0] * (len(calls) + 1)
    for place in word:
        before = row
        row = [0]
        for index, fits in enumerate(calls):
            row.append(max(row[index], before[index + 1], before[index] + (place in fits)))
    return row[-1]


def size(tree: Tree) -> int:
    if tree[0] == "leaf":
        return 1
    if tree[0] == "times":
        return int(tree[3]) * size(tree[1])
    return sum(size(part) for part in tree[1:])


@settings(max_examples=400)
@example(("maybe", ("times", ("times", ("leaf", 0), 2, 2), 0, 1)), [frozenset({0})])
@example(("any", ("maybe", ("times", ("leaf", 0), 2, 2)), ("leaf", 1)), [frozenset({0}), frozenset({1})])
@given(TREES, CALLS)
def test_a_match_leaves_as_few_missing_and_takes_as_many_as_any(tree: Tree, calls: list[frozenset[int]]) -> None:
    if size(tree) > 7:
        return
    pairs, bound = best_match(tree, calls)
    best = max((common(word, calls) - len(word), common(word, calls)) for word in words(tree))
    assert not bound
    assert len(pairs) == best[1]
    assert all(place in calls[call] for place, call in pairs)
    assert len({call for _, call in pairs}) == len(pairs)


def test_a_sequence_of_groups_is_exact_and_fast_however_long() -> None:
    draw = random.Random(1)
    groups = [[draw.randrange(20) for _ in range(6)] for _ in range(30)]
    places = iter(range(180))
    tree = ("then", *[("any", *[("leaf", next(places)) for _ in group]) for group in groups])
    wanted = [tool for group in groups for tool in group]
    calls = [tool for group in groups for tool in draw.sample(group, 6)]
    fitting = [frozenset(place for place, tool in enumerate(wanted) if tool == called) for called in calls]
    began = time.process_time()
    pairs, bound = best_match(tree, fitting)
    assert len(pairs) == 180
    assert not bound
    assert time.process_time() - began < 2


def test_past_its_limit_a_match_says_that_it_is_a_bound() -> None:
    draw = random.Random(2)
    places = iter(range(45))
    tree = ("any", *[("then", *[("leaf", next(places)) for _ in range(3)]) for _ in range(15)])
    fitting = [frozenset([draw.randrange(45)]) for _ in range(300)]
    began = time.process_time()
    pairs, bound = best_match(tree, fitting)
    assert bound
    assert 30 < len(pairs) <= 45
    assert time.process_time() - began < 6
