"""Two results of the same examples: what got worse, what got lost, and whether that is more than chance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from toolcall_evals.regression import compare
from toolcall_evals.results import ResultRow, write_results


def rows(key: str, *scores: float | None, comment: str = "", repetition: int = 0) -> list[ResultRow]:
    return [
        ResultRow(f"e{n}", key, score, "could_not_score" if score is None else "scored", comment, {"at": n}, repetition)
        for n, score in enumerate(scores)
    ]


@pytest.mark.parametrize(
    ("before", "after", "settings", "regressed"),
    [
        pytest.param(rows("k", 1, 1, 0), rows("k", 1, 1, 0), {}, False, id="the same"),
        pytest.param(rows("k", *[1] * 6), rows("k", *[0] * 6), {}, True, id="six of six fell, p 0.031"),
        pytest.param(rows("k", *[1] * 5), rows("k", *[0] * 5), {}, False, id="five of five fell, p 0.063"),
        pytest.param(rows("k", *[1] * 5), rows("k", *[0] * 5), {"alpha": 0.1}, True, id="five of five fell, at 0.1"),
        pytest.param(rows("k", *[1] * 5), rows("k", 0, *[1] * 4), {"most_worse": 0}, True, id="none may get worse"),
        pytest.param(rows("k", *[1] * 5), rows("k", 0, *[1] * 4), {"most_worse": 1}, False, id="one may get worse"),
        pytest.param(rows("k", *[0] * 6), rows("k", *[1] * 6), {}, False, id="six of six rose"),
        pytest.param(rows("k", 1, 1), rows("k", 1, None), {}, True, id="an example that cannot be scored any more"),
        pytest.param(rows("k", 1, None), rows("k", 1, None), {}, False, id="one that never could"),
        pytest.param(rows("k", 1, None), rows("k", 1, 1), {}, False, id="one that can be scored now"),
        pytest.param(rows("k", 1, 1), rows("k", 1), {}, True, id="an example that is missing"),
        pytest.param(rows("k", 1), rows("k", 1, 0), {}, False, id="a new example"),
        pytest.param(rows("k", 1) + rows("l", 1), rows("k", 1), {}, True, id="a key that is missing"),
        pytest.param(rows("k", 1, 1) + rows("l", 1, 1), rows("k", 1) + rows("l", 1, 1), {}, True, id="a key that one example lacks"),
        pytest.param(rows("k", 1), rows("k", 1) + rows("k", None, repetition=1), {}, True, id="a repetition that could not be scored"),
    ],
)
def test_a_regression_is_told_from_chance(before: Any, after: Any, settings: dict[str, Any], regressed: bool) -> None:
    assert compare(before, after).regressed(**settings) is regressed


def test_repetitions_are_averaged_and_a_rounding_error_is_no_change() -> None:
    before = rows("k", 0.1) + rows("k", 0.2, repetition=1) + rows("k", 0.6, repetition=2)
    (key,) = compare(before, rows("k", 0.3)).keys
    assert (key.pairs, key.worse, key.better, key.p_value) == (1, (), 0, 1.0)
    assert key.before == pytest.approx(0.3)


SHOWN = """\
key  examples  before  after  p      worse  better  lost
k    3         0.833   0.333  0.500  2      0       1
k, e1: 1 -> 0; missing search
k, e0: 0.5 -> 0; missing search
k: could be scored before, not now: e3
examples that only the baseline has: e4
keys that the candidate lacks: l"""


def test_the_comparison_shows_what_got_worse_and_why(tmp_path: Path) -> None:
    write_results(tmp_path / "before.jsonl", rows("k", 0.5, 1, 1, 1, 1, comment="fine") + rows("l", 1))
    write_results(tmp_path / "after.jsonl", rows("k", 0, 0, 1, None, comment="missing search"))
    found = compare(tmp_path / "before.jsonl", tmp_path / "after.jsonl")
    assert str(found) == SHOWN
    assert [(each.row.id, each.was, each.row.comment, each.row.details) for each in found.keys[0].worse] == [
        ("e1", "fine", "missing search", {"at": 1}),
        ("e0", "fine", "missing search", {"at": 0}),
    ]
    assert "| k | 3 | 0.833 | 0.333 | 0.500 | 2 | 0 | 1 |\n" in found.markdown()
    assert "- k, e1: 1 -&#62; 0; missing search\n" in found.markdown()


@pytest.mark.parametrize(
    ("candidate", "problem"),
    [
        pytest.param([{"id": "other", "key": "k", "score": 1}], "examples in common, found none", id="other examples"),
        pytest.param(rows("l", 1), "keys in common, found none", id="other keys"),
        pytest.param([{"key": "k", "score": 1}], "expected an 'id'", id="rows without ids"),
        pytest.param(rows("k", 1) * 2, "two evaluators need two keys", id="a row twice"),
    ],
)
def test_results_that_cannot_be_compared_are_refused(candidate: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        compare(rows("k", 1), candidate)


@pytest.mark.parametrize("settings", [{"alpha": 5}, {"most_worse": -1}, {"most_worse": True}])
def test_a_gate_without_sense_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        compare(rows("k", 1), rows("k", 1)).regressed(**settings)


def test_a_key_that_never_applies_is_no_regression() -> None:
    rows = [{"id": str(at), "key": key, "score": score, "status": status} for at in range(3) for key, score, status in STATED]
    comparison = compare(rows, rows)
    assert not comparison.regressed()
    assert "\x1b" not in str(compare([{**row, "key": "k\x1b[31m"} for row in rows[:1]], [{**row, "key": "k\x1b[31m"} for row in rows[:1]]))


STATED = [("scored", 1.0, "scored"), ("never", None, "not_applicable"), ("unknown", None, "could_not_score")]
