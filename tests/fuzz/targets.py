"""The fuzz targets: each makes an input out of choices, runs one way into the package on it, and holds the laws."""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_evals import TraceFormatError, Trajectory, to_trajectory

from . import documents, laws, pages, scoring, stored_rows
from .choices import Choices, one
from .inputs import GROUPS, Run
from .mutate import made, mutated
from .seeds import seeds


@dataclass(frozen=True)
class Target:
    """
    One way in.

    Attributes:
        name: What it is called on the command line and in the report.
        run: One execution; raises where a law is broken.
    """

    name: str
    run: Run


@functools.cache
def _pool(group: str) -> tuple[Any, ...]:
    return tuple(seed.value for seed in seeds(group))


def _converter(group: str) -> Run:
    known = seeds(group)

    def run(choices: Choices) -> None:
        seed = one(choices, known)
        raw = mutated(choices, seed.value, _pool(group)) if choices.below(24) else made(choices)
        settings: dict[str, Any] = {"form": seed.form, "adapter": seed.adapter}
        if choices.below(8) == 0:
            settings = {"form": None, "adapter": None}
        if choices.below(16) == 0:
            settings["inputs"] = mutated(choices, one(choices, known).value)
        if choices.below(16) == 0:
            settings["turns"] = one(choices, ("last", 0, -1, 1))
        before = laws.digest(raw)
        try:
            found = to_trajectory(raw, **settings)
        except TraceFormatError as error:
            laws.expect("the refusal says what was expected", "expected" in str(error), error)
            laws.expect("the refusal is bounded", len(str(error)) < 4_000, len(str(error)))
        else:
            laws.is_sound(found)
            if choices.below(8) == 0:
                laws.is_bounded(found)
            if type(before) is bytes and group != "chunks" and b"AIMessageChunk" not in before:  # where a name may come in pieces
                nothing_is_made_up(found, before)
        laws.expect("the input is as it was", laws.digest(raw) == before)

    return run


_MADE_OF_NAMES = ("server", "framework", "handoff")
"""Kinds of calls whose names the package or the framework may have made of something else than a name in the record."""


def nothing_is_made_up(run: Trajectory, record: bytes) -> None:
    """The name of every call stands in the record."""
    for call in run.invocations:
        if call.kind not in _MADE_OF_NAMES and call.name.encode("utf-8", "surrogatepass") not in record:
            written = json.dumps(call.name)[1:-1].encode() in record or call.name in _OF_PROVIDERS
            laws.expect("no call is made up", written or _is_made_of(call.name, record.decode("utf-8", "ignore")), call.name)


_HASH = re.compile(r"_[0-9a-f]{8}\Z")
"""What crewai puts after a name that it cut."""


def _is_made_of(name: str, record: str) -> bool:
    """Does the name stand in the record but for what frameworks change? CrewAI makes "Search Web" search_web, and "Zürich" zurich."""
    return any(_letters(plain(name)) in _letters(plain(record)) for plain in (str, _without_accents))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, _HASH.sub("", text))).lower()


def _without_accents(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


_OF_PROVIDERS = frozenset({"code_interpreter", "code_execution", "mcp", "shell", "local_shell", "computer", "web_search", "file_search"})
"""Names under which calls of providers' own tools are listed."""


@functools.cache
def targets(folder: str) -> Mapping[str, Target]:
    """
    Every target by its name.

    Args:
        folder: Where targets that read files write them.
    """
    runs: dict[str, Run] = {group: _converter(group) for group in GROUPS}
    runs |= {"stored": scoring.stored(), "evaluators": scoring.by_score(), "evaluator_calls": scoring.by_call()}
    runs |= {"expectations": documents.language(), "results": documents.results(folder)}
    runs |= {"bulk_rows": stored_rows.rows(), "bulk_batches": stored_rows.batches(), "reports": pages.reports(folder)}
    return {name: Target(name, run) for name, run in runs.items()}


def named(names: Sequence[str], folder: str) -> list[Target]:
    """The targets of these names; all for none."""
    every = targets(folder)
    return [every[name] for name in names] if names else list(every.values())
