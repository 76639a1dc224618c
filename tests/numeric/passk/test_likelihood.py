"""The likelihood of pass@k: against plain products and root finding, whatever the rule that stopped
the sampling.
"""

from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import betaln, gammaln

from isoflop.numeric.passk.likelihood import LEAST_SHAPE, MOST_SHAPE, Surface

#: (n, c) of the problems of a model.
MODELS = {
    "equal n": ([32] * 6, [0, 1, 0, 5, 32, 0]),
    "few correct": ([128] * 5, [0, 0, 1, 0, 0]),
    "unequal n": ([1, 7, 128, 4096, 100], [1, 0, 3, 1, 99]),
    "many samples": ([10**6, 200_000], [3, 199_000]),
    "no success": ([128, 128, 1000], [0, 0, 0]),
}


def rising(x, m):
    """log of x (x + 1) ... (x + m - 1), factor by factor."""
    return np.log(x + np.arange(m, dtype=np.float64)).sum()


def log_beta_binomial(n, c, a, b):
    """Of counts in the order in which they came: every sample given those before it."""
    return rising(a, c) + rising(b, n - c) - rising(a + b, n)


def log_b_at(u, a, k):
    """log b at which Beta(a, b) has -log pass@k = e^u; fail@k is the product of (b + j)/(a + b + j)
    over j < k.
    """
    j = np.arange(k, dtype=np.float64)

    def gap(t):
        log_fail = np.log1p(-a / (a + np.exp(t) + j)).sum()
        return np.log(-np.expm1(log_fail)) + np.exp(u)

    return brentq(gap, -25.0, 150.0, xtol=1e-12)


def value(u, counts, k, points):
    """log of the mean over log a of the likelihood of all problems, by Gauss and Legendre."""
    at, weights = np.polynomial.legendre.leggauss(points)
    low, high = log(LEAST_SHAPE), log(MOST_SHAPE)
    shapes = np.exp(low + (high - low) * (at + 1.0) / 2.0)
    pairs = [(n, c) for n, c in zip(*counts, strict=True)]
    found = []
    for a in shapes:
        b = exp(log_b_at(u, a, k))
        found.append(sum(log_beta_binomial(n, c, a, b) for n, c in pairs))
    return max(found) + log(weights @ np.exp(np.array(found) - max(found)) / 2.0)


@pytest.fixture(scope="module")
def surface():
    return Surface.of(list(MODELS.values()))


@pytest.mark.parametrize(
    ("name", "k"),
    [
        *(
            (name, k)
            for name in ("equal n", "few correct", "unequal n", "no success")
            for k in (1, 10, 2000)
        ),
        ("many samples", 10),
    ],
)
def test_against_plain_products(surface, name, k) -> None:
    index = list(MODELS).index(name)
    evidence = surface.at(k)
    nodes, found = evidence.nodes[index], evidence.log_likelihood[index]
    kept = np.flatnonzero((found > -12.0) & (nodes < 4.0))
    low, middle, high = kept[[0, len(kept) // 2, -1]]
    points = 60 if name == "many samples" else 150
    expected = {j: value(nodes[j], MODELS[name], k, points) for j in (low, middle, high)}
    for j in (low, high):
        assert found[j] - found[middle] == pytest.approx(
            expected[j] - expected[middle], rel=6e-3, abs=5e-3
        ), (j, nodes[j])


def test_evidence_of_a_model_depends_on_no_other(surface) -> None:
    chosen = [1, 3]
    some = surface.at(10).some(chosen)
    alone = Surface.of([list(MODELS.values())[g] for g in chosen]).at(10)
    assert some.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-9)
    assert some.flat.tolist() == alone.flat.tolist()


def test_without_a_success_it_is_flat_towards_zero(surface) -> None:
    evidence = surface.at(10)
    index = list(MODELS).index("no success")
    nodes, found = evidence.nodes[index], evidence.log_likelihood[index]
    assert (np.diff(found) > -1e-6).all()
    assert found[-1] > -1e-6
    assert found[0] < -10.0
    assert evidence.flat.tolist() == [name == "no success" for name in MODELS]
    samples = np.sum(MODELS["no success"][0])
    limit = np.log(np.log(samples / 1e-5))  # there and beyond less than 1e-5 successes are expected
    assert nodes[-1] < limit + 0.5


@pytest.mark.parametrize("k", [1, 10, 1000])
def test_without_a_failure_it_is_flat_towards_one(k) -> None:
    evidence = Surface.of([([100, 50, 1000], [100, 50, 1000])]).at(k)
    (found,) = evidence.log_likelihood
    assert np.isfinite(found).all()
    assert (np.diff(found) < 1e-6).all()
    assert found[0] > -1e-6
    assert evidence.nodes[0, 0] < -13.0


def of_many(problems, samples, seed=5):
    """Ten models with rates of Beta(0.5, 2)."""
    random = np.random.default_rng(seed)
    n = np.full(problems, samples)
    return [(n, random.binomial(n, random.beta(0.5, 2.0, size=problems))) for _ in range(10)]


def over_all(n, c, k):
    """Mean and deviation of u from a dense grid of log a and log b about (0.5, 2), flat in log a
    and u.
    """
    log_a, log_b = log(0.5) + np.linspace(-1.0, 1.0, 201), log(2.0) + np.linspace(-1.5, 1.5, 201)
    a, b = np.exp(log_a)[:, None], np.exp(log_b)
    u = np.log(
        -np.log(-np.expm1(gammaln(a + b) + gammaln(b + k) - gammaln(b) - gammaln(a + b + k)))
    )
    found = -len(n) * betaln(a, b)
    for correct, times in zip(*np.unique(c, return_counts=True), strict=True):
        found = found + times * betaln(a + correct, b + n[0] - correct)
    share = np.exp(found - found.max()) * np.abs(np.gradient(u, log_b, axis=1))
    share /= share.sum()
    mean = (share * u).sum()
    return mean, np.sqrt((share * (u - mean) ** 2).sum())


@pytest.mark.parametrize(("problems", "k"), [(100, 10), (100, 1000), (2000, 10), (2000, 1000)])
def test_moments_against_a_dense_grid(problems, k) -> None:
    models = of_many(problems, 200)[1:3]
    mean, deviation = Surface.of(models).at(k).moments()
    expected, spread = np.transpose([over_all(n, c, k) for n, c in models])
    assert (mean - expected) / spread == pytest.approx(np.zeros(2), abs=0.05)
    assert deviation == pytest.approx(spread, rel=0.05)


# -- when sampling stops ---------------------------------------------------------------------------


def stopped(first: int, most: int) -> dict[tuple[int, int], list[tuple[int, ...]]]:
    """Every sequence of samples under a rule: stop at the second success, or after `first` failures
    without one, or at `most`.
    """
    found: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for size in range(1, most + 1):
        for sequence in product((0, 1), repeat=size):
            ends = (
                i
                for i in range(1, size + 1)
                if sum(sequence[:i]) == 2 or (i == first and not any(sequence[:i])) or i == most
            )
            if next(ends, None) == size:
                found.setdefault((size, sum(sequence)), []).append(sequence)
    return found


def chance(sequence: tuple[int, ...], a: Fraction, b: Fraction) -> Fraction:
    """Of a sequence, from the chance of each sample given those before it (Polya's urn)."""
    total = Fraction(1)
    for i, outcome in enumerate(sequence):
        before = sum(sequence[:i])
        total *= (a + before if outcome else b + i - before) / (a + b + i)
    return total


def test_the_rule_that_stops_the_sampling_does_not_matter() -> None:
    """The chance of an outcome under a rule is the likelihood times a number without a or b."""
    outcomes = stopped(3, 6)
    surface = Surface.of([([n], [c]) for n, c in outcomes])
    for i, j in product((0, 11, 35), (150, 175, 190)):
        a, b = Fraction(float(surface.shapes[i])), Fraction(exp(float(surface.log_b[j])))
        chances = {
            pair: sum(chance(sequence, a, b) for sequence in every)
            for pair, every in outcomes.items()
        }
        assert sum(chances.values()) == 1  # the rule always stops
        for g, (pair, every) in enumerate(outcomes.items()):
            ratio = log(chances[pair]) - float(surface.values[g, i, j])
            assert ratio == pytest.approx(log(len(every)), abs=1e-10)
