"""CrewAI stays on this machine and says nothing, and importing the adapter does not import it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
import warnings

import pytest

from toolcall_evals_crewai import quiet_offline

SCRIPT = """
import sys
reached = []
def refuse(event, arguments):
    host = None
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    if host not in (None, "127.0.0.1", "::1", "localhost"):
        reached.append(f"{event} {host}")
        raise OSError("no network")
sys.addaudithook(refuse)
from toolcall_evals_crewai import capture, quiet_offline
quiet_offline(storage=sys.argv[1])
import warnings
warnings.simplefilter("ignore")
from crewai import Agent, BaseLLM, Crew, Task
class Model(BaseLLM):
    def call(self, *args, **kwargs): return "Final Answer: done"
    def get_input_tokens_count(self, *args, **kwargs): return 1
agent = Agent(role="R", goal="g", backstory="b", llm=Model(model="m"))
crew = Crew(agents=[agent], tasks=[Task(name="t", description="d", expected_output="e", agent=agent)])
with capture(crew) as run:
    crew.kickoff()
import time
print(run.trajectory.final_text, len(run.events) > 5, reached, time.time(), sep="|", flush=True)
"""


@pytest.mark.crewai
def test_a_captured_crew_says_nothing_reaches_nothing_and_the_process_ends_at_once(tmp_path):
    if importlib.util.find_spec("crewai") is None:
        pytest.skip("crewai is not installed")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("CREWAI_", "OTEL_"))}
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "crewai")]
    done = subprocess.run(command, env=bare, capture_output=True, text=True, timeout=120, check=False)
    ended = time.time()
    assert done.returncode == 0, done.stderr
    text, captured, reached, finished = done.stdout.strip().split("|")
    assert (text, captured, reached) == ("done", "True", "[]")
    assert ended - float(finished) < 3  # with telemetry on, crewai takes 10 s to give up
    assert (tmp_path / "crewai").is_dir()


def test_importing_the_adapter_and_its_live_names_imports_no_crewai():
    script = "import sys, toolcall_evals_crewai as t; [getattr(t, name) for name in t.__all__]; print('crewai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True).stdout == "False\n"


@pytest.fixture
def environment(monkeypatch):
    for name in [name for name in os.environ if name.startswith("CREWAI_")]:
        monkeypatch.delenv(name)
    yield
    for name in [name for name in os.environ if name.startswith("CREWAI_")]:
        del os.environ[name]


def test_the_settings_are_set_and_the_storage_folder_is_made(environment, monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "crewai", raising=False)
    quiet_offline(storage=tmp_path / "new")
    assert os.environ["CREWAI_DISABLE_TELEMETRY"] == "true"
    assert os.environ["CREWAI_TRACING_ENABLED"] == "false"
    assert os.environ["CREWAI_STORAGE_DIR"] == str(tmp_path / "new")
    assert (tmp_path / "new").is_dir()


def test_being_called_too_late_is_told_once(environment, monkeypatch):
    monkeypatch.setitem(sys.modules, "crewai", sys)
    with pytest.warns(UserWarning, match="CREWAI_DISABLE_TELEMETRY.*quiet_offline\\(\\) first"):
        quiet_offline()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet_offline()
