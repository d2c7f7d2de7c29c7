"""Targets that score stored runs."""

from __future__ import annotations

import json
from typing import Any

from toolcall_evals import checks, scorers
from toolcall_evals.bulk import RowScorer, score_batch

from . import laws
from .choices import Choices, one
from .inputs import REFERENCES, Run, everything, line
from .mutate import mutated


def rows() -> Run:
    """A line of a file."""
    chosen = [checks.includes("a"), checks.called_tool("f"), scorers.tool_calls_match(), checks.no_tool_errors()]
    scorer = RowScorer(chosen)

    def run(choices: Choices) -> None:
        text = _stored_row(choices)
        data: str | bytes = text if choices.below(2) else text.encode("utf-8", "replace")
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
    state = one(choices, everything()).value
    row: Any = one(
        choices,
        (
            {"id": "1", "trace": state, "reference_outputs": one(choices, REFERENCES)},
            {"run_id": 7, "outputs": state},
            {"messages": state, "reference_outputs": json.dumps(one(choices, REFERENCES))},
            state,
        ),
    )
    return line(mutated(choices, row, (), objects=False))


def batches() -> Run:
    """A batch of a table."""
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
