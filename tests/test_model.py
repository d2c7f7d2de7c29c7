from __future__ import annotations

import copy
import dataclasses
import json
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import InvocationDraft, Score, Tool, ToolInvocation, Trajectory, to_trajectory
from toolcall_evals._json import json_ready


def test_every_field_of_an_invocation_but_its_name_has_a_default() -> None:
    call = ToolInvocation(name="search")
    assert (call.args, call.id, call.status, call.kind, call.attempts, call.executed, call.turn) == (
        None,
        None,
        "pending",
        "tool",
        1,
        None,
        0,
    )
    with pytest.raises(TypeError):
        ToolInvocation()  # type: ignore[call-arg]  # what is refused
    with pytest.raises(dataclasses.FrozenInstanceError):
        call.name = "other"  # type: ignore[misc]  # what is refused


@pytest.mark.parametrize(("field", "value"), [("status", "ok"), ("kind", "function"), ("status", None)])
def test_an_unknown_status_or_kind_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{field} must be one of"):
        ToolInvocation(**{"name": "search", field: value})


def test_a_draft_becomes_the_very_invocation_that_would_have_been_built() -> None:
    draft = InvocationDraft("search", {"q": 1}, id="c1")
    draft.status = "success"
    call = draft.freeze()
    assert call is draft  # type: ignore[comparison-overlap]  # it changed its class
    assert type(call) is ToolInvocation
    assert call == ToolInvocation(name="search", args={"q": 1}, id="c1", status="success")
    assert hash(InvocationDraft("a").freeze().name) == hash("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        call.name = "other"  # type: ignore[misc]  # what is refused


def test_draft_and_invocation_have_the_same_fields_and_defaults() -> None:
    def shape(cls: type) -> list[tuple[str, Any, Any]]:
        return [(field.name, field.default, field.default_factory) for field in dataclasses.fields(cls)]

    assert shape(InvocationDraft) == shape(ToolInvocation)
    assert InvocationDraft.__slots__ == ToolInvocation.__slots__


def test_where_a_call_was_asked_for_makes_it_no_other_call() -> None:
    assert ToolInvocation(name="a", message_index=3) == ToolInvocation(name="a", message_index=5)


RUN = Trajectory(
    texts=("one", "", "two"),
    invocations=(
        ToolInvocation(name="a", agent="x"),
        ToolInvocation(name="b", kind="server", agent="y"),
        ToolInvocation(name="c", kind="handoff", agent="x"),
        ToolInvocation(name="d", status="hallucinated", agent="x"),
    ),
)


def test_output_joins_the_texts_that_are_not_empty() -> None:
    assert (RUN.output, RUN.final_text) == ("one two", "two")
    assert (Trajectory().output, Trajectory().final_text) == ("", "")
    assert Trajectory(texts=("one", "")).final_text == ""


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        pytest.param({}, "ab", id="tools and server tools"),
        pytest.param({"kinds": None}, "abc", id="every kind"),
        pytest.param({"kinds": ["handoff"]}, "c", id="one kind"),
        pytest.param({"agent": "x"}, "a", id="one agent"),
        pytest.param({"agent": ["x", "y"], "kinds": None}, "abc", id="two agents"),
        pytest.param({"agent": "z"}, "", id="an agent that is not there"),
    ],
)
def test_calls_are_what_is_not_hallucinated(arguments: dict[str, Any], names: str) -> None:
    assert "".join(call.name for call in RUN.calls(**arguments)) == names
    assert "".join(call.name for call in RUN.calls(**arguments)) == names, "also when asked again"


def test_what_was_worked_out_is_no_part_of_a_trajectory() -> None:
    asked, fresh = dataclasses.replace(RUN), dataclasses.replace(RUN)
    assert asked.output and asked.calls() and asked.calls(None)
    assert asked == fresh
    for again in (pickle.loads(pickle.dumps(asked)), copy.deepcopy(asked), copy.copy(asked)):
        assert again == fresh
        assert (again.output, again.calls()) == (fresh.output, fresh.calls())
    assert dataclasses.replace(asked, texts=("three",)).output == "three"
    with pytest.raises(AttributeError, match="has no attribute 'calls_made'"):
        _ = RUN.calls_made  # type: ignore[attr-defined]  # what is refused


def test_a_trajectory_is_stored_as_json_and_read_back() -> None:
    run = dataclasses.replace(RUN, available_tools=(Tool("a", "finds", {"type": "object"}),), messages=(("user", "hi"),), warnings=("w",))
    assert to_trajectory(json.loads(json.dumps(run.to_dict()))) == run


def test_a_score_is_a_number_in_0_to_1_or_none_with_the_reason() -> None:
    assert Score("k", 0.5).status == "scored"
    assert Score("k", None, "not_applicable", "no calls").score is None
    for wrong in ((1.5, "scored"), (-0.1, "scored"), (math.nan, "scored"), (None, "scored"), (1.0, "could_not_score")):
        with pytest.raises(ValueError, match=r"score must be between|goes with"):
            Score("k", *wrong)  # type: ignore[arg-type]  # what is refused
    for value in (math.nan, 1.01, -1.0):
        with pytest.raises(ValueError, match="score must be between"):
            Score.explained("k", value, lambda: ("", {}))


def test_comment_and_details_are_made_once_and_only_when_they_are_read() -> None:
    made = []

    def explain() -> tuple[str, dict[str, Any]]:
        made.append(1)
        return "because \ud800", {"at": (1, math.nan)}

    score = Score.explained("k", 1.0, explain)
    assert type(score) is Score
    assert (score.key, score.score, score.status, made) == ("k", 1.0, "scored", [])
    assert (score.comment, score.details, made) == ("because ?", {"at": [1, "nan"]}, [1])
    assert score == Score("k", 1.0, "scored", "because ?", {"at": [1, "nan"]})
    assert (score.details, made) == ({"at": [1, "nan"]}, [1])
    assert pickle.loads(pickle.dumps(score)) == copy.deepcopy(score) == score
    assert "because ?" in repr(score)


def test_an_unread_score_pickles_with_its_reason() -> None:
    assert pickle.loads(pickle.dumps(Score.explained("k", 1.0, lambda: ("why", {})))).comment == "why"


def test_an_explanation_that_fails_is_no_failure_of_the_score() -> None:
    score = Score.explained("k", 1.0, lambda: ("", {"at": 1 // 0}))
    assert (score.score, score.details) == (1.0, {})
    assert score.comment == "the explanation failed: ZeroDivisionError: integer division or modulo by zero"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3) | st.just(object) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3) | st.tuples(inner),
)


@given(values)
def test_whatever_a_tool_returns_becomes_json(value: Any) -> None:
    json.dumps(json_ready(value), allow_nan=False).encode()


def test_cycles_and_deep_nesting_end() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    assert json_ready(cycle) == ["..."]
    shared = [1]
    assert json_ready([shared, shared]) == [[1], [1]]
    deep: Any = 1
    for _ in range(5000):
        deep = {"a": deep}
    assert json.dumps(json_ready(deep)).count("{") == 100
