"""Events of CrewAI's bus, read as a trajectory: the fullest record there is of a crew's run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolcall_evals import Reading, Tool, TraceFormatError, Trajectory
from toolcall_evals.messages import as_json, assistant_text

from ._fields import field, text_field
from ._join import join, reunited
from ._joined import Joined
from ._names import tool_name
from ._protocol import answer_in, thought_in
from ._rows import CALL_RECORD, FAILURES, Log, Row, log_of, seconds_between
from ._scopes import Scopes
from ._steps import Step, read_steps
from ._usages import read_usages


def read_events(rows: Iterable[Any], reading: Reading = Reading(), *, source: str = "crewai.events") -> Trajectory:  # noqa: B008 - frozen
    """
    Read events as one trajectory.

    Args:
        rows: Events in any order: snapshots of their attributes, `to_json()` rows, a checkpoint's records, live events. None is changed.
        reading: Which part is scored. Each kickoff in the list is a turn; `after` is the id of an event.
        source: What the trajectory says it was read from.
    """
    log = log_of(rows)
    scopes = Scopes(log)
    usages = read_usages(log, scopes)
    runs = read_steps(log, scopes, usages)
    offered = _offered(log)
    joined = _joined(log, scopes, runs, offered)
    _place(log, scopes, joined)
    start, end = _part(log, reading)
    calls = tuple([each.draft.freeze() for each in joined if start <= each.at < end])
    said = sorted((step for steps in runs.values() for step in steps), key=_said_at)
    record = any(row["type"] in CALL_RECORD for row in log.rows)
    if not record:
        log.warnings.append("the list has neither tool, model nor agent log events: it cannot show calls")
    return Trajectory(
        input=_request(log),
        messages=_conversation(log, said, joined),
        texts=_texts(log, said, start, end),
        invocations=calls,
        available_tools=offered,
        error=_error(log),
        has_call_record=record,
        usage=_usage(log),
        duration_s=seconds_between(log.rows[0].get("timestamp"), log.rows[-1].get("timestamp")) if log.rows else None,
        source=source,
        warnings=tuple(dict.fromkeys(log.warnings)),
    )


def _joined(log: Log, scopes: Scopes, runs: Mapping[str, list[Step]], offered: tuple[Tool, ...] | None) -> list[Joined]:
    joined: list[Joined] = []
    for key, steps in runs.items():
        known = {*scopes.scope(key).tools, *(tool.name for tool in offered or ())}
        joined += join(steps, known, log.warnings)
    return reunited(sorted(joined, key=lambda each: (each.at, each.index)), log.warnings)


def _place(log: Log, scopes: Scopes, joined: list[Joined]) -> None:
    """Tell each invocation its agent, its task, its turn, and the call inside which its agent worked."""
    by_start = {start: each for each in joined if each.usage is not None for start in each.usage.starts}
    for each in joined:
        scope, draft = scopes.scope(each.key), each.draft
        draft.agent = scope.agent or each.role or (each.usage.role if each.usage else None)
        draft.task = scope.task or each.task or (each.usage.task if each.usage else None)
        draft.turn = log.turns[each.at]
        if scope.call is not None:
            outer = by_start.get(scope.call)
            draft.parent_id = scope.call if outer is None else outer.draft.id
            facts = {"root_task": scope.root_task, "via": tool_name(scope.via) if scope.via else None}
            draft.extra = {**draft.extra, **{name: fact for name, fact in facts.items() if fact}}


def _part(log: Log, reading: Reading) -> tuple[int, int]:
    start, end = 0, len(log.rows)
    if reading.after is not None:
        at = log.positions.get(reading.after)
        if at is None:
            raise TraceFormatError(f"expected an event with the id {reading.after!r} (after=), found none")
        start = at + 1
    if reading.turns != "all":
        count = max(log.turns, default=0) + 1
        index = count - 1 if reading.turns == "last" else reading.turns
        index = index + count if index < 0 else index
        if not 0 <= index < count:
            raise TraceFormatError(f"expected a turn {reading.turns} (turns=), found {count} kickoffs in all")
        within = [at for at, turn in enumerate(log.turns) if turn == index]
        start, end = max(start, within[0]), within[-1] + 1
    return start, end


def _said_at(step: Step) -> int:
    return step.at if step.said_at is None else step.said_at


def _said(step: Step) -> str:
    """What the agent said in a step, without the protocol around it."""
    if step.finish is not None:
        return step.finish
    if step.text is None:
        return ""
    answer = answer_in(step.text)
    return thought_in(step.text) if answer is None else answer


def _texts(log: Log, said: list[Step], start: int, end: int) -> tuple[str, ...]:
    texts = [text for step in said if start <= _said_at(step) < end and (text := _said(step))]
    for row in reversed(log.rows[start:end]):
        if row["type"] in ("crew_kickoff_completed", "agent_execution_completed", "lite_agent_execution_completed"):
            output = row.get("output")
            final = output if isinstance(output, str) else text_field(output, "raw")
            if final:
                if not texts or texts[-1] != final:
                    texts.append(final)
                break
    return tuple(texts)


def _conversation(log: Log, said: list[Step], joined: list[Joined]) -> tuple[tuple[str, str], ...]:
    """The run as (role, text) pairs: each root task's request, what agents said, what tools gave."""
    entries: list[tuple[int, int, tuple[str, str]]] = []
    for at, row in enumerate(log.rows):
        if row["type"] == "task_started" and (text := _description(row)):
            entries.append((at, 0, ("user", text)))
    entries += [(_said_at(step), 1, ("assistant", text)) for step in said if (text := _said(step))]
    for each in joined:
        if each.draft.result is not None and each.draft.status != "hallucinated":
            entries.append((max(each.at, each.usage.at if each.usage else each.at), 2, ("tool", each.draft.result)))
    return tuple([pair for _, _, pair in sorted(entries, key=lambda entry: entry[:2])])


def _description(row: Row) -> str | None:
    return text_field(row, "task_description") or text_field(row.get("task"), "description") or text_field(row, "task_name")


def _request(log: Log) -> str | None:
    """What the run was asked: its tasks' descriptions, or the messages and inputs that it was given."""
    tasks = [text for row in log.rows if row["type"] == "task_started" and (text := _description(row))]
    if tasks:
        return "\n\n".join(dict.fromkeys(tasks))
    for row in log.rows:
        given = row.get("messages") if row["type"] in ("lite_agent_execution_started", "llm_call_started") else None
        if isinstance(given, str):
            return given
        if isinstance(given, list | tuple):
            users = [assistant_text(field(message, "content")) for message in given if field(message, "role") == "user"]
            if users:
                return users[0]
    inputs = next((row.get("inputs") for row in log.rows if row["type"] == "crew_kickoff_started" and row.get("inputs")), None)
    return None if inputs is None else as_json(inputs)


def _offered(log: Log) -> tuple[Tool, ...] | None:
    """The tools that the agents really had, where an event lists them; what an agent's start names is only a part (crewai 1.15.30)."""
    tools: dict[tuple[str, str | None], Tool] = {}
    listed = False
    for row in log.rows:
        stated = row.get("available_tools")
        if stated is None and row["type"] == "llm_call_started":
            stated = row.get("tools")
        if not isinstance(stated, list | tuple):
            continue
        listed = True
        role = text_field(row, "agent_role")
        for item in stated:
            inner = field(item, "function")
            tool = item if inner is None else inner
            name = tool if isinstance(tool, str) else text_field(tool, "name")
            if name:
                stated_schema = field(tool, "parameters")
                schema = stated_schema if isinstance(stated_schema, Mapping) else None
                offered = Tool(tool_name(name), text_field(tool, "description"), schema, role)
                tools.setdefault((offered.name, role), offered)
    return tuple(tools.values()) if listed else None


def _error(log: Log) -> str | None:
    """Why the run ended, where it did not end well: the failure of a kickoff, a flow or an agent that stands alone."""
    for row in reversed(log.rows):
        kind = row["type"]
        if kind in ("crew_kickoff_completed", "task_completed", "agent_execution_completed", "lite_agent_execution_completed"):
            return None
        if kind in FAILURES:
            return str(row.get("error") or kind)
    return None


def _usage(log: Log) -> Mapping[str, Any] | None:
    """The tokens of every model call, added up."""
    total: dict[str, Any] = {}
    for row in log.rows:
        tokens = row.get("usage") if row["type"] == "llm_call_completed" else None
        if isinstance(tokens, Mapping):
            for name, count in tokens.items():
                if isinstance(count, int) and not isinstance(count, bool):
                    total[name] = total.get(name, 0) + count
    return total or None
