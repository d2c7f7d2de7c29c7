"""The figures at the top of the page: the verdict, the evaluators, the tools, the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from .._tally import Tally
from ..gates import GateReport, Verdict
from . import _charts as charts
from ._names import OTHERS
from ._shown import breakable, count, duration, plain, share
from ._survey import MOST_CALLS, Survey

MOST_TOOLS = 100
MOST_NAME = 160

VERDICTS = {"passed": "Passed", "scored": "A threshold is missed", "failed": "Failed", "none": "Scored"}


def verdict_of(verdict: Verdict | None, gate: GateReport | None, survey: Survey) -> dict[str, Any]:
    """The verdict in words, with what it rests on."""
    ruled = [key for key in gate.keys if key.rule] if gate else []
    if verdict is None or not ruled:
        return {"kind": "none", "name": VERDICTS["none"], "told": "No gate or threshold was asked of these scores.", "reasons": []}
    broken = [key for key in ruled if not key.held]
    reasons = [f"{plain(key.key, MOST_NAME)}: {'; '.join(map(plain, key.reasons))}" for key in broken]
    if gate is not None and verdict != gate.verdict and survey.unreadable:
        reasons.append(f"{count(survey.unreadable)} rows could not be read, and so could not be scored")
    held = f"{len(ruled) - len(broken)} of {len(ruled)} {'rule holds' if len(ruled) == 1 else 'rules hold'}."
    return {"kind": verdict, "name": VERDICTS[verdict], "told": held, "reasons": reasons}


def figures(survey: Survey, tallies: Sequence[Tally]) -> list[tuple[str, str, str]]:
    """The figures that sum it up: (number, what it counts, a remark)."""
    failed = sum([facts.failed for facts in survey.tools.values()])
    return [
        (count(survey.runs), _of(survey.runs, "run"), f"in {count(len(survey.sources))} {_of(len(survey.sources), 'file')}"),
        (count(survey.flawed), _of(survey.flawed, "run") + " with a score below 1", share(survey.flawed, survey.runs) + " of all"),
        (count(survey.calls), "tool " + _of(survey.calls, "call"), f"{survey.calls / survey.runs:.1f} a run" if survey.runs else ""),
        (count(failed), "failed " + _of(failed, "call"), share(failed, survey.calls) + " of all"),
        (count(survey.unreadable), "unreadable " + _of(survey.unreadable, "row"), "not among the runs" if survey.unreadable else ""),
    ]


def key_rows(tallies: Sequence[Tally], gate: GateReport | None, choices: Mapping[str, int]) -> list[dict[str, Any]]:
    """
    A row for each evaluator.

    Args:
        choices: The number by which the filter knows an evaluator, where a run below fails it.
    """
    rules = {} if gate is None else {key.key: key for key in gate.keys}
    rows = []
    for tally in tallies:
        rule, bounds, mean = rules.get(tally.key), tally.interval, tally.mean
        key = plain(tally.key, MOST_NAME)
        low, high = ("–", "–") if bounds is None else (f"{bounds[0]:.3f}", f"{bounds[1]:.3f}")
        average = "–" if mean is None else f"{mean:.3f}"
        spread = f"{count(tally.ones)} at 1, {count(tally.between)} between, {count(tally.zeros)} at 0; in twentieths {tally.bins}"
        parts = [("scored", tally.scored), ("unscored", tally.unscored), ("absent", tally.not_applicable)]
        counted = f"{tally.scored} scored, {tally.unscored} could not be scored, {tally.not_applicable} not applicable"
        rows.append(
            {
                "key": key,
                "name": breakable(key),
                "rule": rule.rule if rule else "",
                "held": rule is not None and rule.held,
                "reasons": [plain(reason) for reason in rule.reasons] if rule else [],
                "mean": average,
                "bounds": "–" if bounds is None else f"{low} to {high}",
                "interval": Markup(charts.interval(mean, bounds, f"Mean of {key}", f"{average}, 95 % interval {low} to {high}")),
                "bins": Markup(charts.histogram(tally.bins, f"Scores of {key}", spread)),
                "bar": Markup(charts.bar(parts, f"Rows of {key}", counted)),
                "spread": f"{count(tally.zeros)} at 0 · {count(tally.between)} between · {count(tally.ones)} at 1",
                "counts": [count(number) for _, number in parts],
                "choice": choices.get(key),
            }
        )
    return rows


def tool_rows(survey: Survey) -> list[dict[str, Any]]:
    """A row for each tool, the most used first."""
    tools = sorted([item for item in survey.tools.items() if item[0] != OTHERS], key=lambda item: (-item[1].calls, item[0]))
    rows = []
    for name, facts in [*tools[:MOST_TOOLS], *[item for item in survey.tools.items() if item[0] == OTHERS]]:
        others = sorted([(status, number) for status, number in facts.statuses.items() if status != "success"], key=lambda item: -item[1])
        shown = plain(name, MOST_NAME)
        parts = [
            ("success", facts.statuses["success"]),
            ("failed", facts.failed),
            ("open", facts.calls - facts.failed - facts.statuses["success"]),
        ]
        told = ", ".join([f"{number} {kind}" for kind, number in parts])
        rows.append(
            {
                "name": breakable(shown),
                "calls": count(facts.calls),
                "bar": Markup(charts.bar(parts, f"Calls of {shown}", told)),
                "failed": count(facts.failed),
                "failed_share": share(facts.failed, facts.calls),
                "retried": count(facts.retried),
                "retried_share": share(facts.retried, facts.calls),
                "others": ", ".join([f"{number:,} {status}" for status, number in others]) or "–",
                "mean": duration(facts.microseconds / facts.timed / 1e6 if facts.timed else None),
                "longest": duration(facts.longest / 1e6 if facts.timed else None),
            }
        )
    return rows


def calls_per_run(survey: Survey) -> Markup:
    """The histogram of calls per run."""
    last = max(survey.per_run, default=0)
    counts = [survey.per_run.get(number, 0) for number in range(last + 1)]
    labels = [f"{number}+" if number == MOST_CALLS else str(number) for number in range(last + 1)]
    told = "; ".join([f"{number:,} with {label}" for label, number in zip(labels, counts, strict=True) if number])
    return Markup(charts.columns(counts, labels, "Runs by number of calls", told))


def calls_in_words(survey: Survey) -> str:
    """How many calls most runs make."""
    reached, said = 0, list[str]()
    shares = [(0.5, "half of the runs"), (0.95, "95 %")]
    for number in sorted(survey.per_run):
        reached += survey.per_run[number]
        while shares and reached >= shares[0][0] * survey.runs and number < MOST_CALLS:
            said.append(f"{shares.pop(0)[1]} make at most {number}")
    return f"{', '.join(said)[:1].upper()}{', '.join(said)[1:]}." if said else ""


def source_rows(survey: Survey) -> list[dict[str, Any]]:
    """A row for each file."""
    rows = []
    for name, facts in sorted(survey.sources.items(), key=lambda item: (item[0] == OTHERS, item[0])):
        parts = [("failed", facts.flawed), ("success", facts.runs - facts.flawed)]
        shown = plain(name, 300)
        rows.append(
            {
                "name": breakable(shown),
                "runs": count(facts.runs),
                "flawed": count(facts.flawed),
                "share": share(facts.flawed, facts.runs),
                "bar": Markup(charts.bar(parts, f"Runs of {shown}", f"{facts.flawed} of {facts.runs} with a score below 1")),
                "unreadable": count(facts.unreadable),
            }
        )
    return rows


def counted(names: Mapping[str, int], most: int) -> list[tuple[str, str]]:
    """The most frequent names with their counts."""
    return [(plain(name, 400), count(number)) for name, number in first(names, most)]


def first(names: Mapping[str, int], most: int) -> list[tuple[str, int]]:
    """The most frequent names, the rest of them last."""
    return sorted(names.items(), key=lambda item: (item[0] == OTHERS, -item[1], item[0]))[:most]


def _of(number: int, name: str) -> str:
    return name if number == 1 else f"{name}s"
