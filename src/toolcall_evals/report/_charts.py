"""Charts as inline SVG: plain functions from numbers to text. Colours come from the page, so that they follow light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def histogram(counts: Sequence[int], title: str, width: int = 180, height: int = 36) -> str:
    """Bars for counts from left to right; the title is what a screen reader says of it."""
    most, step = max(counts, default=0) or 1, width / max(len(counts), 1)
    bars = "".join(
        [
            f'<rect x="{index * step + 0.5:.1f}" y="{height - tall:.1f}" width="{step - 1:.1f}" height="{tall:.1f}"/>'
            for index, count in enumerate(counts)
            if (tall := max(1.5, count / most * (height - 2)) if count else 0)
        ]
    )
    base = f'<line x1="0" y1="{height}" x2="{width}" y2="{height}"/>'
    return _svg("histogram", title, width, height + 1, bars + base)


def interval(mean: float | None, bounds: tuple[float, float] | None, title: str, width: int = 120, height: int = 14) -> str:
    """A mean in 0..1 as a point, its interval as a line."""
    middle = height / 2
    drawn = f'<line class="axis" x1="0" y1="{middle}" x2="{width}" y2="{middle}"/>'
    if bounds is not None:
        drawn += f'<line class="range" x1="{bounds[0] * width:.1f}" y1="{middle}" x2="{bounds[1] * width:.1f}" y2="{middle}"/>'
    if mean is not None:
        drawn += f'<circle cx="{4 + mean * (width - 8):.1f}" cy="{middle}" r="4"/>'
    return _svg("interval", title, width, height, drawn)


def _svg(kind: str, title: str, width: int, height: int, inside: str) -> str:
    shape = f'class="{kind}" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {shape}><title>{escape(title)}</title>{inside}</svg>'
