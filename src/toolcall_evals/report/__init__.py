"""The report on stored runs: one HTML file that needs nothing else."""

from __future__ import annotations

from ._survey import Survey
from ._write import write_report

__all__ = ["Survey", "write_report"]
