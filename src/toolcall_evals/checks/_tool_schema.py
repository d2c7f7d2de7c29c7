"""The JSON schema of a tool, ready to judge arguments; nothing that it refers to is ever fetched."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Protocol

from .._errors import CouldNotScore
from .._json import DEPTH, json_ready

_COMPOSED = ("$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas")
_UNKNOWN = ("additionalProperties", "unevaluatedProperties")
_MESSAGE_LENGTH = 500


class Validator(Protocol):
    """What is used of a validator of jsonschema-rs (0.44 to 0.61)."""

    def is_valid(self, instance: Any) -> bool: ...

    def iter_errors(self, instance: Any) -> Any: ...


def validator_of(parameters: Mapping[str, Any]) -> Validator:
    """
    The validator of a tool's schema. An argument that the schema does not name is invalid, unless it says what becomes of such.

    Raises:
        CouldNotScore: There is no validator, or the schema is none.
    """
    return _validator(json.dumps(json_ready(parameters), sort_keys=True))


def accepts(validator: Validator, args: Any) -> bool:
    """Are the arguments valid?"""
    try:
        return validator.is_valid(args if _is_tree(args, set()) else json_ready(args))
    except (ValueError, TypeError):  # values that JSON does not know
        return validator.is_valid(json_ready(args))


def faults(validator: Validator, args: Any) -> list[dict[str, Any]]:
    """What makes the arguments invalid: {"path", "rule", "message"}; the rule is the schema's keyword, or `unknown argument`."""
    found: list[dict[str, Any]] = []
    try:
        errors = list(validator.iter_errors(args if _is_tree(args, set()) else json_ready(args)))
    except (ValueError, TypeError):
        errors = list(validator.iter_errors(json_ready(args)))
    for error in errors:
        rule, path = error.kind.name, list(error.instance_path)
        if rule in _UNKNOWN and not path:
            message = "the tool has no such argument"
            found += [{"path": _path([name]), "rule": "unknown argument", "message": message} for name in error.kind.unexpected]
        else:
            found.append({"path": _path(path), "rule": rule, "message": str(error.message)[:_MESSAGE_LENGTH]})
    return found


def _is_tree(value: Any, above: set[int]) -> bool:
    """Does the value not lie inside itself? The validator would follow such a one without end (jsonschema-rs 0.61)."""
    kind = type(value)
    if kind is str or kind is int or not isinstance(value, dict | list | tuple):
        return True
    if id(value) in above or len(above) > DEPTH:
        return False
    above.add(id(value))
    sound = all(_is_tree(item, above) for item in (value.values() if isinstance(value, dict) else value))
    above.discard(id(value))
    return sound


def properties(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of the arguments by name, where the schema lists them at its top."""
    found = parameters.get("properties")
    return {str(name): schema for name, schema in found.items()} if isinstance(found, Mapping) else {}


def stated_values(schema: Any) -> list[Any]:
    """The values that a schema itself states, at any depth: of `enum`, `const` and `default`."""
    found: list[Any] = []
    waiting, seen = [schema], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Mapping):
            found += [node[word] for word in ("const", "default") if word in node]
            if isinstance(node.get("enum"), list | tuple):
                found += node["enum"]
            waiting += node.values()
        elif isinstance(node, list | tuple):
            waiting += node
    return found


def _path(parts: Sequence[Any]) -> str:
    return "".join([f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts]).removeprefix(".")


@functools.lru_cache(maxsize=512)
def _validator(text: str) -> Validator:
    try:
        import jsonschema_rs
    except ImportError as error:
        raise CouldNotScore("arguments are validated by jsonschema-rs; install the extra: toolcall-evals[schema]") from error
    schema = _closed(json.loads(text), text)
    try:
        return _built(jsonschema_rs, schema)
    except Exception as error:
        raise CouldNotScore(f"the schema is none that can be used: {_first_line(error)}") from error


def _built(engine: Any, schema: Any) -> Validator:
    try:
        made: Validator = engine.validator_for(schema, retriever=_refuse_to_fetch)
    except Exception:
        if not isinstance(schema, dict) or "$schema" not in schema:
            raise
        made = engine.validator_for({name: value for name, value in schema.items() if name != "$schema"}, retriever=_refuse_to_fetch)
    return made


def _refuse_to_fetch(address: str) -> NoReturn:
    raise ValueError(f"{address} is not fetched")


def _closed(schema: Any, text: str) -> Any:
    """The schema, refusing arguments that it does not name, unless it says itself what becomes of them."""
    if not isinstance(schema, dict) or any(word in schema for word in _UNKNOWN):
        return schema
    if any(word in schema for word in _COMPOSED):
        return {**schema, "unevaluatedProperties": False} if '"properties"' in text else schema
    return {**schema, "additionalProperties": False} if "properties" in schema else schema


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:_MESSAGE_LENGTH]
