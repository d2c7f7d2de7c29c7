from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import SettingError, Trajectory, checks


def similarity(expected: str, text: str, **settings: object) -> float | None:
    return checks.similarity(expected, **settings).score(Trajectory(texts=(text,))).score  # type: ignore[arg-type]  # a table of settings


@pytest.mark.parametrize(
    ("expected", "text", "value"),
    [
        pytest.param("night", "nacht", 2 * 1 / (4 + 4), id="the textbook example"),
        pytest.param("healed", "sealed", 2 * 4 / (5 + 5), id="one letter of six"),
        pytest.param("aaaaa", "aa", 2 * 1 / (4 + 1), id="repeats are counted"),
        pytest.param("", "", 1.0, id="both empty"),
        pytest.param(" \n", "", 1.0, id="white space only"),
        pytest.param("a", "A", 1.0, id="one character, equal"),
        pytest.param("a", "ab", 0.0, id="one character has no bigram"),
        pytest.param("ab", "abc", 2 * 1 / (1 + 2), id="two characters have one"),
        pytest.param("a b c", "abc", 1.0, id="white space is removed"),
        pytest.param("a\ufeff\u2028b", "ab", 1.0, id="what ECMAScript calls white space is removed"),
        pytest.param("a\x85b", "ab", 0.0, id="what only Python calls white space is kept"),
        pytest.param("Straße", "STRASSE", 1.0, id="folded, not lowered"),
        pytest.param("😀😁", "😁😀", 0.0, id="code points, not halves of them"),
    ],
)
def test_it_is_the_dice_coefficient_of_bigrams(expected: str, text: str, value: float) -> None:
    assert similarity(expected, text) == pytest.approx(value, abs=1e-12)


def test_with_a_threshold_it_passes_or_fails() -> None:
    assert similarity("night", "nacht", threshold=0.25) == 1.0
    assert similarity("night", "nacht", threshold=0.2500001) == 0.0
    assert similarity("abc", "xyz", threshold=0) == 1.0
    score = checks.similarity("night", threshold=0.5).score("nacht")
    assert score.comment == "similarity 0.2500 (2 x 1 shared of 8 bigrams), at least 0.5 expected; read the text: 'nacht'"
    assert score.details == {"expected": "night", "similarity": 0.25, "threshold": 0.5, "shared_bigrams": 1, "bigrams": 8}


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), True, "0.5"])
def test_a_threshold_outside_0_to_1_is_refused(threshold: float) -> None:
    with pytest.raises(SettingError, match="threshold must be a number between 0 and 1"):
        checks.similarity("x", threshold)


def test_the_text_may_come_per_example() -> None:
    check = checks.similarity(threshold=0.9)
    assert check.key == "similarity::least.0.9"
    assert check.score("night", {"expected_output": "NIGHT"}).score == 1.0
    assert check.score("night", {"expected_output": "day"}).score == 0.0
    assert check.score("night", {"expected_output": ["night"]}).score is None
    assert check.score("night").comment == "no text is expected: give the text, or 'expected_output' in reference_outputs"


texts = st.text(st.sampled_from("aAbß İı😀 \x85\ufeff"), max_size=12)


@given(texts, texts, st.booleans())
def test_it_is_symmetric_between_0_and_1_and_1_for_a_text_and_itself(one: str, other: str, ignore_case: bool) -> None:
    forth, back = similarity(one, other, ignore_case=ignore_case), similarity(other, one, ignore_case=ignore_case)
    assert forth == back
    assert forth is not None and 0.0 <= forth <= 1.0
    assert similarity(one, one, ignore_case=ignore_case) == 1.0


@given(texts, texts)
def test_it_is_what_a_plain_loop_counts(one: str, other: str) -> None:
    def packed(text: str) -> str:
        return "".join(character for character in text.casefold() if character not in " \ufeff")

    left, right = packed(one), packed(other)
    pairs = [left[index : index + 2] for index in range(len(left) - 1)]
    total, shared = len(pairs) + max(len(right) - 1, 0), 0
    for index in range(len(right) - 1):
        if right[index : index + 2] in pairs:
            pairs.remove(right[index : index + 2])
            shared += 1
    plain = 1.0 if left == right else 2 * shared / total if len(left) > 1 and len(right) > 1 else 0.0
    assert similarity(one, other) == pytest.approx(plain, abs=1e-12)


def test_white_space_is_what_ecmascript_calls_so() -> None:
    space = {*"\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff", *map(chr, range(0x2000, 0x200B))}
    python = {character for character in map(chr, range(0x11000)) if character.isspace()}
    for character in space | python:
        assert similarity("ab", f"a{character}b") == (1.0 if character in space else 0.0), ascii(character)
