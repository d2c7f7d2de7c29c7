"""Events in, nodes of a run tree out: told without a framework, as langchain-core tells them."""

from __future__ import annotations

import threading
from typing import Any
from uuid import UUID, uuid4

import pytest

from toolcall_evals_langgraph._live_runs import LiveRuns, copied, failure


def started(runs: LiveRuns, name: str, parent: UUID | None = None, inputs: Any = None) -> UUID:
    id = uuid4()
    runs.start("chain", id, parent, name, inputs, {})
    return id


def names(nodes: Any) -> Any:
    return [(node["name"], names(node["child_runs"])) if node["child_runs"] else node["name"] for node in nodes]


def test_runs_hang_below_the_run_that_started_them_in_order_of_start():
    runs = LiveRuns()
    root = started(runs, "graph")
    first, second = started(runs, "a", root), started(runs, "b", root)
    started(runs, "b1", second)
    started(runs, "a1", first)
    assert names(runs.roots) == [("graph", [("a", ["a1"]), ("b", ["b1"])])]


def test_a_run_below_a_run_that_was_never_seen_is_a_root():
    runs = LiveRuns()
    started(runs, "graph", parent=uuid4())
    assert names(runs.roots) == ["graph"]
    assert runs.roots[0]["parent_run_id"] is None


def test_a_handler_that_was_passed_twice_records_a_run_once():
    runs = LiveRuns()
    id = uuid4()
    for _ in range(2):
        runs.start("tool", id, None, "search", {"q": "cats"}, {})
    for outputs in ({"output": 1}, {"output": 2}):
        runs.end(id, outputs)
    (root,) = runs.roots
    assert (root["outputs"], root["child_runs"]) == ({"output": 1}, [])


def test_the_end_of_a_run_that_was_never_seen_is_nothing():
    runs = LiveRuns()
    runs.end(uuid4(), {"output": 1})
    assert runs.roots == ()


def test_a_run_that_is_going_on_has_no_end():
    runs = LiveRuns()
    root = started(runs, "graph")
    child = started(runs, "tool", root)
    runs.end(child, error="ValueError('no')")
    (node,) = runs.roots
    assert node["end_time"] is None
    assert node["child_runs"][0]["error"] == "ValueError('no')"
    assert node["child_runs"][0]["end_time"] >= node["start_time"]


def test_what_the_caller_does_with_the_inputs_afterwards_is_not_recorded():
    runs, inputs = LiveRuns(), {"messages": ["hi"]}
    started(runs, "graph", inputs=inputs)
    inputs["messages"].append("later")
    inputs["more"] = 1
    assert runs.roots[0]["inputs"] == {"messages": ["hi"]}


def test_a_root_that_is_not_wanted_leaves_nothing_of_what_is_below_it():
    ended: list[Any] = []
    runs = LiveRuns(wanted=lambda root: root["name"] != "unwanted", ended=ended.append)
    for name in ("unwanted", "wanted"):
        root = started(runs, name)
        runs.end(started(runs, "child", root))
        runs.end(root)
    assert names(runs.roots) == [("wanted", ["child"])]
    assert [each["name"] for each in ended] == ["wanted"]


def test_a_recorder_for_long_forgets_runs_that_are_over_but_the_latest():
    runs = LiveRuns(keep=2, ended=lambda root: None)
    for index in range(5):
        root = started(runs, str(index))
        started(runs, "never ends", root)
        runs.end(root)
    assert names(runs.roots) == [("3", ["never ends"]), ("4", ["never ends"])]
    assert runs.begun == 5
    assert not runs._nodes


def test_events_of_many_threads_keep_their_trees_apart():
    runs = LiveRuns()

    def program(name: str) -> None:
        root = started(runs, name)
        for _ in range(50):
            child = started(runs, name, root)
            runs.end(started(runs, name, child))
            runs.end(child)
        runs.end(root)

    threads = [threading.Thread(target=program, args=(str(index),)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs.roots) == 8
    for root in runs.roots:
        assert names([root]) == [(root["name"], [(root["name"], [root["name"]])] * 50)]


def test_arguments_are_copied_as_deep_as_containers_go_and_objects_kept():
    thing = object()
    args = {"list": [{"a": 1}], "thing": thing, "tuple": (1,)}
    copy = copied(args)
    args["list"][0]["a"] = 2
    assert copy == {"list": [{"a": 1}], "thing": thing, "tuple": (1,)}


def test_arguments_that_contain_themselves_are_copied_to_an_end():
    args: dict[str, Any] = {}
    args["self"] = args
    assert copied(args)["self"]["self"]


CALL = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}


@pytest.mark.parametrize(
    ("inputs", "name", "id"),
    [
        pytest.param({"__type": "tool_call_with_context", "tool_call": CALL, "state": {}}, "look", "c1", id="a task with its state"),
        pytest.param([CALL], "look", "c1", id="a task"),
        pytest.param([CALL, {**CALL, "id": "c2"}], "look", None, id="several calls"),
        pytest.param([CALL], "other", None, id="another tool inside"),
        pytest.param({"messages": []}, "look", None, id="a node with messages"),
        pytest.param(None, "look", None, id="nothing"),
    ],
)
def test_a_tools_run_finds_its_calls_id_in_what_its_node_was_given(inputs, name, id):
    runs = LiveRuns()
    node = started(runs, "tools", inputs=inputs)
    assert runs.call_of(node, name) == id
    assert runs.call_of(uuid4(), name) is None
    assert runs.call_of(None, name) is None


class Mute(Exception):
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    ("error", "text"),
    [pytest.param(ValueError("no"), "ValueError('no')", id="as LangSmith"), pytest.param(Mute(), "Mute", id="a repr that fails")],
)
def test_an_error_is_recorded_as_its_repr(error, text):
    assert failure(error) == text
