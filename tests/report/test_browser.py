"""The report in a browser: filters and search, light and dark, small windows, the keyboard; no request, no message."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from report.made import HOSTILE, hostile_report, made
from toolcall_evals import ToolInvocation, Trajectory
from toolcall_evals.bulk import Outcome
from toolcall_evals.report import Survey, write_report

CHROMIUM = shutil.which("chromium")
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SHOWN = "#cards .run:visible"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (the dependency group browser has it)")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (Debian's package)")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield started
        started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    return made(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_report(tmp_path_factory.mktemp("hostile") / "report.html")


class Opened:
    """A page with what it said on the console and what it asked for."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.path = path
        self.page = browser.new_page(**options)
        self.told: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.told.append(message.text))
        self.page.on("pageerror", lambda error: self.told.append(str(error)))
        self.page.on("dialog", lambda dialog: self.told.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def quiet(self) -> bool:
        """Whether it said nothing and asked for nothing but itself."""
        assert (self.told, self.asked) == ([], [self.path.as_uri()])
        return True


def failed(outcome: Outcome, key: str) -> int:
    """How many of the runs that are shown fail an evaluator."""
    assert outcome.survey is not None
    return sum(key in [failure.key for failure in facts.failed] for facts in outcome.survey.worth_a_look())


def test_filters_and_search_work_without_a_server(browser: Any, report: tuple[Path, Outcome]) -> None:
    path, outcome = report
    opened = Opened(browser, path, viewport={"width": 1280, "height": 900})
    page, every = opened.page, len(outcome.survey.worth_a_look()) if outcome.survey else 0
    assert page.inner_text("#told") == f"{every} of {every} runs shown"
    page.select_option("select[name=key]", label="no_tool_errors")
    some = failed(outcome, "no_tool_errors")
    assert 0 < some < every
    assert page.inner_text("#told") == f"{some} of {every} runs shown" and page.locator(SHOWN).count() == some
    page.select_option("select[name=status]", label="score: could not be scored")
    page.fill("#search", "no such words anywhere")
    assert page.locator(SHOWN).count() == 0 and page.inner_text("#told") == "No run fits; clear the filters to see all"
    page.click("#clear")
    assert page.locator(SHOWN).count() == every
    assert page.evaluate("document.activeElement.id") == "search"
    name = page.locator("#cards .run .name").first.text_content()
    page.keyboard.type(name.upper())
    assert 0 < page.locator(SHOWN).count() <= every
    assert all(name in text for text in page.locator(SHOWN).all_text_contents())
    assert opened.quiet()


def test_each_filter_narrows_to_the_runs_that_it_names(browser: Any, report: tuple[Path, Outcome]) -> None:
    page = Opened(browser, report[0]).page
    for name in ("key", "status", "tool", "source"):
        for option in page.locator(f"select[name={name}] option").all()[1:4]:
            label = option.text_content()
            page.select_option(f"select[name={name}]", label=label)
            words = label.removeprefix("score: ").removeprefix("call: ")
            cards = page.locator(SHOWN).all_text_contents()
            assert cards and (words == "below 1" or all(words in card for card in cards))
        page.click("#clear")


def test_an_evaluator_leads_to_its_worst_runs(browser: Any, report: tuple[Path, Outcome]) -> None:
    path, outcome = report
    opened = Opened(browser, path)
    opened.page.get_by_role("button", name="Show its worst runs for no_tool_errors").click()
    assert opened.page.locator(SHOWN).count() == failed(outcome, "no_tool_errors")
    assert opened.page.evaluate("document.activeElement.id") == "runs" and opened.quiet()


def test_a_link_opens_its_run_also_where_a_filter_hid_it(browser: Any, report: tuple[Path, Outcome]) -> None:
    opened = Opened(browser, report[0])
    page = opened.page
    page.fill("#search", "no such words anywhere")
    link = page.locator(".bars a").last
    link.click()
    card = page.locator(link.get_attribute("href"))
    assert card.is_visible() and card.get_attribute("open") is not None
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY" and opened.quiet()


def test_runs_open_and_close_with_the_keyboard_and_all_at_once(browser: Any, report: tuple[Path, Outcome]) -> None:
    page = Opened(browser, report[0]).page
    page.locator("#cards .run > summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#cards .run[open]").count() == 1
    page.click("#open")
    assert page.locator("#cards .run[open]").count() == page.locator("#cards .run").count()
    page.click("#close")
    assert page.locator("#cards .run[open]").count() == 0


def test_the_first_tab_offers_to_skip_to_the_runs_and_focus_is_seen(browser: Any, report: tuple[Path, Outcome]) -> None:
    page = Opened(browser, report[0]).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the runs"
    for _ in range(12):
        page.keyboard.press("Tab")
        drawn = page.evaluate("(({outlineStyle, outlineWidth}) => [outlineStyle, outlineWidth])(getComputedStyle(document.activeElement))")
        assert drawn == ["solid", "3px"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_button_turns_light_and_dark(browser: Any, report: tuple[Path, Outcome], scheme: str) -> None:
    page = Opened(browser, report[0], color_scheme=scheme).page
    grounds = []
    for _ in range(3):
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert page.get_attribute("#theme", "aria-pressed") == str(grounds[-1] == "rgb(16, 20, 27)").lower()
        page.click("#theme")
    assert grounds[0] == grounds[2] != grounds[1]


def test_a_hostile_report_runs_none_of_what_it_shows(browser: Any, hostile: Path) -> None:
    opened = Opened(browser, hostile)
    page = opened.page
    page.click("#open")
    page.fill("#search", "U+202E")
    assert page.locator(SHOWN).count() == 1
    assert page.title() == HOSTILE[0] and page.locator("script").count() == 1 and opened.quiet()


@pytest.mark.parametrize("kind", ["usual", "hostile"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_is_no_wider_than_its_window(browser: Any, report: tuple[Path, Outcome], hostile: Path, width: int, kind: str) -> None:
    page = Opened(browser, report[0] if kind == "usual" else hostile, viewport={"width": width, "height": 800}).page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_their_ground(browser: Any, report: tuple[Path, Outcome], hostile: Path, scheme: str) -> None:
    for path in (report[0], hostile):
        page = Opened(browser, path, color_scheme=scheme).page
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        faint = [each for each in page.evaluate(CONTRAST) if each[0] < 4.5]
        assert faint == []


def test_controls_are_labelled_and_large_enough_to_touch(browser: Any, report: tuple[Path, Outcome]) -> None:
    page = Opened(browser, report[0], viewport={"width": 390, "height": 844}).page
    controls = page.evaluate(
        """[...document.querySelectorAll("input, select, button, summary, nav a, .bars a")]
          .filter((each) => each.offsetParent).map((each) => [
          (each.labels?.[0]?.textContent || each.textContent).trim(), each.getBoundingClientRect().height])"""
    )
    assert len(controls) > 10
    assert [each for each in controls if not each[0] or each[1] < 24] == []


def test_many_tools_are_folded_and_printed_in_full(browser: Any, tmp_path: Path) -> None:
    survey = Survey()
    survey.add("f", 0, "x", Trajectory(invocations=tuple([ToolInvocation(f"tool {number}") for number in range(15)])), [])
    write_report(tmp_path / "report.html", survey=survey, tallies=[])
    page = Opened(browser, tmp_path / "report.html").page
    rows, button = page.locator("#all-tools tbody tr:visible"), page.locator("#more-tools")
    assert (rows.count(), button.text_content(), button.get_attribute("aria-expanded")) == (10, "Show all 15 tools", "false")
    page.emulate_media(media="print")
    assert rows.count() == 15
    page.emulate_media(media="screen")
    button.click()
    assert (rows.count(), button.text_content(), button.get_attribute("aria-expanded")) == (15, "Show fewer", "true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_prints_without_controls_on_white(browser: Any, report: tuple[Path, Outcome], scheme: str) -> None:
    page = Opened(browser, report[0], color_scheme=scheme).page
    page.click("#theme")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.is_visible("#filters") and not page.is_visible("#theme")
    ratios = [each for each in page.evaluate(CONTRAST) if each[0] < 4.5]
    assert ratios == []


def test_without_a_script_all_of_it_is_there(browser: Any, report: tuple[Path, Outcome]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report[0].as_uri())
    assert page.locator(SHOWN).count() == page.locator("#cards .run").count() > 0
    context.close()


CONTRAST = """() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const over = (above, below) => { const [r, g, b, a = 1] = above; return [r, g, b].map((v, i) => v * a + below[i] * (1 - a)); };
  const light = (color) => {
    const [r, g, b] = color.map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => node ? over(parts(getComputedStyle(node).backgroundColor), ground(node.parentElement)) : [255, 255, 255];
  const words = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
  return [...document.body.querySelectorAll("*")].filter((node) => node.offsetParent && words(node) && !node.closest("script, option"))
    .map((node) => {
      const back = ground(node);
      const [a, b] = [light(over(parts(getComputedStyle(node).color), back)), light(back)];
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.className, node.textContent.slice(0, 40)];
    });
}"""
