"""The LLM judge: its verdict, the arithmetic on it, and how far it can be trusted; no model is imported."""

from __future__ import annotations

from ._agreement import Agreement, agreement
from ._arithmetic import score_verdict
from ._verdict import Evaluation, Verdict

__all__ = ["Agreement", "Evaluation", "Verdict", "agreement", "score_verdict"]
