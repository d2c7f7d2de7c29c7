"""Targets that score: every evaluator by its own call and by LangSmith's, and trajectories that are kept and read back."""

from __future__ import annotations

import functools
import json
from types import SimpleNamespace
from typing import Any

from toolcall_evals import Evaluator, TraceFormatError, checks, expect, scorers, to_trajectory

from . import laws
from .choices import Choices, one
from .inputs import EXPECTED, Run, everything, reference, trajectory
from .mutate import made, mutated

_SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


@functools.cache
def evaluators() -> tuple[Evaluator, ...]:
    """Every check and scorer that asks no model, set and not set."""
    return (
        *(checks.includes("a"), checks.includes(), checks.excludes("a", text="final"), checks.equals("a"), checks.equals()),
        *(checks.matches("a|(b+)c"), checks.matches("a", exact=True), checks.similarity("ab"), checks.similarity(threshold=0.5)),
        *(checks.called_tool("f"), checks.called_tool(), checks.called_tool("f", exactly=1, kinds="all"), checks.did_not_call("f")),
        *(
            checks.tool_order(["search", "f"]),
            checks.tool_order(),
            checks.max_tool_calls(1),
            checks.max_tool_calls(),
            checks.used_no_tools(),
        ),
        *(checks.no_tool_errors(), checks.no_tool_errors(agent="one"), checks.follows(["search", "f"]), checks.follows()),
        *(checks.called_with("f", {"x": 1}), checks.called_with("f", {"x": expect.regex("a")}, rule="subset"), checks.called_with()),
        *(checks.no_redundant_calls(), checks.no_unknown_tools(["f"]), checks.no_unknown_tools(), checks.recovered_from_errors()),
        *(
            checks.arguments_valid([{"name": "search", "parameters": _SCHEMA}]),
            checks.arguments_valid(),
            checks.recovered_from_errors(by="text"),
        ),
        *(checks.arguments_grounded(), checks.arguments_grounded(texts="words", own_words=True), checks.no_hallucinated_tool_calls()),
        *(scorers.tool_call_accuracy("f"), scorers.tool_call_accuracy("f", strict_mode=True), scorers.tool_call_accuracy()),
        *(
            scorers.tool_call_accuracy(expected_tool_order=["search", "f"]),
            scorers.argument_accuracy(EXPECTED),
            scorers.argument_accuracy(),
        ),
        *(scorers.tool_call_f1(EXPECTED), scorers.tool_call_f1(ordered=True), scorers.tool_calls_match(EXPECTED)),
        *(scorers.tool_calls_match(order="unordered", args="superset"), scorers.tool_calls_match(EXPECTED, order="subset", args="ignore")),
        *(scorers.trajectory_accuracy(EXPECTED), scorers.trajectory_accuracy(ordering="strict"), scorers.trajectory_quality(EXPECTED)),
        *(scorers.trajectory_quality(max_steps=2, forbidden_tools=["f"], no_redundant_calls=True), scorers.per_turn(checks.includes("a"))),
        *(scorers.per_turn(scorers.tool_calls_match(), fold="min"), scorers.per_turn(checks.follows(), [EXPECTED, ["f"]])),
    )


def by_score() -> Run:
    def run(choices: Choices) -> None:
        raw = trajectory(choices) if choices.below(3) else mutated(choices, one(choices, everything()).value, ())
        expected, evaluator = reference(choices), one(choices, evaluators())
        before = laws.digest(expected), laws.digest(raw)
        score = evaluator.score(raw, expected)
        laws.is_fair(score, evaluator.key)
        if choices.below(8) == 0:
            laws.is_bounded(score)
        laws.expect("the input is as it was", (laws.digest(expected), laws.digest(raw)) == before)

    return run


def by_call() -> Run:
    """As LangSmith calls evaluators: by keywords, with a run and an example or without."""
    try:
        import langsmith.evaluation  # noqa: F401
    except ImportError:
        langsmith_here = False
    else:
        langsmith_here = True

    def run(choices: Choices) -> None:
        state = one(choices, everything()).value
        outputs = mutated(choices, state if choices.below(2) else {"messages": state, "output": state}, ())
        inputs = one(choices, (None, {"messages": state}, {"question": "x"}, outputs))
        evaluator, expected = one(choices, evaluators()), reference(choices)
        before = laws.digest([inputs, outputs, expected])
        if choices.below(2):
            record = {"outputs": outputs, "inputs": inputs, "run_type": "chain", "name": "x", "error": None, "child_runs": [], "id": "1"}
            traced: Any = SimpleNamespace(**record) if choices.below(2) else mutated(choices, record, ())
            example: Any = SimpleNamespace(inputs=inputs, outputs=expected) if choices.below(4) else made(choices)
            if langsmith_here and choices.below(2):
                result = evaluator.evaluate_run(traced, example)
                row = {"key": result.key, "score": result.score, "comment": result.comment, "extra": result.extra}
            else:
                row = evaluator(run=traced, example=example)
        else:
            row = evaluator(inputs=inputs, outputs=outputs, reference_outputs=expected)
        laws.expect("a row has four fields", set(row) == {"key", "score", "comment", "extra"}, set(row))
        laws.expect("a score is in 0..1, or None", row["score"] is None or 0.0 <= row["score"] <= 1.0, row["score"])
        laws.expect("the comment is bounded", 0 < len(row["comment"]) <= 4_000, row["comment"][:100])
        json.dumps(row, allow_nan=False).encode()
        laws.expect("the input is as it was", laws.digest([inputs, outputs, expected]) == before)

    return run


def stored() -> Run:
    def run(choices: Choices) -> None:
        run_kept = trajectory(choices, objects=bool(choices.below(2)))
        kept = run_kept.to_dict()
        json.dumps(kept, allow_nan=False).encode()
        again = to_trajectory(kept)
        laws.is_sound(again)
        laws.expect("what is kept is read back", again.to_dict() == kept)
        changed = mutated(choices, kept, ())
        before = laws.digest(changed)
        try:
            laws.is_sound(to_trajectory(changed))
        except TraceFormatError as error:
            laws.expect("the refusal says what was expected", "expected" in str(error), error)
        laws.expect("the input is as it was", laws.digest(changed) == before)

    return run
