"""
What a run should have done, as a small language.

An expectation is written with functions (`sequence("search", optional("open"), never("delete"))`), read from plain data (`read`)
and written as data (`to_json`), so that it can live in a dataset's `reference_outputs["expect"]`. Checks and scorers match it.
"""

from __future__ import annotations

from ..matching import UNSTATED
from ._compile import MOST_WAYS, plans_of
from ._language import Expectation
from ._make import any_of, at_least, at_most, before, call, exactly, never, nothing, one_of, optional, parallel, sequence, unordered
from ._matchers import (
    any_value,
    either,
    loosely,
    may_be_absent,
    near,
    number,
    partial,
    regex,
    satisfies,
    text_like,
    unordered_list,
    verbatim,
)
from ._read import VERSION, read
from ._schema import json_schema
from ._write import to_json

__all__ = [
    "MOST_WAYS",
    "UNSTATED",
    "VERSION",
    "Expectation",
    "any_of",
    "any_value",
    "at_least",
    "at_most",
    "before",
    "call",
    "either",
    "exactly",
    "json_schema",
    "loosely",
    "may_be_absent",
    "near",
    "never",
    "nothing",
    "number",
    "one_of",
    "optional",
    "parallel",
    "partial",
    "plans_of",
    "read",
    "regex",
    "satisfies",
    "sequence",
    "text_like",
    "to_json",
    "unordered",
    "unordered_list",
    "verbatim",
]
