"""Scores as LangSmith feedback."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from toolcall_evals import Score

ATTEMPTS = 3
"""How often one feedback is tried (langsmith's default of 10 can take minutes; others wait)."""


@dataclass(frozen=True, slots=True)
class Tracing:
    """Where the run at hand is traced to."""

    client: Any
    project: str


def tracing_here() -> Tracing | None:
    """Where LangSmith traces the run that begins here, in its own context; None where it traces none."""
    if "langsmith" not in sys.modules:  # langchain-core imports it before it traces anything
        return None
    from langsmith import utils
    from langsmith.run_helpers import get_tracing_context

    if utils.tracing_is_enabled() is not True:  # "local": traced, but not sent
        return None
    context = get_tracing_context()
    parent, client = context.get("parent"), context.get("client")
    if client is None:
        from langsmith.run_trees import get_cached_client

        client = get_cached_client() if parent is None else parent.client
    return Tracing(client, (parent and parent.session_name) or context.get("project_name") or utils.get_tracer_project() or "default")


@dataclass(eq=False)
class Feedback:
    """Sends scores; looks each project up once."""

    _projects: dict[Tracing, Any] = field(default_factory=dict)

    def send(self, tracing: Tracing, run_id: UUID, start_time: datetime, scores: Iterable[Score]) -> None:
        """Send each score as the feedback of a run."""
        session_id = self._session_of(tracing)
        for score in scores:
            extra = {"status": score.status, "details": score.details}
            tracing.client.create_feedback(
                run_id,
                score.key,
                score=score.score,
                comment=score.comment,
                feedback_source_type="model",
                extra={**extra, "error": True} if score.status == "could_not_score" else extra,
                stop_after_attempt=ATTEMPTS,
                session_id=session_id,
                start_time=start_time,
            )

    def _session_of(self, tracing: Tracing) -> Any:
        """The id of the project; langsmith is to refuse feedback without it (announced in 0.15.1)."""
        if tracing not in self._projects:
            tracing.client.flush()  # a project begins to exist with its first run, and runs are sent in the background
            self._projects[tracing] = tracing.client.read_project(project_name=tracing.project).id
        return self._projects[tracing]
