from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from toolcall_evals import SettingError, ToolInvocation, Trajectory, checks
from toolcall_evals.checks._read import _INTO_ASCII

NO_TEXT = "no text is expected: give the text, or 'expected_output' in reference_outputs"


def run(*texts: str, **fields: Any) -> Trajectory:
    return Trajectory(texts=texts, **fields)


@pytest.mark.parametrize(
    ("settings", "texts", "found"),
    [
        pytest.param({"expected": "brooklyn"}, ["It is sunny in Brooklyn."], True, id="case is ignored"),
        pytest.param({"expected": "brooklyn", "ignore_case": False}, ["It is sunny in Brooklyn."], False, id="case counts"),
        pytest.param({"expected": "STRASSE"}, ["Die Straße"], True, id="folded, not lowered"),
        pytest.param({"expected": "one two"}, ["one", "", "two"], True, id="texts are joined with one space"),
        pytest.param({"expected": "one", "text": "final"}, ["one", "two"], False, id="only the last text is read"),
        pytest.param({"expected": "two", "text": "final"}, ["one", "two"], True, id="in the last text"),
        pytest.param({"expected": "x"}, [], False, id="no text"),
        pytest.param({"expected": "\ud800"}, ["a\ud800b"], True, id="half a surrogate pair"),
    ],
)
def test_includes_and_excludes_are_opposites(settings: dict[str, Any], texts: list[str], found: bool) -> None:
    assert checks.includes(**settings).score(run(*texts)).score == found
    settings["unwanted"] = settings.pop("expected")
    assert checks.excludes(**settings).score(run(*texts)).score == (not found)


def test_the_comment_shows_the_place_in_the_text_as_it_was_written() -> None:
    score = checks.includes("strasse").score(run("ßß Straße"))
    assert score.comment == "'strasse' occurs at character 4 of 9: 'ßß Straße'"
    assert score.details == {"looked_for": "strasse", "found": True, "at": 3, "text_length": 9}


def test_the_comment_shows_the_text_that_was_read() -> None:
    assert checks.includes("x").score(run("one", "two")).comment == "'x' does not occur; read 2 texts: 'one two'"
    assert checks.includes("x", text="final").score(run("one", "two")).comment == "'x' does not occur; read the final text: 'two'"
    assert checks.includes("x").score(run()).comment == "'x' does not occur; there is no text"
    assert checks.includes("x", text="final").score(run("one", "")).comment == "'x' does not occur; read the final text, which is empty"


def test_a_long_text_is_shown_around_the_place() -> None:
    comment = checks.includes("needle").score(run("a" * 5000 + "needle" + "b" * 5000)).comment
    assert comment == f"'needle' occurs at character 5001 of 10006: ... '{'a' * 97}needle{'b' * 97}' ..."


def test_a_plain_text_is_enough() -> None:
    assert checks.includes("sunny").score("It is sunny.").score == 1.0


def test_the_text_may_come_per_example() -> None:
    check = checks.includes()
    assert check.key == "includes"
    assert check.score(run("It is sunny."), {"expected_output": "Sunny"}).score == 1.0
    assert check.score(run("It is sunny."), {"expected_output": "rain"}).score == 0.0
    assert check.score(run("It is sunny."), "sunny").score == 1.0
    assert check.score(run("It is sunny."), {"messages": [("user", "?"), ("assistant", "sunny")]}).score == 1.0


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        pytest.param(None, NO_TEXT, id="none"),
        pytest.param({}, NO_TEXT, id="empty"),
        pytest.param({"expected_tool": "search"}, NO_TEXT, id="other keys"),
        pytest.param({"expected_output": 42}, "reference 'expected_output' must be a non-empty text, got 42", id="a number"),
        pytest.param({"expected_output": ""}, "reference 'expected_output' must be a non-empty text, got ''", id="an empty text"),
    ],
)
def test_without_a_text_in_the_reference_it_could_not_score(reference: Any, reason: str) -> None:
    score = checks.includes().score(run("text"), reference)
    assert (score.score, score.status, score.comment) == (None, "could_not_score", reason)


@pytest.mark.parametrize("needle", ["", None, 7, b"x"])
def test_a_needle_that_is_no_text_is_refused(needle: Any) -> None:
    with pytest.raises(SettingError, match="unwanted must be a non-empty text"):
        checks.excludes(needle)
    if needle is not None:
        with pytest.raises(SettingError, match="expected must be a non-empty text"):
            checks.includes(needle)


def test_other_bad_settings_are_refused() -> None:
    with pytest.raises(SettingError, match="text must be one of"):
        checks.includes("x", text="last")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(SettingError, match="ignore_case must be True or False"):
        checks.includes("x", ignore_case=1)  # type: ignore[arg-type]  # what is refused


def test_the_texts_of_one_agent_are_not_guessed() -> None:
    score = checks.includes("x", agent="writer").score(run("x", invocations=(ToolInvocation(name="a", agent="writer"),)))
    assert score.score is None
    assert "does not say which agent a text is of" in score.comment


def test_a_crashed_run_never_passes() -> None:
    crashed = run("some secret", error="boom")
    assert checks.includes("secret").score(crashed).score is None
    assert checks.excludes("secret").score(crashed).score == 0.0
    assert checks.excludes("other").score(crashed).score is None


def test_every_character_that_folds_to_an_ascii_one_is_known() -> None:
    beyond = map(chr, [*range(128, 0xD800), *range(0xE000, 0x110000)])
    assert "".join(one for one in beyond if any(part.isascii() for part in one.casefold())) == _INTO_ASCII


@given(st.text("aKkſsSßtéÉﬁi\ud800İ ", max_size=12), st.text("aksSßtéfi ", min_size=1, max_size=3))
def test_case_is_ignored_as_full_folding_ignores_it(text: str, needle: str) -> None:
    assume(needle.strip())
    assert checks.includes(needle).score(run(text)).score == (needle.casefold() in text.casefold())
