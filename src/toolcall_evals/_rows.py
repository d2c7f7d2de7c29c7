"""Results of many runs as rows, from wherever they are: LangSmith's results, our own files, or plain mappings."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args

from ._convert import describe
from ._errors import ToolcallEvalsError
from ._json import json_ready
from ._model import ScoreStatus

VERSION = 1
HEADER = "toolcall_evals_results"
"""The key of a results file's first line; its value is the version of the form."""

_STATUSES = frozenset(get_args(ScoreStatus))


class ResultsError(ToolcallEvalsError, ValueError):
    """Results that cannot be judged: another version's file, rows without id, two rows where one is expected."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """
    What one evaluator said of one run.

    Attributes:
        id: Which run, or which example of a dataset.
        key: The feedback key.
        score: 0.0 to 1.0, or None.
        status: `scored`, `not_applicable` or `could_not_score`.
        comment: Why.
        details: The facts behind it.
        repetition: Which run of the same example it is, from 0.
    """

    id: str
    key: str
    score: float | None
    status: ScoreStatus
    comment: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    repetition: int = 0


def read_rows(results: Any) -> tuple[ResultRow, ...]:
    """
    Rows of results.

    Args:
        results: The path of a file that `write_rows` wrote (JSON lines), what LangSmith's `evaluate` returned, or rows: `ResultRow`s
            or mappings with `id`, `key`, `score` and, if they have them, `status`, `comment`, `details`, `repetition`.

    Returns:
        The rows. A score that is no number in 0..1 makes a row that could not be scored, with that as its comment.

    Raises:
        ResultsError: No rows, a row without id or key, two rows of one id, key and repetition, or a file of another version.
    """
    rows = list(_numbered(_rows(results)))
    if not rows:
        raise ResultsError("expected rows of results, found none")
    seen: set[tuple[str, str, int]] = set()
    for row in rows:
        place = (row.id, row.key, row.repetition)
        if place in seen:
            raise ResultsError(f"expected one row for each id, key and repetition, found two of {place}; two evaluators need different keys")
        seen.add(place)
    return tuple(rows)


def write_rows(path: str | Path, rows: Iterable[ResultRow]) -> None:
    """Write rows as JSON lines, the form's version first."""
    lines = [json.dumps({HEADER: VERSION}), *[json.dumps(json_ready(asdict(row)), ensure_ascii=False) for row in rows]]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _rows(results: Any) -> Iterable[ResultRow]:
    if isinstance(results, str | Path):
        return _of_file(Path(results))
    if isinstance(results, Mapping) or not isinstance(results, Iterable):
        raise ResultsError(f"expected the path of a results file, LangSmith's results or a list of rows, found {describe(results)}")
    return [row for number, item in enumerate(results, 1) for row in _of_item(item, f"row {number}")]


def _of_file(path: Path) -> Iterable[ResultRow]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                item = json.loads(line)
            except ValueError as error:
                raise ResultsError(f"expected JSON in line {number} of {path.name}, found {line[:60]!r}") from error
            if isinstance(item, dict) and HEADER in item:
                if item[HEADER] != VERSION:
                    raise ResultsError(f"expected results of version {VERSION} in {path.name}, found version {item[HEADER]!r}")
                continue
            yield from _of_item(item, f"line {number} of {path.name}")


def _of_item(item: Any, place: str) -> Iterable[ResultRow]:
    if isinstance(item, ResultRow):
        return [item]
    if not isinstance(item, Mapping):
        raise ResultsError(f"expected a mapping in {place}, found {describe(item)}")
    if "evaluation_results" in item and "example" in item:
        return _of_langsmith(item, place)
    return [_row(item, place)]


def _of_langsmith(item: Mapping[str, Any], place: str) -> Iterable[ResultRow]:
    """A row of LangSmith's `evaluate` (langsmith 0.15.1): an example, its run and every evaluator's result."""
    id = getattr(item["example"], "id", None)
    for result in item["evaluation_results"]["results"]:
        extra = result.extra or {}
        stated = {"id": id, "key": result.key, "score": result.score, "comment": result.comment or "", "details": extra.get("details") or {}}
        if result.score is None:
            stated["status"] = "could_not_score" if extra.get("error") or result.value is not None else "not_applicable"
        yield _row(stated, place, counted=False)


def _row(item: Mapping[str, Any], place: str, *, counted: bool = True) -> ResultRow:
    id, key = item.get("id", item.get("example_id")), item.get("key")
    if id is None or id == "":
        raise ResultsError(f"expected an 'id' in {place}, found the keys {sorted(map(str, item))}")
    if not isinstance(key, str) or not key:
        raise ResultsError(f"expected a 'key' in {place}, found {key!r}")
    score, comment = item.get("score"), str(item.get("comment") or "")
    status = item.get("status") or ("could_not_score" if score is None else "scored")
    if score is not None and (not isinstance(score, int | float) or math.isnan(score) or not 0 <= score <= 1):
        score, status, comment = None, "could_not_score", f"expected a score in 0..1, found {score!r}; {comment}".rstrip("; ")
    if status not in _STATUSES or (score is None) == (status == "scored"):
        raise ResultsError(f"expected a status that fits the score {score!r} in {place}, found {status!r}")
    details = item.get("details")
    repetition = item.get("repetition", 0) if counted else -1
    return ResultRow(str(id), key, None if score is None else float(score), status, comment, details if isinstance(details, Mapping) else {}, repetition)


def _numbered(rows: Iterable[ResultRow]) -> Iterable[ResultRow]:
    """LangSmith's rows carry no repetition: the n-th row of an example and key is its n-th run."""
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        if row.repetition >= 0:
            yield row
            continue
        place = (row.id, row.key)
        counts[place] = counts.get(place, -1) + 1
        yield ResultRow(row.id, row.key, row.score, row.status, row.comment, row.details, counts[place])
