"""One-to-one pairing of expected calls and calls, as large as possible: in any order, or in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._model import ToolInvocation
from ._alignment import heaviest_alignment, longest_alignment
from ._assignment import heaviest_assignment, maximum_matching
from ._edges import Edges, Row, is_open
from ._wanted import UNSTATED, Defaults, Wanted, stand_in

MOST_LIKENESSES = 60_000
"""Pairs whose likeness is compared to find the most alike, tool by tool; past it those of a tool are paired in order of appearance."""

MOST_EDGES = 50_000
"""Pairs that fit, up to which likeness decides among the longest alignments; beyond it the first found is taken."""

FITS = 1 << 44
"""The weight of a pair that fits; likeness, in 0..1, weighs up to `LIKENESS`, so that any number of likenesses weighs less."""

LIKENESS = 1 << 24


@dataclass(slots=True)
class Pairing:
    """
    Which expected call is paired with which call.

    Attributes:
        pairs: (expected, call) indexes of pairs that fit; rising in the first.
        near: Pairs of one tool that do not fit: the same call with wrong arguments.
        bound: The pairing may not be the largest (or, for `near`, not the most alike): a size limit was passed.
    """

    pairs: list[tuple[int, int]]
    near: list[tuple[int, int]]
    bound: bool = False


def pair_any_order(
    rows: Sequence[Row], calls: Sequence[ToolInvocation], defaults: Defaults | None = None, required: int | None = None
) -> Pairing:
    """
    As many pairs as possible, whatever the order.

    Args:
        rows: The expected places.
        calls: What was called.
        defaults: What an omitted argument equals, by tool.
        required: The first so many rows come before the others; None: all alike.
    """
    if not calls:
        return Pairing([], [])
    if len(rows) == len(calls) == len(rows[0]) == 1:  # the usual case, told here for the sake of speed
        return Pairing([(0, 0)] if rows[0][0].fits(calls[0], defaults) else [], [])
    if required is None and (obvious := obvious_pairs(rows, calls, defaults)) is not None:
        return Pairing(obvious, [])
    taken: list[tuple[int, int]] = []
    left_rows: Sequence[int] = range(len(rows))
    left_calls: Sequence[int] = range(len(calls))
    if required is None and len(rows) * len(calls) > 64 and _interchangeable(rows, defaults):
        taken, left_rows, left_calls = _equal_pairs(rows, calls, defaults)
    openly = [index for index in left_rows if len(rows[index]) == 1 and is_open(rows[index][0])] if required is None else []
    closed = [index for index in left_rows if index not in set(openly)] if openly else left_rows
    edges = Edges([rows[index] for index in closed], [calls[index] for index in left_calls], defaults)
    found = maximum_matching(edges.of_row, required)
    pairs = taken + [(closed[row], left_calls[column]) for row, column in found.items()]
    if openly:
        used = {call for _, call in pairs}
        rest = [index for index in left_calls if index not in used]
        pairs += _filled([rows[index] for index in openly], openly, rest, calls)
    return Pairing(sorted(pairs), [], edges.bound)


def obvious_pairs(rows: Sequence[Row], calls: Sequence[ToolInvocation], defaults: Defaults | None) -> list[tuple[int, int]] | None:
    """The k-th call of each tool with the k-th place of it, where they all fit: no pairing is larger. None where one does not."""
    waiting: dict[str, list[int]] = {}
    for index in range(len(rows) - 1, -1, -1):
        row = rows[index]
        if len(row) != 1:
            return None
        name = row[0].name
        if name in waiting:
            waiting[name].append(index)
        else:
            waiting[name] = [index]
    pairs = []
    for column, call in enumerate(calls):
        places = waiting.get(call.name)
        if places:
            index = places.pop()
            if not rows[index][0].fits(call, defaults):
                return None
            pairs.append((index, column))
    return pairs


def pair_in_order(rows: Sequence[Row], calls: Sequence[ToolInvocation], defaults: Defaults | None = None) -> Pairing:
    """As many pairs as possible that keep the order of both sides; among equally many the most alike."""
    head = 0
    while head < len(rows) and head < len(calls) and _same(rows[head], calls[head]):
        head += 1
    pairs = [(index, index) for index in range(head)]
    if head == len(rows) or head == len(calls):
        return Pairing(pairs, [])
    rows, calls = rows[head:], calls[head:]
    edges = Edges(rows, calls, defaults)
    if sum(map(len, edges.of_row)) > MOST_EDGES:
        masks = [0] * len(calls)
        for row, columns in enumerate(edges.of_row):
            bit = 1 << row
            for column in columns:
                masks[column] |= bit
        found = longest_alignment(masks, len(rows))
    else:
        weights: list[dict[int, int]] = [{} for _ in calls]
        for row, columns in enumerate(edges.of_row):
            for column in columns:
                weights[column][row] = FITS + likeness(rows[row], calls[column], defaults)
        found = heaviest_alignment(weights, len(rows))
    return Pairing(pairs + [(row + head, call + head) for row, call in found], [], edges.bound)


def pair_closely(rows: Sequence[Row], calls: Sequence[ToolInvocation], defaults: Defaults | None = None) -> Pairing:
    """
    As many pairs as possible, whatever the order; among equally many the most alike. What is left of a tool is paired as `near`.

    Equal pairs are taken first; then, tool by tool, the heaviest assignment, up to `MOST_LIKENESSES`.
    """
    if not rows or not calls:
        return Pairing([], [])
    if len(rows) == len(calls) == len(rows[0]) == 1:  # as above
        pair = [(0, 0)] if rows[0][0].name == calls[0].name else []
        return Pairing(pair, []) if pair and rows[0][0].fits(calls[0], defaults) else Pairing([], pair)
    taken: list[tuple[int, int]] = []
    left_rows: Sequence[int] = range(len(rows))
    left_calls: Sequence[int] = range(len(calls))
    if _interchangeable(rows, defaults):
        taken, left_rows, left_calls = _equal_pairs(rows, calls, defaults)
    result = Pairing(taken, [])
    left = MOST_LIKENESSES
    for mine, theirs in sorted(_blocks(rows, calls, left_rows, left_calls), key=lambda block: len(block[0]) * len(block[1])):
        left -= len(mine) * len(theirs)
        if left >= 0:
            _pair_block(rows, calls, mine, theirs, defaults, result)
        else:
            _pair_coarsely(rows, calls, mine, theirs, defaults, result)
    result.pairs.sort()
    result.near.sort()
    return result


def likeness(row: Row, call: ToolInvocation, defaults: Defaults | None) -> int:
    """How alike, from 1 to `LIKENESS`."""
    return 1 + int((LIKENESS - 1) * max([wanted.likeness(call, defaults) for wanted in row if wanted.name == call.name], default=0.0))


def _pair_block(
    rows: Sequence[Row], calls: Sequence[ToolInvocation], mine: list[int], theirs: list[int], defaults: Defaults | None, result: Pairing
) -> None:
    weights = [[_weight(rows[row], calls[call], defaults) for call in theirs] for row in mine]
    if len(mine) <= len(theirs):
        pairs = list(enumerate(heaviest_assignment(weights)))
    else:
        turned = [list(column) for column in zip(*weights, strict=True)]
        pairs = [(row, column) for column, row in enumerate(heaviest_assignment(turned))]
    for row, column in pairs:
        weight = weights[row][column]
        if weight:
            (result.pairs if weight >= FITS else result.near).append((mine[row], theirs[column]))


def _pair_coarsely(
    rows: Sequence[Row], calls: Sequence[ToolInvocation], mine: list[int], theirs: list[int], defaults: Defaults | None, result: Pairing
) -> None:
    for row, call in _filled([rows[row] for row in mine], mine, theirs, calls):
        fits = any(wanted.fits(calls[call], defaults) for wanted in rows[row])
        (result.pairs if fits else result.near).append((row, call))
    result.bound = True


def _weight(row: Row, call: ToolInvocation, defaults: Defaults | None) -> int:
    """0 where no expected call has the call's name."""
    named = [wanted for wanted in row if wanted.name == call.name]
    if not named:
        return 0
    return likeness(named, call, defaults) + (FITS if any(wanted.fits(call, defaults) for wanted in named) else 0)


def _interchangeable(rows: Sequence[Row], defaults: Defaults | None) -> bool:
    """
    May equal pairs be taken first, without losing a pair?

    Yes where every place is one call, all of a tool go by one rule, and what fits a call fits whoever the call fits: then two
    pairs can exchange their calls.
    """
    rules: dict[str, str] = {}
    for row in rows:
        if len(row) != 1 or not (row[0].args is UNSTATED or row[0].exchanges()):
            return False
        wanted = row[0]
        if rules.setdefault(wanted.name, wanted.rule) != wanted.rule or (wanted.rule != "exact" and defaults and wanted.name in defaults):
            return False
    return True


def _equal_pairs(
    rows: Sequence[Row], calls: Sequence[ToolInvocation], defaults: Defaults | None
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """The pairs of equal arguments, the k-th with the k-th; and what is left of both sides."""
    waiting: dict[tuple[str, object], list[int]] = {}
    names = {row[0].name for row in rows}
    for index in range(len(calls) - 1, -1, -1):
        call = calls[index]
        if call.name in names and call.args is not None and (stamp := stand_in(call.name, call.args, defaults)) is not None:
            waiting.setdefault((call.name, stamp), []).append(index)
    pairs: list[tuple[int, int]] = []
    for index, row in enumerate(rows):
        wanted: Wanted = row[0]
        stamp = wanted.stand_in(defaults)
        queue = waiting.get((wanted.name, stamp)) if stamp is not None else None
        if queue:
            pairs.append((index, queue.pop()))
    used_rows, used_calls = {row for row, _ in pairs}, {call for _, call in pairs}
    return (
        pairs,
        [index for index in range(len(rows)) if index not in used_rows],
        [index for index in range(len(calls)) if index not in used_calls],
    )


def _same(row: Row, call: ToolInvocation) -> bool:
    """Surely the best pair for both: equal plain arguments."""
    return len(row) == 1 and row[0].literal is not None and row[0].fits(call)


def _filled(
    rows: Sequence[Row], row_indexes: Sequence[int], call_indexes: Sequence[int], calls: Sequence[ToolInvocation]
) -> list[tuple[int, int]]:
    """Pairs of the same tool, in order of appearance."""
    waiting: dict[str, list[int]] = {}
    for index in reversed(call_indexes):
        waiting.setdefault(calls[index].name, []).append(index)
    pairs = []
    for row, index in zip(rows, row_indexes, strict=True):
        queue = next((waiting[wanted.name] for wanted in row if waiting.get(wanted.name)), None)
        if queue:
            pairs.append((index, queue.pop()))
    return pairs


def _blocks(
    rows: Sequence[Row], calls: Sequence[ToolInvocation], left_rows: Sequence[int], left_calls: Sequence[int]
) -> list[tuple[list[int], list[int]]]:
    """Rows and calls that may be paired: by tool, tools that stand in one place together."""
    root: dict[str, str] = {}

    def find(name: str) -> str:
        while (up := root.setdefault(name, name)) != name:
            name = up
        return name

    for index in left_rows:
        first = find(rows[index][0].name)
        for wanted in rows[index][1:]:
            root[find(wanted.name)] = first
    blocks: dict[str, tuple[list[int], list[int]]] = {}
    for index in left_rows:
        blocks.setdefault(find(rows[index][0].name), ([], []))[0].append(index)
    for index in left_calls:
        if (block := blocks.get(find(calls[index].name))) is not None:
            block[1].append(index)
    return [block for block in blocks.values() if block[1]]
