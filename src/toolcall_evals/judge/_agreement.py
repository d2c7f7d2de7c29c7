"""How far a judge can be trusted: its verdicts against those of people."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .._errors import SettingError
from ._verdict import Grade, Verdict

Label: TypeAlias = Grade | Verdict
GRADES_SHOWN: tuple[Grade, ...] = ("appropriate", "partial", "inappropriate")
Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Agreement:
    """
    What two sets of verdicts have in common.

    Attributes:
        n: How many verdicts were compared.
        observed: The share on which they agree, 0..1.
        kappa: Cohen's kappa, -1..1: agreement beyond chance; None where chance alone would agree on all (only one grade occurs).
        interval: kappa's 95 % interval from its large-sample standard error (Cohen 1960), or None; wide below some 50 verdicts.
        confusion: How often a label (first) met a verdict (second).
    """

    n: int
    observed: float
    kappa: float | None
    interval: tuple[float, float] | None
    confusion: dict[tuple[Grade, Grade], int]

    def __str__(self) -> str:
        kappa = "kappa undefined: only one grade occurs" if self.kappa is None else f"kappa {self.kappa:.2f}"
        bounds = "" if self.interval is None else f" (95 %: {self.interval[0]:.2f} to {self.interval[1]:.2f})"
        head = f"{self.n} verdicts, {self.observed:.0%} equal, {kappa}{bounds}"
        rows = [["label \\ judge", *GRADES_SHOWN]] + [
            [label, *(str(self.confusion.get((label, verdict), 0)) for verdict in GRADES_SHOWN)] for label in GRADES_SHOWN
        ]
        return "\n".join([head, *("  ".join(cell.ljust(13) for cell in row).rstrip() for row in rows)])


def agreement(labelled: Sequence[Label], verdicts: Sequence[Label]) -> Agreement:
    """
    How far do a judge's verdicts agree with people's labels?

    Args:
        labelled: What people said: a grade per call, or a `Verdict` per run.
        verdicts: What the judge said of the same calls or runs, in the same order.

    Raises:
        ValueError: The two are of different lengths, or empty.
    """
    left, right = _grades(labelled), _grades(verdicts)
    if len(left) != len(right) or not left:
        raise SettingError(f"labelled and verdicts must be equally long and not empty, got {len(left)} and {len(right)} grades")
    n = len(left)
    observed = sum(a == b for a, b in zip(left, right, strict=True)) / n
    ours, theirs = Counter(left), Counter(right)
    chance = sum(ours[grade] * theirs[grade] for grade in ours) / n**2
    kappa = interval = None
    if chance < 1:
        kappa = (observed - chance) / (1 - chance)
        error = math.sqrt(observed * (1 - observed) / n) / (1 - chance)
        interval = (max(-1.0, kappa - Z95 * error), min(1.0, kappa + Z95 * error))
    return Agreement(n, observed, kappa, interval, dict(Counter(zip(left, right, strict=True))))


def _grades(labels: Sequence[Label]) -> list[Grade]:
    grades: list[Grade] = []
    for label in labels:
        if isinstance(label, Verdict):
            grades += [each.verdict for each in sorted(label.evaluations, key=lambda each: each.call or 0)]
        elif label in GRADES_SHOWN:
            grades.append(label)
        else:
            raise SettingError(f"a label must be one of {list(GRADES_SHOWN)} or a Verdict, got {label!r}")
    return grades
