"""The page on engines: its snippets run, where what they need is installed."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "at_scale.md"
BLOCKS = re.findall(r"^```python\n(?:# needs: (\w+)\n)?(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
NEEDED = [needed for needed, _ in BLOCKS if needed]


def test_the_page_has_an_example_for_each_engine() -> None:
    assert NEEDED == ["ray", "pyspark", "duckdb", "polars"]


@pytest.mark.parametrize("needed", ["", *NEEDED])
def test_snippets_run(needed: str) -> None:
    if needed and importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    if needed == "ray":
        pytest.skip("tests/bulk/test_ray.py runs it, where a cluster is")
    names: dict[str, Any] = {}
    for needs, code in BLOCKS:
        if needs in ("", needed):
            exec(compile(code, str(PAGE), "exec", dont_inherit=True), names)
