"""Laws of reading events, held on recordings that are damaged at random."""

from __future__ import annotations

import copy
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.crewai.recordings import EVENTS, recording
from toolcall_evals import Trajectory, to_trajectory

PAYLOADS = {name: recording(name)["payload"] for name in EVENTS}
NAMED = st.sampled_from(EVENTS)
JUNK = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.lists(st.none(), max_size=2), st.just({"a": 1}))


def _read(rows: list[dict[str, Any]]) -> Trajectory:
    return to_trajectory(rows, adapter="crewai")


def _calls(trajectory: Trajectory) -> list[tuple[Any, ...]]:
    return [(call.name, call.args, call.raw_args, call.status, call.result, call.agent, call.attempts) for call in trajectory.invocations]


def _counts(trajectory: Trajectory) -> dict[str, int]:
    counts: dict[str, int] = {}
    for call in trajectory.invocations:
        counts[call.name] = counts.get(call.name, 0) + 1
    return counts


@settings(max_examples=40)
@given(NAMED, st.randoms(use_true_random=False))
def test_the_order_in_which_events_arrive_does_not_matter(name: str, random: Any) -> None:
    rows = copy.deepcopy(PAYLOADS[name])
    random.shuffle(rows)
    assert _calls(_read(rows)) == _calls(_read(PAYLOADS[name]))


@settings(max_examples=40)
@given(NAMED, st.data())
def test_an_event_that_arrives_twice_is_read_once(name: str, data: Any) -> None:
    rows = copy.deepcopy(PAYLOADS[name])
    twice = data.draw(st.lists(st.sampled_from(range(len(rows))), min_size=1, max_size=6))
    rows += [copy.deepcopy(rows[at]) for at in twice]
    reading = _read(rows)
    assert _calls(reading) == _calls(_read(PAYLOADS[name]))
    assert any("twice" in warning for warning in reading.warnings)


@settings(max_examples=120)
@given(NAMED, st.data())
def test_lost_events_never_make_a_call_count_twice(name: str, data: Any) -> None:
    rows = copy.deepcopy(PAYLOADS[name])
    lost = data.draw(st.sets(st.sampled_from(range(len(rows))), min_size=1, max_size=8))
    kept = [row for at, row in enumerate(rows) if at not in lost]
    if not kept:
        return
    assert len(_read(kept).invocations) <= len(_read(PAYLOADS[name]).invocations), sorted(lost)


@settings(max_examples=120)
@given(NAMED, st.data())
def test_a_corrupt_stack_of_events_neither_loses_nor_doubles_a_call(name: str, data: Any) -> None:
    """Parents too high up or missing, closing events that name something else: what an aborted tool leaves behind (crewai 1.15.30)."""
    rows = copy.deepcopy(PAYLOADS[name])
    up = {row["event_id"]: row.get("parent_event_id") for row in rows}
    for at in data.draw(st.sets(st.sampled_from(range(len(rows))), min_size=1, max_size=5)):
        row = rows[at]
        if row["type"].endswith("_started") and not row["type"].startswith(("tool_", "llm_")):
            continue
        parent = row.get("parent_event_id")
        for _ in range(data.draw(st.integers(0, 4))):
            parent = up.get(parent) if parent else None
        row["parent_event_id"] = parent
        if row.get("started_event_id") and data.draw(st.booleans()):
            others = [other["event_id"] for other in rows if other["type"] in ("llm_call_started", "task_started", "flow_started")]
            row["started_event_id"] = data.draw(st.sampled_from([None, "unknown", *others]))
    assert _counts(_read(rows)) == _counts(_read(PAYLOADS[name]))


@settings(max_examples=40)
@given(NAMED, st.data())
def test_times_with_and_without_a_zone_may_be_mixed(name: str, data: Any) -> None:
    rows = copy.deepcopy(PAYLOADS[name])
    for row in rows:
        time = datetime.fromisoformat(row["timestamp"])
        row["timestamp"] = data.draw(st.sampled_from([time, time.replace(tzinfo=None), row["timestamp"], "yesterday", None]))
    assert _calls(_read(rows)) == _calls(_read(PAYLOADS[name]))


@settings(max_examples=40)
@given(NAMED)
def test_a_model_without_events_costs_no_call_that_ran(name: str) -> None:
    rows = [row for row in PAYLOADS[name] if not row["type"].startswith("llm_")]
    ran = [call for call in _read(PAYLOADS[name]).invocations if call.executed]
    assert [call.name for call in _read(rows).invocations if call.executed] == [call.name for call in ran]


@settings(max_examples=120)
@given(NAMED, st.data())
def test_nonsense_in_any_field_is_no_crash(name: str, data: Any) -> None:
    rows = copy.deepcopy(PAYLOADS[name])
    for _ in range(data.draw(st.integers(1, 5))):
        row = data.draw(st.sampled_from(rows))
        field = data.draw(st.sampled_from(sorted(row)))
        row[field] = data.draw(JUNK)
    first = next((at for at, row in enumerate(rows) if isinstance(row.get("type"), str) and row["type"].endswith("_started")), None)
    if first is not None:
        rows.insert(0, rows.pop(first))
        assert isinstance(_read(rows), Trajectory)


@pytest.mark.parametrize("name", EVENTS)
def test_two_runs_in_one_list_are_read_one_after_the_other(name: str) -> None:
    again = [
        {key: f"again {value}" if key in ("event_id", "parent_event_id", "started_event_id") else value for key, value in row.items()}
        for row in PAYLOADS[name]
    ]
    both = _read([*PAYLOADS[name], *again])
    assert _calls(both) == _calls(_read(PAYLOADS[name])) * 2
    assert _calls(to_trajectory([*PAYLOADS[name], *again], adapter="crewai", turns="last")) == _calls(_read(PAYLOADS[name]))
