"""
The model of the CrewAI examples: it says what is written down. Call `quiet_offline()` before
importing this, since it imports crewai.
"""

from __future__ import annotations

import json
from typing import Any

from crewai import BaseLLM


class ScriptedLLM(BaseLLM):
    """Says its turns, one by one; without function calling, CrewAI has it speak in text."""

    turns: list[Any]
    calls_functions: bool = True

    def supports_function_calling(self) -> bool:
        return self.calls_functions

    def get_context_window_size(self) -> int:
        return 100_000

    def get_input_tokens_count(self, *args: Any, **kwargs: Any) -> int:
        return 1

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        return self.turns.pop(0)


def asks(name: str, **args: Any) -> list[dict[str, Any]]:
    """A turn that asks for one tool."""
    return [
        {
            "id": f"call_{name}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)},
        }
    ]
