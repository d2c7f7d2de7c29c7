"""The pytest plugin: fixtures that record a run, and a marker that repeats a test of an agent.

Loaded in every test suite of the environment: it imports nothing of this package, nor any framework, until it is used. It asserts nothing,
so pytest need not look for assertions in it: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _pytest.outcomes import Failed as PytestFailed
else:
    PytestFailed = pytest.fail.Exception

MARK = "repeat_agent"

_configs: list[pytest.Config] = []
"""The sessions of this process, the innermost last: pytest may run inside pytest."""


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    _configs.append(config)
    config.addinivalue_line(
        "markers",
        f"{MARK}(n, pass_at=k | pass_hat=k, at_least=p): run the test n times, each with fresh fixtures; it passes when the chance that "
        "one of k runs (pass_at) or all of k runs (pass_hat) succeed, estimated from them, is at least p; without p, when any run succeeds "
        "(pass_at) or every run does (pass_hat). Fewer than k runs that could be scored never pass",
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Forget the session."""
    if config in _configs:
        _configs.remove(config)


def colour() -> bool | None:
    """Whether what a test fails with may hold terminal codes; None outside pytest. Never where it also goes into a JUnit file."""
    if not _configs:
        return None
    config = _configs[-1]
    if config.pluginmanager.get_plugin("terminalreporter") is None or getattr(config.option, "xmlpath", None):
        return False
    return config.get_terminal_writer().hasmarkup


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
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Make a marked test one that runs n times."""
    mark = item.get_closest_marker(MARK)
    if mark is None:
        return
    from ._repeat import settings_of

    if type(item).__name__ == "TestCaseFunction" or not isinstance(item, pytest.Function):
        raise ValueError(f"{MARK} must mark a test function or method, got {item.nodeid}: a unittest case keeps its failures to itself")
    settings = settings_of(mark.args, mark.kwargs)
    body = type(item).runtest
    item.runtest = lambda: _run_repeated(item, lambda: body(item), settings)  # type: ignore[method-assign]  # the one place to repeat async tests too


def _run_repeated(item: pytest.Function, body: Callable[[], None], settings: Any) -> None:
    __tracebackhide__ = True
    from unittest import SkipTest

    from ._repeat import repeat

    ending = (pytest.xfail.Exception, pytest.skip.Exception, SkipTest)
    counted = _counting_subtests(item, body)
    outcome = repeat(counted, lambda: _fresh_fixtures(item), settings, pytest.fail.Exception, ending, pytest.exit.Exception)
    item.user_properties.append((MARK, str(outcome)))
    if not outcome.passed:
        raise Failed(outcome.failure_text(), pytrace=False)


class Failed(PytestFailed, AssertionError):
    """A repeated test that did not pass: an assertion too, for `xfail(raises=AssertionError)`."""

    __module__ = "builtins"  # pytest shows the name as it does that of its own


def _counting_subtests(item: pytest.Function, body: Callable[[], None]) -> Callable[[], None]:
    """The body, which fails when a subtest in it did: those end without an exception (pytest 9.0 to 9.2)."""
    try:
        from _pytest.subtests import failed_subtests_key
    except ImportError:
        return body

    def run() -> None:
        __tracebackhide__ = True
        failed = item.config.stash[failed_subtests_key]
        name: Any = getattr(item, "id", item.nodeid)
        before = failed[name]
        body()
        if (more := failed[name] - before) > 0:
            raise AssertionError(f"{more} subtest{'s' if more > 1 else ''} failed")

    return run


def _fresh_fixtures(item: pytest.Function) -> None:
    """Tear the test's own fixtures down and set them up again, as pytest-rerunfailures does (pytest 8.3 to 9.2)."""
    given, kept = item.funcargs, dict(item.stash._storage)
    state = item.session._setupstate
    state.teardown_exact(item.parent)  # type: ignore[arg-type]  # keeps what is wider than the test
    item.stash._storage.update({**kept, **item.stash._storage})  # tmp_path takes its own entry away, and needs it the next time
    if (old := item.instance) is not None and getattr(item.obj, "__self__", None) is old:  # what a test keeps on self is of one run
        item._instance = item._getinstance()  # type: ignore[no-untyped-call]  # as pytest makes it
        item.obj = item.obj.__func__.__get__(item._instance)
    item._initrequest()
    state.setup(item)
    if "request" in given:  # langsmith's plugin puts it there after the set-up (langsmith 0.15.1)
        item.funcargs.setdefault("request", item._request)


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
