"""The offline client and the results table, without any network."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from langsmith import aevaluate, evaluate
from langsmith.evaluation.evaluator import EvaluationResult
from langsmith.schemas import Example
from langsmith.utils import LangSmithError

from toolcall_evals import checks
from toolcall_evals._table import width_of
from toolcall_evals.langsmith import ResultsTable, offline_client, results_table
from toolcall_evals.results import ResultRow

pytestmark = pytest.mark.filterwarnings("ignore:'upload_.*' parameter is in beta")


def example(question: str, **outputs: Any) -> Example:
    return Example(id=uuid.uuid4(), inputs={"messages": [{"role": "user", "content": question}]}, outputs=outputs)


def answer(inputs: dict[str, Any]) -> dict[str, Any]:
    """Calls the tool that the last word of the question names; the word "crash" raises."""
    tool = inputs["messages"][0]["content"].split()[-1]
    if tool == "crash":
        raise RuntimeError("the model is down")
    call = {"id": "1", "type": "function", "function": {"name": tool, "arguments": "{}"}}
    return {
        "messages": [
            *inputs["messages"],
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "done"},
            {"role": "assistant", "content": "Done."},
        ]
    }


def experiment(*examples: Example, evaluators: list[Any], **options: Any) -> Any:
    return evaluate(answer, data=list(examples), evaluators=evaluators, client=offline_client(), upload_results=False, **options)


def test_the_offline_client_evaluates_with_scores_and_reasons() -> None:
    results = experiment(example("please search"), example("please crash"), evaluators=[checks.called_tool("search")])
    table = results_table(results)
    assert [(row.example, row.key, row.score, row.status) for row in table.rows] == [
        ("please search", "called_tool:search", 1.0, "scored"),
        ("please crash", "called_tool:search", None, "could_not_score"),
    ]
    assert "search" in table.rows[0].comment
    assert "the model is down" in table.rows[1].comment


def test_the_offline_client_serves_aevaluate() -> None:
    async def target(inputs: dict[str, Any]) -> dict[str, Any]:
        return answer(inputs)

    async def run() -> list[Any]:
        results = await aevaluate(
            target,
            data=[example("please search"), example("please book")],
            evaluators=[checks.called_tool("search")],
            client=offline_client(),
            upload_results=False,
        )
        with pytest.raises(TypeError, match="async for row in results"):
            results_table(results)  # type: ignore[arg-type]  # what a user may try
        return [row async for row in results]

    table = results_table(asyncio.run(run()))
    assert {row.example: row.score for row in table.rows} == {"please search": 1.0, "please book": 0.0}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"data": "a dataset's name", "upload_results": False}, id="data that only the server has"),
        pytest.param({"data": [example("please search")]}, id="results to upload"),
    ],
)
def test_the_offline_client_refuses_what_needs_the_server_and_says_what_to_pass(options: dict[str, Any]) -> None:
    with pytest.raises(LangSmithError, match="upload_results=False, and a list of examples as data"):
        evaluate(answer, evaluators=[], client=offline_client(), **options)


OFFLINE = """
import sys
from pathlib import Path

reached = []

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        reached.append((event, arguments[1:]))
        raise OSError("there is no network")

sys.addaudithook(refuse)

import asyncio
import uuid
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langsmith import aevaluate, evaluate
from langsmith.schemas import Example
from toolcall_evals import checks
from toolcall_evals.langsmith import ResultsTable, offline_client, results_table
from toolcall_evals.results import ResultRow

def model(state):
    chat = GenericFakeChatModel(messages=iter([AIMessage("No tool is needed.")]))
    return {"messages": [chat.invoke(state["messages"])]}

graph = StateGraph(MessagesState).add_node(model).add_edge(START, "model").compile()
data = [Example(id=uuid.uuid4(), inputs={"messages": [("user", "hello")]}) for _ in range(3)]
options = dict(data=data, evaluators=[checks.called_tool("search")], client=offline_client(), upload_results=False, max_concurrency=2)
rows = results_table(evaluate(graph, **options)).rows

async def again():
    return [row async for row in await aevaluate(graph, **options)]

rows += results_table(asyncio.run(again())).rows
assert [row.score for row in rows] == [0.0] * 6, rows
options["client"].flush()
print("reached:", reached)
"""


@pytest.mark.parametrize("tracing", ["true", "false"])
def test_a_whole_process_that_evaluates_a_graph_never_opens_a_connection(tracing: str, tmp_path: Path) -> None:
    settings = {"LANGSMITH_TRACING": tracing, "LANGSMITH_API_KEY": "a key", "LANGSMITH_ENDPOINT": "http://127.0.0.1:9"}
    environment = {**os.environ, **settings, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "reached: []"


def test_repetitions_are_counted_per_example() -> None:
    results = experiment(example("please search"), example("please book"), evaluators=[checks.called_tool("search")], num_repetitions=3)
    table = results_table(results)
    assert len(table.by_run()) == 6
    assert sorted((row.example, row.repetition) for row in table.rows) == [
        (name, n) for name in ("please book", "please search") for n in range(3)
    ]


def test_a_summary_counts_what_could_not_be_scored_and_keeps_it_out_of_the_mean() -> None:
    examples = [example("please search"), example("please book"), example("please crash"), example("please search")]
    (summary,) = results_table(experiment(*examples, evaluators=[checks.called_tool("search")])).by_key()
    assert (summary.key, summary.scored, summary.passed, summary.could_not_score, summary.not_applicable) == (
        "called_tool:search",
        3,
        2,
        1,
        0,
    )
    assert summary.mean == summary.pass_rate == pytest.approx(2 / 3)


def word(outputs: dict[str, Any]) -> dict[str, Any]:
    return {"key": "word", "value": "polite", "comment": "says please"}


def nothing(outputs: dict[str, Any]) -> dict[str, Any]:
    return {"key": "nothing", "score": None}


def broken(outputs: dict[str, Any]) -> bool:
    raise KeyError("documents")


def test_evaluators_of_other_makers_are_shown_beside_ours() -> None:
    table = results_table(experiment(example("please search"), evaluators=[word, nothing, broken, lambda outputs: True]))
    assert [(row.key, row.score, row.value, row.status) for row in table.rows] == [
        ("word", None, "polite", "scored"),
        ("nothing", None, None, "not_applicable"),
        ("broken", None, None, "could_not_score"),
        ("<lambda>", 1.0, None, "scored"),
    ]
    assert "documents" in table.rows[2].comment
    assert [(each.key, each.mean, each.pass_rate) for each in table.by_key()][:2] == [("word", None, None), ("nothing", None, None)]


def row_of(inputs: dict[str, Any], **result: Any) -> dict[str, Any]:
    results = [EvaluationResult(key="k", **result)]
    return {"run": None, "example": Example(id=uuid.uuid4(), inputs=inputs), "evaluation_results": {"results": results}}


@pytest.mark.parametrize(
    ("inputs", "label"),
    [
        pytest.param({"messages": [{"role": "user", "content": "hi"}]}, "hi", id="messages"),
        pytest.param({"question": "is it raining?"}, "is it raining?", id="one text"),
        pytest.param({"a": 1, "b": "ü"}, '{"a": 1, "b": "ü"}', id="anything else as JSON"),
        pytest.param({"when": {1, 2}}, '{"when": "{1, 2}"}', id="what JSON does not know"),
        pytest.param({}, "{}", id="nothing"),
        pytest.param({"question": "x" * 300}, "x" * 200, id="a long text is cut"),
    ],
)
def test_an_example_is_labelled_by_what_it_asks(inputs: dict[str, Any], label: str) -> None:
    assert results_table([row_of(inputs)]).rows[0].example == label


@pytest.mark.parametrize("width", [40, 72, 100, 200])
@pytest.mark.parametrize(
    "comment",
    [
        pytest.param("short", id="short"),
        pytest.param("word " * 100, id="many words"),
        pytest.param("x" * 500, id="one long word"),
        pytest.param("東京の天気 " * 40, id="wide characters"),
        pytest.param("two\nlines\tand\x1b[31mred", id="control characters"),
        pytest.param("", id="empty"),
    ],
)
@pytest.mark.parametrize("score", [1.0, 0.0, None])
def test_the_text_fits_the_terminal_whatever_a_comment_holds(width: int, comment: str, score: float | None) -> None:
    text = results_table([row_of({"question": comment or "?"}, score=score, comment=comment)]).text(width)
    assert max(width_of(line) for line in text.split("\n")) <= width
    assert "\x1b" not in text


def test_the_reason_of_a_failure_gets_more_lines_than_that_of_a_pass() -> None:
    words = "a reason that is somewhat longer than the terminal is wide and goes on"
    lines = {
        score: results_table([row_of({"q": "?"}, score=score, comment=words)]).text(60).split("\n\n")[0].split("\n") for score in (1.0, 0.0)
    }
    assert len(lines[1.0]) == 2 and lines[1.0][1].endswith("…")
    assert " ".join(" ".join(lines[0.0][1:]).split()) == f"0.00 k {words}"


def test_no_results_make_an_empty_table() -> None:
    table = results_table([])
    assert table.rows == () and table.by_key() == [] and table.by_run() == []
    assert str(table).split() == ["key", "mean", "passed", "no", "score", "n/a"]


def test_an_overview_has_a_line_for_each_run_with_the_first_reason_that_it_did_not_pass() -> None:
    def row(example: str, key: str, score: float | None, status: Any, comment: str) -> ResultRow:
        return ResultRow(id=example, example=example, key=key, score=score, status=status, comment=comment)

    table = ResultsTable(
        (
            row("good", "a", 1.0, "scored", "fine"),
            row("good", "b", None, "not_applicable", "does not arise"),
            row("bad", "a", None, "could_not_score", "no record"),
            row("bad", "b", 0.0, "scored", "wrong\ntool"),
            row("dark", "a", None, "could_not_score", "no record"),
        )
    )
    assert table.overview(80).split("\n\n")[0].splitlines() == [
        "run      passed    the first that did not",
        "1. good  1 of 1",
        "2. bad   0 of 1    b: wrong tool",
        "3. dark  no score  a: no record",
    ]
    assert all(len(line) <= 40 for line in table.overview(40).splitlines())
