"""
A LangGraph agent, evaluated by `langsmith.evaluate` with every check and the code scorer: offline,
without a key.

    python examples/weather_agent.py [--all]

It prints a line for each run, and one failing run explained; with --all every result and its
reason.

The agent is a real `create_agent` graph with three tools; only its model is scripted, so that some
runs go wrong on purpose, each in its own way. Put a real model in `weather_agent()` and a real
dataset in `data=`, and nothing else changes.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import uuid
import warnings
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import ToolException, tool
from langsmith import evaluate
from langsmith.schemas import Example

from toolcall_evals import checks, scorers
from toolcall_evals.langsmith import ResultsTable, offline_client, results_table
from toolcall_evals.testing import assert_scores

WEATHER = {
    "Brooklyn": "14 °C, rain",
    "Oslo": "3 °C, snow",
    "Lima": "22 °C, fog",
    "Springfield, Illinois": "18 °C, clear",
    "Paris, Texas": "31 °C, clear",
    "Hanoi": "29 °C, rain",
}


@tool
def get_weather(city: str) -> str:
    """The weather in a city now."""
    if city not in WEATHER:
        raise ToolException(f"no station in {city}")
    return WEATHER[city]


@tool
def find_place(name: str) -> str:
    """The full name of a place whose name is not unique."""
    return next(city for city in WEATHER if city.startswith(name))


@tool
def search_web(query: str) -> str:
    """Search the web."""
    return "weather.example: it is usually mild in spring"


get_weather.handle_tool_error = True  # the model is told what went wrong, and the graph goes on


def says(text: str) -> AIMessage:
    return AIMessage(text)


def calls(*requests: tuple[str, dict[str, Any]]) -> AIMessage:
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": args, "id": f"call_{n}"}
            for n, (name, args) in enumerate(requests)
        ],
    )


def weather(city: str) -> tuple[str, dict[str, Any]]:
    return "get_weather", {"city": city}


# What the model answers, step by step, and what the dataset expects of the run.
RAIN = "It is 14 °C in Brooklyn, with rain."
SNOW = "It is 3 °C in Oslo, with snow."
FOG = "It is 22 °C in Lima, with fog."
CLEAR = "It is 18 °C in Springfield, Illinois, and clear."
HOT = "It is 31 °C in Paris, Texas, and clear."
BOTH = "It is 3 °C in Oslo and 22 °C in Lima."
ONE_CALL = {
    "expected_tool": "get_weather",
    "expected_tool_order": ["get_weather"],
    "max_tool_calls": 1,
}
TWO_CALLS = {
    "expected_tool": "get_weather",
    "expected_tool_order": ["get_weather", "get_weather"],
    "max_tool_calls": 2,
}
PLACE_FIRST = {
    "expected_tool": "get_weather",
    "expected_tool_order": ["find_place", "get_weather"],
    "max_tool_calls": 2,
}

QUESTIONS: list[tuple[str, list[AIMessage | Exception], dict[str, Any]]] = [
    # as it should be
    (
        "What is the weather in Brooklyn?",
        [calls(weather("Brooklyn")), says(RAIN)],
        {**ONE_CALL, "expected_output": RAIN},
    ),
    (
        "Compare Oslo and Lima.",
        [calls(weather("Oslo"), weather("Lima")), says(BOTH)],
        {**TWO_CALLS, "expected_output": BOTH},
    ),
    (
        "What is the weather in Springfield?",
        [
            calls(("find_place", {"name": "Springfield"})),
            calls(weather("Springfield, Illinois")),
            says(CLEAR),
        ],
        {**PLACE_FIRST, "expected_output": CLEAR},
    ),
    # the wrong tool
    (
        "Is it foggy in Lima?",
        [calls(("search_web", {"query": "fog in Lima"})), says("Probably not.")],
        {**ONE_CALL, "expected_output": FOG},
    ),
    # the right tools in the wrong order
    (
        "How hot is it in Paris, the one in Texas?",
        [calls(weather("Paris, Texas")), calls(("find_place", {"name": "Paris"})), says(HOT)],
        {**PLACE_FIRST, "expected_output": HOT},
    ),
    # a tool that fails
    (
        "What is the weather in Atlantis?",
        [calls(weather("Atlantis")), says("Sorry, there is no station in Atlantis.")],
        {**ONE_CALL, "expected_output": "I know no weather for Atlantis."},
    ),
    # no call at all
    (
        "How warm is it in Hanoi?",
        [says("It is usually 25 °C in Hanoi.")],
        {**ONE_CALL, "expected_output": "It is 29 °C in Hanoi, with rain."},
    ),
    # arguments that are cut off: the graph ends there
    (
        "Does it snow in Oslo?",
        [
            AIMessage(
                "",
                invalid_tool_calls=[
                    {
                        "name": "get_weather",
                        "args": '{"city": "Os',
                        "id": "call_0",
                        "error": "not JSON",
                    }
                ],
            )
        ],
        {**ONE_CALL, "expected_output": SNOW},
    ),
    # a call too many
    (
        "Is it raining in Brooklyn?",
        [calls(weather("Brooklyn")), calls(weather("Brooklyn")), says(RAIN)],
        {**ONE_CALL, "expected_output": RAIN},
    ),
    # other words than the expected ones
    (
        "What is the weather in Oslo?",
        [calls(weather("Oslo")), says("Sorry, all I can say is that it snows.")],
        {**ONE_CALL, "expected_output": SNOW},
    ),
    # the model is down: nothing of this run can be scored
    (
        "What is the weather in Lima?",
        [ConnectionError("the model is down")],
        {**ONE_CALL, "expected_output": FOG},
    ),
]

SMALL_TALK: list[tuple[str, list[AIMessage | Exception], dict[str, Any]]] = [
    ("Thank you!", [says("You are welcome.")], {"expected_tool_order": [], "max_tool_calls": 0}),
    (
        "Good night!",
        [calls(weather("Oslo")), says("Good night. It snows in Oslo.")],
        {"expected_tool_order": [], "max_tool_calls": 0},
    ),
]


class ScriptedModel(BaseChatModel):
    """A chat model that answers each question with the messages of a script, one a step."""

    script: dict[str, list[Any]]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> ScriptedModel:
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        question = max(
            index for index, message in enumerate(messages) if isinstance(message, HumanMessage)
        )
        steps = sum(isinstance(message, AIMessage) for message in messages[question:])
        answer = self.script[messages[question].text][steps]
        if isinstance(answer, Exception):
            raise answer
        return ChatResult(generations=[ChatGeneration(message=answer.model_copy())])


def weather_agent() -> Any:
    """The graph that is evaluated."""
    script = {question: answers for question, answers, _ in QUESTIONS + SMALL_TALK}
    return create_agent(
        ScriptedModel(script=script),
        tools=[get_weather, find_place, search_web],
        system_prompt="You tell the weather.",
    )


def dataset(rows: list[tuple[str, list[AIMessage | Exception], dict[str, Any]]]) -> list[Example]:
    """The examples as LangSmith has them; with a server this is the name of a dataset."""
    return [
        Example(
            id=uuid.uuid4(),
            inputs={"messages": [{"role": "user", "content": text}]},
            outputs=expected,
        )
        for text, _, expected in rows
    ]


def evaluators() -> list[Any]:
    """Ten checks and the scorer in four modes; what is left out is in each example's outputs."""
    return [
        checks.called_tool(),
        checks.did_not_call("search_web"),
        checks.tool_order(),
        checks.max_tool_calls(),
        checks.no_tool_errors(),
        checks.includes("°C", key="includes:degrees"),
        checks.excludes("sorry"),
        checks.equals(),
        checks.matches(r"-?\d+ °C", key="matches:degrees"),
        checks.similarity(),
        scorers.tool_call_accuracy(expected_tool="get_weather"),
        scorers.tool_call_accuracy(expected_tool="get_weather", strict_mode=True),
        scorers.tool_call_accuracy(),
        scorers.tool_call_accuracy(strict_mode=True),
    ]


def evaluated() -> ResultsTable:
    """Runs both experiments. The agent is evaluated as it is: the graph itself is the target."""
    agent = weather_agent()
    options: dict[str, Any] = {
        "client": offline_client(),
        "upload_results": False,
        "max_concurrency": 0,
    }
    questions = evaluate(agent, data=dataset(QUESTIONS), evaluators=evaluators(), **options)
    small_talk = evaluate(
        agent, data=dataset(SMALL_TALK), evaluators=[checks.used_no_tools()], **options
    )
    return results_table([*questions, *small_talk])


def failing_run() -> str:
    """One of the runs that go wrong, as a test shows it: what failed, why, and the calls."""
    question, _, expected = next(row for row in QUESTIONS if row[0].startswith("How hot"))
    run = weather_agent().invoke({"messages": [("user", question)]})
    expected_calls = [
        {"name": "find_place", "args": {"name": "Paris"}},
        {"name": "get_weather", "args": {"city": "Paris, Texas"}},
    ]
    calls_match = scorers.tool_calls_match(expected_calls, key="tool_calls_match")
    try:
        assert_scores(
            run, checks.called_tool(), checks.tool_order(), calls_match, reference=expected
        )
    except AssertionError as failure:
        return str(failure)
    return "Nothing failed."


INTRODUCTION = """\
A scripted weather agent answers eleven questions and two remarks, and goes wrong on purpose, each
time in another way. langsmith.evaluate runs it with fourteen checks and scorers, offline, no key.
"""

NEXT = """\
Where to look next
  every result with its reason   .venv/bin/python examples/weather_agent.py --all
  what you have just run         examples/weather_agent.py
  the same agent in pytest       .venv/bin/python -m pytest examples/test_weather_agent.py
  a first score of your own      README.md
  guides and reference           make docs, then open build/site/index.html
"""


def main(*, everything: bool = False) -> None:
    logging.getLogger("langsmith").setLevel(
        logging.CRITICAL
    )  # the run that crashes is in the table
    warnings.filterwarnings("ignore", "'upload_.*' parameter is in beta")
    with contextlib.redirect_stdout(
        io.StringIO()
    ):  # the SDK prints names of experiments, which lead nowhere offline
        table = evaluated()
    print(INTRODUCTION)
    if everything:
        print(table)
        return
    print(table.overview())
    print(f"\nRun 5 again, as a test of yours would fail on it:\n\n{failing_run()}\n")
    print(NEXT, end="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="print every result and its reason")
    main(everything=parser.parse_args().all)
