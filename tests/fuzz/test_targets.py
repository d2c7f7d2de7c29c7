"""A short run of every fuzz target; `make fuzz` runs them for long."""

from __future__ import annotations

import functools
import json
import tempfile
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fuzz import laws
from tests.fuzz.choices import Drawn, Read
from tests.fuzz.documents import is_same
from tests.fuzz.loop import loop
from tests.fuzz.run import main
from tests.fuzz.structured import Chosen
from tests.fuzz.targets import Target, nothing_is_made_up, targets

from toolcall_evals import ToolInvocation, Trajectory, expect

EXAMPLES = 15


@functools.cache
def every() -> Any:
    return targets(tempfile.mkdtemp())


@pytest.mark.parametrize("name", sorted(every()))
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_law_is_broken(name: str, data: st.DataObject) -> None:
    with laws.silence():
        every()[name].run(Chosen(data))


def test_each_kind_of_fault_is_kept_once_and_the_loop_goes_on() -> None:
    def run(choices: Any) -> None:
        laws.expect("a number is below 3", choices.below(4) < 3)

    found = loop(Target("made", run), 400)
    assert found.executions == 400
    ((kind, fault),) = found.faults.items()
    assert kind.startswith("a number is below 3")
    assert 50 < fault["count"] < 150
    with pytest.raises(laws.Broken):
        run(Drawn(fault["example"]))


def test_choices_come_from_bytes_and_end_with_zeros() -> None:
    choices = Read(b"\x05\x01\x02")
    assert [choices.below(4), choices.below(1), choices.below(1000), choices.below(9)] == [1, 0, 0x0201 % 1000, 0]


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        pytest.param(lambda record: record["a"].append(1), True, id="a list grown in place"),
        pytest.param(lambda record: next(record["g"]), True, id="a generator run through"),
        pytest.param(lambda record: setattr(record["o"], "x", 2), True, id="an object's field"),
        pytest.param(lambda record: record["a"], False, id="a look"),
    ],
)
def test_a_digest_tells_a_changed_input(change: Any, seen: bool) -> None:
    record = {"a": [], "g": (number for number in range(3)), "o": SimpleNamespace(x=1)}
    before = laws.digest(record)
    change(record)
    assert (laws.digest(record) != before) is seen


def test_nothing_of_a_trace_is_logged_above_debug() -> None:
    import logging

    with laws.silence(), pytest.raises(laws.Broken):
        logging.getLogger("toolcall_evals.any").info("a secret")


def test_reports_of_parts_of_a_run_are_merged_into_one(tmp_path: Path) -> None:
    row = ["chat", "mutation loop", 600_000, 5, 1, "2.1 (longer texts)"]
    one = {"title": "Fuzzing", "date": "2026-12-02", "rows": [row], "notes": ["a"]}
    other = {
        **one,
        "date": "2026-12-01",
        "rows": [["chat", "mutation loop", 400_000, 4, 0, "11.0 (longer texts)"], ["gemini", "hypothesis", 10, 1, 0, ""]],
    }
    for name, report in {"one.json": one, "other.json": other}.items():
        (tmp_path / name).write_text(json.dumps(report), encoding="utf-8")
    arguments = ["--note", "n", "--merge", str(tmp_path / "one.json"), str(tmp_path / "other.json")]
    assert main(["--out", str(tmp_path / "all.json"), *arguments]) == 0
    assert json.loads((tmp_path / "all.json").read_text(encoding="utf-8")) == {
        "title": "Fuzzing",
        "date": "2026-12-02",
        "rows": [["chat", "mutation loop", 1_000_000, 9, 1, "11.0 (longer texts)"], ["gemini", "hypothesis", 10, 1, 0, ""]],
        "notes": [
            "n",
            "1,000,010 executions in all; 1 of 2 targets have 1,000,000 or more, by all engines together.",
            "Fewer than that: gemini 10.",
        ],
    }


@pytest.mark.parametrize(
    ("record", "made_up"),
    [
        pytest.param("Search Web", False, id="letters and case"),
        pytest.param("S\u00e9arch Web", False, id="accents"),
        pytest.param("S\u00e9arch", True, id="another name"),
    ],
)
def test_a_name_that_a_framework_made_of_one_in_the_record_is_not_made_up(record: str, made_up: bool) -> None:
    run = Trajectory(invocations=(ToolInvocation("search_web", {}),))
    with pytest.raises(laws.Broken) if made_up else nullcontext():
        nothing_is_made_up(run, record.encode())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(float("nan"), float("nan"), True, id="NaN"),
        pytest.param([float("nan"), 1], [float("nan"), 2], False, id="NaN beside another value"),
        pytest.param(1, 2, False, id="another value"),
    ],
)
def test_an_expectation_is_read_back_as_it_was_though_nan_equals_nothing(one: Any, other: Any, same: bool) -> None:
    assert is_same(expect.call("f", {"x": one}), expect.call("f", {"x": other})) is same
