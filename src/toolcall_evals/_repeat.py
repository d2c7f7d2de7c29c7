"""A test of an agent, run several times: how often it succeeds, and whether that is enough."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Any

from . import _settings as setting
from .statistics import pass_at_k, pass_hat_k, wilson_interval
from .testing import NotScoredError, _failed_before

TEXTS_SHOWN = 3

LINES_SHOWN = 200
LINE_LENGTH = 1_000
"""Of the text of one run: an agent's exception may hold whatever its tools returned."""

_UNPRINTABLE = re.compile("[^\n\t\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff](?!\\[[0-9;]*m)")
"""Control characters; not the one that begins a colour, which failure texts have."""

SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class RepeatSettings:
    """
    The settings of the marker `repeat_agent`.

    Attributes:
        n: How often the body runs.
        k: How many runs the estimate is about.
        every: Whether all of the k runs must succeed (`pass_hat`), or one of them (`pass_at`).
        at_least: What the estimate must reach, 0..1. None: one success shows that it can be done (`pass_at`: above 0), and one failure
            that it cannot be relied on (`pass_hat`: 1).
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
        failures: The texts of those that did not.
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
        if self.settings.at_least is None:
            return not self.failures and not self.unscored if self.settings.every else self.succeeded > 0
        estimate = (pass_hat_k if self.settings.every else pass_at_k)(self.scored, self.succeeded, self.settings.k)
        return estimate >= self.settings.at_least - SLACK

    def __str__(self) -> str:
        k, n, c = self.settings.k, self.scored, self.succeeded
        unscored = f", {len(self.unscored)} could not be scored" if self.unscored else ""
        if n < k:
            return f"could not score: {n} of {self.settings.n} runs were scored, {k} are needed"
        low, high = wilson_interval(c, n)
        estimates = f"pass@{k} {pass_at_k(n, c, k):.2f}, pass^{k} {pass_hat_k(n, c, k):.2f}"
        return f"{c} of {n} succeeded, {estimates}, 95 % interval {low:.2f} to {high:.2f}{unscored}"

    def failure_text(self) -> str:
        """The outcome, and the first texts of runs that did not succeed."""
        texts = [*self.failures, *self.unscored]
        more = [f"--- and {len(texts) - TEXTS_SHOWN} more"] if len(texts) > TEXTS_SHOWN else []
        return "\n".join([f"{self}{self._missed()}", *[f"--- {text}" for text in texts[:TEXTS_SHOWN]], *more])

    def _missed(self) -> str:
        k, least = self.settings.k, self.settings.at_least
        if self.scored < k:
            return ""
        if least is not None:
            return f"; pass{'^' if self.settings.every else '@'}{k} at least {least:g} was expected"
        return "; every run was expected to succeed (at_least= asks for less)" if self.settings.every else "; a success was expected"


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


def repeat(
    body: Callable[[], Any],
    renew: Callable[[], Any],
    settings: RepeatSettings,
    failing: type[BaseException] = AssertionError,
    ending: type[BaseException] | tuple[type[BaseException], ...] = (),
    leaving: type[BaseException] | tuple[type[BaseException], ...] = (),
) -> Outcome:
    """
    Run a test's body n times.

    An assertion that fails is a run that did not succeed, also one of a group of nothing else and one that a `soft()` block had collected
    before a crash. Any other exception is a crash: that run could not be scored.

    Args:
        body: The body.
        renew: Called before each run but the first; what it raises ends the test, unless it is of `ending`.
        settings: What was asked.
        failing: What is a failure beside `AssertionError`.
        ending: What a run may end with that says nothing of the agent, such as a skip, even where it is a kind of `failing`: it could not
            be scored. Where every run ends so, the test ends as the first did.
        leaving: What ends the whole session.
    """
    succeeded = 0
    failures: list[str] = []
    unscored: list[str] = []
    ended: list[BaseException] = []
    for number in range(1, settings.n + 1):
        try:
            if number > 1:
                renew()
        except ending as error:
            ended.append(error)
            unscored.append(f"run {number}: {type(error).__name__}: {_text(error)}")
            continue
        try:
            body()
        except leaving:
            raise
        except ending as error:
            ended.append(error)
            unscored.append(f"run {number}: {type(error).__name__}: {_text(error)}")
        except NotScoredError as error:
            unscored.append(f"run {number}: {_text(error)}")
        except (AssertionError, failing) as error:
            failures.append(f"run {number}: {_text(error) or type(error).__name__}")
        except Exception as error:  # noqa: BLE001 - whatever the agent raised
            (failures if _is_failure(error, failing) else unscored).append(f"run {number}: {_crash(error)}")
        else:
            succeeded += 1
    if len(ended) == settings.n:
        raise ended[0]
    return Outcome(settings, succeeded, tuple(failures), tuple(unscored))


def _crash(error: Exception) -> str:
    frame = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {_text(error, f' ({Path(frame.filename).name}:{frame.lineno})')}"


def _is_failure(error: Exception, failing: type[BaseException]) -> bool:
    """Whether what is no assertion itself says that one failed."""
    if isinstance(error, ExceptionGroup):
        _, others = error.split(lambda each: isinstance(each, AssertionError | failing) and not isinstance(each, NotScoredError))
        return others is None
    return _failed_before(error)


def _text(error: BaseException, place: str = "") -> str:
    """What an error says, with its place and its notes (a `soft()` block's failures, Hypothesis' example), ready for a terminal."""
    parts = list(error.exceptions) if isinstance(error, ExceptionGroup) else []
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - it is somebody's
        words = "(it cannot be shown)"
    texts = [f"{words}{place}", *getattr(error, "__notes__", ()), *[f"{type(part).__name__}: {_text(part)}" for part in parts]]
    lines = _UNPRINTABLE.sub("?", "\n".join(map(str, texts))).split("\n")
    shown = [line if len(line) <= LINE_LENGTH else f"{line[:LINE_LENGTH]} ..." for line in lines[:LINES_SHOWN]]
    return "\n".join([*shown, f"... and {len(lines) - LINES_SHOWN} more lines"] if len(lines) > LINES_SHOWN else shown)
