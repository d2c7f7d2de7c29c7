"""Tool names, as CrewAI cleans them."""

from __future__ import annotations

import pytest

from toolcall_evals_crewai._names import cleaned, resolves, same_tool, tool_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Search Web", "search_web"),
        ("SearchWeb", "search_web"),
        ("HTTPGet", "http_get"),
        ("Búsqueda wéb (v2)", "busqueda_web_v2"),
        ("Bob's tool", "bobs_tool"),
        ("already_clean", "already_clean"),
        ("搜索工具", ""),
        ("x" * 70, "x" * 55 + "_c71bd109"),
    ],
)
def test_a_name_is_cleaned_as_crewai_does(name: str, expected: str) -> None:
    """Worked out with `crewai.utilities.string_utils.sanitize_tool_name` of crewai 1.15.30."""
    assert cleaned(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("Search Web", "search_web"), ("搜索工具", "搜索工具"), ("搜索 v2", "搜索 v2"), ("wéb", "web")]
)
def test_a_name_that_cleaning_would_lose_letters_of_is_kept(name: str, expected: str) -> None:
    assert tool_name(name) == expected


@pytest.mark.parametrize(
    ("one", "other", "same", "near"),
    [
        ("Search Web", "search_web", True, True),
        ("search_webs", "search_web", False, True),
        ("搜索工具", "搜索工具", True, True),
        ("搜索工具", "天气", False, False),
        ("boom", "nope", False, False),
        ("", "find", False, False),
        ("搜索工具", "", True, True),  # the text path's finish has the cleaned name, of which nothing is left
    ],
)
def test_which_names_may_be_one_tool(one: str, other: str, same: bool, near: bool) -> None:
    assert (same_tool(one, other), resolves(one, other)) == (same, near)
