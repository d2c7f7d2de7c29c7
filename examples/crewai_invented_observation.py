"""
An agent that writes its own "Observation" and calls nothing, caught. Offline, without a key.

    python -m examples.crewai_invented_observation

A model without function calling speaks CrewAI's text protocol: Action, Action Input, and then
CrewAI's Observation. A model that goes on by itself, observation and final answer included, has
called no tool; the crew's output looks like any other.
"""

from __future__ import annotations

from toolcall_evals_crewai import capture, quiet_offline

quiet_offline()  # before crewai is imported

from crewai import Agent, Crew, Task  # noqa: E402
from crewai.tools import tool  # noqa: E402
from examples.scripted_crew_llm import ScriptedLLM  # noqa: E402

from toolcall_evals import checks  # noqa: E402

HONEST = [
    'Thought: look it up\nAction: tide_table\nAction Input: {"port": "Dover"}',
    "Thought: done\nFinal Answer: At 04:12.",
]
INVENTED = [f"{HONEST[0]}\nObservation: Dover: 11:47\nThought: done\nFinal Answer: At 11:47."]


@tool("tide_table")
def tide_table(port: str) -> str:
    """The next high tide in a port."""
    return f"{port}: 04:12"


def pilot_crew(turns: list[str]) -> Crew:
    """One agent with one tool and one question."""
    pilot = Agent(
        role="Pilot",
        goal="know the tides",
        backstory="at sea",
        tools=[tide_table],
        llm=ScriptedLLM(model="scripted", turns=list(turns), calls_functions=False),
    )
    task = Task(
        name="tide",
        description="When is high tide in Dover?",
        expected_output="a time",
        agent=pilot,
    )
    return Crew(agents=[pilot], tasks=[task])


def main() -> None:
    evaluators = [checks.called_tool("tide_table"), checks.no_hallucinated_tool_calls()]
    for name, turns in (("honest", HONEST), ("invented", INVENTED)):
        crew = pilot_crew(turns)
        with capture(crew) as run:
            output = crew.kickoff()
        print(f"{name}: {output.raw}")
        for call in run.trajectory.invocations:
            print(f"  {call.name}({call.args}) {call.status}: {call.result}")
        for evaluator in evaluators:
            score = evaluator.score(run.trajectory)
            print(f"  {score.key}: {score.score} ({score.comment})")


if __name__ == "__main__":
    main()
