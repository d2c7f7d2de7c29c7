"""The runs of a trace as a forest of nodes, whatever they were stored in: live objects, dicts, nested or in a flat list.

Fields: langsmith 0.15.1 (`RunTree`, `Run`, the export of `list_runs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

DEPTH = 200
"""Levels of nested runs that are followed; deeper ones are left out with a warning."""


_RUN_KEYS = frozenset({"child_runs", "inputs", "outputs", "dotted_order", "parent_run_id"})


class Node:
    """One run: what of it is read."""

    __slots__ = (
        "children",
        "end",
        "error",
        "extra",
        "id",
        "inputs",
        "kind",
        "metadata",
        "name",
        "order",
        "outputs",
        "parent",
        "start",
        "unloaded",
    )

    def __init__(self, run: Any) -> None:
        get: Callable[[str], Any] = run.get if type(run) is dict or isinstance(run, Mapping) else partial(_attribute, run)
        extra = get("extra")
        self.extra: Mapping[str, Any] = extra if type(extra) is dict or isinstance(extra, Mapping) else {}
        metadata = self.extra.get("metadata")
        self.metadata: Mapping[str, Any] = metadata if type(metadata) is dict or isinstance(metadata, Mapping) else {}
        self.id = _text(get("id"))
        self.parent = _text(get("parent_run_id"))
        self.kind = _text(get("run_type")) or "chain"
        name = get("name")
        self.name = name if isinstance(name, str) else ""
        self.inputs = get("inputs")
        self.outputs = get("outputs")
        error = get("error")
        self.error: str | None = None if error is None or error == "" else error_text(error)
        self.start, self.end = get("start_time"), get("end_time")
        self.order = _text(get("dotted_order")) or ""
        self.unloaded = get("child_runs") is None and bool(get("child_run_ids"))
        self.children: list[Node] = []

    def started_at(self) -> datetime | None:
        """When it started."""
        return moment(self.start)

    def duration_s(self) -> float | None:
        """How long it ran, in seconds."""
        start, end = moment(self.start), moment(self.end)
        if start is None or end is None or (start.tzinfo is None) != (end.tzinfo is None):
            return None
        return max((end - start).total_seconds(), 0.0)


def is_run(value: Any) -> bool:
    """Whether a value looks like a run: it has a type of run, and children or what went in or came out."""
    if type(value) is dict or isinstance(value, Mapping):
        return isinstance(value.get("run_type"), str) and not _RUN_KEYS.isdisjoint(value)
    return isinstance(getattr(value, "run_type", None), str) and hasattr(value, "inputs")


def forest(runs: Iterable[Any], warnings: list[str], *, together: bool = False) -> list[Node]:
    """
    The root runs, each with its children in the order in which they started.

    Args:
        runs: Roots with their `child_runs`, or every run of a trace in any order, or both.
        warnings: What could not be followed is told here.
        together: Several roots are one record, as of a run and its resume, and no fault of it.
    """
    nodes: list[Node] = []
    seen: set[int] = set()
    for run in runs:
        _collect(run, nodes, seen, warnings)
    by_id: dict[str, Node] = {}
    nested = {id(child) for node in nodes for child in node.children}
    twice = False
    for node in nodes:
        if node.id:
            twice = twice or node.id in by_id
            by_id.setdefault(node.id, node)
    if twice:  # a flat list that also nests them, or an export that was joined with itself
        nodes, nested = _without_repeats(nodes, by_id, warnings)
    roots: list[Node] = []
    missing = 0
    for node in nodes:
        if id(node) in nested:
            continue
        parent = by_id.get(node.parent) if node.parent else None
        if parent is None or parent is node:
            missing += parent is None and node.parent is not None and len(nodes) > 1
            roots.append(node)
        else:
            parent.children.append(node)
    roots += _uncircled(nodes, roots, warnings)
    if missing:
        warnings.append(f"runs whose parent is not in this record ({missing}): calls around them may be missing")
    if not together and sum(not root.parent for root in roots) > 1:
        warnings.append(f"{sum(not root.parent for root in roots)} root runs in one record: they are read as one run, in order")
    for node in nodes:
        _sort(node.children)
    _sort(roots)
    return roots


def _collect(run: Any, nodes: list[Node], seen: set[int], warnings: list[str]) -> None:
    """Add a run and what is nested in it; a run that contains itself is followed once."""
    pending: list[tuple[Any, Node | None, int]] = [(run, None, 0)]
    while pending:
        run, parent, depth = pending.pop()
        if not is_run(run):
            continue
        if id(run) in seen or depth > DEPTH:
            warnings.append("a run contains itself or is nested too deeply: it is read once")
            continue
        seen.add(id(run))
        node = Node(run)
        nodes.append(node)
        if parent is not None:
            parent.children.append(node)
        children = run.get("child_runs") if type(run) is dict else _attribute(run, "child_runs")
        if isinstance(children, list | tuple):
            pending += [(child, node, depth + 1) for child in reversed(children)]


def _without_repeats(nodes: list[Node], by_id: dict[str, Node], warnings: list[str]) -> tuple[list[Node], set[int]]:
    kept = [node for node in nodes if not node.id or by_id[node.id] is node]
    warnings.append(f"read once each: runs that occur more than once ({len(nodes) - len(kept)})")
    alive = {id(node) for node in kept}
    placed: set[int] = set()
    for node in kept:
        children = []
        for child in node.children:
            child = by_id.get(child.id, child) if child.id else child
            if id(child) in alive and id(child) not in placed and child is not node:
                placed.add(id(child))
                children.append(child)
        node.children = children
    return kept, placed


def _uncircled(nodes: list[Node], roots: list[Node], warnings: list[str]) -> list[Node]:
    """Runs that no root reaches are parents of themselves; the first of each circle becomes a root."""
    reached: set[int] = set()
    _reach(roots, reached)
    found = []
    for node in nodes:
        if id(node) not in reached:
            warnings.append(f"the run {node.name or node.id!r} is its own ancestor: it is read as a root")
            for other in nodes:
                if any(child is node for child in other.children):
                    other.children = [child for child in other.children if child is not node]
            found.append(node)
            _reach([node], reached)
    return found


def _reach(roots: list[Node], reached: set[int]) -> None:
    pending = list(roots)
    while pending:
        node = pending.pop()
        if id(node) not in reached:
            reached.add(id(node))
            pending += node.children


def _sort(nodes: list[Node]) -> None:
    """
    In order of start, except that the tasks of one step keep the step's own order, in which LangGraph applies their
    writes: when parallel threads start is noise.
    """
    if len(nodes) < 2:
        return
    if all(node.order for node in nodes):
        nodes.sort(key=lambda node: node.order)
    else:
        starts = [moment(node.start) for node in nodes]
        if all(start is not None for start in starts):
            aware = {start.tzinfo is not None for start in starts if start is not None}
            if len(aware) == 1:
                order = {id(node): start for node, start in zip(nodes, starts, strict=True)}
                # of what began in the same moment, a model goes before the tools that it may have asked for
                nodes.sort(key=lambda node: (order[id(node)], node.kind == "tool"))
    first = 0
    while first < len(nodes):
        last = first + 1
        step = _step(nodes[first])
        while step is not None and last < len(nodes) and _step(nodes[last]) == step:
            last += 1
        if last - first > 1:
            nodes[first:last] = sorted(nodes[first:last], key=_path)
        first = last


def _step(node: Node) -> Any:
    step, path = node.metadata.get("langgraph_step"), node.metadata.get("langgraph_path")
    return step if isinstance(path, list | tuple) and node.metadata.get("langgraph_node") == node.name else None


def _path(node: Node) -> list[tuple[int, Any]]:
    path: Any = node.metadata.get("langgraph_path")
    return [(0, part) if isinstance(part, int) else (1, str(part)) for part in path[:3]]


def moment(value: Any) -> datetime | None:
    """A time as live runs (datetime), exports (ISO text) and older exports (milliseconds) have it."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        except (ValueError, OverflowError, OSError):
            return None
    return None


def error_text(error: Any) -> str:
    """What was raised, without its traceback (LangSmith stores `repr(error)` followed by it)."""
    text = error if isinstance(error, str) else repr(error)
    return text.split("Traceback (most recent call last)", 1)[0].rstrip() or text.strip()


def _attribute(run: Any, name: str) -> Any:
    return run.get(name) if isinstance(run, Mapping) else getattr(run, name, None)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
