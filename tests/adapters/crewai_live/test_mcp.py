"""Tools of an MCP server, which runs as a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from toolcall_evals_crewai import capture

pytestmark = [pytest.mark.crewai, pytest.mark.usefixtures("handlers"), pytest.mark.filterwarnings("ignore:::crewai")]


def test_a_tool_of_an_mcp_server_is_one_call_with_the_servers_name(crews):
    pytest.importorskip("mcp")
    from crewai.mcp import MCPServerStdio

    server = MCPServerStdio(command=sys.executable, args=[str(Path(__file__).with_name("mcp_server.py"))])

    def ask(tools: list[dict[str, Any]]) -> Any:
        (name,) = [tool["function"]["name"] for tool in tools]
        return crews.asks((name, {"port": "Dover"}), (name, {"port": "Nowhere"}))

    agent = crews.agent([ask, "at 04:12"], tools=[], mcps=[server])
    work = crews.Task(name="find", description="When is high tide?", expected_output="a time", agent=agent)
    crew = crews.Crew(agents=[agent], tasks=[work])
    with capture(crew) as run:
        crew.kickoff()
    dover, nowhere = run.trajectory.invocations
    (offered,) = run.trajectory.available_tools or ()
    assert dover.name == nowhere.name == offered.name
    assert offered.description == "The next high tide in a port."
    assert (dover.args, dover.status, dover.result) == ({"port": "Dover"}, "success", "04:12")
    assert (nowhere.args, nowhere.status) == ({"port": "Nowhere"}, "error")
    assert "no tables for Nowhere" in (nowhere.error or nowhere.result or "")
