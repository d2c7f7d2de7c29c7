"""A score as LangSmith takes it: a mapping, or an `EvaluationResult` whose comment and details are made when first read.

An experiment that is not uploaded never reads most of them, and they cost more than the scores (langsmith 0.15.1). The one place where
they cannot be made in time is a pydantic model of somebody's that declares a field `EvaluationResult` and is dumped whole.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ._model import Score

if TYPE_CHECKING:
    from langsmith.evaluation.evaluator import EvaluationResult

LATE = ("comment", "extra")
"""The fields of a result that are made when first read."""


def row(score: Score) -> dict[str, Any]:
    """{"key", "score", "comment", "extra"}; `extra` holds the status and details, and LangSmith's mark of an error."""
    return {"key": score.key, "score": score.score, "comment": score.comment, "extra": _extra(score)}


def result_of(score: Score) -> EvaluationResult:
    """A fresh `EvaluationResult`: langsmith writes into it."""
    late, defaults = _result_class()
    result = late.__new__(late)
    object.__setattr__(result, "__dict__", {**defaults, "key": score.key, "score": score.score, "evaluator_info": {}})
    object.__setattr__(result, "__pydantic_fields_set__", {"key", "score", *LATE})
    object.__setattr__(result, "__pydantic_extra__", None)
    object.__setattr__(result, "__pydantic_private__", {"_score": score})
    return result


def _extra(score: Score) -> dict[str, Any]:
    extra: dict[str, Any] = {"status": score.status, "details": score.details}
    if score.status == "could_not_score":
        extra["error"] = True
    return extra


@functools.cache
def _result_class() -> tuple[type[EvaluationResult], dict[str, Any]]:
    """The class, and the values of the fields that are not late."""
    from langsmith.evaluation.evaluator import EvaluationResult
    from pydantic import PrivateAttr, SerializerFunctionWrapHandler, model_serializer

    class ExplainedResult(EvaluationResult):
        _score: Score | None = PrivateAttr(default=None)

        def __getattr__(self, name: str) -> Any:
            if name not in LATE:
                return super().__getattr__(name)  # type: ignore[misc]  # pydantic hides it from type checkers
            self._explain()
            return self.__dict__[name]

        def _explain(self) -> None:
            """Make what is late, unless somebody has set it; every way to look at all fields comes through here."""
            score = self._score
            if score is not None and not self.__dict__.keys() >= {*LATE}:
                self.__dict__.setdefault("comment", score.comment)
                self.__dict__.setdefault("extra", _extra(score))

        def __reduce_ex__(self, protocol: Any) -> Any:
            return _restored, (EvaluationResult, self._plain().__getstate__())

        def __copy__(self) -> Any:
            return self._plain()

        def __deepcopy__(self, memo: Any = None) -> Any:
            return self._plain().__deepcopy__(memo)

        __hash__ = None  # type: ignore[assignment]  # as EvaluationResult, which compares by value

        def __eq__(self, other: object) -> bool:
            return self._plain() == (other._plain() if isinstance(other, ExplainedResult) else other)

        def __repr_args__(self) -> Any:
            return self._plain().__repr_args__()

        def model_copy(self, *, update: Any = None, deep: bool = False) -> Any:
            return self._plain().model_copy(update=update, deep=deep)

        def __iter__(self) -> Any:
            return iter(self._plain())

        @model_serializer(mode="wrap")
        def _whole(self, handler: SerializerFunctionWrapHandler) -> Any:
            self._explain()
            return handler(self)

        def _plain(self) -> EvaluationResult:
            self._explain()
            return EvaluationResult.model_construct(self.model_fields_set, **self.__dict__)

    plain = EvaluationResult(key="").__dict__
    return ExplainedResult, {name: value for name, value in plain.items() if name not in LATE}


def _restored(kind: type[EvaluationResult], state: Any) -> EvaluationResult:
    result = kind.__new__(kind)
    result.__setstate__(state)
    return result
