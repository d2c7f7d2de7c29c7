"""
A manager who delegates: what the crew's output shows of it, and what the capture shows. Offline,
without a key.

    python -m examples.crewai_hierarchical
"""

from __future__ import annotations

from toolcall_evals_crewai import capture, quiet_offline

quiet_offline()  # before crewai is imported

from crewai import Agent, Crew, Process, Task  # noqa: E402
from crewai.tools import tool  # noqa: E402
from examples.scripted_crew_llm import ScriptedLLM, asks  # noqa: E402

from toolcall_evals import checks, to_trajectory  # noqa: E402


@tool("tide_table")
def tide_table(port: str) -> str:
    """The next high tide in a port."""
    return f"{port}: 04:12"


def staff() -> Crew:
    """A manager whose only tools are those that delegate, and a pilot who can look up tides."""
    pilot = Agent(
        role="Pilot",
        goal="know the tides",
        backstory="at sea for years",
        tools=[tide_table],
        llm=ScriptedLLM(
            model="scripted",
            turns=[asks("tide_table", port="Dover"), "High tide in Dover is at 04:12."],
        ),
    )
    manager = ScriptedLLM(
        model="scripted",
        turns=[
            asks(
                "delegate_work_to_coworker",
                task="look up the tide",
                context="for Dover",
                coworker="Pilot",
            ),
            "Sail from Dover before 04:12.",
        ],
    )
    task = Task(
        name="plan", description="When should we sail from Dover?", expected_output="a time"
    )
    return Crew(
        name="staff",
        agents=[pilot],
        tasks=[task],
        process=Process.hierarchical,
        manager_llm=manager,
    )


def main() -> None:
    crew = staff()
    with capture(crew) as run:
        output = crew.kickoff()
    looked_up = checks.called_tool("tide_table")
    for source, trajectory in (("output", to_trajectory(output)), ("capture", run.trajectory)):
        print(f"The {source} shows:")
        for call in trajectory.invocations:
            below = f", inside {call.parent_id}" if call.parent_id else ""
            print(f"  {call.agent}: {call.name} ({call.kind}, {call.status}{below})")
        print(f"  {looked_up.key}: {looked_up.score(trajectory).score}")


if __name__ == "__main__":
    main()
