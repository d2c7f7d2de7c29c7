"""
How reliable is an agent? pass^1 and pass^2 of tau-bench's own reward, and of a check, over recorded
trials.

    python examples/pass_hat_k.py tau_bench.jsonl

Each line is a run with `task_id`, `ground_truth_pass` (the benchmark's reward) and `messages`;
several runs of a task are its trials.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from toolcall_evals import checks
from toolcall_evals.summary import Reliability, reliability


def estimates(path: Path) -> Mapping[str, Sequence[Reliability]]:
    """pass^1 and pass^2, by what counts as success."""
    succeeded: dict[str, list[tuple[str, bool | None]]] = {"reward": [], "at most 10 calls": []}
    with path.open(encoding="utf-8") as lines:
        for run in map(json.loads, lines):
            task = str(run["task_id"])
            score = checks.max_tool_calls(10).score(run["messages"]).score
            succeeded["reward"].append((task, run["ground_truth_pass"]))
            succeeded["at most 10 calls"].append((task, None if score is None else score == 1))
    return {
        name: [reliability(outcomes, k) for k in (1, 2)] for name, outcomes in succeeded.items()
    }


def main(arguments: Sequence[str]) -> int:
    path = Path(arguments[0] if arguments else "tau_bench.jsonl")
    if not path.is_file():
        print(f"skipped: {path} is not there")
        return 0
    for name, found in estimates(path).items():
        for each in found:
            shown = "nothing to estimate" if each.estimate is None else f"{each.estimate:.4f}"
            print(
                f"{name}: pass^{each.k} {shown} of {len(each.by_example)} tasks, "
                f"{len(each.left_out)} with too few trials"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
