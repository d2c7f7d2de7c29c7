"""What ends a run over stored traces: something that the caller has to change."""

from __future__ import annotations

from .._errors import ToolcallEvalsError

OVERWRITE = "overwrite it (--overwrite, overwrite=True)"
RESUME = "resume it (--resume, resume=True)"
"""What a message advises, as the command and as the library have it."""


class BulkError(ToolcallEvalsError, ValueError):
    """Stored traces that cannot be scored as asked: no such file, an output that is there already, another run's parts."""
