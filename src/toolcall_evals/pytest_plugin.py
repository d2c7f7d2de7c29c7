"""The pytest plugin: fixtures that record a run, and a marker that repeats a test of an agent.

Loaded in every test suite of the environment: it imports nothing of this package, nor any framework, until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "repeat_agent"


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        f"{MARK}(n, pass_at=k | pass_hat=k, at_least=p): run the test's body n times; it passes when the chance that one of k runs (pass_at) "
        "or all of k runs (pass_hat) succeed, estimated from them, is above 0, or at least p",
    )


@pytest.fixture
def record_langgraph() -> Iterator[Any]:
    """A recorder of LangChain and LangGraph runs: `graph.invoke(..., config=record_langgraph.config)`, then `.trajectory`."""
    from toolcall_evals_langgraph import record

    with record() as recorder:
        yield recorder


@pytest.fixture
def capture_crew() -> Any:
    """Captures a CrewAI run: `with capture_crew(crew) as run: crew.kickoff()`, then `run.trajectory`."""
    from toolcall_evals_crewai import capture

    return capture


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run the body of a marked test n times."""
    mark = pyfuncitem.get_closest_marker(MARK)
    if mark is None or getattr(pyfuncitem, "_toolcall_evals_repeating", False):
        return None
    from ._repeat import repeat, settings_of

    settings = settings_of(mark.args, mark.kwargs)
    pyfuncitem._toolcall_evals_repeating = True  # type: ignore[attr-defined]  # the calls below come back to this hook
    try:
        outcome = repeat(lambda: pyfuncitem.ihook.pytest_pyfunc_call(pyfuncitem=pyfuncitem), settings)
    finally:
        del pyfuncitem._toolcall_evals_repeating  # type: ignore[attr-defined]
    pyfuncitem.user_properties.append((MARK, str(outcome)))
    if not outcome.passed:
        pytest.fail(outcome.failure_text(), pytrace=False)
    return True


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Show how often each repeated test succeeded, also when it passed."""
    lines = [
        f"{report.nodeid}: {value}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in getattr(report, "user_properties", ())
        if name == MARK
    ]
    if lines:
        terminalreporter.section("repeated agent tests")
        for line in sorted(lines):
            terminalreporter.line(line)
