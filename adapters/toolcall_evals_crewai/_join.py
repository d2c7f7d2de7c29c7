"""Joins what a model asked, what ran and what the model was told into one invocation for each decision.

Three records, none of them complete: the model's answers have requests and claims, the tool events what ran, the agent's log what was told.
"""

from __future__ import annotations

from collections.abc import Iterable

from ._joined import Joined, unasked
from ._likeness import OpenRequests
from ._names import draft_of, same_tool
from ._outcomes import write_outcome
from ._requests import Request
from ._stated import stated
from ._steps import Step
from ._told import settle
from ._usages import Usage


def join(steps: list[Step], known: Iterable[str], warnings: list[str]) -> list[Joined]:
    """
    The invocations of one agent's run.

    Args:
        steps: Its steps, in order.
        known: The tools that it is known to have, by any name.
        warnings: Where to say what is doubtful.
    """
    names = {*known, *(usage.executed_name or usage.name for step in steps for usage in step.usages if not usage.refused)}
    found: list[Joined] = []
    waiting = OpenRequests()
    since: list[Joined] = []  # what ran since the framework's last decision: a final answer may tell it again
    for position, step in enumerate(steps):
        last = position == len(steps) - 1
        new = _requested(step, waiting) if step.requests else stated(step, since, found, names, last, warnings)
        found += new
        for each in new:
            if each.usage is None and each.draft.status == "pending":
                waiting.add(each)
        since = [*since, *new] if step.action is None else []
    return found


def reunited(joined: list[Joined], warnings: list[str]) -> list[Joined]:
    """
    The invocations without those whose request and run came apart: where a corrupt stack of events put them into different runs.

    Args:
        joined: The invocations of every run, in order.
        warnings: Where to say that it happened.
    """
    kept: list[Joined] = []
    unanswered = OpenRequests()
    for each in joined:
        alike = () if each.asked or each.usage is None else unanswered.alike(each.draft.name, each.draft.args)
        apart = next((other for other in alike if _is_torn_from(other, each)), None)
        if apart is None or each.usage is None:
            kept.append(each)
            if each.usage is None and each.asked:
                unanswered.add(each)
            continue
        unanswered.close(apart)
        write_outcome(apart.draft, each.usage, apart.told)
        apart.usage = each.usage
        warnings.append(f"the events of a call of {apart.draft.name} hang in different places; they are read as one call")
    return kept


def _is_torn_from(request: Joined, run: Joined) -> bool:
    """Whether a request that nothing ran for and a run that nobody asked for are one call."""
    if request.usage is not None or not request.asked or request.key == run.key:
        return False
    is_open = request.draft.status == "pending" or (request.told is not None and request.draft.executed is True)
    same_role = request.role is None or run.role is None or request.role == run.role
    return is_open and same_role and same_tool(request.draft.name, run.draft.name) and request.draft.args == run.draft.args


def _requested(step: Step, waiting: OpenRequests) -> list[Joined]:
    """The native path: the calls in an answer, each with the usage of its name and arguments."""
    spare = list(step.usages)
    chosen: dict[int, Usage] = {}
    for fits in (_same_call, _same_name):
        for index, request in enumerate(step.requests):
            usage = None if index in chosen else next((usage for usage in spare if fits(request, usage)), None)
            if usage is not None:
                chosen[index] = usage
                spare.remove(usage)
    joined = []
    for index, request in enumerate(step.requests):
        draft = draft_of(request.name)
        draft.args, draft.raw_args, draft.id = request.args, request.raw, request.id
        usage = chosen.get(index)
        if usage is not None:
            write_outcome(draft, usage)
        elif request.args is None:
            settle(draft, "invalid", None)
        else:
            draft.executed = False
        joined.append(Joined(step.at, index, step.key, draft, usage, step.role, step.task))
    for usage in spare:
        joined += _late(step, usage, waiting)
    return joined


def _same_call(request: Request, usage: Usage) -> bool:
    if not same_tool(request.name, usage.name):
        return False
    args, raw = usage.args
    return request.args == args if request.args is not None else raw is not None and request.raw == raw


def _same_name(request: Request, usage: Usage) -> bool:
    return same_tool(request.name, usage.name)


def _late(step: Step, usage: Usage, waiting: OpenRequests) -> list[Joined]:
    """A usage that its own step did not ask for: an earlier request that is still open, or one that no event shows."""
    args, _ = usage.args
    for each in waiting.alike(usage.name, args):
        if same_tool(each.draft.name, usage.name) and each.draft.args == args:
            waiting.close(each)
            write_outcome(each.draft, usage)
            each.usage = usage
            return []
    return [unasked(step, usage)]
