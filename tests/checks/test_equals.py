from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals import SettingError, Trajectory, checks


@pytest.mark.parametrize(
    ("settings", "texts", "same"),
    [
        pytest.param({"expected": "Done."}, ["done."], True, id="case is ignored"),
        pytest.param({"expected": "Done.", "ignore_case": False}, ["done."], False, id="case counts"),
        pytest.param({"expected": "MASSE"}, ["Maße"], True, id="folded, not lowered"),
        pytest.param({"expected": "\u0390\u0390"}, ["\u0399\u0308\u0301" * 2], True, id="one character that folds to three"),
        pytest.param({"expected": "Done"}, ["Done "], False, id="white space counts"),
        pytest.param({"expected": "a b"}, ["a", "b"], True, id="texts are joined with one space"),
        pytest.param({"expected": "b", "text": "final"}, ["a", "b"], True, id="only the last text is read"),
        pytest.param({"expected": ""}, [], True, id="nothing said, nothing expected"),
        pytest.param({"expected": ""}, ["x"], False, id="something said, nothing expected"),
    ],
)
def test_the_whole_text_is_compared(settings: dict[str, Any], texts: list[str], same: bool) -> None:
    assert checks.equals(**settings).score(Trajectory(texts=tuple(texts))).score == same


def test_the_comment_shows_where_the_texts_part() -> None:
    score = checks.equals("It is sunny.").score(Trajectory(texts=("IT is rainy.",)))
    assert score.comment == (
        "the text differs: from character 7 it is 'IT is rainy.', expected 'It is sunny.'; read the text: 'IT is rainy.'"
    )
    assert score.details == {"expected": "It is sunny.", "equal": False, "differs_at": 6, "text_length": 12}
    assert checks.equals("It").score(Trajectory(texts=("it",))).comment == "the text is as expected; read the text: 'it'"
    assert checks.equals("It").score(Trajectory()).comment == "the text differs: expected 'It'; there is no text"


def test_the_text_may_come_per_example_and_may_be_empty() -> None:
    check = checks.equals(text="final")
    assert check.key == "equals::final"
    assert check.score(Trajectory(texts=("a", "b")), {"expected_output": "B"}).score == 1.0
    assert check.score(Trajectory(), {"expected_output": ""}).score == 1.0
    assert check.score(Trajectory(texts=("b",)), [("user", "?"), ("assistant", "a"), ("assistant", "b")]).score == 1.0
    assert check.score(Trajectory(texts=("b",))).score is None


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(SettingError, match="expected must be a text"):
        checks.equals(5)  # type: ignore[arg-type]  # what is refused
