"""The difference between what was expected and what was called: each call in one list, with what a reader needs to see it."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import ToolInvocation, Trajectory, scorers

RUN = Trajectory(
    invocations=(
        ToolInvocation("search", {"q": "a"}, status="success"),
        ToolInvocation("pay", {"n": 6, "to": "b"}, status="success"),
        ToolInvocation("log", {}, status="success"),
        ToolInvocation("mail", None, raw_args="{x", status="invalid"),
    )
)
EXPECTED = [
    {"name": "pay", "args": {"n": 5, "to": "b"}},
    {"name": "search", "args": {"q": "a"}},
    {"name": "close"},
    {"name": "book", "args": {"d": 1}},
]


@pytest.mark.parametrize("order", ["strict", "unordered"])
def test_each_call_is_matched_missing_wrong_or_extra(order: Any) -> None:
    score = scorers.tool_calls_match(order=order).score(RUN, {"tool_calls": EXPECTED})
    search = {"name": "search", "args": {"q": "a"}}
    assert score.details["diff"] == {
        "matched": [{**search, "index": 0, "expected": {**search, "text": "search(q='a')"}, "expected_index": 1}],
        "missing": [
            {"name": "close", "text": "close", "expected_index": 2},
            {"name": "book", "args": {"d": 1}, "text": "book(d=1)", "expected_index": 3},
        ],
        "extra": [{"name": "log", "args": {}, "index": 2}, {"name": "mail", "args": "{x", "index": 3}],
        "moved": [],
        "wrong_arguments": [{"call": "pay", "index": 1, "expected_index": 0, "path": "n", "expected": 5, "actual": 6, "rule": "exact"}],
        "approximate": False,
        "violations": [],
    }
    assert score.comment.startswith(
        "missing close, book(d=1); wrong arguments: pay with n=6 where 5 was expected; unexpected log(), mail('{x'); 1 of 4 calls matched"
    )


def test_calls_in_another_order_are_moved() -> None:
    swapped = Trajectory(invocations=RUN.invocations[1::-1])
    expected = [{"name": call.name, "args": call.args} for call in RUN.invocations[:2]]
    found = scorers.tool_calls_match(order="strict").score(swapped, {"tool_calls": expected}).details["diff"]
    assert [len(found[part]) for part in ("matched", "moved", "missing", "extra", "wrong_arguments")] == [1, 1, 0, 0, 0]
