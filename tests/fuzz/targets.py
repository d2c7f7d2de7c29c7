"""The fuzz targets: each makes an input out of choices, runs one way into the package on it, and holds the laws."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from toolcall_evals import Evaluator, SettingError, ToolInvocation, TraceFormatError, Trajectory, checks, expect, scorers, to_trajectory
from toolcall_evals.bulk import RowScorer, score_batch
from toolcall_evals.results import ResultsError, read_results

from . import laws
from .choices import Choices, one
from .mutate import made, mutated
from .seeds import Seed, seeds

Run = Callable[[Choices], None]

CONVERTERS = ("langchain", "chat", "responses", "anthropic", "gemini", "chunks")
LANGGRAPH = ("states", "snapshots", "history", "streams", "events", "run_trees")
CREWAI = ("crewai_outputs", "crewai_events", "crewai_spans", "crewai_text")


@dataclass(frozen=True)
class Target:
    """
    One way in.

    Attributes:
        name: What it is called on the command line and in the report.
        run: One execution; raises where a law is broken.
    """

    name: str
    run: Run


@functools.cache
def _pool(group: str) -> tuple[Any, ...]:
    return tuple(seed.value for seed in seeds(group))


@functools.cache
def _everything() -> tuple[Seed, ...]:
    return tuple(seed for group in (*CONVERTERS, *LANGGRAPH, *CREWAI) for seed in seeds(group) if len(str(seed.value)) < 2_500)


def _converter(group: str) -> Run:
    known = seeds(group)

    def run(choices: Choices) -> None:
        seed = one(choices, known)
        raw = mutated(choices, seed.value, _pool(group)) if choices.below(24) else made(choices)
        settings: dict[str, Any] = {"form": seed.form, "adapter": seed.adapter}
        if choices.below(8) == 0:
            settings = {"form": None, "adapter": None}
        if choices.below(16) == 0:
            settings["inputs"] = mutated(choices, one(choices, known).value)
        if choices.below(16) == 0:
            settings["turns"] = one(choices, ("last", 0, -1, 1))
        before = laws.digest(raw)
        try:
            found = to_trajectory(raw, **settings)
        except TraceFormatError as error:
            laws.expect("the refusal says what was expected", "expected" in str(error), error)
            laws.expect("the refusal is bounded", len(str(error)) < 4_000, len(str(error)))
        else:
            laws.is_sound(found)
            if choices.below(8) == 0:
                laws.is_bounded(found)
            if type(before) is bytes and group != "chunks":  # where a name may come in pieces
                nothing_is_made_up(found, before)
        laws.expect("the input is as it was", laws.digest(raw) == before)

    return run


_MADE_OF_NAMES = ("server", "framework", "handoff")
"""Kinds of calls whose names the package or the framework may have made of something else than a name in the record."""


def nothing_is_made_up(run: Trajectory, record: bytes) -> None:
    """The name of every call stands in the record."""
    for call in run.invocations:
        if call.kind not in _MADE_OF_NAMES and call.name.encode("utf-8", "surrogatepass") not in record:
            written = json.dumps(call.name)[1:-1].encode() in record or call.name in _OF_PROVIDERS
            laws.expect("no call is made up", written or _letters(call.name) in _letters(record.decode("utf-8", "ignore")), call.name)


_HASH = re.compile(r"_[0-9a-f]{8}\Z")
"""What crewai puts after a name that it cut."""


def _letters(text: str) -> str:
    """A text without what frameworks change in a name: CrewAI makes "Search Web" search_web."""
    return "".join(filter(str.isalnum, _HASH.sub("", text))).lower()


_OF_PROVIDERS = frozenset({"code_interpreter", "code_execution", "mcp", "shell", "local_shell", "computer", "web_search", "file_search"})
"""Names under which calls of providers' own tools are listed."""


def _stored() -> Run:
    def run(choices: Choices) -> None:
        trajectory = _trajectory(choices, objects=bool(choices.below(2)))
        kept = trajectory.to_dict()
        json.dumps(kept, allow_nan=False).encode()
        again = to_trajectory(kept)
        laws.is_sound(again)
        laws.expect("what is kept is read back", again.to_dict() == kept)
        changed = mutated(choices, kept, ())
        before = laws.digest(changed)
        try:
            laws.is_sound(to_trajectory(changed))
        except TraceFormatError as error:
            laws.expect("the refusal says what was expected", "expected" in str(error), error)
        laws.expect("the input is as it was", laws.digest(changed) == before)

    return run


NAMES = ("search", "get_weather", "f", "", "a/b", "x" * 300, "\ud800", "<b>")
_SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
_EXPECTED = [{"name": "search", "args": {"q": "x"}}, {"name": "f", "args": {}}]


@functools.cache
def evaluators() -> tuple[Evaluator, ...]:
    """Every check and scorer that asks no model, set and not set."""
    return (
        *(checks.includes("a"), checks.includes(), checks.excludes("a", text="final"), checks.equals("a"), checks.equals()),
        *(checks.matches("a|(b+)c"), checks.matches("a", exact=True), checks.similarity("ab"), checks.similarity(threshold=0.5)),
        *(checks.called_tool("f"), checks.called_tool(), checks.called_tool("f", exactly=1, kinds="all"), checks.did_not_call("f")),
        *(
            checks.tool_order(["search", "f"]),
            checks.tool_order(),
            checks.max_tool_calls(1),
            checks.max_tool_calls(),
            checks.used_no_tools(),
        ),
        *(checks.no_tool_errors(), checks.no_tool_errors(agent="one"), checks.follows(["search", "f"]), checks.follows()),
        *(checks.called_with("f", {"x": 1}), checks.called_with("f", {"x": expect.regex("a")}, rule="subset"), checks.called_with()),
        *(checks.no_redundant_calls(), checks.no_unknown_tools(["f"]), checks.no_unknown_tools(), checks.recovered_from_errors()),
        *(
            checks.arguments_valid([{"name": "search", "parameters": _SCHEMA}]),
            checks.arguments_valid(),
            checks.recovered_from_errors(by="text"),
        ),
        *(checks.arguments_grounded(), checks.arguments_grounded(texts="words", own_words=True), checks.no_hallucinated_tool_calls()),
        *(scorers.tool_call_accuracy("f"), scorers.tool_call_accuracy("f", strict_mode=True), scorers.tool_call_accuracy()),
        *(
            scorers.tool_call_accuracy(expected_tool_order=["search", "f"]),
            scorers.argument_accuracy(_EXPECTED),
            scorers.argument_accuracy(),
        ),
        *(scorers.tool_call_f1(_EXPECTED), scorers.tool_call_f1(ordered=True), scorers.tool_calls_match(_EXPECTED)),
        *(scorers.tool_calls_match(order="unordered", args="superset"), scorers.tool_calls_match(_EXPECTED, order="subset", args="ignore")),
        *(scorers.trajectory_accuracy(_EXPECTED), scorers.trajectory_accuracy(ordering="strict"), scorers.trajectory_quality(_EXPECTED)),
        *(scorers.trajectory_quality(max_steps=2, forbidden_tools=["f"], no_redundant_calls=True), scorers.per_turn(checks.includes("a"))),
        *(scorers.per_turn(scorers.tool_calls_match(), fold="min"), scorers.per_turn(checks.follows(), [_EXPECTED, ["f"]])),
    )


def _reference(choices: Choices) -> Any:
    kind = choices.below(4)
    if kind == 0:
        return None
    if kind == 1:
        return mutated(choices, one(choices, _everything()).value)
    return mutated(choices, one(choices, _REFERENCES), _REFERENCES)


_REFERENCES: tuple[Any, ...] = (
    {"expected_tool": "f", "expected_output": "a", "max_tool_calls": 1},
    {"expected_tool_order": ["search", "f"]},
    {"tool_calls": _EXPECTED},
    _EXPECTED,
    {"expect": {"type": "sequence", "parts": ["search", {"name": "f", "args": {"x": {"match": "regex", "pattern": "a"}}}]}},
    {"turns": [{"expected_output": "a"}, {"tool_calls": _EXPECTED}]},
)


def _trajectory(choices: Choices, *, objects: bool = True) -> Trajectory:
    """A trajectory as somebody's adapter or test may build it: sound fields, anything in their values."""
    calls = tuple(
        ToolInvocation(
            one(choices, NAMES),
            None
            if choices.below(4) == 0
            else {one(choices, ("q", "x", "")): made(choices, 2, objects=objects) for _ in range(choices.below(3))},
            id=one(choices, (None, "a", "b")),
            status=one(choices, ("success", "success", "error", "pending", "invalid", "rejected", "hallucinated")),  # type: ignore[arg-type]
            kind=one(choices, ("tool", "tool", "tool", "handoff", "server", "structured_output", "framework")),  # type: ignore[arg-type]
            result=one(choices, (None, "a", '{"error": "x"}', "Error: no", "\ud800")),
            raw_result=made(choices, 2, objects=objects),
            agent=one(choices, (None, None, "one")),
            turn=choices.below(2),
            message_index=one(choices, (None, 0, 1)),
        )
        for _ in range(choices.below(4))
    )
    texts = tuple(one(choices, ("a", "", "abab", "x" * 2000, "\ud83d", "ß")) for _ in range(choices.below(3)))
    return Trajectory(
        one(choices, (None, "What is q?", "")),
        tuple(("assistant", text) for text in texts),
        texts,
        calls,
        error=one(choices, (None, None, None, "boom")),
        has_call_record=choices.below(8) > 0,
    )


def _evaluators() -> Run:
    def run(choices: Choices) -> None:
        raw = _trajectory(choices) if choices.below(3) else mutated(choices, one(choices, _everything()).value, ())
        reference, evaluator = _reference(choices), one(choices, evaluators())
        before = laws.digest(reference), laws.digest(raw)
        score = evaluator.score(raw, reference)
        laws.is_fair(score, evaluator.key)
        if choices.below(8) == 0:
            laws.is_bounded(score)
        laws.expect("the input is as it was", (laws.digest(reference), laws.digest(raw)) == before)

    return run


def _calls() -> Run:
    """As LangSmith calls evaluators: by keywords, with a run and an example or without."""
    try:
        import langsmith.evaluation  # noqa: F401
    except ImportError:
        langsmith_here = False
    else:
        langsmith_here = True

    def run(choices: Choices) -> None:
        state = one(choices, _everything()).value
        outputs = mutated(choices, state if choices.below(2) else {"messages": state, "output": state}, ())
        inputs = one(choices, (None, {"messages": state}, {"question": "x"}, outputs))
        evaluator, reference = one(choices, evaluators()), _reference(choices)
        before = laws.digest([inputs, outputs, reference])
        if choices.below(2):
            record = {"outputs": outputs, "inputs": inputs, "run_type": "chain", "name": "x", "error": None, "child_runs": [], "id": "1"}
            traced: Any = SimpleNamespace(**record) if choices.below(2) else mutated(choices, record, ())
            example: Any = SimpleNamespace(inputs=inputs, outputs=reference) if choices.below(4) else made(choices)
            if langsmith_here and choices.below(2):
                result = evaluator.evaluate_run(traced, example)
                row = {"key": result.key, "score": result.score, "comment": result.comment, "extra": result.extra}
            else:
                row = evaluator(run=traced, example=example)
        else:
            row = evaluator(inputs=inputs, outputs=outputs, reference_outputs=reference)
        laws.expect("a row has four fields", set(row) == {"key", "score", "comment", "extra"}, set(row))
        laws.expect("a score is in 0..1, or None", row["score"] is None or 0.0 <= row["score"] <= 1.0, row["score"])
        laws.expect("the comment is bounded", 0 < len(row["comment"]) <= 4_000, row["comment"][:100])
        json.dumps(row, allow_nan=False).encode()
        laws.expect("the input is as it was", laws.digest([inputs, outputs, reference]) == before)

    return run


_DOCUMENTS: tuple[Any, ...] = (
    ["search", {"name": "f", "args": {"x": 1}}],
    {"type": "unordered", "parts": ["search", {"type": "optional", "part": "f"}]},
    {"type": "all", "parts": [{"type": "at_least", "number": 2, "part": "f"}, {"type": "never", "unwanted": "g"}]},
    {"type": "sequence", "parts": [{"type": "parallel", "parts": ["a", "b"]}, {"type": "one_of", "calls": ["c", "d"]}]},
    {"type": "any_of", "expectations": [["f"], {"type": "nothing"}]},
    {"type": "before", "earlier": "a", "later": "b"},
    {
        "name": "f",
        "args": {"x": {"match": "number", "value": 1, "abs": 0.1}, "y": {"match": "either", "values": ["a", "b"]}},
        "rule": "subset",
    },
    {"name": "f", "args": {"p": {"match": "regex", "pattern": "a+"}, "q": {"match": "text_like", "text": "abc"}}, "success": True},
    {"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}]},
)


@functools.cache
def documents() -> tuple[Any, ...]:
    """Expectations as documents: written ones, and those that the language itself writes."""
    e = expect
    written = (
        e.sequence("a", e.optional("b"), e.at_least(2, "c"), e.unordered("d", e.call("e", {"x": e.number(1, abs=0.5)}))),
        e.any_of(e.sequence("a", e.one_of("b", "c")), e.nothing()),
        e.sequence(e.parallel("a", "b"), e.never("g"), e.before("a", "b"), e.at_most(1, "a"), e.exactly(2, "b")),
        e.call(
            "f", {"x": e.either("a", e.regex("b")), "y": e.partial({"z": 1}), "w": e.may_be_absent(1), "t": e.text_like("t")}, rule="subset"
        ),
        e.call("f", {"x": e.unordered_list(1, 2), "y": e.loosely("A"), "z": e.any_value(), "v": e.verbatim({"match": "x"})}, success=True),
        e.call("f", result=e.partial({"a": 1}), agent="one", inside=e.sequence("g")),
    )
    return (*_DOCUMENTS, *(e.to_json(each) for each in written))


def _language() -> Run:
    def run(choices: Choices) -> None:
        document = mutated(choices, one(choices, documents()), documents()) if choices.below(16) else made(choices)
        before = laws.digest(document)
        try:
            found = expect.read(document)
        except SettingError as error:
            laws.expect("the refusal is bounded", 0 < len(str(error)) <= 2_000, len(str(error)))
            found = None
        laws.expect("the input is as it was", laws.digest(document) == before)
        run = _trajectory(choices)
        if found is not None:
            repr(found)
            try:
                evaluator = checks.follows(found)
            except SettingError:
                return
            laws.is_fair(evaluator.score(run), evaluator.key)
            try:
                written = expect.to_json(found)
            except SettingError:
                return
            nameless = "'name': ''" in repr(written)  # of a recorded call that names no tool
            written = _through_json(written)
            laws.expect("what is written is read back", nameless or written is None or expect.read(written) == found)
        evaluator = one(choices, evaluators())
        laws.is_fair(evaluator.score(run, {"expect": document}), evaluator.key)

    return run


def _through_json(value: Any) -> Any:
    try:
        return json.loads(json.dumps(value))
    except Exception:  # noqa: BLE001 - a value that JSON does not know stands in the expectation
        return None


_ROWS: tuple[Any, ...] = (
    [{"id": "1", "key": "k", "score": 1.0}, {"id": "2", "key": "k", "score": None, "status": "could_not_score", "comment": "c"}],
    [
        {"id": 1, "key": "k", "score": 0.5, "details": {"a": 1}, "repetition": 0, "example": "x"},
        {"id": 1, "key": "k", "score": 1, "repetition": 1},
        {"id": "3", "key": "other", "score": None, "value": "text", "status": "scored", "source": "a.jsonl"},
    ],
    [{"example": {"id": "1", "inputs": {}}, "evaluation_results": {"results": [{"key": "k", "score": 1, "comment": "", "extra": None}]}}],
)


def _results(folder: str) -> Run:
    from pathlib import Path

    path = Path(folder) / "results.jsonl"

    def run(choices: Choices) -> None:
        from_file = choices.below(3) == 0
        rows = mutated(choices, one(choices, _ROWS), _ROWS, objects=not from_file)
        kept = isinstance(rows, list | tuple | Mapping)  # an iterator is run through, as LangSmith's results are
        before = laws.digest(rows) if kept else None
        given: Any = rows
        if from_file:
            _write(path, choices, rows)
            given = path
        elif choices.below(8) == 0 and isinstance(rows, list):
            given = [SimpleNamespace(**row) if type(row) is dict and all(type(key) is str for key in row) else row for row in rows]
        try:
            found = read_results(given)
        except OSError:
            laws.expect("a path is what was given", isinstance(given, str), type(given))
        except ResultsError as error:
            laws.expect("the refusal is bounded", 0 < len(str(error)) <= 2_000, len(str(error)))
            laws.expect("the refusal does not name a folder", not from_file or folder not in str(error), error)
        else:
            for row in found:
                laws.expect("a score is in 0..1, or None", row.score is None or 0.0 <= row.score <= 1.0, row.score)
                laws.expect("id and key are texts", type(row.id) is str and isinstance(row.key, str), row)
        laws.expect("the input is as it was", not kept or laws.digest(rows) == before)

    return run


def _write(path: Any, choices: Choices, rows: Any) -> None:
    header = mutated(choices, {"toolcall_evals_results": 1}, (), objects=False) if choices.below(4) == 0 else {"toolcall_evals_results": 1}
    lines = [_line(item) for item in [header, *(rows if isinstance(rows, list) else [rows])]]
    data = "\n".join(lines).encode("utf-8", "replace")
    if choices.below(8) == 0:
        data = data[: choices.below(len(data) + 1)] + one(choices, (b"\xff", b"\x00", b"\xef\xbb\xbf", b""))
    path.write_bytes(data)


def _line(value: Any) -> str:
    try:
        return json.dumps(value)
    except (RecursionError, ValueError):
        return "["


def _bulk_rows() -> Run:
    chosen = [checks.includes("a"), checks.called_tool("f"), scorers.tool_calls_match(), checks.no_tool_errors()]
    scorer = RowScorer(chosen)

    def run(choices: Choices) -> None:
        line = _stored_row(choices)
        data: str | bytes = line if choices.below(2) else line.encode("utf-8", "replace")
        if choices.below(8) == 0:
            at = choices.below(min(len(data), 60_000) + 1)
            data = data[:at] if isinstance(data, str) else data[:at] + one(choices, (b"\xff", b"\x00", b"\n", b"}")) + data[at:]
        found = scorer.line(data)
        if found.error is not None:
            laws.expect("a cause is bounded", len(found.error) <= 500, len(found.error))
            laws.expect("a row that cannot be read has no scores", not found.scores)
            return
        laws.is_sound(found.trajectory)
        for evaluator, score in zip(chosen, found.scores, strict=True):
            laws.is_fair(score, evaluator.key)

    return run


def _stored_row(choices: Choices) -> str:
    state = one(choices, _everything()).value
    row: Any = one(
        choices,
        (
            {"id": "1", "trace": state, "reference_outputs": one(choices, _REFERENCES)},
            {"run_id": 7, "outputs": state},
            {"messages": state, "reference_outputs": json.dumps(one(choices, _REFERENCES))},
            state,
        ),
    )
    return _line(mutated(choices, row, (), objects=False))


def _bulk_batch() -> Run:
    import pyarrow as pa

    chosen = [checks.called_tool("f"), scorers.tool_calls_match()]

    def run(choices: Choices) -> None:
        lines = [_stored_row(choices).encode("utf-8", "replace") for _ in range(1 + choices.below(3))]
        batch = pa.RecordBatch.from_pydict({"trace": pa.array([*lines, None] if choices.below(8) == 0 else lines, pa.binary())})
        table = score_batch(batch, chosen, explain=bool(choices.below(2)))
        laws.expect("a row for each trace and evaluator", table.num_rows == batch.num_rows * len(chosen), table.num_rows)
        for score in table.column("score").to_pylist():
            laws.expect("a score is in 0..1, or None", score is None or 0.0 <= score <= 1.0, score)

    return run


@functools.cache
def targets(folder: str) -> Mapping[str, Target]:
    """
    Every target by its name.

    Args:
        folder: Where targets that read files write them.
    """
    runs: dict[str, Run] = {group: _converter(group) for group in (*CONVERTERS, *LANGGRAPH, *CREWAI)}
    runs |= {"stored": _stored(), "evaluators": _evaluators(), "evaluator_calls": _calls(), "expectations": _language()}
    runs |= {"results": _results(folder), "bulk_rows": _bulk_rows(), "bulk_batches": _bulk_batch()}
    return {name: Target(name, run) for name, run in runs.items()}


def named(names: Sequence[str], folder: str) -> list[Target]:
    """The targets of these names; all for none."""
    every = targets(folder)
    return [every[name] for name in names] if names else list(every.values())
