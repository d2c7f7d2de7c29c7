"""What the page on expectations shows is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from toolcall_evals.expect import MOST_WAYS, read, to_json
from toolcall_evals.expect._read import _KINDS, MATCHERS
from toolcall_evals.matching import RULES
from toolcall_evals.matching._edges import MOST_TRIALS
from toolcall_evals.matching._interleaved import MOST_STATES
from toolcall_evals.matching._pairing import MOST_EDGES, MOST_LIKENESSES
from toolcall_evals.matching._structure import MOST_WORK
from toolcall_evals.matching._values import LONGEST_UNORDERED

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "expectations.md").read_text(encoding="utf-8")


def test_every_python_example_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    exec("\n".join(blocks), {})


def test_every_json_example_is_read() -> None:
    blocks = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert [read(to_json(read(json.loads(block)))) == read(json.loads(block)) for block in blocks] == [True]


@pytest.mark.parametrize("word", [*_KINDS, *MATCHERS, *RULES])
def test_every_word_of_the_language_is_named(word: str) -> None:
    assert word in PAGE


@pytest.mark.parametrize("limit", [MOST_TRIALS, MOST_LIKENESSES, MOST_EDGES, MOST_WORK, MOST_STATES, MOST_WAYS, LONGEST_UNORDERED])
def test_every_limit_is_stated(limit: int) -> None:
    assert f"{limit:,}" in PAGE
