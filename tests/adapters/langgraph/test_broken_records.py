"""Damaged recordings are read as far as they go, or refused: nothing crashes, nothing is invented, nothing is changed."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolcall_evals import TraceFormatError, Trajectory, to_trajectory

FOLDER = Path(__file__).resolve().parents[2] / "recordings" / "langgraph"
CASES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
PLAIN = {name: case for name, case in CASES.items() if isinstance(case["payload"], dict | list)}
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.just([None]),
    st.just({"type": "ai"}),
    st.just([["x"]]),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything inside a payload."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += places(item, (*path, key))
    return found


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def damage(payload: Any, data: st.DataObject) -> Any:
    payload = copy.deepcopy(payload)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(payload) or [()]))
        if not path:
            break
        holder, key = at(payload, path[:-1]), path[-1]
        deed = data.draw(st.sampled_from(["delete", "replace", "repeat", "swap", "cut"]))
        if deed == "delete":
            del holder[key]
        elif deed == "replace":
            holder[key] = copy.deepcopy(data.draw(JUNK))
        elif isinstance(holder, list):
            if deed == "repeat":
                holder.insert(key, copy.deepcopy(holder[key]))
            elif deed == "swap":
                holder.insert(0, holder.pop(key))
            else:
                del holder[key:]
    return payload


def read(payload: Any, form: str | None) -> Trajectory | None:
    try:
        return to_trajectory(payload, form=form)
    except TraceFormatError:
        return None


def stands_in(text: str, name: str, pieces: bool) -> bool:
    """Whether a record holds a call's name; in chunks a name may come in pieces."""
    written = json.dumps(name)[1:-1].removesuffix("_call")
    return written in text or (pieces and any(written[:at] in text and written[at:] in text for at in range(len(written))))


@pytest.mark.parametrize("name", sorted(PLAIN))
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_damaged_recording_is_read_or_refused(name: str, data: st.DataObject) -> None:
    case = PLAIN[name]
    payload = damage(case["payload"], data)
    untouched = copy.deepcopy(payload)
    run = read(payload, case["form"] if case["form"].startswith(("stream_", "astream_")) else None)
    assert payload == untouched
    if run is not None:
        text, pieces = json.dumps(payload), case["form"] in ("message_chunks", "stream_messages")
        assert all(stands_in(text, call.name, pieces) or call.kind == "server" for call in run.invocations)
