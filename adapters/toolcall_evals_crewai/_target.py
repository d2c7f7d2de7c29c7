"""A crew as the target of `langsmith.evaluate`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from toolcall_evals import Trajectory

from ._capture import CapturedRun, capture, crashed, told


def crew_target(
    crew: Any, *, inputs: Callable[[dict[str, Any]], Mapping[str, Any]] | None = None
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """
    A function that runs a crew on an example's inputs and returns what it answered and did.

    ```python
    evaluate(crew_target(crew), data="my dataset", evaluators=[checks.called_tool("search_web")])
    ```

    Every example gets a copy of the crew, as in `kickoff_for_each`, so that examples may run at once.

    `aevaluate` takes coroutines only: `async def target(inputs): return await asyncio.to_thread(crew_target(crew), inputs)`.

    Args:
        crew: A crew, or a function without parameters that builds a new one for each example.
        inputs: Makes the crew's inputs of the example's; None passes them on.

    Returns:
        A function of `inputs` that returns the crew's text as `output` beside the stored trajectory, which `to_trajectory` reads. A
        kickoff that fails raises, so that LangSmith shows the error; what was done until then is kept in the run's outputs.
    """

    prepared = inputs or dict

    def target(inputs: dict[str, Any]) -> dict[str, Any]:
        one = crew() if callable(crew) else crew.copy()
        run: CapturedRun | None = None
        try:
            with capture(one) as run:
                output = one.kickoff(inputs=dict(prepared(inputs)))
        except Exception as error:
            if run is not None:
                _keep_in_langsmith(crashed(run.trajectory, told(error)))
            raise
        return {**run.trajectory.to_dict(), "output": getattr(output, "raw", None) or str(output)}

    target.__name__ = str(getattr(crew, "name", None) or "crew")
    return target


def _keep_in_langsmith(trajectory: Trajectory) -> None:
    """Leave a failed kickoff's trajectory in the run that LangSmith is tracing: what raises returns nothing (langsmith 0.15.1)."""
    if "langsmith" not in sys.modules:
        return
    from langsmith.run_helpers import get_current_run_tree

    run = get_current_run_tree()
    if run is not None:
        run.outputs = {**(run.outputs or {}), **trajectory.to_dict()}
