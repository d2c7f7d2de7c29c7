"""LangSmith runs as one trajectory: what the model runs asked, what the tool runs did, and what the chain runs handed on.

The live `RunTree` mixes objects (what tools and nodes returned) with dicts (what models returned); stored runs are dicts
throughout. Shapes: langsmith 0.15.1, langgraph 1.2.24.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolcall_evals import Reading, Tool, TraceFormatError, Trajectory, to_trajectory
from toolcall_evals.messages import tools_of

from ._contents import command_of, messages_in, model_message, request_in, text_in
from ._given import arguments_of
from ._levels import Entry, Level
from ._nodes import Node, forest
from ._record import NO_FAILURE, Record, spoken
from ._said import answer_to, said
from ._structured import answer_in, mark_structured
from ._thread import begins_after
from ._unseen import unasked

SOURCE = "langgraph.run_tree"


def read_run_tree(
    root_or_roots: Any, reading: Reading, source: str = SOURCE, warnings: Sequence[str] = (), *, together: bool = False
) -> Trajectory:
    """
    Read a tree of runs.

    Args:
        root_or_roots: A run with its `child_runs`, or a list of runs of one trace, nested or flat; dicts or objects with
            the fields of LangSmith's runs.
        reading: What the run was given (`inputs`) and what of it is read.
        source: What the trajectory says that it was read from.
        warnings: What is known to be missing.
        together: Several roots were recorded together, as a run and its resume.

    Raises:
        TraceFormatError: There is no run in it.
    """
    runs = list(root_or_roots) if isinstance(root_or_roots, list | tuple) else [root_or_roots]
    found = list(warnings)
    roots = forest(runs, found, together=together)
    if not roots:
        raise TraceFormatError("expected runs with a run_type, found none")
    return _Reader(roots, reading, source, found).trajectory()


class _Reader:
    """Walks the runs in order; children are read before what their parent handed on."""

    def __init__(self, roots: list[Node], reading: Reading, source: str, warnings: list[str]) -> None:
        self.roots, self.reading, self.source, self.warnings = roots, reading, source, warnings
        self.record = Record()
        self.tools: dict[tuple[str, str | None], Tool] = {}
        self.spoken: list[tuple[Level, str, str | None]] = []  # level, text and message id of what the models said
        self.kinds: set[str] = set()
        self.usage: dict[str, int] = {}
        self.turn = 0
        self.untimed = False

    def walk(self, node: Node, level: Level) -> list[Entry]:
        """Read a run and what it contains; the calls of this level whose tools ran in it, outermost wrapper last."""
        self.kinds.add(node.kind)
        self.untimed = self.untimed or (node.start is None and not node.order)
        place = _place(node)
        if node.kind == "tool":
            return [self.tool(node, level, place)]
        ran: list[Entry] = []
        asked = self.model(node, level, place) if node.kind == "llm" else []
        for child in node.children:
            ran += self.walk(child, level)
        if node.kind != "llm" and node.outputs is not None and node is not self.roots[0]:
            self.chain(node, level, place, ran)
        if asked and node.kind == "llm" and _fakes_output(node):
            for entry in asked:
                entry.draft.kind = "structured_output"
                entry.draft.status, entry.draft.executed = "success", False
        return ran

    def model(self, node: Node, level: Level, place: str) -> list[Entry]:
        """What a model asked for."""
        metadata = node.metadata
        if metadata.get("lc_internal_call") or metadata.get("lc_source"):
            return []
        agent = _name(metadata.get("lc_agent_name"))
        for tool in _offered(node, agent):
            self.tools.setdefault((tool.name, agent), tool)
        message = model_message(node.outputs)
        if message is None:
            output = node.outputs.get("output") if isinstance(node.outputs, Mapping) else None
            if not isinstance(output, list):
                return []
            message = {"role": "assistant", "content": output}
        asked = self.record.ask(message, level, place, agent)
        text = self.record.text
        answer = said(message)
        self.spoken.append((level, text, answer.id if answer else None))
        if answer:
            self.count(answer.fields.get("usage_metadata"))
        return asked

    def tool(self, node: Node, level: Level, place: str) -> Entry:
        """A tool that ran, and the calls made inside it."""
        record, metadata = self.record, node.metadata
        call_id = node.extra.get("tool_call_id")
        call_id = call_id if call_id is None or isinstance(call_id, str) else str(call_id)
        answers = [each for message in messages_in(node.outputs) if (each := said(message)) is not None and each.role == "tool"]
        if not call_id and len(answers) == 1:
            call_id = answers[0].call_id or None
        args, text = arguments_of(node.inputs)
        entry = record.run(level, place, call_id, node.name, args, text)
        draft = entry.draft
        draft.agent = draft.agent or _name(metadata.get("lc_agent_name"))
        draft.node = _name(metadata.get("langgraph_node")) or draft.node
        record.timed(entry, node.started_at(), node.duration_s())
        for child in node.children:
            self.walk(child, entry.inner)
        own = answer_to(call_id, answers)
        if node.error:
            record.failed(entry, node.error)
        elif own is not None:
            record.reply(own.message, entry)
            draft.executed = True
        elif node.outputs is not None and not answers:
            outputs = node.outputs
            value = outputs["output"] if isinstance(outputs, Mapping) and set(outputs) == {"output"} else outputs
            record.returned(entry, None if command_of(value) else value)
        elif node.end is not None and node.outputs is not None:
            draft.status, draft.executed = "success", True
        if isinstance(node.outputs, Mapping) and _leaves(node.outputs.get("output")):
            draft.kind = "handoff"
        return entry

    def chain(self, node: Node, level: Level, place: str, ran: list[Entry]) -> None:
        """What a node, a middleware or a graph handed on."""
        name = node.metadata.get("langgraph_node")
        messages = messages_in(node.outputs)
        if messages:
            if name == node.name and node.inputs and not _asks_a_model(node):
                for message in unasked(messages, node.inputs, level):
                    self.record.ask(message, level, place, _name(node.metadata.get("lc_agent_name")))
            self.record.place_answers(messages, level, place, name if isinstance(name, str) and "." not in name else None, ran)
        if (answer := answer_in(node.outputs)) is not None:
            mark_structured([entry.draft for entry in self.record.entries if entry.level is level and not entry.runs], answer)

    def count(self, usage: Any) -> None:
        """Add a model run's tokens."""
        if isinstance(usage, Mapping):
            for key in ("input_tokens", "output_tokens", "total_tokens"):
                if isinstance(usage.get(key), int):
                    self.usage[key] = self.usage.get(key, 0) + usage[key]

    def trajectory(self) -> Trajectory:
        """Read every run, then put together what was found."""
        spoken_by_root: list[list[tuple[Level, str, str | None]]] = []
        for index, root in enumerate(self.roots):
            heard, asked = len(self.spoken), len(self.record.entries)
            self.walk(root, self.record.top)
            spoken_by_root.append(self.spoken[heard:])
            self.turn += index > 0 and root.parent is None and request_in(root.inputs) is not None
            for entry in self.record.entries[asked:]:
                entry.draft.turn = self.turn
        root = self.roots[0]
        recorded = bool(self.kinds & {"llm", "tool"})
        error = next((each.error for each in self.roots if each.error is not None and not each.error.startswith(NO_FAILURE)), None)
        inputs = root.inputs if self.reading.inputs is None else self.reading.inputs
        wholes = [
            self.outputs(each, inputs if each is root else each.inputs, part) for each, part in zip(self.roots, spoken_by_root, strict=True)
        ]
        whole = wholes[0]
        chains = len(self.kinds) > 1 or any(each.children for each in self.roots)
        if any(each.unloaded for each in self.roots):
            self.warnings.append("the run has children that were not loaded: ask for the whole tree (load_nested=True)")
        if whole is not None and (not recorded or (whole.invocations and not self.record.entries)):
            return _with_run(whole, root, error, self.warnings, self.source if chains else None)
        for each in self.roots:
            if each.kind != "llm" and each.outputs is not None:
                self.chain(each, self.record.top, _place(each), [])
        texts: list[str] = []
        for each, part, outcome in zip(self.roots, spoken_by_root, wholes, strict=True):
            if outcome is not None and outcome.texts:
                texts += outcome.texts
            elif each.kind != "tool":
                texts += [text for level, text, _ in part if level is self.record.top]
        durations = [seconds for each in self.roots if (seconds := each.duration_s()) is not None]
        if self.untimed:
            self.record.join_late()
        self.part()
        request = whole.input if whole is not None and whole.input else request_in(inputs)
        return Trajectory(
            input=request,
            messages=next((each.messages for each in reversed(wholes) if each is not None and each.messages), spoken(request, texts)),
            texts=tuple(texts),
            invocations=self.record.freeze(),
            available_tools=tuple(self.tools.values()) or None,
            error=error,
            has_call_record=recorded or chains,
            usage=self.usage or None,
            duration_s=sum(durations) if durations else None,
            source=self.source,
            warnings=(*self.warnings, *self.record.all_warnings()),
        )

    def outputs(self, root: Node, inputs: Any, spoken: list[tuple[Level, str, str | None]]) -> Trajectory | None:
        """The run's outputs as a trajectory of their own; None when they hold no messages and no text."""
        if root.outputs is None or root.kind in ("llm", "tool"):
            return None
        try:
            return to_trajectory(root.outputs, inputs=inputs, after=begins_after(root.outputs, inputs, {id for _, _, id in spoken if id}))
        except TraceFormatError:
            text = text_in(root.outputs)
            return None if text is None else Trajectory(texts=(text,), has_call_record=False, source="text")

    def part(self) -> None:
        """Leave out the calls that are not asked for: those of other turns, those up to a message."""
        reading, entries = self.reading, self.record.entries
        if reading.turns != "all":
            turn = self.turn if reading.turns == "last" else reading.turns
            turn = turn + self.turn + 1 if turn < 0 else turn
            if not 0 <= turn <= self.turn:
                raise TraceFormatError(f"expected a turn {reading.turns} (turns=), found {self.turn + 1} in all")
            entries[:] = [entry for entry in entries if entry.draft.turn == turn]
        if reading.after is not None:
            order = [id for _, _, id in self.spoken]
            if reading.after not in order:
                raise TraceFormatError(f"expected a message of the model's with the id {reading.after!r} (after=), found none")
            later = set(order[order.index(reading.after) + 1 :])
            entries[:] = [entry for entry in entries if entry.message in later]


def _with_run(whole: Trajectory, root: Node, error: str | None, warnings: list[str], source: str | None) -> Trajectory:
    """What the outputs say, as a run's; `source` where runs inside it would have shown calls that the outputs do not."""
    if source is not None and not whole.has_call_record:
        whole = replace(whole, has_call_record=True, source=source, warnings=())
    request = whole.input if whole.input is not None else request_in(root.inputs)
    return replace(
        whole,
        input=request,
        messages=whole.messages or spoken(request, whole.texts),
        error=error or whole.error,
        duration_s=root.duration_s(),
        warnings=(*warnings, *whole.warnings),
    )


def _asks_a_model(node: Node) -> bool:
    """Whether a model runs inside a node, as far as the record shows."""
    return any(child.kind == "llm" or _asks_a_model(child) for child in node.children)


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _place(node: Node) -> str:
    place = node.metadata.get("langgraph_checkpoint_ns")
    return place if isinstance(place, str) else ""


def _fakes_output(node: Node) -> bool:
    options = node.extra.get("options")
    return isinstance(options, Mapping) and bool(options.get("ls_structured_output_format"))


def _leaves(value: Any) -> bool:
    graph = value.get("graph") if isinstance(value, Mapping) else getattr(value, "graph", None)
    return command_of(value) and graph == "__parent__"


def _offered(node: Node, agent: Any) -> tuple[Tool, ...]:
    params = node.extra.get("invocation_params")
    tools = tools_of(params.get("tools") or params.get("functions")) if isinstance(params, Mapping) else None
    return tuple(Tool(tool.name, tool.description, tool.parameters, agent) for tool in tools or ()) if agent else tools or ()
