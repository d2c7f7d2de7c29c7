"""One invocation while it is put together: its draft, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass

from toolcall_evals import InvocationDraft

from ._names import draft_of
from ._outcomes import write_outcome
from ._steps import Step
from ._usages import Usage


@dataclass(slots=True)
class Joined:
    """One invocation, where it was asked for, and the call that it came from."""

    at: int
    index: int
    key: str
    draft: InvocationDraft
    usage: Usage | None = None
    role: str | None = None
    task: str | None = None
    told: str | None = None
    asked: bool = True


def unasked(step: Step, usage: Usage) -> Joined:
    """A call that ran and that no record shows to have been asked for."""
    draft = draft_of(usage.name)
    draft.args, draft.raw_args = usage.args
    write_outcome(draft, usage)
    return Joined(usage.at, 0, usage.key, draft, usage, usage.role or step.role, usage.task or step.task, asked=False)
