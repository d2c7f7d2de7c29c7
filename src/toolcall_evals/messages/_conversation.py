"""Puts a trajectory together from a conversation's messages, in the order in which they were said.

Requests and results meet here, by one rule for every wire format: a result belongs to the first call that is still open
under its id. Ids are no keys (real runs reuse them across turns and in one message, and some have none), so what has no
id or an unknown one goes by name, then by order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._convert import Reading
from .._errors import TraceFormatError
from .._model import InvocationDraft, Tool, Trajectory, Turn
from ._plain import same
from ._waiting import Waiting

ROLES = ("system", "user", "assistant", "tool")


class Conversation:
    """
    A conversation that is being read.

    A parser calls `user`, `assistant`, `system` for each message, `call` for each tool call that an assistant asked for
    and `result` for each answer of a tool; `trajectory` closes it.
    """

    __slots__ = (
        "_begun",
        "_by_id",
        "_calls",
        "_marks",
        "_open",
        "_texts",
        "_turn",
        "_unread",
        "_waiting",
        "available_tools",
        "error",
        "usage",
        "warnings",
    )

    def __init__(self) -> None:
        self.available_tools: tuple[Tool, ...] | None = None
        self.error: str | None = None
        self.usage: Mapping[str, Any] | None = None
        self.warnings: list[str] = []
        self._turn = -1
        self._begun: list[tuple[int, str]] = []  # position and text of the messages that begin a turn
        self._marks: list[tuple[str | None, str, str]] = []  # id, role and text of every message, by position
        self._texts: list[tuple[int, str]] = []
        self._calls: list[tuple[int, InvocationDraft]] = []
        self._open: dict[str, list[InvocationDraft]] = {}
        self._waiting: Waiting | None = None  # the open calls, once ids do not tell them apart
        self._unread: dict[str, int] = {}
        self._by_id: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self._marks)

    def repeats(self, id: str | None, content: Any) -> bool:
        """Whether a message of this id and content was there before (a reducer that appended it twice)."""
        if not id:
            return False
        if id not in self._by_id:
            self._by_id[id] = content
            return False
        return same(self._by_id[id], content)

    def system(self, text: str, id: str | None = None) -> None:
        """A system or developer message."""
        self._marks.append((id, "system", text))

    def user(self, text: str, id: str | None = None, *, injected: bool = False) -> None:
        """
        A message of the user's; it begins a turn.

        Args:
            injected: A framework or a tool wrote it, so it begins none.
        """
        if not injected:
            self._turn += 1
            self._begun.append((len(self._marks), text))
        self._marks.append((id, "user", text))

    def assistant(self, text: str, id: str | None = None) -> None:
        """A message of the assistant's; its calls follow by `call`."""
        self._texts.append((len(self._marks), text))
        self._marks.append((id, "assistant", text))

    def call(self, draft: InvocationDraft) -> InvocationDraft:
        """A tool call that the latest assistant message asked for, after the calls that it asked for earlier."""
        draft.turn = self._turn if self._turn > 0 else 0
        draft.message_index = position = len(self._marks) - 1
        self._calls.append((position, draft))
        if draft.status in ("pending", "invalid"):
            if self._waiting is None:
                self._open.setdefault(draft.id or "", []).append(draft)
            else:
                self._waiting.add(draft)
        return draft

    def cut_off(self) -> None:
        """A token limit cut the latest message off: the last call in it is truncated."""
        if self._calls and self._calls[-1][0] == len(self._marks) - 1:
            self._calls[-1][1].truncated = True

    def unread(self, what: str) -> None:
        """Something that is there and not read, in words; the trajectory's warnings count it."""
        self._unread[what] = self._unread.get(what, 0) + 1

    def result(
        self, id: str | None, name: str | None, text: str | None, value: Any = None, *, message_id: str | None = None
    ) -> InvocationDraft:
        """
        An answer to a tool call, as a message of its own.

        Args:
            id: The id of the call it answers.
            name: The tool's name, where the answer has it; names of requests go before.
            text: The result as the model sees it.
            value: The result's value, where it is more than its text.

        Returns:
            The call's draft, with the result and the status `success` (an invalid request stays invalid); the parser
            corrects what it knows better. A result without a request becomes a call of its own.
        """
        self._marks.append((message_id, "tool", text or ""))
        return self.answer(id, name, text, value)

    def answer(self, id: str | None, name: str | None, text: str | None, value: Any = None) -> InvocationDraft:
        """An answer to a tool call inside the latest message, as a provider gives those of its own tools; else as `result`."""
        draft = self._take(id, name)
        if draft is None:
            draft = InvocationDraft(name or "", id=id, turn=max(self._turn, 0))
            self._calls.append((len(self._marks) - 1, draft))
            self.warnings.append(f"a result of {name or id or 'an unnamed tool'} has no request in this record")
        if draft.status == "pending":
            draft.status = "success"
        draft.result = text
        draft.raw_result = value
        return draft

    def asking(self) -> bool:
        """Whether the latest message is the assistant's."""
        return bool(self._marks) and self._marks[-1][1] == "assistant"

    def waits(self, id: str | None) -> bool:
        """Whether a call of this id has no result yet."""
        return bool(id) and (id in self._open if self._waiting is None else self._waiting.holds(id))

    def calls(self) -> list[InvocationDraft]:
        """The calls so far, in the order in which they were asked for."""
        return [draft for _, draft in self._calls]

    def latest_calls(self) -> list[InvocationDraft]:
        """The calls that the latest message asked for so far."""
        latest, found = len(self._marks) - 1, list[InvocationDraft]()
        for position, draft in reversed(self._calls):
            if position != latest:
                break
            found.append(draft)
        return found[::-1]

    def open_calls(self) -> list[InvocationDraft]:
        """The calls that have no result yet, in order."""
        if self._waiting is not None:
            return [draft for _, draft in self._calls if draft.status in ("pending", "invalid") and draft in self._waiting]
        waiting = {id(draft) for drafts in self._open.values() for draft in drafts}
        return [draft for _, draft in self._calls if id(draft) in waiting]

    def _take(self, call_id: str | None, name: str | None) -> InvocationDraft | None:
        if self._waiting is None:
            same_id = self._open.get(call_id) if call_id else None
            if same_id is not None and len(same_id) == 1:
                del self._open[same_id[0].id or ""]
                return same_id[0]
            self._waiting = Waiting(self.open_calls())
        return self._waiting.take(call_id, name)

    def trajectory(self, source: str, reading: Reading = Reading(), *, history: int = 0) -> Trajectory:  # noqa: B008 - frozen
        """
        Close the conversation.

        Args:
            source: What it was read from.
            reading: Which turns of it are scored.
            history: How many messages at its beginning the run was given.
        """
        start, end = self._part(reading, history)
        texts = tuple([text for position, text in self._texts if start <= position < end])
        calls = tuple([draft.freeze() for position, draft in self._calls if start <= position < end])
        request = None
        for position, text in self._begun:
            if position <= start or request is None:
                request = text
        return Trajectory(
            request,
            tuple([(role, text) for _, role, text in self._marks]),
            texts,
            calls,
            self.available_tools,
            self.error,
            True,
            self.usage,
            None,
            source,
            (*self.warnings, *[f"not read: {what} ({count})" for what, count in self._unread.items()]),
            self._turns(start, end) if self._turn > 0 else (),
        )

    def _turns(self, start: int, end: int) -> tuple[Turn, ...]:
        begins = [position for position, _ in self._begun]
        spans = zip([start, *begins[1:]], [*begins[1:], end], strict=True)
        bounds = [(index, max(first, start), min(last, end)) for index, (first, last) in enumerate(spans)]
        turns = tuple([Turn(index, first, last) for index, first, last in bounds if first < last])
        return turns if len(turns) > 1 else ()

    def _part(self, reading: Reading, history: int) -> tuple[int, int]:
        start, end = history, len(self._marks)
        if reading.after is not None:
            found = [position for position, mark in enumerate(self._marks) if mark[0] == reading.after]
            if not found:
                raise TraceFormatError(f"expected a message with the id {reading.after!r} (after=), found none")
            start = max(start, found[-1] + 1)
        if reading.turns != "all":
            begins = [position for position, _ in self._begun] or [0]
            index = len(begins) - 1 if reading.turns == "last" else reading.turns
            index = index + len(begins) if index < 0 else index
            if not 0 <= index < len(begins):
                raise TraceFormatError(f"expected a turn {reading.turns} (turns=), found {len(begins)} in all")
            start = max(start, begins[index])
            end = begins[index + 1] if index + 1 < len(begins) else end
        return start, end

    def history_in(self, given: Conversation) -> int:
        """
        How many messages at the beginning of this conversation are those of `given`, matched by id or by role and text.

        0 unless all of them are there: a record that trimmed its history cannot be told apart.
        """
        wanted, start = given._marks, 0
        if wanted and wanted[0][1] != "system":
            while start < len(self._marks) and self._marks[start][1] == "system":
                start += 1
        if not wanted or len(self._marks) - start < len(wanted):
            return 0
        for ours, theirs in zip(self._marks[start:], wanted, strict=False):
            if not (ours[1:] == theirs[1:] or (ours[0] and ours[0] == theirs[0])):
                return 0
        return start + len(wanted)

    def ends_with(self, other: Conversation) -> bool:
        """Whether the last messages of this conversation are those of `other`: the same texts, asking for the same calls."""
        start = len(self._marks) - len(other._marks)
        if start < 0 or not other._marks:
            return False
        ours = [(draft.id, draft.name, draft.args) for position, draft in self._calls if position >= start]
        theirs = [(draft.id, draft.name, draft.args) for _, draft in other._calls]
        return same(ours, theirs) and all(mark[1:] == said[1:] for mark, said in zip(self._marks[start:], other._marks, strict=True))
