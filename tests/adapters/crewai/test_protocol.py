"""What a completion of the text path states."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals_crewai._protocol import answer_in, claims_in, read_input, thought_in


def _stated(text: str) -> list[tuple[str, Any, str | None, bool]]:
    return [(claim.name, read_input(claim.input)[0], claim.observation, claim.answered) for claim in claims_in(text)]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        pytest.param("Thought: hm", [], id="a thought"),
        pytest.param('Thought: go\nAction: find\nAction Input: {"q": 1}', [("find", {"q": 1}, None, False)], id="one action"),
        pytest.param('Action: find Action Input: {"q": 1}', [("find", {"q": 1}, None, False)], id="on one line"),
        pytest.param('Action 1: find\nAction Input 1: {"q": 1}', [("find", {"q": 1}, None, False)], id="numbered"),
        pytest.param('**Action:** find\n**Action Input:** {"q": 1}', [("find", {"q": 1}, None, False)], id="in bold"),
        pytest.param('```\nAction: find\nAction Input: {"q": 1}\n```', [("find", {"q": 1}, None, False)], id="in a fence"),
        pytest.param("Action: find\nAction Input: {'q': 1}", [("find", {"q": 1}, None, False)], id="a Python literal"),
        pytest.param("Action: find\nAction Input: {}", [("find", {}, None, False)], id="no arguments"),
        pytest.param("Action: find\nAction Input: fern", [("find", None, None, False)], id="plain text as input"),
        pytest.param("Action: find\nThought: no input", [], id="an action without input"),
        pytest.param("Action: [name from find, get]\nAction Input: [JSON object]", [], id="the prompt's placeholder"),
        pytest.param(
            'Action: find\nAction Input: {"q": 1}\nObservation: 9', [("find", {"q": 1}, "9", False)], id="an observation of its own"
        ),
        pytest.param(
            'Action: find\nAction Input: {"q": 1}\nObservation: 9\nThought: done\nFinal Answer: 9',
            [("find", {"q": 1}, "9", True)],
            id="a whole dialogue",
        ),
        pytest.param(
            'Action: a\nAction Input: {"q": 1}\nAction: b\nAction Input: {"q": 2}',
            [("a", {"q": 1}, None, False), ("b", {"q": 2}, None, False)],
            id="two actions",
        ),
        pytest.param(
            'Action: find\nAction Input: {\n"q": "a\\nAction: b\\nAction Input: {}"\n}\nObservation: 1',
            [("find", {"q": "a\nAction: b\nAction Input: {}"}, "1", False)],
            id="the protocol inside an argument",
        ),
    ],
)
def test_the_calls_that_a_completion_states(text: str, stated: list[Any]) -> None:
    assert _stated(text) == stated


def test_a_call_inside_the_final_answer_is_quoted() -> None:
    (claim,) = claims_in("Final Answer: write\nAction: find\nAction Input: {}")
    assert claim.quoted


@pytest.mark.parametrize(
    ("text", "thought", "answer"),
    [
        ("Thought: go\nAction: find\nAction Input: {}", "go", None),
        ("Thought: done\nFinal Answer: ok", "done\n ok", "ok"),
        ("```\nThought: done\nFinal Answer: ok\n```", "done\n ok", "ok"),
        ("just text", "just text", None),
    ],
)
def test_the_words_around_the_protocol(text: str, thought: str, answer: str | None) -> None:
    assert answer_in(text) == answer
    if answer is None:
        assert thought_in(text) == thought


@given(
    st.lists(
        st.sampled_from(
            ["Action:", "Action Input:", "Observation:", "Final Answer:", "Thought:", "\n", " ", "{", "}", '"a": 1', "find", "["]
        )
    )
)
def test_no_text_breaks_the_reading(parts: list[str]) -> None:
    text = "".join(parts)
    for claim in claims_in(text):
        assert claim.name and claim.name in text
        read_input(claim.input)
