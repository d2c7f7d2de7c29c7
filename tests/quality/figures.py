"""One file of figures, as `make coverage` and the other targets write it and the page shows it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "quality"


@dataclass(frozen=True, kw_only=True)
class Figures:
    """A table with what a reader needs to judge it: when and with what it was made, and what it leaves out."""

    title: str
    date: str
    versions: dict[str, str]
    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = field(default=())

    @classmethod
    def read(cls, path: Path) -> Figures:
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def write(self, name: str) -> None:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.json").write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def versions(*distributions: str) -> dict[str, str]:
    """Python's version and those of the distributions."""
    return {"Python": python_version(), **{name: version(name) for name in distributions}}
