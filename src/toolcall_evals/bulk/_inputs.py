"""The files that paths, folders and patterns name."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable
from pathlib import Path

from ._errors import BulkError
from ._places import is_folder, is_remote, listed
from ._unpack import inner_name

SUFFIXES = (".json", ".jsonl", ".ndjson", ".parquet")


def files_of(paths: Iterable[str | Path]) -> list[str]:
    """
    The files that paths, folders and patterns name, each once however it is written; those of a folder or pattern in order of name.

    Raises:
        BulkError: A path that is not there, a pattern or folder without traces, or no path at all.
    """
    found: dict[str, str] = {}
    for path in map(str, paths):
        try:
            inside = listed(path)
        except OSError as error:
            raise BulkError(f"cannot read {path}: {error}") from error
        if inside is None:
            raise BulkError(f"expected a file, a folder or a pattern that matches some, found nothing at {path!r}")
        if is_folder(path):
            inside = [file for file in inside if _holds_traces(file, path)]
            if not inside:
                raise BulkError(f"expected files of traces ({', '.join(SUFFIXES)}, packed or not) in the folder {path!r}, found none")
        for file in inside:
            found.setdefault(file if is_remote(file) else os.path.realpath(file), file)
    if not found:
        raise BulkError("expected at least one file of traces, found none")
    return list(found.values())


def takes_in(paths: Iterable[str | Path], out: Path) -> bool:
    """Whether an output would be one of the files that paths name: next time, if it is not there yet."""
    place = os.path.realpath(out)
    for path in map(str, paths):
        if is_remote(path):
            continue
        if os.path.isdir(path):
            if Path(place).is_relative_to(os.path.realpath(path)):
                return True
        elif os.path.exists(path):
            if os.path.realpath(path) == place:
                return True
        elif _fits(place, path):
            return True
    return False


def _fits(place: str, pattern: str) -> bool:
    """Whether a pattern as `glob` reads it matches a path; `**` matches more than it should."""
    fixed = Path(*_before_magic(Path(pattern).parts))
    rest = Path(pattern).parts[len(fixed.parts) :]
    root = os.path.realpath(fixed)
    if not Path(place).is_relative_to(root):
        return False
    inside = Path(place).relative_to(root).parts
    if "**" in rest:
        return fnmatch.fnmatch(inside[-1] if inside else "", rest[-1])
    return len(inside) == len(rest) and all(map(fnmatch.fnmatch, inside, rest))


def _before_magic(parts: tuple[str, ...]) -> list[str]:
    for number, part in enumerate(parts):
        if any(character in part for character in "*?["):
            return list(parts[:number])
    return list(parts)


def _holds_traces(path: str, folder: str) -> bool:
    """Whether a file in a folder is taken: by its suffix; not what is hidden, set aside with "_", or our own parts."""
    parts = path[len(folder) :].strip("/").split("/") if is_remote(path) else Path(path).relative_to(folder).parts
    aside = any(part.startswith((".", "_")) or part.endswith(".parts") for part in parts)
    return not aside and inner_name(path).endswith(SUFFIXES)
