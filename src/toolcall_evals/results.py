"""Results of many runs as rows: from LangSmith, from a file, or from mappings of your own.

`gate`, `compare` and `results_table` all work on these rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

from ._convert import describe, to_trajectory
from ._errors import ToolcallEvalsError, TraceFormatError, said
from ._json import json_ready
from ._model import Score, ScoreStatus
from ._represented import represented

VERSION = 1
HEADER = "toolcall_evals_results"
"""The key of a results file's first line; its value is the version of the form."""

ROWS = "rows"
"""The key of how many rows follow, where that is stated: a file that was cut off is told by it."""

LABEL_LENGTH = 200

_STATUSES = frozenset(get_args(ScoreStatus))


class ResultsError(ToolcallEvalsError, ValueError):
    """Results that cannot be judged: another version's file, rows without id, two rows where one is expected."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """
    What one evaluator said of one run.

    Attributes:
        id: Which example of a dataset was run, or which run it was where each is its own.
        key: The feedback key.
        score: 0.0 to 1.0, or None.
        status: `scored`, `not_applicable` or `could_not_score`.
        comment: Why, as the evaluator said it; empty when it did not.
        details: The facts behind it.
        repetition: Which run of the same example it is, from 0.
        example: What the example asks, in one line; empty where that is not known.
        value: What an evaluator of another kind returned instead of a score in 0..1.
    """

    id: str
    key: str
    score: float | None
    status: ScoreStatus
    comment: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    repetition: int = 0
    example: str = ""
    value: Any = None

    @property
    def unscored(self) -> bool:
        """There is no number, and the question did arise."""
        return self.score is None and self.status != "not_applicable"

    @staticmethod
    def of(score: Score, id: str, repetition: int = 0) -> ResultRow:
        """The row of a score that was made without LangSmith."""
        return ResultRow(id, score.key, score.score, score.status, score.comment, score.details, repetition)


def read_results(results: Any) -> tuple[ResultRow, ...]:
    """
    Rows of results.

    Args:
        results: The path of a file that `write_results` or the command `score` wrote (of Parquet, pyarrow is needed); what LangSmith's
            `evaluate` returned (of `aevaluate`, `[row async for row in results]`) or a table of it; or rows: `ResultRow`s or mappings with
            `id`, `key`, `score` and, if they have them, `status`, `comment`, `details`, `repetition`.

    Returns:
        The rows. A score that is no number in 0..1 makes a row that could not be scored, with that as its comment.

    Raises:
        ValueError: No rows, a row without id or key, two rows of one id, key and repetition, or a file that is not of this version.
    """
    try:
        rows = tuple(_rows(results))
    except (ToolcallEvalsError, OSError):
        raise
    except Exception as error:
        raise ResultsError(f"expected rows of results that can be read, found one that fails: {said(error)}"[:500]) from error
    if not rows:
        raise ResultsError("expected rows of results, found none")
    places = Counter([(row.id, row.key, row.repetition) for row in rows])
    (id, key, repetition), count = places.most_common(1)[0]
    if count > 1:
        raise ResultsError(
            f"expected one row for each id, key and repetition, found {count} of id {represented(id, 200)}, key {represented(key, 200)}, "
            f"repetition {repetition}; "
            "two evaluators need two keys, and runs of one example two repetitions"
        )
    return rows


def write_results(path: str | Path, results: Any) -> None:
    """
    Write results as a file of JSON lines that `read_results` reads back, the version of its form first.

    Args:
        path: The file; it is replaced.
        results: As for `read_results`.

    Raises:
        ValueError: As `read_results`.
    """
    rows = [json.dumps(json_ready(asdict(row)), ensure_ascii=False) for row in read_results(results)]
    header = json.dumps({HEADER: VERSION, ROWS: len(rows)})
    Path(path).write_text("\n".join([header, *rows, ""]), encoding="utf-8")


def langsmith_rows(results: Iterable[Any]) -> Iterator[ResultRow]:
    """
    The rows of what `evaluate` returned, as they are: two of one key too.

    LangSmith's rows carry no repetition (langsmith 0.15.1): the n-th run of an example in them is its n-th repetition. A result without a
    number could not be scored when it is marked as an error, as LangSmith marks an evaluator that raised.
    """
    runs: Counter[str] = Counter()
    for number, item in enumerate(results, 1):
        place = f"row {number} of LangSmith's results"
        example = item["example"]
        id = _id(getattr(example, "id", None), place)
        label = _label(getattr(example, "inputs", None))
        for result in item["evaluation_results"]["results"]:
            extra = result.extra or {}
            status = "scored" if result.score is not None or result.value is not None else "not_applicable"
            status = "could_not_score" if extra.get("error") and result.score is None else status
            stated = {"comment": result.comment, "details": extra.get("details"), "repetition": runs[id]}
            yield _row({**stated, "key": result.key, "score": result.score, "value": result.value, "status": status}, id, label, place)
        runs[id] += 1


def _rows(results: Any) -> Iterator[ResultRow]:
    if isinstance(results, str | Path):
        return _of_parquet(Path(results)) if str(results).endswith(".parquet") else _of_file(Path(results))
    if isinstance(results, Mapping) or not isinstance(results, Iterable):
        advice = "; of aevaluate pass [row async for row in results]" if hasattr(results, "__aiter__") else ""
        raise ResultsError(f"expected the path of a results file, LangSmith's results or a list of rows, found {describe(results)}{advice}")
    items = list(_as_rows(results))
    if items and all(isinstance(item, Mapping) and {"evaluation_results", "example"} <= item.keys() for item in items):
        return _of_langsmith(items)
    return (_of_item(item, f"row {number}") for number, item in enumerate(items, 1))


def _as_rows(items: Iterable[Any]) -> Iterator[Any]:
    """The items, refused at the first that can be no row: they may be without end."""
    for number, item in enumerate(items, 1):
        if not isinstance(item, ResultRow | Mapping):
            raise ResultsError(f"expected a row with 'id', 'key' and 'score' in row {number}, found {describe(item)}")
        yield item


def _of_langsmith(items: Sequence[Any]) -> Iterator[ResultRow]:
    """The rows, and for a run that has none at all one of each key: it could not be scored."""
    rows = list(langsmith_rows(items))
    yield from rows
    keys, present = dict.fromkeys([row.key for row in rows]), {(row.id, row.repetition) for row in rows}
    runs: Counter[str] = Counter()
    for item in items:
        id = str(item["example"].id)
        if (id, runs[id]) not in present:
            label = _label(getattr(item["example"], "inputs", None))
            for key in keys:
                yield ResultRow(id, key, None, "could_not_score", "no evaluator gave this run a result", repetition=runs[id], example=label)
        runs[id] += 1


def _of_file(path: Path) -> Iterator[ResultRow]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ResultsError(f"expected {path.name} to be a results file, found one that is not UTF-8 text") from error
    header = _json(lines[0], f"line 1 of {path.name}")
    if not isinstance(header, dict) or HEADER not in header:
        raise ResultsError(f"expected the version in line 1 of {path.name}, as write_results writes it, found {lines[0][:60]!r}")
    if header[HEADER] != VERSION or isinstance(header[HEADER], bool):
        found_version = represented(header[HEADER], 80)
        raise ResultsError(f"expected results of version {VERSION} in {path.name}, found version {found_version}; make the file anew")
    stated, found = header.get(ROWS), sum(1 for line in lines[1:] if line.strip())
    if stated is not None and stated != found:
        raise ResultsError(f"expected the {stated} rows that line 1 of {path.name} states, found {found}; it was cut off or added to")
    seen: Counter[tuple[str, str]] = Counter()
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            place = f"line {number} of {path.name}"
            yield _numbered(_json(line, place), place, seen)


def _of_parquet(path: Path) -> Iterator[ResultRow]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ResultsError(f"reading {path.name} needs pyarrow: install toolcall-evals with its extra 'cli'") from error
    try:
        rows = pq.read_table(path).to_pylist()
    except pa.ArrowException as error:
        raise ResultsError(f"expected {path.name} to be a Parquet file of results, found {error}"[:300]) from error
    seen: Counter[tuple[str, str]] = Counter()
    for number, row in enumerate(rows):
        place = f"row {number} of {path.name}"
        details = row.get("details")
        yield _numbered({**row, "details": _json(details, place) if isinstance(details, str) else details}, place, seen)


def _numbered(item: Any, place: str, seen: Counter[tuple[str, str]]) -> ResultRow:
    """A row of a file; of stored runs, which have a place of their own, those of one id are numbered as its repetitions."""
    found = _of_item(item, place)
    if isinstance(item, Mapping) and "source" in item and "repetition" not in item:
        found = replace(found, repetition=seen[(found.id, found.key)])
        seen[(found.id, found.key)] += 1
    return found


def _json(line: str, place: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"expected JSON in {place}, found {line[:60]!r}") from error


def _of_item(item: Any, place: str) -> ResultRow:
    if isinstance(item, ResultRow):
        if (
            type(item.id) is str
            and item.id
            and type(item.score) is float
            and 0.0 <= item.score <= 1.0
            and item.status == "scored"
            and type(item.key) is str
            and item.key
        ):
            return item
        return _row({name: getattr(item, name) for name in ResultRow.__slots__}, _id(item.id, place), item.example, place)
    if not isinstance(item, Mapping):
        raise ResultsError(f"expected a row with 'id', 'key' and 'score' in {place}, found {describe(item)}")
    return _row(item, _id(item.get("id"), place), item.get("example"), place)


def _id(id: Any, place: str) -> str:
    if not isinstance(id, str | int | UUID) or isinstance(id, bool) or id == "":
        raise ResultsError(f"expected an 'id' in {place}, a text or a number, found {id!r}"[:300])
    return str(id)


def _row(item: Mapping[str, Any], id: str, example: Any, place: str) -> ResultRow:
    key, score, value, repetition = item.get("key"), item.get("score"), item.get("value"), item.get("repetition", 0)
    if not isinstance(key, str) or not key:
        raise ResultsError(f"expected a 'key' in {place}, a text, found {key!r}"[:300])
    if isinstance(repetition, bool) or not isinstance(repetition, int) or repetition < 0:
        raise ResultsError(f"expected the 'repetition' in {place} to be a whole number from 0, found {repetition!r}"[:300])
    status: Any = item.get("status") or ("could_not_score" if score is None and value is None else "scored")
    comment = str(item.get("comment") or "")
    if score is not None and not _is_score(score):
        comment = f"expected a score in 0..1, found {score!r}"[:200] + (f"; {comment}" if comment else "")
        score, value, status = None, score, "could_not_score"
    known = isinstance(status, str) and status in _STATUSES
    if not known or (score is not None and status != "scored") or (score is None and value is None and status == "scored"):
        raise ResultsError(f"expected a status that fits the score {score!r} in {place}, found {status!r}"[:300])
    details = item.get("details")
    return ResultRow(
        id,
        str.__str__(key),  # a class of somebody's own may compare as it likes
        None if score is None else float(score),
        status,
        comment,
        details if isinstance(details, Mapping) else {},
        repetition,
        example if isinstance(example, str) else "",
        value,
    )


def _is_score(score: Any) -> bool:
    return isinstance(score, Real) and 0.0 <= score <= 1.0  # type: ignore[operator]  # every real number compares


def _label(inputs: Any) -> str:
    """What an example asks: its request, its only text, or its JSON."""
    try:
        request = to_trajectory(inputs).input
    except TraceFormatError:
        request = None
    if not request and isinstance(inputs, dict) and len(inputs) == 1:
        (only,) = inputs.values()
        request = only if isinstance(only, str) else None
    return (request or json.dumps(inputs, ensure_ascii=False, default=repr))[:LABEL_LENGTH]
