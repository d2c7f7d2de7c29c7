"""Evaluators by the place they come from: a list in a Python file or module, or a TOML file for people who write no Python."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from .. import checks, scorers
from .._convert import describe
from .._errors import said
from .._evaluator import Evaluator
from ._errors import BulkError

TABLES: Mapping[str, Any] = {"check": checks, "scorer": scorers}


def load_evaluators(place: str) -> list[Evaluator]:
    """
    The evaluators at a place.

    Args:
        place: `evals.py:NAME` or `package.module:NAME`, where NAME is a list of evaluators or a function that returns one (`EVALUATORS`
            where it is left out), or the path of a TOML file with `[[check]]` and `[[scorer]]` tables: `name` and the settings of the
            factory of that name.

    Raises:
        BulkError: There is no such place, or there are no evaluators at it; says what was found.
    """
    if place.lower().endswith(".toml"):
        return several(_of_toml(Path(place)), place)
    path, colon, name = place.rpartition(":")
    if not colon or path == "" or "/" in name or "\\" in name:
        path, name = place, "EVALUATORS"
    module = _module(path)
    if not hasattr(module, name):
        raise BulkError(f"expected the name {name!r} in {path}, found none{_nearest(name, vars(module))}")
    found = getattr(module, name)
    if inspect.isfunction(found):
        try:
            found = found()
        except Exception as error:
            raise BulkError(f"{place} failed: {said(error)}") from error
    return several(found, place)


def python_file(place: str) -> Path | None:
    """The Python file that a place names, or None."""
    path, colon, _ = place.rpartition(":")
    file = Path(path if colon and path.endswith(".py") else place)
    return file if file.suffix == ".py" and file.is_file() else None


def absolute(place: str) -> str:
    """The same place for a process in another folder."""
    if (file := python_file(place)) is not None:
        return str(file.resolve()) if place.endswith(".py") else f"{file.resolve()}:{place.rpartition(':')[2]}"
    return str(Path(place).resolve()) if place.lower().endswith(".toml") and Path(place).is_file() else place


def several(found: Any, place: str) -> list[Evaluator]:
    """
    A list of evaluators, each with a key of its own.

    Raises:
        BulkError: It is none; says where the fault is.
    """
    items: list[Any] = [found] if _is_evaluator(found) else []
    if not items and isinstance(found, Iterable) and not isinstance(found, str | Mapping):
        items = list(found)
    if not items:
        raise BulkError(f"expected a list of evaluators at {place}, found {describe(found)}")
    for number, item in enumerate(items, 1):
        if not _is_evaluator(item):
            hint = "; call it" if callable(item) and getattr(item, "__name__", None) in (*checks.__all__, *scorers.__all__) else ""
            raise BulkError(f"expected an evaluator as number {number} of {place}, found {getattr(item, '__name__', describe(item))}{hint}")
    keys = [item.key for item in items]
    for key in keys:
        if keys.count(key) > 1:
            raise BulkError(f"expected one key for each evaluator of {place}, found {key!r} {keys.count(key)} times; give one of them key=")
    return items


def _is_evaluator(item: Any) -> bool:
    return issubclass(type(item), Evaluator)  # isinstance would ask its __class__, which is langsmith's


def _module(path: str) -> Any:
    if not path.endswith(".py"):
        sys.path.insert(0, "")
        try:
            return importlib.import_module(path)
        except Exception as error:
            raise BulkError(f"cannot import {path}: {said(error)}") from error
        finally:
            sys.path.remove("")
    file = Path(path)
    if not file.is_file():
        raise BulkError(f"expected a Python file with evaluators, found nothing at {path!r}")
    name = f"_toolcall_evals_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that functions in it pickle
    sys.path.insert(0, str(file.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BulkError(f"cannot import {path}: {said(error)}") from error
    finally:
        sys.path.remove(str(file.resolve().parent))
    return module


def _of_toml(path: Path) -> list[Evaluator]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BulkError(f"expected a TOML file with evaluators, found nothing at {str(path)!r}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BulkError(f"cannot read {path}: {said(error)}") from error
    found: list[Evaluator] = []
    for kind, tables in document.items():
        if kind not in TABLES or not isinstance(tables, list):
            raise BulkError(f"expected [[check]] and [[scorer]] in {path}, found {kind!r}")
        for number, table in enumerate(tables, 1):
            found.append(_built(TABLES[kind], kind, table, f"{kind} {number} of {path}"))
    return found


def _built(module: Any, kind: str, table: Mapping[str, Any], place: str) -> Evaluator:
    settings = dict(table)
    name = settings.pop(kind, None) or settings.pop("name", None)
    if not isinstance(name, str) or name not in module.__all__:
        raise BulkError(f"expected the name of a {kind} in {place}, found {name!r}{_nearest(str(name), module.__all__)}")
    factory: Callable[..., Evaluator] = getattr(module, name)
    known = inspect.signature(factory).parameters
    for setting in settings:
        if setting not in known:
            raise BulkError(f"{name} has no setting {setting!r} ({place}){_nearest(setting, known)}")
    try:
        return factory(**settings)
    except (TypeError, ValueError) as error:
        raise BulkError(f"{place}: {error}") from error


def _nearest(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, [each for each in names if not each.startswith("_")], 1)
    return f"; did you mean {near[0]!r}?" if near else ""
