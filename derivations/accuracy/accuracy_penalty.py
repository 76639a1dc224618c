"""Off the optimum a benchmark loses at most (1 - Q_r) Q_max (P - 1) P^(-P/(P - 1)) of accuracy, whatever the budget."""

from __future__ import annotations

from sympy import Expr, Integer, Subs, exp, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.accuracy import AccuracyPenaltyForm
from isoflop.theory.proof.arguments import (
    ByConvexity,
    ByMonotone,
    ByPositiveTerms,
    BySameDifference,
    ByWeightedAmGm,
)
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step


def derivation() -> Derivation:
    """The accuracy lost at a penalty p = 1 + x, its maximum over budgets by weighted AM-GM, and both of its simple bounds."""
    x, room, v, y, R = symbols("x w v y u", positive=True)
    p, worst, greatest, simple = symbols("p u_0 F F_1", positive=True)
    accuracy, lost = function("Q"), function("f")
    law = AccuracyPenaltyForm(R, x, sym.E, 1 - room)
    span = room * exp(-sym.E)
    off = span * exp(-p * R)
    by_means = ByWeightedAmGm(terms=(off, greatest), weights=(1 / p, x / p))
    power, falling = p * log(p) / x, span * x * exp(-v)
    tangent_of_y_log_y = ByConvexity(y * log(y) / x, y, p, Integer(1))

    def brief(e: Expr) -> Expr:
        """With a name for the penalty."""
        return e.subs(law.penalty, p)

    steps = (
        step(
            "lost",
            (accuracy(R) - accuracy(p * R), "=", lost(R)),
            "Subtract the accuracy off the optimum:",
        ),
        step(
            "without_cancellation",
            (lost(R), "=", span * exp(-R) * (1 - exp(-x * R))),
            say("Take {} out:", exp(-R)),
        ),
        step(
            "stationary",
            (Subs(Partial(lost(R), R), R, worst), "=", 0),
            say("{} is {} times {} at {}:", exp(-R), p, exp(-p * R), (R, "=", worst)),
        ),
        step("attained", (lost(worst), "=", greatest), "The value there:"),
        step(
            "greatest",
            (lost(R), "<=", greatest),
            say(
                "Weighted AM-GM of {} and {} with the weights {} and {}:",
                off,
                greatest,
                1 / p,
                x / p,
            ),
            BySameDifference(off + greatest, span * exp(-R), by_means),
        ),
        step(
            "power",
            (power, ">=", 1),
            say("{} lies above its tangent {} at one:", y * log(y), y - 1),
            tangent_of_y_log_y,
        ),
        step(
            "simple_bound",
            (greatest, "<=", simple),
            say("{} is {} to minus this power, times {}:", greatest, exp(1), span * x),
            ByMonotone(falling, v, power, Integer(1), increasing=False, order=tangent_of_y_log_y),
            assume=(power,),
        ),
        step(
            "lower_bound",
            (greatest, ">=", simple * exp(-x)),
            say("And {} is at most {}:", log(p), x),
            ByMonotone(
                falling,
                v,
                power,
                p,
                increasing=False,
                order=BySameDifference(-power, -p, ByConvexity(-p / x * log(y), y, p, Integer(1))),
            ),
            assume=(power,),
        ),
        step(
            "worst_below_one",
            (1, ">", worst),
            "The logarithm lies below its tangent at one:",
            BySameDifference(-worst, Integer(-1), ByConvexity(-log(y) / x, y, p, Integer(1))),
        ),
        step(
            "worst_above",
            (worst, ">", 1 / p),
            say("And {} above its own:", y * log(y)),
            ByConvexity(y * log(y) / (x * p), y, p, Integer(1)),
        ),
        step(
            "never_gained",
            (lost(R), ">=", 0),
            "The exponential falls:",
            ByMonotone(
                span * (exp(-R) - exp(-R - v)), v, x * R, Integer(0), order=ByPositiveTerms()
            ),
        ),
    )
    return Derivation(
        name="accuracy_penalty",
        title="What training off the optimum costs in accuracy",
        assumptions=(
            say(
                "Let {} be the accuracy at the reducible part {} of its negative logarithm, with "
                "{}, {}, and {}. Off the optimum that part is {} times the least one.",
                (accuracy(R), "=", 1 - room + room * exp(-sym.E - R)),
                (R, ">", 0),
                (room, ">", 0),
                (sym.E, ">=", 0),
                (x, ">", 0),
                p,
            ),
        ),
        definitions=(
            Definition(p, 1 + x),
            Definition(accuracy(R), 1 - room + room * exp(-sym.E - R)),
            Definition(lost(R), brief(law.lost)),
            Definition(worst, brief(law.worst_reducible)),
            Definition(greatest, brief(law.greatest_lost)),
            Definition(simple, law.simple_bound),
        ),
        statement=say(
            "Off the optimum the accuracy {} is lost, {lost} and {never_gained}. It is "
            "greatest at {}, between the reciprocal of the penalty and one, {attained} and "
            "{greatest}, where {worst_above} and {worst_below_one}; and this lies between "
            "two multiples of the excess, {lower_bound} and {simple_bound}.",
            lost(R),
            worst,
        ),
        steps=steps,
        source="Krajewski et al. 2025, arXiv 2512.08894, equations 3 and 10, for the accuracy; weighted AM-GM.",
        follows=(
            "A penalty of 10 % in the negative logarithm of accuracy costs at most 3.5 points of accuracy above guessing, near "
            "where the accuracy curve is steepest; well below and well above that it costs less."
        ),
    )
