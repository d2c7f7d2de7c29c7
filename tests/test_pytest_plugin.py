"""The plugin in sessions of pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from langgraph.prebuilt import ToolNode

import toolcall_evals._repeat
import toolcall_evals_langgraph.recorder
from langsmith_stub import StubLangSmith
from toolcall_evals._convert import adapters

adapters()
LOADED = (toolcall_evals._repeat, toolcall_evals_langgraph.recorder, ToolNode)
"""What inner sessions of this process find loaded: a session forgets what it imported, and a class imported twice is two classes."""

pytest_plugins = ["pytester"]

QUIET = ["-p", "no:cacheprovider", "-p", "no:langsmith_plugin", "-q"]
HEAD = """
import itertools, pytest
from toolcall_evals import ToolInvocation, Trajectory, checks
from toolcall_evals.testing import assert_scores, soft
COUNT = itertools.count()
RUN = Trajectory(input="Rain?", invocations=(ToolInvocation("get_weather", {"city": "Oslo"}, status="success", result="snow"),))
"""


def session(pytester: pytest.Pytester, code: str, *options: str) -> pytest.RunResult:
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makepyfile(test_agent=HEAD + code)
    return pytester.runpytest_inprocess(*QUIET, *options)


def part(result: pytest.RunResult, begin: str, end: str) -> str:
    """The lines of a session's output between two lines."""
    lines = result.outlines
    start = next(number for number, line in enumerate(lines) if begin in line)
    stop = next(number for number, line in enumerate(lines) if number > start and end in line)
    return "\n".join(lines[start + 1 : stop])


FAILURE = """\

    def test_rain():
>       assert_scores(RUN, checks.called_tool("book"), checks.no_tool_errors())
E       AssertionError: 1 of 2 checks failed
E         called_tool:book: 0, expected 1
E             book was called 0 times, expected at least 1; calls: get_weather
E       the run (trajectory):
E         user: Rain?
E         1. get_weather(city="Oslo")  [success]
E            -> snow

test_agent.py:8: AssertionError"""

RAIN = """
def test_rain():
    assert_scores(RUN, checks.called_tool("book"), checks.no_tool_errors())
"""


def test_a_failure_shows_the_checks_and_the_run_and_nothing_of_ours(pytester):
    result = session(pytester, RAIN)
    assert part(result, "_ test_rain _", "short test summary") == FAILURE


SOFT = """\

    def test_soft():
>       with soft():
E       AssertionError: 1 of 1 checks failed
E         called_tool:book: 0, expected 1
E             book was called 0 times, expected at least 1; calls: get_weather
E       the run (trajectory):
E         user: Rain?
E         1. get_weather(city="Oslo")  [success]
E            -> snow
E       
E       1 of 1 checks failed
E         max_tool_calls:0: 0, expected 1
E             1 call made, none allowed; the first one too many is call 1 of 1, get_weather; calls:
E             get_weather
E       the run (trajectory):
E         user: Rain?
E         1. get_weather(city="Oslo")  [success]
E            -> snow

test_agent.py:8: AssertionError"""  # noqa: W291 - a line of pytest's


def test_a_soft_block_shows_every_failure_and_nothing_of_ours(pytester):
    code = """
def test_soft():
    with soft():
        assert_scores(RUN, checks.called_tool("book"))
        assert_scores(RUN, checks.called_tool("get_weather"))
        assert_scores(RUN, checks.max_tool_calls(0))
"""
    assert part(session(pytester, code), "_ test_soft _", "short test summary") == SOFT


def test_the_run_is_in_colour_where_the_terminal_has_it_and_the_junit_file_never_is(pytester):
    assert "\x1b[32m  [success]\x1b[0m" in str(session(pytester, RAIN, "--color=yes").stdout)
    assert "\x1b[32m  [success]" not in str(session(pytester, RAIN, "--color=no").stdout)
    assert "\x1b[32m  [success]" not in str(session(pytester, RAIN, "--color=yes", "--junitxml=report.xml").stdout)
    assert "called_tool:book: 0, expected 1" in (pytester.path / "report.xml").read_text(encoding="utf-8")


REPEATED = """
@pytest.mark.repeat_agent(n=4, pass_hat=2, at_least=0.5)
def test_flaky():
    assert_scores(RUN, checks.called_tool("get_weather" if next(COUNT) % 2 else "book"))

@pytest.mark.repeat_agent(n=3, pass_at=1)
def test_once(tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "mark").touch()
    assert next(COUNT) % 2
"""
FLAKY = """\
2 of 4 succeeded, pass@2 0.83, pass^2 0.17, 95 % interval 0.15 to 0.85; pass^2 at least 0.5 was expected
--- run 1: 1 of 1 checks failed
  called_tool:book: 0, expected 1
      book was called 0 times, expected at least 1; calls: get_weather
the run (trajectory):
  user: Rain?
  1. get_weather(city="Oslo")  [success]
     -> snow
--- run 3: 1 of 1 checks failed
  called_tool:book: 0, expected 1
      book was called 0 times, expected at least 1; calls: get_weather
the run (trajectory):
  user: Rain?
  1. get_weather(city="Oslo")  [success]
     -> snow"""
SECTION = """\
test_agent.py::test_flaky: 2 of 4 succeeded, pass@2 0.83, pass^2 0.17, 95 % interval 0.15 to 0.85
test_agent.py::test_once: 1 of 3 succeeded, pass@1 0.33, pass^1 0.33, 95 % interval 0.06 to 0.79"""


def test_a_repeated_test_shows_how_often_it_succeeded_also_when_it_passed(pytester):
    result = session(pytester, REPEATED)
    result.assert_outcomes(passed=1, failed=1)
    assert part(result, "_ test_flaky _", "repeated agent tests") == FLAKY
    assert part(result, "repeated agent tests", "short test summary") == SECTION


def test_each_repetition_of_an_async_test_has_fixtures_of_its_own(pytester):
    code = """
LOG = []

@pytest.fixture
async def agent():
    LOG.append("up")
    yield []
    LOG.append("down")

@pytest.mark.repeat_agent(n=3, pass_hat=3)
async def test_async(agent):
    assert agent == []
    agent.append(1)

def test_log():
    assert LOG == ["up", "down"] * 3
"""
    session(pytester, code).assert_outcomes(passed=2)


def test_each_repetition_of_a_method_has_an_object_of_its_own(pytester):
    code = """
SEEN = []

class TestAgent:
    @pytest.fixture(autouse=True)
    def prepare(self):
        assert not hasattr(self, "agent")
        self.agent = []

    @pytest.mark.repeat_agent(n=3, pass_hat=3)
    def test_plain(self):
        self.agent.append(1)
        SEEN.append(self)
        assert self.agent == [1]

    @pytest.mark.repeat_agent(n=2, pass_hat=2)
    async def test_async(self):
        self.agent.append(1)
        assert self.agent == [1]

    def test_after(self):
        assert len(set(map(id, SEEN))) == 3 and self not in SEEN
"""
    session(pytester, code).assert_outcomes(passed=3)


def test_fewer_scored_runs_than_needed_fail_as_not_scored(pytester):
    code = """
@pytest.mark.repeat_agent(n=2, pass_hat=2)
def test_unread():
    assert_scores(RUN if next(COUNT) else 5, checks.called_tool("get_weather"))
"""
    result = session(pytester, code)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["could not score: 1 of 2 runs were scored, 2 are needed", "--- run 1: *"])


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("pytest.skip('no key')", {"skipped": 1}),
        ("pytest.xfail('known')", {"xfailed": 1}),
        ("pytest.fail('no')", {"failed": 1}),
        ("raise ConnectionError('down')", {"failed": 1}),
    ],
)
def test_a_repeated_test_may_end_in_every_other_way(pytester, body, outcome):
    session(pytester, f"@pytest.mark.repeat_agent(3)\ndef test_it():\n    {body}\n").assert_outcomes(**outcome)


def test_a_fixture_that_fails_the_second_time_is_an_error_of_the_test(pytester):
    code = """
@pytest.fixture
def agent():
    if next(COUNT):
        raise OSError("no second time")

@pytest.mark.repeat_agent(3)
def test_it(agent):
    pass
"""
    result = session(pytester, code)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E * OSError: no second time"])


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("@pytest.mark.repeat_agent(2, pass_at=3)\ndef test_it(): pass", "*pass_at must be at most n=2, got 3*"),
        (
            "import unittest\nclass TestIt(unittest.TestCase):\n    @pytest.mark.repeat_agent(2)\n    def test_it(self): pass",
            "*repeat_agent must mark a test function or method*",
        ),
    ],
)
def test_a_mark_without_sense_is_an_error(pytester, code, problem):
    result = session(pytester, code)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([problem])


LANGGRAPH = """
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

@tool
def get_weather(city: str) -> str:
    "The weather."
    return "snow"

def model(state):
    return {"messages": [AIMessage("", tool_calls=[{"name": "get_weather", "args": {"city": "Oslo"}, "id": "1"}])]}

GRAPH = StateGraph(MessagesState).add_node(model).add_node("tools", ToolNode([get_weather]))
GRAPH = GRAPH.add_edge(START, "model").add_edge("model", "tools").compile()

@pytest.mark.repeat_agent(n=2, pass_hat=2)
def test_record(record_langgraph):
    GRAPH.invoke({"messages": [("user", "Rain?")]}, config=record_langgraph.config)
    assert_scores(record_langgraph, checks.called_tool("get_weather"), checks.max_tool_calls(1))

def test_nothing_recorded(record_langgraph):
    assert_scores(record_langgraph, checks.called_tool("get_weather"))

def test_capture(capture_crew):
    assert capture_crew.__module__ == "toolcall_evals_crewai._capture"
"""


def test_the_fixtures_record_each_repetition_by_itself(pytester):
    result = session(pytester, LANGGRAPH)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["E * called_tool:get_weather: could not score", "E * expected a run under this recorder, found none; *"])


def test_xdist_reports_what_its_workers_repeated(pytester):
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makepyfile(test_agent=HEAD + REPEATED.replace("4, pass_hat", "2, pass_hat"), test_other=HEAD + RAIN)
    result = pytester.runpytest_subprocess(*QUIET, "-n", "2", "--dist", "loadfile", timeout=120)
    result.assert_outcomes(passed=1, failed=2)
    assert "test_agent.py::test_flaky: 1 of 2 succeeded" in part(result, "repeated agent tests", "short test summary")
    reports = part(result, "_ test_rain _", "repeated agent tests").split("\n_____")  # that of the other worker may come first or next
    worker, failure = reports[0].split("\n", 1)
    assert worker.startswith("[gw")
    assert failure == FAILURE.replace("test_agent.py", "test_other.py")


def test_without_the_plugin_assertions_work_and_tests_run_once(pytester):
    absent = "def test_absent(request):\n    assert not request.config.pluginmanager.hasplugin('toolcall_evals')\n"
    result = session(pytester, RAIN + absent, "-p", "no:toolcall_evals")
    result.assert_outcomes(passed=1, failed=1)
    assert part(result, "_ test_rain _", "short test summary") == FAILURE


def test_the_marker_and_the_fixtures_are_documented(pytester):
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    result = pytester.runpytest_inprocess("--markers", "-p", "no:langsmith_plugin")
    result.stdout.fnmatch_lines(["@pytest.mark.repeat_agent(n, pass_at=k | pass_hat=k, at_least=p): *"])


def test_an_unrelated_suite_loads_the_plugin_and_the_package_alone(pytester):
    pytester.makepyfile(
        "import sys\ndef test_modules():\n    print('loaded', *[name for name in sys.modules if name.startswith('toolcall_evals')])\n"
    )
    result = pytester.runpytest_subprocess(*QUIET, "-s", "-p", "no:xdist")
    (line,) = [line for line in result.outlines if "loaded" in line]
    assert set(line.split("loaded ")[1].rstrip(".").split()) == {"toolcall_evals", "toolcall_evals.pytest_plugin"}


MARKED = """
@pytest.mark.langsmith
def test_marked():
    assert_scores(RUN, checks.called_tool("get_weather"), checks.called_tool("book"), checks.called_tool())

def test_unmarked():
    assert_scores(RUN, checks.called_tool("get_weather"), checks.max_tool_calls(0))
"""


def langsmith_session(pytester: pytest.Pytester, stub: StubLangSmith, code: str, **environment: str) -> str:
    pytester.makepyfile(test_agent=HEAD + code)
    settings = {"LANGSMITH_ENDPOINT": stub.url, "LANGSMITH_API_KEY": "stub", "LANGSMITH_TRACING": "true", **environment}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore"],
        capture_output=True,
        text=True,
        cwd=pytester.path,
        env={**os.environ, **settings},
        timeout=120,
        check=False,
    )
    return done.stdout + done.stderr


def test_a_marked_test_logs_every_score_before_it_fails(pytester):
    with StubLangSmith() as stub:
        output = langsmith_session(pytester, stub, MARKED)
        sent = {feedback["key"]: feedback for feedback in stub.feedback}
    assert "2 failed" in output and "called_tool:book: 0, expected 1" in output
    assert {key: feedback.get("score") for key, feedback in sent.items()} == {
        "called_tool:get_weather": 1,
        "called_tool:book": 0,
        "called_tool": None,
        "pass": 0,
    }
    assert sent["called_tool:book"]["comment"] == "book was called 0 times, expected at least 1; calls: get_weather"
    assert sent["called_tool"]["value"] == "could_not_score"


def test_each_repetition_of_a_marked_test_is_a_run_of_its_own(pytester):
    code = """
@pytest.mark.langsmith
@pytest.mark.repeat_agent(n=3, pass_at=1)
def test_marked(tmp_path):
    assert_scores(RUN, checks.called_tool("get_weather" if next(COUNT) else "book", key="called"))
"""
    with StubLangSmith() as stub:
        output = langsmith_session(pytester, stub, code)
        sent = sorted([(feedback["key"], feedback["score"]) for feedback in stub.feedback])
    assert "2 of 3 succeeded" in output and "1 passed" in output
    assert sent == [("called", 0), ("called", 1), ("called", 1), ("pass", 0), ("pass", 1), ("pass", 1)]


def test_with_tracking_off_nothing_is_sent(pytester):
    with StubLangSmith() as stub:
        output = langsmith_session(pytester, stub, MARKED, LANGSMITH_TEST_TRACKING="false", LANGSMITH_TRACING="false")
        assert stub.feedback == [] and stub.runs == {}
    assert "2 failed" in output and "called_tool:book: 0, expected 1" in output


def test_an_unmarked_test_sends_nothing(pytester):
    with StubLangSmith() as stub:
        output = langsmith_session(pytester, stub, MARKED[MARKED.index("def test_unmarked") :])
        assert stub.calls == []
    assert "1 failed" in output


def test_a_run_that_skips_or_crashes_undoes_no_failure_and_passes_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import itertools
        import pytest
        ran = itertools.count()

        @pytest.mark.repeat_agent(n=3, pass_hat=3)
        def test_skipped_late():
            if next(ran) == 2:
                pytest.skip("no agent")
            assert False

        crashed = itertools.count()

        @pytest.mark.repeat_agent(n=5, pass_hat=3)
        def test_crashes_twice():
            if next(crashed) < 2:
                raise ConnectionError("agent crashed")

        @pytest.mark.repeat_agent(n=3)
        def test_skipped_at_once():
            pytest.skip("not here")
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=2, skipped=1)
    result.stdout.fnmatch_lines(["*run 3: Skipped: no agent*", "*2 could not be scored; every run was expected to succeed*"])


def test_a_repeated_failure_may_be_expected_as_an_assertion(pytester):
    code = """
@pytest.mark.xfail(raises=AssertionError, strict=True)
@pytest.mark.repeat_agent(2, pass_hat=2)
def test_it():
    assert next(COUNT) == 0
"""
    session(pytester, code).assert_outcomes(xfailed=1)


def test_a_repeated_failure_shows_hypothesis_example_and_the_soft_block_before_a_crash(pytester):
    code = """
from hypothesis import given, settings, strategies as st

@pytest.mark.repeat_agent(1)
@settings(database=None)
@given(st.integers(3, 3))
def test_example(number):
    assert number == 4

@pytest.mark.repeat_agent(2, pass_hat=1)
def test_soft():
    with soft():
        assert_scores(RUN, checks.called_tool("book"))
        raise KeyError("down")
"""
    result = session(pytester, code)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*number=3*"])
    lines = ["0 of 2 succeeded*", "--- run 1: KeyError: 'down' (*", "*in the soft block:", "*called_tool:book: 0, expected 1"]
    result.stdout.fnmatch_lines(lines)
    assert "Traceback" not in result.stdout.str()


def test_a_first_run_that_skips_leaves_the_others_to_run(pytester):
    code = """
@pytest.mark.repeat_agent(n=3, pass_at=1)
def test_late():
    if not next(COUNT):
        pytest.skip("no agent")

FAILED = itertools.count()

@pytest.mark.repeat_agent(n=2)
def test_hidden():
    if not next(FAILED):
        pytest.xfail("known")
    assert False
"""
    result = session(pytester, code)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["--- run 2: assert False", "--- run 1: XFailed: known", "*test_late: 2 of 2 *, 1 could not be scored"])


def test_a_subtest_that_fails_is_a_run_that_did_not_succeed(pytester):
    pytest.importorskip("_pytest.subtests")
    code = """
@pytest.mark.repeat_agent(n=3, pass_hat=1)
def test_it(subtests):
    run = next(COUNT)
    for city in ("Oslo", "Rome"):
        with subtests.test(city=city):
            assert run != 1
"""
    session(pytester, code).stdout.fnmatch_lines(["2 of 3 succeeded, *", "--- run 2: 2 subtests failed"])


def test_a_session_that_is_ended_ends_in_a_repeated_test_too(pytester):
    result = session(pytester, "@pytest.mark.repeat_agent(2)\ndef test_it():\n    pytest.exit('enough')\n")
    result.stdout.fnmatch_lines(["*Exit: enough*"])
