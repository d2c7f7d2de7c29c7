"""
Score stored traces: files with one JSON object a line, each a run in any form that `to_trajectory` reads.

    python examples/score_traces.py runs.jsonl --called get_user_details --order get_user_details,book_reservation --max-calls 12

Nothing is run again and no model is asked; neither LangGraph nor CrewAI need be installed.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_evals import Evaluator, Score, TraceFormatError, Trajectory, checks, to_trajectory


def evaluators(options: argparse.Namespace) -> list[Evaluator]:
    """The checks that were asked for, beside the two that fit every trace."""
    return [
        checks.no_tool_errors(),
        checks.max_tool_calls(options.max_calls),
        *[checks.called_tool(name) for name in options.called],
        *[checks.did_not_call(name) for name in options.never],
        *[checks.tool_order(names.split(",")) for names in options.order],
        *[checks.excludes(text) for text in options.excludes],
    ]


def records(paths: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Each line's place and its value; a line that is no JSON has None."""
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    try:
                        yield f"{path}:{number}", json.loads(line)
                    except ValueError:
                        yield f"{path}:{number}", None


def read(record: Any) -> Trajectory:
    """The run of one line; what stands beside its messages, such as labels, is not part of it."""
    return to_trajectory({"messages": record["messages"]} if isinstance(record, dict) and "messages" in record else record)


class Report:
    """Counts over all traces, and the reasons of the first failures of each check."""

    def __init__(self, show: int) -> None:
        self.show = show
        self.traces = 0
        self.unreadable: list[str] = []
        self.statuses: Counter[str] = Counter()
        self.scores: dict[str, list[float]] = {}
        self.unscored: Counter[str] = Counter()
        self.reasons: dict[str, list[str]] = {}

    def add(self, place: str, run: Trajectory, scores: Iterable[Score]) -> None:
        self.traces += 1
        self.statuses.update(call.status for call in run.invocations)
        for score in scores:
            numbers = self.scores.setdefault(score.key, [])
            reasons = self.reasons.setdefault(score.key, [])
            if score.score is None:
                self.unscored[score.key] += 1
            else:
                numbers.append(score.score)
            if score.score != 1 and len(reasons) < self.show:
                reasons.append(f"{place}: {score.comment}"[:300])

    def __str__(self) -> str:
        counted = ", ".join(f"{count} {status}" for status, count in self.statuses.most_common()) or "none"
        lines = [f"{self.traces} traces, {len(self.unreadable)} unreadable; tool calls: {counted}"]
        width = max((len(key) for key in self.scores), default=0)
        for key, numbers in self.scores.items():
            passed = sum(number == 1 for number in numbers)
            mean = f"{sum(numbers) / len(numbers):.2f}" if numbers else "-"
            without = f", {self.unscored[key]} could not be scored" if self.unscored[key] else ""
            lines.append(f"{key:{width}}  mean {mean}  {passed} of {len(numbers)} passed{without}")
            lines += [f"    {reason}" for reason in self.reasons[key]]
        return "\n".join([*lines, *[f"unreadable: {problem}" for problem in self.unreadable[: self.show]]])


def main(arguments: list[str] | None = None) -> Report:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--called", action="append", default=[], metavar="TOOL", help="a tool that must be called")
    parser.add_argument("--never", action="append", default=[], metavar="TOOL", help="a tool that must not be called")
    parser.add_argument("--order", action="append", default=[], metavar="A,B", help="tools that must be called in this order")
    parser.add_argument("--excludes", action="append", default=[], metavar="TEXT", help="a text that must not be said")
    parser.add_argument("--max-calls", type=int, default=10, help="how many tool calls are allowed (default 10)")
    parser.add_argument("--show", type=int, default=2, help="how many reasons to print for each check (default 2)")
    options = parser.parse_args(arguments)

    report, built = Report(options.show), evaluators(options)
    for place, record in records(options.files):
        try:
            run = read(record)
        except TraceFormatError as error:
            report.unreadable.append(f"{place}: {error}")
        else:
            report.add(place, run, [evaluator.score(run) for evaluator in built])
    return report


if __name__ == "__main__":
    print(main())
