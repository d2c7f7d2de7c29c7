"""The evaluator that asks a judge: in LangSmith's sync and async evaluation, with a trace of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._convert import to_trajectory
from .._evaluator import Evaluator, Finding
from .._model import Score, Tool, ToolInvocation, Trajectory
from .._runs import read_run
from .._settings import Scope
from .._shown import uncounted
from ._answer import Client, Messages
from ._arithmetic import Grading, score_calls
from ._cache import AnswerCache
from ._judging import Asking, Judging, Vote, agather_votes, gather_votes, judging, spent
from ._prompt import Wording, answer_schema
from ._trace import ended, judge_trace
from ._verdict import Verdict
from ._votes import majority, split

if TYPE_CHECKING:
    from langsmith.evaluation.evaluator import EvaluationResult

COMMENT_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Court:
    """
    Everything that judging a run takes beside the run.

    Attributes:
        client: Who is asked.
        tools: What the agent could have called; None: what the trace says.
        grading: How a verdict becomes a score.
        votes: How many verdicts are asked for.
        wording: The words around the run.
        cache: Where answers are kept.
        scope: The calls that are judged.
    """

    client: Client
    tools: tuple[Tool, ...] | None
    grading: Grading
    votes: int
    wording: Wording
    cache: AnswerCache | None
    scope: Scope


class Judgement:
    """One run before a judge."""

    def __init__(self, run: Trajectory, court: Court) -> None:
        self.run, self._court = run, court
        self._calls: tuple[ToolInvocation, ...] = court.scope.calls(run)
        self._tools = _within_reach(run.available_tools if court.tools is None else court.tools, court.scope)
        self.messages: Messages = court.wording.messages(run, self._calls, self._tools)

    def askings(self) -> list[tuple[Asking, Judging]]:
        """What asks for each vote."""
        schema = answer_schema(self._calls, self._tools)
        return [
            (Asking(self._court.client, schema, self._court.cache, vote), judging(self.messages, self._calls, self._tools))
            for vote in range(self._court.votes)
        ]

    def finding(self, votes: Sequence[Vote]) -> Finding:
        """The score, and what explains it."""
        verdict = majority([vote.verdict for vote in votes], self._calls)
        return score_calls(verdict, self._calls, self._court.grading), lambda: self._explained(verdict, votes)

    def _explained(self, verdict: Verdict, votes: Sequence[Vote]) -> tuple[str, dict[str, Any]]:
        details: dict[str, Any] = {
            "evaluations": [each.model_dump() for each in verdict.evaluations],
            "missing_tools": list(verdict.missing_tools),
            "no_call_was_right": verdict.no_call_was_right,
            "reason": verdict.reason,
            "grading": self._court.grading,
            **spent([vote.spent for vote in votes]),
            **split([vote.verdict for vote in votes], self._calls),
        }
        return _comment(verdict, details) + uncounted(self.run, self._court.scope), details


class JudgeEvaluator(Evaluator):
    """An evaluator that waits for a model: under `aevaluate` without holding up the event loop."""

    async def ascore(self, run: Any, reference: Any = None) -> Score:
        """As `score`, without holding up the event loop; a judge needs no reference."""
        try:
            judgement = self._judgement(run if isinstance(run, Trajectory) else to_trajectory(run))
            return self._judged(judgement, await agather_votes(judgement.askings()))
        except Exception as error:  # noqa: BLE001 - as in Evaluator.score
            return self._not_scored(error)

    def evaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None, **_: Any) -> EvaluationResult:
        """Score a run of LangSmith's; the result links to the judge's own trace."""
        link = None
        try:
            judgement = self._judgement(read_run(run, getattr(example, "inputs", None)))
            with judge_trace(self.key, run, evaluator_run_id, judgement.messages) as trace:
                link = None if trace is None else trace.id
                score = self._judged(judgement, gather_votes(judgement.askings()))
                ended(trace, score)
        except Exception as error:  # noqa: BLE001 - as in Evaluator.score
            score = self._not_scored(error)
        return self._linked(score, link)

    async def aevaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None, **_: Any) -> EvaluationResult:
        """Score a run of LangSmith's while other rows go on."""
        link = None
        try:
            judgement = self._judgement(read_run(run, getattr(example, "inputs", None)))
            async with judge_trace(self.key, run, evaluator_run_id, judgement.messages) as trace:
                link = None if trace is None else trace.id
                score = self._judged(judgement, await agather_votes(judgement.askings()))
                ended(trace, score)
        except Exception as error:  # noqa: BLE001 - as in Evaluator.score
            score = self._not_scored(error)
        return self._linked(score, link)

    def _judgement(self, run: Trajectory) -> Judgement:
        return Judgement(self._fit(run), self._settings["court"])

    def _judged(self, judgement: Judgement, votes: Sequence[Vote]) -> Score:
        return self._found(judgement.run, judgement.finding(votes))

    def _linked(self, score: Score, link: Any) -> EvaluationResult:
        result = self._result(score, link)
        result.source_run_id = link
        return result


def measure(run: Trajectory, *, court: Court, scope: Scope) -> Finding:
    """Judge a run and wait for it."""
    judgement = Judgement(run, court)
    return judgement.finding(gather_votes(judgement.askings()))


def _within_reach(tools: tuple[Tool, ...] | None, scope: Scope) -> tuple[Tool, ...] | None:
    """The tools of the agents whose calls are judged."""
    if tools is None or scope.agents is None:
        return tools
    return tuple([tool for tool in tools if tool.agent is None or tool.agent in scope.agents])


def _comment(verdict: Verdict, details: dict[str, Any]) -> str:
    graded = [
        f"call {each.call or each.tool_called} {each.verdict}: {each.reasoning}".rstrip(": ")
        for each in verdict.evaluations
        if each.verdict != "appropriate"
    ]
    missing = f"missing: {', '.join(verdict.missing_tools)}" if verdict.missing_tools else ""
    counted = details["votes"] > 1 and details["agreement"] is not None
    agreed = f"{details['votes']} votes agree {details['agreement']:.0%}" if counted else ""
    told = "; ".join([part for part in (verdict.reason, *graded, missing, agreed) if part])
    return told[:COMMENT_LENGTH] or ("every call is appropriate" if verdict.evaluations else "no call was made")
