"""Accuracy lost off the optimum, against optimisation and differentiation with many digits."""

import mpmath
import pytest
from sympy import Rational

from isoflop.theory.accuracy import AccuracyPenaltyForm
from isoflop.theory.kernel.evaluate import PointEvaluator
from isoflop.theory.kernel.functions import defined

mp = mpmath.mp.clone()
mp.dps = 50
evaluate = PointEvaluator(50).evaluate
E, GUESS = Rational("0.1"), Rational("0.25")


def lost(reducible, penalty):
    return mp.mpf("0.75") * (
        mp.exp(-mp.mpf("0.1") - reducible) - mp.exp(-mp.mpf("0.1") - penalty * reducible)
    )


@pytest.mark.parametrize("excess", ["0.001", "0.3", "5"])
def test_the_greatest_loss_by_root_finding(excess):
    penalty = 1 + mp.mpf(excess)
    at = mp.findroot(
        lambda r: mp.diff(lambda z: lost(z, penalty), r), mp.mpf("0.9") / mp.sqrt(penalty)
    )
    law = AccuracyPenaltyForm(Rational("0.7"), Rational(excess), E, GUESS)
    for form in (law.greatest_lost, defined(law.safe_greatest_lost)):
        assert evaluate(form, {}) == pytest.approx(lost(at, penalty), rel=1e-12)
    for form in (law.lost, defined(law.safe_lost)):
        assert evaluate(form, {}) == pytest.approx(lost(mp.mpf("0.7"), penalty), rel=1e-30)
