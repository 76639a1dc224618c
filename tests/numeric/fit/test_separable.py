"""The separable law against what SymPy derives from the theory's own form, and against 40-digit
differentiation.
"""

import mpmath
import numpy as np
import pytest
import sympy

from isoflop.numeric.fit.expression import ExpressionModel
from isoflop.numeric.fit.separable import Centred
from isoflop.theory import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS

mp = mpmath.mp.clone()
mp.dps = 40

RANDOM = np.random.default_rng(2203)
RUNS = 17
LOGS = RANDOM.uniform(-3.0, 3.0, (2, RUNS))
THETA = np.column_stack(
    [
        RANDOM.uniform(0.0, 3.0, 5),
        RANDOM.uniform(-4.0, 2.0, (5, 2)),
        RANDOM.uniform(0.05, 1.5, (5, 2)),
    ]
)
FACTORS = RANDOM.normal(size=(5, RUNS))
#: exp of at most 3*1.5 + 4 costs a few units of the last place.
ROUNDING = 1e-13


@pytest.fixture(scope="module")
def derived():
    """E + A N^-beta + B D^-gamma with A = exp(T1), B = exp(T2), in T1, T2 and the exponents, by
    generated code.
    """
    first, second = sympy.symbols("T1 T2", real=True)
    loss = PARAMS_TOKENS.loss.subs({sym.A: sympy.exp(first), sym.B: sympy.exp(second)})
    variables = {"N": np.exp(LOGS[0]), "D": np.exp(LOGS[1])}
    return ExpressionModel(loss, variables, ("E", "T1", "T2", "beta", "gamma"))


def test_values_and_first_derivatives(derived):
    values, jacobian = Centred(LOGS).evaluate(THETA)
    expected, slopes = derived.evaluate(THETA)
    np.testing.assert_allclose(values, expected, rtol=ROUNDING)
    np.testing.assert_allclose(jacobian, slopes, rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("in_logs", [False, True])
def test_second_derivatives(derived, in_logs):
    model = Centred(LOGS)
    values, jacobian = model.evaluate(THETA)
    divisor = values if in_logs else None
    if in_logs:
        jacobian = jacobian / values[:, None, :]
    gradient = np.einsum("kpn,kn->kp", jacobian, FACTORS)
    found = model.curvature(THETA, FACTORS, jacobian, gradient, divisor)
    expected = derived.curvature(THETA, FACTORS, jacobian, gradient, divisor)
    # Sums of terms of both signs: rounding of the largest of them.
    np.testing.assert_allclose(found, expected, rtol=ROUNDING, atol=ROUNDING * np.abs(found).max())


@pytest.mark.parametrize("terms", [1, 2, 3])
@pytest.mark.parametrize("irreducible", [True, False])
def test_any_number_of_terms_by_numerical_differentiation(terms, irreducible):
    random = np.random.default_rng(terms)
    logs = random.uniform(-2.0, 2.0, (terms, 4))
    model = Centred(logs, irreducible)
    theta = random.uniform(0.2, 1.2, model.width)

    def value(run, *given):
        at = list(given)
        total = at.pop(0) if irreducible else mp.mpf(0)
        return total + mp.fsum(
            mp.exp(at[k] - at[terms + k] * mp.mpf(logs[k, run])) for k in range(terms)
        )

    assert model.size == 4
    assert model.width == len(theta)
    values, jacobian = model.evaluate(theta[None])
    exact = [mp.mpf(x) for x in theta]
    for run in range(4):
        only = np.zeros((1, 4))
        only[0, run] = 1.0
        hessian = model.curvature(theta[None], only, jacobian, jacobian[:, :, run], None)[0]
        assert values[0, run] == pytest.approx(float(value(run, *exact)), rel=ROUNDING)
        for i in range(model.width):
            orders = [int(i == k) for k in range(model.width)]
            slope = mp.diff(lambda *x, run=run: value(run, *x), exact, tuple(orders))
            assert jacobian[0, i, run] == pytest.approx(float(slope), rel=ROUNDING, abs=ROUNDING)
            for j in range(model.width):
                twice = tuple(order + int(j == k) for k, order in enumerate(orders))
                bend = mp.diff(lambda *x, run=run: value(run, *x), exact, twice)
                assert hessian[i, j] == pytest.approx(float(bend), rel=ROUNDING, abs=ROUNDING)


def test_some_of_the_runs():
    whole, part = Centred(LOGS).evaluate(THETA), Centred(LOGS).part(slice(3, 9)).evaluate(THETA)
    np.testing.assert_array_equal(part[0], whole[0][:, 3:9])
    np.testing.assert_array_equal(part[1], whole[1][:, :, 3:9])


# -- retraction --------------------------------------------------------------------------------------------------------

BOX = np.array([0.0, -50.0, -50.0, 1e-3, 1e-3]), np.array([np.inf, 50.0, 50.0, 10.0, 10.0])
START = np.array([[1.7, 0.3, 0.1, 0.35, 0.4]])


def reached(move, box=BOX, model=None):
    model = model or Centred(LOGS)
    values, jacobian = model.evaluate(START)
    return model.retract(START, move, values, jacobian, *(np.atleast_2d(side) for side in box))


@pytest.mark.parametrize("seed", range(5))
def test_retraction_agrees_with_the_step_to_first_order(seed):
    """R(t v) = theta + t v + O(t^2): halving t takes the difference to a quarter, within a
    twentieth at steps this small.
    """
    direction = np.random.default_rng(seed).normal(size=(1, 5))
    apart = [np.linalg.norm(reached(t * direction) - START - t * direction) for t in (1e-3, 5e-4)]
    assert apart[1] == pytest.approx(0.25 * apart[0], rel=0.05)


def test_retraction_keeps_the_exponents_of_the_step():
    move = np.array([[0.1, -0.2, 0.1, 0.05, -0.1]])
    np.testing.assert_allclose(reached(move)[:, 3:], (START + move)[:, 3:], rtol=1e-15)


def test_linear_coefficients_are_the_best_ones_for_the_foretold_values():
    """Least squares of relative differences from values + J step, by NumPy's orthogonal
    decomposition.
    """
    model, move = Centred(LOGS), np.array([[0.2, -0.3, 0.2, 0.08, -0.1]])
    values, jacobian = model.evaluate(START)
    foretold = values[0] + move[0] @ jacobian[0]
    exponents = (START + move)[0, 3:]
    columns = np.vstack([np.ones(RUNS), np.exp(-exponents[:, None] * LOGS)]) / values[0]
    expected = np.linalg.lstsq(columns.T, foretold / values[0], rcond=None)[0]
    found = reached(move)[0]
    # The normal equations lose as many digits again as the columns are close to each other: their
    # condition is about 1e3.
    np.testing.assert_allclose([found[0], *np.exp(found[1:3])], expected, rtol=1e-9)


def test_a_step_below_no_irreducible_loss_ends_on_it():
    """The exponents have gone the share of their way at which E is 0, and all is finite."""
    move = np.array([[-1.9, 0.3, 0.4, 0.01, -0.01]])
    found = reached(move)
    assert found[0, 0] == 0.0
    assert np.isfinite(found).all()
    shares = (found - START)[0, 3:] / move[0, 3:]
    assert shares[0] == pytest.approx(shares[1], rel=1e-12)
    assert 0.0 < shares[0] < 1.0


def test_retraction_stays_in_the_box_and_moves_nothing_that_is_held():
    lower, upper = BOX[0].copy(), BOX[1].copy()
    lower[1] = upper[1] = START[0, 1]
    upper[4] = 0.45
    found = reached(np.array([[0.1, 0.0, 0.2, -0.1, 0.3]]), (lower, upper))[0]
    assert found[1] == START[0, 1]
    assert (found >= lower).all()
    assert (found <= upper).all()


def test_retraction_of_many_is_that_of_each():
    moves = 0.1 * np.random.default_rng(4).normal(size=(5, 5))
    model = Centred(LOGS)
    values, jacobian = model.evaluate(THETA)
    together = model.retract(THETA, moves, values, jacobian, *(np.atleast_2d(side) for side in BOX))
    for k in range(5):
        one = slice(k, k + 1)
        alone = model.retract(
            THETA[one],
            moves[one],
            values[one],
            jacobian[one],
            *(np.atleast_2d(side) for side in BOX),
        )
        np.testing.assert_allclose(together[one], alone, rtol=1e-12)
