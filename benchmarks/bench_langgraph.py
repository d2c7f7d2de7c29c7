"""
What reading a LangGraph run costs, as ratios taken in one process.

    python benchmarks/bench_langgraph.py

Prints the time of a message state against `orjson.loads` of its JSON, of a run tree of 200 runs in milliseconds, and the
exponent with which the cost of each form grows from 100 to 10,000 messages (1.0 is linear).
"""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import orjson
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from toolcall_evals import to_trajectory

ROUNDS = 9


def once_s(work: Callable[[], Any], least_s: float = 0.01) -> float:
    """The CPU time of one call, over enough calls to measure."""
    calls, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < least_s or calls == 0:
        work()
        calls += 1
    return spent / calls


def best_s(work: Callable[[], Any]) -> float:
    """The CPU time of one call, the best of several rounds."""
    work()
    return min(once_s(work) for _ in range(ROUNDS))


def ratio(work: Callable[[], Any], yardstick: Callable[[], Any]) -> float:
    """How many times as long as the yardstick, the median over rounds that run both."""
    work(), yardstick()
    return statistics.median(once_s(work) / once_s(yardstick) for _ in range(3 * ROUNDS))


def messages(calls: int, *, ids: str = "own") -> list[Any]:
    """A conversation with one call a step; `ids` may be `own`, `same` or `none`."""
    found: list[Any] = [HumanMessage("How is the weather in these places? " * 3, id="h1")]
    for number in range(calls):
        id = {"own": f"call_{number}", "same": "call_1", "none": ""}[ids]
        args = {"city": f"Paris {number}", "units": "metric", "days": number}
        found.append(AIMessage("", id=f"lc_run--{number}", name="agent", tool_calls=[{"name": "get_weather", "args": args, "id": id}]))
        found.append(ToolMessage("sunny " * 60, id=f"t{number}", name="get_weather", tool_call_id=id))
    return [*found, AIMessage("It is sunny in all of them. " * 4, id="end", name="agent")]


def tree(calls: int) -> dict[str, Any]:
    """A run tree of an agent: 4 runs a call (node and model, node and tool), and what each handed on."""
    said = [message.model_dump() for message in messages(calls)]
    children = []
    for number in range(calls):
        ask, answer = said[1 + 2 * number], said[2 + 2 * number]
        extra = {"metadata": {"langgraph_checkpoint_ns": f"model:{number}", "langgraph_node": "model", "lc_agent_name": "agent"}}
        generation = {"message": {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": ask}}
        model = run(f"m{number}", "llm", 4 * number + 2, {"generations": [[generation]]}, extra)
        children.append(run(f"n{number}", "chain", 4 * number + 1, {"messages": [ask]}, extra, [model], "model"))
        extra = {
            "metadata": {"langgraph_checkpoint_ns": f"tools:{number}", "langgraph_node": "tools"},
            "tool_call_id": ask["tool_calls"][0]["id"],
        }
        tool = run(f"t{number}", "tool", 4 * number + 4, {"output": answer}, extra, name="get_weather", inputs=ask["tool_calls"][0]["args"])
        children.append(run(f"x{number}", "chain", 4 * number + 3, {"messages": [answer]}, extra, [tool], "tools"))
    return run("root", "chain", 0, {"messages": said}, {}, children, "agent")


def run(id: str, kind: str, start: int, outputs: Any, extra: Any, children: Any = (), name: str = "", inputs: Any = None) -> dict[str, Any]:
    time_of = f"2026-01-01T00:{start // 6000:02}:{start // 100 % 60:02}.{start % 100:02}0000+00:00"
    return {
        "id": id, "name": name or id, "run_type": kind, "inputs": inputs or {}, "outputs": outputs, "error": None, "extra": extra,
        "start_time": time_of, "end_time": time_of, "dotted_order": f"{start:09}", "child_runs": list(children),
    }  # fmt: skip


def updates(calls: int) -> list[Any]:
    """A stream of updates."""
    return [{"model" if message.type == "ai" else "tools": {"messages": [message]}} for message in messages(calls)[1:]]


def exponent(make: Callable[[int], Any], form: str | None = None) -> float:
    """With which power of its length the cost of a record grows, from 100 to 10,000 messages."""
    small, large = make(50), make(5_000)
    return math.log(best_s(lambda: to_trajectory(large, form=form)) / best_s(lambda: to_trajectory(small, form=form)), 100)


def main() -> None:
    live = {"messages": [*messages(8), HumanMessage("thanks", id="h2"), AIMessage("You are welcome.", id="e2", name="agent")]}
    flat = {"messages": [message.model_dump() for message in live["messages"]]}
    text = orjson.dumps(flat)
    print(f"state of {len(flat['messages'])} messages and 8 calls, {len(text)} bytes; times of orjson.loads")
    print(f"  from dicts    {ratio(lambda: to_trajectory(flat), lambda: orjson.loads(text)):5.2f}")
    print(f"  from objects  {ratio(lambda: to_trajectory(live), lambda: orjson.loads(text)):5.2f}")
    print(f"  json.loads    {ratio(lambda: json.loads(text), lambda: orjson.loads(text)):5.2f}")
    runs = tree(50)
    print(f"run tree of 201 runs: {best_s(lambda: to_trajectory(runs)) * 1e3:.2f} ms")
    print("growth from 100 to 10,000 messages, as a power of the length")
    for name, make, form in (
        ("state", lambda n: {"messages": messages(n)}, None),
        ("state, one call id", lambda n: {"messages": messages(n, ids="same")}, None),
        ("state, no call ids", lambda n: {"messages": messages(n, ids="none")}, None),
        ("run tree", tree, None),
        ("stream of updates", updates, "stream_updates"),
    ):
        print(f"  {name:20} {exponent(make, form):5.2f}")


if __name__ == "__main__":
    main()
