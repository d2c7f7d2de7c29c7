"""A short run of every fuzz target; `make fuzz` runs them for long."""

from __future__ import annotations

import functools
import tempfile
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fuzz import laws
from tests.fuzz.choices import Drawn, Read
from tests.fuzz.loop import loop
from tests.fuzz.structured import Chosen
from tests.fuzz.targets import Target, targets

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
