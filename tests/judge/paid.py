"""A judge that counts what it is asked; in a module of its own, so that other processes can import it quickly."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from toolcall_evals import ToolInvocation, Trajectory, scorers


class Paid:
    """A judge that counts what it is asked."""

    cache_key = "paid"

    def __init__(self, fails_after: int | None = None) -> None:
        self.count, self.fails_after, self.lock = 0, fails_after, threading.Lock()

    def __call__(self, messages: Any, schema: Any) -> dict[str, Any]:
        with self.lock:
            if self.fails_after is not None and self.count >= self.fails_after:
                raise RuntimeError("no money left")
            self.count += 1
        return {"evaluations": [{"call": 1, "tool_called": "search", "verdict": "partial"}], "reason": "so"}


def run(number: int) -> Trajectory:
    return Trajectory(input=f"question {number}", invocations=(ToolInvocation("search", {"n": number}, status="success"),))


def scorer(judge: Any, cache: Path | None, **settings: Any) -> Any:
    return scorers.tool_call_accuracy_llm(judge=judge, cache=cache, max_retries=0, **settings)
