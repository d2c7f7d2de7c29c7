"""Answers that were paid for, kept on disk: a broken run of a thousand judgements goes on where it ended.

SQLite in write-ahead mode: threads and processes may share the file, and what was written survives a process that is killed.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
import weakref
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .._errors import CouldNotScore
from ._answer import Answer, Messages

FORM = 2
"""Part of every key: an answer to another form of question is another answer."""

BUSY_S = 30.0
"""How long another process that writes is waited for."""

logger = logging.getLogger("toolcall_evals")


class AnswerCache:
    """
    A file of answers by question.

    The key holds whatever could change the answer: the judge, its messages, the answer's schema and which of several votes it is. Only
    answers that led to a verdict are kept.
    """

    def __init__(self, path: str | Path) -> None:
        """
        Args:
            path: The file; made when it is not there, with the folder it is in.
        """
        self.path = Path(path)
        self._lock = threading.Lock()
        self._opened: tuple[int, sqlite3.Connection] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.path, self._lock, self._opened = state["path"], threading.Lock(), None

    def get(self, key: str) -> Answer | None:
        """
        The answer under a key, or None.

        Raises:
            CouldNotScore: The file cannot be read: whoever asked for a cache does not want to pay for answers that it would not keep.
        """
        try:
            with self._lock:
                row = self._connection().execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        except (sqlite3.Error, OSError) as error:
            raise CouldNotScore(f"the judge was not asked, its cache {self.path} cannot be used: {error}") from error
        try:
            return Answer(**json.loads(row[0])) if row else None
        except (ValueError, TypeError):
            logger.warning("an unreadable answer in the judge's cache %s is asked for again", self.path)
            return None

    def put(self, answers: Sequence[tuple[str, Answer]]) -> None:
        """Keep the answers of one vote, all or none; a fault is logged, since the answers themselves are good."""
        rows = [(key, json.dumps(asdict(answer))) for key, answer in answers]
        try:
            with self._lock, self._connection() as connection:
                connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            logger.warning("the judge's cache %s could not keep an answer: %s", self.path, error)

    def _connection(self) -> sqlite3.Connection:
        """The connection of this process: one that a fork has inherited must not be used."""
        if self._opened is None or self._opened[0] != os.getpid():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            made = sqlite3.connect(self.path, timeout=BUSY_S, check_same_thread=False)
            weakref.finalize(self, made.close)
            made.execute("PRAGMA journal_mode = WAL")
            made.execute("PRAGMA synchronous = NORMAL")
            made.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL)")
            self._opened = os.getpid(), made
        return self._opened[1]


def unusable(path: str | Path) -> str | None:
    """What is in the way of a cache at a path, seen without making anything; None where nothing is."""
    try:
        file = Path(path).absolute()
        if os.path.exists(file):
            if not file.is_file():
                return "it is no file"
            return _foreign(file) if os.access(file, os.R_OK | os.W_OK) else "it may not be read and written"
        folder = next(each for each in file.parents if os.path.exists(each))
    except (ValueError, OSError) as error:
        return str(error)
    if not folder.is_dir():
        return f"{folder} is no folder"
    return None if os.access(folder, os.W_OK | os.X_OK) else f"{folder} may not be written"


def _foreign(file: Path) -> str | None:
    """What shows that a file is not a cache of ours; it is only read."""
    if not file.stat().st_size:
        return None
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=BUSY_S)) as opened:
            tables = {name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.OperationalError:  # it is being written, or its journal cannot be read: told when it is used
        return None
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if not tables or "answers" in tables else f"it is a database with other tables: {', '.join(sorted(tables)[:3])}"


def cache_key(judge: str, messages: Messages, schema: dict[str, Any], vote: int) -> str:
    """The key of a question to a judge."""
    question = json.dumps([FORM, judge, messages, schema, vote], ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(question.encode()).hexdigest()
