"""What a judge is refused for when it is built, and what a server's odd answer comes to."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from toolcall_evals import SettingError, ToolInvocation, Trajectory, scorers
from toolcall_evals.judge._openai import answer_of


def judge(**settings: Any) -> Any:
    return scorers.tool_call_accuracy_llm(judge=lambda messages, schema: "{}", **settings)


@pytest.mark.parametrize("score", [2, -0.1, "1", float("nan"), None])
def test_an_example_has_a_score_between_0_and_1(score: Any) -> None:
    with pytest.raises(SettingError, match="few_shot_examples: score"):
        judge(few_shot_examples=[{"inputs": "a", "outputs": "b", "score": score}])


@pytest.mark.parametrize("score", [0, 1, 0.5, True])
def test_an_example_with_a_score_is_taken(score: Any) -> None:
    judge(few_shot_examples=[{"inputs": "a", "outputs": "b", "score": score}])


def test_endless_votes_are_refused() -> None:
    judge(votes=100)
    with pytest.raises(SettingError, match="votes must be at most 100"):
        judge(votes=10**9)


def test_a_database_of_somebody_else_is_no_cache(tmp_path: Path) -> None:
    place = tmp_path / "theirs.db"
    with closing(sqlite3.connect(place)) as made:
        made.execute("CREATE TABLE customers (name TEXT)")
    before = place.read_bytes()
    with pytest.raises(SettingError, match="a database with other tables: customers"):
        judge(cache=place)
    assert place.read_bytes() == before


def test_a_file_that_is_no_database_is_no_cache(tmp_path: Path) -> None:
    place = tmp_path / "notes.txt"
    place.write_text("notes " * 200)
    with pytest.raises(SettingError, match="file is not a database"):
        judge(cache=place)


def test_an_empty_file_and_a_cache_of_ours_are_taken(tmp_path: Path) -> None:
    place = tmp_path / "kept.db"
    place.touch()
    told = '{"evaluations": [{"call": 1, "tool_called": "a", "verdict": "appropriate"}]}'
    run = Trajectory(input="?", invocations=(ToolInvocation("a", {}, status="success"),))
    for answer in (told, "not asked again"):
        check = scorers.tool_call_accuracy_llm(judge=Answers(answer), cache=place)
        assert check.score(run).score == 1.0


class Answers:
    cache_key = "answers"

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def __call__(self, messages: Any, schema: Any) -> str:
        return self.answer


def test_an_error_behind_the_status_of_success_is_said() -> None:
    with pytest.raises(RuntimeError, match=r"the server answered with an error: .*overloaded"):
        answer_of(SimpleNamespace(choices=None, error={"message": "overloaded"}))


@pytest.mark.parametrize("count", ["x", 1.5, -1, True, None])
def test_what_is_no_number_of_tokens_is_none(count: Any) -> None:
    usage = SimpleNamespace(prompt_tokens=count, completion_tokens=7)
    answer = answer_of(SimpleNamespace(model="m", usage=usage, choices=[SimpleNamespace(message=SimpleNamespace(content="a"))]))
    assert (answer.input_tokens, answer.output_tokens) == (None, 7)
