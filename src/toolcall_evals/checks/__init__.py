"""Quick checks: small deterministic evaluators, each one question about a run."""

from __future__ import annotations

from ._called_tool import called_tool, did_not_call
from ._equals import equals
from ._includes import excludes, includes
from ._matches import matches
from ._max_tool_calls import max_tool_calls, used_no_tools
from ._no_hallucinated_tool_calls import no_hallucinated_tool_calls
from ._no_tool_errors import no_tool_errors
from ._similarity import similarity
from ._tool_order import tool_order

__all__ = [
    "called_tool",
    "did_not_call",
    "equals",
    "excludes",
    "includes",
    "matches",
    "max_tool_calls",
    "no_hallucinated_tool_calls",
    "no_tool_errors",
    "similarity",
    "tool_order",
    "used_no_tools",
]
