"""Small faults made on purpose in one function at a time: what a test suite that checks anything must notice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Mutant:
    """One fault: where, what the line says before and after, and the code of the function with it."""

    path: str
    function: str
    line: int
    before: str
    after: str
    code: CodeType

    def __str__(self) -> str:
        return f"`{Path(self.path).parent.name}/{Path(self.path).name}`, `{self.function}`: `{self.before}` becomes `{self.after}`"


def number_of_mutants(source: str) -> int:
    """How many faults can be made in the functions of a file."""
    return sum(1 for _ in _sites(ast.parse(source)))


def mutant_of(path: str, source: str, number: int) -> Mutant | None:
    """The fault of a number, from 0 in the order of the functions; None where it changes nothing."""
    tree = ast.parse(source)
    site = next(islice(_sites(tree), number, None))
    before = ast.unparse(site.body).splitlines()
    site.change()
    code = _code_of(compile(ast.fix_missing_locations(tree), path, "exec"), site.function)
    after = ast.unparse(site.body).splitlines()
    changed = [(old.strip(), new.strip()) for old, new in zip(before, after, strict=False) if old != new]
    return Mutant(path, site.function, site.line, *changed[0], code) if code is not None and changed else None


@dataclass(frozen=True)
class _Site:
    function: str
    body: ast.AST
    line: int
    change: Callable[[], None]


def _sites(tree: ast.Module) -> Iterator[_Site]:
    for function, node in _functions(tree, ""):
        body = [each for each in node.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
        for statement in body:
            for each in _evaluated(statement):
                yield from (_Site(function, node, each.lineno, change) for change in _changes(each))


def _evaluated(node: ast.AST) -> Iterator[Any]:
    """A node and those inside it that have a line; the types of local variables, which are never evaluated, are left out."""
    if hasattr(node, "lineno"):
        yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from _evaluated(each)


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{each.name}", each
        elif isinstance(each, ast.ClassDef):
            yield from _functions(each, f"{prefix}{each.name}.")


def _changes(node: Any) -> Iterator[Callable[[], None]]:
    """What can be changed at a node."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            if type(operator) in COMPARISONS:
                yield _set(node.ops, index, COMPARISONS[type(operator)]())
    elif isinstance(node, ast.BoolOp):
        yield _set(node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS:
        yield _set(node, "op", OPERATORS[type(node.op)]())
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        test = node.test.operand if isinstance(node.test, ast.UnaryOp) else ast.UnaryOp(ast.Not(), node.test)
        yield _set(node, "test", test)
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        for loop in node.generators:
            for index in range(len(loop.ifs)):
                yield _set(loop.ifs, index, ast.Constant(value=True))
    elif (isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield _set(node, "value", ast.Constant(value=None))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _set(node, "value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield _set(node, "value", node.value + 1)


def _set(held: Any, key: Any, value: Any) -> Callable[[], None]:
    def change() -> None:
        if isinstance(held, list):
            held[key] = value
        else:
            setattr(held, key, value)

    return change


def _code_of(code: CodeType, function: str) -> CodeType | None:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_qualname == function:
                return each
            if function.startswith(f"{each.co_qualname}.") and (found := _code_of(each, function)) is not None:
                return found
    return None


def put_in(module: ModuleType, mutant: Mutant) -> bool:
    """Give the live function the mutant's code, for all that refer to it; False where it cannot be found."""
    owner: Any = module
    *classes, name = mutant.function.split(".")
    for each in classes:
        owner = getattr(owner, each)
    held = vars(owner).get(name)
    for inner in ("fget", "func", "__func__", "__wrapped__"):
        held = getattr(held, inner, held) if not isinstance(held, FunctionType) else held
    if not isinstance(held, FunctionType) or held.__code__.co_freevars != mutant.code.co_freevars:
        return False
    held.__code__ = mutant.code
    return True
