"""A server of the Model Context Protocol over standard input and output: `python mcp_server.py`."""

from __future__ import annotations

from mcp.server.fastmcp import FastMCP

server = FastMCP("tides")


@server.tool()
def high_tide(port: str) -> str:
    """The next high tide in a port."""
    if port != "Dover":
        raise ValueError(f"no tables for {port}")
    return "04:12"


if __name__ == "__main__":
    server.run()
