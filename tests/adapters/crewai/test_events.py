"""Events with something wrong: a reading with warnings, and each call once."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.crewai.recordings import recording
from toolcall_evals import Trajectory, checks, to_trajectory

START = {
    "type": "agent_execution_started",
    "event_id": "agent",
    "agent_role": "Ann",
    "task_name": "t",
    "tools": ["find"],
    "emission_sequence": 1,
}


def _event(sequence: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "event_id": f"e{sequence}",
        "emission_sequence": sequence,
        "parent_event_id": "agent",
        "agent_role": "Ann",
        **fields,
    }


def _asked(sequence: int, *calls: tuple[str, str, str]) -> dict[str, Any]:
    return _event(
        sequence, "llm_call_completed", response=[{"id": id, "function": {"name": name, "arguments": args}} for id, name, args in calls]
    )


def _wrote(sequence: int, text: str) -> dict[str, Any]:
    return _event(sequence, "llm_call_completed", response=text)


def _started(sequence: int, name: str = "find", args: Any = None, **fields: Any) -> dict[str, Any]:
    return _event(sequence, "tool_usage_started", tool_name=name, tool_args={"q": 1} if args is None else args, **fields)


def _finished(sequence: int, start: int | None, name: str = "find", args: Any = None, output: Any = "3", **fields: Any) -> dict[str, Any]:
    named = {} if start is None else {"started_event_id": f"e{start}"}
    return _event(
        sequence, "tool_usage_finished", tool_name=name, tool_args={"q": 1} if args is None else args, output=output, **named, **fields
    )


def _acted(sequence: int, tool: str, written: str, told: str | None, own: str = "") -> dict[str, Any]:
    text = f"Thought: go\nAction: {tool}\nAction Input: {written}{own}" + ("" if told is None else f"\nObservation: {told}")
    return _event(sequence, "agent_logs_execution", formatted_answer={"tool": tool, "tool_input": written, "text": text, "result": told})


def _answered(sequence: int, text: str, output: str = "ok") -> dict[str, Any]:
    return _event(sequence, "agent_logs_execution", formatted_answer={"output": output, "text": text})


def _read(*rows: dict[str, Any]) -> Trajectory:
    return to_trajectory([START, *rows])


def _shown(run: Trajectory) -> list[tuple[str, Any, str, str | None]]:
    return [(call.name, call.raw_args if call.args is None else call.args, call.status, call.result) for call in run.invocations]


INVENTED = 'Thought: go\nAction: find\nAction Input: {"q": 1}\nObservation: 9\nThought: done\nFinal Answer: 9'


@pytest.mark.parametrize(
    ("rows", "calls"),
    [
        pytest.param(
            [_asked(2, ("c", "find", '{"q": 1}')), _started(3), _finished(4, 3)], [("find", {"q": 1}, "success", "3")], id="a whole call"
        ),
        pytest.param([_asked(2, ("c", "find", '{"q": 1}')), _finished(4, 3)], [("find", {"q": 1}, "success", "3")], id="no start"),
        pytest.param([_asked(2, ("c", "find", '{"q": 1}')), _started(3)], [("find", {"q": 1}, "pending", None)], id="no end"),
        pytest.param([_started(3), _finished(4, 3)], [("find", {"q": 1}, "success", "3")], id="no model events"),
        pytest.param([_finished(4, None)], [("find", {"q": 1}, "success", "3")], id="an end and nothing else"),
        pytest.param([_asked(2, ("c", "find", '{"q": 1}'))], [("find", {"q": 1}, "pending", None)], id="asked and cut off"),
        pytest.param([_asked(2, ("c", "find", "[1]"))], [("find", "[1]", "invalid", None)], id="arguments that are a list"),
        pytest.param(
            [_started(2), _finished(3, 2), _finished(4, 2, output="4")], [("find", {"q": 1}, "success", "3")], id="a call that ends twice"
        ),
        pytest.param(
            [_started(2), _started(3, args={"q": 2}), _finished(4, 9, args={"q": 2}, output="two"), _finished(5, 9, output="one")],
            [("find", {"q": 1}, "success", "one"), ("find", {"q": 2}, "success", "two")],
            id="ends that name no start are told apart by their arguments",
        ),
        pytest.param(
            [
                _asked(2, ("c", "find", '{"q": 1}')),
                {**_started(3), "parent_event_id": None},
                {**_finished(4, 3), "parent_event_id": "nowhere"},
            ],
            [("find", {"q": 1}, "success", "3")],
            id="parents lost",
        ),
        pytest.param(
            [
                _asked(2, ("c", "find", '{"q": 1}'), ("d", "find", '{"q": 1}')),
                _started(3),
                _started(4),
                _finished(5, 4, output="b"),
                _finished(6, 3, output="a"),
            ],
            [("find", {"q": 1}, "success", "a"), ("find", {"q": 1}, "success", "b")],
            id="two equal calls at once",
        ),
        pytest.param(
            [
                _wrote(2, 'Action: find\nAction Input: {"q": 1}'),
                _started(3, args='{"q": 1}', run_attempts=1),
                _started(4, args='{"q": 1}', run_attempts=2),
                _finished(5, 4, run_attempts=2),
                _acted(6, "find", '{"q": 1}', "3"),
            ],
            [("find", {"q": 1}, "success", "3")],
            id="a retry is one call",
        ),
        pytest.param([_wrote(2, INVENTED), _answered(3, INVENTED)], [("find", {"q": 1}, "hallucinated", "9")], id="an invented result"),
        pytest.param([_answered(3, INVENTED)], [("find", {"q": 1}, "hallucinated", "9")], id="an invented result without model events"),
        pytest.param(
            [_asked(2, ("c", "find", '{"q": 1}')), _started(3), _finished(4, 3, output="9"), _wrote(5, INVENTED), _answered(6, INVENTED)],
            [("find", {"q": 1}, "success", "9")],
            id="a final answer that tells again what did run",
        ),
        pytest.param(
            [_asked(2, ("c", "find", '{"q": 1}')), _started(3), _finished(4, 3, output="3"), _wrote(5, INVENTED), _answered(6, INVENTED)],
            [("find", {"q": 1}, "success", "3"), ("find", {"q": 1}, "hallucinated", "9")],
            id="a final answer with another result than the tool's",
        ),
        pytest.param(
            [_asked(2, ("c", "find", '{"q": 1}')), _started(3), _finished(4, 3, output=INVENTED), _wrote(5, "ok"), _answered(6, "ok")],
            [("find", {"q": 1}, "success", INVENTED)],
            id="a tool that gives a whole transcript",
        ),
        pytest.param(
            [_asked(2, ("c", "find", '{"q": 1}')), _started(3), _finished(4, 3, output=INVENTED), _answered(5, INVENTED, INVENTED)],
            [("find", {"q": 1}, "success", INVENTED)],
            id="a tool whose transcript is the final answer",
        ),
        pytest.param(
            [_acted(2, "find", '{"q": 1}', INVENTED), _answered(3, "Final Answer: ok")],
            [("find", {"q": 1}, "success", INVENTED)],
            id="a transcript as the observation of the text path",
        ),
        pytest.param(
            [_answered(3, "Final Answer: to search, write\nAction: seek\nAction Input: {}")], [], id="an answer that quotes an unknown tool"
        ),
        pytest.param(
            [_started(2, name="搜索工具"), _finished(3, 2, name="搜索工具")],
            [("搜索工具", {"q": 1}, "success", "3")],
            id="a name in another script",
        ),
        pytest.param(
            [
                _started(2, name="Búsqueda wéb (v2)", args='{"q": 1}', run_attempts=1),
                _finished(3, 2, name="busqueda_web_v2", run_attempts=1),
            ],
            [("busqueda_web_v2", {"q": 1}, "success", "3")],
            id="a name that CrewAI cleans",
        ),
        pytest.param(
            [
                _started(2, name="search_web"),
                _started(3, name="search_web_2"),
                _finished(4, 3, name="search_web_2", output="b"),
                _finished(5, 2, name="search_web", output="a"),
            ],
            [("search_web", {"q": 1}, "success", "a"), ("search_web_2", {"q": 1}, "success", "b")],
            id="names that collide after cleaning",
        ),
        pytest.param(
            [_started(2, name=None), _started(3, args=7)],
            [("", {"q": 1}, "pending", None), ("find", "7", "pending", None)],
            id="no name, odd arguments",
        ),
    ],
)
def test_each_call_is_read_once(rows: list[dict[str, Any]], calls: list[Any]) -> None:
    assert _shown(_read(*rows)) == calls


@pytest.mark.parametrize(
    ("output", "failure", "status"),
    [
        ("3", None, "success"),
        ("Tool execution blocked by hook. Tool: find", None, "rejected"),
        ("Tool 'find' has reached its usage limit of 1 times and cannot be used anymore.", None, "rejected"),
        ("Tool not found", None, "invalid"),
        ("Error executing tool: boom", None, "error"),
        ("\nError executing tool. coworker mentioned not found", None, "error"),
        ("Error executing tool: Tool 'Find' arguments validation failed: 1 error", None, "invalid"),
        ("no", {"reason": "tool_reported", "message": "no"}, "error"),
        ("no", {"reason": "mcp_error", "message": "no"}, "error"),
        ("no", {"reason": "usage_limit", "message": "no"}, "rejected"),
        ("no", {"reason": "repeated_call", "message": "no"}, "rejected"),
        ("no", {"reason": "unknown_tool", "message": "no"}, "invalid"),
        ("no", {"reason": "exception", "message": "arguments validation failed"}, "invalid"),
        ("no", {"reason": "something new", "message": "no"}, "error"),
    ],
)
def test_the_status_of_what_came_to_an_end(output: str, failure: Any, status: str) -> None:
    (call,) = _read(_started(2), _finished(3, 2, output=output, failure=failure)).invocations
    assert (call.status, call.result) == (status, output)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("RuntimeError: boom 1", "boom 1"),
        (RuntimeError("boom 1"), "boom 1"),
        ("RuntimeError('boom 1')", "boom 1"),
        ("disk full", "disk full"),
        ("ValueError: a: b", "a: b"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_the_text_of_an_exception_in_any_form(error: Any, text: str) -> None:
    ended = {**_finished(3, 2), "type": "tool_usage_error", "error": error}
    (call,) = _read(_started(2), ended).invocations
    assert (call.status, call.result, call.error) == ("error", text, text)


def test_a_role_that_still_has_its_placeholders_gives_way_to_the_real_one() -> None:
    started = {**_started(2), "agent_role": "Ann of Ulm"}
    finished = {**_finished(3, 2), "agent_role": "Ann of {city}"}
    (call,) = to_trajectory([{**START, "agent_role": "Ann of {city}"}, started, finished]).invocations
    assert call.agent == "Ann of Ulm"


def test_delegated_work_knows_the_call_and_the_task_that_it_was_done_for() -> None:
    run = to_trajectory(recording("hierarchical_delegation__events")["payload"])
    delegation, worked, _ = run.invocations
    assert (delegation.kind, worked.kind) == ("framework", "tool")
    assert worked.parent_id == delegation.id == "m1"
    assert (worked.agent, worked.task, worked.extra["root_task"]) == ("Researcher", "search x", "t1")


def test_a_server_tool_is_named_and_not_counted_again() -> None:
    run = to_trajectory(recording("mcp_tools__events")["payload"])
    assert [call.extra for call in run.invocations] == [
        {"server": "python mcp_srv.py", "server_tool": "add_numbers"},
        {"server": "python mcp_srv.py", "server_tool": "failing"},
    ]


def test_what_the_model_was_told_is_kept_where_it_is_not_the_result() -> None:
    blocked, changed = to_trajectory(recording("react_hooks__events")["payload"]).invocations
    assert "told" not in blocked.extra
    assert (changed.result, changed.extra["told"]) == ("3 results for mutated", "REWRITTEN")


def test_a_crashed_kickoff_is_an_error_of_the_run() -> None:
    failed = {"type": "crew_kickoff_failed", "event_id": "k", "emission_sequence": 9, "error": "model down"}
    run = _read(_started(2), _finished(3, 2), failed)
    assert run.error == "model down"
    assert checks.called_tool("find").score(run).score is None


def test_an_agents_failure_that_was_retried_is_none() -> None:
    assert to_trajectory(recording("native_agent_retry__events")["payload"]).error is None


def test_a_list_without_tool_and_model_events_shows_no_calls_either_way() -> None:
    run = _read(_event(2, "agent_execution_completed", output="done"))
    assert not run.has_call_record
    assert run.texts == ("done",)
    assert checks.used_no_tools().score(run).score is None


def test_texts_are_what_agents_said_without_the_protocol() -> None:
    run = to_trajectory(recording("react_basic_names__events")["payload"])
    assert run.texts == ("go", "go", "ok")
    assert run.final_text == "ok"


def test_live_events_are_read_by_their_fields_and_left_alone() -> None:
    rows = recording("native_failures__events")["payload"]
    live = [type("Event", (SimpleNamespace,), {"__module__": "crewai.events"})(**row) for row in copy.deepcopy(rows)]
    before = [dict(vars(event)) for event in live]
    assert _shown(to_trajectory(live)) == _shown(to_trajectory(rows))
    assert [vars(event) for event in live] == before


def test_items_that_are_no_events_are_told_of() -> None:
    run = to_trajectory([START, _started(2), None, 7, {"no": "type"}])  # type: ignore[list-item]  # that is the point
    assert "not read: items of the list that are no events (3)" in run.warnings


def test_a_second_end_is_told_of() -> None:
    assert "a call of find ends twice; the first end is read" in _read(_started(2), _finished(3, 2), _finished(4, 2)).warnings


def test_an_input_that_the_framework_repaired_is_read_as_it_ran() -> None:
    broken = '{"q": 1'
    (call,) = _read(_started(3, args=broken, run_attempts=1), _finished(4, 3, run_attempts=1), _acted(5, "find", broken, "3")).invocations
    assert (call.args, call.status, call.extra["repaired_input"]) == ({"q": 1}, "success", broken)


def test_an_answer_that_may_be_quoting_has_low_confidence() -> None:
    text = "Action: seek\nAction Input: {}\nObservation: 9"
    run = _read(_wrote(2, text), _answered(3, text, text))
    assert [(call.status, call.extra) for call in run.invocations] == [("hallucinated", {"confidence": "low"})]
    assert any("may be quoting" in warning for warning in run.warnings)


def test_an_action_that_went_on_with_an_unknown_name_is_invalid() -> None:
    run = _read(_wrote(2, "Action: seek\nAction Input: {}"), _wrote(3, "Final Answer: ok"))
    assert [(call.name, call.status, call.result) for call in run.invocations] == [("seek", "invalid", None)]


def test_a_name_of_which_cleaning_leaves_nothing_is_still_one_call() -> None:
    rows = [START, _started(2, "搜索", '{"q": 1}'), _finished(3, 2, ""), _acted(4, "搜索", '{"q": 1}', "3")]
    run = to_trajectory(rows, adapter="crewai")
    assert [(call.name, call.status, call.result) for call in run.invocations] == [("搜索", "success", "3")]
    assert run.warnings == ()


@pytest.mark.parametrize("error", ["Arguments validation failed: 1 error", "Tool 'find' arguments validation failed: 1 error"])
def test_arguments_that_fail_the_tools_schema_are_invalid_on_both_paths(error: str) -> None:
    ended = _event(3, "tool_usage_error", tool_name="find", tool_args={"q": 1}, started_event_id="e2", error=error)
    call = to_trajectory([START, _started(2), ended], adapter="crewai").invocations[0]
    assert (call.status, call.executed) == ("invalid", False)


def test_a_forced_answer_that_asks_for_calls_takes_none_that_ran_before() -> None:
    asked = [{"id": "c", "function": {"name": "find", "arguments": '{"q": 2}'}}]
    forced = _event(4, "agent_logs_execution", formatted_answer={"output": asked, "text": str(asked)})
    run = to_trajectory([START, _started(2), _finished(3, 2), forced], adapter="crewai")
    assert [(call.args, call.status, call.result) for call in run.invocations] == [({"q": 1}, "success", "3"), ({"q": 2}, "pending", None)]
    assert run.texts == ()


@pytest.mark.parametrize(
    ("observation", "statuses"),
    [
        pytest.param("3", ["success"], id="the result that the call had"),
        pytest.param("4", ["success", "hallucinated"], id="another result"),
    ],
)
def test_a_final_answer_may_tell_a_call_again(observation: str, statuses: list[str]) -> None:
    written = '{"q": 1}'
    again = f"Thought: go\nAction: find\nAction Input: {written}\nObservation: {observation}\nFinal Answer: it is {observation}"
    finish = _event(6, "agent_logs_execution", formatted_answer={"output": f"it is {observation}", "text": again})
    rows = [START, _started(2, args=written), _finished(3, 2), _acted(4, "find", written, "3"), _wrote(5, again), finish]
    assert [call.status for call in to_trajectory(rows, adapter="crewai").invocations] == statuses


def test_a_decision_that_the_framework_takes_up_again_is_not_the_models() -> None:
    """The text path of crewai 1.15.30 does that after a model call that failed."""
    refusal = "I tried reusing the same input, I must stop using this action input. I'll try something else instead."
    rows = [
        START,
        _wrote(2, 'Thought: go\nAction: find\nAction Input: {"q": 1}'),
        _started(3, args='{"q": 1}'),
        _finished(4, 3),
        _acted(5, "find", '{"q": 1}', "3"),
        _acted(6, "find", '{"q": 1}', refusal, own="\nObservation: 3"),
    ]
    run = to_trajectory(rows, adapter="crewai")
    assert [(call.status, call.synthetic, call.extra) for call in run.invocations] == [("success", False, {}), ("rejected", True, {})]
    assert run.texts == ("go",)
