"""The cases of the reference implementation and of public bug reports that ask whether calls are as expected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolcall_evals import Evaluator, SettingError, ToolInvocation, Trajectory, scorers

TESTS = Path(__file__).resolve().parents[1]
STATES = {"result": "success", "call": "pending", "output-error": "error"}
NAMES = {"name": "name", "tool_args": "args", "tool_result": "result", "success": "success"}
ORDERS = {"exact_order": "strict", "any_order": "unordered", "in_order": "in_order", "superset": "superset", "subset": "subset"}
RULES = {"exact": "exact", "contains": "superset", "loose": "loose", "ignore": "ignore"}


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


KINDS = ("trajectory_accuracy", "trajectory")
VECTORS = [case for case in lines(TESTS / "vectors" / "mastra_open.jsonl") if case["scorer"]["kind"] in KINDS]
REPORTS = lines(TESTS / "cases" / "bug_reports_open.jsonl")


def run_of(case: dict[str, Any]) -> Trajectory:
    invocations = []
    for call in [call for message in case["run"]["messages"] for call in message.get("tool_calls") or ()]:
        args, failed = call.get("args"), call.get("is_error") or (call["state"] == "result" and call.get("error"))
        readable = isinstance(args, dict)
        invocations.append(
            ToolInvocation(
                call["name"],
                args=args if readable else None,
                raw_args=None if readable or args is None else json.dumps(args),
                status="error" if failed else STATES[call["state"]],  # type: ignore[arg-type]  # one of the statuses
                raw_result=call.get("result"),
                error=call.get("error"),
            )
        )
    return Trajectory(invocations=tuple(invocations))


def scorer_of(case: dict[str, Any]) -> Evaluator:
    settings = dict(case["scorer"]["params"])
    steps = settings.pop("expected_trajectory", None) or settings.pop("steps", None)
    expected = None if steps is None else [{NAMES[key]: value for key, value in step.items() if key in NAMES} for step in steps]
    if case["scorer"]["kind"] == "trajectory_accuracy":
        if settings.pop("strict_order", False):
            settings["ordering"] = "strict"
        return scorers.trajectory_accuracy(expected or [], **settings)
    for ours, theirs in (("forbidden_tools", "blacklisted_tools"), ("forbidden_sequences", "blacklisted_sequences")):
        if theirs in settings:
            settings[ours] = settings.pop(theirs)
    if "weights" in settings:
        settings["weights"] = {("forbidden" if name == "blacklist" else name): weight for name, weight in settings["weights"].items()}
    return scorers.trajectory_quality(expected, **settings)


COMPOSED = "trajectory_accuracy-0288"
"""The reference compares code points; here texts are compared after Unicode NFC, by the one equality rule."""


def of_other_steps(case: dict[str, Any]) -> bool:
    """Its steps are of a type that is no tool call, of which an expectation has nothing to say."""
    return any(step.get("step_type", "tool_call") != "tool_call" for step in case["scorer"]["params"].get("expected_trajectory") or ())


ANSWERED = [case for case in VECTORS if not of_other_steps(case) and case["id"] != COMPOSED]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in ANSWERED])
def test_a_trajectory_scores_as_the_reference_or_as_recommended(case: dict[str, Any]) -> None:
    wanted = case.get("recommended", case.get("score"))
    try:
        scorer = scorer_of(case)
    except SettingError:
        assert wanted is None
        return
    score = scorer.score(run_of(case)).score
    if wanted is None:
        assert score is None
    else:
        assert score == pytest.approx(wanted, abs=0.0050001)


def test_texts_that_differ_in_unicode_form_alone_are_equal_unlike_in_the_reference() -> None:
    (case,) = [case for case in VECTORS if case["id"] == COMPOSED]
    assert (case["score"], scorer_of(case).score(run_of(case)).score) == (0, 1.0)


def test_every_vector_is_there() -> None:
    assert len(VECTORS) == 420
    assert sum(map(of_other_steps, VECTORS)) == 5


MATCHES = [
    pytest.param(report, check, id=f"{report['id']}-{index}")
    for report in REPORTS
    for index, check in enumerate(report["checks"])
    if check["check"] in ("match", "precision", "recall", "f1")
]


@pytest.mark.parametrize(("report", "check"), MATCHES)
def test_the_right_reading_of_a_reported_run_matches_as_it_should(report: dict[str, Any], check: dict[str, Any]) -> None:
    trajectory = Trajectory(
        invocations=tuple(
            [
                ToolInvocation(item["name"], args=item["args"], raw_args=item.get("raw_args"), status=item["status"])
                for item in report["expected_invocations"]
            ]
        )
    )
    params = check["params"]
    if check["check"] == "match":
        scorer = scorers.tool_calls_match(params["expected"], order=ORDERS[params["order"]], args=RULES[params["args"]])
        assert scorer.score(trajectory).score == check["score"]
    else:
        details = scorers.tool_call_f1(params["expected"], args=RULES[params["args"]]).score(trajectory).details
        assert details[check["check"]] == pytest.approx(check["score"], abs=1e-6)
