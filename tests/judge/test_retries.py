"""Rate limits and servers' faults are retried by the client library: as often as set, with its own backoff, as long as the server asks.

Pauses are measured at the server, from one request to the next: never shorter than what the client slept, whatever the machine does.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from openai import AsyncOpenAI, OpenAI

from judge.judge_server import Reply, Script, said, serving
from toolcall_evals import Score, ToolInvocation, Trajectory, scorers

RUN = Trajectory(input="Weather?", invocations=(ToolInvocation("get_weather", {}, status="success", result="3 °C"),))
GOOD = said({"evaluations": [{"call": 1, "tool_called": "get_weather", "verdict": "appropriate"}]})
NOW = (("retry-after-ms", "1"),)

Asked = Callable[[str, int], Score]


def openai_sync(url: str, retries: int) -> Score:
    with OpenAI(base_url=url, api_key="none") as client:
        score: Score = scorers.tool_call_accuracy_llm(judge=client, model="m", timeout_s=30, max_retries=retries).score(RUN)
        return score


def openai_async(url: str, retries: int) -> Score:
    async def ask() -> Score:
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            scorer: Any = scorers.tool_call_accuracy_llm(judge=client, model="m", timeout_s=30, max_retries=retries)
            score: Score = await scorer.ascore(RUN)
            return score

    return asyncio.run(ask())


def chat_model(url: str, retries: int, around: Callable[[Any], Any] = lambda model: model) -> Score:
    """The number of retries is the model's own; the scorer's, another one, is neither taken instead nor on top."""
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(base_url=url, api_key="none", model="m", max_retries=retries)
    return scorers.tool_call_accuracy_llm(judge=around(model), timeout_s=30, max_retries=4).score(RUN)


def chat_openai(url: str, retries: int) -> Score:
    return chat_model(url, retries)


def chat_openai_bound(url: str, retries: int) -> Score:
    return chat_model(url, retries, lambda model: model.bind(stop=["END"]))


def chat_openai_piped(url: str, retries: int) -> Score:
    from langchain_core.output_parsers import StrOutputParser

    return chat_model(url, retries, lambda model: model | StrOutputParser())


absent = pytest.mark.skipif(importlib.util.find_spec("langchain_openai") is None, reason="langchain-openai is not installed")
JUDGES = [
    pytest.param(openai_sync, id="OpenAI"),
    pytest.param(openai_async, id="AsyncOpenAI"),
    pytest.param(chat_openai, id="ChatOpenAI", marks=absent),
    pytest.param(chat_openai_bound, id="ChatOpenAI, bound", marks=absent),
    pytest.param(chat_openai_piped, id="ChatOpenAI, piped", marks=absent),
]
judges = pytest.mark.parametrize("judge", JUDGES)


def pauses(script: Script) -> list[float]:
    return [after - before for before, after in pairwise(script.times)]


@judges
@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize("retries", [1, 3])
def test_a_lasting_fault_costs_the_first_request_and_max_retries_and_is_the_cause(judge: Asked, status: int, retries: int) -> None:
    script = Script([Reply(status=status, headers=NOW)])
    with serving(script) as url:
        score = judge(url, retries)
    assert len(script.asked) == 1 + retries
    assert (score.score, score.status) == (None, "could_not_score")
    assert f"Error code: {status}" in score.comment


@pytest.mark.parametrize("judge", JUDGES[:2])
def test_no_retries_is_one_request(judge: Asked) -> None:
    script = Script([Reply(status=429, headers=NOW), GOOD])
    with serving(script) as url:
        assert judge(url, 0).status == "could_not_score"
    assert len(script.asked) == 1


@judges
def test_a_fault_that_passes_within_max_retries_is_scored(judge: Asked) -> None:
    script = Script([Reply(status=429, headers=NOW), Reply(status=503, headers=NOW), GOOD])
    with serving(script) as url:
        assert judge(url, 2).score == 1.0
    assert len(script.asked) == 3


@judges
@pytest.mark.parametrize("status", [429, 503])
def test_pauses_grow_where_the_server_asks_for_none(judge: Asked, status: int) -> None:
    """0.5 s, then 1 s, each less by up to a quarter (openai 2.54 and 3.57)."""
    script = Script([Reply(status=status), Reply(status=status), GOOD])
    with serving(script) as url:
        assert judge(url, 2).score == 1.0
    first, second = pauses(script)
    assert first >= 0.375 and second >= 0.75


@judges
@pytest.mark.parametrize(
    ("headers", "least_s"),
    [
        pytest.param((("retry-after", "1"),), 1.0, id="Retry-After"),
        pytest.param((("retry-after-ms", "700"),), 0.7, id="retry-after-ms"),
        pytest.param((("retry-after-ms", "700"), ("retry-after", "30")), 0.7, id="both"),
    ],
)
def test_a_server_that_asks_for_a_pause_gets_it(judge: Asked, headers: tuple[tuple[str, str], ...], least_s: float) -> None:
    """Longer than the client's own first pause, of 0.5 s at most."""
    script = Script([Reply(status=429, headers=headers), GOOD])
    with serving(script) as url:
        assert judge(url, 1).score == 1.0
    assert least_s <= pauses(script)[0] < 25


@judges
def test_a_server_that_asks_for_a_short_pause_is_asked_again_soon(judge: Asked) -> None:
    """Five pauses of 1 ms; the client's own would be 0.375 + 0.75 + 1.5 + 3 + 6 s at least."""
    script = Script([*[Reply(status=503, headers=NOW)] * 5, GOOD])
    with serving(script) as url:
        assert judge(url, 5).score == 1.0
    assert sum(pauses(script)) < 8


@absent
def test_chatopenai_has_the_time_for_its_own_attempts_whatever_the_scorer_allows() -> None:
    """ChatOpenAI makes one further attempt, the scorer none; the pause is longer than the scorer's limit for one answer."""
    from langchain_openai import ChatOpenAI

    script = Script([Reply(status=429, headers=(("retry-after", "2"),)), GOOD])
    with serving(script) as url:
        model = ChatOpenAI(base_url=url, api_key="none", model="m", max_retries=1)
        score = scorers.tool_call_accuracy_llm(judge=model, timeout_s=2, max_retries=0).score(RUN)
    assert score.score == 1.0, score.comment


@judges
def test_a_server_that_forbids_further_attempts_is_not_asked_again(judge: Asked) -> None:
    script = Script([Reply(status=503, headers=(("x-should-retry", "false"),)), GOOD])
    with serving(script) as url:
        score = judge(url, 2)
    assert (score.status, len(script.asked)) == ("could_not_score", 1)
    assert "Error code: 503" in score.comment
