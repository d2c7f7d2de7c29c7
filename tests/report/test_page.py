"""The page: its figures are those of the scores, and whatever a trace holds stays text."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from report.made import HOSTILE, Page, agree, hostile_report, made, page_of
from toolcall_evals import Score, ToolInvocation, Trajectory
from toolcall_evals.report import Survey, write_report
from toolcall_evals.report._names import MOST_NAMES
from toolcall_evals.report._shown import breakable, duration, plain, share


def test_whatever_a_trace_holds_stays_text(tmp_path: Path) -> None:
    report = hostile_report(tmp_path / "report.html")
    text, page = report.read_text(encoding="utf-8"), page_of(report)
    names = [tag for tag, _ in page.elements]
    assert (names.count("script"), names.count("style"), names.count("title"), names.count("form")) == (
        1,
        1,
        1 + text.count("<svg role"),
        1,
    )
    assert not {"img", "iframe", "object", "embed", "link", "base", "textarea", "b:x", "image"} & set(names)
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on") or name in ("autofocus", "srcdoc", "style")]
    assert all(re.fullmatch(r"#[a-z]+(-\d+)?", attrs["href"] or "") for attrs in page.of("a"))
    assert not [name for _, attrs in page.elements for name in attrs if name in ("src", "action", "formaction", "xlink:href", "data")]
    assert (page.unbalanced, page.open) == ([], [])
    for attack in HOSTILE:
        if attack.isprintable():
            assert attack in page.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0041]", text)
    assert "⟨U+001B⟩[31mred⟨U+0000⟩?⟨U+202E⟩txet⟨U+2066⟩⟨U+200B⟩hidden⟨U+E0041⟩" in page.text


def test_the_policy_allows_its_own_style_and_script_and_nothing_else(tmp_path: Path) -> None:
    text = hostile_report(tmp_path / "report.html").read_text(encoding="utf-8")
    (policy,) = [attrs["content"] for attrs in Page(text).of("meta") if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules.keys() == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        inside = text.split(f"<{tag}>")[1].split(f"</{tag}>")[0]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert text.index("Content-Security-Policy") < text.index("<style>")


def test_its_figures_are_those_of_the_output_file(tmp_path: Path) -> None:
    report, outcome = made(tmp_path)
    page = page_of(report)
    agree(page, pq.read_table(tmp_path / "scores.parquet").to_pylist())
    survey = outcome.survey
    assert survey is not None and "unreadable row 1 not among the runs" in page.words
    assert f"tool calls {survey.calls} " in page.words
    assert f"failed calls {sum(facts.failed for facts in survey.tools.values())} " in page.words
    labels = [attrs["aria-label"] or "" for attrs in page.of("svg") if attrs.get("role") == "img"]
    for tally in outcome.tallies:
        spread = f"{tally.ones} at 1, {tally.between} between, {tally.zeros} at 0; in twentieths {tally.bins}"
        assert f"Scores of {tally.key}: {spread}" in labels
    for name, facts in survey.tools.items():
        fine = facts.statuses["success"]
        assert f"Calls of {name}: {fine} success, {facts.failed} failed, {facts.calls - fine - facts.failed} open" in labels
        assert page.row(name)[1] == str(facts.calls) == str(sum(facts.statuses.values()))


def test_it_names_the_rules_that_do_not_hold(tmp_path: Path) -> None:
    report, outcome = made(tmp_path)
    words = page_of(report).words
    assert f"Failed 1 of 2 rules hold. no_tool_errors: {outcome.tallies[0].below_one} of 40 rows are below 1" in words


def test_it_shows_which_tool_was_called_for_which_expected_one(tmp_path: Path) -> None:
    survey = Survey()
    calls = tuple([ToolInvocation(name, status="success") for name in ("find", "pay", "log")])
    for _ in range(3):
        survey.add("f", 0, "x", Trajectory(invocations=calls), [], {"tool_calls": [{"name": "find"}, {"name": "book"}, {"name": "cancel"}]})
    write_report(tmp_path / "report.html", survey=survey, tallies=[])
    page = page_of(tmp_path / "report.html")
    assert "for 3 of 9 expected calls (33.3 %)" in page.words
    assert page.row("Expected") == ["Expected", "Right", "nothing", "find", "log", "pay", "other tools"]
    shown = [[cell.strip() for cell in row] for row in page.rows if len(row) == 7 and row[0].strip() in ("book", "cancel", "find")]
    assert shown == [
        ["book", "0 %", "", "", "", "3", ""],
        ["cancel", "0 %", "", "", "3", "", ""],
        ["find", "100 %", "", "3", "", "", ""],
    ]


def test_what_has_no_column_is_counted_as_other_tools(tmp_path: Path) -> None:
    survey = Survey()
    for number in range(40):
        run = Trajectory(invocations=(ToolInvocation(f"called {number:02}", status="error"),))
        survey.add("f", number, "x", run, [], {"tool_calls": [{"name": "wanted"}]})
    write_report(tmp_path / "report.html", survey=survey, tallies=[])
    page = page_of(tmp_path / "report.html")
    head = page.row("Expected")
    assert (head[2:4], head[-2:]) == (["nothing", "called 00"], ["called 23", "other tools"])
    assert page.row("wanted")[1:] == ["0 %", "", *["1"] * 24, "16"]
    assert any(attrs.get("aria-label") == "Calls of called 07: 0 success, 1 failed, 0 open" for attrs in page.of("svg"))


def test_tools_beyond_those_told_apart_are_one_row(tmp_path: Path) -> None:
    survey = Survey()
    for number in range(MOST_NAMES + 5):
        run = Trajectory(invocations=(ToolInvocation(f"tool {number}", status="success"),))
        survey.add("f", number, "x", run, [], {"tool_calls": [{"name": f"tool {number}"}]})
    write_report(tmp_path / "report.html", survey=survey, tallies=[])
    page = page_of(tmp_path / "report.html")
    assert page.row("(others)")[1] == "5" and f"for {MOST_NAMES + 5:,} of {MOST_NAMES + 5:,} expected calls" in page.words
    assert "900 less used tools are not shown. There are more than 1,000 tools" in page.words


def test_the_failed_checks_stand_with_the_calls_of_each_run(tmp_path: Path) -> None:
    calls = (
        ToolInvocation("find", {"q": "cats", "many": [1, {"é": None}]}, status="success", result="two cats", agent="scout"),
        ToolInvocation("pay", raw_args="{broken", status="invalid", error="no JSON", attempts=3),
    )
    run = Trajectory("Find cats", texts=("Two.",), invocations=calls, duration_s=75.0)
    survey = Survey()
    survey.add("a.jsonl", 7, "run 7", run, [Score("k", 0.5, comment="it was half right")])
    write_report(tmp_path / "report.html", survey=survey, tallies=[], runs={("a.jsonl", 7): run})
    words = page_of(tmp_path / "report.html").words
    assert "run 7 k 2 calls · 1 failed · 75.0 s · a.jsonl, row 7" in words
    assert "What is wrong k 0.5 it was half right What was called 1 find success by scout" in words
    assert 'q "cats" many [1, {"é": null}] two cats 2 pay invalid 3 attempts {broken no JSON Answered Two.' in words
    assert "Scored No gate or threshold was asked of these scores." in words


def test_a_run_that_cannot_be_read_again_is_said(tmp_path: Path) -> None:
    survey = Survey()
    survey.add("a.jsonl", 7, "run 7", Trajectory("ask"), [Score("k", 0.5, comment="why")])
    write_report(tmp_path / "report.html", survey=survey, tallies=[])
    assert "The run could not be read again for its timeline." in page_of(tmp_path / "report.html").text


def test_nothing_at_all_gives_a_page_too(tmp_path: Path) -> None:
    report = tmp_path / "new" / "folder" / "report.html"
    write_report(report, survey=Survey(), tallies=[])
    page = page_of(report)
    assert "Every score is 1." in page.text and "No run called a tool." in page.text and not page.unbalanced
    assert [path.name for path in report.parent.iterdir()] == ["report.html"]


def test_the_page_is_bounded_whatever_the_runs(tmp_path: Path) -> None:
    text = "<&>" * 3_000
    calls = (ToolInvocation(text, {text + str(arg): text for arg in range(50)}, result=text),) * 200
    run = Trajectory(text, texts=(text,), invocations=calls, warnings=(text,) * 9)
    size = {}
    for amount in (1, 11):
        survey = Survey()
        for number in range(amount):
            survey.add("f", number, text, run, [Score("k", 0.0, comment=text[:4000])])
        read = {("f", number): run for number in range(amount)}
        write_report(tmp_path / "report.html", survey=survey, tallies=[], runs=read)
        size[amount] = (tmp_path / "report.html").stat().st_size
    assert (size[11] - size[1]) / 10 < 250_000
    assert "170 calls are left out here" in page_of(tmp_path / "report.html").words


def test_the_page_is_bounded_however_many_runs_have_much_to_show(tmp_path: Path) -> None:
    survey, read, text = Survey(), {}, "\u202e" * 3_000
    diff = {"missing": [{"name": "x", "text": text}] * 12, "extra": [], "moved": [], "wrong_arguments": [], "violations": []}
    scores = [Score(f"{key}{text}", 0.5, comment=text, details={"diff": diff}) for key in range(20)]
    for number in range(40):
        args = {str(arg): arg for arg in range(600)}
        calls = tuple(ToolInvocation(f"{number} {call}{text}", args, error=text, agent=text) for call in range(30))
        run = Trajectory(text, texts=(text,), invocations=calls, warnings=(text,), error=text, duration_s=float(number))
        survey.add(f"{number}{text}", 0, text, run, scores)
        survey.add_unreadable(f"{number}{text}", 1, text)
    for facts in survey.worth_a_look():
        read[facts.source, facts.row] = run
    write_report(tmp_path / "report.html", survey=survey, tallies=[], runs=read)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 16_000_000  # 28 MB, were nothing shortened
    assert page.count('<details class="run"') == len(read) == 40
    assert page.count("Shortened, so that the page is not too large") > 20


def test_what_a_light_run_leaves_is_for_those_with_much_to_show(tmp_path: Path) -> None:
    calls = tuple(ToolInvocation("find", {"q": "<&>" * 200}, result="<&>" * 200) for _ in range(30))
    survey, run = Survey(), Trajectory("ask", invocations=calls)
    for number in range(40):
        survey.add("f", number, str(number), run, [Score("k", 0.0)])
    write_report(tmp_path / "report.html", survey=survey, tallies=[], runs={(each.source, each.row): run for each in survey.worth_a_look()})
    assert "Shortened" not in page_of(tmp_path / "report.html").text


def test_landmarks_headings_and_tables_are_named(tmp_path: Path) -> None:
    report, _ = made(tmp_path)
    page = page_of(report)
    names = [tag for tag, _ in page.elements]
    assert page.of("html") == [{"lang": "en"}]
    assert all(names.count(tag) == 1 for tag in ("header", "main", "footer", "nav", "h1"))
    levels = [int(tag[1]) for tag in names if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.of("th"))
    for _, attrs in page.elements:
        for name in ("aria-labelledby", "aria-controls"):
            assert attrs.get(name) is None or attrs[name] in ids
    assert {(attrs["href"] or "")[1:] for attrs in page.of("a")} <= set(ids)
    assert all(attrs.get("aria-label") for tag, attrs in page.elements if attrs.get("role") == "region")
    assert [attrs["aria-live"] for _, attrs in page.elements if "aria-live" in attrs] == ["polite"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a\r\nb\tc", "a\nb\tc", id="line breaks and tabs stay"),
        pytest.param("\x1b[1mx\x7f\x85", "⟨U+001B⟩[1mx⟨U+007F⟩⟨U+0085⟩", id="terminal codes"),
        pytest.param("👩\u200d💻 می\u200cخواهم　全角\xa0x", "👩\u200d💻 می\u200cخواهم　全角\xa0x", id="joiners and wide spaces stay"),
        pytest.param("\udc80x", "?x", id="lone surrogate"),
        pytest.param("abcdef", "abcd … (2 more characters)", id="cut"),
        pytest.param(12, "12", id="no text"),
    ],
)
def test_a_text_is_shown_with_every_letter_visible(text: object, shown: str) -> None:
    assert plain(text, 4 if text == "abcdef" else 600) == shown


def test_a_name_breaks_after_its_punctuation_and_is_escaped_once() -> None:
    assert breakable("a_b:<i>&'") == "a_<wbr>b:<wbr>&lt;i&gt;&amp;&#39;"


def test_shares_and_durations_do_not_hide_what_is_small() -> None:
    assert [share(*pair) for pair in [(0, 0), (0, 9), (9, 9), (1, 10**6), (10**6 - 1, 10**6), (1, 3)]] == [
        "–",
        "0 %",
        "100 %",
        "<0.1 %",
        ">99.9 %",
        "33.3 %",
    ]
    assert [duration(each) for each in (None, 0.0031, 12.34, 600.0, 9000.0)] == ["–", "3 ms", "12.3 s", "10 min", "2.5 h"]
