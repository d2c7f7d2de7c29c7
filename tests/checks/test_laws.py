"""What holds for every check and every scorer that needs no model, whatever they are given."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcall_evals import Evaluator, Score, Tool, ToolInvocation, Trajectory, checks, scorers

FACTORIES: dict[str, Callable[..., Evaluator]] = {
    **{name: getattr(checks, name) for name in ("includes", "excludes", "equals", "matches", "similarity")},
    **{name: getattr(checks, name) for name in ("called_tool", "did_not_call", "tool_order", "max_tool_calls")},
    **{name: getattr(checks, name) for name in ("used_no_tools", "no_tool_errors", "follows", "called_with", "no_redundant_calls")},
    **{name: getattr(checks, name) for name in ("no_unknown_tools", "arguments_valid", "arguments_grounded", "recovered_from_errors")},
    "tool_call_accuracy": scorers.tool_call_accuracy,
}
FIRST: dict[str, tuple[Any, ...]] = {
    "includes": ("a",),
    "excludes": ("a",),
    "equals": ("a",),
    "matches": ("a",),
    "similarity": ("ab",),
    "called_tool": ("search",),
    "did_not_call": ("search",),
    "tool_order": (["search", "a"],),
    "max_tool_calls": (1,),
    "follows": (["search", "a"],),
    "called_with": ("search", {}),
    "no_unknown_tools": (["search"],),
    "arguments_valid": ([{"name": "search", "parameters": {"properties": {"q": {"type": "string"}}}}],),
    "tool_call_accuracy": ("search",),
}
PER_EXAMPLE = (
    "includes",
    "equals",
    "similarity",
    "called_tool",
    "tool_order",
    "max_tool_calls",
    "tool_call_accuracy",
    "follows",
    "called_with",
)
SET = [make(*FIRST.get(name, ())) for name, make in FACTORIES.items()]
ALL = [
    *SET,
    *(FACTORIES[name]() for name in PER_EXAMPLE),
    *(checks.includes("a", text="final"), checks.similarity("ab", 0.5), checks.matches("a", exact=True)),
    *(checks.called_tool("search", 2), scorers.tool_call_accuracy("a", strict_mode=True), scorers.tool_call_accuracy(strict_mode=True)),
    *(scorers.per_turn(FACTORIES[name](*FIRST.get(name, ())), fold="min") for name in ("includes", "follows", "no_redundant_calls")),
    *(checks.called_tool("search", exactly=2), checks.max_tool_calls(tool="a"), checks.no_unknown_tools(), checks.arguments_valid()),
    *(checks.recovered_from_errors(by="text"), checks.arguments_grounded(texts="words", own_words=True)),
    *(make(*FIRST.get(name, ()), kinds="all") for name, make in FACTORIES.items()),
    *(make(*FIRST.get(name, ()), agent="one") for name, make in FACTORIES.items()),
]

names = st.sampled_from(["search", "a", "", "b" * 300, "\ud800"])
texts = st.text(max_size=20) | st.sampled_from(["a", "\ud800", "x" * 5000, '{"error": 1}', "Error: no", "ß"])
keys = texts | st.sampled_from(["error", "messages", "role", "content"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
calls = st.builds(
    ToolInvocation,
    name=names,
    args=st.none() | st.dictionaries(keys, json_values, max_size=2),
    raw_args=st.none() | texts,
    turn=st.integers(0, 2),
    id=st.none() | texts,
    status=st.sampled_from(["success", "error", "pending", "invalid", "rejected", "hallucinated"]),
    kind=st.sampled_from(["tool", "tool", "handoff", "structured_output", "server", "framework"]),
    result=st.none() | texts,
    raw_result=json_values,
    error=st.none() | texts,
    agent=st.sampled_from([None, "one", "two"]),
    message_index=st.none() | st.integers(0, 9),
)
runs = st.builds(
    Trajectory,
    input=st.none() | texts,
    messages=st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), texts), max_size=3).map(tuple),
    available_tools=st.none() | st.just((Tool("search", None, {"properties": {}}), Tool("a", agent="one"))),
    texts=st.lists(texts, max_size=3).map(tuple),
    invocations=st.lists(calls, max_size=5).map(tuple),
    error=st.none() | st.none() | texts,
    has_call_record=st.booleans(),
)
references = (
    st.none()
    | json_values
    | st.fixed_dictionaries(
        {},
        optional={
            "expected_tool": names | json_values,
            "expected_tool_order": st.lists(names, max_size=3) | json_values,
            "expected_output": texts | json_values,
            "max_tool_calls": st.integers(-1, 3) | json_values,
            "tool_calls": st.lists(st.fixed_dictionaries({"name": names, "args": st.just({})}), max_size=3) | json_values,
        },
    )
)


def check_score(score: Score) -> None:
    assert (score.score is None) == (score.status != "scored")
    assert score.score is None or (0.0 <= score.score <= 1.0 and not math.isnan(score.score))
    assert score.comment
    assert len(score.comment) <= 1100
    assert "explanation failed" not in score.comment
    json.dumps([score.comment, score.details], allow_nan=False).encode()
    score.comment.encode()


@settings(max_examples=60)
@given(runs, references)
def test_a_score_is_in_0_to_1_or_none_with_a_bounded_reason(run: Trajectory, reference: Any) -> None:
    for evaluator in ALL:
        score = evaluator.score(run, reference)
        check_score(score)
        assert score.key == evaluator.key
        assert evaluator.score(run, reference) == score


@settings(max_examples=60)
@given(json_values, references)
def test_no_value_makes_it_raise(raw: Any, reference: Any) -> None:
    for evaluator in ALL[:20]:
        check_score(evaluator.score(raw, reference))
        row = evaluator(outputs=raw, reference_outputs=reference)
        assert set(row) == {"key", "score", "comment", "extra"}
        json.dumps(row, allow_nan=False)


@settings(max_examples=30)
@given(runs, json_values)
def test_a_set_check_does_not_look_at_the_reference(run: Trajectory, reference: Any) -> None:
    for evaluator in SET:
        assert evaluator.score(run, reference) == evaluator.score(run)


@settings(max_examples=30)
@given(runs)
def test_neither_run_nor_reference_is_changed(run: Trajectory) -> None:
    before = pickle.dumps(run)
    reference = {"tool_calls": [{"name": "search", "args": {"q": [1]}}]}
    for evaluator in ALL:
        assert evaluator.score(run, reference).comment
    assert repr(pickle.loads(before)) == repr(run)  # not ==: a NaN in it equals nothing
    assert reference == {"tool_calls": [{"name": "search", "args": {"q": [1]}}]}


@settings(max_examples=30)
@given(runs)
def test_a_crashed_run_is_never_a_pass(run: Trajectory) -> None:
    crashed = replace(run, error="boom", has_call_record=True)
    for evaluator in ALL:
        assert evaluator.score(crashed, {"expected_tool": "search", "max_tool_calls": 1}).score in (None, 0.0)


@settings(max_examples=30)
@given(runs)
def test_a_hallucinated_call_changes_no_score(run: Trajectory) -> None:
    kept = replace(run, invocations=tuple(call for call in run.invocations if call.status != "hallucinated"))
    for evaluator in SET:
        assert evaluator.score(run).score == evaluator.score(kept).score


@settings(max_examples=30)
@given(runs)
def test_a_check_and_its_opposite_never_agree(run: Trajectory) -> None:
    sound = Trajectory(texts=run.texts, invocations=run.invocations)
    for one, other in (
        (checks.includes("a"), checks.excludes("a")),
        (checks.called_tool("search"), checks.did_not_call("search")),
        (checks.used_no_tools(), checks.called_tool("search", kinds=["tool", "server"])),
    ):
        values = one.score(sound).score, other.score(sound).score
        assert values in ((0.0, 1.0), (1.0, 0.0)) or (one.key == "used_no_tools" and values == (0.0, 0.0))


def test_every_configured_check_has_a_key_of_its_own() -> None:
    assert len({evaluator.key for evaluator in ALL}) == len({repr(evaluator) for evaluator in ALL})


@pytest.mark.parametrize("name", FACTORIES)
def test_every_factory_takes_key_kinds_and_agent(name: str) -> None:
    evaluator = FACTORIES[name](*FIRST.get(name, ()), key="mine", kinds=["tool", "handoff"], agent=["one", "two"])
    assert evaluator.key == evaluator.__name__ == "mine"
    assert evaluator.feedback_keys == ["mine"]
    assert "kinds=['handoff', 'tool'], agent=['one', 'two']" in repr(evaluator)
    with pytest.raises(ValueError, match="key must be 1 to 100 letters"):
        FACTORIES[name](*FIRST.get(name, ()), key="no spaces")
    with pytest.raises(ValueError, match="kinds must be"):
        FACTORIES[name](*FIRST.get(name, ()), kinds=[])


@pytest.mark.parametrize("evaluator", ALL, ids=lambda evaluator: evaluator.key)
def test_it_pickles_and_copies(evaluator: Evaluator) -> None:
    run = Trajectory(texts=("ab a",), invocations=(ToolInvocation(name="search", status="success"),))
    for again in (pickle.loads(pickle.dumps(evaluator)), copy.deepcopy(evaluator), copy.copy(evaluator)):
        assert type(again) is Evaluator
        assert (again.key, repr(again)) == (evaluator.key, repr(evaluator))
        assert again.score(run) == evaluator.score(run)


def test_threads_may_share_them() -> None:
    made = [
        Trajectory(texts=("a" * number,), invocations=tuple(ToolInvocation(name="search", status="success") for _ in range(number)))
        for number in range(40)
    ]
    alone = [[evaluator.score(run) for evaluator in ALL] for run in made]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda run: [evaluator.score(run) for evaluator in ALL], made))
    assert together == alone
