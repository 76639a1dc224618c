"""The irreducible term of -log pass@k falls with k, but no faster than for independent draws on equal problems."""

from __future__ import annotations

from sympy import Integer, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.passk import SCHAEFFER, floor_across
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import ByPositiveTerms, Claim, Derivation


def derivation() -> Derivation:
    """fail@(mk) >= fail@k^m in the limit of infinite compute, where -log pass@k is E0(k)."""
    lost, passed, m, t, x = (Symbol(name, positive=True) for name in ("h", "y", "m", "t", "x"))
    odds = t / (1 + t)
    return Derivation(
        name="irreducible_floor_across_k",
        title="The irreducible term across k",
        assumptions=(
            "E the limit of -log pass@k for C -> infinity at one k, and f = 1 - e^-E that of fail@k",
            "at m times as many draws a limit of fail@k between f^m and f, as for every distribution of problems",
        ),
        statement=r"E_0(k) \ge E_0(mk) \ge -\log\left(1 - \left(1 - e^{-E_0(k)}\right)^m\right)",
        steps=(
            Claim(
                "two_times_as_many_draws",
                floor_across(sym.E, Integer(2)),
                "==",
                sym.E - log(2 - exp(-sym.E)),
                "The bound is -log(1 - f^m); for m = 2, 1 - f^2 = (1 - f)(1 + f): doubling k takes at most log(1 + f) off the "
                "floor.",
            ),
            Claim(
                "more_failures_higher_floor",
                -log(passed),
                ">=",
                -log(passed + lost),
                "-log falls, so the order of the limits of pass@k is the reverse order of the floors: with y + h = 1 - f^m the "
                "bound "
                "from below, with y = 1 - f that from above.",
                ByMonotone(-log(x), x, passed, passed + lost, increasing=False),
            ),
            Claim(
                "floor_does_not_vanish",
                floor_across(-log(1 - odds ** (1 / m)), m) - odds,
                ">=",
                Integer(0),
                "With f^m = t/(1 + t) the bound is at least f^m, which is positive: the floor cannot become 0 at a larger k.",
                ByMonotone(
                    log(1 + x) - x / (1 + x),
                    x,
                    t,
                    Integer(0),
                    slope=ByPositiveTerms(form=x / (1 + x) ** 2),
                ),
            ),
        ),
        source=f"{SCHAEFFER}, for laws with an irreducible term E0(k); the bound is Jensen's inequality.",
        follows="Fitted floors at two k must satisfy both bounds; E0 = 0 at one k only is inconsistent.",
    )
