"""Score crews, flows and agents when their run ends: as a callback, or a block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from toolcall_evals import Evaluator, Reading, Score, TraceFormatError, Trajectory

from ._adapter import ADAPTER
from ._capture import CapturedRun, crashed, opened, read, told
from ._recorded import recorded_rows
from ._scoring import Report, Scoring


def score_after_kickoff(
    evaluators: Iterable[Evaluator] | Evaluator, *, report: Report | None = None, reference: Any = None
) -> Callable[..., Any]:
    """
    A callback that scores each finished kickoff of a crew.

    ```python
    crew = Crew(agents=..., tasks=..., after_kickoff_callbacks=[score_after_kickoff([checks.no_tool_errors()], report=print)])
    ```

    It returns the output as it got it, as CrewAI demands. It can also be the method of a `@CrewBase` class:
    `score = after_kickoff(score_after_kickoff([...]))`. What is scored is CrewAI's own record of the run's events (crewai 1.14.1 and
    newer), and where there is none the output, which lacks delegated work and earlier attempts (the trajectory's warnings say so).
    A kickoff that fails never gets here: see `score_kickoffs`.

    crewai 1.14 and newer warns that a callback of this kind prevents checkpoints, since a checkpoint names callbacks by their
    module. A function at the top of a module can be named: `def score(output): return scoring(output)`.

    Args:
        evaluators: Checks and scorers.
        report: Called with the scores and the trajectory of each run. The scores also go to the log (logger
            `toolcall_evals_crewai`, INFO, keys and numbers only), and to the LangSmith run that is active, as feedback.
        reference: What is expected of every run, as `Evaluator.score` takes it.

    Raises:
        SettingError: Something in `evaluators` is no evaluator, or `report` cannot be called. Nothing is raised later: an evaluator or
            a report that fails is logged, and the crew's output is returned all the same.
    """
    scoring = Scoring(evaluators, report, reference)

    def after_kickoff(*instance_and_output: Any) -> Any:
        output = instance_and_output[-1]
        scoring.of(lambda: _trajectory_of(output))
        return output

    return after_kickoff


def _trajectory_of(output: Any) -> Trajectory:
    rows = recorded_rows(output)
    if rows is not None:
        return read(rows)
    trajectory = ADAPTER.convert(output, Reading(named=True))
    if trajectory is None:
        raise TraceFormatError(f"expected the output of a crew, found an object of type {type(output).__name__}")
    return trajectory


class ScoredRun(CapturedRun):
    """
    What ran inside a `score_run` block.

    Attributes:
        scores: One for each evaluator; empty until the block is left.
    """

    scores: tuple[Score, ...] = ()


@contextmanager
def score_run(
    *runnables: Any, evaluators: Iterable[Evaluator] | Evaluator, report: Report | None = None, reference: Any = None
) -> Iterator[ScoredRun]:
    """
    Capture what runs inside this block, and score it when the block is left: the form for flows and `Agent.kickoff`.

    ```python
    with score_run(flow, evaluators=[checks.called_tool("search_web")], report=print):
        flow.kickoff()
    ```

    As a decorator, `@score_run(evaluators=[...])` scores each call of a function.

    Args:
        runnables: As in `capture`.
        evaluators: Checks and scorers.
        report: As in `score_after_kickoff`.
        reference: As in `score_after_kickoff`.

    Yields:
        A `CapturedRun` that has `scores` once the block is left. An exception that leaves the block is the run's error, and goes on.
    """
    scoring = Scoring(evaluators, report, reference)
    run = opened(ScoredRun, *runnables)
    error: str | None = None
    try:
        yield run
    except BaseException as failure:
        error = told(failure)
        raise
    finally:
        run.finish()
        run.scores = scoring.of(lambda: crashed(run.trajectory, error))
