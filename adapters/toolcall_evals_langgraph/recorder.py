"""`record`: what a LangChain or LangGraph program asks of its tools, recorded while it runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any
from uuid import UUID

from toolcall_evals import Evaluator, Reading, SettingError, TraceFormatError, Trajectory

from ._live_runs import LiveRuns, copied, failure, generations

if TYPE_CHECKING:
    from typing import Self

    from langchain_core.callbacks import BaseCallbackHandler as Handler
    from langchain_core.runnables import RunnableConfig

    from .live_scoring import LiveScoring, ScoredRun
else:
    Handler = object  # `record` adds the true one, so that importing this module does not import langchain-core

KEPT_WHEN_SCORING = 32
"""Runs that a recorder which scores keeps readable: it may live as long as the program."""


class Recorder(Handler):
    """
    Records runs; made by `record`. It is itself the callback handler (langchain-core 1.x), to be passed in `callbacks=[...]`.

    Attributes:
        config: A run's config with nothing but this handler in it.
        scoring: The live scoring, or None: its counts, and `flush()` to wait for it.
    """

    raise_error = False
    run_inline = True  # in the thread of the run: events of an async run would come out of order otherwise
    ignore_retry = True
    ignore_custom_event = True

    def __init__(self, scoring: LiveScoring | None = None) -> None:
        self.scoring = scoring
        self._runs = LiveRuns() if scoring is None else LiveRuns(KEPT_WHEN_SCORING, scoring.wants, scoring.submit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Nothing is undone: the handler holds no resource and the record stays readable."""

    def __repr__(self) -> str:
        return f"<recorder, runs begun: {self._runs.begun}>"

    @property
    def handler(self) -> Recorder:
        """The callback handler: this very object."""
        return self

    @property
    def config(self) -> RunnableConfig:
        """A new config for `invoke`, `stream` and their kin; merge it as `{**rec.config, "configurable": ...}`."""
        return {"callbacks": [self]}

    @property
    def trajectory(self) -> Trajectory:
        """
        Everything that was recorded, as one trajectory; of a run that is still going on, what it did so far.

        Runs that belong together, an interrupted one and the ones that resumed it, are joined.

        Raises:
            TraceFormatError: No run was seen: the handler was not passed, or the graph is a remote one.
        """
        from ._run_tree import read_run_tree

        roots = self._runs.roots
        if not roots:
            raise TraceFormatError("expected a run under this recorder, found none; pass config=rec.config, or callbacks=[rec], to the run")
        whole = read_run_tree(list(roots), Reading(), together=True)
        if len(roots) == self._runs.begun:
            return whole
        warning = f"only the latest {len(roots)} of {self._runs.begun} runs are kept by a recorder that scores"
        return replace(whole, warnings=(*whole.warnings, warning))

    @property
    def trajectories(self) -> tuple[Trajectory, ...]:
        """One trajectory for each root run, in the order in which they began; none when no run was seen."""
        from ._run_tree import read_run_tree

        return tuple([read_run_tree(root, Reading()) for root in self._runs.roots])

    # What langchain-core calls (langchain_core.callbacks.base, 1.0 to 1.8): each event is told by keyword.

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, metadata: Any = None, **kwargs: Any
    ) -> None:
        """A node, a graph or any other runnable begins."""
        self._runs.start("chain", run_id, parent_run_id, _name(serialized, kwargs), inputs, {"metadata": metadata or {}})

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """It returned."""
        self._runs.end(run_id, outputs if isinstance(outputs, dict) else {"output": outputs})

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """It raised."""
        self._runs.end(run_id, error=failure(error))

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: UUID, parent_run_id: UUID | None = None, metadata: Any = None, **kwargs: Any
    ) -> None:
        """A chat model is asked."""
        self._model(serialized, {"messages": messages}, run_id, parent_run_id, metadata, kwargs)

    def on_llm_start(
        self, serialized: Any, prompts: Any, *, run_id: UUID, parent_run_id: UUID | None = None, metadata: Any = None, **kwargs: Any
    ) -> None:
        """A text model is asked."""
        self._model(serialized, {"prompts": prompts}, run_id, parent_run_id, metadata, kwargs)

    def _model(self, serialized: Any, inputs: Any, run_id: UUID, parent_run_id: UUID | None, metadata: Any, kwargs: dict[str, Any]) -> None:
        extra = {"metadata": metadata or {}}
        extra.update({key: kwargs[key] for key in ("invocation_params", "options") if kwargs.get(key)})
        self._runs.start("llm", run_id, parent_run_id, _name(serialized, kwargs), inputs, extra)

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A model answered."""
        self._runs.end(run_id, generations(response))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A model failed, perhaps after a part of its answer."""
        partial = kwargs.get("response")
        self._runs.end(run_id, None if partial is None else generations(partial), failure(error))

    def on_tool_start(
        self,
        serialized: Any,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: Any = None,
        inputs: Any = None,
        tool_call_id: str | None = None,
        **kwargs: Any,
    ) -> None:
        """A tool begins."""
        extra: dict[str, Any] = {"metadata": metadata or {}}
        if tool_call_id is None:
            tool_call_id = self._runs.call_of(parent_run_id, _name(serialized, kwargs))
        if tool_call_id is not None:
            extra["tool_call_id"] = tool_call_id
        given = {"input": input_str} if inputs is None else copied(inputs)
        self._runs.start("tool", run_id, parent_run_id, _name(serialized, kwargs), given, extra)

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A tool returned."""
        self._runs.end(run_id, {"output": output})

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A tool raised, or paused the run."""
        self._runs.end(run_id, error=failure(error))

    def on_retriever_start(
        self, serialized: Any, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, metadata: Any = None, **kwargs: Any
    ) -> None:
        """A retriever begins; it may ask models and tools of its own."""
        self._runs.start("retriever", run_id, parent_run_id, _name(serialized, kwargs), {"query": query}, {"metadata": metadata or {}})

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A retriever returned."""
        self._runs.end(run_id, {"documents": documents})

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A retriever raised."""
        self._runs.end(run_id, error=failure(error))


def record(
    *,
    evaluators: Iterable[Evaluator] = (),
    sample: float = 1.0,
    report: Callable[[ScoredRun], object] | None = None,
    feedback: bool = True,
) -> Recorder:
    """
    Record what runs ask of their tools, and what comes of it, while they run.

        with record() as rec:
            graph.invoke({"messages": [("user", "hi")]}, config=rec.config)
        rec.trajectory

    The recorder is a callback handler, nothing is patched: pass it as `config=rec.config`, as `callbacks=[rec]`, or among other
    handlers, to `invoke`, `ainvoke`, `stream`, `astream_events`, `batch`. Whatever LangChain hands its callbacks on to is
    recorded: parallel calls, retries, sub-agents in tools, subgraphs with a state of their own, workers of a supervisor.
    Use one recorder for a run and the runs that resume it. Two recorders know nothing of each other.

    With `evaluators` it scores a share of the runs as they end, in a thread of its own: it never delays a run, never breaks one, and
    may live as long as the program. A run that a person has to resume is scored when it was resumed. The scores go to
    `report`, to the log `toolcall_evals.live` (level INFO: keys and numbers, nothing of the trace), and, where LangSmith traces the run, to
    its feedback.

    It cannot see (and `trajectory.warnings` says so where the record shows it):
    - a tool's function called as plain Python, and a model called through a provider's own SDK: tools may run without a request;
    - a `RemoteGraph`: it calls no callbacks, neither its own tools' nor one of its own;
    - a nested agent in a bare `threading.Thread` or `ThreadPoolExecutor`, which do not hand on the context, unless it is given the config;
      the same in async code before Python 3.11;
    - the request, when it was made before: a recorder used only for the resume sees the tool run alone;
    - a call's id, on langchain-core before 1.1.2 where a tool raised outside of an agent's own tool node: it goes by name and arguments.

    Args:
        evaluators: Checks and scorers for live scoring. Those that need a reference could not score: there is none here.
        sample: The share of runs that is recorded and scored, 0.0 to 1.0; needs `evaluators`.
        report: Called with each `ScoredRun`, in the scoring thread; what it raises is logged.
        feedback: Send the scores of runs that LangSmith traces to its feedback.

    Raises:
        ValueError: A setting that cannot work.
        ImportError: langchain-core is not installed.
    """
    chosen = tuple(evaluators)
    for each in chosen:
        if not callable(getattr(each, "score", None)):
            raise SettingError(f"evaluators must be checks or scorers with a score method, got {each!r}")
    if isinstance(sample, bool) or not isinstance(sample, int | float) or not 0.0 <= sample <= 1.0:
        raise SettingError(f"sample must be a share from 0.0 to 1.0, got {sample!r}")
    if report is not None and not callable(report):
        raise SettingError(f"report must be callable with a scored run, got {report!r}")
    if not chosen:
        if sample != 1.0 or report is not None or not feedback:
            raise SettingError("sample, report and feedback are settings of live scoring and need evaluators, got none")
        return _handler_class()()
    from .live_scoring import LiveScoring

    return _handler_class()(LiveScoring(chosen, float(sample), report, feedback))


@functools.cache
def _handler_class() -> type[Recorder]:
    """`Recorder` as a true callback handler, which models and executors insist on (pydantic fields of langchain-core 1.x)."""
    from langchain_core.callbacks import BaseCallbackHandler

    return type("Recorder", (Recorder, BaseCallbackHandler), {"__module__": __name__, "__doc__": Recorder.__doc__})


def _name(serialized: Any, kwargs: dict[str, Any]) -> str | None:
    """A run's name, as LangChain's own tracer finds it."""
    if kwargs.get("name"):
        return str(kwargs["name"])
    if not isinstance(serialized, dict):
        return None
    if serialized.get("name"):
        return str(serialized["name"])
    identifier = serialized.get("id")
    return str(identifier[-1]) if isinstance(identifier, list) and identifier else None
