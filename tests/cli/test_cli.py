"""The command as people type it: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.make_traces import Generator, record

from toolcall_evals import checks, to_trajectory
from toolcall_evals.cli._app import run
from toolcall_evals.results import read_results

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "stored_runs.md").read_text(encoding="utf-8")

TOML = """
[[check]]
name = "max_tool_calls"
n = 40

[[check]]
name = "no_tool_errors"

[[scorer]]
name = "tool_calls_match"
expected = [{name = "get_weather", args = {city = "Brooklyn"}}]
order = "superset"
"""
PYTHON = """
from toolcall_evals import checks
EVALUATORS = [checks.max_tool_calls(40), checks.no_tool_errors()]
def made():
    return EVALUATORS[:1]
TWICE = [checks.no_tool_errors(), checks.no_tool_errors()]
NOT_CALLED = [checks.no_tool_errors]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    generator = Generator(errors=0.1)
    rows = [record(generator, number) for number in range(30)]
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "evals.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "evals.py").write_text(PYTHON, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(text: str) -> int:
    return run(text.split())


def test_scores_are_written_counted_and_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("score runs.jsonl --evals evals.py --out scores.jsonl --report report.html") == 0
    said = capsys.readouterr().out
    rows = read_results("scores.jsonl")
    runs = [json.loads(line) for line in (folder / "runs.jsonl").read_text(encoding="utf-8").splitlines()]
    expected = [checks.no_tool_errors().score(run).score for run in runs]
    assert [row.score for row in rows if row.key == "no_tool_errors"] == expected
    assert "30 runs in " in said and re.search(rf"no_tool_errors .*{sum(map(float, filter(None, expected))) / 30:.3f}", said)
    assert (folder / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ("--gate max_tool_calls:40", 0, "verdict: passed"),
        ("--gate no_tool_errors", 1, "verdict: failed"),
        ("--threshold no_tool_errors=0.05", 0, "verdict: passed"),
        ("--threshold no_tool_errors=0.99", 1, "verdict: scored"),
        ("--threshold max_tool_calls:40=0.5..0.9", 1, "is above 0.9"),
    ],
)
def test_gates_and_thresholds_decide_the_exit_code(options: str, code: int, says: str, folder: Path, capsys: Any) -> None:
    assert typed(f"score runs.jsonl --evals evals.py {options} --junit gate.xml --summary gate.md") == code
    assert says in capsys.readouterr().out
    assert "<testsuite " in (folder / "gate.xml").read_text() and "### Tool calls" in (folder / "gate.md").read_text()


def test_unreadable_rows_fail_a_gate_unless_allowed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open("runs.jsonl", "a", encoding="utf-8") as file:
        file.write("broken\n")
    assert typed("score runs.jsonl --evals evals.py --gate max_tool_calls:40 --out o.parquet") == 1
    said = capsys.readouterr().out
    assert "1 of them could not be read, listed in errors.jsonl" in said and "verdict: failed (rows could not be read)" in said
    assert json.loads((folder / "errors.jsonl").read_text())["row"] == 30
    assert typed("score runs.jsonl --evals evals.py --gate max_tool_calls:40 --allow-unscored") == 0


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("score nowhere.jsonl --evals evals.py", "found nothing at 'nowhere.jsonl'"),
        ("score runs.jsonl --evals none.py", "found nothing at 'none.py'"),
        ("score runs.jsonl --evals evals.py:NAME", "expected the name 'NAME'"),
        ("score runs.jsonl --evals evals.py:TWICE", "one key for each evaluator"),
        ("score runs.jsonl --evals evals.py:NOT_CALLED", "; call it"),
        ("score runs.jsonl --evals no.such.module", "cannot import no.such.module"),
        ("score runs.jsonl --evals evals.py --gate no_tool_eror", "expected a gate or threshold on one of"),
        ("score runs.jsonl --evals evals.py --threshold no_tool_errors=2", "expected --threshold"),
        ("score runs.jsonl --evals evals.py --sample 0", "expected --sample above 0"),
        ("score runs.jsonl --evals evals.py --turns first", "expected --turns"),
        ("score runs.jsonl --evals evals.py --adapter haystack", "expected --adapter"),
        ("score runs.jsonl --evals evals.py --where nothing", "expected a condition"),
        ("score runs.jsonl --evals evals.py --out here.csv", "ends in"),
        ("score runs.jsonl --evals evals.py --out evals.toml", "ends in"),
        ("score runs.jsonl --evals evals.py --engine spark", "expected one of the engines"),
        ("score runs.jsonl --evals evals.py --where id=none", "no row was found"),
        ("score evals.toml --evals evals.py", "none of the"),
        ("score runs.jsonl", "evals"),
        ("show runs.jsonl --row 99", "its last row is 29"),
        ("show evals.py --row 1", "cannot be read"),
        ("convert runs.jsonl --out runs.jsonl", "is there already"),
        ("convert evals.toml --out o.jsonl", "no row can be read"),
    ],
)
def test_what_cannot_be_run_ends_with_2_and_one_sentence(command: str, says: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(command) == 2
    told = capsys.readouterr()
    assert says in told.err and "Traceback" not in told.err and not told.out


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('[[check]]\nname = "called_tol"', "did you mean 'called_tool'?"),
        ('[[check]]\nname = "called_tool"\ntimed = 2', "no setting 'timed' .*did you mean 'times'?"),
        ('[[check]]\nname = "max_tool_calls"\nn = -1', "n must be"),
        ('[[cheque]]\nname = "x"', r"expected \[\[check\]\] and \[\[scorer\]\]"),
        ("[[check", "cannot read"),
        ("", "expected a list of evaluators"),
    ],
)
def test_a_toml_file_that_makes_no_sense_is_refused(table: str, says: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.toml").write_text(table, encoding="utf-8")
    assert typed("score runs.jsonl --evals bad.toml") == 2
    assert re.search(says, capsys.readouterr().err)


def test_evaluators_come_from_toml_from_a_function_and_from_a_module(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("score runs.jsonl --evals evals.toml --limit 3") == 0
    assert "tool_calls_match:superset" in capsys.readouterr().out
    assert typed("score runs.jsonl --evals evals.py:made --limit 3") == 0


def test_a_run_is_shown_as_a_timeline_and_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = json.loads((folder / "runs.jsonl").read_text(encoding="utf-8").splitlines()[4])
    first = row["messages"][2]["tool_calls"][0]["function"]["name"]
    assert typed("show runs.jsonl --row 4") == 0
    said = capsys.readouterr().out
    assert f"  1. {first}(" in said and "[success]" in said and "\x1b" not in said
    assert typed("show runs.jsonl --row 4 --json") == 0
    assert to_trajectory(json.loads(capsys.readouterr().out)) == to_trajectory(row)


def test_terminal_codes_of_a_trace_never_reach_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = [{"role": "user", "content": "\x1b]0;taken\x07"}, {"role": "assistant", "content": "\x1b[2J\x9b31m"}]
    (folder / "hostile.json").write_text(json.dumps(hostile), encoding="utf-8")
    assert typed("show hostile.json") == 0 and typed("show hostile.json --json") == 0
    assert typed("score hostile.json --evals evals.py --gate no_tool_errors") == 0
    assert not set(capsys.readouterr().out) & {"\x1b", "\x07", "\x9b"}


def test_converted_runs_are_read_back_as_they_were(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("convert runs.jsonl --out ours.jsonl") == 0
    assert "30 runs written to ours.jsonl" in capsys.readouterr().out
    ours = [json.loads(line) for line in (folder / "ours.jsonl").read_text(encoding="utf-8").splitlines()]
    theirs = [json.loads(line) for line in (folder / "runs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [to_trajectory(row) for row in ours] == [to_trajectory(row) for row in theirs]
    assert [row["id"] for row in ours] == [row["id"] for row in theirs]
    assert typed("score ours.jsonl --evals evals.py --gate max_tool_calls:40") == 0


def test_the_installed_command_runs_and_standard_input_is_read(folder: Path) -> None:
    command = [sys.executable, "-m", "toolcall_evals.cli"]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith("toolcall-evals 0.")
    data = (folder / "runs.jsonl").read_bytes()
    shown = subprocess.run([*command, "show", "-", "--row", "2"], input=data, capture_output=True, check=True)
    assert b"  1. " in shown.stdout


def test_without_the_extra_the_command_says_what_to_install(folder: Path) -> None:
    code = "import sys; sys.modules['typer'] = None; from toolcall_evals.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "toolcall-evals needs typer: install toolcall-evals with its extra 'cli'\n")


def test_every_option_is_on_the_page_and_the_page_names_no_other() -> None:
    import typer

    from toolcall_evals.cli._app import app

    command: Any = typer.main.get_command(app)
    parameters = [parameter for each in command.commands.values() for parameter in each.params]
    options = {option for each in parameters for option in (*each.opts, *each.secondary_opts) if option.startswith("--")}
    options -= {"--no-allow-unscored"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", DOCS)) - {"--help", "--version"} == options - {"--help"}


@pytest.mark.parametrize("number", range(len(re.findall(r"^```bash\n", DOCS, re.MULTILINE))))
def test_the_commands_of_the_page_run(number: int, folder: Path) -> None:
    block = re.findall(r"^```bash\n(.*?)^```", DOCS, re.DOTALL | re.MULTILINE)[number]
    for line in block.replace("\\\n", " ").splitlines():
        command = line.split("#")[0].split()
        if command and command[0] == "toolcall-evals" and "ray" not in command:
            assert run(command[1:]) in (0, 1), line
