"""Answers are paid for once: also by threads, by processes, and by one that is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from judge.judge_server import Reply, Script, ScriptedModel, said
from judge.paid import Paid, run, scorer


def test_a_broken_run_of_a_thousand_goes_on_where_it_ended(tmp_path: Path) -> None:
    cache = tmp_path / "new" / "answers.db"
    first = scorer(Paid(fails_after=400), cache)
    assert [first.score(run(n)).score for n in range(1000)] == [0.5] * 400 + [None] * 600
    judge = Paid()
    second = scorer(judge, cache)
    started = time.perf_counter()
    assert [second.score(run(n)).score for n in range(1000)] == [0.5] * 1000
    assert time.perf_counter() - started < 20
    assert judge.count == 600
    score = second.score(run(1))
    assert (score.details["answers"], score.details["cached_answers"]) == (1, 1)


def test_without_a_cache_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    judge = Paid()
    assert [scorer(judge, None).score(run(1)).score for _ in range(2)] == [0.5, 0.5]
    assert judge.count == 2 and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "other",
    [
        {"model": "b"},
        {"system": "Be kind."},
        {"prompt": "{run}"},
        {"available_tools": ["search", "weather"]},
        {"few_shot_examples": [{"role": "user", "content": "x"}]},
    ],
    ids=lambda other: next(iter(other)),
)
def test_whatever_could_change_the_answer_is_asked_anew(tmp_path: Path, other: dict[str, Any]) -> None:
    judge, cache = Paid(), tmp_path / "a.db"
    for settings in ({"model": "a"}, {"model": "a", **other}, {"model": "a"}):
        scorer(judge, cache, **settings).score(run(1))
    assert judge.count == 2


def test_grading_and_time_limits_are_no_part_of_the_question(tmp_path: Path) -> None:
    judge, cache = Paid(), tmp_path / "a.db"
    assert [scorer(judge, cache, **each).score(run(1)).score for each in ({}, {"grading": "binary"}, {"timeout_s": 5})] == [0.5, 0.0, 0.5]
    assert judge.count == 1


def test_settings_of_a_chat_model_tell_it_apart(tmp_path: Path) -> None:
    good = said({"evaluations": [{"call": 1, "tool_called": "search", "verdict": "partial"}]})
    scripts = [Script([good]) for _ in range(3)]
    for script, name in zip(scripts, ("a", "b", "a"), strict=True):
        assert scorer(ScriptedModel(script=script, name_of_model=name), tmp_path / "a.db").score(run(1)).score == 0.5
    assert [len(script.asked) for script in scripts] == [1, 1, 0]


def test_each_vote_has_its_own_answer_and_more_votes_pay_only_for_more(tmp_path: Path) -> None:
    judge, cache = Paid(), tmp_path / "a.db"
    for votes, paid in ((3, 3), (3, 3), (5, 5), (1, 5)):
        assert scorer(judge, cache, votes=votes).score(run(1)).score == 0.5
        assert judge.count == paid


def test_only_votes_that_came_to_a_verdict_are_kept(tmp_path: Path) -> None:
    good = {"evaluations": [{"call": 1, "tool_called": "search", "verdict": "partial"}]}
    for replies, asked in (([Reply("nonsense")], 3), ([Reply(refusal="no")], 1), ([Reply("nonsense"), said(good)], 2), ([said(good)], 0)):
        script = Script(replies)
        scorer(ScriptedModel(script=script), tmp_path / "a.db").score(run(1))
        assert len(script.asked) == asked


def test_a_vote_is_kept_though_another_one_fails(tmp_path: Path) -> None:
    cache = tmp_path / "a.db"
    assert asyncio.run(scorer(Paid(fails_after=2), cache, votes=3).ascore(run(1))).score is None
    judge = Paid()
    assert scorer(judge, cache, votes=3).score(run(1)).score == 0.5
    assert judge.count == 1


def test_threads_and_loops_share_one_file(tmp_path: Path) -> None:
    judge, cache = Paid(), tmp_path / "a.db"
    first, second = scorer(judge, cache), scorer(judge, cache)

    async def many() -> list[float | None]:
        return [score.score for score in await asyncio.gather(*[second.ascore(run(n)) for n in range(100)])]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda n: first.score(run(n % 50)).score, range(200))) == [0.5] * 200
    assert asyncio.run(many()) == [0.5] * 100
    again = Paid(fails_after=0)
    assert [scorer(again, cache).score(run(n)).score for n in range(100)] == [0.5] * 100


PROGRAM = """
import sys
sys.path[:0] = [sys.argv[3]]
from judge.paid import Paid, run, scorer
from pathlib import Path
one = scorer(Paid(), Path(sys.argv[1]))
for n in range(int(sys.argv[2]), 100_000):
    assert one.score(run(n)).score == 0.5
    print(n, flush=True)
"""


def test_processes_share_one_file_and_one_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    cache, tests = tmp_path / "a.db", str(Path(__file__).resolve().parents[1])
    begins = (0, 50_000)
    arguments = [[sys.executable, "-c", PROGRAM, str(cache), str(begin), tests] for begin in begins]
    processes = [subprocess.Popen(each, stdout=subprocess.PIPE, text=True) for each in arguments]
    done: list[int] = []
    for process in processes:
        assert process.stdout is not None
        done.append([int(process.stdout.readline()) for _ in range(40)][-1])
    for process in processes:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    judge = Paid(fails_after=0)
    assert [scorer(judge, cache).score(run(n)).score for begin, end in zip(begins, done, strict=True) for n in range(begin, end)] == [
        0.5
    ] * 78
    with sqlite3.connect(cache) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_file_that_is_no_cache_is_left_alone_and_nothing_is_paid(tmp_path: Path) -> None:
    cache, judge = tmp_path / "notes.txt", Paid()
    check = scorer(judge, cache)  # refused where the file is there already
    cache.write_text("my notes\n" * 1000)
    score = check.score(run(1))
    assert score.status == "could_not_score"
    assert score.comment == f"the judge was not asked, its cache {cache} cannot be used: file is not a database"
    assert judge.count == 0 and cache.read_text() == "my notes\n" * 1000


def test_an_unreadable_answer_is_asked_for_again(tmp_path: Path) -> None:
    cache, judge = tmp_path / "a.db", Paid()
    scorer(judge, cache).score(run(1))
    connection = sqlite3.connect(cache)
    with connection:
        connection.execute("UPDATE answers SET answer = '{\"te'")
    connection.close()
    assert [scorer(judge, cache).score(run(1)).score for _ in range(2)] == [0.5, 0.5]
    assert judge.count == 2


def test_what_cannot_be_kept_is_scored_all_the_same(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache, judge = tmp_path / "a.db", Paid()
    one = scorer(judge, cache)
    one.score(run(1))
    connection = sqlite3.connect(cache)
    with connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    connection.close()
    assert one.score(run(2)).score == 0.5
    assert "could not keep an answer: disk is full" in caplog.text
