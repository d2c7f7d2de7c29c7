"""
What does capturing a crew cost? The time of a scripted crew with `capture` over its time without.

    python benchmarks/bench_crewai_capture.py [--calls 50] [--rounds 15]

CPU time of all threads, since events are handled beside the run; every round runs the crew once with and once without, the ratio is
taken inside the round, and its median over the rounds is printed. The model answers at once: with a real one the share is smaller.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from statistics import median
from typing import Any

from toolcall_evals_crewai import capture, quiet_offline

quiet_offline(storage=tempfile.mkdtemp(prefix="bench-crewai-"))

from crewai import Agent, BaseLLM, Crew, Task  # noqa: E402
from crewai.tools import tool  # noqa: E402


class ScriptedLLM(BaseLLM):
    """Asks for one search after the other, then answers."""

    calls: int
    said: int = 0

    def supports_function_calling(self) -> bool:
        return True

    def get_context_window_size(self) -> int:
        return 1_000_000

    def get_input_tokens_count(self, *args: Any, **kwargs: Any) -> int:
        return 1

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.said += 1
        if self.said > self.calls:
            return "done"
        arguments = json.dumps({"query": f"tides {self.said}"})
        return [{"id": f"call_{self.said}", "type": "function", "function": {"name": "search_web", "arguments": arguments}}]


@tool("search_web")
def search_web(query: str) -> str:
    """Search the web."""
    return f"three results for {query}"


def scripted_crew(calls: int) -> Crew:
    llm = ScriptedLLM(model="scripted", calls=calls)
    agent = Agent(role="Researcher", goal="g", backstory="b", tools=[search_web], llm=llm, max_iter=calls + 5)
    return Crew(agents=[agent], tasks=[Task(name="find", description="Find out", expected_output="an answer", agent=agent)])


def timed(calls: int, block: Callable[[], Any]) -> float:
    """Processor seconds of one kickoff, the end of the capture included."""
    crew = scripted_crew(calls)
    gc.collect()
    begin = time.process_time()
    with block() as run:
        crew.kickoff()
    taken = time.process_time() - begin
    if run is not None and len(run.trajectory.invocations) != calls:
        raise SystemExit(f"{len(run.trajectory.invocations)} of {calls} calls were captured")
    return taken


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    for block in (nullcontext, capture):
        timed(options.calls, block)  # whatever is imported and cached at the first run
    rounds = []
    for number in range(options.rounds):
        if number % 2:
            captured, without = timed(options.calls, capture), timed(options.calls, nullcontext)
        else:
            without, captured = timed(options.calls, nullcontext), timed(options.calls, capture)
        rounds.append((without, captured))
    base, ours = (median(each[at] for each in rounds) * 1000 for at in (0, 1))
    ratio = median(captured / without for without, captured in rounds)
    print(f"{options.calls} calls: {base:.1f} ms without, {ours:.1f} ms captured, ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
