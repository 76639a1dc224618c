"""Composed laws against direct evaluation, differences and root finding with 50 digits."""

import math

import mpmath
import numpy as np
import pytest

from isoflop.numeric.compute_law import ComputeLaw
from isoflop.numeric.passk.composition import GoldLaw, GoldOfCompute, compare, compose, fit_gold_of_compute

MP = mpmath.mp.clone()
MP.dps = 50
COMPUTES = 10.0 ** np.arange(14, 30, 3.0)
CASES = [
    ((0.05, 2.0, 1.5), (0.2, 60.0, 0.1)),
    ((0.0, 2.0, 0.6), (0.2, 60.0, 0.1)),
    ((0.05, 2.0, 1.0), (0.2, 60.0, 0.1)),
    ((0.05, 2.0, 2.5), (0.0, 60.0, 0.1)),
]


def reference(gold, law):
    """y and y - E0 over log C."""
    xi0, K0, kappa = map(MP.mpf, gold)
    Eg, Gg, ag = map(MP.mpf, law)

    def neg_log(x):
        return xi0 + K0 * (Eg + Gg * MP.exp(-ag * x)) ** kappa

    limit = xi0 + (K0 * Eg**kappa if Eg else 0)
    return neg_log, lambda x: neg_log(x) - limit


@pytest.mark.parametrize(("gold", "law"), CASES)
def test_values_and_exponents(gold, law):
    both = compose(gold, law)
    neg_log, reducible = reference(gold, law)
    for compute in COMPUTES:
        x = MP.log(MP.mpf(compute))
        assert both.neg_log(compute) == pytest.approx(float(neg_log(x)), rel=1e-14)
        assert both.pass_at_k(compute) == pytest.approx(float(MP.exp(-neg_log(x))), rel=1e-13)
        assert both.reducible(compute) == pytest.approx(float(reducible(x)), rel=1e-14)
        local = -MP.diff(lambda z: MP.log(reducible(z)), x)
        assert both.local_exponent(compute) == pytest.approx(float(local), rel=1e-10)
        total = -MP.diff(lambda z: MP.log(neg_log(z)), x)
        assert both.total_exponent(compute) == pytest.approx(float(total), rel=1e-10)
    assert both.neg_log(COMPUTES) == pytest.approx([both.neg_log(c) for c in COMPUTES], rel=1e-15)


@pytest.mark.parametrize(("gold", "law"), CASES)
def test_the_implied_law_is_the_limit(gold, law):
    both = compose(gold, law)
    implied = both.implied
    far = 500  # of log C: beyond any compute, where only the leading order is left
    with MP.workdps(300):
        neg_log, _ = reference(gold, law)
        limit = neg_log(MP.mpf(10) ** 5)
        slope = MP.log((neg_log(far) - limit) / (neg_log(far + 1) - limit))
        coefficient = (neg_log(far) - limit) * MP.exp(slope * far)
    assert implied.alpha == pytest.approx(float(slope), rel=1e-12)
    found = implied.coefficients()
    assert found["E"] == pytest.approx(float(limit), rel=1e-12)
    assert found["C0"] == pytest.approx(float(coefficient), rel=1e-12)
    small, large = both.exponent_limits
    assert large == pytest.approx(implied.alpha, rel=1e-14)
    assert both.local_exponent(1e-200) == pytest.approx(small, rel=1e-6)
    assert (both.case.startswith("Eg > 0")) == (law[0] > 0)


def test_no_digits_are_lost_close_to_the_floor():
    gold, law = CASES[0]
    both = compose(gold, law)
    with MP.workdps(120):
        _, reducible = reference(gold, law)
        exact = float(reducible(MP.log(MP.mpf(10) ** 280)))
    assert both.reducible(1e280) == pytest.approx(exact, rel=1e-12)
    assert both.local_exponent(1e280) == pytest.approx(0.1, rel=1e-12)


@pytest.mark.parametrize("error", [1e-6, 0.01, 0.3])
@pytest.mark.parametrize("kappa", [0.5, 1.5, 4.0])
def test_where_each_form_is_good(kappa, error):
    gold, law = (0.05, 2.0, kappa), (0.2, 60.0, 0.1)
    both = compose(gold, law)
    implied = both.implied
    neg_log, reducible = reference(gold, law)
    above = MP.log(MP.mpf(both.good_above(error)))
    miss = reducible(above) / (MP.mpf(implied.C0) * MP.exp(-MP.mpf("0.1") * above)) - 1
    assert float(abs(miss)) == pytest.approx(error, rel=1e-6)
    below = MP.log(MP.mpf(both.good_below(error)))
    bare = 2 * (60 * MP.exp(-MP.mpf("0.1") * below)) ** MP.mpf(kappa)
    assert float((neg_log(below) - MP.mpf("0.05")) / bare - 1) == pytest.approx(error, rel=1e-6)
    correction = both.correction(both.good_above(error))
    assert correction == pytest.approx(float(miss), rel=4 * error + 1e-6)


def test_forms_that_are_exact_are_good_everywhere():
    linear, bare = compose(*CASES[2]), compose(*CASES[3])
    assert linear.good_above(1e-6) == bare.good_above(1e-6) == 0.0
    assert bare.good_below(1e-6) == math.inf
    assert bare.correction(1e20) == 0.0
    assert bare.as_dict()["without_floor_good_to_1_percent_below"] is None


def test_draws_give_intervals_each_by_its_own_case():
    rng = np.random.default_rng(3)
    gold_draws = np.array([0.05, 2.0, 1.5]) * rng.lognormal(0.0, 0.05, (101, 3))
    law_draws = np.array([0.2, 60.0, 0.1]) * rng.lognormal(0.0, 0.05, (101, 3))
    law_draws[::4, 0] = 0.0
    both = compose(*CASES[0], gold_draws=gold_draws, compute_draws=law_draws)
    singles = [compose(g, c) for g, c in zip(gold_draws, law_draws, strict=True)]
    for quantity in ("gold", "neg_log", "pass_at_k", "reducible", "local_exponent", "total_exponent", "correction"):
        band = both.band(quantity, [1e18, 1e22], level=0.8)
        values = np.array([getattr(single, quantity)([1e18, 1e22]) for single in singles])
        assert band.low == pytest.approx(np.quantile(values, 0.1, axis=0), rel=1e-12)
        assert band.high == pytest.approx(np.quantile(values, 0.9, axis=0), rel=1e-12)
        assert band.value == pytest.approx(getattr(compose(*CASES[0]), quantity)([1e18, 1e22]), rel=1e-15)
    bands = both.implied_bands(0.8)
    assert bands["alpha"].high == pytest.approx(np.quantile([single.implied.alpha for single in singles], 0.9), rel=1e-12)
    assert bands["E"].value == both.implied.E
    assert both.as_dict()["draws_with_gold_floor"] == 75
    one_sided = compose(*CASES[0], gold_draws=gold_draws)
    assert one_sided.band("gold", 1e20).low == pytest.approx(one_sided.band("gold", 1e20).high, rel=1e-15)
    assert compose(*CASES[0]).band("neg_log", 1e20).low is None


def test_comparison_with_a_direct_law():
    both = compose(*CASES[0])
    same = compare(both, both.implied, [1e20, 1e270])
    assert abs(same.difference[1]) < 1e-16
    direct = ComputeLaw(E=0.1, C0=1000.0, alpha=0.13)
    found = compare(both, direct, COMPUTES, k=10)
    assert found.fitted == pytest.approx(direct.loss(COMPUTES), rel=1e-14)
    slopes = np.diff(np.log(direct.loss(COMPUTES * np.exp([[-1e-5], [1e-5]]))), axis=0)[0] / 2e-5
    assert found.fitted_exponent == pytest.approx(-slopes, rel=1e-8)
    assert found.rows()[0]["k"] == 10
    assert found.low is None
    where, ratio = found.largest
    assert abs(ratio) == np.abs(np.log(found.composed / found.fitted)).max()
    assert where in COMPUTES
    assert "k = 10." in str(found)
    assert found.as_dict()["direct"]["alpha"] == 0.13


def test_a_fitted_law_of_the_gold_likelihood():
    compute = 10.0 ** np.arange(18, 24, 0.5)
    fit = fit_gold_of_compute(compute, 0.2 + 60 * compute**-0.1)
    both = compose({"xi0": 0.05, "K0": 2.0, "kappa": 1.5}, fit)
    assert both.compute_law.Eg == pytest.approx(0.2, rel=1e-6)
    assert both.compute_law.ag == pytest.approx(0.1, rel=1e-6)
    assert compare(both, fit, compute).fitted == pytest.approx(both.gold(compute), rel=1e-12)


def test_any_spelling_of_the_two_laws():
    one = compose(GoldLaw(xi0=0.05, K0=2.0, kappa=1.5), GoldOfCompute(Eg=0.2, Gg=60.0, ag=0.1))
    others = [{"Eg": 0.2, "Gg": 60.0, "ag": 0.1}, {"E": 0.2, "C0": 60.0, "alpha": 0.1}, ComputeLaw(E=0.2, C0=60.0, alpha=0.1)]
    assert all(compose((0.05, 2.0, 1.5), other).as_dict() == one.as_dict() for other in others)
    assert "exponent 0.15 for C -> 0" in str(one)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: compose((0.0, 2.0), CASES[0][1]), "xi0, K0, kappa"),
        (lambda: compose((0.0, 2.0, -1.0), CASES[0][1]), "kappa=-1.0"),
        (lambda: compose(3.0, CASES[0][1]), "xi0, K0, kappa"),
        (lambda: compose({"xi0": 0.0}, CASES[0][1]), "a mapping with xi0, K0, kappa"),
        (lambda: compose(*CASES[0], gold_draws=[[0.0, 1.0]]), r"gold_draws='shape \(1, 2\)'"),
        (lambda: compose(*CASES[0], gold_draws=[[0.0, 1.0, 1.0], [0.0, np.nan, 1.0]]), r"gold_draws\[1\]"),
        (lambda: compose(*CASES[0], gold_draws=[CASES[0][0]], compute_draws=[CASES[0][1]] * 2), "as many as gold_draws: 1"),
        (lambda: compose(*CASES[0]).neg_log(0.0), "compute"),
        (lambda: compose(*CASES[0]).band("loss", 1.0), "quantity='loss'"),
        (lambda: compose(*CASES[0]).good_above(0.0), "error=0.0"),
        (lambda: compose(*CASES[0]).good_above(1e-12), "at least 1e-09"),
        (lambda: compare(compose(*CASES[0]), ComputeLaw(C0=1.0, alpha=0.1), [1e20]), "E=None"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ValueError, match=said):
        call()
