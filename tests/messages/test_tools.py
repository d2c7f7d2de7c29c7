"""The tools that a request offers."""

from __future__ import annotations

import pytest

from toolcall_evals import Tool
from toolcall_evals.messages import tools_of

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("stated", "tools"),
    [
        pytest.param(
            [{"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}}], [Tool("f", "d", SCHEMA)], id="chat"
        ),
        pytest.param([{"type": "function", "name": "f", "parameters": SCHEMA}], [Tool("f", None, SCHEMA)], id="Responses"),
        pytest.param([{"type": "custom", "custom": {"name": "sql"}}], [Tool("sql")], id="a custom tool"),
        pytest.param([{"name": "f", "description": "d", "input_schema": SCHEMA}], [Tool("f", "d", SCHEMA)], id="Anthropic"),
        pytest.param(
            [{"functionDeclarations": [{"name": "f", "parameters": SCHEMA}, {"name": "g"}]}],
            [Tool("f", None, SCHEMA), Tool("g")],
            id="Gemini",
        ),
        pytest.param([{"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}], [Tool("f", None, SCHEMA)], id="Bedrock"),
        pytest.param([{"type": "web_search"}], [Tool("web_search")], id="a provider's own tool has its type for a name"),
        pytest.param([{"name": "f", "parameters": "broken", "description": 3}, None], [Tool("f")], id="what cannot be read is left out"),
    ],
)
def test_every_providers_schemas_are_read(stated, tools):
    assert tools_of(stated) == tuple(tools)


def test_no_tools_offered_is_not_the_same_as_not_known():
    assert tools_of([]) == ()
    assert tools_of(None) is None
    assert tools_of([object()]) is None
