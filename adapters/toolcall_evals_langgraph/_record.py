"""What the model asked and what ran, joined; `_levels` finds what belongs together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from toolcall_evals import InvocationDraft, Reading, ToolInvocation, Trajectory
from toolcall_evals.messages import Conversation, as_json, misfits, read_message

from ._contents import request_in
from ._levels import Entry, Level
from ._said import Said, id_in, said

NO_FAILURE = ("GraphInterrupt", "NodeInterrupt", "GraphBubbleUp", "ParentCommand")
"""Errors of runs that are a pause or a jump."""


class Record(Conversation):
    """
    Both records of a run.

    `ask` reads an assistant's message, `reply` a tool's, `run` the execution of a tool; each says where (`level`, the
    call whose tool is running; `place`, the namespace of the node).
    """

    __slots__ = ("_asked", "_level", "_message", "_place", "_target", "entries", "skipped", "text", "top")

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []
        self.top = Level(None)
        self._level = self.top
        self._place = ""
        self._message: str | None = None
        self._target: Entry | None = None
        self._asked: list[Entry] = []
        self.skipped: dict[str, int] = {}
        self.text = ""  # of the assistant's latest message

    def repeats(self, id: str | None, content: Any) -> bool:
        """Never: the same message reaches this record once for each run that handed it on."""
        return False

    def system(self, text: str, id: str | None = None) -> None:
        """Says nothing of calls."""

    def user(self, text: str, id: str | None = None, *, injected: bool = False) -> None:
        """Says nothing of calls; answers inside it come by `result`."""

    def assistant(self, text: str, id: str | None = None) -> None:
        """A message of the assistant's."""
        self._message = id
        self.text = text

    def call(self, draft: InvocationDraft) -> InvocationDraft:
        """A call of the message that is being read."""
        level = self._level
        entry = Entry(draft, len(self.entries), level, self._place, self._message)
        if level.outer is not None:
            draft.parent_id = level.outer.draft.id
        self.entries.append(entry)
        level.add(entry)
        self._asked.append(entry)
        return draft

    def result(
        self, id: str | None, name: str | None, text: str | None, value: Any = None, *, message_id: str | None = None
    ) -> InvocationDraft:
        """The answer that is being read; where it belongs was settled before, unless it stands inside another message."""
        entry = self._target or self._level.waiting_for(self._place, id, name)
        if entry is None:  # inside a message of the user's: of a turn that this record does not hold
            return InvocationDraft(name or "", id=id)
        draft = entry.draft
        entry.level.answer(entry)
        if not entry.unreadable:
            draft.status, draft.error = "success", None
        draft.result, draft.raw_result = text, value
        return draft

    def answer_inside(self, id: str | None, name: str | None) -> Entry | None:
        """The call of the message at hand that a provider's own tool answers."""
        return next((entry for entry in self._asked if not entry.answered and (entry.draft.id or "") == (id or "")), None)

    def answer(self, id: str | None, name: str | None, text: str | None, value: Any = None) -> InvocationDraft:
        """An answer inside the message at hand, as a provider gives those of its own tools."""
        self._target = self._target or self.answer_inside(id, name)
        try:
            return self.result(id, name, text, value)
        finally:
            self._target = None

    def cut_off(self) -> None:
        """A token limit cut the message at hand off."""
        if self._asked:
            self._asked[-1].draft.truncated = True

    def unread(self, what: str) -> None:
        """Something of a message that is not read."""
        self.skipped[what] = self.skipped.get(what, 0) + 1

    def all_warnings(self) -> list[str]:
        """The warnings, and what was not read."""
        return [*self.warnings, *[f"not read: {what} ({count})" for what, count in self.skipped.items()]]

    def ask(self, message: Any, level: Level, place: str, agent: str | None = None) -> list[Entry]:
        """Read an assistant's message: the calls it asks for."""
        self._level, self._place, self._message, self._asked, self.text = level, place, None, [], ""
        read_message(self, message)
        asked = self._asked
        if agent:
            for entry in asked:
                entry.draft.agent = agent
        return asked

    def reply(self, message: Any, entry: Entry) -> None:
        """Read a tool's message as the answer to a call."""
        self._target = entry
        try:
            read_message(self, message)
        finally:
            self._target = None

    def run(
        self, level: Level, place: str, call_id: str | None, name: str, args: Mapping[str, Any] | None, text: str | None = None
    ) -> Entry:
        """
        A tool ran: the call that asked for it, or a new one where none did.

        Args:
            args: What the tool was given.
            text: What it was given, where it is one text.
        """
        entry = level.asked_for(place, call_id, name, args)
        if entry is None:
            entry = self.direct(level, place, call_id, name, args, text)
            if call_id:
                self.warnings.append(
                    f"the request for {name or 'a tool'} is not in this record: made before it began, or by a model that it does not show"
                )
        draft = entry.draft
        level.ran(entry, name)
        draft.attempts = entry.runs
        if name and name != draft.name:
            draft.executed_name = name
        if args is not None and draft.args is not None and (name != draft.name or args != draft.args):
            draft.executed_args = dict(args)
        return entry

    def direct(
        self, level: Level, place: str, call_id: str | None, name: str, args: Mapping[str, Any] | None, text: str | None = None
    ) -> Entry:
        """A call that no message asked for."""
        self._level, self._place, self._message = level, place, None
        self.call(InvocationDraft(name, dict(args) if args is not None else None, text, call_id))
        entry = self.entries[-1]
        entry.direct = True
        return entry

    def returned(self, entry: Entry, value: Any) -> None:
        """The tool returned a value that is no message."""
        draft = entry.draft
        draft.status, draft.executed, draft.error = "success", True, None
        draft.result = value if value is None or isinstance(value, str) else as_json(value)
        draft.raw_result = value

    def failed(self, entry: Entry, error: str) -> None:
        """The tool's run ended in an error; a message to the model may follow and go before it."""
        draft = entry.draft
        if error.startswith(NO_FAILURE):
            if not entry.answered and draft.status != "success":
                draft.status, draft.result, draft.error = (
                    ("success", None, None) if error.startswith("ParentCommand") else ("pending", None, None)
                )
            return
        if entry.answered:
            return
        faulty = misfits(error, draft.name) or error.startswith("ToolInvocationError")
        draft.executed = not faulty
        if not entry.unreadable:
            draft.status = "invalid" if faulty else "error"
        draft.result = draft.error = error

    def timed(self, entry: Entry, started: datetime | None, seconds: float | None) -> None:
        """When a run of the call's tool began, and how long it took; attempts add up."""
        draft = entry.draft
        if draft.started_at is None:
            draft.started_at = started
        if seconds is not None:
            draft.duration_s = (draft.duration_s or 0.0) + seconds

    def join_late(self) -> None:
        """Join executions with requests that come after them, in a record that does not tell when anything began."""
        gone: set[int] = set()
        for entry in self.entries:
            draft = entry.draft
            if not entry.direct or not draft.id:
                continue
            asked = [each for each in entry.level.by_id[draft.id] if not each.direct and not each.runs and not each.answered]
            later = next((each for each in asked if each.draft.name == draft.name and each.index > entry.index), None)
            if later is None:
                continue
            gone.add(entry.index)
            entry.level.ran(later, draft.name)
            for name in ("status", "executed", "attempts", "result", "raw_result", "artifact", "error", "node", "started_at", "duration_s"):
                setattr(later.draft, name, getattr(draft, name))
            if draft.args != later.draft.args:
                later.draft.executed_args = draft.args
        self.entries[:] = [entry for entry in self.entries if entry.index not in gone]

    def place_answers(self, messages: list[Any], level: Level, place: str, node: str | None, ran: list[Entry]) -> None:
        """
        Read messages that a node or a graph handed on: answers that are new, and who spoke.

        Args:
            messages: In order; some may be of earlier turns.
            ran: The calls whose tools ran inside that node, outermost wrapper last.
        """
        spoken: dict[str, list[Entry]] = {}
        for message in messages:
            each = said(message)
            if each is None:
                continue
            if each.role == "ai":
                self._spoken(each, level, spoken)
            elif each.role == "tool":
                self._placed(each, level, place, node, ran, spoken)

    def _spoken(self, message: Said, level: Level, spoken: dict[str, list[Entry]]) -> None:
        known = level.by_message.get(message.id or "", [])
        if message.name:
            for entry in known:
                entry.draft.agent = entry.draft.agent or message.name
        for call in message.calls():
            id = id_in(call)
            same = [entry for entry in known if (entry.draft.id or "") == id]
            if not same:  # a framework's copy of the message under another id (langgraph-supervisor 0.0.31)
                same = [entry for entry in level.waiting_as(id) if id and entry.draft.name == call.get("name")]
            spoken[id] = same

    def _placed(self, message: Said, level: Level, place: str, node: str | None, ran: list[Entry], spoken: dict[str, list[Entry]]) -> None:
        seen = level.seen.get(message.id) if message.id else None
        entry = seen
        if entry is None and message.call_id in spoken:
            asked = spoken[message.call_id]
            entry = next((each for each in asked if not each.answered), asked[-1] if asked else None)
            if entry is None or (entry.answered and not any(entry is each for each in ran)):
                return
        if entry is None:
            here = {each.index: each for each in ran if (each.draft.id or "") == message.call_id}
            entry = next(iter(here.values())) if len(here) == 1 else level.waiting_for(place, message.call_id, message.name)
        if entry is None:
            return
        if message.id:
            level.seen[message.id] = entry
        if entry.answered and (message.fields.get("content") == entry.draft.result or seen is not None):
            return
        self.reply(message.message, entry)
        if node and not entry.runs:
            entry.draft.node = entry.draft.node or node
            entry.draft.executed = False

    def trajectory_of(
        self, source: str, reading: Reading, request: str | None, texts: tuple[str, ...], warnings: Iterable[str], shown: bool
    ) -> Trajectory:
        """Close a record that has no conversation beside it; `shown` says that it could have shown calls."""
        request = request if request is not None else request_in(reading.inputs)
        return Trajectory(
            input=request,
            messages=spoken(request, texts),
            texts=texts,
            invocations=self.freeze(),
            error=self.error,
            has_call_record=shown,
            source=source,
            warnings=tuple(dict.fromkeys(warnings)),
        )

    def freeze(self) -> tuple[ToolInvocation, ...]:
        """The calls, in the order in which they were asked for."""
        return tuple(entry.draft.freeze() for entry in self.entries)


def spoken(request: str | None, texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The conversation of a run that has no messages of its own: what it was asked and what it said."""
    asked = () if request is None else (("user", request),)
    return (*asked, *[("assistant", text) for text in texts if text])
