"""The likelihood of a law about which models scatter: against quadrature, differences, linear
models and other optimisers.
"""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import norm

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit.models import COMPUTE, Design
from isoflop.numeric.passk.likelihood import Evidence, Surface
from isoflop.numeric.passk.marginal import Marginal, fit_marginal

NODES = 49  # odd: one at the centre


def evidence_of(log_likelihood, low, high, *, flat=False):
    """A model a row: nodes between `low` and `high`, and what a function says there; `flat`: it
    goes on as at the last node.
    """
    nodes = np.linspace(low, high, NODES).T
    values = log_likelihood(nodes)
    log_weights = (
        values - values.max(axis=1, keepdims=True) + np.log(nodes[:, 1] - nodes[:, 0])[:, None]
    )
    return Evidence(10, nodes, log_weights, np.full(len(nodes), flat))


def normal(centre, deviation):
    """Counts that tell u with a normal error."""
    centre, deviation = (
        np.atleast_1d(centre),
        np.broadcast_to(deviation, np.shape(np.atleast_1d(centre))),
    )
    return evidence_of(
        lambda u: -0.5 * ((u - centre[:, None]) / deviation[:, None]) ** 2,
        centre - 6.0 * deviation,
        centre + 6.0 * deviation,
    )


@pytest.fixture(scope="module")
def one_sided():
    """No success: nothing is known above u = 1, but that all of it is as likely."""
    return evidence_of(
        lambda u: -np.exp(-4.0 * (u - 1.0)), np.array([0.28]), np.array([3.7]), flat=True
    )


def runs(compute, y):
    empty = None
    return Runs(
        params=empty,
        tokens=empty,
        compute=compute,
        loss=y,
        row=np.arange(1, len(y) + 1),
        source="test",
        n_rows=len(y),
    )


def design_of(compute, y):
    return Design.of(COMPUTE, runs(compute, y))


# -- the integral ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [-0.1, 0.6, 1.4, 3.0, 3.6, 5.0, 30.0])
@pytest.mark.parametrize("tau", [0.2, 0.8])
def test_against_quadrature(one_sided, mu, tau) -> None:
    """Of exp(l) times a normal, over all u from where l is negligible; far above the last node that
    is the flat part alone.
    """
    measure = Marginal(one_sided, tau)
    variance = tau**2
    low, half = one_sided.nodes[0, 0], 0.5 * float(one_sided.spacing[0])

    def moment(power):
        def inside(u):
            return (mu - u) ** power * np.exp(
                -np.exp(-4.0 * (u - 1.0)) - 0.5 * (mu - u) ** 2 / variance
            )

        high = max(mu, 5.0) + 12.0 * tau
        return quad(inside, low - half, high, limit=400, points=[max(mu, low)])[0] / np.sqrt(
            2 * np.pi * variance
        )

    total, first, second = (moment(power) for power in (0, 1, 2))
    rho, slope, curvature = (float(part[0, 0]) for part in measure.measure(np.array([[mu]])))
    mean = first / total
    assert rho == pytest.approx(-np.log(total), abs=2e-3)
    assert slope == pytest.approx(mean / variance, abs=2e-3 / tau)
    assert curvature == pytest.approx(
        (1.0 - (second / total - mean**2) / variance) / variance, abs=4e-3 / tau**2
    )


@pytest.mark.parametrize("tau", [0.05, 0.3, 1.0])
def test_derivatives_against_differences(one_sided, tau) -> None:
    both = [normal([0.3, -2.0], [0.2, 0.01]), one_sided]
    nodes, log_weights, flat = (
        np.concatenate([getattr(e, name) for e in both])
        for name in ("nodes", "log_weights", "flat")
    )
    evidence = Evidence(10, nodes, log_weights, flat)
    measure, h = Marginal(evidence, tau), 1e-5
    for shift in (-0.4, 0.0, 0.7, 4.5, 40.0):
        mu = np.array([[0.3, -2.0, 0.5]]) + shift
        _, slope, curvature = measure.measure(mu)
        (above, slope_above, _), (below, slope_below, _) = (
            measure.measure(mu + h),
            measure.measure(mu - h),
        )
        assert slope == pytest.approx((above - below) / (2 * h), rel=1e-5, abs=1e-5)
        assert curvature == pytest.approx((slope_above - slope_below) / (2 * h), rel=1e-5, abs=1e-5)


# -- fits ------------------------------------------------------------------------------------------

COMPUTE_GRID = np.geomspace(1e17, 1e22, 30)


def law(compute):
    return 0.2 + 2.8 * (compute / 1e17) ** -0.25


def simulated(random, tau, errors):
    """u of models about the law, seen with errors, as evidence and design."""
    seen = (
        np.log(law(COMPUTE_GRID))
        + tau * random.standard_normal(30)
        + errors * random.standard_normal(30)
    )
    return design_of(COMPUTE_GRID, np.exp(seen)), normal(seen, errors), seen


def start(design):
    theta = np.array([0.2, np.log(law(np.exp(design.centres[0])) - 0.2), 0.25])
    return theta[None]


def test_sharp_counts_are_least_squares() -> None:
    """The law is that of least squares of the log, tau^2 the sum of squares over n - p."""
    from isoflop.numeric.fit.fit import fit

    random = np.random.default_rng(8)
    design, evidence, seen = simulated(random, 0.1, np.full(30, 1e-4))
    found = fit_marginal(design, evidence, start(design))
    assert found.done.all()
    reference = fit(
        runs(COMPUTE_GRID, np.exp(seen)), model="compute", objective="least-squares-log"
    )
    assert dict(
        zip(("E", "C0", "alpha"), design.coefficients(found.theta)[0], strict=True)
    ) == pytest.approx(dict(reference.coefficients), rel=1e-4)
    assert found.tau[0] ** 2 == pytest.approx(reference.objective_value / 27, rel=1e-3)


def test_the_scatter_is_nearly_unbiased() -> None:
    """tau^2 of many simulated fits: three coefficients of thirty models would lose 10 % without the
    degrees of freedom.
    """
    random, tau = np.random.default_rng(9), 0.15
    squares = []
    for _ in range(120):
        design, evidence, _ = simulated(random, tau, 0.05 + 0.1 * random.random(30))
        found = fit_marginal(design, evidence, start(design))
        assert found.done.all()
        squares.append(found.tau[0] ** 2)
    error = np.std(squares) / np.sqrt(len(squares))
    assert np.mean(squares) == pytest.approx(tau**2, abs=3 * error + 0.03 * tau**2)
    assert error < 0.04 * tau**2


def direct(design, evidence, tau, weights):
    """Minus the log likelihood of (E, log C0, alpha), written out."""
    log_c = np.log(COMPUTE_GRID)
    width = np.diff(evidence.nodes[:, :2]).ravel()
    variance = ((tau**8 + (0.8 * width) ** 8) ** 0.25)[:, None]

    def value(theta):
        floor, log_scale, exponent = theta
        if floor < 0.0 or not 1e-3 <= exponent <= 10.0:
            return 1e6
        mu = np.log(floor + np.exp(log_scale - exponent * (log_c - log_c.mean())))
        density = np.exp(-0.5 * (mu[:, None] - evidence.nodes) ** 2 / variance) / np.sqrt(
            2 * np.pi * variance
        )
        edge = evidence.nodes[:, -1] + 0.5 * width
        beyond = np.where(
            evidence.flat,
            norm.cdf((mu - edge) / np.sqrt(variance[:, 0]))
            * np.exp(evidence.log_likelihood[:, -1]),
            0.0,
        )
        return -float(
            weights @ np.log((np.exp(evidence.log_weights) * density).sum(axis=1) + beyond + 1e-300)
        )

    return value


def test_the_optimum_against_another_search(drawn) -> None:
    """Counts of a simulation, some models without a success: Nelder and Mead's method from several
    places.
    """
    from isoflop.numeric.simulate.counts import Fixed, grid

    some = grid((1e8,), tuple(COMPUTE_GRID / 6e8))
    counts = drawn(
        "compute", seed=4, of=some, problems=24, sampling=Fixed(16), C0=5.0 * 1e17**0.25
    ).counts()
    evidence = Surface.of([counts.per_group(g) for g in range(len(counts))]).at(10)
    design = design_of(COMPUTE_GRID, np.exp(evidence.most_likely))
    random = np.random.default_rng(3)
    weights = np.stack([np.ones(30), random.multinomial(30, np.full(30, 1 / 30)).astype(float)])
    found = fit_marginal(design, evidence, np.repeat(start(design), 2, axis=0), weights)
    assert found.done.all()
    for index in range(2):
        value = direct(design, evidence, found.tau[index], weights[index])
        ends = [
            minimize(
                value,
                x,
                method="Nelder-Mead",
                options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000},
            )
            for x in ([0.1, 0.0, 0.3], [0.5, 0.5, 0.2])
        ]
        best = min(ends, key=lambda end: end.fun)
        assert found.value[index] == pytest.approx(best.fun, abs=1e-6)
        assert value(found.theta[index]) == pytest.approx(best.fun, abs=1e-6)
