"""A judgement, step by step: the questions it needs and what is made of the answers, without asking anybody itself.

Written as a generator that yields questions and is sent answers, so that one text serves LangSmith's sync and async evaluation.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import ValidationError

from .._errors import CouldNotScore
from .._model import Tool, ToolInvocation
from ._answer import Answer, Client, Messages
from ._arithmetic import faults
from ._cache import AnswerCache, cache_key
from ._data import cut, fence_free, shown_name
from ._verdict import Verdict

ATTEMPTS = 3
"""Answers that are asked for at most per vote: a faulty one is sent back with its faults named."""

ECHOED = 20_000
"""Characters of a faulty answer that its judge is shown again."""

TRIED = 50
"""Places in an answer's prose where an object may begin that are tried."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one vote took: its answers, how many of them were kept ones, and the time."""

    answers: tuple[Answer, ...]
    cached: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Vote:
    """One judge's verdict, and what it took."""

    verdict: Verdict
    spent: Spent


Judging: TypeAlias = Generator[Messages, Answer, Verdict]


def judging(messages: Messages, calls: Sequence[ToolInvocation], tools: Sequence[Tool] | None) -> Judging:
    """
    The steps of one vote: yields the messages to send, is sent the answer, returns a verdict that fits the run.

    Raises:
        CouldNotScore: A refusal, an answer cut off, or no fitting verdict after `ATTEMPTS` answers.
    """
    available = None if tools is None else [tool.name for tool in tools]
    wrong: list[str] = []
    for _ in range(ATTEMPTS):
        answer = yield messages
        if answer.stopped in ("refusal", "content_filter"):
            raise CouldNotScore(f"the judge refused ({answer.stopped}): {answer.text[:300]}")
        verdict, wrong = _read(answer, calls, available)
        if verdict is not None and not wrong:
            return verdict
        said = fence_free(cut(answer.text.encode("utf-8", "replace").decode(), ECHOED)) or "(nothing)"
        messages = [*messages, {"role": "assistant", "content": said}, {"role": "user", "content": _correction(wrong)}]
    raise CouldNotScore(f"the judge gave no fitting verdict in {ATTEMPTS} answers; the last: {'; '.join(wrong)}"[:1000])


def _read(answer: Answer, calls: Sequence[ToolInvocation], available: Sequence[str] | None) -> tuple[Verdict | None, list[str]]:
    if answer.stopped == "length":
        return None, ["the answer was cut off at the length limit; keep every reasoning under 20 words"]
    if not answer.text.strip():
        return None, ["the answer is empty"]
    try:
        verdict = Verdict.model_validate(_object_in(answer.text))
    except ValidationError as error:
        return None, [f"{_place(problem['loc'])}: {problem['msg']}" for problem in error.errors(include_input=False, include_url=False)[:5]]
    except json.JSONDecodeError as error:
        return None, [f"the answer is not JSON ({error.msg} at character {error.pos})"]
    except RecursionError:
        return None, ["the answer: too deeply nested"]
    except ValueError as error:
        return None, [f"the answer is not JSON ({error})"]
    verdict = _real_names(verdict, [*[call.name for call in calls], *(available or ())])
    return verdict, faults(verdict, calls, available)


def _place(parts: Sequence[int | str]) -> str:
    return ".".join(str(part) for part in parts) or "the answer"


def _real_names(verdict: Verdict, names: Sequence[str]) -> Verdict:
    """The verdict with the tools' own names, for those by which the judge was shown them; a tool is missing once, however often listed."""
    real = {shown_name(name): name for name in names}
    evaluations = [each.model_copy(update={"tool_called": real.get(each.tool_called, each.tool_called)}) for each in verdict.evaluations]
    missing = tuple(dict.fromkeys([real.get(name, name) for name in verdict.missing_tools]))
    return verdict.model_copy(update={"evaluations": tuple(evaluations), "missing_tools": missing})


def _object_in(text: str) -> Any:
    """
    The answer's JSON, also behind a model's thoughts (`<think>...</think>`), inside prose or a Markdown fence where exactly one object
    there looks like a verdict.

    Raises:
        ValueError: No JSON, more than one verdict, a key twice in an object, a number that JSON has not or that is no call's, thoughts
            without an end, or deep nesting (`RecursionError`).
    """
    decoder = json.JSONDecoder(strict=False, parse_constant=_no_number, parse_int=_short_int, object_pairs_hook=_once_each)
    text = text.strip()
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        fault = error
    if (thought := text.rfind("</think>")) >= 0:
        return _object_in(text[thought + len("</think>") :])
    if text.startswith("<think>"):
        raise fault
    found: list[dict[str, Any]] = []
    place = text.find("{")
    for _ in range(TRIED):
        if place < 0:
            break
        try:
            value, end = decoder.raw_decode(text, place)
        except json.JSONDecodeError:
            end = place + 1
        else:
            found += [value] if set(Verdict.model_fields) & set(value) else []
        place = text.find("{", end)
    if len(found) != 1:
        raise fault
    return found[0]


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key is there twice in one object")
    return made


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _short_int(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _correction(wrong: Sequence[str]) -> str:
    return "Your answer does not fit: " + "; ".join(wrong) + ". Answer again, the whole verdict in the same form."


class Asking:
    """Puts the questions of a judgement to a client, through a cache where there is one."""

    def __init__(self, client: Client, schema: dict[str, Any], cache: AnswerCache | None, vote: int) -> None:
        self._client, self._schema, self._cache, self._vote = client, schema, cache, vote
        self._answers: list[Answer] = []
        self._paid: list[tuple[str, Answer]] = []
        self._started = time.perf_counter()

    @property
    def spent(self) -> Spent:
        """What was asked so far, whatever came of it."""
        return Spent(tuple(self._answers), len(self._answers) - len(self._paid), time.perf_counter() - self._started)

    def run(self, steps: Judging) -> Vote:
        """Ask and wait."""
        try:
            messages = next(steps)
            while True:
                try:
                    key, known = self._known(messages)
                    answer = self._client.ask(messages, self._schema) if known is None else known
                except CouldNotScore:
                    raise
                except Exception as error:
                    raise _failed(error) from error
                messages = steps.send(self._noted(key, known, answer))
        except StopIteration as end:
            return self._vote_of(end.value)

    async def arun(self, steps: Judging) -> Vote:
        """Ask without holding up the event loop."""
        try:
            messages = next(steps)
            while True:
                try:
                    key, known = self._known(messages)
                    answer = await self._client.aask(messages, self._schema) if known is None else known
                except CouldNotScore:
                    raise
                except Exception as error:
                    raise _failed(error) from error
                except asyncio.CancelledError as error:
                    task = asyncio.current_task()
                    if task is None or task.cancelling():
                        raise
                    raise _failed(error) from error  # the judge was cancelled, not whoever waits for it
                messages = steps.send(self._noted(key, known, answer))
        except StopIteration as end:
            return self._vote_of(end.value)

    def _known(self, messages: Messages) -> tuple[str, Answer | None]:
        if self._cache is None:
            return "", None
        key = cache_key(self._client.name, messages, self._schema, self._vote)
        return key, self._cache.get(key)

    def _noted(self, key: str, known: Answer | None, answer: Answer) -> Answer:
        self._answers.append(answer)
        if known is None:
            self._paid.append((key, answer))
        return answer

    def _vote_of(self, verdict: Verdict) -> Vote:
        if self._cache is not None and self._paid:  # only now: an answer that led to no verdict must be asked for again
            self._cache.put(self._paid)
        return Vote(verdict, self.spent)


def _failed(error: BaseException) -> CouldNotScore:
    return CouldNotScore(f"the judge failed: {type(error).__name__}: {error}"[:1000])


def spent(took: Sequence[Spent]) -> dict[str, Any]:
    """What several votes took together, for a score's details; the time is that of the longest."""
    answers = [answer for each in took for answer in each.answers]
    return {
        "model": next((answer.model for answer in answers if answer.model), None),
        "input_tokens": _sum([answer.input_tokens for answer in answers]),
        "output_tokens": _sum([answer.output_tokens for answer in answers]),
        "answers": len(answers),
        "cached_answers": sum(each.cached for each in took),
        "seconds": round(max(each.seconds for each in took), 3),
    }


def gather_votes(askings: Sequence[tuple[Asking, Judging]]) -> list[Vote]:
    """
    The votes, one after the other.

    Raises:
        CouldNotScore: One of them failed; what all took so far is in its details.
    """
    begun: list[Asking] = []
    votes: list[Vote] = []
    for asking, steps in askings:
        begun.append(asking)
        try:
            votes.append(asking.run(steps))
        except CouldNotScore as error:
            raise _in_vain(error, begun) from error
    return votes


async def agather_votes(askings: Sequence[tuple[Asking, Judging]]) -> list[Vote]:
    """As `gather_votes`, all at once; what one was paid for is kept also where another fails."""
    votes = await asyncio.gather(*[asking.arun(steps) for asking, steps in askings], return_exceptions=True)
    for vote in votes:
        if isinstance(vote, CouldNotScore):
            raise _in_vain(vote, [asking for asking, _ in askings]) from vote
        if isinstance(vote, BaseException):
            raise vote
    return [vote for vote in votes if isinstance(vote, Vote)]


def _in_vain(error: CouldNotScore, begun: Sequence[Asking]) -> CouldNotScore:
    return CouldNotScore(str(error), spent([asking.spent for asking in begun]))


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
