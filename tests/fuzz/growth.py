"""Does the time that reading takes grow in proportion to the record? Measured, by doubling records in several ways."""

from __future__ import annotations

import copy
import gc
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from toolcall_evals import Evaluator, ToolInvocation, TraceFormatError, Trajectory, to_trajectory

from .inputs import REFERENCES
from .scoring import evaluators
from .seeds import Seed, seeds

LEAST_S = 0.02
"""Processor time that the smaller of two records must take, so that the ratio means something."""

MOST_RATIO = 2.4

MOST_COPIES = 20_000


class Growth(NamedTuple):
    """The most that doubling a record of a target multiplied the time by."""

    ratio: float
    way: str
    copies: int
    seconds: float


def worst(group: str) -> Growth | None:
    """The worst doubling of a target's seeds; None where none of them can be made large enough to be measured."""
    found = [growth for seed in _few(seeds(group)) for way, grow in _WAYS.items() for growth in _doubled(seed, way, grow)]
    return max(found, default=None)


def worst_of_evaluators(calls: int = 4_000) -> Growth:
    """The most that doubling a run multiplied the time of any evaluator by, its comment included; the least of three tries."""
    runs = [_run_of(calls), _run_of(2 * calls)]
    found = []
    for evaluator in evaluators():
        tries = []
        while not tries or (min(tries).ratio > MOST_RATIO and len(tries) < 3):
            before, after = [min(_scoring(evaluator, run) for _ in range(2)) for run in runs]
            tries.append(Growth(round(after / max(before, LEAST_S / 10), 2), evaluator.key[:40], calls, round(after, 3)))
        found.append(min(tries))
    return max(found)


def _run_of(calls: int) -> Trajectory:
    made = [
        ToolInvocation(
            "search" if at % 3 else "f", {"q": str(at)}, status="success" if at % 2 else "error", result=f"r{at}", message_index=at
        )
        for at in range(calls)
    ]
    texts = tuple(f"a b {at}" for at in range(calls))
    return Trajectory("q", tuple(("assistant", text) for text in texts), texts, tuple(made))


def _scoring(evaluator: Evaluator, run: Trajectory) -> float:
    gc.collect()
    gc.disable()
    began = time.process_time()
    try:
        evaluator.score(run, REFERENCES[2]).comment  # noqa: B018 - made when it is read
        return time.process_time() - began
    finally:
        gc.enable()


def _few(known: tuple[Seed, ...]) -> list[Seed]:
    """The smallest, the largest and some between."""
    return list(known) if len(known) <= 3 else [known[len(known) // 4], known[len(known) // 2], known[-1]]


def _doubled(seed: Seed, way: str, grow: Callable[[Any, int], Any]) -> Iterator[Growth]:
    copies = 8
    while copies <= MOST_COPIES:
        small = grow(seed.value, copies)
        if small is None:
            return
        seconds = _seconds(small, seed, 1)
        if seconds >= LEAST_S:
            yield _measured(seed, way, grow, copies)
            return
        copies *= 2 if seconds > LEAST_S / 4 else 4


def _measured(seed: Seed, way: str, grow: Callable[[Any, int], Any], copies: int) -> Growth:
    """The ratio at one size; where it is more than it should be, the least of it and of two larger ones, since the machine is shared."""
    found = []
    for larger in (1, 2, 4):
        one, two = grow(seed.value, larger * copies), grow(seed.value, 2 * larger * copies)
        before, after = _seconds(one, seed, 3), _seconds(two, seed, 3)
        found.append(Growth(round(after / before, 2), way, larger * copies, round(after, 3)))
        if found[-1].ratio <= MOST_RATIO:
            break
    return min(found)


def _seconds(raw: Any, seed: Seed, times: int) -> float:
    taken = []
    for _ in range(times):
        gc.collect()
        gc.disable()
        began = time.process_time()
        try:
            to_trajectory(raw, form=seed.form, adapter=seed.adapter)
        except TraceFormatError:
            pass
        finally:
            taken.append(time.process_time() - began)
            gc.enable()
    return min(taken)


def _longest(value: Any) -> tuple[Any, ...]:
    """The path to the longest list of mappings, or (None,) where there is none."""
    best: tuple[int, tuple[Any, ...]] = (0, (None,))
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while waiting:
        path, found = waiting.pop()
        if isinstance(found, list):
            if len(found) > best[0] and all(isinstance(item, dict | list) for item in found):
                best = len(found), path
            waiting += [((*path, index), item) for index, item in enumerate(found)]
        elif isinstance(found, dict):
            waiting += [((*path, key), item) for key, item in found.items()]
    return best[1]


def _replaced(value: Any, path: tuple[Any, ...], make: Callable[[Any], Any]) -> Any:
    if not path:
        return make(value)
    changed = value.copy()
    changed[path[0]] = _replaced(value[path[0]], path[1:], make)
    return changed


def _repeated(value: Any, copies: int) -> Any:
    """The longest list many times over, ids and all."""
    path = _longest(value)
    return None if path == (None,) else _replaced(value, path, lambda items: [copy.deepcopy(item) for _ in range(copies) for item in items])


def _numbered(value: Any, copies: int) -> Any:
    """The same, with other ids in each copy."""
    path = _longest(value)
    if path == (None,):
        return None
    return _replaced(value, path, lambda items: [_renamed(item, f"_{number}") for number in range(copies) for item in items])


def _renamed(value: Any, end: str) -> Any:
    if isinstance(value, dict):
        return {
            key: item + end if isinstance(item, str) and (key == "id" or key.endswith(("_id", "Id"))) else _renamed(item, end)
            for key, item in value.items()
        }
    return [_renamed(item, end) for item in value] if isinstance(value, list) else value


def _longer(value: Any, copies: int) -> Any:
    """Every text many times over."""
    if isinstance(value, str):
        return value if len(value) < 16 or " " not in value else " ".join([value] * copies)
    if isinstance(value, dict):
        return {key: _longer(item, copies) for key, item in value.items()}
    return [_longer(item, copies) for item in value] if isinstance(value, list) else value


_WAYS: dict[str, Callable[[Any, int], Any]] = {
    "the longest list repeated": _repeated,
    "repeated with other ids": _numbered,
    "longer texts": _longer,
}
