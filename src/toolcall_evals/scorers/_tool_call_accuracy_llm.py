"""Is each call appropriate to what the user asked, is a needed tool missing, was asking back right? A model judges."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _settings as setting
from .._available import available
from .._evaluator import Evaluator
from .._model import COUNTED_KINDS

if TYPE_CHECKING:
    from ..judge._arithmetic import Grading

_EXAMPLE = {"inputs", "outputs", "reasoning", "score", "verdict"}

MOST_VOTES = 100


def tool_call_accuracy_llm(
    model: str | None = None,
    judge: Any = None,
    available_tools: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    grading: Grading = "graded",
    votes: int = 1,
    prompt: str | None = None,
    system: str | None = None,
    few_shot_examples: Sequence[Mapping[str, Any]] | None = None,
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
        judge: An OpenAI client (sync or async), a LangChain chat model, or a callable, async or not, that takes messages and a JSON
            schema and returns a text, a mapping or a `judge.Verdict`.
        available_tools: What the agent could have called: names, mappings with name and description, JSON schemas, LangChain tools or
            callables; or such a list for each agent. None: what the trace says.
        grading: `graded` (1, 0.5, 0) or `binary` (appropriate or not).
        votes: How many verdicts are asked for, 1 to 100; the majority per call counts.
        prompt: The question, with `{run}` or `{outputs}` in it and, if wanted, `{inputs}`, `{tools}` and `{number_of_calls}`; other
            braces are left alone.
        system: What the judge is told first.
        few_shot_examples: Worked examples: messages with `role` and `content`, put before the question; or, as openevals has them,
            mappings with `inputs`, `outputs`, `reasoning` and `score` (or `verdict`), put after it.
        timeout_s: Seconds for one answer.
        max_retries: Further attempts after a time-out, a rate limit or a server's fault; a LangChain model that has its own
            `max_retries` keeps to that.
        cache: A file to keep answers in; a run that broke goes on without paying twice. Answers are kept by question and judge: an
            OpenAI client's address and `model`; a LangChain model's settings and what is bound to it; of a callable its code, constants,
            defaults, closure, attributes and the globals it reads, as they are when the evaluator is built. Where such state cannot be
            read (a connection, say) the setting is refused, unless the callable has an attribute `cache_key`, a text that you change
            whenever its answers may; it stands for all of it. What a judge reads elsewhere, in files or the environment, is not seen.
        kinds: The kinds of calls to judge; tools and server tools unless told otherwise.
        agent: The agents whose calls to judge.
        key: The feedback key, instead of `tool_call_accuracy_llm`, the model's name and what is not at its default.

    Returns:
        An evaluator that scores 0.0 to 1.0; None when the judge failed, with the cause. `details`: `evaluations`, `missing_tools`,
        `reason`, and the judge's model, tokens, seconds, votes and agreement. Beside `score` it has `ascore`, which is awaited.

    Raises:
        ValueError: Neither model nor judge, or a setting that cannot work.
    """
    from ..judge._cache import AnswerCache, unusable
    from ..judge._client import client_for, told_apart
    from ..judge._evaluator import Court, JudgeEvaluator, measure
    from ..judge._prompt import PROMPT, SYSTEM, Wording

    client = client_for(judge, model, setting.seconds("timeout_s", timeout_s), setting.count("max_retries", max_retries, 0))
    if prompt is not None and not any(place in setting.text("prompt", prompt) for place in ("{run}", "{outputs}")):
        setting.refuse("prompt", prompt, "a text with {run} or {outputs} in it, the place of what is judged")
    if cache is not None:
        if not isinstance(cache, str | Path) or not str(cache):
            setting.refuse("cache", cache, "the path of a file")
        if (cause := unusable(cache)) is not None:
            setting.refuse("cache", cache, f"the path of a file that can be written ({cause})")
        told_apart(client)
    turns, examples = _examples(few_shot_examples)
    scope = setting.scope(kinds, agent, COUNTED_KINDS)
    court = Court(
        client=client,
        tools=None if available_tools is None else available("available_tools", available_tools),
        grading=_grading(grading),
        votes=_votes(votes),
        wording=Wording(
            SYSTEM if system is None else setting.text("system", system), PROMPT if prompt is None else prompt, turns, examples
        ),
        cache=None if cache is None else AnswerCache(cache),
        scope=scope,
    )
    variant = [*(["binary"] if grading == "binary" else []), *([f"votes.{votes}"] if votes > 1 else [])]
    if (prompt, system, turns, examples) != (None, None, (), ()):
        variant.append(f"prompt.{hashlib.sha256(repr((prompt, system, turns, examples)).encode('utf-8', 'replace')).hexdigest()[:8]}")
    about = {"model": model} if model else {"judge": type(judge).__name__}
    shown = {**about, "grading": grading, "votes": votes, "scope": scope}
    settings = {"court": court, "scope": scope}
    return JudgeEvaluator("tool_call_accuracy_llm", measure, settings, key=key, subject=model, variant=variant, shown=shown)


def _votes(value: Any) -> int:
    if setting.count("votes", value, 1) > MOST_VOTES:
        setting.refuse("votes", value, f"at most {MOST_VOTES}: each is a question to the judge")
    return int(value)


def _grading(value: Any) -> Grading:
    setting.choice("grading", value, ("graded", "binary"))
    return "binary" if value == "binary" else "graded"


def _examples(given: Any) -> tuple[tuple[dict[str, str], ...], tuple[dict[str, Any], ...]]:
    """The worked examples that are messages, and those that are data."""
    if given is not None and not isinstance(given, list | tuple):
        setting.refuse("few_shot_examples", given, "a list")
    turns: list[dict[str, str]] = []
    examples: list[dict[str, Any]] = []
    for each in given or ():
        if isinstance(each, Mapping) and each.keys() == {"role", "content"} and all(isinstance(value, str) for value in each.values()):
            turns.append(dict(each))
        elif isinstance(each, Mapping) and {"inputs", "outputs"} <= each.keys() <= _EXAMPLE and len(each) > 2:
            if "score" in each and not isinstance(each["score"], bool):
                setting.fraction("few_shot_examples: score", each["score"])
            examples.append(dict(each))
        else:
            setting.refuse(
                "few_shot_examples",
                each,
                "messages with 'role' and 'content', or mappings with 'inputs', 'outputs', 'reasoning' and 'score'",
            )
    return tuple(turns), tuple(examples)
