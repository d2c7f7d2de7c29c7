"""The facts of many runs: they add up in any order, and stay small whatever comes."""

from __future__ import annotations

import json
import math
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcall_evals import Score, ToolInvocation, Trajectory, scorers
from toolcall_evals.report import Survey
from toolcall_evals.report import _survey as bounds
from toolcall_evals.report._diff_lines import MOST_LINES, diff_lines
from toolcall_evals.report._names import MOST_NAMES, OTHERS, trim

NAMES = st.sampled_from([*"abcdef", "(others)", "\ud800", "\ud801", "x" * 300])
CALLS = st.builds(
    ToolInvocation,
    NAMES,
    status=st.sampled_from(["success", "error", "pending", "invalid", "rejected", "hallucinated"]),
    attempts=st.integers(1, 3),
    duration_s=st.none() | st.floats(allow_nan=True, allow_infinity=True),
)
SCORES = st.sampled_from(
    [
        Score("k", 0.0, comment="none"),
        Score("k", 0.1 + 0.2, comment="some"),
        Score("k", 1.0),
        Score("k", None, "could_not_score", "unknown"),
        Score("k", None, "not_applicable"),
    ]
)
RUNS = st.builds(
    Trajectory,
    st.none() | st.text(max_size=5),
    invocations=st.lists(CALLS, max_size=4).map(tuple),
    duration_s=st.none() | st.floats(0, 100) | st.just(math.nan),
    source=st.sampled_from(["openai", "langchain"]),
    warnings=st.lists(st.sampled_from(["a 1", "a 2", "b 'x'"]), max_size=2).map(tuple),
)
WANTED = st.none() | st.lists(NAMES, max_size=3).map(lambda names: {"tool_calls": [{"name": name} for name in names]})
ROWS = st.lists(st.tuples(st.sampled_from(["f", "g"]), RUNS, SCORES, WANTED) | st.just("unreadable"), max_size=14)


def surveyed(rows: list[tuple[int, Any]]) -> Survey:
    survey = Survey()
    for number, row in rows:
        if row == "unreadable":
            survey.add_unreadable("f", number, f"cause {number}")
        else:
            source, run, score, wanted = row
            survey.add(source, number, f"run {number}", run, [score], wanted)
    return survey


def stored(survey: Survey) -> Survey:
    """The survey as it comes back from a file of a part."""
    return Survey.from_dict(orjson.loads(orjson.dumps(survey.to_dict())))


def calls_of(survey: Survey) -> dict[str, int]:
    return {name: facts.calls for name, facts in survey.tools.items()}


def lower_bounds(patch: pytest.MonkeyPatch) -> None:
    """Make bounds so low that a few rows reach them."""
    for name, value in [("MOST_WORST", 3), ("MOST_FOR_KEY", 2), ("MOST_SLOW", 2), ("MOST_UNREAD", 2), ("MOST_SOURCES", 1), ("_ROOM", 3)]:
        patch.setattr(bounds, name, value)
    patch.setattr(bounds, "trim", lambda counts, most=2, others=OTHERS: trim(counts, min(most, 2), others))


@settings(max_examples=150, deadline=None)
@given(ROWS, st.data())
def test_parts_add_up_to_the_whole_in_any_order(rows: list[Any], data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans(), "low bounds"):
            lower_bounds(patch)
        numbered = list(enumerate(rows))
        parts = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)), "part of each row")
        order = data.draw(st.permutations(range(4)), "order of the parts")
        merged = Survey()
        for part in order:
            merged.merge(stored(surveyed([row for row, its in zip(numbered, parts, strict=True) if its == part])))
        assert merged.to_dict() == surveyed(numbered).to_dict()


def test_of_equal_runs_the_first_by_file_and_row_are_kept_whenever_they_come() -> None:
    survey = Survey()
    for source, row in [("g", 1), ("g", 0), *[("h", row) for row in range(80)], ("f", 9), ("g", 2)]:
        survey.add(source, row, "x", Trajectory(invocations=(ToolInvocation("a"),), duration_s=1.0), [Score("k", 0.0)])
    first = [("f", 9), ("g", 0), ("g", 1), ("g", 2), ("h", 0)]
    for runs in (survey.worst, survey.slowest, survey.longest):
        assert [(facts.source, facts.row) for facts in runs[:5]] == first


def test_it_counts_what_the_runs_hold() -> None:
    survey = Survey()
    calls = (ToolInvocation("a", status="success", attempts=3, duration_s=2.0), ToolInvocation("a", status="error"), ToolInvocation("b"))
    run = Trajectory("ask", invocations=calls, duration_s=4.5, warnings=("3 of 'x' were trimmed",))
    scores = [Score("k", 0.25, comment="why"), Score("n", None, "not_applicable"), Score("m", None, "could_not_score", "no data")]
    survey.add("f", 3, "x", run, scores, {"tool_calls": [{"name": "a"}, {"name": "c"}]})
    facts = survey.tools["a"]
    assert (survey.runs, survey.calls, survey.flawed, survey.per_run[3], survey.warnings) == (1, 3, 1, 1, {"… of … were trimmed": 1})
    assert (facts.calls, facts.failed, facts.retried, facts.attempts, facts.timed, facts.longest) == (2, 1, 1, 4, 1, 2_000_000)
    assert survey.cells == {("a", "a"): 1, ("c", "a"): 1} and survey.unexpected == {"b": 1}
    (worst,) = survey.worst
    assert (worst.source, worst.row, worst.lost, worst.errors, worst.seconds) == ("f", 3, 0.75, 1, 4.5)
    assert [(each.key, each.score, each.comment) for each in worst.failed] == [("k", 0.25, "why"), ("m", None, "no data")]


def test_the_worst_for_each_evaluator_are_kept_beside_the_worst_of_all() -> None:
    survey = Survey()
    for number in range(200):
        survey.add("f", number, str(number), Trajectory(), [Score("often", 0.0), Score("twice", 0.0), Score("rare", 1.0)])
    survey.add("f", 500, "the rare one", Trajectory(), [Score("often", 1.0), Score("twice", 1.0), Score("rare", 0.9)])
    survey.add("f", 501, "unscored", Trajectory(), [Score("often", 1.0), Score("twice", 1.0), Score("rare", None, "could_not_score")])
    assert [facts.row for facts in survey.worst] == list(range(bounds.MOST_WORST))
    assert [facts.row for facts in survey.worth_a_look()] == [*range(bounds.MOST_WORST), 500, 501]


def test_it_stays_small_whatever_comes() -> None:
    survey = Survey()
    for number in range(3000):
        name = f"tool {number} " + "n" * 900
        run = Trajectory("x" * 5000, invocations=(ToolInvocation(name),), warnings=("w" * number,), source="s" * number)
        scores = [Score(key, 0.0, comment="c" * 4000) for key in "abcdefghij"]
        survey.add(f"file {number}", number, "i" * 999, run, scores, {"tool_calls": [{"name": f"other {number}"}]})
        survey.add_unreadable(f"file {number}", number, "cause " * 500)
    written = len(orjson.dumps(survey.to_dict()))
    assert sum(calls_of(survey).values()) == 3000 and len(survey.tools) == MOST_NAMES + 1
    assert survey.tools[OTHERS].calls == 3000 - MOST_NAMES and survey.unreadable == 3000
    assert written < 2_000_000


def test_which_names_are_kept_does_not_depend_on_their_order() -> None:
    forward, backward = {str(number): number for number in range(100)}, {str(number): number for number in range(99, -1, -1)}
    trim(forward, 7)
    trim(backward, 7)
    assert forward == backward and len(forward) == 8 and sum(forward.values()) == sum(range(100))


@pytest.mark.parametrize("duration", [math.nan, math.inf, -1.0, 1e300, True], ids=str)
def test_a_duration_that_is_no_time_is_not_counted(duration: Any) -> None:
    survey = Survey()
    survey.add("f", 0, "x", Trajectory(invocations=(ToolInvocation("a", duration_s=duration),), duration_s=duration), [])
    assert survey.tools["a"].timed == 0 and survey.slowest == [] and json.dumps(survey.to_dict(), allow_nan=False)


def test_a_diff_becomes_a_line_for_each_difference() -> None:
    calls = (ToolInvocation("find", {"q": "dogs"}, status="success"), ToolInvocation("pay", {}, status="success"))
    wanted = {"tool_calls": [{"name": "find", "args": {"q": "cats"}}, {"name": "book", "args": {"n": 1}}]}
    score = scorers.tool_calls_match().score(Trajectory(invocations=calls), wanted)
    assert diff_lines(score.details) == (
        ("missing", "book(n=1)"),
        ("differs", "find with q='dogs' where 'cats' was expected"),
        ("unexpected", "pay()"),
    )


@pytest.mark.parametrize(
    "details",
    [
        pytest.param({}, id="no diff"),
        pytest.param({"diff": "words"}, id="a text"),
        pytest.param({"diff": {"missing": []}}, id="other parts"),
        pytest.param({"diff": {"violations": 3}}, id="a number for a part"),
        pytest.param({"diff": {"violations": [{}], "missing": [], "wrong_arguments": [], "moved": [], "extra": []}}, id="other items"),
        pytest.param(None, id="no details"),
    ],
)
def test_what_is_no_diff_of_ours_gives_no_lines(details: Any) -> None:
    assert diff_lines(details) == ()


def test_a_long_diff_is_cut() -> None:
    calls = tuple([ToolInvocation("a" * 500, {"n": number}, status="success") for number in range(50)])
    lines = diff_lines(scorers.tool_calls_match().score(Trajectory(invocations=calls), {"tool_calls": []}).details)
    assert len(lines) == MOST_LINES and all(len(text) < 300 for _, text in lines)
