"""A judge by its model's name: the client is made when it is first asked, from the environment of that moment."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

from judge.judge_server import Script, said, serving
from judge.paid import run
from toolcall_evals import scorers

PARTIAL = {"evaluations": [{"call": 1, "tool_called": "search", "verdict": "partial"}], "reason": "so"}


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def named(**settings: Any) -> Any:
    return scorers.tool_call_accuracy_llm(model="openai:tiny", max_retries=0, **settings)


@pytest.mark.usefixtures("key")
async def test_it_is_asked_where_the_environment_says_also_after_a_pickle(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = pickle.loads(pickle.dumps(named()))
    script = Script([said(PARTIAL)] * 3)
    with serving(script) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        found = [scorer.score(run(1)), scorer.score(run(2)), await scorer.ascore(run(3))]
    assert [each.score for each in found] == [0.5, 0.5, 0.5]
    assert [each["model"] for each in script.requests] == ["tiny"] * 3


@pytest.mark.usefixtures("key")
def test_its_answers_are_kept_by_model_and_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script([said(PARTIAL)] * 2)
    with serving(script) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        assert [named(cache=tmp_path / "kept.db").score(run(1)).score for _ in range(2)] == [0.5, 0.5]
    assert len(script.asked) == 1


@pytest.mark.parametrize(
    ("module", "model", "words"),
    [
        pytest.param("openai", "openai:tiny", "install toolcall-evals[judge]", id="openai"),
        pytest.param("langchain.chat_models", "anthropic:tiny", "the judge 'anthropic:tiny' needs langchain", id="another provider"),
    ],
)
def test_without_its_package_it_could_not_score(module: str, model: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    score = scorers.tool_call_accuracy_llm(model=model, max_retries=0).score(run(1))
    assert (score.score, score.status) == (None, "could_not_score")
    assert words in score.comment
