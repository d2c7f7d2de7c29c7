"""One run at a time on an output: a second one is told so, in place of mixing its parts with the first one's."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ._errors import BulkError


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """
    Hold the lock of an output, `OUT.lock` beside it; the system lets go of it when this process ends, however it does.

    Raises:
        BulkError: Another process holds it.
    """
    place = out.with_name(f"{out.name}.lock")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        held = _held(place)
    except OSError as error:
        raise BulkError(f"cannot write to {error.filename or place}: {error.strerror or error}") from error
    try:
        yield
    finally:
        if sys.platform == "win32":  # an open file cannot be removed there
            os.close(held)
            place.unlink(missing_ok=True)
        else:
            place.unlink(missing_ok=True)
            os.close(held)


def _held(place: Path) -> int:
    """The open file of the lock; again where the one before removed it meanwhile."""
    while True:
        file = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(file)
        except (BlockingIOError, PermissionError) as error:
            os.close(file)
            name = place.name.removesuffix(".lock")
            raise BulkError(f"another process is writing {place.with_name(name)}: wait until it ends, or choose another name") from error
        except OSError:  # a file system without locks, of a network say
            return file
        try:
            if os.path.samestat(os.fstat(file), os.stat(place)):
                return file
        except FileNotFoundError:
            pass
        os.close(file)


def _lock(file: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
