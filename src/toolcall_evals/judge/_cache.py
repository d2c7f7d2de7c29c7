"""Answers that were paid for, kept on disk: a broken run of a thousand judgements goes on where it ended.

SQLite in write-ahead mode: threads and processes may share the file, and what was written survives a crash.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ._client import Answer, Messages

FORM = 1
"""Part of every key: an answer to another form of question is another answer."""


class AnswerCache:
    """
    A file of answers by question.

    The key holds whatever could change the answer: the judge, its messages, the answer's schema and which of several votes it is. Only
    answers that could be used are kept.
    """

    def __init__(self, path: str | Path) -> None:
        """
        Args:
            path: The file; made when it is not there, with the folder it is in.
        """
        self.path = Path(path)
        self._local = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.path, self._local = state["path"], threading.local()

    def get(self, key: str) -> Answer | None:
        """The answer under a key, or None."""
        row = self._connection().execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        return Answer(**json.loads(row[0])) if row else None

    def put(self, key: str, answer: Answer) -> None:
        """Keep an answer; the first one under a key stays."""
        with self._connection() as connection:
            connection.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, json.dumps(asdict(answer))))

    def _connection(self) -> sqlite3.Connection:
        made: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if made is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            made = sqlite3.connect(self.path, timeout=30)
            made.execute("PRAGMA journal_mode = WAL")
            made.execute("PRAGMA synchronous = NORMAL")
            made.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL)")
            self._local.connection = made
        return made


def cache_key(judge: str, messages: Messages, schema: dict[str, Any], vote: int) -> str:
    """The key of a question to a judge."""
    question = json.dumps([FORM, judge, messages, schema, vote], ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(question.encode()).hexdigest()
