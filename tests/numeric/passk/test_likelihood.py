"""Beta success rates, the likelihood of pass@k, and laws about which models scatter: against 60
digits, plain products, quadrature and another search, whatever the rule that stopped the sampling.
"""

from itertools import product
from math import exp, log
from types import SimpleNamespace
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from isoflop.numeric.fit.power import COMPUTE
from isoflop.numeric.passk.likelihood import (
    LEAST_SHAPE,
    MOST_SHAPE,
    Evidence,
    Marginal,
    Surface,
    beta_neg_log_pass,
    fit_marginal,
)

#: Of the fit layer.
Rows: Any = SimpleNamespace

# -- Beta success rates ----------------------------------------------------------------------------


def test_beta_rates_keep_their_digits():
    random = np.random.default_rng(1)
    corners = list(product((1e-6, 1.0, 1e3), (1e-3, 1.0, 1e9), (1.0, 1.5, 1e6)))
    wide = 10 ** random.uniform((-6, -3, 0), (3, 9, 6), (300, 3))
    cases = np.concatenate([wide, corners])
    with mp.workdps(60):
        for case, y in zip(cases, beta_neg_log_pass(*cases.T), strict=True):
            a, b, k = map(mp.mpf, case)
            fail = mp.loggamma(a + b) + mp.loggamma(b + k) - mp.loggamma(b) - mp.loggamma(a + b + k)
            assert y < 1e-300 or abs(mp.mpf(y) / -mp.log1p(-mp.exp(fail)) - 1) < 1e-11, case


# -- the likelihood of counts ----------------------------------------------------------------------

#: (n, c) of the problems of a model.
MODELS = {
    "equal n": ([32] * 6, [0, 1, 0, 5, 32, 0]),
    "few correct": ([128] * 5, [0, 0, 1, 0, 0]),
    "unequal n": ([1, 7, 128, 4096, 100], [1, 0, 3, 1, 99]),
    "many samples": ([10**6, 200_000], [3, 199_000]),
    "no success": ([128, 128, 1000], [0, 0, 0]),
    "no failure": ([100, 50, 1000], [100, 50, 1000]),
}
SURFACE = Surface.of([(np.array(n), np.array(c)) for n, c in MODELS.values()])


def value(u, counts, k, points):
    """log of the mean over log a of the likelihood of all problems, by Gauss and Legendre; the
    chance of counts is a product of factors, and so is fail@k.
    """
    j = np.arange(k, dtype=np.float64)
    at, weights = np.polynomial.legendre.leggauss(points)
    low, high = log(LEAST_SHAPE), log(MOST_SHAPE)

    def gap(t, a):
        return np.log(-np.expm1(np.log1p(-a / (a + np.exp(t) + j)).sum())) + np.exp(u)

    def rising(x, m):
        return np.log(x + np.arange(m, dtype=np.float64)).sum()

    found = []
    for a in np.exp(low + (high - low) * (at + 1.0) / 2.0):
        b = exp(brentq(gap, -25.0, 150.0, (a,), xtol=1e-12))
        pairs = zip(*counts, strict=True)
        found.append(sum(rising(a, c) + rising(b, n - c) - rising(a + b, n) for n, c in pairs))
    return max(found) + log(weights @ np.exp(np.array(found) - max(found)) / 2.0)


@pytest.mark.parametrize(
    ("name", "k"),
    [
        *product(("equal n", "few correct", "unequal n", "no success"), (1, 10)),
        *product(("unequal n", "no success"), (2000,)),
        pytest.param("many samples", 10, marks=pytest.mark.slow),
    ],
)
def test_against_plain_products(name, k):
    index, evidence = list(MODELS).index(name), SURFACE.at(k)
    nodes, found = evidence.nodes[index], evidence.log_likelihood[index]
    kept = np.flatnonzero((found > -12.0) & (nodes < 4.0))
    low, middle, high = kept[[0, len(kept) // 2, -1]]
    points = 60 if name == "many samples" else 120
    expected = {j: value(nodes[j], MODELS[name], k, points) for j in (low, middle, high)}
    for j in (low, high):
        away = found[j] - found[middle], expected[j] - expected[middle]
        assert away[0] == pytest.approx(away[1], rel=6e-3, abs=5e-3), (j, nodes[j])


@pytest.mark.parametrize("k", [1, 10, 1000])
def test_without_a_success_it_is_flat_towards_zero(k):
    """And without a failure towards one; of a model it depends on no other."""
    evidence = SURFACE.at(k)
    assert evidence.flat.tolist() == [name == "no success" for name in MODELS]
    none, every = evidence.log_likelihood[-2:]
    assert (np.diff(none) > -1e-6).all()
    assert (np.diff(every) < 1e-6).all()
    assert max(abs(none[-1]), abs(every[0])) < 1e-6
    pair = [(np.array(n), np.array(c)) for n, c in (MODELS["few correct"], MODELS["many samples"])]
    alone = Surface.of(pair).at(k).log_likelihood
    assert evidence.some([1, 3]).log_likelihood == pytest.approx(alone, abs=1e-9)


# -- models about a law ----------------------------------------------------------------------------

#: A model without a success: nothing is known above u = 1, but that all of it is as likely.
NODES = np.linspace(0.28, 3.7, 49)[None]
ONE_SIDED = Evidence(NODES, -np.exp(-4.0 * (NODES - 1.0)), np.array([True]))


@pytest.mark.parametrize("mu", [-0.1, 3.0, 3.6, 30.0])
@pytest.mark.parametrize("tau", [0.2, 0.8])
def test_the_integral_against_quadrature(mu, tau):
    """Of exp(l) times a normal, over all u from where l is negligible; far above the last node that
    is the flat part alone. Slopes are those of differences.
    """
    low = 0.28 - 0.5 * float(ONE_SIDED.spacing[0])
    ends = low, max(mu, 5.0) + 12.0 * tau

    def inside(u):
        return np.exp(-np.exp(-4.0 * (u - 1.0))) * norm.pdf(u, mu, tau)

    total = quad(inside, *ends, limit=400, points=[max(mu, low)])[0]
    measure, h = Marginal(ONE_SIDED, tau), 1e-5
    here, above, below = (measure.measure(np.array([[mu + step]])) for step in (0.0, h, -h))
    assert here[0].item() == pytest.approx(-np.log(total), abs=2e-3)
    for order in (0, 1):
        slope = (above[order] - below[order]) / (2 * h)
        assert here[order + 1] == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_no_law_nearby_is_more_likely(drawn):
    """Of all models, some without a success, and of a resample: the value is that of the measure,
    and other laws at the same scatter have a greater one.
    """
    counts, random = drawn(seed=4, problems=24, samples=16, C0=2e5), np.random.default_rng(3)
    evidence = Surface.of([counts.per_group(g) for g in range(30)]).at(10)
    rows = Rows(compute=counts.covariates["compute"], loss=np.exp(evidence.least_likely_pass))
    model = COMPUTE.posed(rows)
    weights = np.stack([np.ones(30), random.multinomial(30, np.full(30, 1 / 30))])
    found = fit_marginal(model, evidence, np.array([[0.2, 0.5, 0.25]] * 2), weights)
    assert evidence.flat.any()
    assert found.done.all()
    for weight, theta, tau, value in zip(weights, found.theta, found.tau, found.value, strict=True):
        steps = random.normal(size=(2000, 3)) * 10.0 ** random.uniform(-3, 0.5, (2000, 1))
        nearby = model.box.inside(theta + np.concatenate([np.zeros((1, 3)), steps]))
        measure = Marginal(evidence, tau)
        costs = measure.measure(np.log(model.evaluate(nearby)[0]))[0] @ weight
        assert costs[0] == pytest.approx(value, abs=1e-9)
        assert (costs[1:] >= value - 1e-9).all()
