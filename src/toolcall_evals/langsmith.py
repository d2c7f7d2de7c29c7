"""Evaluating with LangSmith without its server, and its results as a table that says why."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _table as table
from ._errors import ToolcallEvalsError
from .results import ResultRow, langsmith_rows

if TYPE_CHECKING:
    from langsmith import Client


class OfflineError(ToolcallEvalsError, ConnectionError):
    """The client of `offline_client` was asked for something that only LangSmith's server can do."""


def offline_client() -> Client:
    """
    A LangSmith client that never uses the network and needs no API key.

    Pass it as `client=` to `evaluate` or `aevaluate`, with `upload_results=False` and a list of `Example`s as `data`.
    Without it, `upload_results=False` still asks the server for its settings and uploads the runs of LangChain and
    LangGraph, prompts included (langsmith 0.15.1); with it, the runs stay local and evaluators see them whole.

    Anything that would need the server raises a `LangSmithError` that says what to pass.
    """
    import requests
    from langsmith import Client

    class Offline(requests.Session):
        def request(self, method: Any, url: Any, *_: Any, **__: Any) -> Any:
            raise OfflineError(
                f"offline_client() sends nothing, and was asked to {method} {url}; "
                "give evaluate() upload_results=False, and a list of examples as data"
            )

    return Client(info={}, auto_batch_tracing=False, tracing_sampling_rate=0.0, session=Offline())


@dataclass(frozen=True, slots=True)
class KeySummary:
    """
    All results of one key.

    Attributes:
        key: The feedback key.
        mean: The mean of the scores; None when nothing was scored.
        scored: How many results have a number.
        passed: How many of those are 1.
        could_not_score: How many could not be scored; they are in no mean.
        not_applicable: For how many the question did not arise; they are in no mean.
    """

    key: str
    mean: float | None
    scored: int
    passed: int
    could_not_score: int
    not_applicable: int

    @property
    def pass_rate(self) -> float | None:
        """The share of the scored results that are 1; None when nothing was scored."""
        return self.passed / self.scored if self.scored else None


@dataclass(frozen=True, slots=True)
class ResultsTable:
    """
    The results of an experiment, one row for each example and key; `str()` of it fits the terminal.

    Attributes:
        rows: In the order in which the examples were finished.
    """

    rows: tuple[ResultRow, ...]

    def __iter__(self) -> Iterator[ResultRow]:
        return iter(self.rows)

    def by_key(self) -> list[KeySummary]:
        """One summary a key, in the order in which the keys first appear."""
        rows: dict[str, list[ResultRow]] = {}
        for row in self.rows:
            rows.setdefault(row.key, []).append(row)
        return [_summary(key, of_key) for key, of_key in rows.items()]

    def by_run(self) -> list[tuple[ResultRow, ...]]:
        """The rows of each run of an example, in order."""
        rows: dict[tuple[str, int], list[ResultRow]] = {}
        for row in self.rows:
            rows.setdefault((row.id, row.repetition), []).append(row)
        return [tuple(of_run) for of_run in rows.values()]

    def text(self, width: int | None = None) -> str:
        """
        The table as text: every result with its reason, then a line for each key.

        Args:
            width: The columns to fit it in; those of the terminal, or 100, when None.
        """
        width = max(width or shutil.get_terminal_size((100, 24)).columns, 40)
        lines: list[str] = []
        for number, rows in enumerate(self.by_run(), 1):
            again = f" (repetition {rows[0].repetition + 1})" if rows[0].repetition else ""
            lines += [table.cut(f"{number}. {table.one_line(rows[0].example)}{again}", width), *_result_lines(rows, width), ""]
        return "\n".join([*lines, *_summary_lines(self.by_key(), width)])

    def overview(self, width: int | None = None) -> str:
        """
        In short: a line for each run, with how many results passed and the first reason that one did not; then a line for each key.

        Args:
            width: As in `text`.
        """
        width = max(width or shutil.get_terminal_size((100, 24)).columns, 40)
        return "\n".join([*_run_lines(self.by_run(), width), "", *_summary_lines(self.by_key(), width)])

    def __str__(self) -> str:
        return self.text()


def results_table(results: Iterable[Any]) -> ResultsTable:
    """
    The table of what `evaluate` returned.

    Args:
        results: What `evaluate` or `evaluate_existing` returned; of `aevaluate`, `[row async for row in results]`.

    Returns:
        A row for each result. A result without a number is `could_not_score` when it is marked as an error, as
        LangSmith marks an evaluator that raised, and `not_applicable` otherwise.
    """
    if not hasattr(results, "__iter__"):
        raise TypeError(f"results must be iterable, got {type(results).__name__}; of aevaluate pass [row async for row in results]")
    return ResultsTable(tuple(langsmith_rows(results)))


def _summary(key: str, rows: list[ResultRow]) -> KeySummary:
    numbers = [row.score for row in rows if row.score is not None]
    statuses = Counter(row.status for row in rows)
    mean = sum(numbers) / len(numbers) if numbers else None
    passed = sum(number == 1 for number in numbers)
    return KeySummary(key, mean, len(numbers), passed, statuses["could_not_score"], statuses["not_applicable"])


def _shown(row: ResultRow) -> str:
    if row.score is not None:
        return f"{row.score:.2f}"
    if row.value is not None:
        return str(row.value)[:8]
    return "n/a" if row.status == "not_applicable" else "no score"


def _run_lines(runs: list[tuple[ResultRow, ...]], width: int) -> list[str]:
    examples = [f"{number}. {table.one_line(rows[0].example)}" for number, rows in enumerate(runs, 1)]
    examples = [table.cut(example, max(width // 3, 20)) for example in examples]
    counts = [_count(rows) for rows in runs]
    lines = table.columns([("run", "passed", "the first that did not"), *zip(examples, counts, map(_first_fault, runs), strict=True)])
    return [table.cut(line, width) for line in lines]


def _count(rows: tuple[ResultRow, ...]) -> str:
    scored = sum(row.score is not None for row in rows)
    return f"{sum(row.score == 1 for row in rows)} of {scored}" if scored else "no score"


def _first_fault(rows: tuple[ResultRow, ...]) -> str:
    """What failed, or could not be scored, where nothing failed."""
    faults = [row for row in rows if row.score is not None and row.score != 1] or [row for row in rows if row.status == "could_not_score"]
    return f"{faults[0].key}: {table.one_line(faults[0].comment)}" if faults else ""


def _result_lines(rows: tuple[ResultRow, ...], width: int) -> list[str]:
    """A line for each result; the reason of what did not pass may take some more."""
    key_width = min(max(table.width_of(row.key) for row in rows), width * 2 // 5)
    lines: list[str] = []
    for row in rows:
        begin = f"   {_shown(row):>8}  {table.padded(row.key, key_width)}  "
        reason = table.wrapped(table.one_line(row.comment), width - len(begin), 1 if row.score == 1 else 4)
        lines += [begin + reason[0], *[" " * len(begin) + line for line in reason[1:]]]
    return [line.rstrip() for line in lines]


def _summary_lines(summaries: list[KeySummary], width: int) -> list[str]:
    head = ("key", "mean", "passed", "no score", "n/a")
    cells = [
        (
            table.cut(each.key, max(width - 36, 10)),
            "-" if each.mean is None else f"{each.mean:.2f}",
            f"{each.passed} of {each.scored}",
            str(each.could_not_score),
            str(each.not_applicable),
        )
        for each in summaries
    ]
    return table.columns([head, *cells])
