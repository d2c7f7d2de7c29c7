"""Charts as inline SVG: plain functions from numbers to text. Colours come from the page, so that they follow light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def histogram(counts: Sequence[int], title: str, told: str = "", width: int = 150, height: int = 34) -> str:
    """
    Bars for counts from left to right.

    Args:
        title: The chart's name.
        told: What it shows, in words: for those who do not see it.
    """
    return _svg("histogram", title, told, width, height + 1, _bars(counts, width, height) + _line("base", 0, height + 0.5, width))


def columns(counts: Sequence[int], labels: Sequence[str], title: str, told: str = "", width: int = 720, height: int = 170) -> str:
    """Bars with the label of each below, as many as there is room for, and the largest count beside the highest."""
    floor, step = height - 22, width / max(len(counts), 1)
    every = max(1, -(-len(labels) * 26 // width))
    most = max(counts, default=0)
    drawn = _bars(counts, width, floor, top=18) + _line("base", 0, floor + 0.5, width)
    for index, label in enumerate(labels):
        if index % every == 0:
            drawn += _text(index * step + step / 2, height - 6, label)
        if most and counts[index] == most:
            drawn += _text(index * step + step / 2, 12, f"{most:,}")
            most = 0
    return _svg("columns", title, told, width, height, drawn)


def interval(mean: float | None, bounds: tuple[float, float] | None, title: str, told: str = "", width: int = 130, height: int = 16) -> str:
    """A mean in 0..1 as a point, its interval as a thick line, on a line from 0 to 1."""
    middle, room = height / 2, width - 10
    drawn = _line("axis", 5, middle, width - 5) + "".join([_tick(5 + room * at, middle) for at in (0, 0.5, 1)])
    if bounds is not None:
        drawn += _line("range", 5 + bounds[0] * room, middle, max(5 + bounds[1] * room, 6 + bounds[0] * room))
    if mean is not None:
        drawn += f'<circle cx="{5 + mean * room:.1f}" cy="{middle:g}" r="4"/>'
    return _svg("interval", title, told, width, height, drawn)


def bar(parts: Sequence[tuple[str, int]], title: str, told: str = "", width: int = 110, height: int = 8) -> str:
    """One bar of parts side by side; each part's name is its class. Without a title it is an ornament."""
    whole, at, drawn = sum([count for _, count in parts]) or 1, 0.0, ""
    for kind, count in parts:
        wide = count / whole * width
        if count:
            drawn += f'<rect class="{escape(kind)}" x="{at:.1f}" y="0" width="{max(wide, 1):.1f}" height="{height}"/>'
        at += wide
    return _svg("bar", title, told, width, height, drawn)


def _bars(counts: Sequence[int], width: float, floor: float, top: float = 0) -> str:
    most, step = max(counts, default=0) or 1, width / max(len(counts), 1)
    gap = min(2.0, step / 4)
    bars = ""
    for index, count in enumerate(counts):
        if count:
            tall = max(2.0, count / most * (floor - top))
            bars += f'<rect x="{index * step + gap / 2:.1f}" y="{floor - tall:.1f}" width="{step - gap:.1f}" height="{tall:.1f}" rx="1"/>'
    return bars


def _line(kind: str, start: float, y: float, end: float) -> str:
    return f'<line class="{kind}" x1="{start:.1f}" y1="{y:g}" x2="{end:.1f}" y2="{y:g}"/>'


def _tick(x: float, middle: float) -> str:
    return f'<line class="axis" x1="{x:.1f}" y1="{middle - 3:g}" x2="{x:.1f}" y2="{middle + 3:g}"/>'


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:g}" text-anchor="middle">{escape(text)}</text>'


def _svg(kind: str, title: str, told: str, width: int, height: int, inside: str) -> str:
    shape = f'xmlns="http://www.w3.org/2000/svg" class="{kind}" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    if not title:
        return f'<svg aria-hidden="true" {shape} preserveAspectRatio="none">{inside}</svg>'
    named = f"<title>{escape(title)}</title>{told and f'<desc>{escape(told)}</desc>'}"
    label = escape(f"{title}: {told}" if told else title)
    return f'<svg role="img" aria-label="{label}" {shape}>{named}{inside}</svg>'
