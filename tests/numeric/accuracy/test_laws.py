"""The laws by name: the closest laws by other routes, refits as fits of the resample, limits, what
runs leave open, and refusals.
"""

from dataclasses import replace

import numpy as np
import pytest
import sympy
from scipy import optimize

from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.accuracy.law import fit_law, resampled
from isoflop.numeric.accuracy.laws import BILINEAR, LAWS, crossing_of
from isoflop.numeric.data.sample import Points

GUESS, DELTA = 0.25, 1e-3
#: Typed out, so that they do not come from what is tested.
TRUTHS = {
    "compute": ("C0", "alpha", 40.0, 0.085),
    "compute-ceiling": ("E", "C0", "alpha", 0.12, 900.0, 0.16),
    "params-tokens": ("A", "B", "beta", "gamma", 60.0, 400.0, 0.27, 0.3),
    "params-tokens-ceiling": ("E", "A", "B", "beta", "gamma", 0.1, 60.0, 400.0, 0.27, 0.3),
}
#: log A, a, b, d: of the size of those of Krajewski et al. 2025, Section 3.4.
PLANE = np.array([6.0, -0.13, 0.9, -0.024])
KS = (1.0, 4.0, 16.0, 64.0)


def truth(name):
    row = TRUTHS[name]
    return np.array(row[len(row) // 2 :], dtype=float)


def columns(name, at):
    """The x of every term of the sum a x^-b."""
    return [at.params, at.tokens] if name.startswith("params") else [at.compute]


def neg_logs(name, theta, at):
    """E + sum a x^-b with E, prefactors and exponents in this order."""
    x = columns(name, at)
    E, rest = (theta[0], theta[1:]) if name.endswith("ceiling") else (0.0, theta)
    return E + sum(rest[i] * x[i] ** -rest[len(x) + i] for i in range(len(x)))


def sample(name, *, noise=0.02, n=24, spread=1.6, outlier=True):
    """Runs of the truth over so many decades of D/N with noise of log(-log Q') and one far outlier,
    which Huber's function should not follow.
    """
    random = np.random.default_rng(0)
    params = 10 ** random.uniform(8, 10, n)
    tokens = params * 10 ** (0.7 + random.uniform(0.0, spread, n))
    at = Points(params=params, tokens=tokens, compute=6.0 * params * tokens, index=np.arange(n))
    residual = noise * random.standard_normal(n)
    residual[3] += 0.5 * bool(outlier and noise)
    accuracy = GUESS + (1.0 - GUESS) * np.exp(-neg_logs(name, truth(name), at) * np.exp(residual))
    return replace(at, benchmark="arc", accuracy=accuracy, baseline=GUESS)


def pairs(noise=0.02, baseline=0.0, n=9):
    """Pairs of run and k on the plane of log(-log Q)."""
    grid = np.meshgrid(np.geomspace(1e19, 1e22, n), KS, indexing="ij")
    compute, k = (each.ravel() for each in grid)
    log_y = design(compute, k) @ PLANE + noise * np.random.default_rng(0).standard_normal(len(k))
    return Points(
        benchmark="lbpp",
        accuracy=baseline + (1.0 - baseline) * np.exp(-np.exp(log_y)),
        baseline=baseline,
        compute=compute,
        k=k,
        index=np.repeat(np.arange(n), len(KS)),
    )


def design(compute, k):
    log_c, log_k = np.log(compute), np.log(k)
    return np.column_stack([np.ones_like(log_c), log_c, log_k, log_c * log_k])


def observed(part):
    """log(-log Q')."""
    return np.log(-np.log((part.accuracy - part.baseline) / (1.0 - part.baseline)))


# -- the closest law ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["compute-ceiling", "params-tokens-ceiling"])
def test_equations_4_and_10_are_the_least_of_a_search_from_many_starts(name):
    part = sample(name, n=40)
    found, x = fit_law(part, LAWS[name]), np.log(np.stack(columns(name, part)))
    centre, seen, n = x.mean(axis=1, keepdims=True), observed(part), len(x)

    def huber(residual):
        size = np.abs(residual)
        return np.where(size <= DELTA, 0.5 * size**2, DELTA * (size - 0.5 * DELTA)).sum()

    def law(theta):
        log_E = np.full(len(seen), theta[2 * n])
        terms = theta[:n, None] - theta[n : 2 * n, None] * (x - centre)
        return np.logaddexp.reduce([log_E, *terms])

    random, best = np.random.default_rng(1), np.inf
    box = [-20.0] * n + [0.0] * n + [-20.0], [5.0] * n + [3.0] * n + [2.0]
    for _ in range(6):
        start = np.concatenate([random.uniform(-4, 0.5, n), random.uniform(0.02, 0.7, n), [-2.0]])
        options = {"loss": "huber", "f_scale": DELTA, "x_scale": "jac", "bounds": box}
        end = optimize.least_squares(lambda theta: law(theta) - seen, start, **options)
        best = min(best, huber(end.fun))
    own = huber(np.log(neg_logs(name, found.values, part)) - seen)
    assert found.converged
    assert found.objective_value == pytest.approx(own, rel=1e-9)
    assert best * (1.0 - 1e-3) <= own <= best * (1.0 + 1e-9)


@pytest.mark.parametrize("name", TRUTHS)
def test_exact_runs_give_the_truth(name):
    found = fit_law(sample(name, noise=0.0), LAWS[name])
    assert LAWS[name].coefficients == TRUTHS[name][: len(found.values)]
    assert (found.converged, found.undetermined, found.remarks) == (True, (), ())
    assert found.values == pytest.approx(truth(name), rel=1e-5)


def test_log_linear_laws_are_least_squares():
    """Equation 2, and equation 5 against its normal equations in exact rationals."""
    part = sample("compute")
    line = np.column_stack([np.ones(len(part)), -np.log(part.compute)])
    (intercept, slope), squares, *_ = np.linalg.lstsq(line, observed(part), rcond=None)
    found = fit_law(part, LAWS["compute"])
    assert found.values == pytest.approx([np.exp(intercept), slope], rel=1e-8)
    assert found.objective_value == pytest.approx(float(squares[0]), rel=1e-8)
    part = pairs(noise=0.1)
    columns = [np.log(part.compute), np.log(part.k), np.log(-np.log(part.accuracy))]
    x, z, v = ([sympy.Rational(float(t)) for t in column] for column in columns)
    rows = sympy.Matrix([[1, a, b, a * b] for a, b in zip(x, z, strict=True)])
    exact = (rows.T * rows).LUsolve(rows.T * sympy.Matrix(v))
    plane = [*fit_law(part, BILINEAR).coefficients.values()]
    assert plane == pytest.approx([float(t) for t in exact], rel=1e-9)


# -- refits, predictions and intervals ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["compute", "params-tokens-ceiling", "bilinear"])
def test_a_refit_is_the_fit_of_the_resample(name):
    """With the accuracy of guessing redrawn for laws that have one."""
    part = pairs(baseline=0.02) if name == "bilinear" else sample(name, n=40, outlier=False)
    law, n, random = LAWS[name], len(part), np.random.default_rng(3)
    weights = random.multinomial(n, np.full(n, 1.0 / n), size=2).astype(float)
    baselines = part.baseline + np.array([-0.01, 0.005])
    again = fit_law(part, law).refit(weights=weights, baselines=baselines)
    assert again.converged.all()
    for row, weight in enumerate(weights):
        drawn = part.subset(np.repeat(np.arange(n), weight.astype(int)))
        fresh = fit_law(replace(drawn, baseline=float(baselines[row])), law)
        laws = np.log(law.values(np.stack([again.rows[row], fresh.values]), part))
        assert np.abs(laws[0] - laws[1]).max() < 1e-4


def test_the_crossing_of_all_k():
    """At exp(-b/d), with the percentiles of the refits; none of another law."""
    fit = resampled(fit_law(pairs(), BILINEAR), Baseline(0.0), 60, 0)
    crossing = crossing_of(fit, 0.8)
    assert crossing is not None
    ends = np.quantile(np.exp(-fit.refitted[:, 2] / fit.refitted[:, 3]), [0.1, 0.9])
    assert [crossing.low, crossing.high] == pytest.approx(ends.tolist(), rel=1e-9)
    exact = crossing_of(fit_law(pairs(noise=0.0), BILINEAR), 0.9)
    assert exact is not None
    assert exact.value == pytest.approx(np.exp(0.9 / 0.024), rel=1e-6)
    part = pairs()
    assert crossing_of(fit_law(part.subset(part.k == 1.0), LAWS["compute"]), 0.9) is None


def test_a_slope_in_k_of_either_sign_has_no_crossing():
    whole = pairs(noise=0.0, n=12)
    log_y = 1.0 - 0.03 * np.log(whole.compute) - 0.2 * np.log(whole.k)
    log_y += 0.05 * np.random.default_rng(1).standard_normal(12)[whole.index] * np.log(whole.k)
    part = replace(whole, accuracy=np.exp(-np.exp(log_y)))
    fit = resampled(fit_law(part, replace(BILINEAR, margin=0.0)), Baseline(0.0), 60, 0)
    crossing, slopes = crossing_of(fit, 0.9), np.quantile(fit.refitted[:, 3], [0.05, 0.95])
    assert slopes[0] < 0.0 < slopes[1]
    assert crossing is not None
    assert (crossing.undetermined, crossing.low) == (True, None)


def test_the_upper_limit_of_a_ceiling_that_is_none():
    """Where E is 0 its limit is that of the profile of squares, here by a search over E."""
    compute, z = np.geomspace(1e18, 1e23, 40), np.random.default_rng(1).standard_normal(40)
    bend = -5e-4 * np.log(compute / 3e20) ** 2
    y, x = 900.0 * compute**-0.16 * np.exp(bend + 0.02 * z), np.log(compute)
    data = Points(benchmark="arc", accuracy=np.exp(-y), baseline=0.0, compute=compute)
    fit = fit_law(data, LAWS["compute-ceiling"])
    assert fit.coefficients["E"] == 0.0

    def squares(E: float) -> float:
        def off(p):
            return np.log(E + np.exp(p[0] - p[1] * (x - x.mean()))) - np.log(y)

        return float(min(optimize.least_squares(off, (-1.0, p)).cost for p in (0.1, 0.2)))

    best = optimize.minimize_scalar(squares, bounds=(0.0, 0.2), method="bounded").fun
    limit = optimize.brentq(
        lambda E: 40 * np.log(squares(E) / min(best, squares(0.0))) - 2.705543454, 1e-4, 0.2
    )
    drawn = resampled(fit, Baseline(0.0), 20, 0).estimates(0.9)["E"]
    assert (drawn.low, drawn.at_most) == (0.0, True)
    assert drawn.high == pytest.approx(limit, rel=1e-4)


# -- what runs leave open, and refusals ----------------------------------------------------------------


def test_one_ratio_leaves_both_terms_open():
    found = fit_law(sample("params-tokens", spread=0.05, outlier=False), LAWS["params-tokens"])
    assert found.undetermined == ("A", "B", "beta", "gamma")
    assert "within a factor 1.15 of one D/N" in found.remarks[-1]


def of_proxies(*proxies):
    compute, Q = np.geomspace(1e18, 1e20, len(proxies)), np.linspace(0.35, 0.6, len(proxies))
    return Points(benchmark="arc", accuracy=Q, baseline=GUESS, compute=compute, proxy=proxies)


def of_compute(compute, accuracy):
    return Points(benchmark="made-up", accuracy=accuracy, baseline=0.0, compute=compute)


FIVE = np.geomspace(1e18, 1e23, 5), np.linspace(0.3, 0.7, 5)


@pytest.mark.parametrize(
    ("law", "part", "message"),
    [
        ("params-tokens", sample("params-tokens").subset(slice(3)), "arc: 3 runs above guessing; "),
        ("bilinear", pairs().subset(slice(3)), "lbpp: compute='3 points': .* enough for four"),
        ("bilinear", pairs().subset(slice(4)), "enough for four coefficients"),
        ("bilinear", replace(pairs(), k=None), "k: is not known"),
        ("two-stage-linear", sample("compute"), "proxy: is not known"),
        (
            "two-stage-linear",
            of_proxies(3.0, 2.5),
            "takes 2 values at 2 runs; must take at least 3",
        ),
        ("two-stage-logistic", of_proxies(3.0, 2.9, 2.9, 2.8), "3 values at 4 runs; .* at least 4"),
        ("two-stage-linear", of_proxies(3.0, 3.0, 3.0, 3.0), "must be a loss|takes 1 value"),
        ("two-stage-linear", of_proxies(0.3, 0.4, 0.5, 0.6), "must be a loss"),
        ("two-stage-linear", of_proxies(0.5, 0.2, -0.1, -0.2), "must be a loss"),
        ("bnsl", of_compute(*FIVE), "made-up: runs at 5 values of com"),
        ("bnsl", of_compute(*(np.repeat(x, 4) for x in FIVE)), "at least 6 for"),
        (
            "bnsl",
            of_compute(np.geomspace(1e18, 1e23, 20), np.full(20, 0.5)),
            "accuracy 0.5 at ever",
        ),
    ],
)
def test_runs_that_cannot_be_fitted(law, part, message):
    with pytest.raises(ValueError, match=message):
        fit_law(part, LAWS[law])
