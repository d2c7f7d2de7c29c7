"""Summary evaluators for `langsmith.evaluate(summary_evaluators=[...])`: one number about all runs of an experiment."""

from __future__ import annotations

from ._confusion import tool_confusion
from ._reliability import Reliability, pass_at, pass_hat, reliability
from ._remembered import remembered
from ._shares import mean_score, unscored_rate
from ._summary import SummaryEvaluator
from ._totals import tool_call_totals

__all__ = [
    "Reliability",
    "SummaryEvaluator",
    "mean_score",
    "pass_at",
    "pass_hat",
    "reliability",
    "remembered",
    "tool_call_totals",
    "tool_confusion",
    "unscored_rate",
]
