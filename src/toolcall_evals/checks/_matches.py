"""Does a regular expression match?"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._errors import CouldNotScore
from .._evaluator import Evaluator, Finding
from .._model import Trajectory
from .._shown import around, cut, quoted
from ._pattern import beginning, compiled
from ._read import Part, part, read, shown, variant

_LONGEST_PATTERN = 1_000
"""`regex` prepares a search for a long literal in the third power of its length, where the limit of time does not hold (regex 2026.11:
0.5 s for 1,000 equal letters, 11 s for 3,000)."""

_OVERSHOOT_S = 3e-6
"""By how much a search can miss its limit, for each character of the text: `regex` looks at the clock once in a hundred
attempts, and each may go over the whole text (measured with regex 2026.11: up to 2.5e-6)."""


def matches(
    pattern: str | re.Pattern[str],
    exact: bool = False,
    timeout_s: float = 1.0,
    *,
    text: Part = "all",
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Is the regular expression found in the agent's text?

    Args:
        pattern: In the syntax of Python's `re`: its text, or compiled, with its flags; at most 1,000 characters.
        exact: It must match the whole text, in every alternative.
        timeout_s: How long one search may take, in seconds. Past it the check could not score, nor can it where a text is so long
            that the limit could not be kept (some 300,000 characters a second).
        text: `all`: every assistant text of the run, joined with one space. `final`: the last one.
        kinds: As in every check; texts have no kind.
        agent: As in every check; no record says which agent a text is of, so with it nothing can be scored.
        key: The feedback key, instead of `matches:<pattern>`.

    Returns:
        An evaluator that scores 1.0 or 0.0.

    Raises:
        ValueError: What is no pattern, or a limit that is no time.
    """
    source, flags = (pattern.pattern, pattern.flags) if isinstance(pattern, re.Pattern) else (pattern, 0)
    if len(setting.any_text("pattern", source)) > _LONGEST_PATTERN:
        setting.refuse("pattern", source, f"a regular expression of at most {_LONGEST_PATTERN:,} characters")
    try:
        runnable = compiled(source, flags)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        setting.refuse("pattern", source, f"a regular expression of Python's re ({error})")
    settings = {
        "pattern": runnable,
        "source": source,
        "begins": beginning(source, flags),
        "exact": setting.flag("exact", exact),
        "timeout_s": setting.seconds("timeout_s", timeout_s),
        "text": part(text),
        "scope": setting.scope(kinds, agent, None),
    }
    letters = "".join([letter for letter, flag in zip("aimsx", _FLAGS, strict=True) if flags & flag])
    words = [f"flags.{letters}"] * bool(letters) + ["exact"] * exact + [f"within.{timeout_s}"] * (timeout_s != 1)
    return Evaluator(
        "matches",
        _measure,
        settings,
        key=key,
        subject=source,
        variant=words + variant(text),
        evidence="text",
        shown={"pattern": pattern, **{name: settings[name] for name in ("exact", "timeout_s", "text", "scope")}},
    )


_FLAGS = (re.ASCII, re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE)


def _measure(
    run: Trajectory, pattern: Any, source: str, begins: str, exact: bool, timeout_s: float, text: str, scope: setting.Scope
) -> Finding:
    whole = read(run, text, scope)
    limit = min(timeout_s, 1.1 * timeout_s - _OVERSHOOT_S * len(whole))
    if limit < timeout_s / 10:
        raise CouldNotScore(f"a text of {len(whole):,} characters may take longer than timeout_s={timeout_s:g}; allow more")
    if begins not in whole:
        return False, partial(_explained, run, source, exact, text, whole, None)
    try:
        found = (pattern.fullmatch if exact else pattern.search)(whole, timeout=limit)
    except TimeoutError as error:
        reason = f"{quoted(source, 100)} took longer than timeout_s={timeout_s:g} on a text of {len(whole):,} characters"
        raise CouldNotScore(f"{reason}; write it more tightly or allow more") from error
    return found is not None, partial(_explained, run, source, exact, text, whole, None if found is None else found.span())


def _explained(
    run: Trajectory, source: str, exact: bool, text: str, whole: str, span: tuple[int, int] | None
) -> tuple[str, dict[str, Any]]:
    details = {"pattern": cut(source, 1000), "exact": exact, "matched": None, "at": None, "text_length": len(whole)}
    if span is None:
        return f"{quoted(source, 100)} does not match{' the whole text' if exact else ''}; {shown(run, text, whole)}", details
    details |= {"matched": cut(whole[slice(*span)], 1000), "at": span[0]}
    if exact:
        return f"{quoted(source, 100)} matches the whole text; {shown(run, text, whole)}", details
    return f"{quoted(source, 100)} matches at character {span[0] + 1} of {len(whole)}: {around(whole, *span)}", details
