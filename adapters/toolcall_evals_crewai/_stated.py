"""The calls of the text path: what a completion states, and which of it the framework took up."""

from __future__ import annotations

from toolcall_evals import InvocationDraft

from ._fields import shown
from ._joined import Joined, unasked
from ._names import draft_of, resolves, same_tool
from ._outcomes import write_outcome
from ._protocol import Claim, claims_in, read_input
from ._steps import Step
from ._told import settle, status_told, without_tail
from ._usages import Usage


def stated(step: Step, since: list[Joined], earlier: list[Joined], names: set[str], last: bool, warnings: list[str]) -> list[Joined]:
    """
    The one call that the framework took up, and the others that the completion states.

    Args:
        step: The completion.
        since: What ran since the framework's last decision.
        earlier: What ran before, in the same agent's run.
        names: The tools that the agent is known to have.
        last: No other completion follows.
        warnings: Where to say what is doubtful.
    """
    claims = claims_in(step.text) if step.text else []
    usage = _taken_up(step, claims)
    joined = [unasked(step, other) for other in step.usages if other is not usage]
    main, own = None, None
    if step.action is not None or usage is not None:
        own = _claim_of(step, usage, claims)
        if step.action is None and own is None and usage is not None:
            joined.append(unasked(step, usage))
        else:
            draft = _decided(step, usage, own)
            main = Joined(step.at, claims.index(own) if own else 0, step.key, draft, usage, step.role, step.task, step.told)
            joined.append(main)
    ran = [*since, *joined] if step.action is None else [each for each in joined if each is not main]
    at = step.said_at if step.finish is not None and step.said_at is not None else step.at
    for index, claim in enumerate(claims):
        if claim is own or _told_again(claim, ran) or (claim.answered and claim.observation and _told_again(claim, earlier)):
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
    draft.synthetic = step.again
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
