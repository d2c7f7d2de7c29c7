"""
An adapter of your own: one object that knows one framework's records.

    python -m examples.own_adapter

A package makes it known by an entry point; `to_trajectory`, and with it every check, then reads
these records as it reads LangGraph's:

    [project.entry-points."toolcall_evals.adapters"]
    steplog = "your_package.adapter:ADAPTER"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolcall_evals import (
    InvocationDraft,
    Reading,
    ToolInvocation,
    TraceFormatError,
    Trajectory,
    checks,
)


class StepLog:
    """
    Reads step logs.

    `{"steplog": 1, "question": ..., "answer": ...,
    "steps": [{"tool", "input", "output", "failed"}]}`
    """

    name = "steplog"

    def convert(self, raw: Any, reading: Reading) -> Trajectory | None:
        """The run, or None for what is surely somebody else's."""
        if not isinstance(raw, Mapping) or "steplog" not in raw:
            return None
        steps = raw.get("steps")
        if not isinstance(steps, list):
            raise TraceFormatError(
                f"expected a list of steps in the step log, found {type(steps).__name__}"
            )
        calls = tuple([self._call(number, step) for number, step in enumerate(steps, 1)])
        question, answer = str(raw.get("question", "")), str(raw.get("answer", ""))
        messages = (("user", question), ("assistant", answer))
        return Trajectory(question, messages, (answer,), calls, source="steplog")

    def _call(self, number: int, step: Any) -> ToolInvocation:
        if not isinstance(step, Mapping) or not isinstance(step.get("tool"), str):
            raise TraceFormatError(
                f"expected a 'tool' in step {number} of the step log, found {step!r}"[:300]
            )
        draft = InvocationDraft(
            step["tool"]
        )  # ToolInvocation(...) would do as well, and takes six times as long
        if isinstance(step.get("input"), dict):
            draft.args = step["input"]
        else:
            draft.raw_args, draft.status = str(step.get("input")), "invalid"
            return draft.freeze()
        if "output" in step:
            draft.result = str(step["output"])
            draft.status = "error" if step.get("failed") else "success"
            draft.error = draft.result if step.get("failed") else None
        return draft.freeze()


ADAPTER = StepLog()

if __name__ == "__main__":
    step = {"tool": "search", "input": {"q": "tides"}, "output": "a page"}
    log = {"steplog": 1, "question": "Tides?", "steps": [step], "answer": "The moon."}
    run = ADAPTER.convert(log, Reading())
    print(checks.called_tool("search").score(run).comment)
