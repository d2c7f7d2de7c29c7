"""The text protocol: Thought / Action / Action Input / Observation / Final Answer, as CrewAI's parser reads it.

Only what a model wrote is read here; what the framework appended must be cut off before, since its texts hold the same words.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from typing import Any

from toolcall_evals.messages import read_arguments

OBSERVATION = "\nObservation: "
"""What CrewAI puts between a completion and the tool's result."""

_MARK = re.compile(
    r"^[ \t>*`]*(?:(?P<thought>Thought)|(?P<input>Action[ \t]*\d*[ \t]*Input)|(?P<action>Action)"
    r"|(?P<observation>Observation)|(?P<answer>Final[ \t]Answer))"
    r"[ \t]*\d*[ \t]*\**[ \t]*:\**",
    re.MULTILINE,
)
_INPUT = re.compile(r"Action[ \t]*\d*[ \t]*Input[ \t]*\d*[ \t]*\**[ \t]*:\**")
_PLACEHOLDER = re.compile(r"\[|<|the action to take|the tool to use", re.IGNORECASE)
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Claim:
    """
    A call that a completion states.

    Attributes:
        name: The tool, as the model wrote it.
        input: The Action Input, as the model wrote it.
        observation: The result that the model wrote itself, or None.
        answered: A final answer follows in the same completion, so CrewAI takes that and runs nothing.
        quoted: It stands inside the final answer.
        at: Where its input begins.
    """

    name: str
    input: str
    observation: str | None = None
    answered: bool = False
    quoted: bool = False
    at: int = field(default=0, compare=False)


def claims_in(text: str) -> list[Claim]:
    """The calls that a completion states, in order."""
    if "Action" not in text:
        return []
    found: list[Claim] = []
    answers = [mark.start() for mark in _MARK.finditer(text) if mark.group("answer")]
    position = 0
    while (mark := _MARK.search(text, position)) is not None:
        position = mark.end()
        if not mark.group("action"):
            continue
        start, body = mark.start(), _INPUT.search(text, position)
        following = _MARK.search(text, position)
        if body is None or (following is not None and not following.group("input") and following.start() < body.start()):
            continue
        name = text[position : body.start()].strip("*`\"' \t\r\n")
        written, position = _input(text, body.end())
        observation, position = _observation(text, position)
        if not name or "\n" in name or _PLACEHOLDER.match(name):
            continue
        quoted = bool(answers) and answers[0] < start
        found.append(Claim(name, written, observation, bool(answers) and answers[-1] > start, quoted, body.end()))
    return found


def thought_in(text: str) -> str:
    """What a completion says before it acts."""
    mark = next((mark for mark in _MARK.finditer(text) if mark.group("action")), None)
    before = text if mark is None else text[: mark.start()]
    return _MARK.sub("", before.replace("```", "")).strip()


def answer_in(text: str) -> str | None:
    """The final answer of a completion, or None when it gives none."""
    if "Final Answer:" not in text:
        return None
    answer = text.split("Final Answer:")[-1].strip()
    if answer.endswith("```") and answer.count("```") % 2:
        answer = answer[:-3].rstrip()
    return answer


def read_input(written: Any) -> tuple[dict[str, Any] | None, str | None]:
    """
    Read an Action Input: JSON, or a Python literal as CrewAI accepts it.

    Returns:
        The object, or None with the text as it came.
    """
    if not isinstance(written, str):
        return read_arguments(written)
    text = written.strip().removesuffix("```").strip().strip('"').strip()
    args, _ = read_arguments(text)
    if args is not None:
        return args, None
    if text.startswith("{"):
        try:
            literal = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            literal = None
        if isinstance(literal, dict) and all(isinstance(key, str) for key in literal):
            return literal, None
    return None, written


def _input(text: str, start: int) -> tuple[str, int]:
    """An input and where it ends: a whole JSON object, whatever words are in it, or all up to the next marker."""
    begin = start
    while begin < len(text) and text[begin] in " \t\r\n":
        begin += 1
    if text.startswith("{", begin):
        try:
            _, end = _decode(text, begin)
        except (ValueError, RecursionError):
            end = -1
        if end > 0:
            following = _MARK.search(text, end)
            rest = text[end : following.start() if following else len(text)]
            if not rest.strip(" \t\r\n`\"'.*"):
                return text[begin:end], end
    following = _MARK.search(text, start)
    end = following.start() if following else len(text)
    return text[start:end].strip(), end


def _observation(text: str, start: int) -> tuple[str | None, int]:
    mark = _MARK.search(text, start)
    if mark is None or not mark.group("observation"):
        return None, start
    following = _MARK.search(text, mark.end())
    end = following.start() if following else len(text)
    return text[mark.end() : end].strip(), end
