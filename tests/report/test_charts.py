"""Charts: well-formed SVG that says in words what it draws."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from toolcall_evals.report import _charts as charts

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "a <title> & \"more\" 'x'"

DRAWN: list[tuple[str, Callable[[], str]]] = [
    ("nothing", lambda: charts.histogram([], HOSTILE, HOSTILE)),
    ("zeros", lambda: charts.histogram([0, 0], HOSTILE, HOSTILE)),
    ("one large", lambda: charts.histogram([10**12, 1], HOSTILE, HOSTILE)),
    ("no mean", lambda: charts.interval(None, None, HOSTILE, HOSTILE)),
    ("mean", lambda: charts.interval(0.5, (0.25, 1.0), HOSTILE, HOSTILE)),
    ("columns", lambda: charts.columns([1, 5, 0], ["0", "1", "<2>"], HOSTILE, HOSTILE)),
    ("no columns", lambda: charts.columns([], [], HOSTILE, HOSTILE)),
    ("bar", lambda: charts.bar([("a", 1), ("b", 0)], HOSTILE, HOSTILE)),
    ("empty bar", lambda: charts.bar([("a", 0)], HOSTILE, HOSTILE)),
]


@pytest.mark.parametrize("draw", [draw for _, draw in DRAWN], ids=[name for name, _ in DRAWN])
def test_every_chart_is_well_formed_and_named(draw: Callable[[], str]) -> None:
    drawn = ElementTree.fromstring(draw())
    assert drawn.attrib["role"] == "img" and drawn.attrib["aria-label"] == f"{HOSTILE}: {HOSTILE}"
    assert [child.text for child in drawn[:2]] == [HOSTILE, HOSTILE]
    assert not re.search(r"nan|inf|None", ElementTree.tostring(drawn, "unicode"))


def test_bars_are_as_tall_as_their_counts_and_none_vanishes() -> None:
    bars = ElementTree.fromstring(charts.histogram([4, 0, 2, 1000], "t", height=102)).findall(f"{SVG}rect")
    assert [float(bar.attrib["height"]) for bar in bars] == [2.0, 2.0, 102.0]
    assert len(bars) == 3


def test_an_interval_is_drawn_to_scale() -> None:
    drawn = ElementTree.fromstring(charts.interval(0.5, (0.25, 0.75), "t", width=110))
    (line,) = [each for each in drawn.findall(f"{SVG}line") if each.attrib["class"] == "range"]
    (point,) = drawn.findall(f"{SVG}circle")
    assert (line.attrib["x1"], line.attrib["x2"], point.attrib["cx"]) == ("30.0", "80.0", "55.0")


def test_parts_of_a_bar_fill_it() -> None:
    bars = ElementTree.fromstring(charts.bar([("a", 1), ("b", 3)], "t", width=100)).findall(f"{SVG}rect")
    assert [(bar.attrib["class"], bar.attrib["x"], bar.attrib["width"]) for bar in bars] == [("a", "0.0", "25.0"), ("b", "25.0", "75.0")]


def test_an_ornament_is_hidden_from_readers() -> None:
    assert ElementTree.fromstring(charts.bar([("a", 1)], "")).attrib["aria-hidden"] == "true"
