from __future__ import annotations

from typing import Any

import pytest

from toolcall_evals.judge import Evaluation, Verdict, agreement


def grades(appropriate: int, partial: int, inappropriate: int) -> list[Any]:
    return ["appropriate"] * appropriate + ["partial"] * partial + ["inappropriate"] * inappropriate


def test_kappa_of_a_table_worked_out_by_hand() -> None:
    """50 calls: 20 + 15 of 50 equal; chance (25 x 30 + 25 x 20) / 2500 = 0.5; kappa (0.7 - 0.5) / 0.5 = 0.4 (Cohen 1960's form)."""
    labelled = grades(25, 0, 25)
    judged = grades(20, 0, 5) + grades(10, 0, 15)
    found = agreement(labelled, judged)
    assert (found.n, found.observed) == (50, pytest.approx(0.7))
    assert found.kappa == pytest.approx(0.4)
    error = (0.7 * 0.3 / 50) ** 0.5 / 0.5  # 0.1296
    assert found.interval == pytest.approx((0.4 - 1.959964 * error, 0.4 + 1.959964 * error), abs=1e-6)
    assert found.confusion == {
        ("appropriate", "appropriate"): 20,
        ("appropriate", "inappropriate"): 5,
        ("inappropriate", "appropriate"): 10,
        ("inappropriate", "inappropriate"): 15,
    }


def test_three_grades() -> None:
    """Equal 4 of 6; chance (3 x 2 + 2 x 2 + 1 x 2) / 36 = 1/3; kappa (2/3 - 1/3) / (2/3) = 0.5."""
    found = agreement(grades(3, 2, 1), [*grades(2, 1, 0), "partial", "inappropriate", "inappropriate"])
    assert found.kappa == pytest.approx(0.5)
    assert str(found).splitlines()[0].startswith("6 verdicts, 67% equal, kappa 0.50 (95 %: ")
    assert str(found).splitlines()[2].split() == ["appropriate", "2", "1", "0"]


def test_perfect_and_opposite() -> None:
    assert agreement(grades(2, 2, 0), grades(2, 2, 0)).kappa == 1.0
    assert agreement(grades(1, 0, 1), ["inappropriate", "appropriate"]).kappa == -1.0


def test_kappa_is_undefined_where_only_one_grade_occurs() -> None:
    found = agreement(grades(3, 0, 0), grades(3, 0, 0))
    assert (found.observed, found.kappa, found.interval) == (1.0, None, None)
    assert "only one grade occurs" in str(found)


def test_whole_verdicts_are_compared_call_by_call_by_their_numbers() -> None:
    first = Verdict(
        evaluations=(Evaluation(call=1, tool_called="a", verdict="partial"), Evaluation(call=2, tool_called="a", verdict="appropriate"))
    )
    second = Verdict(evaluations=first.evaluations[::-1])
    assert agreement([first], [second]).observed == 1.0
    assert agreement([first], [second.model_copy(update={"evaluations": first.evaluations})]).confusion == {
        ("partial", "partial"): 1,
        ("appropriate", "appropriate"): 1,
    }


@pytest.mark.parametrize(("labelled", "judged"), [([], []), (grades(2, 0, 0), grades(1, 0, 0)), (["good"], grades(1, 0, 0))])
def test_what_cannot_be_compared_is_refused(labelled: list[Any], judged: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"equally long|must be one of"):
        agreement(labelled, judged)


def of(*numbers: int, **fields: Any) -> Verdict:
    return Verdict(evaluations=tuple(Evaluation(call=n, tool_called="a", verdict="partial") for n in numbers), **fields)


def test_runs_of_different_length_are_refused_and_the_calls_named() -> None:
    with pytest.raises(ValueError, match="run 1, call 2, only in labelled; run 2, call 2, only in verdicts"):
        agreement([of(1, 2), of(1)], [of(1), of(1, 2)])


def test_runs_without_calls_and_missing_tools_have_tables_of_their_own() -> None:
    """Equal 2 of 4 and chance (2 x 2 + 2 x 2) / 16 = 0.5: kappa 0."""
    people = [of(no_call_was_right=True), of(no_call_was_right=True), of(no_call_was_right=False), of(no_call_was_right=False)]
    found = agreement([*people, of(1, missing_tools=("x",))], [people[0], people[2], people[1], people[3], of(1, missing_tools=("y",))])
    assert found.n == 1 and found.no_call is not None and found.missing_tools is not None
    assert (found.no_call.n, found.no_call.observed, found.no_call.kappa) == (4, 0.5, 0.0)
    assert (found.missing_tools.confusion, found.missing_tools.kappa) == ({(True, False): 1, (False, True): 1}, None)
    with pytest.raises(ValueError, match="run 1, whether making no call was right, only in labelled"):
        agreement(people[:1], [of()])


def test_verdicts_that_do_not_speak_of_the_same_calls_are_refused() -> None:
    other = Verdict(evaluations=(Evaluation(call=1, tool_called="b", verdict="partial"),))
    with pytest.raises(ValueError, match="run 1, call 1: 'a' in labelled, 'b' in verdicts"):
        agreement([of(1)], [other])
    with pytest.raises(ValueError, match="each call once; run 2 has two on call 1"):
        agreement([of(1), of(1)], [of(1), of(1, 1)])
    with pytest.raises(ValueError, match="of one kind, grades or Verdicts; number 2 is a grade on one side"):
        agreement([of(1), of(1)], [of(1), "partial"])


def test_verdicts_that_judge_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="nothing was judged in any of their runs"):
        agreement([of()], [of()])
    assert agreement([of(no_call_was_right=True)], [of(no_call_was_right=True)]).n == 0
