"""Is the text exactly this?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from .. import _settings as setting
from .._evaluator import Evaluator, Finding
from .._filling import one_text
from .._model import Trajectory
from .._shown import around, cut, quoted
from ._read import Part, folded, part, read, shown, variant


def equals(
    expected: str | None = None,
    ignore_case: bool = True,
    *,
    text: Part = "all",
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Is the agent's text equal to `expected`?

    Args:
        expected: The whole text; an empty one is met by a run that says nothing. None: each example's `expected_output`.
        ignore_case: Compare case-folded texts (`str.casefold`).
        text: `all`: every assistant text of the run, joined with one space. `final`: the last one.
        kinds: As in every check; texts have no kind.
        agent: As in every check; no record says which agent a text is of, so with it nothing can be scored.
        key: The feedback key, instead of `equals:<expected>`.

    Returns:
        An evaluator that scores 1.0 or 0.0.
    """
    settings = {
        "expected": None if expected is None else setting.any_text("expected", expected),
        "ignore_case": setting.flag("ignore_case", ignore_case),
        "text": part(text),
        "scope": setting.scope(kinds, agent, None),
    }
    return Evaluator(
        "equals",
        _measure,
        settings,
        key=key,
        subject=expected,
        variant=variant(text, ignore_case),
        fill=partial(one_text, "expected", setting.any_text) if expected is None else None,
        evidence="text",
    )


# No character folds to more than three, or to none.
def _measure(run: Trajectory, expected: str, ignore_case: bool, text: str, scope: setting.Scope) -> Finding:
    whole = read(run, text, scope)
    same = whole == expected or (ignore_case and len(whole) <= 3 * len(expected) and folded(run, text) == expected.casefold())
    return same, partial(_explained, run, expected, ignore_case, text, whole, same)


def _explained(run: Trajectory, expected: str, ignore_case: bool, text: str, whole: str, same: bool) -> tuple[str, dict[str, Any]]:
    details = {"expected": cut(expected, 1000), "equal": same, "differs_at": None, "text_length": len(whole)}
    if same:
        return f"the text is as expected; {shown(run, text, whole)}", details
    place = _first_difference(expected, whole, ignore_case)
    details["differs_at"] = place
    theirs, ours = around(whole, place, place, 120), around(expected, place, place, 120)
    where = f"from character {place + 1} it is {theirs}, expected {ours}" if whole and expected else f"expected {quoted(expected, 120)}"
    return f"the text differs: {where}; {shown(run, text, whole)}", details


def _first_difference(expected: str, found: str, ignore_case: bool) -> int:
    for index, (ours, theirs) in enumerate(zip(expected, found, strict=False)):
        if ours != theirs and not (ignore_case and ours.casefold() == theirs.casefold()):
            return index
    return min(len(expected), len(found))
