"""The runs of a LangChain or LangGraph program while they happen: callback events in, the nodes of a LangSmith run tree out."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeAlias
from uuid import UUID

Run: TypeAlias = dict[str, Any]
"""One run, with the fields of a LangSmith run (langsmith 0.15.1); its inputs and outputs are the live objects."""

DEPTH = 50
"""Levels of nested arguments that are copied."""


@dataclass(slots=True)
class _Tree:
    """A root run and the ids of all runs below it; `root` is None when it was not sampled."""

    root: Run | None
    ids: list[UUID] = field(default_factory=list)


class LiveRuns:
    """
    Builds one tree for each root run; a run whose parent it has not seen is a root.

    Every event may come from any thread. Nodes get all their keys at once, so a tree can be read while it grows.
    """

    def __init__(
        self,
        keep: int | None = None,
        wanted: Callable[[Run], bool] | None = None,
        ended: Callable[[Run], None] | None = None,
    ) -> None:
        """
        Args:
            keep: How many roots stay readable; None keeps all.
            wanted: Asked once for each root whether to record it; None records all.
            ended: Told of each recorded root that is over, which is then forgotten but for `roots`.
        """
        self._kept: deque[Run] = deque(maxlen=keep)
        self._wanted, self._ended = wanted, ended
        self._nodes: dict[UUID, tuple[Run | None, _Tree]] = {}
        self._lock = threading.Lock()
        self.begun = 0

    @property
    def roots(self) -> tuple[Run, ...]:
        """The root runs that are kept, in the order in which they began."""
        with self._lock:
            return tuple(self._kept)

    def start(self, run_type: str, id: UUID, parent_id: UUID | None, name: str | None, inputs: Any, extra: dict[str, Any]) -> None:
        """A run begins. Told of the same run twice (one handler, passed twice), it goes by the first."""
        unseen = traced_above(parent_id) if parent_id is not None and parent_id not in self._nodes else ()
        with self._lock:
            if id in self._nodes:
                return
            known = next((each for each in (parent_id, *unseen) if each is not None and each in self._nodes), None)
            parent, tree = (None, None) if known is None else self._nodes[known]
            if tree is not None and tree.root is None:
                self._nodes[id] = (None, tree)
                tree.ids.append(id)
                return
        node: Run = {
            "id": id,
            "parent_run_id": known,
            "run_type": run_type,
            "name": name,
            "inputs": inputs,
            "outputs": None,
            "error": None,
            "extra": extra,
            "start_time": datetime.now(UTC),
            "end_time": None,
            "child_runs": [],
        }
        if tree is None:
            node["inputs"] = _given(inputs)
            tree = _Tree(node if self._wanted is None or self._wanted(node) else None)
        with self._lock:
            self._nodes[id] = (node if tree.root is not None else None, tree)
            tree.ids.append(id)
            if parent is not None:
                parent["child_runs"].append(node)
            elif tree.root is node:
                self._kept.append(node)
                self.begun += 1

    def call_of(self, id: UUID | None, name: str | None) -> str | None:
        """
        The id of the one tool call of that name that a run was given, as a task of langgraph's ToolNode is.

        langchain-core before 1.1.2 does not tell a tool's run its call's id.
        """
        node = self._nodes[id][0] if id in self._nodes else None
        inputs = None if node is None else node["inputs"]
        call = inputs.get("tool_call") if isinstance(inputs, dict) else inputs[0] if isinstance(inputs, list) and len(inputs) == 1 else None
        return call.get("id") if isinstance(call, dict) and call.get("name") == name else None

    def end(self, id: UUID, outputs: Any = None, error: str | None = None) -> None:
        """A run is over, with its outputs, or with an error and perhaps a part of its outputs."""
        with self._lock:
            node, tree = self._nodes.get(id, (None, None))
            if tree is None:
                return
            if node is not None and node["end_time"] is None:
                node["outputs"], node["error"], node["end_time"] = outputs, error, datetime.now(UTC)
            over = self._ended is not None and tree.ids[0] == id
            if over:
                for each in tree.ids:
                    self._nodes.pop(each, None)
        if over and self._ended is not None and tree.root is not None:
            self._ended(tree.root)


def traced_above(id: UUID) -> list[UUID]:
    """
    The runs above the one with this id, where that is a function LangSmith traces by itself and tells no handler of.

    With tracing on, langchain's middleware are such functions (langchain 1.5.2, langsmith 0.15.1).
    """
    if "langsmith" not in sys.modules:
        return []
    from langsmith import get_current_run_tree

    run = get_current_run_tree()
    if run is None or run.id != id:
        return []
    return [UUID(part[-36:]) for part in reversed(run.dotted_order.split(".")[:-1])]


def _given(inputs: Any) -> Any:
    """The inputs of a root run, apart from the caller's own dict, which a program may use again."""
    if type(inputs) is dict:
        return {key: list(value) if type(value) is list else value for key, value in inputs.items()}
    return inputs


def copied(value: Any, depth: int = DEPTH) -> Any:
    """Plain containers anew, all else as it is: what a tool or a node later writes into its arguments is not what was asked."""
    if depth <= 0:
        return value
    if type(value) is dict:
        return {key: copied(item, depth - 1) for key, item in value.items()}
    if type(value) is list:
        return [copied(item, depth - 1) for item in value]
    return value


def generations(response: Any) -> dict[str, Any]:
    """
    The outputs of an llm run, from an `LLMResult`.

    The messages are copies: langchain 1.0's human-in-the-loop middleware writes a person's edit into the model's own message.
    """
    return {"generations": [[_generation(each) for each in row] for row in _rows(response)]}


def _rows(response: Any) -> Iterable[Any]:
    return getattr(response, "generations", None) or ()


def _generation(generation: Any) -> dict[str, Any]:
    message = getattr(generation, "message", None)
    if message is None:
        return {"text": getattr(generation, "text", "")}
    if hasattr(message, "model_copy"):
        calls = {name: copied(getattr(message, name)) for name in ("tool_calls", "invalid_tool_calls") if getattr(message, name, None)}
        message = message.model_copy(update=calls)
    return {"text": getattr(generation, "text", ""), "message": message}


def failure(error: BaseException) -> str:
    """An error's text as LangSmith records it, without the traceback."""
    try:
        return repr(error)
    except Exception:  # noqa: BLE001 - an exception class of the user's whose repr itself fails
        return type(error).__name__
