"""The demo's scores, worked out by hand from its scripts."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples import weather_agent
from toolcall_evals.langsmith import ResultsTable

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore:'upload_.*' parameter is in beta")

KEYS = [
    "called_tool",
    "did_not_call:search_web",
    "tool_order",
    "max_tool_calls",
    "no_tool_errors",
    "includes:degrees",
    "excludes:sorry",
    "equals",
    "matches:degrees",
    "similarity",
    "tool_call_accuracy:get_weather",
    "tool_call_accuracy:get_weather::strict",
    "tool_call_accuracy",
    "tool_call_accuracy::strict",
]
# similarity: twice the shared bigrams by all bigrams, counted by hand
EXPECTED: dict[str, list[float | None]] = {
    "What is the weather in Brooklyn?": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    "Compare Oslo and Lima.": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1],
    "What is the weather in Springfield?": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1],
    "Is it foggy in Lima?": [0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    "How hot is it in Paris, the one in Texas?": [1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
    "What is the weather in Atlantis?": [1, 1, 1, 1, 0, 0, 0, 0, 0, 28 / 57, 1, 1, 1, 1],
    "How warm is it in Hanoi?": [0, 1, 0, 1, 1, 1, 1, 0, 1, 22 / 46, 0, 0, 0, 0],
    "Does it snow in Oslo?": [1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1],
    "Is it raining in Brooklyn?": [1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0],
    "What is the weather in Oslo?": [1, 1, 1, 1, 1, 0, 0, 0, 0, 14 / 51, 1, 1, 1, 1],
    "What is the weather in Lima?": [None] * 14,
}


@pytest.fixture(scope="module")
def table() -> ResultsTable:
    return weather_agent.evaluated()


@pytest.mark.parametrize("question", EXPECTED)
def test_every_score_of_a_question_is_as_worked_out(table: ResultsTable, question: str) -> None:
    scores = {row.key: row.score for row in table.rows if row.example == question}
    assert list(scores) == KEYS
    assert scores == {key: score if score is None else pytest.approx(score) for key, score in zip(KEYS, EXPECTED[question], strict=True)}


def test_small_talk_needs_no_tools(table: ResultsTable) -> None:
    assert [(row.example, row.score) for row in table.rows if row.key == "used_no_tools"] == [("Thank you!", 1.0), ("Good night!", 0.0)]


def test_every_row_has_a_reason_and_what_could_not_be_scored_says_so(table: ResultsTable) -> None:
    assert len(table.rows) == 11 * 14 + 2
    assert all(row.comment for row in table.rows)
    unscored = [row for row in table.rows if row.status != "scored"]
    assert {(row.example, row.status) for row in unscored} == {("What is the weather in Lima?", "could_not_score")}
    assert all("the model is down" in row.comment for row in unscored)


@pytest.mark.parametrize(
    ("question", "key", "words"),
    [
        ("Is it foggy in Lima?", "called_tool", "search_web"),
        ("What is the weather in Atlantis?", "no_tool_errors", "no station in Atlantis"),
        ("Does it snow in Oslo?", "no_tool_errors", "invalid"),
        ("Is it raining in Brooklyn?", "max_tool_calls", "at most 1"),
    ],
)
def test_a_reason_names_what_went_wrong(table: ResultsTable, question: str, key: str, words: str) -> None:
    (comment,) = [row.comment for row in table.rows if (row.example, row.key) == (question, key)]
    assert words in comment


def printed(*arguments: str) -> list[str]:
    command = [sys.executable, "examples/weather_agent.py", *arguments]
    wide = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(command, cwd=ROOT, env=wide, capture_output=True, text=True, encoding="utf-8", timeout=120, check=True)
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout.splitlines()


def test_the_script_prints_every_result_with_its_reason_when_asked() -> None:
    lines = printed("--all")
    assert sum(line.startswith(f"{number}. ") for number in range(1, 14) for line in lines) == 13
    assert sum(" called_tool " in line for line in lines) == 11
    assert max(map(len, lines)) <= 100


def test_the_script_fits_two_screens_and_explains_one_failure() -> None:
    lines = printed()
    assert len(lines) <= 60 and max(map(len, lines)) <= 100
    assert sum(line.startswith(f"{number}. ") for number in range(1, 14) for line in lines) == 13
    text = "\n".join(lines)
    assert "2 of 3 checks failed" in text and 'find_place(name="Paris")  [success]' in text
    commands = [line.split()[-2:] for line in lines if "python examples/" in line or "pytest examples/" in line]
    assert commands and all(any((ROOT / word).is_file() for word in command) for command in commands)


def test_the_picture_of_the_demo_shows_what_it_prints() -> None:
    """`make pictures` makes it anew."""
    picture = (ROOT / "docs" / "images" / "demo.svg").read_text(encoding="utf-8")
    shown = html.unescape("".join(re.findall(r"<text [^>]*demo-r[^>]*>([^<]*)</text>", picture)))
    text = "\n".join(printed()).split("Where to look next")[0]
    assert "".join(shown.split()) == "".join(["$makedemo", *text.split()])
