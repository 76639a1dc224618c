"""Profile intervals against fits by SciPy with the quantity held by elimination, and against
simulation for Huber's function.
"""

import numpy as np
import pytest
from scipy.optimize import least_squares

from isoflop.numeric.fit import fit
from isoflop.numeric.fit.covariance import bandwidth
from isoflop.numeric.fit.derived import at_compute
from isoflop.numeric.fit.profile import basis

LAW = {"E": 1.7, "A": 400.0, "B": 410.0, "beta": 0.34, "gamma": 0.28}
COMPUTE = 1e23
#: chi squared with one degree of freedom: 90 %.
CRITICAL = 2.705543454095404


def critical(runs, free=5, level=0.9):
    """n log(f/f_min) at the ends: F = (n - p) (f/f_min - 1) with 1 and n - p degrees of freedom is
    critical there.
    """
    from scipy.stats import f

    return runs * np.log1p(f.ppf(level, 1, runs - free) / (runs - free))


#: An end is where the objective has risen by CRITICAL to 1e-9; SciPy's constrained minimum, with
#: differences for derivatives, is good to 1e-7 of the sum of squares, times 240 runs over CRITICAL.
RISE = 1e-5


def table(noise=0.01, seed=0, sizes=6, durations=7, errors=None, **changed):
    n, d = (
        x.ravel() for x in np.meshgrid(np.logspace(8, 10, sizes), np.logspace(9, 11, durations))
    )
    law = {**LAW, **changed}
    clean = law["E"] + law["A"] * n ** -law["beta"] + law["B"] * d ** -law["gamma"]
    drawn = (
        np.random.default_rng(seed).normal(size=len(n))
        if errors is None
        else errors(np.random.default_rng(seed), len(n))
    )
    return {"params": n, "tokens": d, "loss": clean * np.exp(noise * drawn)}


@pytest.fixture(scope="module")
def squares(chinchilla_240):
    return fit(chinchilla_240, objective="least-squares-log")


# -- the quantity held by elimination ----------------------------------------------------------------------------------
# Free: E, log A, log B or what is left of them, in whatever order; what the quantity leaves open.


def holding_alpha(alpha, E, a, b, beta):
    """1/alpha = 1/beta + 1/gamma."""
    return E, a, b, beta, alpha * beta / (beta - alpha)


def holding_params(log_params, E, a, beta, gamma):
    """At the optimum a larger N gains as much as the smaller D costs: beta A N^-beta = gamma B
    D^-gamma where 6 N D = C.
    """
    log_tokens = np.log(COMPUTE / 6.0) - log_params
    return E, a, a + np.log(beta / gamma) - beta * log_params + gamma * log_tokens, beta, gamma


def holding_share(share, E, a, b, beta):
    """N*(C) ~ C^share with share = gamma/(beta + gamma)."""
    return E, a, b, beta, beta * share / (1.0 - share)


def holding_E(E, a, b, beta, gamma):
    return E, a, b, beta, gamma


def holding_beta(beta, E, a, b, gamma):
    return E, a, b, beta, gamma


def holding_A(prefactor, E, b, beta, gamma):
    return E, np.log(prefactor), b, beta, gamma


HELD = {
    "alpha": (holding_alpha, ("E", "A", "B", "beta")),
    "N_star": (lambda value, *x: holding_params(np.log(value), *x), ("E", "A", "beta", "gamma")),
    "params_share": (holding_share, ("E", "A", "B", "beta")),
    "E": (holding_E, ("A", "B", "beta", "gamma")),
    "beta": (holding_beta, ("E", "A", "B", "gamma")),
    "A": (holding_A, ("E", "B", "beta", "gamma")),
}


def least_with(found, name, value, fixed_E=None):
    """The least sum of squares of a law for which the quantity has that value."""
    given, others = HELD[name]
    runs, weights = (
        found.runs,
        np.ones(len(found.runs)) if found.runs.weight is None else found.runs.weight,
    )
    rest = tuple(each for each in others if fixed_E is None or each != "E")

    def residuals(x):
        E, a, b, beta, gamma = given(value, *(() if fixed_E is None else (fixed_E,)), *x)
        with np.errstate(over="ignore", invalid="ignore"):
            law = (
                E + np.exp(a - beta * np.log(runs.params)) + np.exp(b - gamma * np.log(runs.tokens))
            )
        # A step of the search that leaves the floats, or makes the law negative, is not taken.
        law = np.clip(np.nan_to_num(law, nan=1e9), 1e-9, 1e9)
        return np.sqrt(weights) * found.objective.residuals(law, np.asarray(runs.loss))

    start = [
        np.log(found.coefficients[each]) if each in "AB" else found.coefficients[each]
        for each in rest
    ]
    tight = {
        "xtol": 1e-15,
        "ftol": 1e-15,
        "gtol": 1e-15,
        "x_scale": "jac",
        "max_nfev": 2000,
        "jac": "3-point",
    }
    return min(
        2.0 * least_squares(residuals, np.array(start) * scale, **tight).cost
        for scale in (1.0, 1.02, 0.98)
    )


@pytest.mark.parametrize("name", HELD)
def test_ends_are_where_the_likelihood_ratio_is_critical(squares, name):
    interval = squares.profile(name, compute=COMPUTE)
    assert interval.low < interval.value < interval.high
    for end in (interval.low, interval.high):
        rise = 240.0 * np.log(least_with(squares, name, end) / squares.objective_value)
        assert rise == pytest.approx(critical(240), rel=RISE)
    inside = 0.5 * (interval.value + interval.high)
    assert 240.0 * np.log(least_with(squares, name, inside) / squares.objective_value) < critical(
        240
    )


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("weighted", [False, True])
def test_levels_weights_and_plain_residuals(level, weighted):
    weights = np.random.default_rng(3).uniform(0.5, 2.0, 42)
    found = fit({**table(), **({"weight": weights} if weighted else {})}, objective="least-squares")
    interval = found.profile("alpha", level=level)
    assert interval.level == level
    for end in (interval.low, interval.high):
        rise = 42.0 * np.log(least_with(found, "alpha", end) / found.objective_value)
        assert rise == pytest.approx(critical(42, level=level), rel=RISE)


def test_close_to_the_normal_interval_where_errors_are_small():
    """Noise of 1e-5: the law is straight over such distances, and the ends are t of the classical
    errors away.
    """
    found = fit(table(1e-5), objective="least-squares-log")
    roots = np.sqrt(np.diag(found.covariance("classical")))
    t = 1.687093619596107  # Student's at 90 % with 37 degrees of freedom
    for name, root in zip(LAW, roots, strict=True):
        interval = found.profile(name)
        low, high = (np.log(end) if name in "AB" else end for end in (interval.low, interval.high))
        # Curvature: a spread of 1e-4 in the coefficients.
        assert high - low == pytest.approx(2.0 * t * root, rel=1e-3)


# -- invariance --------------------------------------------------------------------------------------------------------

SAME = 1e-6


@pytest.mark.parametrize("objective", ["least-squares-log", "huber-log"])
def test_intervals_transform_with_the_quantity(chinchilla_240, objective):
    """N* D* = C/6, D*/N* = (C/6)/N*^2, and the shares add up to 1."""
    found = fit(chinchilla_240, objective=objective)
    params, tokens, ratio, one, other = (
        found.profile(name, compute=COMPUTE)
        for name in ("N_star", "D_star", "tokens_per_param", "params_share", "tokens_share")
    )
    # Huber's function rises in pieces of second degree: its ends are found to 1e-4 of the rise.
    same = SAME if objective == "least-squares-log" else 1e-3
    assert tokens.low == pytest.approx(COMPUTE / 6.0 / params.high, rel=same)
    assert tokens.high == pytest.approx(COMPUTE / 6.0 / params.low, rel=same)
    assert ratio.high == pytest.approx(COMPUTE / 6.0 / params.low**2, rel=same)
    assert one.low == pytest.approx(1.0 - other.high, rel=same)
    assert one.high == pytest.approx(1.0 - other.low, rel=same)


def test_units_do_not_matter(chinchilla_240, squares):
    billions = {
        "params": chinchilla_240.params / 1e9,
        "tokens": chinchilla_240.tokens / 1e9,
        "loss": chinchilla_240.loss,
    }
    scaled = fit(billions, objective="least-squares-log")
    for name in ("E", "beta", "alpha", "params_share"):
        one, other = squares.profile(name), scaled.profile(name)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=SAME)
    one, other = (
        squares.profile("N_star", compute=COMPUTE),
        scaled.profile("N_star", compute=COMPUTE / 1e18),
    )
    assert (one.low / 1e9, one.high / 1e9) == pytest.approx((other.low, other.high), rel=SAME)


def test_a_general_law_has_the_same_intervals(squares):
    general = fit(squares.runs, model="E + A*N^-beta + B*D^-gamma", objective="least-squares-log")
    for name in ("E", "beta", "A"):
        one, other = squares.profile(name), general.profile(name)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-5)


def test_a_quantity_is_its_name(squares):
    (chosen, *_) = at_compute(COMPUTE)
    assert squares.profile(chosen) == squares.profile("N_star", compute=COMPUTE)


def test_a_compute_law():
    c = np.logspace(18, 23, 25)
    runs = {
        "compute": c,
        "loss": (1.7 + 800.0 * c**-0.15) * np.exp(0.003 * np.random.default_rng(0).normal(size=25)),
    }
    found = fit(runs, model="compute", objective="least-squares-log")
    interval = found.profile("alpha")
    for end in (interval.low, interval.high):
        held = fit(runs, model="compute", objective="least-squares-log", fixed={"alpha": end})
        assert 25.0 * np.log(held.objective_value / found.objective_value) == pytest.approx(
            critical(25, 3), rel=1e-6
        )


# -- bounds ------------------------------------------------------------------------------------------------------------


#: Noise of 8 % and a small irreducible loss: 0 is hardly worse than the best one.
UNCERTAIN = pytest.mark.parametrize("seed", [1, 5, 9])


@UNCERTAIN
def test_an_interval_of_the_irreducible_loss_ends_at_zero(seed):
    found = fit(table(0.08, seed, E=0.3), objective="least-squares-log")
    assert found.at_bound == ()
    none = fit(table(0.08, seed, E=0.3), objective="least-squares-log", fixed={"E": 0.0})
    assert 42.0 * np.log(none.objective_value / found.objective_value) < critical(42)
    interval = found.profile("E")
    assert interval.low == 0.0
    rise = 42.0 * np.log(least_with(found, "E", interval.high) / found.objective_value)
    assert rise == pytest.approx(critical(42), rel=RISE)


@UNCERTAIN
def test_the_end_of_another_quantity_follows_the_bound(seed):
    """alpha is least where E = 0 holds: the end is that of the law without E, at the rise from the
    fit with it.
    """
    found = fit(table(0.08, seed, E=0.3), objective="least-squares-log")
    interval = found.profile("alpha")
    with_E = least_with(found, "alpha", interval.low)
    without = least_with(found, "alpha", interval.low, fixed_E=0.0)
    assert with_E < without  # for a negative E
    assert 42.0 * np.log(without / found.objective_value) == pytest.approx(critical(42), rel=RISE)
    rise = 42.0 * np.log(least_with(found, "alpha", interval.high) / found.objective_value)
    assert rise == pytest.approx(critical(42), rel=RISE)


def test_held_coefficients_stay_where_they_are():
    runs = table()
    held = fit(runs, objective="least-squares-log", fixed={"E": 1.7})
    interval, free = (
        held.profile("alpha"),
        fit(runs, objective="least-squares-log").profile("alpha"),
    )
    assert interval.high - interval.low < free.high - free.low
    for end in (interval.low, interval.high):
        rise = 42.0 * np.log(least_with(held, "alpha", end, fixed_E=1.7) / held.objective_value)
        assert rise == pytest.approx(critical(42, 4), rel=RISE)


# -- Huber -------------------------------------------------------------------------------------------------------------


def student(random, size):
    return random.standard_t(3, size=size)


@pytest.mark.slow
@pytest.mark.parametrize("errors", [None, student], ids=["normal", "student"])
def test_hubers_calibration_against_simulation(errors):
    """Mean half width over 1.645 is the spread of the estimates: 250 of these give it to 5 %, 12
    widths of 15 % each to 4 %.
    """
    estimates, halves = [], []
    for seed in range(250):
        found = fit(table(0.01, seed, 12, 12, errors))
        estimates.append(found.law.envelope.exponent)
        if seed < 12:
            interval = found.profile("alpha")
            halves.append(0.5 * (interval.high - interval.low) / np.sqrt(CRITICAL))
    assert np.mean(halves) == pytest.approx(np.std(estimates, ddof=1), rel=0.2)


@pytest.mark.parametrize("name", ["E", "A", "beta", "gamma"])
def test_hubers_ends_against_fits_with_the_coefficient_fixed(chinchilla_240, name):
    """2 (f - f_min) mean(rho'')/mean(psi^2) with rho'' averaged over the bandwidth: delta/width
    times the share inside.
    """
    found = fit(chinchilla_240)
    delta, wide = found.objective.delta, bandwidth(found, found.residuals)
    bend = np.mean(np.abs(found.residuals) < wide) * delta / wide
    calibration = 2.0 * bend / np.mean(np.clip(found.residuals, -delta, delta) ** 2)
    interval = found.profile(name)
    for end in (interval.low, interval.high):
        held = fit(chinchilla_240, fixed={name: end})
        # Of an objective known to 1e-15, less than a hundredth remains in the difference.
        rise = 235.0 / 240.0 * calibration * (held.objective_value - found.objective_value)
        assert rise == pytest.approx(235.0 * np.expm1(critical(240) / 240.0), rel=1e-6)


def test_hubers_function_with_a_wide_delta_is_least_squares():
    """Errors well inside delta: r^2/2, whose statistic n (f/f_min - 1) exceeds n log(f/f_min) by
    half its square over n.
    """
    runs = table(0.01, 0, 12, 12)
    wide, squares = (
        fit(runs, delta=10.0).profile("alpha"),
        fit(runs, objective="least-squares-log").profile("alpha"),
    )
    assert wide.high - wide.low == pytest.approx(squares.high - squares.low, rel=CRITICAL / 144.0)


# -- small ladders -----------------------------------------------------------------------------------------------------


def ladder(seed, noise=0.004):
    """16 runs of a law drawn at random."""
    random = np.random.default_rng(seed)
    n, d = (x.ravel() for x in np.meshgrid(np.geomspace(1e8, 3e9, 4), np.geomspace(2e9, 6e10, 4)))
    E, beta, gamma = (
        random.uniform(1.4, 2.1),
        random.uniform(0.25, 0.45),
        random.uniform(0.25, 0.45),
    )
    clean = (
        E
        + random.uniform(0.2, 0.5) * (n / 1e9) ** -beta
        + random.uniform(0.2, 0.5) * (d / 2e10) ** -gamma
    )
    return beta * gamma / (beta + gamma), {
        "params": n,
        "tokens": d,
        "loss": clean * np.exp(noise * random.normal(size=16)),
    }


def test_no_step_of_the_search_ends_the_profile():
    """Steps beyond the box, where exponents are negative, are no results; both ends of alpha are
    found all the same.
    """
    for seed in range(12):
        _, runs = ladder(seed, 0.012)
        found = fit(runs)
        if not (found.undetermined or found.at_bound):
            interval = found.profile("alpha")
            assert interval.low < interval.value < interval.high


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["huber-log", "least-squares-log"])
def test_coverage_of_small_ladders(objective):
    """90 % intervals of alpha on 16 runs with 5 coefficients hold the truth in 81 to 97 of 100:
    three standard errors.
    """
    held = 0
    for seed in range(100):
        alpha, runs = ladder(seed, 0.003)
        interval = fit(runs, objective=objective).profile("alpha")
        held += interval.low <= alpha <= interval.high
    assert 81 <= held <= 98


# -- what has no profile -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "quantity", "more", "message"),
    [
        (
            {"objective": "absolute-log"},
            "alpha",
            {},
            "objective='absolute-log': has no profile interval",
        ),
        ({"objective": "pinball-log"}, "E", {}, "objective='pinball-log': has no profile interval"),
        ({}, "zeta", {}, "quantity='zeta': must be one of E, A, B, beta, gamma, alpha, C0"),
        ({}, "N_star", {}, "quantity='N_star': must be one of .*more with compute and ratio"),
        ({}, 3, {}, "quantity=3: must be one of"),
        ({}, "alpha", {"compute": -1.0}, "compute=-1.0: must be a positive finite number"),
        ({}, "alpha", {"ratio": "x"}, "ratio='x': must be a positive finite number"),
        ({}, "alpha", {"level": 1.0}, "level=1.0: must be a number above 0 and below 1"),
        ({"fixed": {"E": 1.7}}, "E", {}, "quantity='E': is fixed or on a bound"),
        ({"bounds": {"E": (None, 1.0)}}, "E", {}, "quantity='E': is fixed or on a bound"),
    ],
)
def test_bad_arguments(given, quantity, more, message):
    with pytest.raises(ValueError, match="^" + message):
        fit(table(), **given).profile(quantity, **more)


def test_nothing_is_claimed_of_exact_runs():
    with pytest.raises(ValueError, match="meets the runs exactly"):
        fit(table(0.0)).profile("alpha")


def test_nothing_is_claimed_of_runs_at_one_size():
    d = np.logspace(9, 11, 30)
    loss = (2.05 + 410.0 * d**-0.28) * np.exp(0.005 * np.random.default_rng(0).normal(size=30))
    found = fit(
        {"params": np.full(30, 1e9), "tokens": d, "loss": loss},
        objective="least-squares",
        fixed={"beta": 0.3},
    )
    with pytest.raises(ValueError, match="do not tell the coefficients apart"):
        found.profile("A")


def test_runs_of_a_group_are_not_independent():
    runs = table()
    assert "group" in basis(fit({**runs, "group": np.arange(42) // 6}))
    assert "group" not in basis(fit(runs))
