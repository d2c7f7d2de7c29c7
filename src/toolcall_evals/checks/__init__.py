"""Quick checks: small deterministic evaluators, each one question about a run."""

from __future__ import annotations

from ._called_tool import called_tool

__all__ = ["called_tool"]
