"""A test of an agent, run several times: how often it succeeds, and whether that is enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _settings as setting
from ._statistics import pass_at_k, pass_hat_k, wilson_interval
from .testing import NotScoredError

FAILURES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class RepeatSettings:
    """
    The settings of the marker `repeat_agent`.

    Attributes:
        n: How often the body runs.
        k: How many runs the estimate is about.
        every: Whether all of the k runs must succeed (`pass_hat`), or one of them (`pass_at`).
        at_least: What the estimate must reach, 0..1; None: it must be above 0.
    """

    n: int
    k: int
    every: bool
    at_least: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What came of the runs.

    Attributes:
        settings: What was asked.
        succeeded: How many runs succeeded.
        failures: The failure texts of those that did not.
        unscored: The texts of those that could not be scored: they count neither way.
    """

    settings: RepeatSettings
    succeeded: int
    failures: tuple[str, ...]
    unscored: tuple[str, ...]

    @property
    def scored(self) -> int:
        """How many runs count."""
        return self.succeeded + len(self.failures)

    @property
    def passed(self) -> bool:
        """Whether the estimate is high enough; never with fewer than k scored runs."""
        if self.scored < self.settings.k:
            return False
        estimate = (pass_hat_k if self.settings.every else pass_at_k)(self.scored, self.succeeded, self.settings.k)
        return estimate > 0 if self.settings.at_least is None else estimate >= self.settings.at_least - 1e-12

    def __str__(self) -> str:
        k, n, c = self.settings.k, self.scored, self.succeeded
        unscored = f", {len(self.unscored)} could not be scored" if self.unscored else ""
        if n < k:
            return f"could not score: {n} of {self.settings.n} runs were scored, {k} are needed{unscored}"
        low, high = wilson_interval(c, n)
        return f"{c} of {n} succeeded, pass@{k} {pass_at_k(n, c, k):.2f}, pass^{k} {pass_hat_k(n, c, k):.2f}, 95 % interval {low:.2f} to {high:.2f}{unscored}"

    def failure_text(self) -> str:
        """The outcome, and the first failures."""
        wanted = f"{'pass^' if self.settings.every else 'pass@'}{self.settings.k}"
        bar = "above 0" if self.settings.at_least is None else f"at least {self.settings.at_least:g}"
        texts = [f"--- {text}" for text in (self.failures or self.unscored)[:FAILURES_SHOWN]]
        return "\n".join([f"{self}; {wanted} {bar} was expected", *texts])


def settings_of(args: Sequence[Any], kwargs: Mapping[str, Any]) -> RepeatSettings:
    """
    The marker's settings.

    Raises:
        ValueError: A setting that is missing, unknown or out of range.
    """
    unknown = sorted(kwargs.keys() - {"n", "pass_at", "pass_hat", "at_least"})
    if unknown or len(args) > 1 or (args and "n" in kwargs):
        setting.refuse("repeat_agent", unknown or list(args), "given n, pass_at or pass_hat, and at_least")
    n = setting.count("n", args[0] if args else kwargs.get("n"), 1)
    if "pass_at" in kwargs and "pass_hat" in kwargs:
        setting.refuse("repeat_agent", dict(kwargs), "given pass_at or pass_hat, not both")
    every = "pass_hat" in kwargs
    k = setting.count("pass_hat" if every else "pass_at", kwargs.get("pass_hat" if every else "pass_at", 1), 1)
    if k > n:
        setting.refuse("pass_hat" if every else "pass_at", k, f"at most n={n}")
    at_least = kwargs.get("at_least")
    return RepeatSettings(n, k, every, None if at_least is None else setting.fraction("at_least", at_least))


def repeat(body: Callable[[], Any], settings: RepeatSettings) -> Outcome:
    """Run a test's body; an assertion that fails is a run that did not succeed, any other exception ends the test."""
    succeeded = 0
    failures: list[str] = []
    unscored: list[str] = []
    for _ in range(settings.n):
        try:
            body()
        except NotScoredError as error:
            unscored.append(str(error))
        except AssertionError as error:
            failures.append(str(error) or "AssertionError")
        else:
            succeeded += 1
    return Outcome(settings, succeeded, tuple(failures), tuple(unscored))
