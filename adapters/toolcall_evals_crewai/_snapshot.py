"""One event of CrewAI's bus as a plain row: what is kept of it, copied while the event is at hand.

The rows have the form of `crewai.events`: attributes by name, absent where None. Events hold live objects (agents, crews, message
lists that grow), so nothing of an event outlives its handler. `event.to_json()` is no substitute: it turns what lies deeper
than five levels into its `repr` (crewai 1.15.30).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from ._plain import plain

Row: TypeAlias = dict[str, Any]

EVENTS = (
    "FlowStartedEvent",
    "FlowFinishedEvent",
    "FlowFailedEvent",
    "MethodExecutionStartedEvent",
    "MethodExecutionFinishedEvent",
    "MethodExecutionFailedEvent",
    "CrewKickoffStartedEvent",
    "CrewKickoffCompletedEvent",
    "CrewKickoffFailedEvent",
    "TaskStartedEvent",
    "TaskCompletedEvent",
    "TaskFailedEvent",
    "AgentExecutionStartedEvent",
    "AgentExecutionCompletedEvent",
    "AgentExecutionErrorEvent",
    "LiteAgentExecutionStartedEvent",
    "LiteAgentExecutionCompletedEvent",
    "LiteAgentExecutionErrorEvent",
    "AgentLogsExecutionEvent",
    "LLMCallStartedEvent",
    "LLMCallCompletedEvent",
    "LLMCallFailedEvent",
    "ToolUsageStartedEvent",
    "ToolUsageFinishedEvent",
    "ToolUsageErrorEvent",
    "ToolFailureDetectedEvent",
    "ToolValidateInputErrorEvent",
    "ToolSelectionErrorEvent",
    "ToolExecutionErrorEvent",
    "MCPConnectionCompletedEvent",
    "MCPToolExecutionStartedEvent",
    "MCPToolExecutionCompletedEvent",
    "MCPToolExecutionFailedEvent",
    "PlanStepStartedEvent",
    "PlanStepCompletedEvent",
)
"""The names, in `crewai.events`, of the classes that are kept. Which of them exist depends on the version: handlers match exact classes."""

_TEXTS = frozenset({
    "event_id",
    "parent_event_id",
    "started_event_id",
    "task_id",
    "task_name",
    "agent_id",
    "agent_role",
    "crew_name",
    "flow_name",
    "method_name",
    "server_name",
    "call_id",
    "error",
})  # fmt: skip

_VALUES = frozenset({
    "emission_sequence",
    "tool_name",
    "tool_args",
    "run_attempts",
    "delegations",
    "plan_step_number",
    "step_number",
    "from_cache",
    "failure",
    "formatted_answer",
    "response",
    "usage",
    "total_tokens",
    "inputs",
    "task_prompt",
    "success",
    "execution_duration_ms",
})  # fmt: skip

_RESULTS = frozenset({"output", "result"})

_DESCRIPTION = "Tool Description: "
"""What crewai 1.11 and 1.14 write before a tool's own description; before that come its name and arguments."""


def snapshot(source: Any, event: Any) -> Row:
    """
    The row of one event; never raises, and holds nothing that the run still changes.

    Args:
        source: The object that sent it, or None where that is not known.
        event: An event of crewai 1.11 or newer.
    """
    row: Row = {} if source is None else {"source": type(source).__name__}
    row["type"] = kind = str(getattr(event, "type", type(event).__name__))
    try:
        _keep_fields(row, event)
        if (more := _KINDS.get(kind)) is not None:
            more(row, source, event)
    except Exception as error:  # noqa: BLE001 - somebody's object in an event that cannot be read must not cost the rest of the run
        row["unreadable"] = f"{type(error).__name__}: {error}"
    return row


def _keep_fields(row: Row, event: Any) -> None:
    # a model's own dict: asking a pydantic object for a field that it lacks costs as much as ten that it has
    for name, value in vars(event).items():
        if value is None:
            continue
        if name in _TEXTS:
            row[name] = str(value)
        elif name in _VALUES:
            row[name] = plain(value)
        elif name in _RESULTS:
            row[name] = _result(value)
        elif name == "timestamp" and isinstance(value, datetime):
            row[name] = value.isoformat()


def _keep(row: Row, name: str, value: Any) -> None:
    if value is not None:
        row[name] = value


def _result(value: Any) -> Any:
    """The value where JSON knows it, the text of a `CrewOutput` or `TaskOutput`, or what `str` makes of it, as the model is told."""
    if isinstance(value, str | bool | int | float | Mapping | list | None):
        return plain(value)
    raw = getattr(value, "raw", None)
    return raw if isinstance(raw, str) else str(value)


def _of_crew(row: Row, source: Any, event: Any) -> None:
    crew = source if source is not None else getattr(event, "crew", None)
    if (crew_id := getattr(crew, "id", None)) is not None:
        row["crew_id"] = str(crew_id)


def _of_task(row: Row, source: Any, event: Any) -> None:
    task = getattr(event, "task", None) or source
    if "task_id" not in row and (task_id := getattr(task, "id", None)) is not None:
        row["task_id"] = str(task_id)
    if "task_name" not in row and (name := getattr(task, "name", None) or getattr(task, "description", None)):
        row["task_name"] = str(name)
    _keep(row, "task_description", getattr(task, "description", None))


def _of_agent(row: Row, source: Any, event: Any) -> None:
    agent = getattr(event, "agent", None)
    _name_agent(row, agent)
    _of_task(row, None, event)
    if row["type"] == "agent_execution_started":
        row["tools"] = [str(getattr(tool, "name", tool)) for tool in getattr(event, "tools", None) or ()]
        executor = getattr(agent, "agent_executor", None)
        if not _is_executor_flow(executor):
            _keep(row, "available_tools", _tools(getattr(executor, "tools", None)))


def _of_lite_agent(row: Row, source: Any, event: Any) -> None:
    info = getattr(event, "agent_info", None)
    _name_agent(row, source)
    if isinstance(info, Mapping):
        for name, key in (("agent_id", "id"), ("agent_role", "role")):
            if name not in row and info.get(key) is not None:
                row[name] = str(info[key])
    messages = getattr(event, "messages", None)
    _keep(row, "messages", messages if isinstance(messages, str) else plain(messages))
    _keep(row, "available_tools", _tools(getattr(event, "tools", None)))


def _of_flow(row: Row, source: Any, event: Any) -> None:
    if _is_executor_flow(source):
        _name_agent(row, getattr(source, "agent", None))
        _keep(row, "available_tools", _tools(getattr(source, "tools", None)))


def _of_logs(row: Row, source: Any, event: Any) -> None:
    _name_agent(row, source)


_KINDS = {
    "crew_kickoff_started": _of_crew,
    "crew_kickoff_completed": _of_crew,
    "crew_kickoff_failed": _of_crew,
    "task_started": _of_task,
    "task_completed": _of_task,
    "task_failed": _of_task,
    "agent_execution_started": _of_agent,
    "agent_execution_completed": _of_agent,
    "agent_execution_error": _of_agent,
    "lite_agent_execution_started": _of_lite_agent,
    "lite_agent_execution_completed": _of_lite_agent,
    "lite_agent_execution_error": _of_lite_agent,
    "flow_started": _of_flow,
    "agent_logs_execution": _of_logs,
}


def _name_agent(row: Row, agent: Any) -> None:
    if "agent_role" not in row and isinstance(role := getattr(agent, "role", None), str):
        row["agent_role"] = role
    if "agent_id" not in row and (agent_id := getattr(agent, "id", None)) is not None:
        row["agent_id"] = str(agent_id)


def _is_executor_flow(source: Any) -> bool:
    """From crewai 1.14.5 an agent's run is itself a flow, and its start says exactly which tools it has."""
    return type(source).__name__ == "AgentExecutor"


def _tools(tools: Any) -> list[Row] | None:
    return [_tool(tool) for tool in tools] if isinstance(tools, Iterable) and not isinstance(tools, str | bytes) else None


def _tool(tool: Any) -> Row:
    row: Row = {"name": str(getattr(tool, "name", tool))}
    description = getattr(tool, "description", None)
    if isinstance(description, str):
        row["description"] = description.rpartition(_DESCRIPTION)[2] if description.startswith("Tool Name:") else description
    schema = getattr(getattr(tool, "args_schema", None), "model_json_schema", None)
    if schema is not None:
        try:
            row["parameters"] = plain(schema())
        except Exception:  # noqa: BLE001 - a schema that pydantic cannot write is no reason to lose the tool
            row["parameters"] = None
    return row
