"""Off the optimum a benchmark loses at most (1 - Q_r) Q_max (P - 1) P^(-P/(P - 1)) of accuracy, whatever the budget."""

from __future__ import annotations

from sympy import Integer, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.accuracy import AccuracyPenalty
from isoflop.theory.algebra.functions import defined
from isoflop.theory.proof.argument_calculus import ByConvexity, ByMonotone, BySameDifference
from isoflop.theory.proof.claim import ByPositiveTerms, ByWeightedAmGm, Claim, Derivation


def derivation() -> Derivation:
    """The accuracy lost at a penalty P = 1 + x, its maximum over budgets by weighted AM-GM, and both of its simple bounds."""
    x, room, v, y = (Symbol(name, positive=True) for name in ("x", "h", "v", "y"))
    law = AccuracyPenalty(sym.REDUCIBLE, x, sym.E, 1 - room)
    P, R, span = law.penalty, sym.REDUCIBLE, room * exp(-sym.E)
    worst, greatest = law.worst_reducible, law.greatest_lost
    off = span * exp(-P * R)
    by_means = ByWeightedAmGm(terms=(off, greatest), weights=(1 / P, x / P))
    power, falling = P * log(P) / x, span * x * exp(-v)
    tangent_of_y_log_y = ByConvexity(y * log(y) / x, y, P, Integer(1))
    steps = (
        Claim(
            "lost",
            law.optimal - law.off_optimum,
            "==",
            law.lost,
            "Subtract the accuracy off the optimum.",
        ),
        Claim(
            "without_cancellation",
            law.optimal - law.off_optimum,
            "==",
            defined(law.safe_lost),
            "Take exp(-R) out: the rest is -expm1(-(P - 1) R).",
        ),
        Claim(
            "stationary",
            law.lost.diff(R).subs(R, worst),
            "==",
            Integer(0),
            "exp(-R) = P exp(-P R) where R = log P/(P - 1).",
        ),
        Claim(
            "attained", law.lost.subs(R, worst), "==", greatest, "There exp(-R) = P^(-1/(P - 1))."
        ),
        Claim(
            "greatest",
            law.lost,
            "<=",
            greatest,
            "It is the maximum: weighted AM-GM with weights 1/P and (P - 1)/P on the accuracy off the optimum and the bound.",
            BySameDifference(off + greatest, span * exp(-R), by_means),
        ),
        Claim(
            "power",
            power,
            ">=",
            Integer(1),
            "y log y lies above its tangent y - 1 at y = 1,",
            tangent_of_y_log_y,
        ),
        Claim(
            "simple_bound",
            greatest,
            "<=",
            law.simple_bound,
            "so that the bound is at most (1 - Q_r) Q_max (P - 1)/e,",
            ByMonotone(falling, v, power, Integer(1), increasing=False, order=tangent_of_y_log_y),
            assume=(power,),
        ),
        Claim(
            "lower_bound",
            greatest,
            ">=",
            law.simple_bound * exp(-x),
            "and log P <= P - 1 leaves it at least exp(-(P - 1)) times that: for P close to 1 the two agree.",
            ByMonotone(
                falling,
                v,
                power,
                P,
                increasing=False,
                order=BySameDifference(-power, -P, ByConvexity(-P / x * log(y), y, P, Integer(1))),
            ),
            assume=(power,),
        ),
        Claim(
            "worst_below_one",
            Integer(1),
            ">",
            worst,
            "The same tangent: the worst R lies below 1, that is the worst accuracy above the inflection in log C,",
            BySameDifference(-worst, Integer(-1), ByConvexity(-log(y) / x, y, P, Integer(1))),
        ),
        Claim(
            "worst_above",
            worst,
            ">",
            1 / P,
            "and above 1/P: it tends to 1 with P.",
            ByConvexity(y * log(y) / (x * P), y, P, Integer(1)),
        ),
        Claim(
            "never_gained",
            law.lost,
            ">=",
            Integer(0),
            "Accuracy is never gained: exp falls.",
            ByMonotone(
                span * (exp(-R) - exp(-R - v)), v, x * R, Integer(0), order=ByPositiveTerms()
            ),
        ),
    )
    return Derivation(
        name="accuracy_penalty",
        title="What training off the optimum costs in accuracy",
        assumptions=(
            "Q = Q_r + (1 - Q_r) exp(-E - R) with 0 <= Q_r < 1, E >= 0; h = 1 - Q_r",
            "R = R*(C) at the optimum and P R*(C) off it, P = 1 + x > 1 the same at every budget",
        ),
        statement=(
            r"Q^*-Q = (1-Q_r)\,e^{-E}\left(e^{-R}-e^{-PR}\right) \le (1-Q_r)\,e^{-E}\,(P-1)\,P^{-P/(P-1)}"
            r" \le (1-Q_r)\,e^{-E}\,\frac{P-1}{e}, \qquad R_{\text{worst}} = \frac{\log P}{P-1}"
        ),
        steps=steps,
        source="Krajewski et al. 2025, arXiv 2512.08894, equations 3 and 10, for the accuracy; weighted AM-GM.",
        follows=(
            "A penalty of 10 % in -log of accuracy costs at most 3.5 points of accuracy above guessing, at 1/e of the way to the "
            "ceiling, where the accuracy curve is steepest in log C; well below and well above it costs less."
        ),
    )
