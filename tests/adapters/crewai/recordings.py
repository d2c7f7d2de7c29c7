"""The recordings of real CrewAI runs, by file name."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "recordings" / "crewai"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


@functools.cache
def _text(name: str) -> str:
    return (FOLDER / f"{name}.json").read_text(encoding="utf-8")


def recording(name: str) -> dict[str, Any]:
    """A fresh copy of one recording."""
    found: dict[str, Any] = json.loads(_text(name))
    return found


EVENTS = [name for name in NAMES if recording(name)["form"] == "crewai.events"]
