"""LangSmith runs: what models asked for and what ran, however the runs were stored, however much of them is there."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import TraceFormatError, to_trajectory


def run(id: str = "r", kind: str = "chain", outputs: Any = None, children: Any = (), **fields: Any) -> dict[str, Any]:
    return {
        "id": id,
        "name": fields.pop("name", id),
        "run_type": kind,
        "inputs": fields.pop("inputs", {}),
        "outputs": outputs,
        "error": fields.pop("error", None),
        "child_runs": None if children is None else list(children),
        **fields,
    }


def asks(*calls: tuple[str, Any, str], id: str = "m", text: str = "", **fields: Any) -> dict[str, Any]:
    """A model's run that asks for (name, arguments, id) each."""
    message = {"type": "ai", "content": text, "id": f"lc_run--{id}", "tool_calls": [{"name": n, "args": a, "id": i} for n, a, i in calls]}
    generation = {"message": {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": message}}
    return run(id, "llm", {"generations": [[generation]]}, **fields)


def tool(name: str, call_id: str | None, args: Any, output: Any = None, children: Any = (), **fields: Any) -> dict[str, Any]:
    extra = {"tool_call_id": call_id, "metadata": fields.pop("metadata", {})}
    return run(
        fields.pop("id", f"t-{name}-{call_id}"),
        "tool",
        None if "error" in fields else {"output": output},
        children,
        name=name,
        inputs=args,
        extra=extra,
        **fields,
    )


def answer(call_id: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool", "content": text, "tool_call_id": call_id, "status": "success", **fields}


def rows(raw: Any, **settings: Any) -> list[tuple[Any, ...]]:
    return [(call.name, call.args, call.status, call.result) for call in to_trajectory(raw, **settings).invocations]


def test_what_was_asked_and_what_ran_are_kept_apart() -> None:
    tree = run(children=[asks(("add", {"a": 1, "state": 2}, "c")), tool("times", "c", {"a": 1}, answer("c", "1"))])
    (call,) = to_trajectory(tree).invocations
    assert (call.name, call.args, call.executed_name, call.executed_args) == ("add", {"a": 1, "state": 2}, "times", {"a": 1})


def test_one_call_may_be_tried_often() -> None:
    tries = [tool("flaky", "c", {"x": 1}, error=f"ValueError('{number}')", id=str(number)) for number in range(2)]
    tree = run(children=[asks(("flaky", {"x": 1}, "c")), *tries, tool("flaky", "c", {"x": 1}, answer("c", "at last"))])
    (call,) = to_trajectory(tree).invocations
    assert (call.attempts, call.status, call.result, call.error) == (3, "success", "at last", None)


def test_times_of_all_attempts_add_up() -> None:
    times = [("00:00:01", "00:00:02.5"), ("00:01:00", "00:01:01")]
    tries = [
        tool("slow", "c", {}, answer("c", "x"), id=start, start_time=f"2026-01-01T{start}Z", end_time=f"2026-01-01T{end}Z")
        for start, end in times
    ]
    (call,) = to_trajectory(run(children=[asks(("slow", {}, "c"), start_time="2026-01-01T00:00:00Z"), *tries])).invocations
    assert call.duration_s == pytest.approx(2.5)
    assert call.started_at is not None
    assert call.started_at.isoformat() == "2026-01-01T00:00:01+00:00"


def test_the_same_id_in_a_later_step_is_another_call() -> None:
    tree = run(
        children=[
            asks(("add", {"a": 1}, "c"), id="m1"),
            tool("add", "c", {"a": 1}, error="ValueError('x')"),
            asks(("add", {"a": 2}, "c"), id="m2"),
            tool("add", "c", {"a": 2}, answer("c", "2"), id="t2"),
        ]
    )
    assert rows(tree) == [("add", {"a": 1}, "error", "ValueError('x')"), ("add", {"a": 2}, "success", "2")]


def test_a_sub_agents_calls_lie_inside_the_call_of_its_tool() -> None:
    inner = [asks(("add", {"a": 1}, "c"), id="m2"), tool("add", "c", {"a": 1}, answer("c", "inner"))]
    tree = run(children=[asks(("ask", {"q": 1}, "c"), id="m1"), tool("ask", "c", {"q": 1}, answer("c", "outer"), inner, id="t0")])
    calls = to_trajectory(tree).invocations
    assert [(call.name, call.result, call.parent_id) for call in calls] == [("ask", "outer", None), ("add", "inner", "c")]


def test_what_the_model_saw_goes_before_what_the_tool_returned() -> None:
    metadata = {"langgraph_node": "tools", "langgraph_checkpoint_ns": "tools:1"}
    node = run(
        "n",
        outputs={"messages": [answer("c", "handled", status="error", id="t9")]},
        children=[tool("add", "c", {}, error="ValueError('x')Traceback (most recent call last):\n  File", metadata=metadata)],
        name="tools",
        extra={"metadata": metadata},
    )
    (call,) = to_trajectory(run(children=[asks(("add", {}, "c")), node])).invocations
    assert (call.status, call.result, call.node) == ("error", "handled", "tools")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ("ValueError('x')", "error"),
        ("GraphInterrupt((Interrupt(value=1),))", "pending"),
        ("ParentCommand(Command(goto='b'))", "success"),
        ("2 validation errors for add\na\n  Field required", "invalid"),
        ("2 validation errors for User\na\n  Field required", "error"),
    ],
)
def test_an_error_of_a_tools_run_may_be_a_pause_a_jump_or_a_misfit(error: str, status: str) -> None:
    assert rows(run(children=[asks(("add", {}, "c")), tool("add", "c", {}, error=error)]))[0][2] == status


@pytest.mark.parametrize("output", [0, False, "", [], {}, 3, "x", {"output": 1}])
def test_any_value_is_a_result(output: Any) -> None:
    (call,) = to_trajectory(run(children=[tool("t", None, {}, output)])).invocations
    assert (call.status, call.raw_result) == ("success", output)


def test_arguments_stored_as_text_are_read() -> None:
    assert rows(run(children=[tool("t", None, {"input": "{'shop': 'north', 'n': None}"}, 1)]))[0][1] == {"shop": "north", "n": None}
    assert rows(run(children=[tool("t", None, {"input": "plain"}, 1)]))[0][1] == {"input": "plain"}


def test_a_handoff_is_told_by_the_command_that_leaves_the_graph() -> None:
    command = {"graph": "__parent__", "update": None, "resume": None, "goto": [{"node": "b", "arg": {"messages": [answer("c", "bye")]}}]}
    (call,) = to_trajectory(run(children=[asks(("to_b", {"why": 1}, "c")), tool("to_b", "c", {"why": 1}, command)])).invocations
    assert (call.kind, call.status, call.result) == ("handoff", "success", "bye")


def test_parallel_tasks_of_a_step_keep_its_order_whenever_they_began() -> None:
    def branch(number: int, start: str) -> dict[str, Any]:
        metadata = {"langgraph_step": 1, "langgraph_node": "w", "langgraph_path": ["__pregel_push", number, False]}
        return run(
            f"w{number}",
            name="w",
            extra={"metadata": metadata},
            start_time=start,
            children=[asks((f"t{number}", {}, "c"), id=f"m{number}")],
        )

    tree = run(children=[branch(2, "2026-01-01T00:00:00"), branch(0, "2026-01-01T00:00:01"), branch(1, "2026-01-01T00:00:02")])
    assert [row[0] for row in rows(tree)] == ["t0", "t1", "t2"]


def test_a_models_fake_call_for_structured_output_is_no_tool() -> None:
    tree = asks(("Answer", {"value": 1}, "c"), extra={"options": {"ls_structured_output_format": {"schema": {}}}})
    (call,) = to_trajectory(run(children=[tree])).invocations
    assert (call.kind, call.status, call.executed) == ("structured_output", "success", False)


def test_tools_on_offer_and_tokens_are_those_of_the_models() -> None:
    offered = {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {"type": "object"}}}
    model = asks(extra={"invocation_params": {"tools": [offered]}, "metadata": {"lc_agent_name": "boss"}})
    model["outputs"]["generations"][0][0]["message"]["kwargs"]["usage_metadata"] = {
        "input_tokens": 2,
        "output_tokens": 1,
        "total_tokens": 3,
    }
    found = to_trajectory(run(children=[model, {**model, "id": "again"}]))
    assert found.available_tools is not None
    assert [(each.name, each.description, each.agent) for each in found.available_tools] == [("add", "Adds.", "boss")]
    assert found.usage == {"input_tokens": 4, "output_tokens": 2, "total_tokens": 6}


@pytest.mark.parametrize(
    ("outputs", "children", "texts", "source", "record"),
    [
        pytest.param("hello", [], ("hello",), "text", False, id="a text"),
        pytest.param({"output": "hello"}, [], ("hello",), "text", False, id="a wrapped text"),
        pytest.param({"reply": "hello", "n": 1}, [], ("hello",), "text", False, id="the one text in it"),
        pytest.param({"answer": "hello", "sources": "a"}, [], ("hello",), "text", False, id="the answer among texts"),
        pytest.param({"answer": 3}, [], (), "langgraph.run_tree", False, id="no text"),
        pytest.param(
            {"answer": "hello"}, [run("c")], ("hello",), "langgraph.run_tree", True, id="a text and a chain, which would show calls"
        ),
        pytest.param({"answer": "hello"}, [asks(text="psst")], ("hello",), "langgraph.run_tree", True, id="a text and a model"),
        pytest.param({"answer": 3}, [asks(text="psst")], ("psst",), "langgraph.run_tree", True, id="only a model says anything"),
    ],
)
def test_texts_are_the_runs_own(outputs: Any, children: Any, texts: Any, source: str, record: bool) -> None:
    found = to_trajectory(run(outputs=outputs, children=children, inputs={"question": "why?"}))
    assert (found.texts, found.source, found.has_call_record, found.input) == (texts, source, record, "why?")
    assert found.messages == (("user", "why?"), *[("assistant", text) for text in texts])


def test_without_runs_inside_the_outputs_tell_and_the_inputs_are_history() -> None:
    first = [{"type": "human", "content": "a"}, {"type": "ai", "content": "", "tool_calls": [{"name": "old", "args": {}, "id": "1"}]}]
    later = [{"type": "human", "content": "b"}, {"type": "ai", "content": "", "tool_calls": [{"name": "new", "args": {}, "id": "2"}]}]
    found = to_trajectory(run(inputs={"messages": [*first, later[0]]}, outputs={"messages": first + later}))
    assert ([call.name for call in found.invocations], found.source) == (["new"], "langgraph.state")


def test_a_target_that_raised_is_a_crash_with_what_it_did_before() -> None:
    found = to_trajectory(
        run(
            outputs={"output": None}, error="ValueError('x')Traceback (most recent call last):\n  File", children=[tool("add", None, {}, 1)]
        )
    )
    assert (found.error, [call.status for call in found.invocations]) == ("ValueError('x')", ["success"])


def test_a_pause_is_no_crash() -> None:
    assert to_trajectory(run(error="GraphInterrupt((Interrupt(value=1),))", children=[asks(("a", {}, "c"))])).error is None


def test_a_turn_or_what_follows_a_message_can_be_asked_for() -> None:
    tree = run(children=[asks(("a", {}, "1"), id="m1"), asks(("b", {}, "2"), id="m2")])
    assert [row[0] for row in rows(tree, turns="last")] == ["a", "b"]
    assert [row[0] for row in rows(tree, after="lc_run--m1")] == ["b"]
    for settings in ({"turns": 1}, {"after": "nobody"}):
        with pytest.raises(TraceFormatError):
            to_trajectory(tree, **settings)


def flat(*runs: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**each, "child_runs": None} for each in runs]


def circle() -> dict[str, Any]:
    whole = run("1", children=[tool("add", None, {"a": 1}, 3)])
    whole["child_runs"].append(whole)
    return whole


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(flat(run("1"), tool("add", None, {"a": 1}, 3, parent_run_id="gone")), id="missing parent"),
        pytest.param(flat(run("1", parent_run_id="2"), tool("add", None, {"a": 1}, 3, id="2", parent_run_id="1")), id="circle by parent"),
        pytest.param(circle(), id="a run inside itself"),
        pytest.param([run("1"), run("2", children=[tool("add", None, {"a": 1}, 3)])], id="two roots"),
    ],
)
def test_a_broken_tree_is_read_with_a_warning(broken: Any) -> None:
    found = to_trajectory(broken)
    assert rows(broken) == [("add", {"a": 1}, "success", "3")]
    assert found.warnings


def test_runs_out_of_order_are_put_in_order() -> None:
    def at(second: int, made: dict[str, Any]) -> dict[str, Any]:
        return {**made, "parent_run_id": "1", "start_time": f"2026-01-01T00:00:0{second}"}

    runs = flat(at(2, tool("f", "c", {}, "r")), run("1", start_time="2026-01-01T00:00:00"), at(1, asks(("f", {}, "c"))))
    assert rows(runs) == [("f", {}, "success", "r")]
    untimed = [{name: value for name, value in each.items() if name != "start_time"} for each in runs]
    assert rows(untimed) == [("f", {}, "success", "r")]


def test_a_run_that_occurs_nested_and_flat_is_read_once() -> None:
    model, work = asks(("f", {}, "c"), parent_run_id="1"), tool("f", "c", {}, "r", parent_run_id="1")
    assert rows([run("1", children=[model, work]), model, work]) == [("f", {}, "success", "r")]


def test_children_that_were_not_loaded_are_told() -> None:
    found = to_trajectory(run(outputs={"answer": "y"}, children=None, child_run_ids=["a", "b"]))
    assert (found.has_call_record, found.invocations) == (False, ())
    assert "not loaded" in found.warnings[0]


def test_unknown_types_of_runs_are_looked_into() -> None:
    assert rows(run(kind="weird", children=[run("x", "stranger", children=[tool("add", None, {}, 1)])])) == [("add", {}, "success", "1")]


def test_a_very_deep_tree_is_read_or_refused() -> None:
    tree = tool("add", None, {}, 1)
    for number in range(3000):
        tree = run(str(number), children=[tree])
    assert to_trajectory(tree).warnings


def test_a_tool_that_began_in_the_moment_of_its_model_is_one_call() -> None:
    began = "2024-01-01T00:00:00"
    asked = {"type": "ai", "content": "", "tool_calls": [{"id": "c", "name": "f", "args": {"a": 1}}]}
    answer = {"type": "tool", "content": "r", "tool_call_id": "c"}
    runs = [
        {"id": "r", "run_type": "chain", "name": "g", "parent_run_id": None, "inputs": {}, "outputs": {}},
        {"id": "t", "run_type": "tool", "name": "f", "parent_run_id": "r", "inputs": {"a": 1}, "outputs": {"output": answer}},
        {"id": "l", "run_type": "llm", "name": "m", "parent_run_id": "r", "inputs": {}, "outputs": {"generations": [[{"message": asked}]]}},
    ]
    run = to_trajectory([{**each, "start_time": began} for each in runs])
    assert [(call.name, call.status, call.result) for call in run.invocations] == [("f", "success", "r")]
