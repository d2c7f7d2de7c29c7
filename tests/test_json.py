"""Values made ready for JSON, whatever they are."""

from __future__ import annotations

import json
from enum import IntEnum

import pytest

from toolcall_evals._json import json_ready
from toolcall_evals.messages import as_json

LONG = 10**5000
"""More digits than Python writes."""


class Level(IntEnum):
    LOW = 1


class Unshown:
    def __repr__(self) -> str:
        raise LookupError("nothing to show")


@pytest.mark.parametrize(
    ("value", "ready"),
    [
        pytest.param(LONG, hex(LONG), id="too long to write"),
        pytest.param(-LONG, hex(-LONG), id="below zero"),
        pytest.param([{"a": LONG}], [{"a": hex(LONG)}], id="inside others"),
        pytest.param({LONG: 1}, {hex(LONG): 1}, id="a key"),
        pytest.param(10**1000, 10**1000, id="long, and written"),
        pytest.param(-(10**1000), -(10**1000), id="long, below zero, and written"),
        pytest.param([True, Level.LOW], [True, 1], id="kinds of integers"),
        pytest.param(Unshown(), "a Unshown that cannot be shown", id="an object that raises"),
    ],
)
def test_what_python_cannot_write_is_shown_and_everything_else_is_kept(value, ready):
    assert json_ready(value) == ready
    assert json.loads(json.dumps(json_ready(value))) == ready


def test_a_value_around_an_integer_too_long_to_write_has_a_json_text():
    assert json.loads(as_json({"a": [LONG]})) == {"a": [hex(LONG)]}
