"""
A research crew of two agents, captured while it runs and scored task by task: offline, without a
key.

    python -m examples.crewai_research

The agents, the tasks and the tools are real; only the model is scripted, and one page is down on
purpose. Take `llm=` out, and the rest stays as it is.
"""

from __future__ import annotations

from typing import Any

from toolcall_evals_crewai import capture, quiet_offline, score_kickoffs

quiet_offline()  # before crewai is imported

from crewai import Agent, Crew, Task  # noqa: E402
from crewai.tools import tool  # noqa: E402
from examples.scripted_crew_llm import ScriptedLLM, asks  # noqa: E402

from toolcall_evals import Score, Trajectory, checks  # noqa: E402

PAGES = {"tides.example/moon": "The moon's pull raises two bulges of water."}


@tool("search_web")
def search_web(query: str) -> str:
    """Find pages about something."""
    return "tides.example/sun, tides.example/moon"


@tool("read_page")
def read_page(url: str) -> str:
    """Read one page."""
    return PAGES[url]  # the page about the sun is down


@tool("save_report")
def save_report(title: str, text: str) -> str:
    """Save a report."""
    return f"saved {title}"


def research_crew(**settings: Any) -> Crew:
    """A researcher who searches and reads, and a writer who saves what was found."""
    researcher = Agent(
        role="Researcher",
        goal="find out what is known",
        backstory="reads before speaking",
        tools=[search_web, read_page],
        llm=ScriptedLLM(
            model="scripted",
            turns=[
                asks("search_web", query="what causes tides"),
                asks("read_page", url="tides.example/sun"),
                asks("read_page", url="tides.example/moon"),
                "The moon's pull raises two bulges of water.",
            ],
        ),
    )
    writer = Agent(
        role="Writer",
        goal="write it down",
        backstory="keeps it short",
        tools=[save_report],
        llm=ScriptedLLM(
            model="scripted",
            turns=[
                asks("save_report", title="Tides", text="Two bulges, twice a day."),
                "The report is saved.",
            ],
        ),
    )
    find = Task(
        name="find",
        description="Find out what causes tides",
        expected_output="the cause",
        agent=researcher,
    )
    write = Task(
        name="write",
        description="Write a report about it",
        expected_output="a saved report",
        agent=writer,
        context=[find],
    )
    return Crew(name="research", agents=[researcher, writer], tasks=[find, write], **settings)


def report(scores: tuple[Score, ...], run: Trajectory) -> None:
    """What becomes of the scores; send them wherever yours should go."""
    for score in scores:
        print(f"  {score.key}: {score.score} ({score.comment})")


scoring = score_kickoffs(
    [
        checks.tool_order(["search_web", "read_page", "save_report"]),
        checks.max_tool_calls(3),
        checks.no_tool_errors(),
    ],
    report=report,
)


def begin(inputs: Any) -> Any:
    """`scoring.before` as a function of this module, which CrewAI can name in a checkpoint."""
    return scoring.before(inputs)


def finish(output: Any) -> Any:
    """`scoring.after`, likewise."""
    return scoring.after(output)


def main() -> None:
    crew = research_crew()
    with capture(crew) as run:
        crew.kickoff()

    print("What the crew called:")
    for call in run.trajectory.invocations:
        print(f"  {call.agent}, {call.task}: {call.name}({call.args}) {call.status}")
    print("What each agent had:")
    for offered in run.trajectory.available_tools or ():
        print(f"  {offered.agent}: {offered.name}")
    print("Task by task:")
    for part in run.trajectories:
        if part.kind == "task":
            failed = checks.no_tool_errors().score(part.trajectory)
            print(f"  {part.name}: no_tool_errors {failed.score}")

    print("The same by callbacks, for crews in production:")
    research_crew(before_kickoff_callbacks=[begin], after_kickoff_callbacks=[finish]).kickoff()


if __name__ == "__main__":
    main()
