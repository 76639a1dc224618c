"""The laws by name: recovered truths, the closest laws by other routes, refits as fits of the
resample, limits, what runs leave open, and refusals.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from isoflop.numeric.accuracy.law import fit_law, resampled
from isoflop.numeric.accuracy.laws import BILINEAR, LAWS, crossing_of
from isoflop.numeric.data.sample import Points

GUESS = 0.25
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
def test_equations_4_and_10_minimise_huber_s_function_of_the_logs(name):
    """Of width 1e-3: the objective is that of the residuals, and no law nearby has a smaller one."""
    part = sample(name, n=40)
    found, random = fit_law(part, LAWS[name]), np.random.default_rng(1)

    def huber(theta):
        size = np.abs(np.log(neg_logs(name, theta, part)) - observed(part))
        return np.where(size <= 1e-3, 0.5 * size**2, 1e-3 * (size - 0.5e-3)).sum()

    own, scale = found.objective_value, 10.0 ** random.uniform(-4, 0, (400, 1))
    nearby = found.values * np.exp(scale * random.normal(size=(400, len(found.values))))
    assert found.converged
    assert own == pytest.approx(huber(found.values), rel=1e-9)
    assert own <= min(huber(theta) for theta in (truth(name), *nearby)) * (1.0 + 1e-9)


@pytest.mark.parametrize("name", TRUTHS)
def test_exact_runs_give_the_truth(name):
    found = fit_law(sample(name, noise=0.0), LAWS[name])
    assert LAWS[name].coefficients == TRUTHS[name][: len(found.values)]
    assert (found.converged, found.undetermined, found.remarks) == (True, (), ())
    assert found.values == pytest.approx(truth(name), rel=1e-5)


def test_log_linear_laws_are_least_squares():
    """Equation 2, and equation 5 through distances from the means."""
    part = sample("compute")
    line = np.column_stack([np.ones(len(part)), -np.log(part.compute)])
    (intercept, slope), squares, *_ = np.linalg.lstsq(line, observed(part), rcond=None)
    found = fit_law(part, LAWS["compute"])
    assert found.values == pytest.approx([np.exp(intercept), slope], rel=1e-8)
    assert found.objective_value == pytest.approx(float(squares[0]), rel=1e-8)
    part = pairs(noise=0.1)
    x, z = (np.log(each / np.exp(np.log(each).mean())) for each in (part.compute, part.k))
    plane = design(np.exp(x), np.exp(z))
    centred = np.linalg.lstsq(plane, observed(part), rcond=None)[0]
    own = design(part.compute, part.k) @ fit_law(part, BILINEAR).values
    assert own == pytest.approx(plane @ centred, rel=1e-9)


# -- refits, predictions and intervals ---------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["compute", "params-tokens-ceiling", "bilinear", "two-stage-linear", "two-stage-logistic"],
)
def test_a_refit_is_the_fit_of_the_resample(name):
    if name == "bilinear":
        part = pairs(baseline=0.02)
    else:
        is_direct = name in TRUTHS
        part = sample(name, n=40, outlier=False) if is_direct else stages(name[10:], noise=0.01)
    law, n, random = LAWS[name], len(part), np.random.default_rng(3)
    weights = random.multinomial(n, np.full(n, 1.0 / n), size=2).astype(float)
    again = fit_law(part, law).refit(weights)
    assert again.converged.all()
    for row, weight in enumerate(weights):
        fresh = fit_law(part.subset(np.repeat(np.arange(n), weight.astype(int))), law)
        laws = np.log(law.values(np.stack([again.rows[row], fresh.values]), part))
        assert np.abs(laws[0] - laws[1]).max() < (1e-4 if law.is_neg_log else 1e-5)


def test_the_crossing_of_all_k():
    """At exp(-b/d), with the percentiles of the refits, none of another law; no ends where the slope in
    k may have either sign.
    """
    fit = resampled(fit_law(pairs(), BILINEAR), 60, 0)
    crossing: Any = crossing_of(fit, 0.8)
    exact: Any = crossing_of(fit_law(pairs(noise=0.0), BILINEAR), 0.8)
    ends = np.quantile(np.exp(-fit.refitted[:, 2] / fit.refitted[:, 3]), [0.1, 0.9])
    assert [crossing.low, crossing.high] == pytest.approx(ends.tolist(), rel=1e-9)
    assert exact.value == pytest.approx(np.exp(0.9 / 0.024), rel=1e-6)
    assert crossing_of(fit_law(sample("compute"), LAWS["compute"]), 0.9) is None
    part = pairs(noise=0.0)  # whose slopes in log k scatter about 0 from run to run
    slope = (0.02 * np.random.default_rng(1).standard_normal(9))[part.index] * np.log(part.k)
    part = replace(part, accuracy=np.exp(-np.exp(np.log(2.0 * part.compute**-0.03) + slope)))
    fit = resampled(fit_law(part, BILINEAR), 60, 0)
    crossing, slopes = crossing_of(fit, 0.9), np.quantile(fit.refitted[:, 3], [0.05, 0.95])
    assert slopes[0] < 0.0 < slopes[1]
    assert (crossing.undetermined, crossing.low) == (True, None)


def test_the_upper_limit_of_a_ceiling_that_is_none():
    """Where E is 0 its limit is that of the profile of squares, 2.7055 being the quantile of chi^2."""
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

    limit = resampled(fit, 20, 0).estimates(0.9)["E"]
    assert (limit.low, limit.at_most) == (0.0, True)
    least = min(squares(E) for E in np.linspace(0.0, 0.02, 81))
    assert 40 * np.log(squares(limit.high or 0.0) / least) == pytest.approx(2.705543454, rel=1e-3)


# -- two stages --------------------------------------------------------------------------------------

LINKS = {"linear": (1.2, -0.2), "logistic": (0.6, -3.0, 2.7, 0.25)}
BUDGET = (1.7, 1071.0, 0.1535)


def loss_at(compute):
    """The proxy, E + C0 C^-alpha."""
    return BUDGET[0] + BUDGET[1] * compute ** -BUDGET[2]


def linked(link, loss):
    """The accuracy at a proxy."""
    c = LINKS[link]
    if link == "linear":
        return c[0] + c[1] * loss
    return c[0] / (1 + np.exp(-c[1] * (loss - c[2]))) + c[3]


def stages(link, noise=0.0, n=60):
    random = np.random.default_rng(1)
    compute = 10 ** random.uniform(18.0, 22.0, n)
    Q = linked(link, loss_at(compute)) + noise * random.normal(size=n)
    proxy = loss_at(compute) * np.exp(0.5 * noise * random.normal(size=n))
    return Points(benchmark="arc", accuracy=Q, baseline=GUESS, compute=compute, proxy=proxy)


def second_stage(proxy, Q):
    """The logistic link alone: the first stage is exact."""
    compute = ((np.asarray(proxy) - 0.5) / 1071.0) ** (-1 / 0.1535)
    points = Points(benchmark="arc", accuracy=Q, baseline=GUESS, compute=compute, proxy=proxy)
    return fit_law(points, LAWS["two-stage-logistic"])


@pytest.mark.parametrize("link", LINKS)
def test_two_stages_are_recovered_and_extrapolated(link):
    law = LAWS[f"two-stage-{link}"]
    found, far = fit_law(stages(link), law), np.array([1.6e25])
    assert (found.converged, found.undetermined, found.remarks) == (True, (), ())
    np.testing.assert_allclose(found.values, (*BUDGET, *LINKS[link]), rtol=1e-6)
    predicted = found.accuracy(Points(compute=far))
    assert predicted == pytest.approx(linked(link, loss_at(far)), rel=1e-7)


def test_the_second_stage_sees_the_proxies_themselves():
    whole, law = stages("linear", noise=0.02), LAWS["two-stage-linear"]
    slope, intercept = np.polyfit(whole.proxy, whole.accuracy, 1)
    found = fit_law(whole, law)
    np.testing.assert_allclose(found.values[-2:], [intercept, slope], rtol=1e-9)
    turned = fit_law(replace(whole, proxy=-whole.proxy), law)  # a log likelihood
    assert turned.values == pytest.approx(found.values, rel=1e-12)


def test_no_other_search_finds_a_better_logistic():
    random = np.random.default_rng(1)
    x = random.uniform(1.8, 4.0, 30)
    y = linked("logistic", x) + random.normal(0, 0.1, 30)
    found = second_stage(x, y)

    def residuals(p):
        return p[0] / (1 + np.exp(np.clip(-p[1] * (x - p[2]), -700, 700))) + p[3] - y

    starts = random.uniform((0.1, -20.0, 1.5, 0.0), (1.0, 20.0, 4.5, 0.5), (15, 4))
    best = min(optimize.least_squares(residuals, x, max_nfev=400).cost for x in starts)
    assert found.converged
    # Beyond the box the sum of squares falls no more than this.
    assert found.objective_value <= 2.0 * best * (1 + 2e-3)
    own = (residuals(found.values[3:]) ** 2).sum()
    assert own == pytest.approx(found.objective_value, rel=1e-9)


@pytest.mark.parametrize(
    "bend", [lambda x: 1.2 - 0.2 * x, lambda x: 0.14 + 2.2 * np.exp(-0.71 * x)]
)
def test_a_line_and_an_exponential_leave_a_logistic_open(bend):
    x = np.linspace(2, 4, 30)
    assert {"a", "k", "L0", "b"} <= {*second_stage(x, bend(x)).undetermined}


# -- the broken law ----------------------------------------------------------------------------------

BNSL = LAWS["bnsl"]
#: a, b, c0, c1, d1, f1.
BROKEN = (0.9, -60.0, 0.105, 0.25, 3e20, 0.5)


def broken(law, compute):
    """Accuracy by its definition."""
    a, b, c0, c, d, f = law
    log_value = -c0 * np.log(compute) - c * f * np.logaddexp(0.0, np.log(compute / d) / f)
    return a + b * np.exp(log_value)


def breaking(law, compute, *, noise=0.0, seed=0):
    accuracy = broken(law, compute) + noise * np.random.default_rng(seed).normal(size=len(compute))
    return Points(benchmark="made-up", accuracy=accuracy, baseline=0.0, compute=compute)


@pytest.fixture(scope="module")
def fitted():
    """The law of 30 runs."""
    return fit_law(breaking(BROKEN, np.geomspace(1e18, 1e23, 30), noise=0.003), BNSL)


def test_the_minimum_is_no_worse_than_the_truth(fitted):
    found, sample = fitted, fitted.sample
    off = [np.abs(sample.accuracy - broken(law, sample.compute)) for law in (BROKEN, found.values)]
    truth, own = (np.where(r <= 1e-3, 0.5 * r**2, 1e-3 * (r - 0.5e-3)).sum() for r in off)
    assert found.objective_value <= truth
    assert found.objective_value == pytest.approx(own, rel=1e-9)
    assert found.converged


def test_refits(fitted):
    """With the runs as they are, and with too few."""
    again = fitted.refit(np.stack([np.ones(30), np.where(np.arange(30) < 5, 6.0, 0.0)]))
    assert again.converged.tolist() == [True, False]
    assert again.rows[0] == pytest.approx(fitted.values, rel=1e-5)


@pytest.mark.parametrize(
    ("law", "compute", "noise", "is_open"),
    [
        ((*BROKEN[:3], 0.0, *BROKEN[4:]), np.geomspace(1e18, 1e23, 30), 0.003, {"c1", "d1", "f1"}),
        (BROKEN, np.geomspace(1e18, 1e20, 30), 0.001, {"d1"}),
        ((*BROKEN[:5], 0.005), np.geomspace(1e18, 1e23, 30), 1e-4, {"f1"}),
    ],
    ids=["no break", "a break beyond the runs", "a break sharper than the runs resolve"],
)
def test_what_runs_leave_open(law, compute, noise, is_open):
    found = fit_law(breaking(law, compute, noise=noise), BNSL)
    assert is_open <= {*found.undetermined}


# -- what runs leave open, and refusals ----------------------------------------------------------------


def test_one_ratio_leaves_both_terms_open():
    found = fit_law(sample("params-tokens", spread=0.05, outlier=False), LAWS["params-tokens"])
    assert found.undetermined == ("A", "B", "beta", "gamma")
    assert "within a factor 1.15 of one D/N" in found.remarks[-1]


def of_proxies(*proxies):
    compute, Q = np.geomspace(1e18, 1e20, len(proxies)), np.linspace(0.35, 0.6, len(proxies))
    return Points(benchmark="arc", accuracy=Q, baseline=GUESS, compute=compute, proxy=proxies)


def of_compute(values, accuracy=(0.3, 0.7)):
    """20 runs at so many values of compute."""
    compute = np.repeat(np.geomspace(1e18, 1e23, values), 20 // values)
    Q = np.linspace(accuracy[0], accuracy[1], 20)
    return Points(benchmark="made-up", accuracy=Q, baseline=0.0, compute=compute)


@pytest.mark.parametrize(
    ("law", "part", "message"),
    [
        ("params-tokens", sample("params-tokens").subset(slice(3)), "arc: 3 runs above guessing; "),
        ("bilinear", pairs().subset(slice(3)), "lbpp: compute='3 points': .* enough for four"),
        ("bilinear", pairs().subset(slice(4)), "enough for four coefficients"),
        ("bilinear", replace(pairs(), k=None), "k: is not known"),
        ("two-stage-linear", sample("compute"), "proxy: is not known"),
        ("two-stage-linear", of_proxies(3.0, 2.5), "2 values at 2 runs; must take at least 3"),
        ("two-stage-logistic", of_proxies(3.0, 2.9, 2.9, 2.8), "3 values at 4 runs; .* at least 4"),
        ("two-stage-linear", of_proxies(3.0, 3.0, 3.0, 3.0), "must be a loss|takes 1 value"),
        ("two-stage-linear", of_proxies(0.3, 0.4, 0.5, 0.6), "must be a loss"),
        ("two-stage-linear", of_proxies(0.5, 0.2, -0.1, -0.2), "must be a loss"),
        ("bnsl", of_compute(5), "made-up: runs at 5 values of compute; must be at least 6 for"),
        ("bnsl", of_compute(20, (0.5, 0.5)), "accuracy 0.5 at ever"),
    ],
)
def test_runs_that_cannot_be_fitted(law, part, message):
    with pytest.raises(ValueError, match=message):
        fit_law(part, LAWS[law])
