"""Tool names, as CrewAI cleans them before a model sees them."""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from difflib import SequenceMatcher

from toolcall_evals import InvocationDraft

FRAMEWORK_TOOLS = frozenset(
    {
        "delegate_work_to_coworker",
        "ask_question_to_coworker",
        "read_a_deferred_tool_result",
        "search_memory",
        "save_to_memory",
        "read_file",
        "add_image_to_content",
        "create_reasoning_plan",
    }
)
"""What CrewAI itself gives its agents (crewai 1.15.30), by cleaned name."""

_LONGEST = 64
_NEAR = 0.85
_ACRONYM = re.compile(r"([A-Z]+)([A-Z][a-z])")
_CAMEL = re.compile(r"([a-z])([A-Z])")
_QUOTES = re.compile(r"['\"]+")
_OTHERS = re.compile(r"[^a-z0-9]+")


@functools.lru_cache(maxsize=1024)
def cleaned(name: str) -> str:
    """The name that CrewAI makes of a tool's name (`sanitize_tool_name`, crewai 1.9 to 1.15); may be empty."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = _CAMEL.sub(r"\1_\2", _ACRONYM.sub(r"\1_\2", plain)).lower()
    plain = _OTHERS.sub("_", _QUOTES.sub("", plain)).strip("_")
    if len(plain) <= _LONGEST:
        return plain
    suffix = "_" + hashlib.sha256(plain.encode()).hexdigest()[:8]
    return plain[: _LONGEST - len(suffix)].rstrip("_") + suffix


@functools.lru_cache(maxsize=1024)
def tool_name(name: str) -> str:
    """The name to show for a tool: the cleaned one, or `name` itself where cleaning would lose letters of it."""
    lost = any(ord(letter) > 127 and letter.isalnum() for letter in unicodedata.normalize("NFKD", name))
    return name if lost else cleaned(name) or name


def same_tool(one: str, other: str) -> bool:
    """Whether two names differ at most by CrewAI's cleaning."""
    if one == other or tool_name(one) == tool_name(other):
        return True
    plain = cleaned(one)
    return plain == cleaned(other) and (plain != "" or not one or not other)


@functools.lru_cache(maxsize=1024)
def resolves(asked: str, ran: str) -> bool:
    """Whether a call of `asked` may have run `ran`: the text path takes the nearest name (crewai 1.15.30: ratio above 0.85)."""
    if same_tool(asked, ran):
        return True
    pairs = ((asked.lower(), ran.lower()), (cleaned(asked), cleaned(ran)))
    return any(SequenceMatcher(None, one, other).ratio() > _NEAR for one, other in pairs if one and other)


def draft_of(name: str) -> InvocationDraft:
    """A draft for a tool of this name, tagged where the tool is CrewAI's own."""
    draft = InvocationDraft(tool_name(name))
    if cleaned(name) in FRAMEWORK_TOOLS:
        draft.kind = "framework"
    return draft
