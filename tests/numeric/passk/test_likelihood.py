"""Beta success rates, the likelihood of pass@k, and laws about which models scatter: against 60
digits, plain products, quadrature and another search, whatever the rule that stopped the sampling.
"""

from fractions import Fraction
from itertools import product
from math import exp, log
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq, minimize
from scipy.stats import norm

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit import fit
from isoflop.numeric.fit.models import COMPUTE
from isoflop.numeric.fit.solution import Design
from isoflop.numeric.passk.beta import beta_neg_log_pass, beta_pass, log_rising
from isoflop.numeric.passk.likelihood import LEAST_SHAPE, MOST_SHAPE, Evidence, Surface
from isoflop.numeric.passk.marginal import Marginal, fit_marginal
from isoflop.numeric.simulate.counts import grid

# -- Beta success rates ----------------------------------------------------------------------------


def test_pass_at_k_of_beta_rates_keeps_its_digits():
    random = np.random.default_rng(1)
    corners = list(product((1e-6, 1.0, 1e3), (1e-3, 1.0, 1e9), (1.0, 1.5, 1e6)))
    wide = 10 ** random.uniform((-6, -3, 0), (3, 9, 6), (300, 3))
    wide[::2, 2] = np.floor(wide[::2, 2])
    cases = np.concatenate([wide, corners])
    found, neg_log = beta_pass(*cases.T), beta_neg_log_pass(*cases.T)
    with mp.workdps(60):
        for case, passed, y in zip(cases, found, neg_log, strict=True):
            a, b, k = map(mp.mpf, case)
            fail = mp.loggamma(a + b) + mp.loggamma(b + k) - mp.loggamma(b) - mp.loggamma(a + b + k)
            truth = -mp.expm1(fail)
            assert abs(mp.mpf(passed) / truth - 1) < 1e-11, case
            expected = -mp.log(truth) if truth < 0.5 else -mp.log1p(-mp.exp(fail))
            assert y < 1e-300 or abs(mp.mpf(y) / expected - 1) < 1e-11, case
    atom = beta_neg_log_pass(2.0, 3.0, 1e12, 0.25)
    assert atom == pytest.approx(-log(0.75), rel=1e-12)


def test_log_rising():
    random = np.random.default_rng(4)
    x, m = 10 ** random.uniform(-6, 30, 300), np.floor(10 ** random.uniform(0, 6.6, 300))
    with mp.workdps(90):
        for at, by, found in zip(map(mp.mpf, x), map(mp.mpf, m), log_rising(x, m), strict=True):
            error = abs(mp.mpf(found) - (mp.loggamma(at + by) - mp.loggamma(at)))
            assert error < 1e-14 * (by * (abs(mp.log(at + by)) + 1) + abs(mp.log(at)) + 1)


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


@pytest.fixture(scope="module")
def surface():
    return Surface.of([(np.array(n), np.array(c)) for n, c in MODELS.values()])


@pytest.mark.parametrize(
    ("name", "k"),
    [
        *product(("equal n", "few correct", "unequal n", "no success"), (1, 10, 2000)),
        ("many samples", 10),
    ],
)
def test_against_plain_products(surface, name, k):
    index, evidence = list(MODELS).index(name), surface.at(k)
    nodes, found = evidence.nodes[index], evidence.log_likelihood[index]
    kept = np.flatnonzero((found > -12.0) & (nodes < 4.0))
    low, middle, high = kept[[0, len(kept) // 2, -1]]
    points = 60 if name == "many samples" else 120
    expected = {j: value(nodes[j], MODELS[name], k, points) for j in (low, middle, high)}
    for j in (low, high):
        away = found[j] - found[middle], expected[j] - expected[middle]
        assert away[0] == pytest.approx(away[1], rel=6e-3, abs=5e-3), (j, nodes[j])


@pytest.mark.parametrize("k", [1, 10, 1000])
def test_without_a_success_it_is_flat_towards_zero(surface, k):
    """And without a failure towards one; of a model it depends on no other."""
    evidence = surface.at(k)
    assert evidence.flat.tolist() == [name == "no success" for name in MODELS]
    none, every = evidence.log_likelihood[-2:]
    assert (np.diff(none) > -1e-6).all()
    assert none[0] < -10.0
    assert (np.diff(every) < 1e-6).all()
    assert evidence.nodes[-1, 0] < -13.0
    assert max(abs(none[-1]), abs(every[0])) < 1e-6
    some = evidence.some([1, 3])
    pair = MODELS["few correct"], MODELS["many samples"]
    alone = Surface.of([(np.array(n), np.array(c)) for n, c in pair])
    assert some.log_likelihood == pytest.approx(alone.at(k).log_likelihood, abs=1e-9)


def stopped(first, most):
    """Every sequence of samples under a rule: stop at the second success, or after `first` failures
    without one, or at `most`.
    """
    found: dict[Any, Any] = {}
    for size in range(1, most + 1):
        for sequence in product((0, 1), repeat=size):
            past = [sequence[:i] for i in range(1, size + 1)]
            ends = (
                len(x)
                for x in past
                if sum(x) == 2 or len(x) == most or (len(x) == first and not any(x))
            )
            if next(ends, None) == size:
                found.setdefault((size, sum(sequence)), []).append(sequence)
    return found


def chance(sequence, a, b):
    """Of a sequence, from the chance of each sample given those before it (Polya's urn)."""
    total = Fraction(1)
    for i, outcome in enumerate(sequence):
        before = sum(sequence[:i])
        total *= (a + before if outcome else b + i - before) / (a + b + i)
    return total


def test_the_rule_that_stops_the_sampling_does_not_matter():
    """The chance of an outcome under a rule is the likelihood times a number without a or b."""
    outcomes = stopped(3, 6)
    surface = Surface.of([(np.array([n]), np.array([c])) for n, c in outcomes])
    for i, j in product((0, 11, 35), (150, 190)):
        a, b = Fraction(float(surface.shapes[i])), Fraction(exp(float(surface.log_b[j])))
        chances = [sum(chance(one, a, b) for one in every) for every in outcomes.values()]
        assert sum(chances) == 1  # the rule always stops
        for total, every, own in zip(
            chances, outcomes.values(), surface.values[:, i, j], strict=True
        ):
            assert log(total) - own == pytest.approx(log(len(every)), abs=1e-10)


# -- models about a law ----------------------------------------------------------------------------


def evidence_of(log_likelihood, low, high, *, flat=False):
    """A model a row: nodes between `low` and `high`, and what a function says there."""
    nodes = np.linspace(low, high, 49).T
    values = log_likelihood(nodes)
    log_weights = values - values.max(axis=1, keepdims=True)
    log_weights += np.log(nodes[:, 1] - nodes[:, 0])[:, None]
    return Evidence(10, nodes, log_weights, np.full(len(nodes), flat))


def normal(centre, deviation):
    """Counts that tell u with a normal error."""
    ends = centre - 6.0 * deviation, centre + 6.0 * deviation
    return evidence_of(lambda u: -0.5 * ((u - centre[:, None]) / deviation[:, None]) ** 2, *ends)


#: No success: nothing is known above u = 1, but that all of it is as likely.
ONE_SIDED = evidence_of(
    lambda u: -np.exp(-4.0 * (u - 1.0)), np.array([0.28]), np.array([3.7]), flat=True
)


@pytest.mark.parametrize("mu", [-0.1, 0.6, 3.0, 3.6, 5.0, 30.0])
@pytest.mark.parametrize("tau", [0.2, 0.8])
def test_the_integral_against_quadrature(mu, tau):
    """Of exp(l) times a normal, over all u from where l is negligible; far above the last node that
    is the flat part alone.
    """
    low, half = ONE_SIDED.nodes[0, 0], 0.5 * float(ONE_SIDED.spacing[0])

    def moment(power):
        def inside(u):
            return (mu - u) ** power * np.exp(-np.exp(-4.0 * (u - 1.0))) * norm.pdf(u, mu, tau)

        return quad(
            inside, low - half, max(mu, 5.0) + 12.0 * tau, limit=400, points=[max(mu, low)]
        )[0]

    total, first, second = map(moment, (0, 1, 2))
    rho, slope, curve = (x.item() for x in Marginal(ONE_SIDED, tau).measure(np.array([[mu]])))
    mean = first / total
    assert rho == pytest.approx(-np.log(total), abs=2e-3)
    assert slope == pytest.approx(mean / tau**2, abs=2e-3 / tau)
    variance = second / total - mean**2
    assert curve == pytest.approx((1.0 - variance / tau**2) / tau**2, abs=4e-3 / tau**2)


@pytest.mark.parametrize("tau", [0.05, 0.3, 1.0])
def test_derivatives_against_differences(tau):
    known = normal(np.array([0.3, -2.0]), np.array([0.2, 0.01]))
    parts = [(getattr(known, x), getattr(ONE_SIDED, x)) for x in ("nodes", "log_weights", "flat")]
    measure, h = Marginal(Evidence(10, *map(np.concatenate, parts)), tau), 1e-5
    for shift in (-0.4, 0.0, 0.7, 4.5, 40.0):
        mu = np.array([[0.3, -2.0, 0.5]]) + shift
        here, above, below = (measure.measure(mu + step) for step in (0.0, h, -h))
        for order in (0, 1):
            slope = (above[order] - below[order]) / (2 * h)
            assert here[order + 1] == pytest.approx(slope, rel=1e-5, abs=1e-5)


BUDGETS = np.geomspace(1e17, 1e22, 30)


def design_of(y):
    empty: Any = {"params": None, "tokens": None}
    row = np.arange(1, len(y) + 1)
    return Design.of(COMPUTE, Runs(**empty, compute=BUDGETS, loss=y, row=row, source="test"))


def simulated(random, tau, errors):
    """u of models about a law, seen with errors; evidence, design, and where the law is."""
    law = np.log(0.2 + 2.8 * (BUDGETS / 1e17) ** -0.25)
    seen = law + tau * random.standard_normal(30) + errors * random.standard_normal(30)
    return design_of(np.exp(seen)), normal(seen, errors), seen


def start(design):
    height = 2.8 * (np.exp(design.centres[0]) / 1e17) ** -0.25
    return np.array([[0.2, np.log(height), 0.25]])


def test_sharp_counts_are_least_squares():
    """The law is that of least squares of the log, tau^2 the sum of squares over n - p."""
    design, evidence, seen = simulated(np.random.default_rng(8), 0.1, np.full(30, 1e-4))
    found = fit_marginal(design, evidence, start(design))
    table = {"compute": BUDGETS, "loss": np.exp(seen)}
    reference = fit(table, model="compute", objective="least-squares-log")
    assert found.done.all()
    assert design.coefficients(found.theta)[0] == pytest.approx(reference.solution.values, rel=1e-4)
    assert found.tau[0] ** 2 == pytest.approx(reference.objective_value / 27, rel=1e-3)


def test_the_scatter_is_nearly_unbiased():
    """tau^2 of many simulated fits: three coefficients of thirty models would lose 10 % without the
    degrees of freedom.
    """
    random, tau, squares = np.random.default_rng(9), 0.15, []
    for _ in range(120):
        design, evidence, _ = simulated(random, tau, 0.05 + 0.1 * random.random(30))
        found = fit_marginal(design, evidence, start(design))
        assert found.done.all()
        squares.append(found.tau[0] ** 2)
    error = np.std(squares) / np.sqrt(len(squares))
    assert np.mean(squares) == pytest.approx(tau**2, abs=3 * error + 0.03 * tau**2)
    assert error < 0.04 * tau**2


def direct(design, evidence, tau, weights):
    """Minus the log likelihood of (E, log T, alpha), written out."""
    width = evidence.spacing
    root = (tau**8 + (0.8 * width) ** 8) ** 0.125
    edge, flat = evidence.nodes[:, -1] + 0.5 * width, np.exp(evidence.log_likelihood[:, -1])

    def cost(theta):
        if theta[0] < 0.0 or not 1e-3 <= theta[2] <= 10.0:
            return 1e6
        z = theta[1] - theta[2] * (np.log(BUDGETS) - design.centres[0])
        mu = np.log(theta[0] + np.exp(z))
        density = norm.pdf(evidence.nodes, mu[:, None], root[:, None])
        inside = (np.exp(evidence.log_weights) * density).sum(axis=1)
        beyond = np.where(evidence.flat, norm.cdf((mu - edge) / root) * flat, 0.0)
        return -float(weights @ np.log(inside + beyond + 1e-300))

    return cost


def test_the_optimum_against_another_search(drawn):
    """Counts of a simulation, some models without a success: Nelder and Mead's method from two
    places, of all models and of a resample.
    """
    some = grid((1e8,), tuple(BUDGETS / 6e8))
    how = {"sampled": {"problems": 24, "samples": 16}, "C0": 5.0 * 1e17**0.25}
    counts = drawn("compute", seed=4, of=some, **how)
    evidence = Surface.of([counts.per_group(g) for g in range(30)]).at(10)
    design, random = design_of(np.exp(evidence.most_likely)), np.random.default_rng(3)
    weights = np.stack([np.ones(30), random.multinomial(30, np.full(30, 1 / 30)).astype(float)])
    found = fit_marginal(design, evidence, np.repeat(start(design), 2, axis=0), weights)
    assert found.done.all()
    how = {"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000}
    for index in range(2):
        cost = direct(design, evidence, found.tau[index], weights[index])
        starts = [0.1, 0.0, 0.3], [0.5, 0.5, 0.2]
        best = min(minimize(cost, x, method="Nelder-Mead", options=how).fun for x in starts)
        assert found.value[index] == pytest.approx(best, abs=1e-6)
        assert cost(found.theta[index]) == pytest.approx(best, abs=1e-6)
