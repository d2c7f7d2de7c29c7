"""Which of the assistant's texts a text check reads, and how its comment shows them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .. import _settings as setting
from .._errors import CouldNotScore
from .._model import Trajectory
from .._shown import quoted

Part: TypeAlias = Literal["all", "final"]


def part(value: Part) -> str:
    """The setting `text=`: `all`, every assistant text joined with one space, or `final`, the last."""
    return setting.choice("text", value, ("all", "final"))


def variant(text: str, ignore_case: bool = True) -> list[str]:
    """What tells a text check apart in its key, beside the text."""
    return ([] if ignore_case else ["case"]) + ([] if text == "all" else ["final"])


def read(run: Trajectory, text: str, scope: setting.Scope) -> str:
    """
    The text to check.

    Raises:
        CouldNotScore: Only some agents' texts are wanted: no record tells them apart.
    """
    if scope.agents is not None:
        raise CouldNotScore("agent= is set, and the record does not say which agent a text is of; leave it out for text checks")
    return run.output if text == "all" else run.final_text


_INTO_ASCII = "ßİŉſǰẖẗẘẙẚẞ\N{KELVIN SIGN}ﬀﬁﬂﬃﬄﬅﬆ"
"""The characters beyond ASCII that fold to something with an ASCII character in it (Unicode 15, full case folding)."""


def folded(run: Trajectory, text: str) -> str:
    """The case-folded text that `read` gives."""
    if text != "all":
        return run.final_text.casefold()
    known = run._folded
    if known is None:
        known = run.output.casefold()
        object.__setattr__(run, "_folded", known)
    return known


def occurs(run: Trajectory, text: str, whole: str, needle: str, ignore_case: bool) -> bool:
    """Whether the text that `read` gave holds another."""
    if needle in whole:
        return True
    if not ignore_case:
        return False
    wanted = needle.casefold()
    if wanted.isascii() and not whole.isascii():  # folding takes longer than everything else that is asked of a run
        if wanted.encode() in whole.encode("utf-8", "surrogatepass").lower():
            return True
        for character in _INTO_ASCII:
            if character in whole:
                break
        else:
            return False
    return wanted in folded(run, text)


def shown(run: Trajectory, text: str, read_text: str) -> str:
    """The text that was read, for a comment."""
    count = sum(1 for each in run.texts if each)
    which = "the final text" if text == "final" else "no text" if not count else "the text" if count == 1 else f"{count} texts"
    return f"read {which}: {quoted(read_text)}" if read_text else f"read {which}, which is empty" if count else "there is no text"


def original_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Where text.casefold()[start:end] is in `text`: folding can make one character into three."""
    if text.isascii() or (end <= len(text) and len(text[:end].casefold()) == end):  # no character folds to none
        return start, end
    first, last, folded = 0, len(text), 0
    for index, character in enumerate(text):
        if folded <= start:
            first = index
        folded += len(character.casefold())
        if folded >= end:
            last = index + 1
            break
    return first, last
