"""Recorded streams of a graph: updates, values, messages, tools, tasks and debug, alone or together.

Subgraphs repeat their whole history towards their parent, some messages first without an id; parallel tools answer in
the order in which they end. Shapes: langgraph 1.2.24.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolcall_evals import Reading, TraceFormatError, Trajectory
from toolcall_evals.messages import ran_instead

from ._contents import field_of, messages_in
from ._given import arguments_of
from ._history import read_history
from ._levels import Entry, Level, graph_of
from ._parts import Part, parts_of
from ._record import Record
from ._said import Said, answer_to, calls_in, id_in, said
from ._snapshots import is_snapshot
from ._states import read_state
from ._structured import answer_in, mark_structured
from ._whole import with_whole_messages

SOURCE = "langgraph.stream"


def read_stream(items: Iterable[Any], mode: str, reading: Reading) -> Trajectory:
    """
    Read a stream of any modes.

    Args:
        items: What the stream yielded.
        mode: What items are that do not say it.

    Raises:
        TraceFormatError: Nothing in it is of a mode that shows calls.
    """
    return read_parts(list(parts_of(items, mode)), reading)


def read_parts(
    parts: list[Part], reading: Reading, source: str = SOURCE, causes: Mapping[str, str] | None = None, warnings: Iterable[str] = ()
) -> Trajectory:
    """
    Read the parts of a stream.

    Args:
        source: What the trajectory says that it was read from.
        causes: The id of the tool call inside which a namespace lies, by namespace.
        warnings: What is known to be missing.
    """
    modes = {part.mode.split("/")[0] for part in parts}
    if not modes & {"updates", "messages", "tools", "tasks", "debug"}:
        return _states(parts, reading)
    if modes == {"debug"} and not any(field_of(part.data, "type") in ("task", "task_result") for part in parts):
        return _states(parts, reading)
    stream = _Stream(causes or {})
    stream.record.warnings += warnings
    for part in with_whole_messages(parts, stream.record.warnings, "updates" in modes):
        stream.read(part)
    return stream.trajectory(source, reading)


def _states(parts: list[Part], reading: Reading) -> Trajectory:
    """Whole states: the last one of each namespace is the trace."""
    snapshots = [part.data for part in parts if part.mode == "checkpoints" and not part.namespace and is_snapshot(part.data)]
    if snapshots:
        return read_history(snapshots, reading)
    last: dict[str, Any] = {}
    for part in parts:
        if part.mode == "values":
            last[part.namespace] = part.data
        elif part.mode == "debug" and field_of(part.data, "type") == "checkpoint":
            last[part.namespace] = field_of(field_of(part.data, "payload"), "values")
    outer = last.pop("", None)
    inner = [state for state in last.values() if state is not None]
    state = (
        {**outer, "_subgraphs": inner} if inner and isinstance(outer, Mapping) else outer if outer is not None else {"_subgraphs": inner}
    )
    found = read_state(state, reading, source=f"{SOURCE}.values")
    if found is None:
        raise TraceFormatError(f"expected a stream of states with messages in them, found no messages (parts of the stream: {len(parts)})")
    return found


class _Stream:
    """What was streamed, joined as it comes; each namespace is a level of its own."""

    def __init__(self, causes: Mapping[str, str]) -> None:
        self.record = Record()
        self.causes = causes
        self.levels: dict[str, Level] = {"": self.record.top}
        self.tasks: dict[str, tuple[str, Mapping[str, Any] | None]] = {}  # task id: node and the call that it was sent
        self.sent: dict[str, Mapping[str, Any] | int] = {}  # namespace of a task: the call that it was sent, or which of them
        self.places: dict[str, Entry] = {}  # namespace of a task: the call that it ran
        self.said: dict[str, Any] = {}
        self.nameless: list[Any] = []
        self.texts: list[tuple[str, str]] = []  # namespace and text
        self.request: str | None = None

    def level(self, namespace: str) -> Level:
        """The level of a namespace; new ones lie inside the only call that waits outside of them, if it is one."""
        found = self.levels.get(namespace)
        if found is None:
            found = self.levels[namespace] = Level(None)
            entry = self.places.get(namespace)
            cause = self.causes.get(namespace)
            if entry is None and cause and (outer := self.levels.get(graph_of(namespace))) and cause in outer.by_id:
                entry = outer.by_id[cause][-1]
            if entry is None:
                outer = self.levels.get(graph_of(namespace))
                waiting = outer.waiting() if outer else []
                task = namespace.rpartition("|")[2].split(":")[0]
                entry = waiting[0] if len(waiting) == 1 and task == "tools" else None
            found.outer = entry
        return found

    def read(self, part: Part) -> None:
        """One part."""
        mode, data = part.mode, part.data
        if mode == "debug":
            kind = field_of(data, "type")
            mode, data = ("tasks", field_of(data, "payload")) if kind in ("task", "task_result") else ("checkpoints", None)
        if mode == "updates":
            self.updates(part.namespace, data)
        elif mode == "messages":
            message, metadata = data
            self.message(message, metadata, part.namespace)
        elif mode == "tools":
            self.tool(part.namespace, data)
        elif mode == "tasks":
            self.task(part.namespace, data)
        elif mode == "values":
            self.state(part.namespace, data)
        elif mode == "error":
            self.record.error = str(field_of(data, "message") or data)

    def updates(self, namespace: str, data: Any) -> None:
        """What nodes handed on: a mapping by node; a node's update may be anything that holds messages."""
        if not isinstance(data, Mapping):
            return
        for node, update in data.items():
            if node != "__interrupt__":
                self.messages(messages_in(update), namespace, "", str(node))
                if (answer := answer_in(update)) is not None:
                    level = self.level(namespace)
                    here = [entry.draft for entry in self.record.entries if entry.level is level and entry.draft.node == node]
                    mark_structured(here, answer)

    def state(self, namespace: str, data: Any) -> None:
        """A whole state beside other modes: what of it is new answers calls (an error that a node handled, for one)."""
        messages = messages_in(data)
        self.record.place_answers(messages, self.level(namespace), "", None, [])

    def message(self, message: Any, metadata: Mapping[str, Any], namespace: str) -> None:
        """A whole message, with where it was said."""
        place = metadata.get("langgraph_checkpoint_ns")
        place = place if isinstance(place, str) else ""
        node = metadata.get("langgraph_node")
        agent, path = metadata.get("lc_agent_name"), metadata.get("langgraph_path")
        agent = agent if isinstance(agent, str) else None
        if place and isinstance(path, list | tuple) and len(path) > 1 and path[0] == "__pregel_push" and isinstance(path[1], int):
            self.sent[place] = path[1]
        self.messages([message], namespace or graph_of(place), place, node if isinstance(node, str) else None, agent)

    def messages(self, messages: list[Any], namespace: str, place: str, node: str | None, agent: Any = None) -> None:
        """Messages in order: new ones are read, the others were."""
        level = self.level(namespace)
        for message in messages:
            each = said(message)
            if each is None or each.role == "remove" or self.known(each):
                continue
            if each.role == "ai":
                self.record.ask(message, level, place, agent)
                self.texts.append((namespace, self.record.text))
            elif each.role == "tool":
                self.answer(each, level, place, node)
            elif each.role == "human" and not each.injected() and not namespace:
                content = each.fields.get("content")
                self.request = content if isinstance(content, str) else self.request

    def known(self, message: Said) -> bool:
        """Whether a message was there before: under its id, or without one that it was given since."""
        fields = message.fields
        content = (message.role, fields.get("content"), fields.get("tool_calls"), fields.get("invalid_tool_calls"), message.call_id)
        if message.id is None:
            if message.role == "tool" or fields.get("tool_calls"):
                self.nameless.append(content)
            return False
        if message.id in self.said:
            if message.role == "ai" and self.said[message.id] != content:
                self.changed(message.id, calls_in(fields, "tool_calls"))
            return True
        self.said[message.id] = content
        if content in self.nameless:
            self.nameless.remove(content)
            return True
        return False

    def changed(self, id: str, calls: list[Mapping[str, Any]]) -> None:
        """A message was said again with other calls: a reviewer's edit (langchain 1.0)."""
        for level in self.levels.values():
            for entry in level.by_message.get(id, ()):
                for call in calls:
                    if id_in(call) and id_in(call) == entry.draft.id and call.get("args") != entry.draft.args:
                        ran_instead(entry.draft, call.get("name"), call.get("args"))

    def answer(self, message: Said, level: Level, place: str, node: str | None) -> None:
        """A tool's message."""
        call_id, name = message.call_id, message.name
        waiting = level.waiting_as(call_id)
        content = message.fields.get("content")
        entry = self._returned(waiting, content) or self._sent_here(waiting, place) if len(waiting) > 1 else None
        entry = entry or level.waiting_for(place, call_id, name) or self._below(level, call_id, name)
        if entry is None:
            if call_id and any(each.runs or each.answered for each in level.by_id.get(call_id, ())):
                return
            entry = self.record.direct(level, place, call_id or None, name or "", None)
            self.record.warnings.append(f"a result of {name or call_id or 'an unnamed tool'} has no request in this stream")
        self.record.reply(message.message, entry)
        if entry.level is not level:
            return
        if node and "." not in node:
            entry.draft.node = entry.draft.node or node
        if place:
            self.places[place] = entry

    def _returned(self, waiting: list[Entry], content: Any) -> Entry | None:
        """The one of several calls under one id whose tool was seen to return this."""
        return next((entry for entry in waiting if entry.runs and entry.draft.result == content), None)

    def _sent_here(self, waiting: list[Entry], place: str) -> Entry | None:
        """Which of several calls under one id this task was sent; parallel tools end in any order."""
        sent = self.sent.get(place)
        if isinstance(sent, Mapping):
            return next((entry for entry in waiting if entry.draft.args == sent.get("args") and entry.draft.name == sent.get("name")), None)
        if isinstance(sent, int):
            last = max(entry.index for entry in waiting)
            asked = [entry for entries in waiting[0].level.by_message.values() for entry in entries if entries[-1].index >= last]
            chosen = asked[sent] if 0 <= sent < len(asked) else None
            return chosen if any(chosen is entry for entry in waiting) else None
        self.record.warnings.append("calls under one id answered in one stream: which result is whose is a guess")
        return None

    def _below(self, level: Level, call_id: str, name: Any) -> Entry | None:
        """A call of a subgraph that its parent answers: a handoff leaves the subgraph before it ends."""
        for each in reversed(self.levels.values()):
            if each is not level and call_id:
                found = next((entry for entry in each.waiting_as(call_id) if entry.draft.name == name), None)
                if found is not None:
                    return found
        return None

    def tool(self, namespace: str, event: Any) -> None:
        """An event of the mode `tools`: only what ran; an error is the exception, before anybody handles it."""
        kind, call_id = field_of(event, "event"), field_of(event, "tool_call_id")
        call_id = call_id if call_id is None or isinstance(call_id, str) else str(call_id)
        level = self.level(namespace)
        if kind == "tool-started":
            args, text = arguments_of(field_of(event, "input"))
            name = field_of(event, "tool_name")
            self.record.run(level, "", call_id, name if isinstance(name, str) else "", args, text)
            return
        entry = next((each for each in reversed(level.by_id.get(call_id or "", [])) if each.runs), None)
        if entry is None:
            return
        if kind == "tool-error":
            self.record.failed(entry, str(field_of(event, "message") or "error"))
        elif kind == "tool-finished" and not entry.answered:
            output = field_of(event, "output")
            own = answer_to(call_id, [each for message in messages_in(output) if (each := said(message)) is not None])
            if own is not None:
                self.record.reply(own.message, entry)
                entry.draft.executed = True
                entry.level.reopen(entry)
            else:
                self.record.returned(entry, output)

    def task(self, namespace: str, task: Any) -> None:
        """A task's start, or its end: then with what it handed on."""
        id, node = str(field_of(task, "id")), str(field_of(task, "name") or "")
        if field_of(task, "input") is not None or field_of(task, "triggers") is not None:
            self.tasks[id] = (node, _sent_to(field_of(task, "input")))
            return
        level, call = self.level(namespace), self.tasks.get(id, (node, None))[1]
        place = f"{namespace}|{node}:{id}" if namespace else f"{node}:{id}"
        if call is not None:
            self.sent[place] = call
        error, result = field_of(task, "error"), field_of(task, "result")
        self.messages(messages_in(result), namespace, place, node)
        if not error:
            return
        waiting = level.waiting_as(id_in(call)) if call is not None else []
        entry = self._sent_here(waiting, place) or waiting[0] if waiting else None
        if entry is not None:
            entry.draft.node = entry.draft.node or node
            self.record.failed(entry, error if isinstance(error, str) else repr(error))
        self.record.error = self.record.error or (error if isinstance(error, str) else repr(error))

    def trajectory(self, source: str, reading: Reading) -> Trajectory:
        """What was streamed."""
        record = self.record
        for namespace, level in self.levels.items():
            outer = self.places.get(namespace) or level.outer
            if outer is not None:
                for entries in level.by_id.values():
                    for entry in entries:
                        entry.draft.parent_id = outer.draft.id
        texts = tuple(text for namespace, text in self.texts if not namespace) or tuple(text for _, text in self.texts)
        warnings = record.all_warnings()
        if not record.entries and not self.texts:
            warnings.append("no message and no tool event in this stream: what subgraphs did is only in a stream with subgraphs=True")
        if any(entry.draft.status == "pending" for entry in record.entries):
            warnings.append("calls without a result: the stream stopped, was paused, or is of a mode that shows no results")
        return record.trajectory_of(source, reading, self.request, texts, warnings, bool(record.entries or self.texts))


def _sent_to(given: Any) -> Mapping[str, Any] | None:
    """The tool call that a task of the tools node was sent."""
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]
    call = field_of(given, "tool_call") or given
    return call if isinstance(call, Mapping) and "args" in call and "name" in call else None
