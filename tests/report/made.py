"""Reports made for the tests."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from benchmarks.make_traces import Generator, record

from toolcall_evals import Score, ToolInvocation, Trajectory, checks, scorers, to_trajectory
from toolcall_evals.bulk import Outcome, Plan, score_files
from toolcall_evals.gates import gate_tallies
from toolcall_evals.report import Survey, write_report
from toolcall_evals.statistics import mean_interval

EVALUATORS = [checks.no_tool_errors(), checks.max_tool_calls(7), scorers.tool_call_f1()]

HOSTILE = [
    "<script>document.title = 'taken'</script>",
    "</script><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "{{ 7 * 7 }} {% for x in y %}",
    "javascript:alert(1)",
    "\x1b[31mred\x00\ud800\u202etxet\u2066\u200bhidden\U000e0041",
    "]]>--><svg onload=alert(1)>",
    "</style></title></details></textarea><iframe srcdoc='x'>",
    "&lt;b&gt; &#x3c;script&#x3e;",
]


class Page(HTMLParser):
    """The elements of a page, its text without style, script and charts, and the cells of its tables by their rows' heads."""

    APART = frozenset({"dt", "dd", "div", "li", "p", "h1", "h2", "h3", "h4", "span", "th", "td", "button", "details", "ol", "ul", "pre"})
    VOID = frozenset({"meta", "input", "br", "wbr", "line", "rect", "circle"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.text = ""
        self.rows: list[list[str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in self.APART:
            self.handle_data(" ")
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if not {"style", "script", "svg"} & set(self.open):
            self.text += data
            if "tr" in self.open and self.rows[-1]:
                self.rows[-1][-1] += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of each element of a kind."""
        return [attrs for name, attrs in self.elements if name == tag]

    def row(self, head: str) -> list[str]:
        """The cells of the row whose head begins so."""
        return next([" ".join(cell.split()) for cell in row] for row in self.rows if row and row[0].startswith(head))

    @property
    def words(self) -> str:
        """The text with white space folded."""
        return " ".join(self.text.split())


def page_of(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def hostile_report(path: Path) -> Path:
    """A report in which every text that a trace can set is an attack."""
    survey = Survey()
    runs: dict[int, Trajectory] = {}
    for number, text in enumerate(HOSTILE):
        call = ToolInvocation(text, {text: text}, status="error", result=text, agent=text, error=text, id=text)
        raw = ToolInvocation(text, raw_args=text, status="invalid", kind="server", duration_s=2.5)
        run = Trajectory(text, texts=(text,), invocations=(call, raw), warnings=(text,), error=text, source=text, duration_s=float(number))
        diff = {"missing": [{"name": text, "text": text}], "extra": [], "moved": [], "wrong_arguments": [], "violations": []}
        scores = [Score(text, 0.0, comment=text, details={"diff": diff}), Score("ok", 1.0), Score("unsure", None, "could_not_score", text)]
        survey.add(text, number, text, run, scores, {"tool_calls": [{"name": text}, {"name": "other"}]})
        survey.add_unreadable(text, number, text)
        runs[number] = run
    read = {(facts.source, facts.row): runs[facts.row] for facts in survey.worth_a_look()}
    write_report(path, survey=survey, tallies=[], runs=read, title=HOSTILE[0])
    return path


def made(folder: Path, runs: int = 40, gates: tuple[str, ...] = ("no_tool_errors",)) -> tuple[Path, Outcome]:
    """A report on generated runs, with a broken line; each third states what was expected."""
    generator = Generator(errors=0.2)
    records: list[Any] = [record(generator, number) for number in range(runs)]
    for number, each in enumerate(records):
        run = to_trajectory(each)
        if number % 3 == 0:
            wanted = [{"name": call.name} for call in run.invocations[1:]] + [{"name": "refund"}]
            records[number] = {**each, "reference_outputs": {"tool_calls": wanted}}
    path = folder / "runs.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records) + "broken\n", encoding="utf-8")
    outcome = score_files([path], Plan(EVALUATORS, survey=True), folder / "scores.parquet")
    assert outcome.survey is not None
    read = {(path.as_posix(), number): to_trajectory({"messages": each["messages"]}) for number, each in enumerate(records)}
    gate = gate_tallies(outcome.tallies, list(gates), {"max_tool_calls:7": 0.1})
    report = folder / "report.html"
    write_report(report, survey=outcome.survey, tallies=outcome.tallies, gate=gate, verdict=gate.verdict, runs=read)
    return report, outcome


def agree(page: Page, scores: list[dict[str, Any]]) -> None:
    """The figures of a page are those of an output's rows, worked out anew."""
    for key in dict.fromkeys([row["key"] for row in scores]):
        numbers = [row["score"] for row in scores if row["key"] == key and row["score"] is not None]
        statuses = [row["status"] for row in scores if row["key"] == key]
        bounds = mean_interval(numbers)
        assert page.row(key)[1:] == [
            f"{sum(numbers) / len(numbers):.3f}" if numbers else "–",
            f"{bounds[0]:.3f} to {bounds[1]:.3f}" if bounds else "–",
            f"{numbers.count(0)} at 0 · {sum(0 < number < 1 for number in numbers)} between · {numbers.count(1)} at 1",
            *[str(statuses.count(status)) for status in ("scored", "could_not_score", "not_applicable")],
        ]
    runs = {(row["source"], row["row"]) for row in scores}
    flawed = {(row["source"], row["row"]) for row in scores if row["score"] is not None and row["score"] < 1}
    sources = {source for source, _ in runs}
    assert f"runs {len(runs)} in {len(sources)} file" in page.words and f"runs with a score below 1 {len(flawed)} " in page.words
    for source in sources:
        cells = [row for row in page.rows if row and "".join(row[0].split()) == source][-1]  # the table of files is the last
        assert [cell.strip() for cell in cells[1:3]] == [str(sum(at == source for at, _ in some)) for some in (runs, flawed)]
