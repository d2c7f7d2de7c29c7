"""Quick checks: small deterministic evaluators, each one question about a run."""

from __future__ import annotations

from ._arguments_grounded import arguments_grounded
from ._arguments_valid import arguments_valid
from ._called_tool import called_tool, did_not_call
from ._called_with import called_with
from ._equals import equals
from ._follows import follows
from ._includes import excludes, includes
from ._matches import matches
from ._max_tool_calls import max_tool_calls, used_no_tools
from ._no_hallucinated_tool_calls import no_hallucinated_tool_calls
from ._no_redundant_calls import no_redundant_calls
from ._no_tool_errors import no_tool_errors
from ._no_unknown_tools import no_unknown_tools
from ._recovered_from_errors import recovered_from_errors
from ._similarity import similarity
from ._tool_order import tool_order

__all__ = [
    "arguments_grounded",
    "arguments_valid",
    "called_tool",
    "called_with",
    "did_not_call",
    "equals",
    "excludes",
    "follows",
    "includes",
    "matches",
    "max_tool_calls",
    "no_hallucinated_tool_calls",
    "no_redundant_calls",
    "no_tool_errors",
    "no_unknown_tools",
    "recovered_from_errors",
    "similarity",
    "tool_order",
    "used_no_tools",
]
