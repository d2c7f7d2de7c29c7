"""The dataset's own expectations reach every scorer; the run that breaks its order fails where order is asked for."""

from __future__ import annotations

import pytest

from examples import expectations_dataset


@pytest.mark.filterwarnings("ignore:'upload_.*' parameter is in beta")
def test_each_example_is_held_against_its_own_expectation() -> None:
    table = expectations_dataset.evaluated()
    scores = {rows[0].example: [row.score for row in rows] for rows in table.by_run()}
    assert {row.key for row in table} == {"tool_calls_match:in_order", "tool_call_f1", "follows"}
    assert scores == {
        "What is the weather in Brooklyn?": [1, 1, 1],
        "Compare Oslo and Lima.": [1, 1, 1],
        "Is it foggy in Lima?": [1, 1, 1],
        "How hot is it in Paris, the one in Texas?": [0, 1, 0],  # F1 asks for no order
    }
    (moved,) = [row.comment for row in table if row.key == "tool_calls_match:in_order" and row.score == 0]
    assert moved.startswith("out of order find_place(name='Paris')")
