"""What a judge says of a run: a verdict per call, the tools that are missing, and why."""

from __future__ import annotations

import json
from typing import Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ._data import cut, fence_free

Grade: TypeAlias = Literal["appropriate", "partial", "inappropriate"]


class Evaluation(BaseModel):
    """
    The verdict on one call.

    Attributes:
        reasoning: Why; before the verdict, so that a model thinks first.
        call: The call's number in the run, from 1; None where the judge gave only names.
        tool_called: The tool's name.
        verdict: The grade; made of `was_appropriate` where the judge gave only that.
        was_appropriate: Whether the call was appropriate; made of `verdict` where that is given.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    reasoning: str = ""
    call: int | None = Field(default=None, ge=1)
    tool_called: str
    verdict: Grade = "inappropriate"
    was_appropriate: bool = False

    @model_validator(mode="before")
    @classmethod
    def _one_from_the_other(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        grade, appropriate = given.get("verdict"), given.get("was_appropriate")
        if grade is None and appropriate is None:
            raise ValueError("an evaluation needs 'verdict' or 'was_appropriate'")
        if appropriate is not None and not isinstance(appropriate, bool):
            raise ValueError(f"'was_appropriate' must be true or false, found {_found(appropriate)}")
        if grade is None:
            return {**given, "verdict": "appropriate" if appropriate is True else "inappropriate"}
        if appropriate is None:
            return {**given, "was_appropriate": grade == "appropriate"}
        return given

    @field_validator("call", mode="before")
    @classmethod
    def _a_number(cls, given: object) -> object:
        if isinstance(given, bool):
            raise ValueError(f"expected the call's number, found {_found(given)}")
        return given

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.was_appropriate != (self.verdict == "appropriate"):
            raise ValueError(f"'verdict' {self.verdict!r} and 'was_appropriate' {self.was_appropriate} contradict each other")
        return self


class Verdict(BaseModel):
    """
    A judge's whole answer.

    Attributes:
        evaluations: One verdict per call.
        missing_tools: Tools that were available and needed, and whose need no call covers even partly.
        no_call_was_right: For a run without calls: whether that was right; None where the judge did not say.
        reason: The whole in one or two sentences.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    evaluations: tuple[Evaluation, ...] = ()
    missing_tools: tuple[str, ...] = ()
    no_call_was_right: bool | None = None
    reason: str = ""


def _found(value: object) -> str:
    return fence_free(cut(json.dumps(value, default=str), 60))
