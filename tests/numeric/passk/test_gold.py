"""Composed laws against direct evaluation and differences with 50 digits."""

import mpmath
import numpy as np
import pytest

from isoflop.numeric.passk.gold import Composition, by_way_of_gold
from isoflop.numeric.passk.laws import fit_passk

MP = mpmath.mp.clone()
MP.dps = 50
COMPUTES = 10.0 ** np.arange(14, 30, 3.0)
#: xi0, K0, kappa, Eg, Gg, ag.
CASES = [
    (0.05, 2.0, 1.5, 0.2, 60.0, 0.1),
    (0.0, 2.0, 0.6, 0.2, 60.0, 0.1),
    (0.05, 2.0, 1.0, 0.2, 60.0, 0.1),
    (0.05, 2.0, 2.5, 0.0, 60.0, 0.1),
]


def reference(case):
    """y and y - E0 over log C."""
    xi0, K0, kappa, Eg, Gg, ag = map(MP.mpf, case)

    def neg_log(x):
        return xi0 + K0 * (Eg + Gg * MP.exp(-ag * x)) ** kappa

    limit = xi0 + (K0 * Eg**kappa if Eg else 0)
    return neg_log, lambda x: neg_log(x) - limit


def test_values_and_exponents_of_several_sets_at_once():
    found = Composition(np.array(CASES))
    y, above, total, local = (
        method(COMPUTES)
        for method in (found.neg_log, found.reducible, found.exponent, found.reducible_exponent)
    )
    for row, case in enumerate(CASES):
        neg_log, reducible = reference(case)
        for m, compute in enumerate(COMPUTES):
            x = MP.log(MP.mpf(compute))
            assert y[row, m] == pytest.approx(float(neg_log(x)), rel=1e-14)
            assert above[row, m] == pytest.approx(float(reducible(x)), rel=1e-13)
            slopes = (-MP.diff(lambda z, of=of: MP.log(of(z)), x) for of in (neg_log, reducible))
            assert (total[row, m], local[row, m]) == pytest.approx(
                [float(slope) for slope in slopes], rel=1e-10
            )


@pytest.mark.parametrize("case", CASES)
def test_the_implied_law_is_the_limit(case):
    far = 500  # of log C: beyond any compute, where only the leading order is left
    with MP.workdps(300):
        neg_log, _ = reference(case)
        limit = neg_log(MP.mpf(10) ** 5)
        slope = MP.log((neg_log(far) - limit) / (neg_log(far + 1) - limit))
        coefficient = (neg_log(far) - limit) * MP.exp(slope * far)
    found = Composition(np.array([case])).implied()[0]
    assert found == pytest.approx([float(limit), float(coefficient), float(slope)], rel=1e-12)


def test_beside_a_direct_law(drawn):
    counts = drawn("gold", seed=5).counts()
    laws = fit_passk(counts, law="gold", k=[1, 16], method="least-squares-log", resamples=30)
    for item, fit in zip(by_way_of_gold(laws), laws.fits, strict=True):
        direct = fit_passk(counts, k=[fit.k], method="least-squares-log").at(fit.k)
        assert item.direct.coefficients() == pytest.approx(
            dict(zip(("E", "C0", "alpha"), direct.coefficients.values(), strict=True))
        )
        assert item.implied["alpha"].value == pytest.approx(item.composition.implied()[0, 2])
        assert item.draws is not None
        low, high = np.quantile(item.draws.implied()[:, 2], [0.05, 0.95])
        assert (item.implied["alpha"].low, item.implied["alpha"].high) == pytest.approx((low, high))
        where, ratio = item.largest
        log_ratios = {
            row["compute"]: np.log(row["composed"] / row["fitted"]) for row in item.rows()
        }
        assert (
            ratio
            == pytest.approx(log_ratios[where])
            == pytest.approx(max(log_ratios.values(), key=abs))
        )
        row = item.rows()[0]
        assert row["lo"] <= row["composed"] <= row["hi"]
        slope = np.log(
            item.direct.loss(row["compute"] * 1.0001) / item.direct.loss(row["compute"])
        ) / np.log(1.0001)
        assert row["fitted_exponent"] == pytest.approx(-slope, rel=1e-3)
    with pytest.raises(ValueError, match="must be 'gold'"):
        by_way_of_gold(fit_passk(counts, k=[1], method="least-squares-log"))
