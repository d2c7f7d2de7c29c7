"""Estimates against brute force, intervals against published tables."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcall_evals import statistics
from toolcall_evals.statistics import mean_interval, paired_p_value, pass_at_k, pass_hat_k, student_quantile, wilson_interval


@pytest.mark.parametrize("n", range(1, 8))
def test_the_estimates_are_the_shares_of_all_choices_of_k_runs(n: int) -> None:
    for c in range(n + 1):
        runs = [True] * c + [False] * (n - c)
        for k in range(1, n + 1):
            chosen = list(combinations(runs, k))
            assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
            assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@pytest.mark.parametrize(("n", "k"), [(0, 1), (2, 3), (3, 0)])
def test_too_few_runs_give_no_estimate(n: int, k: int) -> None:
    assert math.isnan(pass_at_k(n, n, k))
    assert math.isnan(pass_hat_k(n, n, k))


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3
        pytest.param(81, 263, 0.2553, 0.3662, id="81 of 263"),
        pytest.param(15, 148, 0.0624, 0.1605, id="15 of 148"),
        pytest.param(0, 20, 0.0000, 0.1611, id="0 of 20"),
        pytest.param(1, 29, 0.0061, 0.1718, id="1 of 29"),
    ],
)
def test_the_interval_of_a_share_is_the_published_one(successes: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(successes, n) == pytest.approx((low, high), abs=5e-5)
    assert wilson_interval(n - successes, n) == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_nothing_counted_may_be_any_share() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert mean_interval([]) is None


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)],
)
def test_the_quantiles_are_those_of_every_t_table(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom) == pytest.approx(quantile, rel=2e-3)


def test_the_interval_of_a_mean_is_students() -> None:
    # mean 0.5, standard deviation 0.1, three scores: 0.5 +- 4.303 * 0.1 / sqrt(3)
    assert mean_interval([0.4, 0.5, 0.6]) == pytest.approx((0.2516, 0.7484), abs=1e-3)
    assert mean_interval([0.5]) is None
    assert mean_interval([1, 0, 1, 1]) == wilson_interval(3, 4)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_the_interval_holds_the_mean_and_lies_in_its_range(scores: list[float]) -> None:
    interval = mean_interval(scores)
    if interval is not None:
        assert 0 <= interval[0] <= math.fsum(scores) / len(scores) + 1e-9
        assert math.fsum(scores) / len(scores) - 1e-9 <= interval[1] <= 1


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        pytest.param([], 1.0, id="none"),
        pytest.param([0.0, 0.0], 1.0, id="nothing changed"),
        pytest.param([-1.0] * 5, 2 / 32, id="five of five fell"),
        pytest.param([-1.0] * 6, 2 / 64, id="six of six fell"),
        pytest.param([-1.0, 1.0, 0.0], 1.0, id="one fell, one rose"),
        # of the eight signs of 1, 2, 3 only those with sum 6 and -6 reach 6, and with 4 and -4 also reach 4
        pytest.param([1.0, 2.0, 3.0], 2 / 8, id="1, 2, 3"),
        pytest.param([-1.0, 2.0, 3.0], 4 / 8, id="-1, 2, 3"),
    ],
)
def test_the_paired_test_counts_the_signs(differences: list[float], p: float) -> None:
    assert paired_p_value(differences) == pytest.approx(p)
    assert paired_p_value([-each for each in differences]) == pytest.approx(p)


def test_many_pairs_are_sampled_and_always_give_the_same() -> None:
    fell = [-1.0] * 20 + [1.0] * 10
    # of 30 fair coins, 20 or more of one side: 2 * 0.0494 by the binomial distribution
    assert paired_p_value(fell) == pytest.approx(0.0987, abs=0.01)
    assert paired_p_value(fell) == paired_p_value(fell)


@pytest.mark.parametrize("count", [50, 5_000])
def test_pairs_of_many_sizes_are_as_likely_as_the_normal_distribution_says(count: int) -> None:
    sizes = [(number % 97 + 1) / 100 + number / 1e6 for number in range(count)]
    kept = math.sqrt(math.fsum([size * size for size in sizes])) * 1.96  # a sum at the 5 % point of the two-sided test
    fell = _with_sum(sizes, kept)
    assert paired_p_value(fell) == pytest.approx(0.05, abs=0.01)


def _with_sum(sizes: list[float], wanted: float) -> list[float]:
    """The sizes with signs such that they sum to about `wanted`."""
    signed, total = list[float](), 0.0
    for size in sorted(sizes, reverse=True):
        signed.append(size if total < wanted else -size)
        total += signed[-1]
    return signed


def test_a_hundred_thousand_pairs_take_seconds() -> None:
    began = time.process_time()
    assert paired_p_value([-0.5, 1.0, -0.25, 0.1] * 25_000 + [number / 1e6 for number in range(1, 1_000)]) < 0.001
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "ask",
    [
        lambda: pass_hat_k(3, 4, 1),
        lambda: pass_at_k(3, -1, 1),
        lambda: wilson_interval(1, -3),
        lambda: wilson_interval(5, 3),
        lambda: mean_interval([math.inf, 0]),
        lambda: mean_interval([math.nan]),
        lambda: paired_p_value([math.nan, 1]),
        lambda: paired_p_value([math.inf]),
        lambda: paired_p_value([None]),  # type: ignore[list-item]  # what a user may pass all the same
    ],
)
def test_numbers_that_make_no_sense_are_refused(ask: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="must be"):
        ask()


@given(st.integers(1, 400), st.data())
def test_many_runs_are_estimated_as_few_are(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    exact = pass_hat_k(n, c, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics, "EXACT_RUNS", 0)
        assert pass_hat_k(n, c, k) == pytest.approx(exact, rel=1e-8, abs=1e-300)
