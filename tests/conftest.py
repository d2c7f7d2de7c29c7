"""What holds for every test: no network beyond this machine, and no settings of the person who runs them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

os.environ.update(
    TQDM_DISABLE="1",
    CREWAI_DISABLE_TELEMETRY="true",
    CREWAI_DISABLE_TRACKING="true",
    CREWAI_TRACING_ENABLED="false",
    OTEL_SDK_DISABLED="true",
)
for name in [name for name in os.environ if name.startswith(("LANGSMITH_", "LANGCHAIN_"))]:
    del os.environ[name]

# the machines that run the tests are shared and slow at times: a slow example is no failure. CI draws the same examples every time,
# so that it judges the change; the search for new ones goes on wherever people work
settings.register_profile("toolcall-evals", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.register_profile("few", deadline=None, derandomize=True, max_examples=20)  # for `make mutation`, which runs a test many times
settings.load_profile("toolcall-evals")

LOOPBACK = {"127.0.0.1", "::1", "localhost", ""}
reached: list[str] = []
"""Every address beyond the loopback that something tried to reach, threads and libraries included."""


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        address = arguments[1]
        if not isinstance(address, tuple) or address[0] in LOOPBACK:
            return
    elif event == "socket.getaddrinfo":
        address = arguments[:2]
        if address[0] is None or (address[0].decode() if isinstance(address[0], bytes) else address[0]) in LOOPBACK:
            return
    else:
        return
    reached.append(f"{event} {address}")
    raise OSError(f"the tests have no network: {event} {address}")


sys.addaudithook(_refuse_network)


@pytest.fixture(autouse=True)
def network_is_not_used() -> Iterator[None]:
    """Fails a test during which anything tried to reach beyond the loopback, also where the code swallowed the refusal."""
    reached.clear()
    yield
    assert not reached, f"the network was used: {reached}"
