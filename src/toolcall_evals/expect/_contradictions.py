"""What no run could meet is refused when the expectation is made."""

from __future__ import annotations

from collections.abc import Iterator

from .._errors import SettingError
from ._language import Alternatives, Before, Call, Expectation, Group, Never, Nothing, Optional, Sequence, Times


def refuse_contradictions(node: Expectation) -> None:
    """
    Raise where two parts of an expectation cannot both be met.

    Raises:
        SettingError: Names the parts and where they stand.
    """
    if all(isinstance(part, Call) for part in _parts(node)):
        return
    statements = list(_statements(node, ""))
    required = list(_required(node, "")) if statements else []
    for path, statement in statements:
        for other_path, call in required:
            if isinstance(statement, Nothing):
                _refuse(path, statement, other_path, call)
            if isinstance(statement, Never) and len(statement.calls) == 1 and statement.calls[0].covers(call):
                _refuse(path, statement, other_path, call)
        if isinstance(statement, Never) and len(statement.calls) > 1:
            _refuse_sequence(node, path, statement)
        if isinstance(statement, Before):
            _refuse_turned(path, statement, statements, required)
    if isinstance(node, Group):
        _refuse_counts(node)


def _refuse_turned(
    path: str, statement: Before, statements: list[tuple[str, Expectation]], required: list[tuple[str, Call]]
) -> None:
    for other_path, other in statements:
        if isinstance(other, Before) and other.earlier.covers(statement.later) and other.later.covers(statement.earlier):
            needed = [call for _, call in required if statement.later.covers(call) or statement.earlier.covers(call)]
            if needed:
                _refuse(path, statement, other_path, other)


def _refuse_sequence(node: Expectation, path: str, statement: Never) -> None:
    for chain_path, chain in _chains(node, ""):
        found = 0
        for call in chain:
            if found < len(statement.calls) and statement.calls[found].covers(call):
                found += 1
        if found == len(statement.calls) and not statement.adjacent:
            _refuse(path, statement, chain_path, Sequence(tuple(chain)))


def _refuse_counts(node: Group) -> None:
    counted = [(index, part) for index, part in enumerate(node.parts) if isinstance(part, Times) and isinstance(part.part, Call)]
    for index, low in counted:
        for other, high in counted:
            if high.most is not None and low.most is None and low.least > high.most and low.part == high.part:
                _refuse(f"part {index + 1}", low, f"part {other + 1}", high)


def _refuse(path: str, one: Expectation, other_path: str, other: Expectation) -> None:
    raise SettingError(f"{path or 'the expectation'} ({one!r}) contradicts {other_path or 'the expectation'} ({other!r})"[:800])


def _parts(node: Expectation) -> tuple[Expectation, ...]:
    return node.parts if isinstance(node, Sequence | Group) else ()


def _required(node: Expectation, path: str) -> Iterator[tuple[str, Call]]:
    if isinstance(node, Call):
        yield path, node
    elif isinstance(node, Times) and node.least:
        yield from _required(node.part, path)
    for index, part in enumerate(_parts(node)):
        yield from _required(part, _below(path, index))


def _statements(node: Expectation, path: str) -> Iterator[tuple[str, Expectation]]:
    if isinstance(node, Never | Before | Nothing):
        yield path, node
    for index, part in enumerate(_parts(node)):
        yield from _statements(part, _below(path, index))


def _chains(node: Expectation, path: str) -> Iterator[tuple[str, list[Call]]]:
    if isinstance(node, Sequence):
        yield path, [call for part in node.parts for _, call in _required(part, "") if not isinstance(part, Group)]
    for index, part in enumerate(_parts(node)):
        yield from _chains(part, _below(path, index))


def _below(path: str, index: int) -> str:
    return f"{path}, part {index + 1}" if path else f"part {index + 1}"


def has_statement(node: Expectation) -> bool:
    """Does it hold a statement about the whole run, which can be neither optional nor repeated?"""
    if isinstance(node, Never | Before | Nothing):
        return True
    if isinstance(node, Optional | Times):
        return has_statement(node.part)
    if isinstance(node, Alternatives):
        return any(map(has_statement, node.options))
    return any(map(has_statement, _parts(node)))
