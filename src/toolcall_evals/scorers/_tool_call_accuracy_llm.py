"""Is each call appropriate to what the user asked, is a needed tool missing, was asking back right? A model judges."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _settings as setting
from .._available import available
from .._convert import to_trajectory
from .._errors import CouldNotScore, NotApplicable, TraceFormatError
from .._evaluator import Evaluator, Finding, could_not_score
from .._model import COUNTED_KINDS, Score, Tool, ToolInvocation, Trajectory
from .._runs import read_run
from ..judge._arithmetic import Grading, score_verdict
from ..judge._cache import AnswerCache
from ..judge._client import Client, client_for
from ..judge._judging import Asking, Judging, Vote, agather_votes, gather_votes, judging
from ..judge._prompt import PROMPT, SYSTEM, answer_schema, messages_for
from ..judge._votes import majority, split

if TYPE_CHECKING:
    from langsmith.evaluation.evaluator import EvaluationResult

logger = logging.getLogger("toolcall_evals")


def tool_call_accuracy_llm(
    model: str | None = None,
    judge: Any = None,
    available_tools: Sequence[Any] | None = None,
    grading: Grading = "graded",
    votes: int = 1,
    prompt: str | None = None,
    system: str | None = None,
    few_shot_examples: Sequence[dict[str, str]] | None = None,
    timeout_s: float = 60.0,
    max_retries: int = 2,
    cache: str | Path | None = None,
    *,
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Is each call appropriate to the request, by a judge?

    1.0 for right calls to a clear request; a less suitable tool counts half; no call scores 1.0 where asking back, answering without
    tools or refusing was right and 0.0 where a tool was needed; a missing tool counts as one more call of grade 0.

    Args:
        model: The judge's model, as `provider:name`; or its name where `judge` is an OpenAI client. There is no default.
        judge: An OpenAI client (sync or async), a LangChain chat model, or a callable that takes messages and a JSON schema.
        available_tools: What the agent could have called: names, mappings with name and description, JSON schemas, LangChain tools or
            callables. None: what the trace says.
        grading: `graded` (1, 0.5, 0) or `binary` (appropriate or not).
        votes: How many verdicts are asked for; the majority per call counts.
        prompt: The question, with `{run}` and, if wanted, `{tools}` and `{number_of_calls}` in it; other braces are left alone.
        system: What the judge is told first.
        few_shot_examples: Worked examples as messages with `role` and `content`, put before the run.
        timeout_s: Seconds for one answer.
        max_retries: Further attempts of the client after a time-out, a rate limit or a server's fault.
        cache: A file to keep answers in; a run that broke goes on without paying twice.
        kinds: The kinds of calls to judge; tools and server tools unless told otherwise.
        agent: The agents whose calls to judge.
        key: The feedback key, instead of `tool_call_accuracy_llm`.

    Returns:
        An evaluator that scores 0.0 to 1.0; None when the judge failed, with the cause. `details`: `evaluations`, `missing_tools`,
        `reason`, and the judge's model, tokens, seconds, votes and agreement.

    Raises:
        ValueError: Neither model nor judge, or a setting that cannot work.
    """
    client = client_for(judge, model, _seconds(timeout_s), setting.count("max_retries", max_retries, 0))
    if prompt is not None and "{run}" not in setting.text("prompt", prompt):
        setting.refuse("prompt", prompt, "a text with {run} in it, the place of what is judged")
    settings = {
        "client": client,
        "tools": None if available_tools is None else available("available_tools", available_tools),
        "grading": setting.choice("grading", grading, ("graded", "binary")),
        "votes": setting.count("votes", votes, 1),
        "prompt": PROMPT if prompt is None else prompt,
        "system": SYSTEM if system is None else setting.text("system", system),
        "examples": _examples(few_shot_examples),
        "cache": None if cache is None else AnswerCache(cache),
        "scope": setting.scope(kinds, agent, COUNTED_KINDS),
    }
    shown = {"model": model or client.name, "grading": grading, "votes": votes}
    return JudgeEvaluator("tool_call_accuracy_llm", _measure, settings, key=key, shown=shown)


class JudgeEvaluator(Evaluator):
    """An evaluator that waits for a model: under `aevaluate` without holding up the event loop."""

    async def aevaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None, **_: Any) -> EvaluationResult:
        """Score a run of LangSmith's while other rows go on."""
        inputs = getattr(example, "inputs", None)
        return self._result(await self._aguarded(lambda: read_run(run, inputs)), evaluator_run_id)

    async def ascore(self, run: Any, reference: Any = None) -> Score:
        """As `score`, without holding up the event loop."""
        return await self._aguarded(lambda: run if isinstance(run, Trajectory) else to_trajectory(run))

    async def _aguarded(self, read: Any) -> Score:
        try:
            run = self._fit(read())
            judgement = _Judgement(run, **self._settings)
            votes = await agather_votes(judgement.askings())
            return self._found(run, judgement.finding(votes))
        except NotApplicable as reason:
            return Score(self.key, None, "not_applicable", str(reason))
        except (CouldNotScore, TraceFormatError) as reason:
            return could_not_score(self.key, str(reason))
        except Exception as error:  # a provider's fault must not end somebody's evaluation run
            logger.debug("%s failed", self.key, exc_info=True)
            return could_not_score(self.key, f"the judge failed: {type(error).__name__}: {error}"[:1000])


def _measure(run: Trajectory, **settings: Any) -> Finding:
    judgement = _Judgement(run, **settings)
    return judgement.finding(gather_votes(judgement.askings()))


class _Judgement:
    """One run before the judge."""

    def __init__(
        self,
        run: Trajectory,
        *,
        client: Client,
        tools: tuple[Tool, ...] | None,
        grading: Grading,
        votes: int,
        prompt: str,
        system: str,
        examples: Sequence[dict[str, str]],
        cache: AnswerCache | None,
        scope: setting.Scope,
    ) -> None:
        self._calls: tuple[ToolInvocation, ...] = scope.calls(run)
        self._run, self._client, self._grading, self._votes, self._cache = run, client, grading, votes, cache
        self._tools = run.available_tools if tools is None else tools
        self._messages = messages_for(run, self._calls, self._tools, system, prompt, examples)
        self._schema = answer_schema(self._calls, self._tools)

    def askings(self) -> list[tuple[Asking, Judging]]:
        """One for each vote."""
        return [
            (Asking(self._client, self._schema, self._cache, vote), judging(self._messages, self._calls, self._tools))
            for vote in range(self._votes)
        ]

    def finding(self, votes: Sequence[Vote]) -> Finding:
        """The score, and what explains it."""
        verdicts = [vote.verdict for vote in votes]
        verdict = majority(verdicts, self._calls)
        answers = [answer for vote in votes for answer in vote.answers]
        details: dict[str, Any] = {
            "evaluations": [each.model_dump() for each in verdict.evaluations],
            "missing_tools": list(verdict.missing_tools),
            "no_call_was_right": verdict.no_call_was_right,
            "reason": verdict.reason,
            "grading": self._grading,
            "model": next((answer.model for answer in answers if answer.model), None),
            "input_tokens": _sum([answer.input_tokens for answer in answers]),
            "output_tokens": _sum([answer.output_tokens for answer in answers]),
            "answers": len(answers),
            "seconds": round(max(vote.seconds for vote in votes), 3),
            **split(verdicts, self._calls),
        }
        shown = Trajectory(invocations=self._calls)
        return score_verdict(verdict, shown, grading=self._grading), lambda: (_comment(verdict, details), details)


def _comment(verdict: Any, details: dict[str, Any]) -> str:
    graded = [
        f"call {each.call or each.tool_called} {each.verdict}: {each.reasoning}".rstrip(": ")
        for each in verdict.evaluations
        if each.verdict != "appropriate"
    ]
    missing = f"missing: {', '.join(verdict.missing_tools)}" if verdict.missing_tools else ""
    agreed = (
        f"{details['votes']} votes agree {details['agreement']:.0%}" if details["votes"] > 1 and details["agreement"] is not None else ""
    )
    return "; ".join(part for part in (verdict.reason, *graded, missing, agreed) if part)[:2000] or "every call is appropriate"


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        setting.refuse("timeout_s", value, "a number of seconds above 0")
    return float(value)


def _examples(given: Sequence[dict[str, str]] | None) -> tuple[dict[str, str], ...]:
    examples = tuple(given or ())
    for each in examples:
        if not isinstance(each, dict) or each.keys() != {"role", "content"} or not all(isinstance(value, str) for value in each.values()):
            setting.refuse("few_shot_examples", each, "messages with 'role' and 'content'")
    return examples
