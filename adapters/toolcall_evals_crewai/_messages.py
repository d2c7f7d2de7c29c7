"""CrewAI's chat messages: OpenAI's form, with CrewAI's own texts in it, on both of its paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

from toolcall_evals import InvocationDraft, Reading, TraceFormatError, Trajectory
from toolcall_evals.messages import Conversation, assistant_text, history, read_message, result_text

from ._fields import field, text_field
from ._names import draft_of, same_tool
from ._protocol import answer_in, read_input, thought_in
from ._requests import requests_in
from ._spoken import own_text, read_spoken, speaks, teaches, tools_in
from ._told import REASONS, fails_schema, settle, status_told, without_tail

_REMINDERS = (
    "Analyze the tool result. If requirements are met, provide the Final Answer.",
    "Now it's time you MUST give your absolute best final answer.",
    "I did it wrong. ",
    "### Previous attempt failed validation: ",
    "<summary>\n",
    "You got human feedback on your work",
    "\nSorry, I didn't use the right format.",
)
"""How the user messages begin that CrewAI writes itself (`translations/en.json`, crewai 1.5 to 1.15)."""


_FAILED = ("error", "invalid", "rejected")


@dataclass(slots=True)
class Chat:
    """
    The messages of one agent's run, being read.

    Attributes:
        conversation: What they are read into.
        drafts: The calls in them.
        trusted: The texts of tool messages are CrewAI's, so that they show what became of a call.
        taught: The prompt teaches the text protocol; None where there is no prompt.
        names: The tools that the prompt lists.
        said: The latest assistant text.
    """

    conversation: Conversation = dataclass_field(default_factory=Conversation)
    drafts: list[InvocationDraft] = dataclass_field(default_factory=list)
    trusted: bool = True
    taught: bool | None = None
    names: set[str] = dataclass_field(default_factory=set)
    said: str = ""
    _known: set[int] = dataclass_field(default_factory=set)

    def add(self, draft: InvocationDraft) -> None:
        """One of the calls, unless it is there already."""
        if id(draft) not in self._known:
            self._known.add(id(draft))
            self.drafts.append(draft)

    def say(self, text: str, id: str | None = None) -> None:
        """A message of the assistant's."""
        self.said = text
        self.conversation.assistant(text, id)


def read_chat(
    messages: Sequence[Any],
    *,
    agent: str | None = None,
    task: str | None = None,
    trusted: bool = True,
    single_request: bool = False,
) -> Chat:
    """
    Read the messages of one agent's run.

    Args:
        messages: Dicts or objects in OpenAI's form; a message in another one is read as `toolcall_evals.messages` reads it.
        agent: Whose they are.
        task: The task they belong to.
        trusted: They are known to be CrewAI's own, and not just somebody's chat.
        single_request: A task has one request: every other message of the user's is the framework's.

    Raises:
        TraceFormatError: None of them is a message.
    """
    chat = Chat(trusted=trusted)
    _learn(chat, messages)
    completions = [at for at, message in enumerate(messages) if field(message, "role") == "assistant"]
    unread, asked = 0, False
    for at, message in enumerate(messages):
        role, content = field(message, "role"), field(message, "content")
        if role == "assistant" and _assistant(chat, message, at + 1 < len(messages), at == completions[-1]):
            continue
        if role == "tool":
            _result(chat, message)
        elif role == "user":
            text = assistant_text(content)
            chat.conversation.user(text, text_field(message, "id"), injected=(asked and single_request) or text.startswith(_REMINDERS))
            asked = True
        elif not read_message(chat.conversation, message):
            unread += 1
    if messages and unread == len(messages):
        kind = type(messages[0]).__name__
        raise TraceFormatError(f"expected messages with a role, found items without one ({unread}), the first a {kind}")
    if unread:
        chat.conversation.warnings.append(f"not read: items of the list that are no messages ({unread})")
    for draft in chat.drafts:
        draft.agent, draft.task = agent or draft.agent, task or draft.task
    return chat


def read_plain(messages: Sequence[Any], reading: Reading, *, trusted: bool) -> Trajectory:
    """Read a bare list of messages whose reader named CrewAI."""
    chat = read_chat(messages, trusted=trusted)
    return chat.conversation.trajectory("crewai.messages", reading, history=history(chat.conversation, reading.inputs))


def apply_failures(chat: Chat, failures: Iterable[Any]) -> None:
    """Correct the calls by a task's `tool_failures` (crewai 1.15.9), which hold each failure once, earlier attempts' too."""
    for recorded in failures:
        name, failure = text_field(recorded, "tool_name") or "", field(recorded, "failure")
        message = without_tail(text_field(failure, "message") or "")
        asked = field(recorded, "tool_args")
        fitting = [draft for draft in chat.drafts if same_tool(draft.name, name) and _asked_for(draft, asked)]
        meant = [draft for draft in fitting if draft.status in ("success", *_FAILED) and message.strip() in (draft.result or "")]
        if not meant and not any(draft.status in _FAILED for draft in fitting):
            chat.conversation.warnings.append(f"a failed call of {name} is not among the messages; it may belong to an earlier attempt")
        for draft in meant:
            reason = field(failure, "reason")
            status = REASONS.get(str(getattr(reason, "value", reason)), "error")
            if status == "error" and fails_schema(message):
                status = "invalid"
            settle(draft, "invalid" if draft.status == "invalid" else status, draft.result)
            draft.error = message or draft.result


def _asked_for(draft: InvocationDraft, asked: Any) -> bool:
    return draft.raw_args == asked if draft.args is None else draft.args == read_input(asked)[0]


def _learn(chat: Chat, messages: Sequence[Any]) -> None:
    """What the prompt says of the path: the protocol and its tools, or neither."""
    prompts = [assistant_text(field(message, "content")) for message in messages if field(message, "role") in ("system", "user")]
    if any(field(message, "role") == "system" for message in messages) or any(field(message, "tool_calls") for message in messages):
        chat.taught = any(teaches(prompt) for prompt in prompts)
    for prompt in prompts:
        if teaches(prompt):
            chat.names |= tools_in(prompt)


def _assistant(chat: Chat, message: Any, followed: bool, last: bool) -> bool:
    """Read an assistant message; False where it is in another form than CrewAI's."""
    content, id = field(message, "content"), text_field(message, "id")
    requests = requests_in(field(message, "tool_calls"))
    if requests:
        chat.say(assistant_text(content), id)
        for request in requests:
            draft = draft_of(request.name)
            draft.name, draft.args, draft.raw_args, draft.id = request.name, request.args, request.raw, request.id
            if draft.args is None:
                draft.status = "invalid"
            chat.add(chat.conversation.call(draft))
        return True
    if content is not None and not isinstance(content, str):
        return False
    text = content or ""
    if not speaks(text):
        answer = answer_in(text) if chat.taught is not False else None
        chat.say(text if answer is None else answer, id)
        return True
    warnings = chat.conversation.warnings
    joined = read_spoken(text, runs=chat.taught is not False, followed=followed, names=chat.names, last=last, warnings=warnings)
    chat.say(text if chat.taught is False else _said(text, followed), id)
    for each in joined:
        chat.add(chat.conversation.call(each.draft))
    return True


def _said(text: str, followed: bool) -> str:
    own = own_text(text)
    answer = None if followed else answer_in(own)
    return thought_in(own) if answer is None else answer


def _result(chat: Chat, message: Any) -> None:
    text = result_text(field(message, "content"))
    id = text_field(message, "tool_call_id")
    draft = chat.conversation.result(id, text_field(message, "name"), text, message_id=text_field(message, "id"))
    chat.add(draft)
    status = status_told(text) if text else "success"
    if status == "success":
        draft.executed = draft.status == "success"
    elif chat.trusted:
        settle(draft, "invalid" if draft.status == "invalid" else status, text)
    else:
        doubt = f"the result of {draft.name} reads like CrewAI's refusal or error; pass the task's output to have it read as one"
        chat.conversation.warnings.append(doubt)
