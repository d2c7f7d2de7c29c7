"""
A check of your own: one function that measures, one that builds.

    python -m examples.own_check

What it returns works wherever the checks of the package do: in LangSmith, in pytest, on stored
runs. The measuring function stands at the top of a module, so that the check pickles.
"""

from __future__ import annotations

from typing import Any

from toolcall_evals import (
    CouldNotScore,
    Evaluator,
    NotApplicable,
    SettingError,
    ToolInvocation,
    Trajectory,
)


def fast_enough(seconds: float, *, key: str | None = None) -> Evaluator:
    """
    Did every tool answer within so many seconds?

    Args:
        seconds: The longest that a call may take, above 0.
        key: The feedback key, instead of `fast_enough:<seconds>`.

    Raises:
        ValueError: `seconds` is no number above 0.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise SettingError(f"seconds must be a number above 0, got {seconds!r}")
    return Evaluator("fast_enough", _measure, {"seconds": seconds}, key=key, subject=f"{seconds:g}")


def _measure(run: Trajectory, seconds: float) -> tuple[float, Any]:
    calls = run.calls()
    if not calls:
        raise NotApplicable("no tool was called")
    timed = [call for call in calls if call.duration_s is not None]
    if not timed:
        raise CouldNotScore(
            "the record holds no durations; pass a traced run or record() the agent"
        )
    slow = [call for call in timed if (call.duration_s or 0) > seconds]

    def explain() -> tuple[str, dict[str, Any]]:  # made only when somebody reads it
        facts = {
            "slow": [{"name": call.name, "seconds": call.duration_s} for call in slow],
            "calls": len(calls),
            "timed": len(timed),
        }
        if slow:
            worst = max(slow, key=lambda call: call.duration_s or 0)
            return f"{worst.name} took {worst.duration_s:g} s, more than {seconds:g}", facts
        return f"{len(timed)} of {len(calls)} calls are timed, each within {seconds:g} s", facts

    return float(not slow), explain


if __name__ == "__main__":
    call = ToolInvocation(
        "search", {"q": "tides"}, status="success", result="two pages", duration_s=4.2
    )
    score = fast_enough(2).score(Trajectory(texts=("Two pages.",), invocations=(call,)))
    print(score.key, score.score, score.comment)
