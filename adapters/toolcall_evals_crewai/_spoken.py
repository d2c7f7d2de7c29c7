"""A completion of the text path as a message holds it: what the model wrote, with the framework's observation appended.

Two things make it ambiguous: a model that ignores its stop word writes observations of its own, and a tool's result may hold
the protocol's words. What CrewAI's parser does decides (`agents/parser.py`, crewai 1.15.30): a final answer wins and nothing runs;
otherwise the first action is taken, with all that follows as its input, which is repaired if it can be.
"""

from __future__ import annotations

import re

from ._joined import Joined
from ._protocol import OBSERVATION, claims_in
from ._stated import stated
from ._steps import Step
from ._told import FAILURE_TAIL, TAILS, status_told, without_tail

_TAUGHT = "Action Input:"
_INPUT = re.compile(r"Action[ \t]*\d*[ \t]*Input[ \t]*\d*[ \t]*\**[ \t]*:\**")
_TOOL_NAME = re.compile(r"^Tool Name: (.+)$", re.MULTILINE)


def teaches(prompt: str) -> bool:
    """Whether a prompt tells the model to speak the text protocol."""
    return _TAUGHT in prompt


def tools_in(prompt: str) -> set[str]:
    """The tools that a prompt of the text path lists."""
    return {name.strip() for name in _TOOL_NAME.findall(prompt)}


def speaks(content: str) -> bool:
    """Whether a text may state a call."""
    return "Action" in content and _INPUT.search(content) is not None


def read_spoken(content: str, *, runs: bool, followed: bool, names: set[str], last: bool, warnings: list[str]) -> list[Joined]:
    """
    The calls of one assistant message of the text path.

    Args:
        content: The message's text.
        runs: The framework reads the protocol; False where a model merely writes that way (native path).
        followed: Another message follows, so this one was not the final answer.
        names: The tools that the agent is known to have.
        last: No other completion follows.
        warnings: Where to say what is doubtful.
    """
    step = Step(0, "", text=content)
    if runs and ("Final Answer:" not in _without_tails(content) or followed):
        _split(step, _without_tails(content), warnings)
    return sorted(stated(step, [], [], names, last, warnings), key=lambda joined: joined.index)


def own_text(content: str) -> str:
    """What the model wrote of a message that may end in the framework's observation."""
    step = Step(0, "", text=content)
    _split(step, _without_tails(content), [])
    return step.text or ""


def _without_tails(content: str) -> str:
    """A message without what the framework appended behind a result: it holds the protocol's words too."""
    for tail in TAILS:
        at = content.rfind(tail)
        if at >= 0:
            content = content[:at]
    at = content.rfind(FAILURE_TAIL)
    return content[:at] if at >= 0 and "I encountered an error" in content[:at] else content


def _split(step: Step, content: str, warnings: list[str]) -> None:
    """Part a message at the framework's observation, the last one unless what stands before it could not have run."""
    ends = [match.start() for match in re.finditer(r"\nObservation:(?= |\n|\Z)", content)]
    stated_at = [(claim.at, claim.name) for claim in claims_in(content)]  # of what stands before an end, those are the same
    answered = content.find("Final Answer:")
    ends = [end for end in ends if (answered < 0 or end < answered + len("Final Answer:")) and stated_at and stated_at[0][0] <= end]
    if not ends:
        return
    other = next((at for at, name in stated_at if name != stated_at[0][1]), len(content))  # from here on, two tools are named
    likely = [end for end in ends if end < other or _refuses(content, end)]
    failed = [end for end in likely if _refuses(content, end) or _after(content, end).lstrip().startswith("I encountered an error")]
    end = failed[0] if failed else likely[-1] if likely else ends[-1]  # no tool's text stands before CrewAI's own report of a failure
    if len(ends) > 1:
        warnings.append("a message holds several observations; the messages alone cannot show which of them a tool gave")
    step.text, step.told = content[:end], _after(content, end)
    claims = claims_in(step.text)
    begin = _INPUT.search(step.text)
    mixed = len({claim.name for claim in claims}) > 1
    written = step.text[begin.end() :].strip() if mixed and begin else claims[-1].input
    step.action = (claims[0].name, written)


def _refuses(content: str, end: int) -> bool:
    return status_told(without_tail(_after(content, end))) == "invalid"


def _after(content: str, end: int) -> str:
    return content[end:].removeprefix(OBSERVATION).removeprefix("\nObservation:")
