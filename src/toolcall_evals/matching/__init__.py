"""Expected against actual: optimal pairing, alignment, argument diff. Pure functions over sequences of calls."""

from __future__ import annotations

from ._diff import diff_of, diff_text, shortened, shown_value, wanted_text
from ._match import Match, Violation, all_paired, best_plan_match, match, occurrence, occurs_in_order, strictly_equal
from ._matchers import ABSENT, Fault, Matcher
from ._outcome import succeeded
from ._pairing import Pairing, pair_any_order, pair_closely, pair_in_order
from ._plan import Forbidden, Plan, Precedence, arranged_plan, plain_plan
from ._rules import RULES, Rules, Tolerance
from ._wanted import UNSTATED, Defaults, Wanted

__all__ = [
    "ABSENT",
    "RULES",
    "UNSTATED",
    "Defaults",
    "Fault",
    "Forbidden",
    "Match",
    "Matcher",
    "Pairing",
    "Plan",
    "Precedence",
    "Rules",
    "Tolerance",
    "Violation",
    "Wanted",
    "all_paired",
    "arranged_plan",
    "best_plan_match",
    "diff_of",
    "diff_text",
    "match",
    "occurrence",
    "occurs_in_order",
    "pair_any_order",
    "pair_closely",
    "pair_in_order",
    "plain_plan",
    "shortened",
    "shown_value",
    "strictly_equal",
    "succeeded",
    "wanted_text",
]
