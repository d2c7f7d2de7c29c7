"""Scores as LangSmith feedback."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from toolcall_evals import Score

ATTEMPTS = 3
"""How often one feedback is tried (langsmith's default of 10 can take minutes; others wait)."""


def feedback_client(given: Any) -> Any:
    """The LangSmith client that is to have feedback on the run that begins here; None where the run is not traced."""
    if given is not None:
        return given
    if "langsmith" not in sys.modules:  # langchain-core imports it before it traces anything
        return None
    from langsmith import utils

    if utils.tracing_is_enabled() is not True:  # "local": traced, but not sent
        return None
    from langsmith.run_trees import get_cached_client

    return get_cached_client()


def send_feedback(client: Any, run_id: UUID, scores: Iterable[Score]) -> None:
    """Send each score as the feedback of a run."""
    for score in scores:
        extra = {"status": score.status, "details": score.details}
        client.create_feedback(
            run_id,
            score.key,
            score=score.score,
            comment=score.comment,
            feedback_source_type="model",
            extra={**extra, "error": True} if score.status == "could_not_score" else extra,
            stop_after_attempt=ATTEMPTS,
        )
