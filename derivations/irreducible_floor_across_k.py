"""The irreducible term of -log pass@k falls with k, but no faster than for independent draws on equal problems."""

from __future__ import annotations

from sympy import Integer, Symbol, exp, log

from isoflop.theory import symbols as sym
from isoflop.theory.argument_calculus import ByMonotone
from isoflop.theory.claim import ByPositiveTerms, Claim, Derivation
from isoflop.theory.passk import SCHAEFFER, floor_across


def derivation() -> Derivation:
    """fail@(mk) >= fail@k^m in the limit of infinite compute, where -log pass@k is E0(k)."""
    lost, passed, m, t, x = (Symbol(name, positive=True) for name in ("h", "y", "m", "t", "x"))
    odds = t / (1 + t)
    return Derivation(
        name="irreducible_floor_across_k",
        title="The irreducible term across k",
        assumptions=(
            "-log pass@k tends to E0(k) for C -> infinity, so fail@k tends to f = 1 - e^-E0(k)",
            "fail@k >= fail@(mk) >= fail@k^m for every distribution of problems (fail_at_k_is_log_convex)",
        ),
        statement=r"E_0(k) \ge E_0(mk) \ge -\log\left(1 - \left(1 - e^{-E_0(k)}\right)^m\right)",
        steps=(
            Claim(
                "two_times_as_many_draws",
                floor_across(sym.E, Integer(2)),
                "==",
                sym.E - log(2 - exp(-sym.E)),
                "The bound is -log(1 - f^m) with f = 1 - e^-E0; for m = 2, 1 - f^2 = (1 - f)(1 + f): doubling k takes at most "
                "log(2 - e^-E0) off the floor.",
            ),
            Claim(
                "more_failures_higher_floor",
                -log(passed),
                ">=",
                -log(passed + lost),
                "-log falls, so an order of fail@ is the order of the floors: take y + h = 1 - f^m and y = pass@(mk), then "
                "y + h = pass@(mk) and y = pass@k.",
                ByMonotone(-log(x), x, passed, passed + lost, increasing=False),
            ),
            Claim(
                "floor_does_not_vanish",
                floor_across(-log(1 - odds ** (1 / m)), m) - odds,
                ">=",
                Integer(0),
                "The bound is at least f^m = (1 - e^-E0(k))^m (here t/(1 + t)), which is positive: "
                "E0 cannot become 0 at a larger k.",
                ByMonotone(log(1 + x) - x / (1 + x), x, t, Integer(0), slope=ByPositiveTerms(form=x / (1 + x) ** 2)),
            ),
        ),
        source=f"{SCHAEFFER}, for laws with an irreducible term E0(k); the bound is Jensen's inequality.",
        follows="Fitted floors at two k must satisfy both bounds; E0 = 0 at one k only is inconsistent.",
    )
