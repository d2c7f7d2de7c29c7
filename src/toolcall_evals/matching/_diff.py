"""What differs between expected calls and calls, as data and in words; the words are made from the data."""

from __future__ import annotations

from typing import Any

from .._json import DEPTH, json_ready, shown
from .._model import ToolInvocation
from ._edges import Row
from ._match import Match
from ._matchers import ABSENT, Fault, Matcher
from ._pairing import Pairing, pair_closely
from ._wanted import UNSTATED, Wanted

SHOWN_CHARACTERS = 80
"""Characters of a value that a comment shows; details hold all of it."""

SHOWN_ITEMS = 6
"""Differences of a kind that a comment names; details hold all of them."""


def diff_of(found: Match) -> dict[str, Any]:
    """
    What differs, ready for JSON.

    Returns:
        `matched`, `missing`, `extra` and `moved` (matched, but not in the expected order): lists of {"name", "args", "index"} and,
        where both sides are known, "expected" and "expected_index"; `wrong_arguments`: {"call", "index", "path", "expected",
        "actual", "rule", "absent"}; `violations`: {"statement", "calls"};
        `approximate`: the pairs of `moved` and `wrong_arguments` may not be the closest, since a size limit was passed.
    """
    calls, rows = found.calls, found.plan.rows
    left = pair_closely([rows[place] for place in found.missing], [calls[index] for index in found.extra], found.defaults)
    moved = [(found.missing[row], found.extra[column]) for row, column in left.pairs]
    near = [(found.missing[row], found.extra[column]) for row, column in left.near]
    gone, surplus = _unpaired(found, left)
    return {
        "matched": [_pair(rows[place], place, calls[index], index) for place, index in found.pairs],
        "missing": [{**_expected(rows[place]), "expected_index": place} for place in gone],
        "extra": [_actual(calls[index], index) for index in surplus],
        "moved": [_pair(rows[place], place, calls[index], index) for place, index in moved],
        "wrong_arguments": [item for place, index in near for item in _wrong(rows[place], place, calls[index], index, found)],
        "approximate": left.bound,
        "violations": [
            {"statement": broken.text, "calls": [_actual(calls[index], index) for index in broken.calls]} for broken in found.violations
        ],
    }


def diff_text(diff: dict[str, Any], *, missing: bool = True, extras: bool = True, moves: bool = True) -> str:
    """
    The diff in words; empty where nothing differs.

    Args:
        missing: Whether expected calls that were not made are a difference.
        extras: Whether calls that nobody expected are a difference.
        moves: Whether the order is one.
    """
    parts = [f"{broken['statement']}: {_listed([_call_text(call) for call in broken['calls']])}" for broken in diff["violations"]]
    if missing and diff["missing"]:
        parts.append(f"missing {_listed([item['text'] for item in diff['missing']])}")
    parts += _fault_texts(diff["wrong_arguments"])
    if moves and diff["moved"]:
        parts.append(f"out of order {_listed([_call_text(item) for item in diff['moved']])}")
    if extras and diff["extra"]:
        parts.append(f"unexpected {_listed([_call_text(item) for item in diff['extra']])}")
    return "; ".join(parts)


def _unpaired(found: Match, left: Pairing) -> tuple[list[int], list[int]]:
    if not left.pairs and not left.near:
        return found.missing, found.extra
    rows = {row for row, _ in [*left.pairs, *left.near]}
    columns = {column for _, column in [*left.pairs, *left.near]}
    return (
        [place for row, place in enumerate(found.missing) if row not in rows],
        [index for column, index in enumerate(found.extra) if column not in columns],
    )


def _pair(row: Row, place: int, call: ToolInvocation, index: int) -> dict[str, Any]:
    return {**_actual(call, index), "expected": _expected(row), "expected_index": place}


def _actual(call: ToolInvocation, index: int) -> dict[str, Any]:
    return {"name": call.name, "args": json_ready(call.args if call.args is not None else call.raw_args), "index": index}


def _expected(row: Row) -> dict[str, Any]:
    first = row[0]
    stated = {} if first.args is UNSTATED else {"args": shown_value(first.args)}
    return {"name": first.name, **stated, "text": " or ".join([wanted_text(wanted) for wanted in row])}


def _wrong(row: Row, place: int, call: ToolInvocation, index: int, found: Match) -> list[dict[str, Any]]:
    nearest = max((wanted for wanted in row if wanted.name == call.name), key=lambda wanted: wanted.likeness(call, found.defaults))
    return [
        {
            "call": call.name,
            "index": index,
            "expected_index": place,
            "path": fault.path,
            "expected": shown_value(fault.expected),
            "actual": shown_value(fault.actual),
            "rule": fault.rule,
            **_absence(fault),
        }
        for fault in nearest.faults(call, found.defaults)
    ]


def _absence(fault: Fault) -> dict[str, str]:
    return {"absent": "actual"} if fault.actual is ABSENT else {"absent": "expected"} if fault.expected is ABSENT else {}


def shown_value(value: Any, depth: int = DEPTH) -> Any:
    """An expected or actual value, ready for JSON: matchers as their statement, nothing as None; what lies too deep as "..."."""
    kind = type(value)  # an object of a trace may fail when it is asked for its class
    if value is ABSENT:
        return None
    if issubclass(kind, Matcher):
        return shown(value, repr)
    if not issubclass(kind, dict | list | tuple):
        return json_ready(value)
    if depth <= 0:
        return "..."
    if issubclass(kind, dict):
        return {str(name): shown_value(item, depth - 1) for name, item in value.items()}
    return [shown_value(item, depth - 1) for item in value]


def wanted_text(wanted: Wanted) -> str:
    """An expected call in words, as `search(q='cats')`."""
    if wanted.args is UNSTATED or wanted.rule == "ignore":
        return shortened(wanted.name)
    return shortened(wanted.name) + _arguments_text(wanted.args)


def _call_text(item: dict[str, Any]) -> str:
    return shortened(str(item["name"])) + _arguments_text(item["args"])


def _arguments_text(args: Any) -> str:
    if args is None:
        return "()"
    if not isinstance(args, dict):
        return f"({shortened(shown(args, repr))})"
    return f"({', '.join(f'{shortened(name)}={shortened(shown(value, repr))}' for name, value in args.items())})"


def _fault_texts(faults: list[dict[str, Any]]) -> list[str]:
    by_call: dict[tuple[str, int], list[str]] = {}
    for fault in faults:
        by_call.setdefault((fault["call"], fault["index"]), []).append(_fault_text(fault))
    texts = [f"{shortened(name)} with {_listed(each, SHOWN_ITEMS)}" for (name, _), each in by_call.items()]
    return [f"wrong arguments: {_listed(texts, SHOWN_ITEMS)}"] if texts else []


def _fault_text(fault: dict[str, Any]) -> str:
    path, rule = shortened(fault["path"]) or "arguments", "" if fault["rule"] == "exact" else f" ({fault['rule']})"
    if fault.get("absent") == "actual":
        return f"{path} absent where {shortened(shown(fault['expected'], repr))} was expected{rule}"
    if fault.get("absent") == "expected":
        return f"{path}={shortened(shown(fault['actual'], repr))} which was not expected{rule}"
    return f"{path}={shortened(shown(fault['actual'], repr))} where {shortened(shown(fault['expected'], repr))} was expected{rule}"


def _listed(texts: list[str], most: int = SHOWN_ITEMS) -> str:
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def shortened(text: str, most: int = SHOWN_CHARACTERS) -> str:
    """The text, cut in the middle where it is long."""
    return text if len(text) <= most else f"{text[: most - 21]}…{text[-20:]}"
