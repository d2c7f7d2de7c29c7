"""The model: what an agent's run asked of its tools, and what came of it.

Frozen, slotted dataclasses. Converters fill an `InvocationDraft`, which has the same slots, and `freeze()` it: a frozen
dataclass of this many fields takes six times as long to build (measured on CPython 3.11 and 3.12). The slots are those of a class
that both derive from, which makes the change of class free: CPython compares the slots of two classes that each have their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, TypeAlias

from ._errors import said
from ._json import DEPTH, json_ready
from ._represented import shown_fields

Status: TypeAlias = Literal["success", "error", "pending", "invalid", "rejected", "hallucinated"]
Kind: TypeAlias = Literal["tool", "handoff", "structured_output", "server", "framework"]
ScoreStatus: TypeAlias = Literal["scored", "not_applicable", "could_not_score"]

STATUSES: frozenset[str] = frozenset({"success", "error", "pending", "invalid", "rejected", "hallucinated"})
KINDS: frozenset[str] = frozenset({"tool", "handoff", "structured_output", "server", "framework"})
COUNTED_KINDS: frozenset[str] = frozenset({"tool", "server"})
"""The kinds that counts and orders look at unless told otherwise."""


class _Invocation:
    """The slots of an invocation."""

    __slots__ = (
        "agent", "args", "artifact", "attempts", "cached", "duration_s", "error", "executed", "executed_args", "executed_name", "extra",
        "id", "kind", "message_index", "name", "node", "parent_id", "raw_args", "raw_result", "result", "started_at", "status",
        "synthetic", "task", "truncated", "turn",
    )  # fmt: skip


@dataclass(slots=True)
class InvocationDraft(_Invocation):
    """A `ToolInvocation` that is still being put together; the same fields, each writable."""

    name: str
    args: dict[str, Any] | None = None
    raw_args: str | None = None
    id: str | None = None
    status: Status = "pending"
    kind: Kind = "tool"
    executed: bool | None = None
    cached: bool = False
    attempts: int = 1
    result: str | None = None
    raw_result: Any = None
    artifact: Any = None
    error: str | None = None
    agent: str | None = None
    node: str | None = None
    task: str | None = None
    turn: int = 0
    parent_id: str | None = None
    executed_name: str | None = None
    executed_args: dict[str, Any] | None = None
    started_at: datetime | None = None
    duration_s: float | None = None
    synthetic: bool = False
    truncated: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    message_index: int | None = None

    def freeze(self) -> ToolInvocation:
        """Turn this very object into a `ToolInvocation`; the draft is gone."""
        self.__class__ = ToolInvocation  # type: ignore[assignment]  # equal slots, held by a test
        return self  # type: ignore[return-value]  # it is one now


@dataclass(frozen=True, slots=True)
class ToolInvocation(_Invocation):
    """
    One tool call that a model asked for, and what came of it.

    Attributes:
        name: The tool's name as the model asked for it.
        args: The arguments as the model asked for them, or None when there is no readable object.
        raw_args: The arguments' text where `args` is None.
        id: The provider's call id. No key: real runs reuse ids, and some have none.
        status: `success` ran and returned; `error` ran and failed; `pending` asked and never answered; `invalid` a faulty
            request; `rejected` a sound request that was not allowed to run; `hallucinated` a result was stated for a
            call that never ran.
        kind: `tool`, or what else travels as a tool call: `handoff`, `structured_output`, `server`, `framework`.
        executed: Whether the tool's body ran; None when the source cannot tell.
        cached: Whether the result came out of a cache.
        attempts: How often it was tried, retries by the framework included.
        result: The result's text as the model saw it, or None.
        raw_result: The result's value, where the source has it.
        artifact: What the tool returned beside the text that the model saw.
        error: The failure's text, or None.
        agent: The agent that asked.
        node: The graph node that ran the tool.
        task: The task it was asked in.
        turn: The conversation's turn it belongs to, from 0.
        parent_id: The id of the call inside whose tool this one was made.
        executed_name: The tool that ran, where it is not the one asked for.
        executed_args: The arguments that ran, where they are not the ones asked for.
        started_at: When the tool started.
        duration_s: How long it ran, in seconds.
        synthetic: Made by the framework; no model asked for it.
        truncated: The request was cut off by a token limit.
        extra: Facts only one adapter knows.
        message_index: Which of the record's messages asked for it, from 0; None where the source has no messages. Plays no part in `==`.
    """

    name: str
    args: dict[str, Any] | None = None
    raw_args: str | None = None
    id: str | None = None
    status: Status = "pending"
    kind: Kind = "tool"
    executed: bool | None = None
    cached: bool = False
    attempts: int = 1
    result: str | None = None
    raw_result: Any = None
    artifact: Any = None
    error: str | None = None
    agent: str | None = None
    node: str | None = None
    task: str | None = None
    turn: int = 0
    parent_id: str | None = None
    executed_name: str | None = None
    executed_args: dict[str, Any] | None = None
    started_at: datetime | None = None
    duration_s: float | None = None
    synthetic: bool = False
    truncated: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    message_index: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status must be one of {sorted(STATUSES)}, got {self.status!r}")
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {sorted(KINDS)}, got {self.kind!r}")

    __repr__ = shown_fields


@dataclass(frozen=True, slots=True)
class Tool:
    """
    A tool that the agent could have called.

    Attributes:
        name: Its name as the model sees it.
        description: What the model is told of it.
        parameters: The JSON schema of its arguments, or None when the source does not say.
        agent: The agent that has it, or None for every agent.
    """

    name: str
    description: str | None = None
    parameters: Mapping[str, Any] | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """
    One turn of a conversation: what a message of the user's began.

    Attributes:
        index: The number that its invocations have as `turn`.
        start: Where what is scored of it begins among the trajectory's `messages`.
        end: Where it ends there, exclusive.
    """

    index: int
    start: int
    end: int


class _Derived:
    """What checks ask of a trajectory again and again, worked out once."""

    __slots__ = (
        "_counted", "_every", "_folded", "_names", "available_tools", "duration_s", "error", "has_call_record", "input", "invocations",
        "messages", "output", "source", "texts", "turns", "usage", "warnings",
    )  # fmt: skip
    output: str
    _counted: tuple[ToolInvocation, ...]
    _every: tuple[ToolInvocation, ...]
    _names: tuple[str, ...]  # of every call
    _folded: str | None  # the output for comparisons that ignore case; None until one asks


@dataclass(frozen=True, slots=True)
class Trajectory(_Derived):
    """
    What one run of an agent did: the request, the texts, the tool invocations in the order in which they were asked for.

    Attributes:
        input: The user's request, or None.
        messages: The conversation as (role, text) pairs.
        texts: The assistant's texts of what is scored, in order.
        invocations: The tool invocations of what is scored, in the order in which the model asked.
        available_tools: What the agent could have called; None when the source does not say.
        error: The run crashed: its text; None when it did not.
        has_call_record: False only where the source could not have shown a call, such as a plain text.
        usage: Token counts, or None.
        duration_s: How long the run took, in seconds.
        source: What it was read from, such as `langgraph.run_tree`.
        warnings: What this source cannot show, in words.
        turns: The turns of what is scored; empty where there is one at most, or where the source does not tell texts by turns.
        output: The non-empty texts joined with one space.
    """

    input: str | None = None
    messages: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ()
    invocations: tuple[ToolInvocation, ...] = ()
    available_tools: tuple[Tool, ...] | None = None
    error: str | None = None
    has_call_record: bool = True
    usage: Mapping[str, Any] | None = None
    duration_s: float | None = None
    source: str = "trajectory"
    warnings: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()

    def __post_init__(self) -> None:
        set_slot = object.__setattr__
        every = tuple([call for call in self.invocations if call.status != "hallucinated"])
        counted = tuple([call for call in every if call.kind in COUNTED_KINDS])
        set_slot(self, "_every", every)
        set_slot(self, "_counted", every if len(counted) == len(every) else counted)
        set_slot(self, "_names", tuple([call.name for call in every]))
        set_slot(self, "output", " ".join([text for text in self.texts if text]))
        set_slot(self, "_folded", None)

    def __reduce__(self) -> tuple[Any, ...]:
        return Trajectory, tuple([getattr(self, each.name) for each in fields(self)])

    __repr__ = shown_fields

    @property
    def final_text(self) -> str:
        """The last text, or an empty one."""
        return self.texts[-1] if self.texts else ""

    def to_dict(self) -> dict[str, Any]:
        """This trajectory as a mapping ready for JSON, which `to_trajectory` reads back."""
        from ._stored import stored

        return stored(self)

    def calls(
        self, kinds: Collection[str] | None = COUNTED_KINDS, agent: str | Iterable[str] | None = None
    ) -> tuple[ToolInvocation, ...]:
        """
        The invocations that count as calls: every status but `hallucinated`.

        Args:
            kinds: The kinds to keep; None keeps every kind.
            agent: The name of an agent, or several; None keeps every agent's calls.
        """
        if agent is None:
            if kinds is None:
                return self._every
            if kinds == COUNTED_KINDS:
                return self._counted
        agents = None if agent is None else {agent} if isinstance(agent, str) else frozenset(agent)
        return tuple(
            [call for call in self._every if (kinds is None or call.kind in kinds) and (agents is None or call.agent in agents)]
        )


class _TrajectoryDraft(_Derived):
    """A `Trajectory` before it is frozen."""

    __slots__ = ()


def usual_trajectory(
    input: str | None,
    messages: tuple[tuple[str, str], ...],
    texts: tuple[str, ...],
    invocations: tuple[ToolInvocation, ...],
    available_tools: tuple[Tool, ...] | None,
    source: str,
    turns: tuple[Turn, ...],
) -> Trajectory:
    """A trajectory of calls that all count, with the fields that a usual conversation has; a third of the time of `Trajectory(...)`."""
    draft: Any = _TrajectoryDraft()
    draft.input, draft.messages, draft.texts, draft.turns = input, messages, texts, turns
    draft.output = " ".join([text for text in texts if text])
    draft.invocations = draft._every = draft._counted = invocations
    draft._names = tuple([call.name for call in invocations])
    draft.available_tools, draft.source, draft.warnings = available_tools, source, ()
    draft.error = draft.usage = draft.duration_s = draft._folded = None
    draft.has_call_record = True
    draft.__class__ = Trajectory
    made: Trajectory = draft
    return made


Explanation: TypeAlias = Callable[[], tuple[str, dict[str, Any]]]
"""Makes a score's comment and details; called once, when one of them is first read."""


MOST_COMMENT = 4_000
"""Characters of a comment that are kept: names, keys and ids come from the run, and may be of any length."""


class _Explained:
    """Fills a score's comment and details when they are first read: most scores of a large set never are."""

    __slots__ = ("_explain", "comment", "details", "key", "score", "status")
    _explain: Explanation | dict[str, Any]  # what makes both; once the comment is made, the details as they came with it
    comment: str
    details: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        value: Any
        if name == "comment":
            value = self._told()[0]
        elif name == "details":
            try:
                value = json_ready(self._told()[1], DEPTH - 1)
            except Exception as error:  # noqa: BLE001 - a value of the trace that cannot even be shown must not break who reads the score
                value = {"unreadable": said(error)}
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        object.__setattr__(self, name, value)
        return value

    def _told(self) -> tuple[str, dict[str, Any]]:
        """The comment, and the details as the evaluator made them: they may hold anything that a trace does."""
        explain = getattr(self, "_explain", None)
        if not callable(explain):
            return self.comment, self.details if explain is None else explain
        try:
            comment, details = explain()
            comment = json_ready(comment)
        except Exception as error:  # noqa: BLE001 - as above
            comment, details = f"the explanation failed: {said(error)}", {}
        comment = comment if len(comment) <= MOST_COMMENT else f"{comment[: MOST_COMMENT - 4]} ..."
        object.__setattr__(self, "_explain", details)
        object.__setattr__(self, "comment", comment)
        return comment, details


class _ScoreDraft(_Explained):
    """A `Score` before it is frozen; the same slots."""

    __slots__ = ()
    key: str
    score: float | None
    status: ScoreStatus


@dataclass(frozen=True, slots=True)
class Score(_Explained):
    """
    What one check or scorer says of one run.

    Attributes:
        key: The feedback key of the evaluator that gave it.
        score: 0.0 to 1.0; None when there is nothing to score or it could not be scored. Missing data is never 0.
        status: `scored`, `not_applicable` or `could_not_score`.
        comment: Why, in one readable sentence or a short diff.
        details: The numbers and facts behind it, ready for JSON.
    """

    key: str
    score: float | None = None
    status: ScoreStatus = "scored"
    comment: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.score is not None and not 0.0 <= self.score <= 1.0:
            raise ValueError(f"score must be between 0.0 and 1.0 or None, got {self.score!r}")
        if (self.score is None) == (self.status == "scored"):
            raise ValueError(f"status 'scored' goes with a number and the others with None, got {self.status!r} and {self.score!r}")

    __repr__ = shown_fields

    @staticmethod
    def explained(key: str, score: float, explain: Explanation) -> Score:
        """A score in 0..1 whose comment and details are made when first read."""
        if score is True:  # nearly every check says one of the two
            score = 1.0
        elif score is False:
            score = 0.0
        elif not 0.0 <= (score := float(score)) <= 1.0:
            raise ValueError(f"score must be between 0.0 and 1.0, got {score!r}")
        draft = _ScoreDraft()
        draft.key, draft.score, draft.status, draft._explain = key, score, "scored", explain
        draft.__class__ = Score  # type: ignore[assignment]  # equal slots, as InvocationDraft
        return draft  # type: ignore[return-value]
