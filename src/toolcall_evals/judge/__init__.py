"""The LLM judge's verdict, and the arithmetic on it; no model is imported."""

from __future__ import annotations

from ._arithmetic import score_verdict
from ._verdict import Evaluation, Verdict

__all__ = ["Evaluation", "Verdict", "score_verdict"]
