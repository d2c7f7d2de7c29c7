"""
Writes docs/quality.md from the files of figures in docs/quality: `python -m tests.quality.page`.

Nothing on the page is typed by hand, so that a figure can only change by being measured again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.quality.figures import FOLDER, Figures

PAGE = FOLDER.with_suffix(".md")
ORDER = ("matrix", "coverage", "fuzz", "mutation")
OPENING = """\
# Quality

How the package is held to what it says. Each table is measured by the target named above it, and `make quality`
makes this page from their results.
"""


def render(folder: Path) -> str:
    """The page for the files of figures that the folder holds."""
    sections = [OPENING]
    for name in ORDER:
        path = folder / f"{name}.json"
        if path.is_file():
            sections.append("\n".join(section(name, Figures.read(path))) + "\n")
    return "\n".join(sections)


def write() -> None:
    """Make the page anew."""
    PAGE.write_text(render(FOLDER), encoding="utf-8")


def section(target: str, figures: Figures) -> Iterator[str]:
    """The lines of one target's part of the page."""
    yield f"## {figures.title}"
    yield ""
    yield f"`make {target}`, {figures.date}: {', '.join(f'{name} {number}' for name, number in sorted(figures.versions.items()))}."
    yield ""
    if figures.text:
        yield figures.text
        yield ""
    if figures.rows:
        yield row(figures.columns)
        yield "|" + "|".join("--:" if is_numeric(column) else "---" for column in zip(*figures.rows, strict=True)) + "|"
        yield from map(row, figures.rows)
    if figures.notes:
        yield ""
        yield from (f"- {note}" for note in figures.notes)


def row(cells: Sequence[Any]) -> str:
    return "| " + " | ".join(shown(cell) for cell in cells) + " |"


def shown(cell: Any) -> str:
    """A cell's text: thousands are marked, and a bar does not end the cell."""
    if isinstance(cell, int):
        return f"{cell:,}"
    return str(cell).replace("|", "\\|").replace("\n", " ")


def is_numeric(cells: Sequence[Any]) -> bool:
    return all(isinstance(cell, int | float) for cell in cells)


if __name__ == "__main__":
    write()
