"""Crews whose model says what a test wrote down. Imports crewai: import this module only through the fixture `crews`."""

from __future__ import annotations

import json
from typing import Any

from crewai import LLM, Agent, BaseLLM, Crew, Process, Task
from crewai.events import crewai_event_bus
from crewai.events.types.llm_events import LLMCallType
from crewai.llms.base_llm import llm_call_context
from crewai.tools import tool

VERSION = tuple(int(part) for part in __import__("crewai").__version__.split(".")[:3])


class Scripted(BaseLLM):
    """Answers with `turns`, one after the other, the last one again when they are used up; one may be a function of the tools."""

    turns: list[Any] = []  # noqa: RUF012 - a pydantic field from crewai 1.13
    native: bool = True
    said: int = 0

    def __init__(self, turns: list[Any], native: bool = True) -> None:
        super().__init__(model="scripted/one", provider="scripted")
        self.turns, self.native, self.said = list(turns), native, 0

    def supports_function_calling(self) -> bool:
        return self.native

    def supports_stop_words(self) -> bool:
        return False

    def get_context_window_size(self) -> int:
        return 100_000

    def get_input_tokens_count(self, *args: Any, **kwargs: Any) -> int:
        return 1

    def call(
        self,
        messages: Any,
        tools: Any = None,
        callbacks: Any = None,
        available_functions: Any = None,
        from_task: Any = None,
        from_agent: Any = None,
        response_model: Any = None,
    ) -> Any:
        with llm_call_context():
            self._emit_call_started_event(
                messages=messages,
                tools=tools,
                callbacks=callbacks,
                available_functions=available_functions,
                from_task=from_task,
                from_agent=from_agent,
            )
            turn = self.turns[min(self.said, len(self.turns) - 1)]
            self.said += 1
            if isinstance(turn, Exception):
                raise turn
            turn = turn(tools) if callable(turn) else turn
            self._emit_call_completed_event(
                response=turn,
                messages=messages,
                from_task=from_task,
                from_agent=from_agent,
                call_type=LLMCallType.TOOL_CALL if isinstance(turn, list) else LLMCallType.LLM_CALL,
            )
            return turn

    async def acall(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)


class Silent(BaseLLM):
    """A custom model as many write it: it sends no events at all."""

    turns: list[Any] = []  # noqa: RUF012
    said: int = 0

    def __init__(self, turns: list[Any]) -> None:
        super().__init__(model="silent/one", provider="silent")
        self.turns, self.said = list(turns), 0

    def supports_function_calling(self) -> bool:
        return True

    def get_context_window_size(self) -> int:
        return 100_000

    def get_input_tokens_count(self, *args: Any, **kwargs: Any) -> int:
        return 1

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        turn = self.turns[min(self.said, len(self.turns) - 1)]
        self.said += 1
        return turn

    async def acall(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)


@tool("Search Web")
def search_web(query: str, limit: int = 3) -> str:
    """Search the web."""
    return f"{limit} results for {query}"


@tool("read_page")
def read_page(url: str) -> str:
    """Read one page."""
    raise RuntimeError(f"{url} is down")


def asks(*calls: tuple[str, dict[str, Any]], ids: str = "call") -> list[dict[str, Any]]:
    """A turn of a native model that asks for tools."""
    return [
        {"id": f"{ids}_{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for at, (name, args) in enumerate(calls)
    ]


def acts(name: str, args: dict[str, Any] | str) -> str:
    """A turn of a text model that asks for a tool."""
    return f"Thought: go\nAction: {name}\nAction Input: {args if isinstance(args, str) else json.dumps(args)}"


def agent(
    turns: list[Any], *, role: str = "Researcher", native: bool = True, tools: Any = (search_web, read_page), **settings: Any
) -> Agent:
    settings.setdefault("llm", Scripted(turns, native))
    return Agent(role=role, goal="find out", backstory="a careful reader", tools=list(tools), **settings)


def crew(turns: list[Any], *, name: str = "tides", native: bool = True, task: dict[str, Any] | None = None, **settings: Any) -> Crew:
    """A crew of one agent with one task named `find`."""
    one = agent(turns, native=native)
    work = Task(name="find", description="Find out about {topic}", expected_output="an answer", agent=one, **(task or {}))
    return Crew(agents=[one], tasks=[work], name=name, **settings)


def searcher(query: str, *, calls: int = 1, name: str = "tides", **settings: Any) -> Crew:
    """A crew that searches for `query 0`, `query 1`... and answers."""
    turns = [asks(("search_web", {"query": f"{query} {at}"}), ids=f"{query}_{at}") for at in range(calls)]
    return crew([*turns, f"all about {query}"], name=name, **settings)


def hierarchy(manager_turns: list[Any], worker_turns: list[Any]) -> Crew:
    """A crew whose manager delegates to a Researcher."""
    worker = agent(worker_turns)
    work = Task(name="find", description="Find out about tides", expected_output="an answer")
    return Crew(agents=[worker], tasks=[work], name="staff", process=Process.hierarchical, manager_llm=Scripted(manager_turns))


def handler_count() -> int:
    """How many handlers are on the event bus."""
    return sum(len(handlers) for handlers in crewai_event_bus._sync_handlers.values())


def queries(trajectory: Any) -> list[Any]:
    """The queries that were searched for, in order."""
    return [(call.args or {}).get("query") for call in trajectory.invocations if call.name == "search_web"]


def openai_llm(url: str, *, stream: bool = False, native: bool = True) -> Any:
    """`crewai.LLM` as people use it, or the same without function calling: then crewai falls back on its text protocol."""
    llm = LLM(model="gpt-4o-mini", base_url=url, api_key="none", stream=stream)
    if not native:
        llm.__class__ = type("TextOnly", (type(llm),), {"supports_function_calling": lambda self: False})
    return llm
