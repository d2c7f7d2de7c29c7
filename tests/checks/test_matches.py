from __future__ import annotations

import pickle
import re
import sys
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolcall_evals import SettingError, Trajectory, checks


def found(pattern: str | re.Pattern[str], text: str, **options: Any) -> bool:
    score = checks.matches(pattern, **options).score(Trajectory(texts=(text,)))
    assert score.score is not None, score.comment
    return score.score == 1.0


@pytest.mark.parametrize(
    ("pattern", "text", "exact", "matched"),
    [
        pytest.param(r"\d+ °C", "It is 21 °C.", False, True, id="somewhere"),
        pytest.param(r"\d+ °C", "It is 21 °C.", True, False, id="not the whole text"),
        pytest.param("cat|dog", "catalog", True, False, id="exact binds to every alternative"),
        pytest.param("two", "one\ntwo", True, False, id="exact is the whole text, not a line"),
        pytest.param(re.compile("TWO", re.IGNORECASE), "one\ntwo", False, True, id="compiled, with flags"),
        pytest.param(re.compile("^two$", re.MULTILINE), "one\ntwo", False, True, id="lines"),
        pytest.param("(?i:I)t", "it", False, True, id="flags of a group"),
        pytest.param(re.compile(r"a   b # a comment: [", re.VERBOSE), "ab", True, True, id="verbose"),
        pytest.param("hello$", "hello\n", False, True, id="the end may be before a last newline"),
        pytest.param("", "", True, True, id="an empty pattern"),
        pytest.param(r"(a)(b)\2\g", "", False, None, id="no pattern"),
    ],
)
def test_a_pattern_means_what_it_means_to_re(pattern: str | re.Pattern[str], text: str, exact: bool, matched: bool | None) -> None:
    if matched is None:
        with pytest.raises(SettingError, match="pattern must be a regular expression of Python's re"):
            checks.matches(pattern)
    else:
        assert found(pattern, text, exact=exact) == matched


def test_the_comment_shows_the_match_in_its_surroundings() -> None:
    score = checks.matches(r"\d+ °C").score("It is 21 °C.")
    assert score.comment == "'\\\\d+ °C' matches at character 7 of 12: 'It is 21 °C.'"
    assert score.details == {"pattern": r"\d+ °C", "exact": False, "matched": "21 °C", "at": 6, "text_length": 12}
    assert checks.matches("x", exact=True).score("It").comment == "'x' does not match the whole text; read the text: 'It'"
    assert checks.matches("It", exact=True).score("It").comment == "'It' matches the whole text; read the text: 'It'"


@pytest.mark.parametrize("pattern", ["(", "a**", "[a", "(?P<n>a)(?P<n>b)", r"\p{L}", "(?R)", "(?<=a+)b", b"x", 5, None, re.compile(b"x")])
def test_what_re_does_not_take_is_refused(pattern: Any) -> None:
    with pytest.raises(SettingError, match="pattern must be a "):
        checks.matches(pattern)


@pytest.mark.parametrize("pattern", ["a{100001}", "(?:a{1000}){1000}", "(?=a{3000000000})", "(?:(?=a)){1000000}", "(?<!.{200000})"])
def test_a_pattern_that_would_take_all_memory_is_refused(pattern: str) -> None:
    with pytest.raises(SettingError, match="a repeat that needs more than 100,000 characters"):
        checks.matches(pattern)


@pytest.mark.parametrize("pattern", ["x" * 1_001, re.compile("x" * 1_001)], ids=["text", "compiled"])
def test_a_pattern_that_would_take_long_to_read_is_refused(pattern: str | re.Pattern[str]) -> None:
    assert found("x" * 1_000, "x" * 1_000)
    with pytest.raises(SettingError, match="pattern must be a regular expression of at most 1,000 characters"):
        checks.matches(pattern)


@pytest.mark.parametrize("limit", [0, -1, True, "1", float("nan"), float("inf")])
def test_a_limit_that_is_no_time_is_refused(limit: Any) -> None:
    with pytest.raises(SettingError, match="timeout_s must be a number of seconds"):
        checks.matches("x", timeout_s=limit)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        pytest.param("(a|aa)+$", "a" * 60 + "b", id="exponential"),
        pytest.param(r"\s+$", " " * 60_000 + "x", id="quadratic"),
        pytest.param(r"(?i)[\w\s.,;:!?-]+$", "é" * 30_000 + "@", id="a set of many parts, case ignored"),
        pytest.param("a{1000}b", "a" * 80_000, id="a counted repeat"),
        pytest.param(r"(?>a+)b", "a" * 80_000, id="an atomic group"),
    ],
)
def test_a_search_past_its_limit_could_not_score(pattern: str, text: str) -> None:
    check, run = checks.matches(pattern, timeout_s=0.3), Trajectory(texts=(text,))
    begun = time.process_time()
    score = check.score(run)
    assert time.process_time() - begun <= 0.33  # the limit and a tenth
    assert score.score is None
    assert "took longer than timeout_s=0.3 on a text of" in score.comment


def test_a_text_too_long_for_the_limit_to_hold_could_not_score() -> None:
    run = Trajectory(texts=("a" * 1_000_000,))
    assert checks.matches("a").score(run).comment == "a text of 1,000,000 characters may take longer than timeout_s=1; allow more"
    assert checks.matches("a", timeout_s=10).score(run).score == 1.0


def test_it_pickles_with_its_pattern() -> None:
    check = checks.matches(re.compile(r"\bBROOKLYN\b", re.IGNORECASE), exact=False)
    again = pickle.loads(pickle.dumps(check))
    assert (again.key, repr(again)) == (check.key, repr(check))
    assert again.score("It rains in Brooklyn.").score == 1.0


def test_flags_and_settings_tell_two_checks_apart() -> None:
    made = [
        checks.matches("x"),
        checks.matches(re.compile("x", re.IGNORECASE)),
        checks.matches(re.compile("x", re.DOTALL)),
        checks.matches("x", exact=True),
        checks.matches("x", timeout_s=2),
        checks.matches("x", text="final"),
        checks.matches("X"),
    ]
    assert len({check.key for check in made}) == len(made)


def test_without_the_parser_of_re_the_pattern_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re._parser", None)
    monkeypatch.delattr(re, "_parser")
    assert found(re.compile("b r", re.VERBOSE | re.IGNORECASE), "BR")


atoms = st.sampled_from(
    [
        *("a", "b", "é", "İ", "i", "ß", "K", "\\n", " ", "_", "1", "²", "."),
        *("\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\b", "\\B", "^", "$", "\\A", "\\Z"),
        *("[ab]", "[^ab]", "[\\w-]", "[^\\w]", "[\\W\\d]", "[^\\W_]", "[a\\S]", "[^\\s\\S]"),
        *("[[:alpha:]]", "[a-zİ]", "[^I-Z]", "[]a]", "[a&&b]", "[a||b]"),
        *("(a)", "(?P<n>b)", "(?:ab|a)"),
        *("(?=a)", "(?!b)", "(?<=a)", "(?<![\\W])", "(?>a|ab)", "(?i:a)", "(?s:.)", "(?-i:B)", "(?a:\\w)", "(?!)"),
        *("a*", "b+?"),
        *("\\w{2}", "[ab]{1,2}", "(?:ab)*", "(?:a|b)+", "a?+", "\\s*", "a{,2}", "{e<=1}", "a{e}", "(a)?b(?(1)a|b)", "(\\w)\\1"),
    ]
)
patterns = st.lists(atoms, min_size=1, max_size=4).map("".join) | st.lists(atoms, min_size=2, max_size=4).map("|".join)
texts = st.text(st.sampled_from("abABéÉiIİıßẞſsSkKK\n _12²٣\u0301\u200d\x1c\x85:[]{}&|-"), max_size=8)


def flags_of(letters: str) -> int:
    return sum({"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}[letter] for letter in letters)


@pytest.mark.filterwarnings("ignore:Possible (nested set|set ):FutureWarning")
@settings(max_examples=400)
@given(patterns, st.sampled_from(["", "i", "m", "s", "im", "a", "ai"]), texts, st.booleans())
@example(r"\B", "", "", False)
@example("[[:alpha:]]", "", "x", False)
@example("(?:cats){e<=1}", "", "cuts", False)
@example("İ", "i", "ı", False)
@example(r"\w", "", "\u0301", False)
def test_it_agrees_with_re(pattern: str, flags: str, text: str, exact: bool) -> None:
    try:
        compiled = re.compile(pattern, flags_of(flags))
    except re.error:
        return
    if "\\1" in pattern and "i" in flags and not text.isascii():
        return  # back-references ignore the case by the tables of regex: it cannot be spelt out for them
    match = (compiled.fullmatch if exact else compiled.search)(text)
    score = checks.matches(compiled, exact=exact).score(Trajectory(texts=(text,)))
    assert score.score == (match is not None)
    if match is not None:
        assert (score.details["matched"], score.details["at"]) == (match.group(), match.start())
