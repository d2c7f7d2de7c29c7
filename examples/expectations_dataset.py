"""
Expectations that stand in the dataset: each example says what it expects, one evaluator serves them
all. Offline, without a key.

    python -m examples.expectations_dataset

An expectation becomes JSON with `to_json`; under the key `expect` of an example's outputs every
scorer of expected calls finds it.
"""

from __future__ import annotations

import uuid
import warnings
from typing import Any

from examples.weather_agent import weather_agent
from langsmith import evaluate
from langsmith.schemas import Example

from toolcall_evals import checks, scorers
from toolcall_evals.expect import call, never, one_of, optional, parallel, sequence, to_json
from toolcall_evals.langsmith import ResultsTable, offline_client, results_table

EXPECTED = {
    "What is the weather in Brooklyn?": sequence(
        optional("find_place"), call("get_weather", {"city": "Brooklyn"}), never("search_web")
    ),
    "Compare Oslo and Lima.": parallel(
        call("get_weather", {"city": "Oslo"}), call("get_weather", {"city": "Lima"})
    ),
    "Is it foggy in Lima?": sequence(one_of("get_weather", "search_web")),
    # the agent asks for the weather first, and so does not meet this one
    "How hot is it in Paris, the one in Texas?": sequence(
        call("find_place", {"name": "Paris"}), call("get_weather", {"city": "Paris, Texas"})
    ),
}


def examples() -> list[Example]:
    """The dataset's examples, as `Client.create_examples` takes them too."""
    return [
        Example(
            id=uuid.uuid4(),
            inputs={"messages": [{"role": "user", "content": question}]},
            outputs={"expect": to_json(expected)},
        )
        for question, expected in EXPECTED.items()
    ]


def evaluated() -> ResultsTable:
    evaluators: list[Any] = [
        scorers.tool_calls_match(order="in_order"),
        scorers.tool_call_f1(),
        checks.follows(),
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'upload_.*' parameter is in beta")
        results = evaluate(
            weather_agent(),
            data=examples(),
            evaluators=evaluators,
            client=offline_client(),
            upload_results=False,
        )
    return results_table(results)


if __name__ == "__main__":
    print(evaluated())
