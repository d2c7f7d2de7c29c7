"""Python's regular expressions, run by `regex`, which can be stopped; `re` cannot, and plain patterns take it minutes on long texts.

The pattern is parsed by `re` and written anew, spelt out, for `regex`: the same text means other things there (`[[:alpha:]]`,
`{e<=1}`), and its `\\w`, `\\b` and `\\s` know other characters (regex 2026.11, version 0 behaviour). One difference stays: a
back-reference that ignores case does so by the tables of `regex`, which know no dotted capital I.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_WORD, _SPACE = r"\p{L}\p{N}_", r"\s\x1c-\x1f"
_ASCII_WORD, _ASCII_SPACE = "0-9A-Z_a-z", r"\t-\r "
_DOTTED = "Ii\u0130\u0131"  # equal to each other where `re` ignores case; `regex` knows two pairs
_LONGEST = 100_000  # `regex` unrolls what a repeat needs at least, at some 300 bytes a character
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ANY = r"[\x00-\U0010ffff]"
_EMPTY_HAS_NO_BOUNDARY = "" if re.search(r"\B", "") else r"(?!\A\Z)"  # before Python 3.14 `\B` did not match an empty text
_SCOPED = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}
_KEPT = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.ASCII


def compiled(source: str, flags: int) -> Any:
    """
    The `regex` pattern that finds what `re` would find.

    Raises:
        re.error: It is no pattern of Python's `re`, or needs a text of more than 100,000 characters.
    """
    import regex  # type: ignore[import-untyped]  # it comes without types

    known = re.compile(source, flags & ~re.DEBUG)
    try:
        from re import _parser  # type: ignore[attr-defined]  # private, the same from CPython 3.11 to 3.14
    except ImportError:
        return regex.compile(source, known.flags & (_KEPT | re.VERBOSE))
    tree = _parser.parse(source, known.flags)
    return regex.compile(_sequence(tree, known.flags), known.flags & _KEPT)


def beginning(source: str, flags: int) -> str:
    """The characters with which whatever the pattern finds begins; empty where they cannot be told."""
    try:
        from re import _parser  # type: ignore[attr-defined]  # as above
    except ImportError:
        return ""
    tree = _parser.parse(source, flags & ~re.DEBUG)
    if tree.state.flags & re.IGNORECASE:
        return ""
    known = ""
    for op, value in tree:
        if str(op) != "LITERAL":
            break
        known += chr(value)
    return known


def _sequence(items: Iterable[Any], flags: int) -> str:
    return "".join([_item(str(op), value, flags) for op, value in items])


def _item(op: str, value: Any, flags: int) -> str:
    match op:
        case "LITERAL":
            return _set([("LITERAL", value)], flags) if flags & re.IGNORECASE else _character(value)
        case "NOT_LITERAL":
            return _set([("NEGATE", None), ("LITERAL", value)], flags)
        case "ANY":
            return "."
        case "IN":
            return _set(value, flags)
        case "BRANCH":
            return f"(?:{'|'.join([_sequence(branch, flags) for branch in value[1]])})"
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeat(op, value, flags)
        case "SUBPATTERN":
            return _group(value, flags)
        case "ATOMIC_GROUP":
            return f"(?>{_sequence(value, flags)})"
        case "ASSERT" | "ASSERT_NOT":
            direction, inner = value
            return f"(?{'<' if direction < 0 else ''}{'=' if op == 'ASSERT' else '!'}{_sequence(inner, flags)})"
        case "AT":
            return _position(str(value), flags)
        case "GROUPREF":
            return rf"(?:\g<{value}>)"
        case "GROUPREF_EXISTS":
            number, yes, no = value
            return f"(?({number}){_sequence(yes, flags)}|{_sequence(no or (), flags)})"
        case "FAILURE":
            return "(?!)"
    raise re.error(f"{op} is not known here")


def _character(code: int) -> str:
    character = chr(code)
    if character.isascii():
        return character if character.isalnum() else f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _other_cases(first: int, last: int, flags: int) -> str:
    """What `re` takes for equal to one of these characters where it ignores case, and `regex` would not know."""
    if not flags & re.IGNORECASE:
        return ""
    if flags & re.ASCII:
        return "".join([letter.swapcase() for letter in _LETTERS if first <= ord(letter) <= last])
    return _DOTTED if any(first <= ord(letter) <= last for letter in _DOTTED) else ""


def _set(items: list[tuple[Any, Any]], flags: int) -> str:
    """A set of characters. Among ASCII letters both cases are spelt out: `regex` would ignore the case of all the others too."""
    spelt = _union(items, flags)
    return f"(?-i:{spelt})" if flags & re.IGNORECASE and flags & re.ASCII else spelt


def _union(items: list[tuple[Any, Any]], flags: int) -> str:
    """Complements in a set (`\\W`, `\\S`) become alternatives to the rest of it, for sets do not nest."""
    negated, members, others = False, "", []
    for op, value in items:
        match str(op):
            case "NEGATE":
                negated = True
            case "LITERAL":
                members += _character(value) + _other_cases(value, value, flags)
            case "RANGE":
                members += f"{_character(value[0])}-{_character(value[1])}" + _other_cases(value[0], value[1], flags)
            case "CATEGORY":
                category = str(value).removeprefix("CATEGORY_")
                known = _category(category.removeprefix("NOT_"), flags)
                if category.startswith("NOT_"):
                    others.append(f"[^{known}]")
                else:
                    members += known
            case _:
                raise re.error(f"{op} is not known in a set")
    if not others:
        return f"[{'^' if negated else ''}{members}]"
    if not members and len(others) == 1:
        return others[0].replace("[^", "[", 1) if negated else others[0]
    choice = "|".join([f"[{members}]", *others] if members else others)
    return f"(?:(?!{choice}){_ANY})" if negated else f"(?:{choice})"


def _category(name: str, flags: int) -> str:
    ascii_only = flags & re.ASCII
    if name == "DIGIT":
        return "0-9" if ascii_only else r"\d"
    if name == "SPACE":
        return _ASCII_SPACE if ascii_only else _SPACE
    if name == "WORD":
        return _ASCII_WORD if ascii_only else _WORD
    raise re.error(f"the category {name} is not known here")


def _repeat(op: str, value: tuple[int, Any, Any], flags: int) -> str:
    least, most, inner = value
    if least * max(inner.getwidth()[0], 1) > _LONGEST:
        raise re.error(f"a repeat that needs more than {_LONGEST:,} characters")
    single = len(inner) == 1 and str(inner[0][0]) in ("LITERAL", "NOT_LITERAL", "ANY", "IN")
    repeated = _sequence(inner, flags) if single else f"(?:{_sequence(inner, flags)})"
    upper = "" if str(most) == "MAXREPEAT" else str(int(most))
    manner = {"MAX_REPEAT": "", "MIN_REPEAT": "?", "POSSESSIVE_REPEAT": "+"}[op]
    return f"{repeated}{{{least},{upper}}}{manner}"


def _group(value: tuple[int | None, int, int, Any], flags: int) -> str:
    number, added, removed, inner = value
    if added & (re.ASCII | re.UNICODE):
        flags &= ~(re.ASCII | re.UNICODE)
    body = _sequence(inner, (flags | added) & ~removed)
    if number is not None:
        return f"({body})"
    on, off = ("".join([letter for flag, letter in _SCOPED.items() if flag & change]) for change in (added, removed))
    return f"(?{on}{'-' if off else ''}{off}:{body})"


def _position(name: str, flags: int) -> str:
    if name in ("AT_BOUNDARY", "AT_NON_BOUNDARY"):
        word = _set([("CATEGORY", "WORD")], flags)
        if name == "AT_BOUNDARY":
            return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        return f"(?:{_EMPTY_HAS_NO_BOUNDARY}(?:(?<={word})(?={word})|(?<!{word})(?!{word})))"
    return {"AT_BEGINNING": "^", "AT_BEGINNING_STRING": r"\A", "AT_END": "$", "AT_END_STRING": r"\Z"}[name]
