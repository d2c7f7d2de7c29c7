"""Can what is asked for be written? Asked before hours of scoring, not after them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..bulk import BulkError
from ..bulk._places import check_writable


def check_targets(targets: Mapping[str, Path | None], inputs: Iterable[str], whole: Iterable[str]) -> None:
    """
    Check that every file asked for can be written, by the option that asks for it; folders that are not there are made.

    Args:
        targets: The files, by option; None where an option is not given.
        inputs: The files that are read.
        whole: The options whose files appear whole or not at all: no pipe or terminal can be one.

    Raises:
        BulkError: One cannot be written, is an input, or is asked for twice; names the option.
    """
    taken = {os.path.realpath(path): f"the input {path}" for path in inputs}
    for option, path in targets.items():
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in taken:
            raise BulkError(f"expected {option} to be a file of its own, found {taken[place]}")
        taken[place] = f"that of {option}"
        if option not in whole and path.exists() and not path.is_file() and not path.is_dir():
            continue
        try:
            check_writable(path)
        except BulkError as error:
            raise BulkError(f"{option}: {error}") from error
        if option not in whole and path.exists() and not os.access(path, os.W_OK):
            raise BulkError(f"{option}: cannot write to {path}: no permission")
