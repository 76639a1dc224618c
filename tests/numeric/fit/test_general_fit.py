"""Laws as their user writes them, through the front door: the optimum of the named model, other
columns, what is no law.
"""

import numpy as np
import pytest
import sympy
from tests.data import LAW, grid_runs

from isoflop.numeric.fit import OBJECTIVES, fit
from isoflop.numeric.fit.models import MODELS, Expression
from isoflop.numeric.fit.resample import case_weights

FORMULA = "E + A*N^-beta + B*D^-gamma"


def table(noise=0.01, seed=0, **more):
    return grid_runs(noise=noise, seed=seed, **more)


# -- the named laws, written out -------------------------------------------------------------------

#: The general solver stops at 1e-14 of the objective; coefficients are flatter by the condition of
#: the law as written.
SAME_MINIMUM, SAME_COEFFICIENTS = 1e-9, 1e-4


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_optimum_of_the_named_model(chinchilla_240, objective):
    named, general = (
        fit(chinchilla_240, objective=objective),
        fit(chinchilla_240, model=FORMULA, objective=objective),
    )
    assert general.converged
    assert general.objective_value == pytest.approx(named.objective_value, rel=SAME_MINIMUM)
    for name, value in named.coefficients.items():
        assert general.coefficients[name] == pytest.approx(value, rel=SAME_COEFFICIENTS)
    np.testing.assert_allclose(general.residuals, named.residuals, atol=1e-6)


def test_a_sympy_expression_is_its_text():
    n, d, E, A, B, beta, gamma = sympy.symbols("N D E A B beta gamma", positive=True)
    runs = table()
    one, other = fit(runs, model=FORMULA), fit(runs, model=E + A * n**-beta + B * d**-gamma)
    assert set(one.coefficients) == set(other.coefficients)
    for name, value in one.coefficients.items():
        assert other.coefficients[name] == pytest.approx(value, rel=SAME_COEFFICIENTS)


def test_uncertainty_of_the_named_model():
    """Of the same coefficients: covariances of A and B as they are, not of their logarithms."""
    runs = table()
    named, general = (
        fit(runs, objective="least-squares-log"),
        fit(runs, model=FORMULA, objective="least-squares-log"),
    )
    for name, estimate in named.estimates().items():
        error = general.estimate(name).standard_error
        assert error == pytest.approx(estimate.standard_error, rel=1e-4)
    interval = general.estimates()["A"]
    low, high = interval.low, interval.high
    assert low is not None
    assert high is not None
    middle = 0.5 * (low + high)  # of 1,000 draws
    assert middle == pytest.approx(general.coefficients["A"], abs=0.1 * (high - low))
    weights = case_weights(None, 30, 20, np.random.default_rng(1))
    own, drawn = (one.solution.refit(weights=weights).coefficients for one in (named, general))
    order = [list(general.coefficients).index(name) for name in named.coefficients]
    np.testing.assert_allclose(drawn[:, order], own, rtol=1e-3)


@pytest.mark.parametrize(
    "given",
    [{"fixed": {"E": 1.5}}, {"bounds": {"beta": (0.4, None)}}, {"bounds": {"E": (None, 1.6)}}],
)
def test_fixed_and_bounded(given):
    runs = table()
    named, general = (
        fit(runs, model=model, objective="least-squares-log", **given)
        for model in ("params-tokens", FORMULA)
    )
    assert general.converged
    assert general.objective_value == pytest.approx(named.objective_value, rel=1e-8)
    assert set(general.solution.at_bound) == set(named.solution.at_bound)
    np.testing.assert_array_equal(
        [general.solution.free[list(general.coefficients).index(n)] for n in LAW],
        named.solution.free,
    )


def test_a_law_with_a_name_is_one_declaration(monkeypatch):
    named = Expression("E + a*N^-b*D^-c + k*log(D)", "product-log")
    monkeypatch.setitem(MODELS, named.name, named)
    runs = table()
    one, other = fit(runs, model="product-log"), fit(runs, model=named.expression)
    assert one.coefficients == other.coefficients
    assert one.model.coefficients == ("E", "a", "b", "c", "k")


# -- laws and columns of one's own -----------------------------------------------------------------


def test_a_law_of_ones_own_has_its_envelope():
    runs = table()
    general = fit(runs, model="E + A/N^a + B/D^b", objective="least-squares-log")
    named = fit(runs, objective="least-squares-log")
    assert general.law.loss(params=1e9, tokens=1e10) == pytest.approx(
        named.law.loss(1e9, 1e10), rel=1e-7
    )
    assert general.law.envelope.loss(1e22) == pytest.approx(named.law.envelope.loss(1e22), rel=1e-6)


def test_other_columns():
    """Gadre et al. 2024: M = D/N as a column of its own, and two powers with one exponent."""
    runs = table(0.0)
    c, m = 6.0 * runs["params"] * runs["tokens"], runs["tokens"] / runs["params"]
    loss = 1.8 + (150.0 * m**0.12 + 300.0 * m**-0.12) * c**-0.12
    found = fit(
        {**runs, "loss": loss, "M": m},
        model="E + (a*M^eta + b*M^-eta)*C^-eta",
        objective="least-squares",
    )
    assert found.converged
    assert found.model.variables == ("M", "C")
    assert found.coefficients == pytest.approx(
        {"E": 1.8, "a": 150.0, "b": 300.0, "eta": 0.12}, rel=1e-7
    )


def test_a_linear_law_against_numpy():
    random = np.random.default_rng(0)
    x, c = random.uniform(1.0, 3.0, 20), np.logspace(18, 20, 20)
    y = 2.0 + 0.5 * x + 0.01 * random.normal(size=20)
    found = fit(
        {"compute": c, "loss": y, "x": x}, model="u + v*x + w*log(C)", objective="least-squares"
    )
    columns = np.column_stack([np.ones(20), x, np.log(c)])
    expected, rest, *_ = np.linalg.lstsq(columns, y, rcond=None)
    assert found.converged
    np.testing.assert_allclose([found.coefficients[name] for name in "uvw"], expected, rtol=1e-6)
    assert found.objective_value == pytest.approx(rest[0], rel=1e-9)


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        (
            "E + A*Z^-b",
            {},
            "model='E \\+ A\\*Z\\^-b': names no column of the runs, which have N, D, C",
        ),
        ("1 + N", {}, "model='1 \\+ N': has no coefficients"),
        ("E +* N", {}, "'E \\+\\* N': unexpected '\\*'"),
        ("", {}, ""),
        ("__import__('os')", {}, ""),
        (3, {}, "model=3: must be a name, a formula or a SymPy expression"),
        (None, {}, "model=None: must be a name"),
        (sympy.Symbol("N") + 1, {}, "model='N \\+ 1': has no coefficients"),
        (FORMULA, {"fixed": {"alpha": 1.0}}, "coefficient alpha"),
    ],
)
def test_what_is_no_law(model, given, message):
    with pytest.raises(ValueError, match="^" + message):
        fit(table(), model=model, **given)
