"""What the command is asked to write: checked first, refused by the option's name, and said again by `--resume`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from toolcall_evals.cli._app import run

EVALS = """
from pathlib import Path
from toolcall_evals import Evaluator, checks

def measure(run):
    Path(__file__).with_name("scored").touch()
    return 1.0, lambda: ("", {})

EVALUATORS = [Evaluator("seen", measure, {}), checks.max_tool_calls(0)]
"""
CALLS = [{"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "add", "arguments": "{}"}}]}]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [json.dumps([{"role": "assistant", "content": "done"}]), "", json.dumps(CALLS), "broken"]
    (tmp_path / "runs.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "evals.py").write_text(EVALS, encoding="utf-8")
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(text: str) -> int:
    return run(text.split())


@pytest.mark.parametrize("option", ["--report", "--junit", "--summary", "--out", "--errors"])
@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("file/below.jsonl", "{option}: cannot write to file/below.jsonl"),
        ("folder", "{option}: expected a file to write, found the folder folder"),
        ("s3://bucket/below.jsonl", "{option}: expected a file of this machine to write"),
        ("runs.jsonl", "expected {option} to be a file of its own, found the input runs.jsonl"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_scoring(
    option: str, place: str, says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "runs.jsonl").read_bytes()
    out = "" if option == "--out" else "--out scores.jsonl"
    assert typed(f"score runs.jsonl --evals evals.py {out} {option} {place} --overwrite") == 2
    assert says.format(option=option) in capsys.readouterr().err
    assert not (folder / "scored").exists() and (folder / "runs.jsonl").read_bytes() == before
    assert sorted(os.listdir(folder)) == ["evals.py", "file", "folder", "runs.jsonl"]


def test_two_options_never_name_one_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("score runs.jsonl --evals evals.py --junit same --summary ./same") == 2
    assert "expected --summary to be a file of its own, found that of --junit" in capsys.readouterr().err


def test_folders_of_what_is_written_are_made(folder: Path) -> None:
    assert (
        typed("score runs.jsonl --evals evals.py --out a/s.jsonl --report b/r.html --junit c/j.xml --summary d/s.md --errors e/e.jsonl")
        == 0
    )
    assert all((folder / name).stat().st_size for name in ("a/s.jsonl", "b/r.html", "c/j.xml", "d/s.md", "e/e.jsonl"))


@pytest.mark.parametrize("command", ["score runs.jsonl --evals evals.py --out o.jsonl", "convert runs.jsonl --out o.jsonl"])
def test_what_says_overwrite_names_the_option(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(command) == 0
    assert typed(command) == 2
    assert "o.jsonl is there already; choose another name, or overwrite it (--overwrite" in capsys.readouterr().err
    assert typed(f"{command} --overwrite") == 0


def test_a_finished_run_resumed_says_the_same_again_with_the_gates_of_now(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = "score runs.jsonl --evals evals.py --out o.jsonl --allow-unscored --report r.html"
    assert typed(f"{command} --gate seen") == 0
    first = capsys.readouterr().out
    (folder / "scored").unlink()
    (folder / "r.html").unlink()
    assert typed(f"{command} --gate seen --resume") == 0
    again = capsys.readouterr()
    assert again.out == first and again.err == "o.jsonl is finished already: nothing was scored again\n"
    assert (folder / "r.html").exists() and not (folder / "scored").exists()
    assert typed(f"{command} --gate max_tool_calls:0 --resume") == 1
    assert typed(f"{command} --no-explain --resume") == 2
    assert "o.jsonl is of another run: explain was true and is false" in capsys.readouterr().err


def test_rows_are_counted_from_0_with_blank_lines_everywhere(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert typed("score runs.jsonl --evals evals.py --out o.jsonl --gate max_tool_calls:0") == 1
    said = capsys.readouterr().out
    assert "runs.jsonl, row 3: not JSON" in said and "max_tool_calls:0, runs.jsonl#2: 0; " in said
    assert [json.loads(line).get("row") for line in (folder / "o.jsonl").read_text().splitlines()] == [None, 0, 0, 2, 2]
    assert json.loads((folder / "errors.jsonl").read_text())["row"] == 3
    assert typed("show runs.jsonl --row 2") == 0
    with open("runs.jsonl", encoding="utf-8") as file, monkeypatch.context() as patch:
        patch.setattr("sys.stdin", file)
        shown = capsys.readouterr().out
        assert typed("show - --row 2") == 0
        assert capsys.readouterr().out == shown and "1. add()" in shown


def test_the_table_has_columns_of_rules_only_where_there_are_some(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("score runs.jsonl --evals evals.py --summary s.md") == 0
    said = capsys.readouterr().out
    assert "key               mean" in said and "rule" not in said + (folder / "s.md").read_text()
    assert typed("score runs.jsonl --evals evals.py --gate seen --allow-unscored") == 0
    assert "rule            holds" in capsys.readouterr().out


def test_lists_of_what_cannot_be_converted_are_kept_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        assert typed(f"convert runs.jsonl --out {name}") == 0
    assert "listed in b.jsonl.errors.jsonl" in capsys.readouterr().out
    assert [json.loads((folder / name).read_text())["output"] for name in ("errors.jsonl", "b.jsonl.errors.jsonl")] == [
        "a.jsonl",
        "b.jsonl",
    ]
