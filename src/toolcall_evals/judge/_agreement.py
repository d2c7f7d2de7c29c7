"""How far a judge can be trusted: its verdicts against those of people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from .._errors import SettingError
from ._verdict import Evaluation, Grade, Verdict

Label: TypeAlias = Grade | Verdict
GRADES_SHOWN: tuple[Grade, ...] = ("appropriate", "partial", "inappropriate")
Z95 = 1.959963984540054
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Agreement:
    """
    What two sets of verdicts have in common.

    Attributes:
        n: How many verdicts were compared; of whole `Verdict`s, those on calls.
        observed: The share on which they agree, 0..1; None where there are none.
        kappa: Cohen's kappa, -1..1: agreement beyond chance; None where chance alone would agree on all (only one grade occurs).
        interval: kappa's 95 % interval from its large-sample standard error (Cohen 1960), or None; wide below some 50 verdicts.
        confusion: How often a label (first) met a verdict (second).
        no_call: The same of the runs without calls: whether that was right, True or False; None where there are none.
        missing_tools: The same of the tools that either side says a run misses, True or False. It has no kappa, since what both leave out
            is not counted. None where no tool is said to be missing.
    """

    n: int
    observed: float | None
    kappa: float | None
    interval: tuple[float, float] | None
    confusion: dict[tuple[Any, Any], int]
    no_call: Agreement | None = None
    missing_tools: Agreement | None = None

    def __str__(self) -> str:
        parts = [self._table("verdicts", GRADES_SHOWN)] if self.n or not (self.no_call or self.missing_tools) else []
        parts += [self.no_call._table("runs without calls, whether that was right", (True, False))] if self.no_call else []
        parts += [self.missing_tools._table("tools said to be missing", (True, False))] if self.missing_tools else []
        return "\n".join(parts)

    def _table(self, what: str, answers: Sequence[Any]) -> str:
        kappa = "kappa undefined: only one grade occurs" if self.kappa is None else f"kappa {self.kappa:.2f}"
        if self.kappa is None and True in answers:
            kappa = "no kappa"
        bounds = "" if self.interval is None else f" (95 %: {self.interval[0]:.2f} to {self.interval[1]:.2f})"
        head = f"{self.n} {what}, {self.observed or 0:.0%} equal, {kappa}{bounds}"
        rows = [["label \\ judge", *map(str, answers)]] + [
            [str(label), *(str(self.confusion.get((label, verdict), 0)) for verdict in answers)] for label in answers
        ]
        return "\n".join([head, *("  ".join(cell.ljust(13) for cell in row).rstrip() for row in rows)])


def agreement(labelled: Sequence[Label], verdicts: Sequence[Label]) -> Agreement:
    """
    How far do a judge's verdicts agree with people's labels?

    Whole verdicts are compared run by run: their calls by number (by name and order where a side gives no numbers), whether making no call
    was right, and each tool that either side says is missing.

    Args:
        labelled: What people said: a grade per call, or a `Verdict` per run.
        verdicts: What the judge said of the same calls or runs, in the same order and of the same kind.

    Raises:
        ValueError: The two are of different lengths, empty or of different kinds, or only one side judged a call or a run without calls.
    """
    if len(labelled) != len(verdicts) or not labelled:
        raise SettingError(f"labelled and verdicts must be equally long and not empty, got {len(labelled)} and {len(verdicts)}")
    grades: list[tuple[Any, Any]] = []
    no_call: list[tuple[Any, Any]] = []
    missing: list[tuple[Any, Any]] = []
    alone: list[str] = []
    for number, (left, right) in enumerate(zip(labelled, verdicts, strict=True), 1):
        for label in (left, right):
            if not isinstance(label, Verdict) and label not in GRADES_SHOWN:
                raise SettingError(f"a label must be one of {list(GRADES_SHOWN)} or a Verdict, got {label!r}")
        if isinstance(left, Verdict) and isinstance(right, Verdict):
            found = list(_calls(left, right, number))
            alone += [what for what in found if isinstance(what, str)]
            grades += [pair for pair in found if not isinstance(pair, str)]
            if not found:
                sides = left.no_call_was_right, right.no_call_was_right
                if (sides[0] is None) != (sides[1] is None):
                    alone.append(f"run {number}, whether making no call was right, only in {_side(sides[0] is not None)}")
                no_call += [sides] if None not in sides else []
            named = {*left.missing_tools, *right.missing_tools}
            missing += [(name in left.missing_tools, name in right.missing_tools) for name in sorted(named)]
        elif isinstance(left, Verdict) or isinstance(right, Verdict):
            raise SettingError(f"labelled and verdicts must be of one kind, grades or Verdicts; number {number} is a grade on one side")
        else:
            grades.append((left, right))
    if alone:
        more = f" and {len(alone) - _NAMED} more" if len(alone) > _NAMED else ""
        raise SettingError(f"labelled and verdicts must judge the same calls; judged by one side: {'; '.join(alone[:_NAMED])}{more}")
    if not (grades or no_call or missing):
        raise SettingError("labelled and verdicts must not be empty: nothing was judged in any of their runs")
    about_missing = replace(_compared(missing), kappa=None, interval=None) if missing else None
    return replace(_compared(grades), no_call=_compared(no_call) if no_call else None, missing_tools=about_missing)


def _calls(left: Verdict, right: Verdict, run: int) -> Iterator[tuple[Grade, Grade] | str]:
    """The pairs of grades on one run's calls; as text, the calls that one side alone has judged."""
    numbered = all(each.call is not None for each in (*left.evaluations, *right.evaluations))
    labels, judged = _placed(left.evaluations, numbered, run), _placed(right.evaluations, numbered, run)
    for place in sorted({*labels, *judged}):
        label, verdict = labels.get(place), judged.get(place)
        if label is not None and verdict is not None and label.tool_called == verdict.tool_called:
            yield label.verdict, verdict.verdict
        elif label is not None and verdict is not None:
            yield f"run {run}, call {place[1]}: {label.tool_called!r} in labelled, {verdict.tool_called!r} in verdicts"
        else:
            which = f"call {place[1]}" if numbered else f"call {place[1]} of {place[0]!r}"
            yield f"run {run}, {which}, only in {_side(label is not None)}"


def _placed(evaluations: Sequence[Evaluation], numbered: bool, run: int) -> dict[tuple[str, int], Evaluation]:
    """Evaluations by their number, or by name and order."""
    placed: dict[tuple[str, int], Evaluation] = {}
    seen: Counter[str] = Counter()
    for each in sorted(evaluations, key=lambda each: each.call or 0):
        seen[each.tool_called] += 1
        place = ("", each.call or 0) if numbered else (each.tool_called, seen[each.tool_called])
        if place in placed:
            raise SettingError(f"a verdict must judge each call once; run {run} has two on call {place[1]}")
        placed[place] = each
    return placed


def _side(is_label: bool) -> str:
    return "labelled" if is_label else "verdicts"


def _compared(pairs: Sequence[tuple[Any, Any]]) -> Agreement:
    n = len(pairs)
    if not n:
        return Agreement(0, None, None, None, {})
    observed = sum(a == b for a, b in pairs) / n
    ours, theirs = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(ours[grade] * theirs[grade] for grade in ours) / n**2
    kappa = interval = None
    if chance < 1:
        kappa = (observed - chance) / (1 - chance)
        error = math.sqrt(observed * (1 - observed) / n) / (1 - chance)
        interval = (max(-1.0, kappa - Z95 * error), min(1.0, kappa + Z95 * error))
    return Agreement(n, observed, kappa, interval, dict(Counter(pairs)))
