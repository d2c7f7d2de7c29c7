"""Gates and thresholds: verdicts, what is listed, and what a CI job is given."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from toolcall_evals.gates import gate
from toolcall_evals.results import ResultRow, write_results


def row(id: str, key: str, score: float | None, status: Any = None, comment: str = "") -> ResultRow:
    return ResultRow(id, key, score, status or ("could_not_score" if score is None else "scored"), comment)


GOOD = [row(id, key, 1.0) for id in "abcd" for key in ("safe", "f1")]
BELOW = [*GOOD[:7], row("d", "f1", 0.5)]  # the mean of f1 is 0.875
LOST = [*GOOD[:7], row("d", "f1", None)]
UNSAFE = [*GOOD[:6], row("d", "safe", 0.0), GOOD[7]]


@pytest.mark.parametrize(
    ("rows", "settings", "verdict"),
    [
        pytest.param(GOOD, {"gates": ["safe", "f1"]}, "passed", id="all is 1"),
        pytest.param(BELOW, {"gates": ["safe"], "thresholds": {"f1": 0.875}}, "passed", id="the mean just reaches the threshold"),
        pytest.param(BELOW, {"gates": ["safe"], "thresholds": {"f1": 0.9}}, "scored", id="the mean misses the threshold"),
        pytest.param(BELOW, {"gates": ["safe"], "thresholds": {"f1": (0, 0.8)}}, "scored", id="the mean is above the most"),
        pytest.param(BELOW, {"gates": ["f1"]}, "failed", id="a row breaks the gate"),
        pytest.param(UNSAFE, {"gates": ["safe"], "thresholds": {"f1": 1}}, "failed", id="the gate is broken, the threshold holds"),
        pytest.param(UNSAFE, {"gates": ["safe"], "thresholds": {"safe": 0.5}}, "failed", id="one key, the gate is broken"),
        pytest.param(UNSAFE, {"gates": ["f1"], "thresholds": {"f1": 1}}, "passed", id="what was not asked for decides nothing"),
        pytest.param(LOST, {"gates": ["f1"]}, "failed", id="a row that could not be scored"),
        pytest.param(LOST, {"gates": ["f1"], "allow_unscored": True}, "passed", id="the same, allowed"),
        pytest.param(LOST, {"thresholds": {"f1": 0.5}}, "scored", id="a mean of some rows only"),
        pytest.param(LOST, {"thresholds": {"f1": 0.5}, "allow_unscored": True}, "passed", id="the same, allowed"),
        pytest.param(GOOD[:7], {"gates": ["f1"]}, "failed", id="a run without the row"),
        pytest.param(GOOD[:7], {"gates": ["f1"], "allow_unscored": True}, "passed", id="the same, allowed "),
        pytest.param([row("a", "k", None)], {"gates": ["k"], "allow_unscored": True}, "failed", id="nothing was scored"),
        pytest.param([row("a", "k", None, "not_applicable")], {"gates": ["k"]}, "failed", id="the question never arose"),
        pytest.param([row("a", "k", 1), row("b", "k", None, "not_applicable")], {"gates": ["k"]}, "passed", id="it did not arise once"),
        pytest.param([{"id": "a", "key": "k", "score": float("nan")}], {"gates": ["k"]}, "failed", id="NaN"),
    ],
)
def test_the_verdict(rows: Any, settings: dict[str, Any], verdict: str) -> None:
    report = gate(rows, **settings)
    assert report.verdict == verdict
    assert report.exit_code == (0 if verdict == "passed" else 1)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        pytest.param({}, "gates must be some keys, where no thresholds are given", id="nothing asked"),
        pytest.param({"gates": "safe"}, "gates must be a list of feedback keys, got 'safe'", id="a text"),
        pytest.param({"gates": ["save"]}, r"must be a key of the results, \['f1', 'safe'\], got 'save'", id="an unknown gate"),
        pytest.param({"thresholds": {"f2": 0.5}}, "must be a key of the results", id="an unknown threshold"),
        pytest.param({"thresholds": {"f1": 90}}, "the threshold of f1 must be a number between 0 and 1, got 90", id="a percentage"),
        pytest.param({"thresholds": {"f1": float("nan")}}, "the threshold of f1 must be", id="NaN"),
        pytest.param({"thresholds": {"f1": (0.9, 0.1)}}, r"must be \(least, most\) in that order", id="the wrong way round"),
        pytest.param({"thresholds": ["f1"]}, "thresholds must be a mapping", id="a list"),
        pytest.param({"gates": ["safe"], "allow_unscored": "no"}, "allow_unscored must be True or False", id="a text as a flag"),
    ],
)
def test_a_question_without_sense_is_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        gate(GOOD, **settings)


MIXED = [
    row("a", "safe", 0.0, comment="book was called"),
    row("b", "safe", 1.0),
    row("c", "safe", None, comment="the run | crashed"),
    row("a", "f1", 1.0),
    row("b", "f1", 0.5, comment="missing <search>"),
    row("c", "f1", None, "not_applicable"),
    row("a", "length", 0.25),
]
SHOWN = """\
verdict: failed
key     rule            holds  mean   95 % interval  scored  not scored  n/a
safe    1 on every row  NO     0.500  0.09 to 0.91   2       1           0
f1      mean in 0..0.5  NO     0.750  0.00 to 1.00   2       0           1
length  -               -      0.250  -              1       0           0
safe: 1 of 2 rows are below 1
safe: 1 rows could not be scored
safe, a: 0; book was called
safe, c: could not score; the run | crashed
f1: the mean 0.75 is above 0.5
f1, a: 1
f1, b: 0.5; missing <search>"""


def test_the_table_names_what_broke_and_what_could_not_be_scored() -> None:
    assert str(gate(MIXED, ["safe"], {"f1": (0, 0.5)})) == SHOWN


def test_the_markdown_shows_a_comment_as_it_is() -> None:
    text = gate(MIXED, ["safe"], {"f1": (0, 0.5)}).markdown()
    assert text.startswith("### Tool calls: failed\n\n| key | rule | holds | mean |")
    assert "| safe | 1 on every row | NO | 0.500 | 0.09 to 0.91 | 2 | 1 | 0 |\n" in text
    assert "- safe, c: could not score; the run &#124; crashed\n" in text
    assert "- f1, b: 0.5; missing &#60;search&#62;\n" in text


def test_the_junit_file_has_a_case_for_each_rule() -> None:
    rows = [*MIXED, row("d", "safe", 0.0, comment="\x1b[31mred\x00")]
    rows += [row(id, key, None, "not_applicable") for id in "bcd" for key in ("length",)] + [row("d", "f1", 1.0)]
    suite = ElementTree.fromstring(gate(rows, ["safe"], {"f1": 0.5, "length": 0.9}, allow_unscored=True).junit_xml())[0]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    assert [(case.get("name"), [child.tag for child in case]) for case in suite] == [
        ("safe", ["failure"]),
        ("f1", []),
        ("length", ["failure"]),
    ]
    assert suite[0][0].get("message") == "1 on every row: 2 of 3 rows are below 1"
    assert "safe, d: 0; ?[31mred?" in (suite[0][0].text or "")


def test_a_file_of_many_failures_is_listed_in_part(tmp_path: Any) -> None:
    write_results(tmp_path / "r.jsonl", [row(str(n), "k", 0.0) for n in range(50)])
    lines = str(gate(tmp_path / "r.jsonl", ["k"])).splitlines()
    assert len(lines) == 3 + 1 + 20 + 1
    assert lines[-1] == "k: 30 more rows"


def test_an_absent_result_says_so() -> None:
    report = gate(GOOD[:7], ["f1"])
    assert report.keys[0].unscored[0].id == "d"
    assert "f1, d: could not score; this run has no result under the key: its evaluator gave none" in str(report)
