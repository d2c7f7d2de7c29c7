"""The report: figures that add up, traces that stay text, a page that works by itself."""

from __future__ import annotations

import functools
import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from benchmarks.make_traces import Generator, record
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcall_evals import Score, ToolInvocation, Trajectory, checks, to_trajectory
from toolcall_evals.bulk import Plan, score_files
from toolcall_evals.gates import gate_tallies
from toolcall_evals.report import Survey, write_report
from toolcall_evals.report._charts import histogram, interval
from toolcall_evals.report._survey import MOST_NAMES, OTHERS

EVALUATORS = [checks.no_tool_errors(), checks.max_tool_calls(7)]
HOSTILE = [
    "<script>document.title = 'taken'</script>",
    "</script><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "{{ 7 * 7 }} {% for x in y %}",
    "javascript:alert(1)",
    "\x1b[31mred\x00\ud800\u202etxet",
    "]]>--><svg onload=alert(1)>",
]


@functools.cache
def stored(errors: float = 0.05) -> list[dict[str, Any]]:
    generator = Generator(errors=errors)
    return [record(generator, number) for number in range(40)]


def surveyed(numbers: range) -> Survey:
    survey = Survey()
    for number in numbers:
        run = to_trajectory(stored()[number])
        survey.add("runs.jsonl", number, f"run {number}", run, [each.score(run) for each in EVALUATORS])
    return survey


def test_a_survey_counts_what_the_runs_hold() -> None:
    survey = Survey()
    slow = ToolInvocation("a", status="success", attempts=3, duration_s=2.0)
    calls = (slow, ToolInvocation("a", status="error"), ToolInvocation("b"))
    wanted = {"tool_calls": [{"name": "a"}, {"name": "c"}]}
    run = Trajectory("ask", invocations=calls, duration_s=4.5, warnings=("trimmed",))
    scores = [Score("k", 0.25, comment="why"), Score("n", None, "not_applicable"), Score("m", None, "could_not_score")]
    survey.add("f", 3, "x", run, scores, wanted)
    facts = survey.tools["a"]
    assert (survey.runs, survey.calls, survey.per_run[3], survey.warnings["trimmed"]) == (1, 3, 1, 1)
    assert (facts.calls, facts.statuses["error"], facts.retried, facts.attempts, facts.longest_s) == (2, 1, 1, 4, 2.0)
    assert survey.cells == {("a", "a"): 1, ("c", "a"): 1} and survey.unexpected == {"b": 1}
    (worst,) = survey.worst
    assert (worst.source, worst.row, worst.lost, worst.errors, worst.seconds) == ("f", 3, 1.25, 1, 4.5)
    assert worst.failed == (("k", 0.25, "why"), ("m", None, ""))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 30), st.integers(0, 30))
def test_surveys_of_parts_add_up_to_that_of_the_whole(one: int, other: int) -> None:
    first, second = sorted((one, other))
    whole, parts = surveyed(range(30)), Survey()
    for part in (range(first), range(first, second), range(second, 30)):
        parts.merge(Survey.from_dict(json.loads(json.dumps(surveyed(part).to_dict()))))
    assert parts.to_dict() == whole.to_dict()


def test_a_survey_stays_small_whatever_comes() -> None:
    survey = Survey()
    for number in range(1000):
        run = Trajectory("x" * 5000, invocations=(ToolInvocation(f"tool {number} " + "n" * 900),))
        survey.add("f", number, "i" * 999, run, [Score("k", 0.0, comment="c" * 4000)])
    assert len(survey.tools) == MOST_NAMES + 1 and survey.tools[OTHERS].calls == 1000 - MOST_NAMES
    assert len(json.dumps(survey.to_dict())) < 500_000


@pytest.mark.parametrize("counts", [[], [0, 0], [1, 5, 0], [10**9]])
def test_charts_are_well_formed(counts: list[int]) -> None:
    drawn = histogram(counts, "a <title> & more")
    assert ElementTree.fromstring(drawn)[0].text == "a <title> & more"
    assert len(re.findall("<rect", drawn)) == sum(count > 0 for count in counts)
    assert ElementTree.fromstring(interval(None, None, "nothing")) is not None


class Page(HTMLParser):
    """The elements and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile_report(path: Path) -> str:
    survey, runs = Survey(), {}
    for number, text in enumerate(HOSTILE):
        call = ToolInvocation(text, {text: text}, status="success", result=text, agent=text, error=text)
        run = Trajectory(text, texts=(text,), invocations=(call,), warnings=(text,), error=text, source=text)
        scores = [Score(text, 0.0, comment=text), Score("ok", 1.0)]
        survey.add(text, number, text, run, scores, {"tool_calls": [{"name": text}]})
        survey.add_unreadable(text, number, text)
        runs[(text, number)] = run
    write_report(path, survey=survey, tallies=[], runs=runs, title=HOSTILE[0])
    return path.read_text(encoding="utf-8")


def test_whatever_a_trace_holds_stays_text(tmp_path: Path) -> None:
    text = hostile_report(tmp_path / "report.html")
    page = Page(text)
    assert [tag for tag, _ in page.elements].count("script") == 1
    assert not {"img", "iframe", "object", "link", "a"} & {tag for tag, _ in page.elements}
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]
    assert "\x1b" not in text and "\x00" not in text and "\u202e" not in text
    assert "{{ 7 * 7 }}" in page.text and "<script>document.title" in page.text
    assert not re.findall(r"(?:src|href)\s*=", re.sub(r"&[#\w]+;", "", text.split("<style>")[0]))


def made(folder: Path) -> tuple[Path, Any]:
    path = folder / "runs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in stored(0.2)) + "broken\n", encoding="utf-8")
    outcome = score_files([path], Plan(EVALUATORS, survey=True), folder / "scores.parquet")
    runs = {(path.as_posix(), number): to_trajectory(row) for number, row in enumerate(stored(0.2))}
    gate = gate_tallies(outcome.tallies, ["no_tool_errors"])
    assert outcome.survey is not None
    report = folder / "report.html"
    write_report(report, survey=outcome.survey, tallies=outcome.tallies, gate=gate, verdict=gate.verdict, runs=runs)
    return report, outcome


def test_its_figures_are_those_of_the_scores(tmp_path: Path) -> None:
    report, outcome = made(tmp_path)
    text = " ".join(Page(report.read_text(encoding="utf-8")).text.split())
    tally = outcome.tallies[0]
    assert f"{tally.mean:.3f}" in text and f"{tally.below_one} of 40 rows are below 1" in text
    assert "40 runs" in text and "1 unreadable rows" in text and "does not hold" in text
    assert f"{outcome.survey.calls} tool calls" in text


CHROMIUM = shutil.which("chromium")


@pytest.fixture
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (make test-wide has it)")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (Debian's package)")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=quiet)
        yield browser
        browser.close()


def opened(browser: Any, path: Path, **options: Any) -> tuple[Any, list[str], list[str]]:
    page = browser.new_page(**options)
    told: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    return page, told, asked


def test_browser_filters_and_search_work_without_a_server(browser: Any, tmp_path: Path) -> None:
    report, outcome = made(tmp_path)
    page, told, asked = opened(browser, report, viewport={"width": 1280, "height": 900})
    worst = len(outcome.survey.worst)
    assert page.inner_text("#told") == f"{worst} of {worst} runs shown"
    page.select_option("select[name=key]", "no_tool_errors")
    failed = sum("no_tool_errors" in [key for key, _, _ in facts.failed] for facts in outcome.survey.worst)
    assert 0 < failed < worst
    assert page.inner_text("#told") == f"{failed} of {worst} runs shown"
    assert page.locator("#runs .run:visible").count() == failed
    page.fill("#search", "no such words anywhere")
    assert page.inner_text("#told") == f"0 of {worst} runs shown"
    page.click("#clear")
    assert page.locator("#runs .run:visible").count() == worst
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert (told, asked) == ([], [report.as_uri()])


def test_browser_shows_a_hostile_report_without_running_any_of_it(browser: Any, tmp_path: Path) -> None:
    hostile_report(tmp_path / "report.html")
    page, told, asked = opened(browser, tmp_path / "report.html")
    assert (told, asked) == ([], [(tmp_path / "report.html").as_uri()])
    assert page.title() == HOSTILE[0]


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_browser_page_fits_its_window(browser: Any, tmp_path: Path, width: int) -> None:
    report, _ = made(tmp_path)
    page, _, _ = opened(browser, report, viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    fields = "[...document.querySelectorAll('input, select, button')]"
    assert page.evaluate(f"{fields}.filter((each) => !each.labels?.length && !each.textContent).length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_browser_texts_stand_out_from_their_ground(browser: Any, tmp_path: Path, scheme: str) -> None:
    report, _ = made(tmp_path)
    page, _, _ = opened(browser, report, color_scheme=scheme)
    ratios = page.evaluate(CONTRAST)
    assert min(ratios) >= 4.5


CONTRAST = """() => {
  const light = (color) => {
    const parts = color.match(/[\\d.]+/g).map((part) => Number(part) / 255);
    const [r, g, b] = parts.map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const color = getComputedStyle(node).backgroundColor;
      if (!color.endsWith(", 0)") && !color.includes("/ 0")) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const shown = [...document.querySelectorAll("h1, h2, p, th, td, span, li, b, code, button, footer")].filter((node) => node.offsetParent);
  return shown.filter((node) => !node.className.includes("level")).map((node) => {
    const [a, b] = [light(getComputedStyle(node).color), light(ground(node))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  });
}"""
