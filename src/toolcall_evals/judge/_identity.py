"""What tells one judge from another, in this process and in the next: for the keys under which its answers are kept.

What cannot be told for sure is never guessed: an answer of another judge that is served from the cache looks like a good one.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import json
import os
import sys
import sysconfig
import types
from collections.abc import Iterable, Mapping
from enum import Enum
from importlib.util import find_spec
from typing import Any

from .._errors import CouldNotScore

MOST = 20_000
"""Objects that are looked at; a judge that holds more is one that cannot be told."""

_SPOKEN = {"datetime", "decimal", "fractions", "uuid", "pathlib", "pathlib._local", "typing", "zoneinfo"}
"""Modules whose objects say all of themselves in their `repr`."""

_DESCRIPTORS = types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType
_LIBRARIES = tuple({os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_OWN = __name__.partition(".")[0]


class Unsure(CouldNotScore):
    """A judge that cannot be told from others, and what of it is in the way."""


def identity(value: Any) -> str:
    """
    A digest that is equal for equal judges, whichever process asks, and differs where answers may: by code, constants, defaults, what is
    closed over, the globals it reads, its attributes, what it is bound to and what a partial adds, all the way down. Installed packages
    count by name and version. An attribute `cache_key`, a text, stands for all of what has it.

    Raises:
        Unsure: Something in it has a state that cannot be read, such as a connection.
    """
    try:
        return _Walk().of(value, "the judge")
    except RecursionError:
        raise Unsure("the judge is nested too deeply") from None


class _Walk:
    """One walk over a judge; what is being looked at is known by its depth, so that a ring comes to an end."""

    def __init__(self) -> None:
        self._open: list[int] = []
        self._done: dict[int, tuple[Any, str]] = {}

    def of(self, value: Any, where: str) -> str:
        if value is None or value is ... or value is NotImplemented:
            return repr(value)
        if type(value) in (bool, int, float, complex, str, bytes):
            return f"{type(value).__name__}:{value!r}"
        if id(value) in self._done:
            return self._done[id(value)][1]
        if id(value) in self._open:
            return f"up {len(self._open) - self._open.index(id(value))}"
        if len(self._done) > MOST:
            raise Unsure(f"the judge holds more than {MOST} objects")
        self._open.append(id(value))
        found = _digest(self._parts(value, where))
        self._open.pop()
        self._done[id(value)] = value, found  # held, so that its id stays its own
        return found

    def _parts(self, value: Any, where: str) -> Any:
        if isinstance(value, types.MethodType):
            return ["bound", self.of(value.__func__, where), self.of(value.__self__, f"{where}.__self__")]
        if isinstance(value, functools.partial):
            held = self.each(value.args, f"{where}.args"), self.named(value.keywords, f"{where}.keywords")
            return ["partial", self.of(value.func, f"{where}.func"), *held]
        if isinstance(value, types.FunctionType):
            return self._function(value, where)
        if isinstance(value, types.CodeType):
            return self._code(value, where)
        if isinstance(value, type):
            return self._class(value, where)
        if isinstance(value, types.ModuleType):
            return ["module", _place(value.__name__, where)]
        key = _stated(value)
        if key is not None:
            return ["stated", _name(type(value)), key]
        if isinstance(value, types.BuiltinFunctionType):
            owner = value.__self__
            bound = "" if owner is None or isinstance(owner, types.ModuleType) else self.of(owner, f"{where}.__self__")
            return ["built in", value.__module__, value.__qualname__, bound]
        if isinstance(value, property):
            return ["property", *self.each((value.fget, value.fset, value.fdel), where)]
        if isinstance(value, staticmethod | classmethod):
            return [type(value).__name__, self.of(value.__func__, where)]
        if isinstance(value, functools.cached_property):
            return ["cached", self.of(value.func, where)]
        if isinstance(value, functools._lru_cache_wrapper):
            return ["cached", self.of(value.__wrapped__, where)]
        if isinstance(value, _DESCRIPTORS):
            return ["descriptor", value.__qualname__]
        return self._object(value, where)

    def _function(self, function: types.FunctionType, where: str) -> Any:
        key, wrapped = _stated(function), _stated(getattr(function, "__wrapped__", None))
        if key is not None and key != wrapped:
            return ["stated", _name(function), key]
        kept = self.each(function.__defaults__ or (), f"a default of {where}"), self.named(function.__kwdefaults__ or {}, where)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        closed = [[name, self._cell(cell, f"{name!r} in {where}")] for name, cell in cells]
        extra = {key: value for key, value in vars(function).items() if key not in ("__wrapped__", "cache_key")}
        attributes = self.named(extra, where) if extra else []
        library = _library(function.__module__)
        if library is not None:
            return ["function", _name(function), library, *kept, closed, attributes]
        code = self._code(function.__code__, where)
        return ["function", _name(function), code, self._globals(function, where), *kept, closed, attributes]

    def _cell(self, cell: Any, where: str) -> str:
        try:
            held = cell.cell_contents
        except ValueError:
            return "empty"
        return self.of(held, where)

    def _code(self, code: types.CodeType, where: str) -> Any:
        names = code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        return [code.co_code.hex(), names, counts, code.co_exceptiontable.hex(), self.each(code.co_consts, where)]

    def _globals(self, function: types.FunctionType, where: str) -> Any:
        """The values of the globals that a function and those inside it read; of a module of the program's, of the parts they name."""
        found: dict[str, Any] = {}
        for code in _codes(function.__code__):
            for step in dis.get_instructions(code):
                if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in function.__globals__:
                    value, place = function.__globals__[step.argval], f"global {step.argval!r} of {where}"
                    found[step.argval] = self._parts_of(value, code, place) if _is_own_module(value) else self.of(value, place)
                if step.opname == "IMPORT_NAME" and _library(step.argval) is None:
                    raise Unsure(f"{where} imports {step.argval!r} when it is called")
        return sorted(found.items())

    def _parts_of(self, module: Any, code: types.CodeType, where: str) -> Any:
        parts = {name: vars(module)[name] for name in code.co_names if name in vars(module)}
        return [
            [name, self._parts_of(part, code, where) if _is_own_module(part) else self.of(part, f"{where}, {name!r}")]
            for name, part in sorted(parts.items())
            if part is not module
        ]

    def _class(self, kind: type, where: str) -> Any:
        library = _library(kind.__module__)
        if library is not None:
            return ["class", _name(kind), library]
        kept = {name: part for name, part in vars(kind).items() if not _is_furniture(name, part)}
        return ["class", _name(kind), self.each(kind.__bases__, where), self.named(kept, where)]

    def _object(self, value: Any, where: str) -> Any:
        kind = type(value)
        about = [self.of(kind, f"the class of {where}")]
        if isinstance(value, Enum):
            return [*about, value.name]
        if kind.__module__ in _SPOKEN:
            return [*about, repr(value)]
        if kind.__module__ == "re" and hasattr(value, "pattern"):
            return [*about, value.pattern, value.flags] if isinstance(value.pattern, str) else [*about, value.pattern.hex(), value.flags]
        if kind.__module__ == "types" and isinstance(value, types.GenericAlias | types.UnionType):
            return [*about, repr(value)]
        if kind.__name__.startswith("Secret") and hasattr(value, "get_secret_value"):
            return about  # who pays changes no answer
        if isinstance(value, str | bytes | int | float):
            return [*about, repr(value), self._state(value, where)]
        if isinstance(value, Mapping) and isinstance(value, dict | types.MappingProxyType):
            factory = getattr(value, "default_factory", None)
            return [*about, self.pairs(value.items(), where), self.of(factory, where), self._state(value, where)]
        if isinstance(value, list | tuple):
            return [*about, self.each(value, where), self._state(value, where)]
        if isinstance(value, set | frozenset):
            return [*about, sorted(self.each(value, where)), self._state(value, where)]
        fields = getattr(kind, "model_fields", None)
        if isinstance(fields, Mapping):
            return [*about, self._model(value, fields, where)]
        if not _shows_all(kind):
            raise Unsure(f"{where} is a {kind.__name__}, whose state cannot be read")
        return [*about, self._state(value, where)]

    def _model(self, value: Any, fields: Mapping[str, Any], where: str) -> Any:
        """A pydantic model's fields. What an installed one leaves out of its own data are clients and bookkeeping: their address counts."""
        shown, addresses = {}, {}
        for name, field in fields.items():
            held = getattr(value, name, None)
            if name == "config" and isinstance(held, Mapping):
                held = held.get("configurable")  # a bound runnable's; the rest says who looks on (langchain-core 1.8.3)
            if getattr(field, "exclude", None) and _library(_declaring(type(value), name).__module__) is not None:
                address = getattr(held, "base_url", None)
                addresses.update({name: str(address)} if address is not None else {})
            elif held is not None:
                shown[name] = held
        own = getattr(value, "__pydantic_private__", None) if _library(type(value).__module__) is None else None
        extra = getattr(value, "__pydantic_extra__", None)
        parts = [self.named(shown, where), sorted(addresses.items()), self.of(extra, where)]
        return [*parts, self.named(own, where) if own else []]

    def _state(self, value: Any, where: str) -> Any:
        held = dict(getattr(value, "__dict__", None) or {})
        for kind in type(value).__mro__:
            for name, slot in vars(kind).items():
                if isinstance(slot, types.MemberDescriptorType) and hasattr(value, name):
                    held[name] = getattr(value, name)
        return self.named(held, where)

    def each(self, values: Iterable[Any], where: str) -> list[str]:
        return [self.of(value, where) for value in values]

    def named(self, values: Mapping[str, Any], where: str) -> Any:
        return [[name, self.of(values[name], f"{name!r} of {where}")] for name in sorted(values, key=str)]

    def pairs(self, items: Iterable[tuple[Any, Any]], where: str) -> Any:
        return sorted([self.of(key, where), self.of(value, f"{key!r:.50} of {where}")] for key, value in items)


def _declaring(kind: type, field: str) -> type:
    return next(each for each in reversed(kind.__mro__) if field in (getattr(each, "model_fields", None) or {}))


def _digest(parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _stated(value: Any) -> str | None:
    """The `cache_key` of a value's own: what stands around another object may hand on that one's (`RunnableBinding`)."""
    try:
        inspect.getattr_static(value, "cache_key")
        key = getattr(value, "cache_key", None)
    except Exception:  # noqa: BLE001 - there is none, or it is somebody's property
        return None
    return key if isinstance(key, str) and key else None


def _name(named: Any) -> str:
    return f"{named.__module__}.{named.__qualname__}"


def _library(module: str | None) -> str | None:
    """Name and version of the package that a module belongs to, if it is an installed one; None for the program's own."""
    top = (module or "").partition(".")[0]
    if top in ("", "__main__") or not _installed(top):
        return None
    return f"{top} {getattr(sys.modules.get(top), '__version__', '')}"


@functools.cache
def _installed(top: str) -> bool:
    if top == _OWN:
        return True
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return False
    places = [spec.origin, *(spec.submodule_search_locations or ())] if spec else []
    return any(place in ("built-in", "frozen") or (place is not None and place.startswith(_LIBRARIES)) for place in places)


def _is_own_module(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and _library(value.__name__) is None


def _place(module: str, where: str) -> str:
    library = _library(module)
    if library is None:
        raise Unsure(f"{where} is the module {module!r}, whose code cannot be told")
    return f"{module} {library}"


def _codes(code: types.CodeType) -> list[types.CodeType]:
    return [code, *[inner for each in code.co_consts if isinstance(each, types.CodeType) for inner in _codes(each)]]


def _is_furniture(name: str, part: Any) -> bool:
    """What a class statement, abc and pydantic put into a class beside what is written there."""
    if name in ("_abc_impl", "cache_key"):
        return True
    written = (types.FunctionType, staticmethod, classmethod, property)
    return name.startswith("__") and name.endswith("__") and not isinstance(part, written)


def _shows_all(kind: type) -> bool:
    """Whether objects of a class have no state but attributes: as `object.__reduce_ex__` finds out before it pickles one (CPython 3.11)."""
    slots = sum(isinstance(slot, types.MemberDescriptorType) for each in kind.__mro__ for slot in vars(each).values())
    pointers = slots + (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
    return kind.__itemsize__ == 0 and kind.__basicsize__ <= object.__basicsize__ + pointers * tuple.__itemsize__
