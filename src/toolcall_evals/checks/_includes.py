"""Does the text contain something, or not?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._filling import one_text
from .._model import Trajectory
from .._shown import around, cut, quoted
from ._read import Part, folded, occurs, original_span, part, read, shown, variant


def includes(
    expected: str | None = None,
    ignore_case: bool = True,
    *,
    text: Part = "all",
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Does the agent's text contain `expected`?

    Args:
        expected: What it should contain. None: each example's `expected_output`.
        ignore_case: Compare case-folded texts (`str.casefold`).
        text: `all`: every assistant text of the run, joined with one space. `final`: the last one.
        kinds: As in every check; texts have no kind.
        agent: As in every check; no record says which agent a text is of, so with it nothing can be scored.
        key: The feedback key, instead of `includes:<expected>`.

    Returns:
        An evaluator that scores 1.0 or 0.0; a run without text scores 0.0.

    Raises:
        ValueError: An empty `expected`.
    """
    return _evaluator("includes", "expected", expected, ignore_case, text, setting.scope(kinds, agent, None), key)


def excludes(
    unwanted: str,
    ignore_case: bool = True,
    *,
    text: Part = "all",
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Does the agent's text not contain `unwanted`?

    Args:
        unwanted: What it must not contain.
        ignore_case: Compare case-folded texts (`str.casefold`).
        text: `all`: every assistant text of the run, joined with one space. `final`: the last one.
        kinds: As in every check; texts have no kind.
        agent: As in every check; no record says which agent a text is of, so with it nothing can be scored.
        key: The feedback key, instead of `excludes:<unwanted>`.

    Returns:
        An evaluator that scores 1.0 or 0.0; a run without text scores 1.0.

    Raises:
        ValueError: An empty `unwanted`.
    """
    setting.text("unwanted", unwanted)
    return _evaluator("excludes", "unwanted", unwanted, ignore_case, text, setting.scope(kinds, agent, None), key)


def _evaluator(
    check: str, name: str, needle: str | None, ignore_case: bool, text: Part, scope: setting.Scope, key: str | None
) -> Evaluator:
    settings = {
        "needle": None if needle is None else setting.text(name, needle),
        "ignore_case": setting.flag("ignore_case", ignore_case),
        "text": part(text),
        "scope": scope,
    }
    return Evaluator(
        check,
        _measure_includes if check == "includes" else _measure_excludes,
        settings,
        key=key,
        subject=needle,
        variant=variant(text, ignore_case),
        fill=partial(one_text, "needle", setting.text) if needle is None else None,
        evidence="text",
        negative=check == "excludes",
        shown={name: needle, "ignore_case": ignore_case, "text": text, "scope": scope},
    )


def _measure_includes(run: Trajectory, needle: str, ignore_case: bool, text: str, scope: setting.Scope) -> Finding:
    whole = read(run, text, scope)
    return occurs(run, text, whole, needle, ignore_case), partial(_explained, run, needle, ignore_case, text)


def _measure_excludes(run: Trajectory, needle: str, ignore_case: bool, text: str, scope: setting.Scope) -> Finding:
    whole = read(run, text, scope)
    return not occurs(run, text, whole, needle, ignore_case), partial(_explained, run, needle, ignore_case, text)


def _explained(run: Trajectory, needle: str, ignore_case: bool, text: str) -> tuple[str, dict[str, Any]]:
    whole = run.output if text == "all" else run.final_text
    wanted = needle.casefold() if ignore_case else needle
    start = (folded(run, text) if ignore_case else whole).find(wanted)
    details = {"looked_for": cut(needle, 1000), "found": start >= 0, "at": None, "text_length": len(whole)}
    if start < 0:
        return f"{quoted(needle, 100)} does not occur; {shown(run, text, whole)}", details
    first, last = original_span(whole, start, start + len(wanted)) if ignore_case else (start, start + len(wanted))
    details["at"] = first
    return f"{quoted(needle, 100)} occurs at character {first + 1} of {len(whole)}: {around(whole, first, last)}", details
