from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import SettingError, ToolInvocation, Trajectory
from toolcall_evals.expect import at_least, call, sequence
from toolcall_evals.scorers import tool_call_f1, tool_calls_match

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=3,
)
ARGS = st.dictionaries(st.sampled_from(["x", "y"]), st.integers(0, 1), max_size=2)
CALLS = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), ARGS), max_size=7)
RULES = st.sampled_from(["exact", "superset", "subset", "loose", "partial", "ignore"])


def run(*calls: tuple[str, Any] | str) -> Trajectory:
    pairs = [(each, {}) if isinstance(each, str) else each for each in calls]
    return Trajectory(invocations=tuple([ToolInvocation(name, args=args, status="success") for name, args in pairs]))


def stated(calls: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": name, "args": args} for name, args in calls]


@pytest.mark.parametrize(
    ("expected", "calls", "precision", "recall", "f1"),
    [
        pytest.param("", "", 1, 1, 1, id="nothing expected, nothing called"),
        pytest.param("", "a", 0, 1, 0, id="nothing expected, something called"),
        pytest.param("a", "", 0, 0, 0, id="something expected, nothing called"),
        pytest.param("ab", "ab", 1, 1, 1, id="equal"),
        pytest.param("ab", "ba", 1, 1, 1, id="in any order"),
        pytest.param("a", "aaaaa", 1 / 5, 1, 1 / 3, id="one call five times"),
        pytest.param("aa", "a", 1, 1 / 2, 2 / 3, id="once of twice"),
        pytest.param("abc", "ab", 1, 2 / 3, 4 / 5, id="one missing"),
        pytest.param("a", "abcdefghij", 1 / 10, 1, 2 / 11, id="nine extras"),
        pytest.param("abc", "xab", 2 / 3, 2 / 3, 2 / 3, id="one missing, one extra"),
    ],
)
def test_calls_are_counted_as_often_as_they_are_made(expected: str, calls: str, precision: float, recall: float, f1: float) -> None:
    score = tool_call_f1(list(expected)).score(run(*calls))
    assert score.score == pytest.approx(f1)
    assert [score.details[name] for name in ("precision", "recall", "f1")] == pytest.approx([precision, recall, f1])


def test_counts_are_given_by_tool() -> None:
    score = tool_call_f1(["a", "a", "b"]).score(run("a", "c"))
    assert score.details["by_tool"] == {
        "a": {"expected": 2, "actual": 1, "matched": 1},
        "b": {"expected": 1, "actual": 0, "matched": 0},
        "c": {"expected": 0, "actual": 1, "matched": 0},
    }
    assert score.comment == "F1 0.4: 1 matched of 3 expected and 2 made; missing a, b; unexpected c()"


def test_the_order_counts_where_it_is_asked_for() -> None:
    assert tool_call_f1(["a", "b", "c"], ordered=True).score(run(*"cab")).details["matched"] == 2
    assert tool_call_f1(["a", "b", "c"]).score(run(*"cab")).score == 1.0


def test_a_structure_counts_what_it_needs_and_what_is_there() -> None:
    score = tool_call_f1(sequence(at_least(1, "a"), "b")).score(run(*"aaac"))
    assert (score.details["expected"], score.details["matched"]) == (4, 3)


@given(CALLS, CALLS, RULES)
def test_f1_is_symmetric_where_the_rule_is_and_in_range(expected: Any, calls: Any, rule: str) -> None:
    score = tool_call_f1(stated(expected), args=rule).score(run(*calls))
    assert score.score is not None
    assert 0.0 <= score.score <= 1.0
    mirror = {"superset": "subset", "subset": "superset"}.get(rule, rule)
    if rule != "partial":
        assert tool_call_f1(stated(calls), args=mirror).score(run(*expected)).score == pytest.approx(score.score)


@given(CALLS, CALLS, RULES, st.data())
def test_a_missing_call_never_raises_recall(expected: Any, calls: Any, rule: str, data: Any) -> None:
    scorer = tool_call_f1(stated(expected), args=rule)
    if calls:
        left_out = data.draw(st.integers(0, len(calls) - 1))
        fewer = calls[:left_out] + calls[left_out + 1 :]
        assert scorer.score(run(*fewer)).details["recall"] <= scorer.score(run(*calls)).details["recall"]


@given(CALLS, CALLS, RULES, st.integers(0, 7))
def test_an_extra_call_never_raises_precision(expected: Any, calls: Any, rule: str, place: int) -> None:
    scorer = tool_call_f1(stated(expected), args=rule)
    more = [*calls[:place], ("nobody expects this", {}), *calls[place:]]
    assert scorer.score(run(*more)).details["precision"] <= scorer.score(run(*calls)).details["precision"]


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.dictionaries(st.text(max_size=2), VALUES, max_size=2)), max_size=5))
def test_a_run_is_its_own_expectation(calls: Any) -> None:
    trajectory = run(*calls)
    assert tool_call_f1(trajectory).score(trajectory).score == 1.0
    assert tool_calls_match().score(trajectory, trajectory).score == 1.0
    for order in ("strict", "in_order", "unordered", "superset", "subset"):
        assert tool_calls_match(trajectory, order=order).score(trajectory).score == 1.0


@given(CALLS, CALLS, RULES)
def test_what_is_stricter_never_passes_where_the_looser_fails(expected: Any, calls: Any, rule: str) -> None:
    verdicts = {
        order: tool_calls_match(stated(expected), order=order, args=rule).score(run(*calls)).score
        for order in ("strict", "in_order", "unordered", "superset", "subset")
    }
    assert verdicts["strict"] <= min(verdicts["in_order"], verdicts["unordered"])
    assert max(verdicts["in_order"], verdicts["unordered"]) <= verdicts["superset"]
    assert verdicts["unordered"] <= verdicts["subset"]
    f1 = tool_call_f1(stated(expected), args=rule).score(run(*calls))
    assert (f1.score == 1.0) is (verdicts["unordered"] == 1.0)
    assert (f1.details["recall"] == 1.0) is (verdicts["superset"] == 1.0)


@given(CALLS, CALLS, RULES)
def test_the_quick_verdict_agrees_with_the_explanation(expected: Any, calls: Any, rule: str) -> None:
    for order in ("strict", "in_order", "unordered", "superset", "subset"):
        score = tool_calls_match(stated(expected), order=order, args=rule).score(run(*calls))
        diff, matched = score.details["diff"], score.details["matched"]
        nothing_missing = matched == len(expected)
        nothing_extra = matched == len(calls)
        passes = {
            "strict": nothing_missing and nothing_extra,
            "unordered": nothing_missing and nothing_extra,
            "in_order": nothing_missing,
            "superset": nothing_missing,
            "subset": nothing_extra,
        }
        assert (score.score == 1.0) is passes[order]
        wrong = len({fault["index"] for fault in diff["wrong_arguments"]})
        assert len(diff["matched"]) + len(diff["moved"]) + len(diff["missing"]) + wrong == len(expected)
        assert len(diff["matched"]) + len(diff["moved"]) + len(diff["extra"]) + wrong == len(calls)


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(SettingError, match="ordered must be True or False"):
        tool_call_f1(["a"], ordered="yes")  # type: ignore[arg-type]  # the mistake that is tested
    with pytest.raises(SettingError, match="inside a call"):
        tool_call_f1([call("a", inside="b")])
