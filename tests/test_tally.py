"""A tally of parts says what the rows themselves say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals._tally import BINS, Tally
from toolcall_evals.gates import GateReport, gate, gate_tallies
from toolcall_evals.results import ResultRow
from toolcall_evals.statistics import mean_interval

SCORES = st.one_of(st.none(), st.sampled_from([0.0, 1.0]), st.floats(0, 1))
PARTS = st.lists(st.lists(SCORES, max_size=40), min_size=1, max_size=4)


def rows_of(parts: list[list[float | None]]) -> list[list[ResultRow]]:
    found: list[list[ResultRow]] = []
    for part in parts:
        first = sum(map(len, found))
        found.append([row_of(str(first + at), score) for at, score in enumerate(part)])
    return found


def row_of(id: str, score: float | None) -> ResultRow:
    return ResultRow(id, "k", score, "could_not_score" if score is None else "scored")


def merged(parts: list[list[ResultRow]], keep: int | None = None) -> Tally:
    whole = Tally("k", keep)
    for part in parts:
        whole.merge(Tally.from_dict(json.loads(json.dumps(Tally.of("k", part, keep).to_dict()))))
    return whole


@given(PARTS)
def test_parts_add_up_to_the_whole(parts: list[list[float | None]]) -> None:
    rows = [row for part in rows_of(parts) for row in part]
    scores = [row.score for row in rows if row.score is not None]
    tally = merged(rows_of(parts))
    assert (tally.scored, tally.unscored, sum(tally.bins)) == (len(scores), len(rows) - len(scores), len(scores))
    assert tally.mean == pytest.approx(sum(scores) / len(scores)) if scores else tally.mean is None
    interval = mean_interval(scores)
    assert tally.interval == (None if interval is None else pytest.approx(interval, abs=1e-6))


@given(PARTS, st.integers(1, 6))
def test_the_rows_that_are_kept_are_the_first_of_all(parts: list[list[float | None]], keep: int) -> None:
    every, few = merged(rows_of(parts)), merged(rows_of(parts), keep)
    assert few.lowest == every.lowest[:keep]
    assert few.highest == every.highest[:keep]
    assert few.could_not == every.could_not[:keep]


@given(PARTS, st.floats(0, 1), st.booleans(), st.booleans())
def test_a_gate_says_the_same_of_rows_and_of_tallies(parts: list[list[float | None]], least: float, gated: bool, allowed: bool) -> None:
    rows = [row for part in rows_of(parts) for row in part]
    if not rows:
        return
    gates, thresholds = ["k"] if gated else [], {"k": least}
    by_rows = gate(rows, gates, thresholds, allow_unscored=allowed)
    by_tally = gate_tallies([merged(rows_of(parts), 5)], gates, thresholds, allow_unscored=allowed)
    assert facts(by_rows) == facts(by_tally)


def facts(report: GateReport) -> object:
    return report.verdict, [(key.rule, key.held, len(key.reasons), key.failing_count, key.unscored_count) for key in report.keys]


def test_scores_fall_into_twentieths() -> None:
    tally = Tally.of("k", [ResultRow(str(at), "k", score, "scored") for at, score in enumerate([0.0, 0.049, 0.05, 0.5, 0.999, 1.0])])
    assert (tally.bins[0], tally.bins[1], tally.bins[10], tally.bins[BINS - 1]) == (2, 1, 1, 2)
