"""What is to be done with each row; small, and the same for every worker."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .. import __version__
from .._convert import Turns
from .._errors import said
from .._evaluator import Evaluator
from ._errors import BulkError
from ._evals import absolute, load_evaluators, python_file, several
from ._fields import Fields
from ._selection import Selection

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Where a function lies in memory: its `repr` says so, and it differs from run to run."""

FORM = 1
"""The version of what the parts of a run hold."""


@dataclass(frozen=True, slots=True)
class Plan:
    """
    How rows are scored.

    Attributes:
        evaluators: The evaluators, or the place that `load_evaluators` finds them at; what does not pickle needs a place for workers.
        fields: Where in a row the trace, its id and its reference stand.
        selection: Which rows are scored.
        adapter: As for `to_trajectory`; so are `form` and `turns`.
        explain: Whether comments and details are written; scores and statuses alone cost half as much.
        survey: Whether what a report shows of the runs is gathered.
        row_timeout_s: The seconds that one row may take; then the process that scores it is ended, and the row is listed as unreadable.
            None is as long as it takes.
    """

    evaluators: Sequence[Evaluator] | str
    fields: Fields = field(default_factory=Fields)
    selection: Selection = field(default_factory=Selection)
    adapter: str | None = None
    form: str | None = None
    turns: Turns = "all"
    explain: bool = True
    survey: bool = False
    row_timeout_s: float | None = None

    def built(self) -> list[Evaluator]:
        """
        The evaluators themselves.

        Raises:
            BulkError: There are none, or two have one key.
        """
        return load_evaluators(self.evaluators) if isinstance(self.evaluators, str) else several(self.evaluators, "evaluators")

    def limited(self, limit: int) -> Plan:
        """This plan for at most so many rows."""
        return replace(self, selection=replace(self.selection, limit=limit))

    def pickled(self) -> bytes:
        """
        This plan for another process.

        Raises:
            BulkError: An evaluator does not pickle; says what to do.
        """
        plan = replace(self, evaluators=absolute(self.evaluators)) if isinstance(self.evaluators, str) else self
        try:
            return pickle.dumps(plan)
        except Exception as error:
            advice = "give the place they come from, such as 'evals.py:EVALUATORS', or one worker"
            raise BulkError(f"these evaluators cannot be sent to other processes ({said(error)}); {advice}") from error

    def fingerprint(self, marks: dict[str, tuple[int, int]], size: int) -> dict[str, Any]:
        """What must be equal for parts of two runs to belong together, as JSON, by name."""
        scored = [f"{evaluator.key} = {ADDRESS.sub('', repr(evaluator))}" for evaluator in self.built()]
        selected = [f"{each.field}{each.operator}{each.value!r}" for each in self.selection.where]
        facts = {
            "form": FORM,
            "version": __version__,
            "files": marks,
            "chunk": size,
            "evaluators": scored,
            "fields": [self.fields.trace, self.fields.id, self.fields.reference],
            "where": selected,
            "sample": [self.selection.sample, self.selection.seed],
            "limit": self.selection.limit,
            "reading": [self.adapter, self.form, self.turns],
            "explain": self.explain,
            "report": self.survey,
        }
        if isinstance(self.evaluators, str) and (file := python_file(self.evaluators)) is not None:
            facts["source"] = hashlib.sha256(file.read_bytes()).hexdigest()
        return dict(json.loads(json.dumps(facts)))
