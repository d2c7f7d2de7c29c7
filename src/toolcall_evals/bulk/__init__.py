"""Stored runs at any size: files or batches of raw traces to tables of scores. Needs the extra `cli`."""

from __future__ import annotations

from ._batch import score_batch
from ._errors import BulkError
from ._evals import load_evaluators
from ._fields import Fields
from ._files import score_files
from ._outcome import Outcome, Progress
from ._plan import Plan
from ._scoring import RowScorer, Scored
from ._selection import Condition, Selection
from ._table import SCHEMA

__all__ = [
    "SCHEMA",
    "BulkError",
    "Condition",
    "Fields",
    "Outcome",
    "Plan",
    "Progress",
    "RowScorer",
    "Scored",
    "Selection",
    "load_evaluators",
    "score_batch",
    "score_files",
]
