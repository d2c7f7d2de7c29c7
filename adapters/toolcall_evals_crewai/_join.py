"""Joins what a model asked, what ran and what the model was told into one invocation for each decision.

Three records, none of them complete: the model's answers have requests and claims, the tool events what ran, the agent's log what was told.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toolcall_evals import InvocationDraft

from ._fields import shown
from ._names import draft_of, resolves, same_tool
from ._outcomes import write_outcome
from ._protocol import Claim, claims_in, read_input
from ._requests import Request
from ._steps import Step
from ._told import settle, status_told, without_tail
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
    since: list[Joined] = []  # what ran since the framework's last decision: a final answer may tell it again
    for position, step in enumerate(steps):
        last = position == len(steps) - 1
        new = _requested(step, found) if step.requests else stated(step, since, names, last, warnings)
        found += new
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
    for each in joined:
        apart = None if each.asked or each.usage is None else next((other for other in kept if _is_torn_from(other, each)), None)
        if apart is None or each.usage is None:
            kept.append(each)
            continue
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


def _requested(step: Step, earlier: list[Joined]) -> list[Joined]:
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
        joined += _late(step, usage, earlier)
    return joined


def _same_call(request: Request, usage: Usage) -> bool:
    if not same_tool(request.name, usage.name):
        return False
    args, raw = usage.args
    return request.args == args if request.args is not None else raw is not None and request.raw == raw


def _same_name(request: Request, usage: Usage) -> bool:
    return same_tool(request.name, usage.name)


def _late(step: Step, usage: Usage, earlier: list[Joined]) -> list[Joined]:
    """A usage that its own step did not ask for: an earlier request that is still open, or one that no event shows."""
    args, _ = usage.args
    for each in earlier:
        if each.usage is None and each.draft.status == "pending" and same_tool(each.draft.name, usage.name) and each.draft.args == args:
            write_outcome(each.draft, usage)
            each.usage = usage
            return []
    return [_unasked(step, usage)]


def _unasked(step: Step, usage: Usage) -> Joined:
    draft = draft_of(usage.name)
    draft.args, draft.raw_args = usage.args
    write_outcome(draft, usage)
    return Joined(usage.at, 0, usage.key, draft, usage, usage.role or step.role, usage.task or step.task, asked=False)


def stated(step: Step, since: list[Joined], names: set[str], last: bool, warnings: list[str]) -> list[Joined]:
    """The text path: the one call that the framework took up, and the others that the completion states."""
    claims = claims_in(step.text) if step.text else []
    usage = _taken_up(step, claims)
    joined = [_unasked(step, other) for other in step.usages if other is not usage]
    main, own = None, None
    if step.action is not None or usage is not None:
        own = _claim_of(step, usage, claims)
        if step.action is None and own is None and usage is not None:
            joined.append(_unasked(step, usage))
        else:
            draft = _decided(step, usage, own)
            main = Joined(step.at, claims.index(own) if own else 0, step.key, draft, usage, step.role, step.task, step.told)
            joined.append(main)
    ran = [*since, *joined] if step.action is None else [each for each in joined if each is not main]
    at = step.said_at if step.finish is not None and step.said_at is not None else step.at
    for index, claim in enumerate(claims):
        if claim is own or _told_again(claim, ran):
            continue
        unexecuted = _unexecuted(claim, step, names, last, warnings)
        if unexecuted is not None:
            joined.append(Joined(at, index, step.key, unexecuted, None, step.role, step.task))
    return joined


def _taken_up(step: Step, claims: list[Claim]) -> Usage | None:
    """The usage that belongs to the completion's decision."""
    if step.action is not None:
        name, written = step.action
        fitting = [usage for usage in step.usages if resolves(name, usage.name)]
        same = [usage for usage in fitting if usage.asked == written or usage.args == read_input(written)]
        return next(reversed(same or fitting), None)
    if step.finish is not None:
        return None  # what ran before a final answer was not asked for in it
    for claim in claims:
        args = read_input(claim.input)
        for usage in step.usages:
            unstated = usage.startless or args[0] is None or usage.is_bare or (usage.refused and usage.args[0] is None)
            if resolves(claim.name, usage.name) and (unstated or usage.args == args):
                return usage
    return None


def _claim_of(step: Step, usage: Usage | None, claims: list[Claim]) -> Claim | None:
    """The claim that was taken up: the one with the arguments that were read, else the first of its name."""
    name, written = step.action if step.action is not None else (usage.name if usage else "", usage.asked if usage else None)
    fitting = [claim for claim in claims if same_tool(claim.name, name)] or [claim for claim in claims if resolves(claim.name, name)]
    args, _ = read_input(written)
    same = [claim for claim in fitting if args is not None and read_input(claim.input)[0] == args]
    return next(iter(same or fitting), None)


def _decided(step: Step, usage: Usage | None, claim: Claim | None) -> InvocationDraft:
    """The call that the framework read in a completion."""
    if step.action is not None:
        name, written = step.action
    else:
        name, written = claim.name if claim else "", claim.input if claim else None
        if usage is not None and usage.refused and usage.asked:
            written = usage.asked
    draft = draft_of(name)
    draft.args, draft.raw_args = read_input(written)
    if draft.args is None and usage is not None and usage.ended and not usage.refused and usage.executed_args is not None:
        draft.args, draft.raw_args = usage.executed_args, None  # the framework repaired what it could not read
        draft.extra = {**draft.extra, "repaired_input": shown(written)}
    if usage is not None:
        write_outcome(draft, usage, step.told)
    elif step.told is not None:
        told = without_tail(step.told)
        settle(draft, status_told(told), told)
    elif draft.args is None:
        settle(draft, "invalid", None)
    if claim is not None and claim.observation is not None:
        draft.extra = {**draft.extra, "fabricated_observation": claim.observation}
    return draft


def _told_again(claim: Claim, ran: list[Joined]) -> bool:
    """Whether a claim repeats a call that did run, with the result that it had."""
    args, _ = read_input(claim.input)
    return any(
        each.usage is not None
        and same_tool(each.draft.name, claim.name)
        and (each.draft.args == args or each.usage.is_bare)
        and (claim.observation is None or claim.observation in (each.draft.result or ""))
        for each in ran
    )


def _unexecuted(claim: Claim, step: Step, names: set[str], last: bool, warnings: list[str]) -> InvocationDraft | None:
    """A call that a completion states and that never ran."""
    is_known = any(resolves(claim.name, name) for name in names)
    if claim.quoted and not is_known:
        warnings.append(f"a final answer quotes a call of {claim.name}, which is no known tool; it is not read as one")
        return None
    draft = draft_of(claim.name)
    draft.args, draft.raw_args = read_input(claim.input)
    draft.executed = False
    if claim.observation is not None or claim.answered:
        draft.status, draft.result = "hallucinated", claim.observation
        if names and not is_known:
            draft.extra = {"confidence": "low"}
            warnings.append(f"{claim.name} is no known tool: the completion that states a result of it may be quoting")
    elif draft.args is None:
        settle(draft, "invalid", None)
    elif names and not is_known and not last and step.action is None:
        settle(draft, "invalid", None)  # the run went on, so the framework refused it; no event tells how
    return draft
