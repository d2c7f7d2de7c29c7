from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcall_evals import ToolInvocation, TraceFormatError, Trajectory, to_trajectory
from toolcall_evals._convert import adapters, describe

USER = {"role": "user", "content": "hi"}
MESSAGES = [
    USER,
    {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "a", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
    {"role": "assistant", "content": "done", "id": "m1"},
    {"role": "user", "content": "and?"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "2", "function": {"name": "b", "arguments": "{}"}}]},
]


def names(trajectory: Trajectory) -> list[str]:
    return [call.name for call in trajectory.invocations]


def test_a_trajectory_is_itself() -> None:
    run = Trajectory(texts=("x",))
    assert to_trajectory(run) is run


@pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda run: {"output": run}, id="outputs"),
        pytest.param(lambda run: {"run_type": "chain", "outputs": {"output": run}}, id="a stored run"),
        pytest.param(lambda run: SimpleNamespace(run_type="chain", outputs={"output": run}), id="a live run"),
        pytest.param(lambda run: SimpleNamespace(run_type="chain", outputs=run.to_dict()), id="a live run of what is stored"),
    ],
)
def test_a_trajectory_that_a_target_returned_is_itself(wrap: Any) -> None:
    run = to_trajectory(MESSAGES)
    assert to_trajectory(wrap(run)) == run


def test_a_text_is_a_run_that_could_not_show_calls() -> None:
    run = to_trajectory("It is sunny.")
    assert (run.texts, run.has_call_record, run.invocations) == (("It is sunny.",), False, ())


@pytest.mark.parametrize("raw", [MESSAGES, tuple(MESSAGES), {"messages": MESSAGES}, {"messages": MESSAGES, "other": 1}])
def test_messages_may_be_a_list_or_lie_in_a_state(raw: Any) -> None:
    run = to_trajectory(raw)
    assert names(run) == ["a", "b"]
    assert [call.message_index for call in run.invocations] == [1, 5]
    assert [call.status for call in run.invocations] == ["success", "pending"]


@pytest.mark.parametrize(
    ("turns", "found"),
    [("all", ["a", "b"]), ("last", ["b"]), (0, ["a"]), (1, ["b"]), (-1, ["b"]), (-2, ["a"])],
)
def test_turns_narrow_what_is_read(turns: Any, found: list[str]) -> None:
    assert names(to_trajectory(MESSAGES, turns=turns)) == found


def test_what_follows_a_message_is_read() -> None:
    assert names(to_trajectory(MESSAGES, after="m1")) == ["b"]
    with pytest.raises(TraceFormatError, match="a message with the id 'm9'"):
        to_trajectory(MESSAGES, after="m9")


def test_what_the_run_was_given_is_not_read_as_its_own() -> None:
    assert names(to_trajectory({"messages": MESSAGES}, inputs={"messages": MESSAGES[:5]})) == ["b"]
    assert names(to_trajectory({"messages": MESSAGES}, inputs={"messages": [USER]})) == ["a", "b"]
    assert names(to_trajectory({"messages": MESSAGES}, inputs={"question": "hi"})) == ["a", "b"]


@pytest.mark.parametrize("turns", ["first", None, 1.5, True, "1"])
def test_turns_of_another_kind_are_refused(turns: Any) -> None:
    with pytest.raises(ValueError, match="turns must be"):
        to_trajectory(MESSAGES, turns=turns)


def test_a_turn_that_is_not_there_is_refused() -> None:
    for turns in (2, -3):
        with pytest.raises(TraceFormatError, match=r"found 2 in all"):
            to_trajectory(MESSAGES, turns=turns)


def test_an_unknown_adapter_is_refused_with_those_that_are_there() -> None:
    with pytest.raises(ValueError, match=r"adapter must be one of \['crewai', 'langgraph'\], got 'autogen'"):
        to_trajectory(MESSAGES, adapter="autogen")
    assert list(adapters()) == ["crewai", "langgraph"]


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        pytest.param(None, "found None", id="None"),
        pytest.param({}, "an empty mapping", id="an empty mapping"),
        pytest.param({"answer": 42}, r"a mapping with the keys \['answer'\]", id="other keys"),
        pytest.param(5, "an object of type int", id="a number"),
        pytest.param([1, "a"], "", id="a list of other things"),
        pytest.param([{"type": ["ai"], "content": "a"}], "a list of 1", id="a type that is no word"),
        pytest.param(object(), "an object of type object", id="an object"),
    ],
)
def test_what_nothing_recognises_is_refused_with_what_was_found(raw: Any, found: str) -> None:
    with pytest.raises(TraceFormatError, match="(?s)expected .*found.*" + found if not found.startswith("found") else found):
        to_trajectory(raw)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({}, "an empty mapping"),
        ({str(number): 0 for number in range(9)}, "a mapping with the keys ['0', '1', '2', '3', '4', '5', '6', '7'] and more"),
        ([], "an empty list"),
        ((1, "a"), "a tuple of 2 (int, str)"),
        (None, "None"),
        (5, "an object of type int"),
    ],
)
def test_a_raw_value_is_described_in_a_few_words(raw: Any, words: str) -> None:
    assert describe(raw) == words


def test_nesting_without_end_is_refused() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    cycle: dict[str, Any] = {}
    cycle["messages"] = cycle
    for raw in (deep, cycle, {"messages": [deep]}):
        with pytest.raises(TraceFormatError):
            to_trajectory(raw)
    while isinstance(deep, list):  # taken apart by hand: freeing it at once overflows the C stack of some versions
        deep = deep.pop() if deep else None


keys = st.sampled_from(
    [
        "messages",
        "role",
        "content",
        "tool_calls",
        "type",
        "data",
        "id",
        "name",
        "args",
        "function",
        "arguments",
        "kwargs",
        "outputs",
        "events",
    ]
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["user", "assistant", "tool", "ai", "human", "{}", "\ud800"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=20,
)


@settings(max_examples=300)
@given(values)
def test_any_value_is_read_or_refused_and_never_changed(raw: Any) -> None:
    before = copy.deepcopy(raw)
    try:
        run = to_trajectory(raw)
    except TraceFormatError:
        pass
    else:
        assert all(type(call) is ToolInvocation and type(call.name) is str for call in run.invocations)
        assert all(type(text) is str for text in run.texts)
    assert repr(raw) == repr(before)


def test_an_adapter_that_cannot_be_loaded_is_left_out_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import importlib.metadata

    from toolcall_evals import _convert

    broken = importlib.metadata.EntryPoint("zz_broken", "no_such_package_of_anybody:ADAPTER", _convert.ENTRY_POINTS)
    real = importlib.metadata.entry_points(group=_convert.ENTRY_POINTS)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [*real, broken])
    _convert.adapters.cache_clear()
    try:
        assert set(_convert.adapters()) == {point.name for point in real}
        assert "zz_broken" in caplog.text
    finally:
        monkeypatch.undo()
        _convert.adapters.cache_clear()
