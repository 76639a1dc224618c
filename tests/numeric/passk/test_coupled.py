"""The coupled model recovers a truth that it contains, says where it cannot, and never contradicts
itself across k.
"""

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize
from scipy.special import betaln
from tests.data import Mixed, affine_rates

from isoflop.numeric.passk import Counts
from isoflop.numeric.passk.coupled import Coupled, LogPolynomial, ProblemCounts, expand, fit_coupled
from isoflop.numeric.simulate import counts as sim

#: A small design: five sizes with four token counts.
DESIGN = sim.grid([1e7, 1e8, 1e9, 4e9, 1.2e10], [1e9, 1e10, 6e10, 3e11])
TRUTH: dict[str, Any] = {"log_a": (-0.8, 0.06), "log_b": (4.0, -0.35)}
NAMES = ("log a: 1", "log a: log C", "log b: 1", "log b: log C")
AT = np.array([1e17, 1e20, 1e24])[:, None]
KS = np.array([1, 10, 100, 1000, 100_000])
#: Half of the problems are sampled up to 1024 times, half up to 20,000 times, and no further once
#: solved.
STOPPING = Mixed(
    sim.Adaptive(batch=128, solved=1, most=1024), sim.Adaptive(batch=128, solved=1, most=20_000)
)


def log_likelihood(n, c, a, b):
    return (betaln(a + c, b + n - c) - betaln(a, b)).sum()


def simulated(seed, *, sampling=None, problems=48, **truth):
    random = np.random.default_rng(seed)
    made = affine_rates(DESIGN, **TRUTH, rng=random, **truth)
    return sim.simulate(
        DESIGN, made, problems=problems, sampling=sampling or sim.Fixed(128), rng=random
    )


@cache
def fitted(atom=False) -> Coupled:
    truth = {"atom": 0.15} if atom else {}
    return fit_coupled(
        simulated(11, sampling=sim.Fixed(2000), problems=100, **truth).counts(), atom=atom
    )


def true_neg_log(at, k, atom=0.0):
    """-log pass@k of the truth by a product over the samples, for whole k; no Gamma function."""
    away = math.log(at) - np.log(DESIGN.compute).mean()
    a, b = (math.exp(height + slope * away) for height, slope in TRUTH.values())
    i = np.arange(k)
    return -math.log1p(-atom) - math.log(-np.expm1(-np.log1p(a / (b + i)).sum()))


def test_the_truth_is_recovered():
    fit = fitted()
    assert fit.converged
    assert fit.agreeing == fit.starts
    truth = dict(zip(NAMES, (*TRUTH["log_a"], *TRUTH["log_b"]), strict=True))
    for name in NAMES:
        # 20 models; Student's t with about 16 degrees of freedom exceeds 4 once in 1000.
        assert abs(fit.coefficients[name] - truth[name]) < 4 * fit.standard_errors[name], name
    assert 0.4 < fit.overdispersion < 2.0
    found, low_high = fit.neg_log(AT, KS), fit.interval(AT, KS, level=0.999)
    for i, at in enumerate(AT[:, 0]):
        for j, k in enumerate(KS):
            assert low_high[0][i, j] < true_neg_log(at, k) < low_high[1][i, j]
            assert found[i, j] == pytest.approx(
                -math.log(fit.pass_at_k(at, k)), rel=1e-9, abs=1e-14
            )


def test_the_gradient_vanishes_and_no_neighbour_is_better():
    """The maximum, by the likelihood summed problem by problem."""
    counts = simulated(12).counts()
    fit = fit_coupled(counts)
    compute = counts.covariates["compute"][counts.group]

    def total(theta):
        return log_likelihood(counts.n, counts.c, *fit.with_theta(theta).shapes(compute))

    best = total(fit.theta)
    assert best == pytest.approx(fit.log_likelihood, rel=1e-12)
    random = np.random.default_rng(0)
    for _ in range(40):
        step = random.standard_normal(4)
        step *= 10 ** random.uniform(-3, 0) / np.linalg.norm(step)
        assert total(fit.theta + step) < best


def test_derivatives_of_the_likelihood_are_exact():
    counts = simulated(13, atom=0.1).counts()
    logs = np.log(np.stack([counts.covariates["params"], counts.covariates["tokens"]], axis=1))
    terms = LogPolynomial.of(("params", "tokens"), 2, logs)
    matrix, rows = (
        terms.matrix(logs),
        ProblemCounts.of(counts.group, counts.n, counts.c, len(counts)),
    )
    theta = np.random.default_rng(1).normal(0, 0.2, 13) + np.array(
        [-1.0, *np.zeros(5), 3.0, *np.zeros(5), -2.0]
    )
    weights = (np.arange(len(counts)) % 3).astype(np.float64)
    at = expand(rows, matrix, theta, weights)
    h = 1e-5
    for i in range(13):
        up, down = (
            expand(rows, matrix, theta + sign * h * np.eye(13)[i], weights) for sign in (1, -1)
        )
        assert at.gradient[i] == pytest.approx(
            (up.value - down.value) / (2 * h), rel=1e-6, abs=1e-4
        )
        assert at.hessian[i] == pytest.approx(
            (up.gradient - down.gradient) / (2 * h), rel=1e-6, abs=1e-3
        )


def test_intervals_far_beyond_all_models_are_numbers():
    at, k = np.array([1e3, 1e12, 1e60])[:, None], np.array([1.0, 1e6, 1e12])
    for end in fitted().interval(at, k):
        assert (end >= 0.0).all()


# -- the inequalities across k ---------------------------------------------------------------------


@settings(max_examples=60)
@example(theta=(1.515625, 1.515625, 0.0, 1.515625), log10_compute=41.0, degree_of_atom=None)
@given(
    theta=st.tuples(*(st.floats(-4, 4) for _ in range(4))),
    log10_compute=st.floats(0, 60),
    degree_of_atom=st.sampled_from([None, -3.0, 0.0]),
)
def test_no_coefficients_violate_the_inequalities(theta, log10_compute, degree_of_atom):
    """However far the model is extrapolated; in logs, and where pass@k does not round to 1."""
    fit = fitted().with_theta(
        np.array([*theta, *([] if degree_of_atom is None else [degree_of_atom])])
    )
    k = np.unique(np.round(np.geomspace(1, 1e6, 40)))
    at = 10.0**log10_compute
    y, passed = fit.neg_log(at, k), fit.pass_at_k(at, k)
    small = 1e-12
    assert np.isfinite(passed).all()
    assert (np.diff(y) <= small * y[:-1]).all()  # non-decreasing in k, so no two curves cross
    slopes = np.diff(passed) / np.diff(k)
    assert (np.diff(slopes) <= small * passed[-1]).all()  # concave
    q = passed[0]
    assert (passed <= -np.expm1(k * np.log1p(-q)) * (1 + small) if q < 1 else passed == 1).all()
    assert (passed <= k * q * (1 + small)).all()

    def log_fail(y):
        """By way of y = -log pass@k: 1 - pass@k has few digits where pass@k is close to 1."""
        return np.log(-np.expm1(-y))

    for m in (2, 7):
        assert (fit.pass_at_k(at, m * k) <= m * passed * (1 + small)).all()
        later = fit.neg_log(at, m * k)
        known = later > 1e-9
        assert (
            log_fail(later[known]) >= m * log_fail(y[known]) * (1 + 1e-9) - small
        ).all()  # fail@(mk) >= fail@k^m
    nearby = fit.neg_log(at, k + np.array([[0.0], [1.0], [2.0]]))
    known = nearby[2] > 1e-9
    before, here, after = log_fail(nearby[:, known])
    assert (
        2 * here <= (before + after) * (1 - 1e-9) + 1e-9
    ).all()  # fail@k^2 <= fail@(k - 1) fail@(k + 1)


# -- the atom --------------------------------------------------------------------------------------


def test_an_atom_is_found():
    fit = fitted(atom=True)
    low, high = (getattr(fit.estimates(0.999)["atom"], end) for end in ("low", "high"))
    assert 0.05 < low < 0.15 < high < 0.35
    assert fit.standard_errors["atom"] < 0.05
    assert fit.floor == pytest.approx(-math.log1p(-fit.atom))
    assert fit.neg_log(1e24, 1e15) == pytest.approx(fit.floor, rel=1e-3)
    low, high = fit.interval(1e24, 1e5, level=0.999)
    assert low < true_neg_log(1e24, 100_000, 0.15) < high


def test_no_atom_is_said():
    fit = fit_coupled(simulated(11, sampling=sim.Fixed(2000), problems=100).counts(), atom=True)
    without = fitted()
    if fit.atom == 0.0:
        assert fit.coefficients == without.coefficients | {"atom": 0.0}
        assert "pi0 = 0" in str(fit)
    else:  # the likelihood gains too little to tell
        assert fit.log_likelihood - without.log_likelihood < 5.0


# -- adaptive sampling -----------------------------------------------------------------------------


def coverage(repeats, first_seed, level=0.9, **how):
    """How often intervals hold the truth: coefficients, and -log pass@k at three computes and five
    k.
    """
    atom = how.get("atom", 0.0)
    truth = np.array([*TRUTH["log_a"], *TRUTH["log_b"]])
    wanted = np.array([[true_neg_log(at, int(k), atom) for k in KS] for at in AT[:, 0]])
    reach = stats.t.ppf(0.5 + level / 2, len(DESIGN) - len(NAMES))
    hits = []
    for seed in range(first_seed, first_seed + repeats):
        fit = fit_coupled(simulated(seed, **how).counts())
        assert fit.converged, seed
        errors = np.array([fit.standard_errors[name] for name in NAMES])
        inside = (
            np.abs(np.array([fit.coefficients[name] for name in NAMES]) - truth) < reach * errors
        )
        low, high = fit.interval(AT, KS, level)
        hits.append([*inside, *((low < wanted) & (wanted < high)).ravel()])
    return np.mean(hits, axis=0)


@pytest.mark.parametrize("sampling", [sim.Fixed(128), STOPPING], ids=["fixed", "stopping"])
def test_intervals_hold_the_truth(sampling):
    repeats = 24
    found = coverage(repeats, 1000, sampling=sampling)
    # 19 quantities, each outside once in 10,000.
    assert found.min() * repeats >= stats.binom.ppf(1e-4, repeats, 0.9)
    assert found.mean() > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("sampling", [sim.Fixed(128), STOPPING], ids=["fixed", "stopping"])
def test_intervals_hold_the_truth_at_the_nominal_rate(sampling):
    found = coverage(400, 20_000, sampling=sampling)
    # 400 repetitions: standard error 0.015 at 0.9.
    assert found.min() > 0.9 - 3.5 * 0.015
    assert found.max() < 0.9 + 3.5 * 0.015


# -- uncertainty -----------------------------------------------------------------------------------


def test_models_that_scatter_are_seen():
    fit = fit_coupled(simulated(31, scatter=0.7, sampling=sim.Fixed(2000), problems=128).counts())
    assert fit.overdispersion > 2.0
    assert "scatter beyond binomial samples" in str(fit)
    assert fit.tic > fit.aic
    truth = dict(zip(NAMES, (*TRUTH["log_a"], *TRUTH["log_b"]), strict=True))
    for name in ("log a: log C", "log b: log C"):
        assert abs(fit.coefficients[name] - truth[name]) < 4 * fit.standard_errors[name]


def draws_of(fit):
    assert fit.draws is not None
    return fit.draws


def test_resamples_agree_with_the_sandwich():
    fit = fitted()
    again = fit.resampled(60, seed=3)
    drawn = draws_of(again)
    assert len(drawn) == 60
    assert again.n_failed == 0
    for name, found in again.estimates().items():
        assert 0.5 < (found.standard_error or 0.0) / fit.standard_errors[name] < 2.0
    low, high = again.interval(AT, KS)
    assert low.shape == (3, 5)
    assert (low < high).all()
    assert again.law_of(fit.coefficients).neg_log(AT, KS) == pytest.approx(fit.neg_log(AT, KS))
    assert (draws_of(fit.resampled(5, seed=3)).coefficients == drawn.coefficients[:5]).all()


def test_resamples_of_an_atom_have_draws_of_it():
    fit = fitted(atom=True).resampled(10, seed=1)
    drawn = draws_of(fit)
    assert drawn.columns["atom"].shape == (10,)
    assert 0.0 < np.median(drawn.columns["atom"]) < 0.4
    assert fit.estimates()["atom"].value == fit.atom
    row = dict(zip(fit.names, drawn.coefficients[0], strict=True))
    assert fit.law_of(row).atom == pytest.approx(row["atom"], rel=1e-12)


def test_resamples_where_there_is_no_atom():
    fit = fit_coupled(simulated(14).counts(), atom=True).resampled(10, seed=1)
    drawn = draws_of(fit)
    assert len(drawn) + fit.n_failed == 10
    assert (drawn.columns["atom"] >= 0.0).all()
    assert np.median(drawn.columns["atom"]) < 0.1


def test_clusters_widen_the_errors():
    """Every model twice: to call the copies independent halves the variance."""
    made = simulated(41)
    counts = made.counts()
    double = Counts(
        by=counts.by,
        labels=tuple((label[0] + end,) for end in ("", "'") for label in counts.labels),
        group=np.concatenate([counts.group, counts.group + len(counts)]),
        problem=np.concatenate([counts.problem] * 2),
        n=np.tile(counts.n, 2),
        c=np.tile(counts.c, 2),
        row=np.arange(1, 2 * len(counts.n) + 1),
        covariates={name: np.tile(values, 2) for name, values in counts.covariates.items()},
    )
    single, clustered = (
        fit_coupled(counts),
        fit_coupled(double, cluster=[label[0].rstrip("'") for label in double.labels]),
    )
    for name, error in single.standard_errors.items():
        assert clustered.standard_errors[name] == pytest.approx(error, rel=1e-6)


def test_params_and_tokens_contain_compute():
    """At degree 1 the compute model is params-tokens with equal slopes of log N and log D."""
    counts = simulated(51).counts()
    one, two = fit_coupled(counts), fit_coupled(counts, covariates="params-tokens")
    assert two.log_likelihood >= one.log_likelihood
    assert (
        two.log_likelihood - one.log_likelihood < 8.0
    )  # half a chi2 with 2 degrees of freedom, once in 3000
    assert two.neg_log((1e9, 1e10), 100) == pytest.approx(one.neg_log(6e19, 100), rel=0.3)
    curved = fit_coupled(counts, degree=2)
    assert 0.0 <= curved.log_likelihood - one.log_likelihood < 8.0


def test_plain_data_and_text():
    fit = fitted()
    data = json.loads(json.dumps(fit.as_dict()))
    assert data["converged"] is True
    assert data["atom"] is None
    assert data["coefficients"]["log a: log C"]["value"] == fit.coefficients["log a: log C"]
    assert "certified, 2 of 2 starts agree" in str(fit)
    assert "20 models, 2000 problems" in str(fit)


def test_too_few_models_for_standard_errors():
    made = sim.simulate(
        sim.grid([1e8], [1e9, 1e11]),
        sim.SuccessRates(np.full(2, 0.5), np.full(2, 5.0)),
        problems=50,
        rng=1,
    )
    fit = fit_coupled(made.counts())
    assert fit.converged
    assert "too few models for standard errors" in str(fit)
    with pytest.raises(ValueError, match="2 models; must be more than the 4 coefficients"):
        _ = fit.standard_errors


def test_models_of_two_computes_have_a_beta_each():
    """An affine law of two computes is any Beta at each: that of greatest likelihood, which SciPy
    finds for one model alone.
    """
    random = np.random.default_rng(3)
    design = sim.grid([1e8], [1e9, 1e11])
    made = sim.simulate(
        design, affine_rates(design, (-0.5, 0.05), (2.0, -0.2)), problems=300, rng=random
    )
    fit = fit_coupled(made.counts())
    for g in range(2):
        n, c = made.n[g], made.c[g]
        alone = minimize(
            lambda x, n=n, c=c: -log_likelihood(n, c, *np.exp(x)),
            [-0.5, 1.0],
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000},
        )
        a, b = fit.shapes(design.compute[g])
        assert (float(a), float(b)) == pytest.approx(tuple(np.exp(alone.x)), rel=1e-5)


# -- bad input -------------------------------------------------------------------------------------


def table(n, c, compute):
    rows = [(g, p) for g in range(len(compute)) for p in range(len(n[g]))]
    return Counts.read(
        {
            "model": [f"m{g}" for g, _ in rows],
            "problem": [p for _, p in rows],
            "n_samples": [n[g][p] for g, p in rows],
            "n_correct": [c[g][p] for g, p in rows],
            "compute": [compute[g] for g, _ in rows],
        }
    )


@pytest.mark.parametrize(
    ("n", "c", "compute", "options", "message"),
    [
        ([[10, 10]], [[3, 0]], [1e20], {}, "1 model, 1 different compute"),
        ([[10, 10]] * 3, [[3, 0]] * 3, [1e20] * 3, {}, "3 models, 1 different compute"),
        ([[10, 10]] * 2, [[3, 0]] * 2, [1e20, 1e21], {"degree": 2}, "at least 3 models"),
        ([[10]] * 3, [[3]] * 3, [1e20, 1e21, 1e22], {}, "1 problem a model"),
        ([[1, 1]] * 3, [[1, 0]] * 3, [1e20, 1e21, 1e22], {}, "1 sample a problem"),
        ([[10, 10]] * 3, [[0, 0]] * 3, [1e20, 1e21, 1e22], {}, "no correct sample"),
        ([[10, 10]] * 3, [[10, 10]] * 3, [1e20, 1e21, 1e22], {}, "no wrong sample"),
        (
            [[10, 10]] * 3,
            [[3, 0]] * 3,
            [1e20, 1e21, 1e22],
            {"covariates": "gold"},
            "covariates='gold': must be one of",
        ),
        (
            [[10, 10]] * 3,
            [[3, 0]] * 3,
            [1e20, 1e21, 1e22],
            {"covariates": "params-tokens"},
            "no params of any model",
        ),
        (
            [[10, 10]] * 3,
            [[3, 0]] * 3,
            [1e20, 1e21, 1e22],
            {"degree": 3},
            "degree=3: must be 1 or 2",
        ),
        ([[10, 10]] * 3, [[3, 0]] * 3, [1e20, 1e21, 1e22], {"cluster": ["a"]}, "1 labels"),
    ],
)
def test_counts_that_cannot_determine_it_are_refused(n, c, compute, options, message):
    with pytest.raises(ValueError, match=message) as failure:
        fit_coupled(table(n, c, compute), **options)
    assert "\n" not in str(failure.value)


def test_params_and_tokens_on_a_line_are_refused():
    design = sim.ModelGrid(np.geomspace(1e8, 1e10, 6), 20 * np.geomspace(1e8, 1e10, 6), np.ones(6))
    made = sim.simulate(
        design, sim.SuccessRates(np.full(6, 0.5), np.full(6, 5.0)), problems=10, rng=1
    )
    with pytest.raises(ValueError, match="differ in params and tokens, and independently"):
        fit_coupled(made.counts(), covariates="params-tokens")


def test_two_benchmarks_are_refused():
    data = {
        "benchmark": ["x", "x", "y", "y"],
        "model": ["m"] * 4,
        "problem": [1, 2, 1, 2],
        "n": [10] * 4,
        "c": [1, 0, 2, 0],
        "compute": [1e20] * 4,
    }
    with pytest.raises(ValueError, match="holds 2 benchmarks"):
        fit_coupled(Counts.read(data))


def test_one_rate_for_all_problems_is_no_certified_maximum():
    """Concentration runs to infinity; that is said, and has no standard errors."""
    fit = fit_coupled(table([[100] * 5] * 3, [[10] * 5, [20] * 5, [40] * 5], [1e20, 1e21, 1e22]))
    assert not fit.converged
    assert "NOT certified" in str(fit)
    assert fit.as_dict()["tic"] is None
    with pytest.raises(ValueError, match="not certified"):
        _ = fit.standard_errors
    with pytest.raises(ValueError, match="not certified"):
        fit.resampled(5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda fit: fit.neg_log(-1.0, 1), "compute=-1.0"),
        (lambda fit: fit.neg_log(math.nan, 1), "compute=nan"),
        (lambda fit: fit.neg_log(1e20, 0), "k=0.0"),
        (lambda fit: fit.neg_log(1e20, math.inf), "k=inf"),
        (lambda fit: fit.interval(1e20, 1, level=1.0), "level=1.0"),
        (lambda fit: fit.resampled(0), "n=0"),
        (lambda fit: fit.resampled(5, seed=-1), "seed=-1"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(fitted())


# -- public counts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("benchmark", "models"), [("gsm8k", 81), ("math", 72)])
def test_public_counts(public_runs, benchmark, models):
    """Certified on counts with n from 128 to 3.7e6 where models scatter by far more than binomial
    samples.
    """
    folder = public_runs / "pythia-passk"
    counts = Counts.read(
        folder / "per_problem_counts.csv",
        where=f"benchmark == '{benchmark}'",
        models=folder / "mean_pass_at_k.csv",
    )
    one, curved = fit_coupled(counts), fit_coupled(counts, covariates="params-tokens", degree=2)
    assert len(one.models) == models
    for fit in (one, curved):
        assert fit.converged
        assert fit.agreeing == fit.starts
        assert fit.overdispersion > 2.0
    assert one.neg_log(1e22, 1) < one.neg_log(1e21, 1)
    assert curved.tic < one.tic
