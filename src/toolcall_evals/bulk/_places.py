"""Files here and in object storage: opened, listed and measured in the same way."""

from __future__ import annotations

import glob
import os
import re
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ._errors import BulkError

if TYPE_CHECKING:
    from pyarrow import fs


def is_remote(path: str) -> bool:
    """Whether a path is the address of an object store, such as `s3://bucket/key`."""
    return "://" in path


def opened(path: str) -> IO[bytes]:
    """
    A file opened for reading bytes.

    Raises:
        OSError: It cannot be.
    """
    if not is_remote(path):
        return open(path, "rb")
    system, place = _system(path)
    file: Any = system.open_input_file(place)
    return file  # type: ignore[no-any-return]  # pyarrow's NativeFile reads and seeks as files do


def mark_of(path: str) -> tuple[int, int]:
    """What changes when a file does: its size in bytes and its time of change in nanoseconds."""
    if not is_remote(path):
        stat = os.stat(path)
        return stat.st_size, stat.st_mtime_ns
    system, place = _system(path)
    info = system.get_file_info(place)
    return info.size or 0, info.mtime_ns or 0


def listed(path: str) -> list[str] | None:
    """The files that a path names: itself, those in a folder, those that fit a pattern; None where there is nothing."""
    if is_remote(path):
        return _listed_remotely(path)
    if os.path.isdir(path):
        return [str(file).replace(os.sep, "/") for file in sorted(Path(path).rglob("*")) if file.is_file()]
    if os.path.exists(path):
        return [path.replace(os.sep, "/")]
    return [file.replace(os.sep, "/") for file in sorted(glob.glob(path, recursive=True)) if os.path.isfile(file)] or None


def check_here(path: Path) -> None:
    """
    Is a path one of this machine? A `Path` of an address has lost a slash: `s3:/bucket`.

    Raises:
        BulkError: It is the address of an object store.
    """
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", path.as_posix()):
        raise BulkError(f"expected a file of this machine to write, found the address {path}; write it here, and copy it")


def check_writable(path: Path) -> None:
    """
    Can a file be written here, later? Folders that are not there are made.

    Raises:
        BulkError: It cannot.
    """
    check_here(path)
    try:
        if path.exists() and not path.is_file():
            raise BulkError(f"expected a file to write, found {'the folder' if path.is_dir() else 'no file but'} {path}")
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise BulkError(f"cannot write to {path}: {error.strerror or error}") from error


def is_folder(path: str) -> bool:
    """Whether a path names a folder."""
    if not is_remote(path):
        return os.path.isdir(path)
    from pyarrow import fs

    system, place = _system(path)
    return bool(system.get_file_info(place).type == fs.FileType.Directory)


def _listed_remotely(path: str) -> list[str] | None:
    from pyarrow import fs

    system, place = _system(path)
    info = system.get_file_info(place)
    if info.type == fs.FileType.File:
        return [path]
    if info.type == fs.FileType.NotFound:
        return _matched_remotely(path)
    root = path[: -len(place)] if path.endswith(place) else path.partition("://")[0] + "://"
    inside = system.get_file_info(fs.FileSelector(place, recursive=True))
    return sorted(root + each.path for each in inside if each.type == fs.FileType.File)


def _matched_remotely(pattern: str) -> list[str] | None:
    """The files that fit a pattern, part by part; `**` at its end but one takes in all below."""
    magic = re.search(r"[*?\[]", pattern)
    if magic is None:
        return None
    fixed = pattern[: magic.start()].rpartition("/")[0]
    rest = pattern[len(fixed) :].strip("/").split("/")
    inside = _listed_remotely(fixed)
    fits = []
    for file in inside or []:
        parts = file[len(fixed) :].strip("/").split("/")
        if (len(rest) == len(parts) and all(map(fnmatch, parts, rest))) or (rest[:-1] == ["**"] and fnmatch(parts[-1], rest[-1])):
            fits.append(file)
    return fits or None


def _system(path: str) -> tuple[fs.FileSystem, str]:
    from pyarrow import ArrowInvalid, fs

    try:
        system, place = fs.FileSystem.from_uri(path)
    except ArrowInvalid as error:
        raise OSError(f"no file system for the address: {error}") from error
    return system, place
