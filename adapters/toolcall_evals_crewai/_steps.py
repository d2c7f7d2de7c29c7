"""The steps of one agent's run: each completion of its model with what the framework made of it."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

from ._fields import field, shown, text_field
from ._protocol import OBSERVATION
from ._requests import Request, requests_in, unquoted
from ._rows import Log
from ._scopes import Scopes
from ._usages import Usage


@dataclass(slots=True)
class Step:
    """
    One completion, and what came of it.

    Attributes:
        at: The position of its first event.
        said_at: The position of the event that shows its text.
        key: The agent's run that it belongs to.
        text: What the model wrote, without what the framework appended; None where no event shows it.
        requests: The calls in it (native path).
        usages: What the framework took up, until the next completion.
        action: What the framework's parser read in it (text path).
        told: The result that was appended for the model.
        again: The framework took the decision before up once more, without asking the model.
        finish: The final answer, as the framework took it.
        role: The agent's role, as its events have it.
        task: The task's name, likewise.
    """

    at: int
    key: str
    text: str | None = None
    requests: list[Request] = dataclass_field(default_factory=list)
    usages: list[Usage] = dataclass_field(default_factory=list)
    action: tuple[str, Any] | None = None
    told: str | None = None
    again: bool = False
    finish: str | None = None
    closed: bool = False
    role: str | None = None
    task: str | None = None
    said_at: int | None = None


def read_steps(log: Log, scopes: Scopes, usages: list[Usage]) -> dict[str, list[Step]]:
    """The steps of every agent's run, by its key, in order."""
    by_position = {usage.at: usage for usage in usages}
    runs: dict[str, list[Step]] = {}
    answers: set[tuple[str, str, str]] = set()
    for at, row in enumerate(log.rows):
        kind = row["type"]
        usage = by_position.get(at)
        if usage is None and kind not in ("llm_call_completed", "agent_logs_execution"):
            continue
        key = scopes.key(at)
        steps = runs.setdefault(key, [])
        if usage is not None:
            _open(steps, at, key, row).usages.append(usage)
        elif kind == "llm_call_completed":
            answer = (key, text_field(row, "call_id") or "", repr(row.get("response")))
            if answer[1] and answer in answers:
                continue  # a model that wraps another reports the same answer twice
            answers.add(answer)
            step = _new(steps, at, key, row)
            step.requests = requests_in(row.get("response"))
            step.text = None if step.requests else _written(row.get("response"))
            step.said_at = at
        else:
            _decide(steps, at, key, row)
    return runs


def _new(steps: list[Step], at: int, key: str, row: Any) -> Step:
    step = Step(at, key, role=text_field(row, "agent_role"), task=text_field(row, "task_name"))
    steps.append(step)
    return step


def _open(steps: list[Step], at: int, key: str, row: Any) -> Step:
    """The step that is going on; a new one where a model without events answered."""
    return steps[-1] if steps and not steps[-1].closed else _new(steps, at, key, row)


def _written(response: Any) -> str | None:
    return unquoted(response) if isinstance(response, str) else None


def _decide(steps: list[Step], at: int, key: str, row: Any) -> None:
    """What the framework logged of a completion: the action it read and what it told the model, or the final answer."""
    logged = row.get("formatted_answer")
    text = text_field(logged, "text")
    tool = text_field(logged, "tool")
    before = steps[-1] if steps else None
    step = _open(steps, at, key, row)
    if tool is None and text is not None and step.usages and step.text is not None and text.strip() not in step.text:
        step = _new(steps, at, key, row)  # the final completion itself is lost: this one ran a tool
    if tool is not None:
        told = field(logged, "result")
        step.told = told if isinstance(told, str) else None
        step.action = (tool, field(logged, "tool_input"))
        if text is not None and step.told is not None:
            text = text.removesuffix(OBSERVATION + step.told)
        if before is not None and before.action == step.action and before.told is not None:
            # after a failed model call the text path runs the last decision again (crewai 1.15.30)
            step.again = text == f"{before.text}{OBSERVATION}{before.told}"
            text = None if step.again else text
    else:
        output = field(logged, "output")
        late = [] if isinstance(output, str) else requests_in(output)
        if late and step.usages and not step.requests:
            step = _new(steps, at, key, row)  # what ran was asked for before, in answers that no event shows
        if late:
            step.requests, text = step.requests or late, None
        else:
            step.finish = output if isinstance(output, str) else text
    echoed = step.finish is not None and any(shown(usage.output) == step.finish for usage in step.usages)
    if step.text is None and not (step.requests or echoed):  # a tool that ends the run answers in the model's place (result_as_answer)
        step.text, step.said_at = text, at
    step.closed = True
