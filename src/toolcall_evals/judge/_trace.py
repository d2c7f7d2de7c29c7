"""The trace of a judgement in LangSmith, which its feedback links to."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from .._model import Score
from ._answer import Messages


def judge_trace(name: str, run: Any, evaluator_run_id: Any, messages: Messages) -> Any:
    """
    A context in which a judge is asked; gives the trace's run, or None where nothing is traced.

    LangSmith hands a `RunEvaluator` the id that its own trace must have, and leaves the tracing to it (langsmith 0.15.1).
    """
    if evaluator_run_id is None:
        return nullcontext()
    from langsmith.run_helpers import trace
    from langsmith.utils import tracing_is_enabled

    if not tracing_is_enabled():
        return nullcontext()
    about = {"target_run_id": str(getattr(run, "id", "")), "experiment": str(getattr(run, "session_id", None) or "")}
    known = {key: value for key, value in about.items() if value}
    return trace(name, run_type="chain", inputs={"messages": messages}, metadata=known, run_id=evaluator_run_id)


def ended(trace: Any, score: Score) -> None:
    """Put the score into a trace, if there is one."""
    if trace is not None:
        trace.end(outputs={"score": score.score, "comment": score.comment, "details": score.details})
