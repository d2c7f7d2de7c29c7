"""Mutants differ from their function in one place, reach everybody who holds it, and are added up with their survivors named."""

from __future__ import annotations

import ast
from types import ModuleType

import pytest
from tests.quality.mutants import Mutant, mutant_of, number_of_mutants, put_in
from tests.quality.mutation import module_of, quickest, sample
from tests.quality.mutation_table import survivors, table

SOURCE = '''
def least(values, floor=0):
    """What a docstring says is not changed: 1 < 2."""
    return [value for value in values if value > floor]


class Counted:
    def twice(self, number):
        return number + number
'''


def mutants_of(source: str) -> list[Mutant]:
    return [found for number in range(number_of_mutants(source)) if (found := mutant_of("a.py", source, number)) is not None]


def test_a_mutant_changes_one_thing_of_one_function() -> None:
    found = [(mutant.function, mutant.line, mutant.after) for mutant in mutants_of(SOURCE)]
    assert sorted(found) == [
        ("Counted.twice", 9, "return None"),
        ("Counted.twice", 9, "return number - number"),
        ("least", 4, "return None"),
        ("least", 4, "return [value for value in values if True]"),
        ("least", 4, "return [value for value in values if value >= floor]"),
    ]


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        ("if a:\n        return b", "if not a:"),
        ("while not a:\n        b()", "while a:"),
        ("return a and b", "return a or b"),
        ("return a is not b", "return a is b"),
        ("return a in b", "return a not in b"),
        ("return a // b", "return a * b"),
        ("a.append(b)", "None"),
        ("a += 1", "a -= 1"),
        ("a += 1", "a += 2"),
        ("return f(a, key=True)", "return f(a, key=False)"),
        ("a: int | None = b + c", "a: int | None = b - c"),
        ("return a if b else c", "return a if not b else c"),
    ],
)
def test_each_kind_of_fault_is_made(statement: str, after: str) -> None:
    source = f"def f(a, b, c):\n    {statement}\n"
    assert after in [mutant.after for mutant in mutants_of(source)]


def test_whoever_holds_a_function_gets_its_mutant() -> None:
    module = ModuleType("made")
    exec(compile(ast.parse(SOURCE), "a.py", "exec"), vars(module))
    held, counted = module.least, module.Counted()
    for mutant in mutants_of(SOURCE):
        if mutant.after in ("return None", "return number - number"):
            assert put_in(module, mutant)
    assert (held([1], 0), counted.twice(3)) == (None, 0)


def test_a_sample_is_spread_evenly_and_a_small_file_is_tried_whole() -> None:
    assert sample(100, 4) == [12, 37, 62, 87]
    assert sample(3, 4) == [0, 1, 2]


def test_the_quickest_tests_are_tried_until_their_time_is_used_up() -> None:
    assert quickest(["slow", "quick", "middle"], {"slow": 5.0, "quick": 0.1, "middle": 2.0}) == ["quick", "middle"]
    assert quickest(["slowest"], {"slowest": 60.0}) == ["slowest"]


FOUND = {
    "src/toolcall_evals/checks/_a.py": {"mutants": 40, "tried": {"f:1: x -> y": "killed", "f:2: a < b -> a <= b": "survived"}},
    "src/toolcall_evals/checks/_b.py": {"mutants": 2, "tried": {"g:1: x -> y": "timeout", "g:2: p -> q": "not run"}},
    "src/toolcall_evals/matching/_c.py": {"mutants": 1, "tried": {"h:1: x -> y": "killed"}},
}
EQUIVALENT = {"src/toolcall_evals/checks/_a.py": {"f: a < b -> a <= b": "equal values are the same"}}


def test_survivors_are_counted_and_equivalent_ones_left_out_of_the_share() -> None:
    assert table(FOUND, EQUIVALENT) == [
        ["toolcall_evals.checks", 42, 4, 2, 2, 1, 66.6],
        ["toolcall_evals.matching", 1, 1, 1, 0, 0, 100.0],
        ["all", 43, 5, 3, 2, 1, 75.0],
    ]


def test_every_survivor_is_named_with_its_reason() -> None:
    assert survivors(FOUND, EQUIVALENT) == [
        "`checks/_a.py`, `f`: `a < b` as `a <= b`: equal values are the same",
        "`checks/_b.py`, `g`: `p` as `q`: no test runs it",
    ]


def test_a_package_is_the_module_of_its_init_file() -> None:
    assert module_of("src/toolcall_evals/checks/_read.py") == "toolcall_evals.checks._read"
    assert module_of("src/toolcall_evals/checks/__init__.py") == "toolcall_evals.checks"
