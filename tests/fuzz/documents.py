"""Targets that read documents: expectations and results."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from toolcall_evals import SettingError, checks, expect
from toolcall_evals.results import ResultsError, read_results

from . import laws
from .choices import Choices, one
from .inputs import Run, line, trajectory
from .mutate import made, mutated
from .scoring import evaluators

_DOCUMENTS: tuple[Any, ...] = (
    "search",
    ["search", {"name": "f", "args": {"x": 1}}],
    {"name": "f", "args": {"x": {"$expect": "one_of", "values": ["a", "b"]}}},
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
        e.call(
            "f", {"x": e.unordered_list(1, 2), "y": e.loosely("A"), "z": e.any_value(), "v": e.verbatim({"$expect": "x"})}, success=True
        ),
        e.call("f", result=e.partial({"a": 1}), agent="one", inside=e.sequence("g")),
    )
    return (*_DOCUMENTS, *(e.to_json(each) for each in written))


def language() -> Run:
    """`expect.read`, and what is made of what it reads."""

    def run(choices: Choices) -> None:
        document = mutated(choices, one(choices, documents()), documents()) if choices.below(16) else made(choices)
        before = laws.digest(document)
        try:
            found = expect.read(document)
        except SettingError as error:
            laws.expect("the refusal is bounded", 0 < len(str(error)) <= 2_000, len(str(error)))
            found = None
        laws.expect("the input is as it was", laws.digest(document) == before)
        run = trajectory(choices)
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
            laws.expect("what is written is read back", nameless or written is None or is_same(expect.read(written), found))
        evaluator = one(choices, evaluators())
        laws.is_fair(evaluator.score(run, {"expect": document}), evaluator.key)

    return run


def is_same(read: expect.Expectation, found: expect.Expectation) -> bool:
    """Equal, or the same when written: NaN in an argument equals nothing, itself included."""
    return read == found or (json.dumps(expect.to_json(read)) == (text := json.dumps(expect.to_json(found))) and "NaN" in text)


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


def results(folder: str) -> Run:
    """`read_results`, of rows and of files."""
    path = Path(folder) / "results.jsonl"

    def run(choices: Choices) -> None:
        from_file = choices.below(3) == 0
        rows = mutated(choices, one(choices, _ROWS), _ROWS, objects=not from_file)
        kept = issubclass(type(rows), list | tuple | Mapping)  # an iterator is run through, as LangSmith's results are
        before = laws.digest(rows) if kept else None
        given: Any = rows
        if from_file:
            _write(path, choices, rows)
            given = path
        elif choices.below(8) == 0 and issubclass(type(rows), list):
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
                laws.expect("id and key are texts", type(row.id) is type(row.key) is str, row)
        laws.expect("the input is as it was", not kept or laws.digest(rows) == before)

    return run


def _write(path: Any, choices: Choices, rows: Any) -> None:
    header = mutated(choices, {"toolcall_evals_results": 1}, (), objects=False) if choices.below(4) == 0 else {"toolcall_evals_results": 1}
    lines = [line(item) for item in [header, *(rows if isinstance(rows, list) else [rows])]]
    data = "\n".join(lines).encode("utf-8", "replace")
    if choices.below(8) == 0:
        data = data[: choices.below(len(data) + 1)] + one(choices, (b"\xff", b"\x00", b"\xef\xbb\xbf", b""))
    path.write_bytes(data)
