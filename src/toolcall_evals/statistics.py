"""Numbers about many runs: how often it works, how sure that is, and whether two versions differ."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from operator import mul

Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution: two-sided 95 %."""

EXACT_RUNS = 5_000
"""Runs up to which choices are counted exactly."""

EXACT_PAIRS = 14
"""Pairs up to which the permutation test tries every sign (2^14)."""

SAMPLES = 20_000

SIZES_DRAWN = 200
"""Sizes of differences whose signs are drawn; the sum of smaller ones is normal."""


def pass_at_k(n: int, c: int, k: int) -> float:
    """
    How likely is at least one success in k runs, of n runs with c successes?

    1 - C(n-c, k) / C(n, k), the unbiased estimate (Chen et al. 2021, "Evaluating Large Language Models Trained on Code").

    Returns:
        0.0 to 1.0; NaN when there are fewer than k runs.

    Raises:
        ValueError: c is no number of runs out of n.
    """
    _part_of("c", c, n)
    if not 1 <= k <= n:
        return math.nan
    return 1 - _share_of_choices(n - c, n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """
    How likely do all of k runs succeed, of n runs with c successes?

    C(c, k) / C(n, k), the unbiased estimate (Yao et al. 2024, "tau-bench").

    Returns:
        0.0 to 1.0; NaN when there are fewer than k runs.

    Raises:
        ValueError: c is no number of runs out of n.
    """
    _part_of("c", c, n)
    if not 1 <= k <= n:
        return math.nan
    return _share_of_choices(c, n, k)


def _share_of_choices(some: int, n: int, k: int) -> float:
    """C(some, k) / C(n, k): exact up to `EXACT_RUNS`, else by logarithms of factorials, to about ten digits."""
    if some < k:
        return 0.0
    if n <= EXACT_RUNS:
        return math.comb(some, k) / math.comb(n, k)
    parts = (math.lgamma(some + 1), -math.lgamma(some - k + 1), -math.lgamma(n + 1), math.lgamma(n - k + 1))
    return min(1.0, math.exp(math.fsum(parts)))


def _part_of(name: str, part: int, n: int) -> None:
    if not 0 <= part <= n:
        raise ValueError(f"{name} must be from 0 to {n}, the number of runs, got {part!r}")


def wilson_interval(successes: int, n: int, z: float = Z95) -> tuple[float, float]:
    """
    The score interval of a share (Wilson 1927), 95 % unless `z` says otherwise; (0.0, 1.0) when nothing was counted.

    Raises:
        ValueError: `successes` is no number of runs out of n.
    """
    _part_of("successes", successes, n)
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return (0.0 if successes == 0 else max(0.0, middle - half)), (1.0 if successes == n else min(1.0, middle + half))


def mean_interval(scores: Sequence[float]) -> tuple[float, float] | None:
    """
    The 95 % interval of a mean of scores in 0..1: Wilson's where every score is 0 or 1, else Student's, cut to 0..1.

    Returns:
        None where nothing can be said: no score, or a single one that is neither 0 nor 1.

    Raises:
        ValueError: A score that is not in 0..1.
    """
    if outside := [score for score in scores if not 0.0 <= score <= 1.0]:
        raise ValueError(f"scores must be in 0..1, got {outside[0]!r}")
    between = [score for score in scores if score not in (0.0, 1.0)]
    ones = sum(score == 1.0 for score in scores)
    squares = math.fsum([score * score for score in between])
    return interval_of(ones, len(scores) - ones - len(between), len(between), math.fsum(between), squares)


def interval_of(ones: int, zeros: int, between: int, total: float, squares: float) -> tuple[float, float] | None:
    """
    `mean_interval` of scores that were only counted.

    Args:
        ones: How many scores are 1.
        zeros: How many are 0.
        between: How many are neither.
        total: The sum of those.
        squares: The sum of their squares.
    """
    n = ones + zeros + between
    if n and not between:
        return wilson_interval(ones, n)
    if n < 2:
        return None
    mean = (ones + total) / n
    variance = max(0.0, ones * (1 - mean) ** 2 + zeros * mean**2 + squares - 2 * mean * total + between * mean**2) / (n - 1)
    half = student_quantile(n - 1) * math.sqrt(variance) / math.sqrt(n)
    return max(0.0, mean - half), min(1.0, mean + half)


def student_quantile(freedom: int) -> float:
    """
    The 97.5 % point of Student's t distribution, for at least one degree of freedom.

    Exact for one and two; above, the normal one with four terms of the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5), which is at
    most 0.2 % too small.
    """
    if freedom == 1:
        return math.tan(0.475 * math.pi)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z = Z95
    terms: tuple[float, ...] = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum([term / math.pow(freedom, power) for power, term in enumerate(terms, 1)])


def paired_p_value(differences: Sequence[float]) -> float:
    """
    How likely is a mean difference at least this large, if nothing had changed?

    The two-sided paired permutation test (Fisher's randomisation of signs): exact up to `EXACT_PAIRS` pairs that differ, else from
    `SAMPLES` draws of a generator with a fixed seed. Of more than `SIZES_DRAWN` sizes of differences, the sum of the smaller ones is drawn
    from the normal distribution with its variance.

    Returns:
        0.0 to 1.0; 1.0 when no pair differs.

    Raises:
        ValueError: A difference that is no finite number.
    """
    if unknown := [difference for difference in differences if not isinstance(difference, int | float) or not math.isfinite(difference)]:
        raise ValueError(f"differences must be finite numbers, got {unknown[0]!r}")
    changed = [difference for difference in differences if difference]
    seen = abs(math.fsum(changed)) * (1 - 1e-9) - 1e-9
    if not changed:
        return 1.0
    if len(changed) <= EXACT_PAIRS:
        sums = [abs(math.fsum(map(mul, signs, changed))) for signs in product((1, -1), repeat=len(changed))]
        return sum(each >= seen for each in sums) / len(sums)
    counts = Counter([round(abs(difference), 9) for difference in changed])
    sizes = sorted(counts, reverse=True)
    large = [(size, counts[size]) for size in sizes[:SIZES_DRAWN]]
    spread = math.sqrt(math.fsum([size * size * counts[size] for size in sizes[SIZES_DRAWN:]]))
    draw = random.Random(0)  # the same answer for the same input
    hits = sum(abs(_drawn(draw, large) + draw.gauss(0.0, spread)) >= seen for _ in range(SAMPLES))
    return (hits + 1) / (SAMPLES + 1)


def _drawn(draw: random.Random, sizes: Sequence[tuple[float, int]]) -> float:
    """The sum of differences with signs by chance: of `count` coins, the bits are those that fall on plus."""
    return math.fsum([size * (2 * draw.getrandbits(count).bit_count() - count) for size, count in sizes])
