"""What ends a run over stored traces: something that the caller has to change."""

from __future__ import annotations

from .._errors import ToolcallEvalsError


class BulkError(ToolcallEvalsError, ValueError):
    """Stored traces that cannot be scored as asked: no such file, an output that is there already, another run's parts."""
