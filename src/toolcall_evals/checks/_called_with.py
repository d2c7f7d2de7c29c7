"""Was a tool called with these arguments?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .. import _settings as setting
from .._errors import CouldNotScore
from .._evaluator import Evaluator, Finding
from .._filling import taken
from .._model import ToolInvocation, Trajectory
from .._reference import Reference
from .._shown import amount, cut, place, uncounted
from ..expect import call as expected_call
from ..expect._setting import argument_defaults
from ..matching import RULES, UNSTATED, Defaults, Wanted, diff_of, diff_text, match, plain_plan, shown_value, wanted_text


def called_with(
    name: str | None = None,
    args: Any = UNSTATED,
    times: int = 1,
    *,
    rule: str = "exact",
    kinds: str | Collection[str] | None = None,
    agent: str | Iterable[str] | None = None,
    key: str | None = None,
) -> Evaluator:
    """
    Was the tool called with these arguments, at least `times` times?

    Args:
        name: The tool. None: that of the call in each example's `tool_calls`.
        args: The arguments; values may be matchers of `toolcall_evals.expect`, such as `regex("^O-")`. None: no arguments. Left out: those
            of the call of this tool in each example's `tool_calls`.
        times: How often at least, from 1.
        rule: How they are compared: `exact`, `superset` (the call may have more), `subset` (fewer), `partial` (more, at every level),
            `loose` (numeric text equals the number, case and white space are folded), `ignore`.
        kinds: The kinds of calls to look at; every kind unless told otherwise.
        agent: The agents whose calls to look at; every agent's unless told otherwise.
        key: The feedback key, instead of one made of name and arguments.

    Returns:
        An evaluator that scores 1.0 or 0.0; where 0.0, the comment says what the nearest call has instead. A hallucinated call is none.

    Raises:
        ValueError: An empty name, arguments without a name, an unknown rule, or `times` below 1.
    """
    if name is None and args is not UNSTATED:
        setting.refuse("name", name, "the tool that the arguments are of")
    setting.choice("rule", rule, RULES)
    wanted = None if name is None or args is UNSTATED else _wanted(setting.text("name", name), args, rule)
    settings = {
        "name": None if name is None else setting.text("name", name),
        "wanted": wanted,
        "rule": rule,
        "times": setting.count("times", times, 1),
        "scope": setting.scope(kinds, agent, None),
    }
    subject = name if wanted is None else wanted_text(wanted) if rule == "ignore" else _full_text(wanted)
    variant = [f"x{times}"] * (times > 1) + [rule] * (rule != "exact") + ["example"] * (name is not None and wanted is None)
    shown = {"name": name, **({} if args is UNSTATED else {"args": args}), "times": times, "rule": rule, "scope": settings["scope"]}
    fill = _fill if wanted is None else None
    return Evaluator("called_with", _measure, settings, key=key, subject=subject, variant=variant, fill=fill, shown=shown)


def _wanted(name: str, args: Any, rule: str) -> Wanted:
    """
    The expected call.

    Raises:
        SettingError: Arguments that cannot be expected.
    """
    made = expected_call(name, args, rule=rule)
    return Wanted(made.name, made.args, rule)


def _full_text(wanted: Wanted) -> str:
    args = wanted.args
    values = ", ".join([f"{name}={value!r}" for name, value in args.items()]) if isinstance(args, Mapping) else repr(args)
    return f"{wanted.name}({values})"


def _fill(settings: Mapping[str, Any], reference: Reference | None) -> Mapping[str, Any]:
    """The one call of the reference, or its one call of the tool."""
    name = settings["name"]
    calls = reference.calls(settings["scope"]) if reference is not None else None
    if calls is None:
        raise CouldNotScore("no arguments are expected: give args, or 'tool_calls' in reference_outputs")
    mine = [call for call in calls if name is None or call.name == name]
    if len(mine) != 1:
        which = "a call" if name is None else f"a call of {cut(name)}"
        raise CouldNotScore(f"the reference must have exactly one call{which[6:]} to take the arguments from, found {len(mine)}")
    (call,) = mine
    args = call.raw_args if call.args is None and call.raw_args is not None else call.args
    wanted = taken("tool_calls", args, lambda _, value: _wanted(call.name, value, settings["rule"]))
    return {**settings, "name": call.name, "wanted": wanted}


def _measure(run: Trajectory, name: str, wanted: Wanted, rule: str, times: int, scope: setting.Scope) -> Finding:
    found, defaults = 0, None
    if name in scope.names(run):
        defaults = argument_defaults(run.available_tools) if run.available_tools else None
        for call in scope.calls(run):
            if call.name == name and wanted.fits(call, defaults):
                found += 1
    return found >= times, partial(_explained, run, scope, wanted, times, defaults)


def _explained(
    run: Trajectory, scope: setting.Scope, wanted: Wanted, times: int, defaults: Defaults | None
) -> tuple[str, dict[str, Any]]:
    calls = scope.calls(run)
    named = [index for index, name in enumerate(scope.names(run)) if name == wanted.name]
    found = [index for index in named if wanted.fits(calls[index], defaults)]
    comment = f"{wanted_text(wanted)} was called {amount(len(found), 'time')}{scope}"
    comment += f" (first {place(calls, found[0])})" if found else ""
    comment += f", expected at least {times}"
    diff = _diff(wanted, times, calls, named, defaults)
    if len(found) < times:
        nearest = diff_text(diff, missing=False, extras=False, moves=False)
        comment += f"; {cut(wanted.name)} was called {amount(len(named), 'time')}{'; ' if nearest else ''}{nearest}"
    details = {
        "tool": wanted.name,
        "expected": shown_value(wanted.args),
        "rule": wanted.rule,
        "times": times,
        "count": len(found),
        "at": found,
        "calls_of_tool": named,
        "diff": diff,
    }
    return comment + uncounted(run, scope), details


def _diff(
    wanted: Wanted, times: int, calls: Sequence[ToolInvocation], named: Sequence[int], defaults: Defaults | None
) -> dict[str, Any]:
    """What differs among the calls of the tool: those of other tools are no part of the question."""
    diff = diff_of(match(plain_plan([wanted] * times), [calls[index] for index in named], False, defaults))
    for part in ("matched", "extra", "moved", "wrong_arguments"):
        for item in diff[part]:
            item["index"] = named[item["index"]]
    return diff
