"""Fits without start values: published optima, exact data, boxes, invariances, and what the runs
cannot tell.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares
from tests.data import LAW, grid_runs

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit import OBJECTIVES, Objective, fit
from isoflop.numeric.fit.fit import fit_form
from isoflop.numeric.fit.models import PARAMS_TOKENS

#: Objectives are minimised to 1e-15 of their value: coefficients to some 1e-7 in the flattest
#: direction, a thousandth of the others' curvature.
SAME_MINIMUM, SAME_COEFFICIENTS = 1e-11, 1e-5


def grid(sizes=5, durations=6):
    n, d = np.meshgrid(np.logspace(8, 10, sizes), np.logspace(9, 11, durations))
    return n.ravel(), d.ravel()


def losses(n, d, E, A, B, beta, gamma):
    return E + A * n**-beta + B * d**-gamma


def table(noise=0.0, seed=0, **more):
    return grid_runs(noise=noise, seed=seed, **more)


# -- Chinchilla ------------------------------------------------------------------------------------

#: Least objectives, to the digits that are known, of the points of Hoffmann et al. 2022, Figure 4,
#: as Besiroglu et al. 2024 read them off, and E, A, B, beta, gamma. A, B, beta and gamma of the
#: absolute deviation are those printed in 2404.10102.
PUBLISHED = {
    ("240", "huber-log"): ("0.001018274018", "1.81722 477.826 2143.417 .34731 .36717"),
    ("245", "huber-log"): ("0.00182601052", "1.89134 495.73 12845.6 .34931 .45305"),
    ("240", "least-squares-log"): ("0.0114618870", "1.86455 593.32 4875.64 .36025 .40588"),
    ("245", "least-squares-log"): ("0.0709904316", "1.99183 749.54 370523 .37210 .61205"),
    ("240", "absolute-log"): ("1.129494664", "1.81686 482.006 2085.434 .34781 .36585"),
}


def last_place(digits):
    return 10.0 ** -len(digits.partition(".")[2])


@pytest.mark.parametrize(("points", "objective"), PUBLISHED)
def test_chinchilla(chinchilla, chinchilla_240, points, objective):
    """As printed; the absolute deviation has a minimum 1e-8 below what is known of it, where B is
    2085.436.
    """
    runs = chinchilla_240 if points == "240" else chinchilla
    least, printed = PUBLISHED[points, objective]
    found = fit(runs, objective=objective)
    assert found.converged
    assert found.solution.at_bound == ()
    sharp = objective == "absolute-log"
    assert found.objective_value <= float(least) + 0.5 * last_place(least)
    assert found.objective_value >= float(least) - (12.0 if sharp else 0.5) * last_place(least)
    assert found.objective_value == pytest.approx(
        found.objective.value(-found.residuals), rel=1e-13
    )
    for value, digits in zip(found.coefficients.values(), printed.split(), strict=True):
        assert abs(value - float(digits)) <= (2.5 if sharp else 0.5) * last_place(digits)


# -- exact data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("E", [1.7, 0.0])
def test_exact_data_give_back_their_coefficients(objective, E):
    found = fit(table(E=E), objective=objective)
    assert found.converged
    assert found.objective_value < 1e-13
    for name, value in {**LAW, "E": E}.items():
        # A rounding error of 1e-16 in a loss times the condition of the design, some 1e4.
        assert found.coefficients[name] == pytest.approx(value, rel=1e-10, abs=1e-11)


# -- fixed, bounded, left out ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "fixed",
    [
        {"A": 400.0},
        {"E": 0.0},
        {"E": 1.7, "beta": 0.34},
        {"B": 300.0, "gamma": 0.3},
        {"gamma": 0.25},
    ],
)
@pytest.mark.parametrize("objective", ["least-squares-log", "huber-log"])
def test_fixed_coefficients_against_scipy(fixed, objective):
    """The rest by SciPy in logarithms, from the fit and from the true law: Huber's function is
    never lower there.
    """
    runs = table(0.01)
    found = fit(runs, objective=objective, fixed=fixed)
    assert found.converged
    for name, value in fixed.items():
        # A prefactor passes through its logarithm, here about 6: a few roundings of that.
        assert found.coefficients[name] == pytest.approx(value, rel=1e-14)
        assert not found.solution.free[list(LAW).index(name)]
    rest = [name for name in LAW if name not in fixed]

    def residuals(x):
        given = {**fixed, **dict(zip(rest, np.exp(x), strict=True))}
        return found.objective.residuals(
            losses(runs["params"], runs["tokens"], **given), runs["loss"]
        )

    reached = []
    for start in (LAW, {name: max(value, 1e-9) for name, value in found.coefficients.items()}):
        other = least_squares(
            residuals, np.log([start[name] for name in rest]), xtol=1e-15, ftol=1e-15, gtol=1e-15
        )
        reached.append(found.objective.value(other.fun))
    assert min(reached) >= found.objective_value * (1.0 - SAME_MINIMUM)
    if objective == "least-squares-log":
        assert min(reached) == pytest.approx(found.objective_value, rel=1e-8)


def test_all_coefficients_fixed():
    runs = table(0.01)
    found = fit(runs, fixed=LAW)
    assert found.converged
    assert not found.solution.free.any()
    expected = found.objective.residuals(
        losses(runs["params"], runs["tokens"], **LAW), runs["loss"]
    )
    np.testing.assert_allclose(-found.residuals, expected, atol=1e-14)
    assert not found.covariance.any()


def test_without_irreducible_loss_is_with_none():
    runs = table(0.01)
    without, zero = (
        fit_form(Runs.read(runs), replace(PARAMS_TOKENS, irreducible=False), Objective()),
        fit(runs, fixed={"E": 0.0}),
    )
    assert without.objective_value == pytest.approx(zero.objective_value, rel=SAME_MINIMUM)
    assert tuple(without.coefficients) == ("A", "B", "beta", "gamma")
    for name, value in without.coefficients.items():
        assert zero.coefficients[name] == pytest.approx(value, rel=SAME_COEFFICIENTS)
    assert without.law.loss(1e9, 1e10) == pytest.approx(zero.law.loss(1e9, 1e10), rel=1e-7)
    assert str(without.model) == "A N^-beta + B D^-gamma"


@pytest.mark.parametrize(
    ("bounds", "on"),
    [({"E": (None, 1.5)}, "E"), ({"beta": (0.4, 0.6)}, "beta"), ({"B": (None, 300.0)}, "B")],
)
def test_a_bound_that_holds_is_a_coefficient_that_is_fixed(bounds, on):
    runs = table(0.005)
    found = fit(runs, bounds=bounds)
    assert found.converged
    assert found.solution.at_bound == (on,)
    edge = next(side for side in bounds[on] if side is not None)
    assert found.coefficients[on] == pytest.approx(edge, rel=1e-14)
    held = fit(runs, fixed={on: edge})
    assert found.objective_value == pytest.approx(held.objective_value, rel=1e-8)


# -- invariances -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "objective", ["huber-log", "least-squares-log", "least-squares", "absolute-log"]
)
def test_weights_are_repetitions(objective):
    runs = table(0.01)
    times = np.random.default_rng(2).integers(1, 4, 30)
    weighted = fit({**runs, "weight": times}, objective=objective)
    repeated = fit(
        {name: np.repeat(column, times) for name, column in runs.items()}, objective=objective
    )
    assert weighted.converged
    assert repeated.converged
    assert weighted.objective_value == pytest.approx(repeated.objective_value, rel=SAME_MINIMUM)
    for name, value in weighted.coefficients.items():
        assert repeated.coefficients[name] == pytest.approx(value, rel=SAME_COEFFICIENTS)


@pytest.mark.parametrize("objective", ["huber-log", "least-squares-log", "absolute-log"])
def test_units_of_params_scale_their_prefactor(chinchilla_240, objective):
    """N in billions: A N^-beta is A (1e9)^-beta (N/1e9)^-beta."""
    found = fit(chinchilla_240, objective=objective)
    billions = {
        "params": chinchilla_240.params / 1e9,
        "tokens": chinchilla_240.tokens,
        "loss": chinchilla_240.loss,
    }
    scaled = fit(billions, objective=objective)
    assert scaled.objective_value == pytest.approx(found.objective_value, rel=1e-10)
    expected = {
        **found.coefficients,
        "A": found.coefficients["A"] * 1e9 ** -found.coefficients["beta"],
    }
    for name, value in expected.items():
        assert scaled.coefficients[name] == pytest.approx(value, rel=SAME_COEFFICIENTS)


def test_params_and_tokens_exchanged():
    runs = table(0.01)
    one, other = (
        fit(runs),
        fit({"params": runs["tokens"], "tokens": runs["params"], "loss": runs["loss"]}),
    )
    assert one.objective_value == pytest.approx(other.objective_value, rel=SAME_MINIMUM)
    for name, swapped in (("E", "E"), ("A", "B"), ("B", "A"), ("beta", "gamma"), ("gamma", "beta")):
        assert one.coefficients[name] == pytest.approx(
            other.coefficients[swapped], rel=SAME_COEFFICIENTS
        )


def test_many_runs_are_fitted_on_all_of_them():
    """Starts come from a sample beyond 20,000 runs, the minimum from all: the gradient of the whole
    sum vanishes.
    """
    random = np.random.default_rng(4)
    n, d = 10.0 ** random.uniform(7, 10, 30_000), 10.0 ** random.uniform(8, 11, 30_000)
    runs = {
        "params": n,
        "tokens": d,
        "loss": losses(n, d, **LAW) * np.exp(0.01 * random.normal(size=30_000)),
    }
    found = fit(runs, objective="least-squares-log")
    assert found.converged
    jacobian = found.solution.problem.residuals(found.solution.theta[None])[1][0]
    pull = jacobian @ found.residuals
    assert (
        np.abs(pull / (np.linalg.norm(jacobian, axis=1) * np.linalg.norm(found.residuals))).max()
        < 1e-9
    )
    for name, estimate in found.estimates().items():
        assert abs(estimate.value - LAW[name]) < 4.0 * (estimate.standard_error or 0.0)


# -- what the runs cannot tell ---------------------------------------------------------------------


def test_too_few_runs():
    four = {name: column[:4] for name, column in table().items()}
    with pytest.raises(
        ValueError, match="4 usable runs; must be at least 5 for the 5 coefficients"
    ):
        fit(four)
    assert fit(four, fixed={"E": 1.7}).converged
    with pytest.raises(
        ValueError, match="2 usable runs; must be at least 3 for the 3 coefficients of E \\+ C0"
    ):
        fit({"compute": [1e18, 1e20], "loss": [3.0, 2.0]}, model="compute")


# -- arguments -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"objective": "mse"}, "objective='mse': must be one of huber-log, absolute-log"),
        ({"delta": 0}, "delta=0: must be a positive finite number"),
        ({"delta": float("inf")}, "delta=inf: must be a positive finite number"),
        (
            {"model": "chinchilla"},
            "model='chinchilla': names no column of the runs, which have N, D",
        ),
        ({"model": None}, "model=None: must be a name, a formula or a SymPy expression"),
        ({"seed": -1}, "seed=-1: must be a whole number of at least 0"),
        ({"fixed": {"alpha": 1.0}}, "coefficient alpha: the law .* has E, A, B, beta, gamma"),
        ({"fixed": ["E"]}, "fixed=\\['E'\\]: must be a mapping"),
        ({"fixed": {"E": -0.1}}, "fixed E=-0.1: must be a finite number of at least 0"),
        ({"fixed": {"E": "1.7"}}, "fixed E='1.7': must be a finite number of at least 0"),
        ({"fixed": {"A": 0.0}}, "fixed A=0.0: must be a positive finite number"),
        ({"fixed": {"beta": float("nan")}}, "fixed beta=nan: must be a positive finite number"),
        ({"bounds": {"E": 3.0}}, "bounds of E=3.0: must be a pair"),
        (
            {"bounds": {"E": (2.0, 1.0)}},
            "bounds of E=\\(2.0, 1.0\\): must be a pair with low < high",
        ),
        (
            {"bounds": {"E": ("a", None)}},
            "lower bound of E='a': must be a finite number of at least 0",
        ),
        (
            {"bounds": {"beta": (None, -1.0)}},
            "upper bound of beta=-1.0: must be a positive finite number",
        ),
        (
            {"bounds": {"beta": (20.0, None)}},
            "bounds of beta=\\(20.0, None\\): must be a pair; a side of None is 0.001 below, 10 "
            "above",
        ),
        (
            {"bounds": {"E": (0.0, 1.0)}, "fixed": {"E": 1.0}},
            "coefficient E: is both bounded and fixed",
        ),
    ],
)
def test_bad_arguments(given, message):
    with pytest.raises(ValueError, match="^" + message):
        fit(table(), **given)


@pytest.mark.parametrize("seed", range(12))
def test_noise_far_wider_than_the_bend_of_huber_is_no_obstacle(seed) -> None:
    """With delta = 1e-3 and noise of 0.1, at a corner on the bound E = 0 no run may lie where the
    objective is curved.
    """
    random = np.random.default_rng(seed)
    compute = np.geomspace(3e18, 6e21, 172)
    loss = 1100.0 * compute**-0.151 * np.exp(0.1 * random.standard_normal(172))
    found = fit({"compute": compute, "loss": loss}, model="compute")
    assert found.converged
    grid = [
        fit({"compute": compute, "loss": loss}, model="compute", fixed={"E": E})
        for E in (1e-6, 1e-3, 1e-2, 0.05)
    ]
    assert found.objective_value <= min(each.objective_value for each in grid) * (1.0 + 1e-9)


# -- what cannot be a table of losses, and what is no result ---------------------------------------


def plain_runs(noise=0.005, seed=3):
    n, d = (x.ravel() for x in np.meshgrid(np.geomspace(1e8, 3e9, 4), np.geomspace(2e9, 6e10, 4)))
    clean = 1.8 + 480.0 * n**-0.34 + 2100.0 * d**-0.36
    return {
        "params": n,
        "tokens": d,
        "loss": clean * np.exp(noise * np.random.default_rng(seed).normal(size=16)),
    }


FOR_A_ROW = r"^loss=.* \(row \d+ of data\): must be between 1e-15 and 1e\+15; is it in another unit"
FOR_ANY = r"^data: loss has median .*: must be from 1e-15 to 1e\+15"


@pytest.mark.parametrize(
    ("scale", "complaint"),
    [
        (1e-300, FOR_ANY),
        (1e-20, FOR_ANY),
        (np.where(np.arange(16) == 3, 1e-30, 1.0), FOR_A_ROW),
        (np.where(np.arange(16) == 3, 1e30, 1.0), FOR_A_ROW),
        (1e150, FOR_ANY),
        (1e300, FOR_ANY),
    ],
)
@pytest.mark.parametrize("model", ["params-tokens", "compute", "E + A*N^-b + B*D^-g"])
def test_losses_of_no_unit_are_refused_before_anything_is_fitted(scale, complaint, model, recwarn):
    runs = plain_runs()
    with pytest.raises(ValueError, match=complaint):
        fit({**runs, "loss": runs["loss"] * scale}, model=model)
    assert not recwarn.list


def test_an_exponent_whose_prefactor_no_float_can_hold():
    with pytest.raises(
        ValueError,
        match="coefficient 'A': exceeds the largest float",
    ):
        fit(plain_runs(), fixed={"beta": 100.0})


def test_a_law_with_too_many_coefficients():
    with pytest.raises(
        ValueError, match=r"^law: has 21 coefficients \(E, a0, b0, ...\); must have at most 20"
    ):
        fit(plain_runs(), model="E+" + "+".join(f"a{i}*N^-b{i}" for i in range(10)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [2, 8])
def test_hopeless_expressions_end_with_a_reason(seed):
    """Noise of 50 %: the coefficients run away, where the law has no derivatives that floats could
    hold.
    """
    n, d = (x.ravel() for x in np.meshgrid(1e8 * 2.0 ** np.arange(6), 2e9 * 2.0 ** np.arange(6)))
    clean = 1.8 + 480 * n**-0.34 + 2100 * d**-0.36
    runs = {
        "params": n,
        "tokens": d,
        "loss": clean * np.exp(0.5 * np.random.default_rng(seed).standard_normal(36)),
    }
    found = fit(runs, model="E+A*N^-b+B*D^-g")
    assert not found.converged
    assert "NOT REACHED" in str(found)


# -- what a fit warns of ---------------------------------------------------------------------------


def said(found, what):
    return [text for text in found.warnings if what in text]


def test_losses_that_scatter_more_than_runs_of_one_kind_do():
    """Two sources whose losses differ by a factor: one law of both is off by a half of it, whatever
    its intervals.
    """
    one, other = plain_runs(), plain_runs(seed=4)
    pooled = {name: np.concatenate([one[name], other[name]]) for name in one}
    pooled["loss"][16:] *= 1.5
    source = ["wiki"] * 16 + ["code"] * 16
    squares = "least-squares-log"
    found = fit({**pooled, "source": source}, objective=squares)
    (scatter,) = said(found, "the losses scatter about the law by")
    assert (
        f"{100.0 * np.sqrt(np.mean((np.log(found.solution.fitted) - np.log(pooled['loss'])) ** 2)):.3g} %"
        in scatter
    )
    assert scatter in found.as_dict()["warnings"]
    assert f"warning: {scatter[:40]}" in str(found)
    apart = fit({**pooled, "source": source}, where="source == 'code'", objective=squares)
    assert not said(apart, "scatter")


def test_a_narrow_range_is_said():
    n, d = (
        x.ravel() for x in np.meshgrid(np.geomspace(1e9, 1.21e9, 5), np.geomspace(2e9, 6e10, 5))
    )
    clean = 1.8 + 480.0 * n**-0.34 + 2100.0 * d**-0.36
    runs = {
        "params": n,
        "tokens": d,
        "loss": clean * np.exp(0.001 * np.random.default_rng(0).normal(size=25)),
    }
    found = fit(runs)
    assert said(found, "params spans a factor of 1.21 alone")
    assert not said(found, "tokens spans")
    assert not said(fit(plain_runs()), "alone (")


def test_compute_beyond_the_runs_is_said():
    found = fit(plain_runs())
    most = float(6.0 * 3e9 * 6e10)
    (text,) = (
        each
        for each in found.as_dict(compute=[9.0 * most, 200.0 * most])["warnings"]
        if "beyond the runs" in each
    )
    assert "compute 200 times the largest (1.08e+21)" in text
    assert found.as_dict()["ranges"] == {
        "params": [1e8, pytest.approx(3e9)],
        "tokens": [2e9, pytest.approx(6e10)],
        "compute": [pytest.approx(1.2e18), pytest.approx(most)],
    }


@pytest.mark.parametrize("scale", [1e-300, 1e-120, 1e120, 1e300])
def test_the_solver_refuses_what_it_cannot_square(scale, recwarn):
    """Other fits than those of a loss come to it by themselves: those of pass@k, of first stages."""
    from isoflop.numeric.fit.fit import fit_form
    from isoflop.numeric.fit.models import PARAMS_TOKENS

    runs = plain_runs()
    table = replace(Runs.read(runs), loss=runs["loss"] * scale)
    with pytest.raises(ValueError, match="is a quantity in an impossible unit"):
        fit_form(table, PARAMS_TOKENS, Objective())
    assert not recwarn.list


@pytest.mark.parametrize("model", ["params-tokens", "E + A*N^-beta + B*D^-gamma"])
def test_a_fit_predicts_other_runs_and_has_estimates(model):
    found = fit(plain_runs(), model=model)
    other = Runs.read({"params": [3e9, 4e10], "tokens": [1e11, 2e12], "loss": [2.0, 2.0]})
    law = found.coefficients
    expected = (
        law["E"]
        + law["A"] * other.params ** -law["beta"]
        + law["B"] * other.tokens ** -law["gamma"]
    )
    assert found.predict(other) == pytest.approx(expected, rel=1e-13)
    for name, estimate in found.estimates(0.8).items():
        assert estimate.value == law[name]
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < estimate.value < estimate.high
