"""The table of versions counts what pytest says, and says what it does not hold."""

from __future__ import annotations

from pathlib import Path

from tests.quality.matrix_table import SESSIONS, Session, counted, table

RESULTS = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="2" tests="6" time="61.6">
  <testcase classname="tests.a" name="test_one"/>
  <testcase classname="tests.a" name="test_two"><skipped type="pytest.skip" message="crewai is not installed">a.py:3</skipped></testcase>
  <testcase classname="tests.a" name="test_three"><skipped type="pytest.skip" message="crewai is not installed">a.py:9</skipped></testcase>
  <testcase classname="tests.b" name="test_four[x]"><failure message="assert 1 == 2">...</failure></testcase>
  <testcase classname="" name="tests.c"><error message="collection failure">...</error></testcase>
  <testcase classname="tests.b" name="test_five"/>
</testsuite></testsuites>"""


def session(name: str = "newest", python: str = "3.11.7", told: tuple[str, ...] = ()) -> Session:
    versions = {"pydantic": "2.11.0", "pytest": "8.3.0"}
    return Session(
        name=name, date="2026-01-02", python=python, versions=versions, machine="a machine", seconds=9, passed=5, told=list(told)
    )


def test_errors_of_collection_count_as_failures_and_skipped_tests_by_their_reason(tmp_path: Path) -> None:
    (tmp_path / "results.xml").write_text(RESULTS, encoding="utf-8")
    one = counted("floors", tmp_path / "results.xml", [])
    assert (one.passed, one.skipped, one.failed, one.seconds) == (
        2,
        {"crewai is not installed": 2},
        ["tests.b.test_four[x]", ".tests.c"],
        62,
    )


def test_a_row_for_each_session_that_ran_and_a_note_for_each_that_did_not() -> None:
    figures = table([session(python="3.13.0"), session()])
    assert [row[:2] for row in figures.rows] == [["newest", "3.11.7"], ["newest", "3.13.0"]]
    assert figures.rows[0][2:] == ["pydantic 2.11.0, pytest 8.3.0", 5, 0, 0, 9]
    assert len(figures.notes) == len(SESSIONS) - 2
    assert figures.notes[0] == "newest on Python 3.12 was not run."


def test_a_session_that_ran_in_part_says_so() -> None:
    (note,) = [note for note in table([session(told=("tests/cli",))]).notes if "in part" in note]
    assert note == "newest on Python 3.11 ran in part: `pytest tests/cli`."
