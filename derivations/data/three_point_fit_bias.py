"""A compute law put through three runs at a fixed ratio overstates the irreducible loss, and over-predicts the next run."""

from __future__ import annotations

from sympy import Integer, Symbol, symbols

from isoflop.theory.identifiability import RAY_GROWTH, ThreePointFit
from isoflop.theory.proof.argument import ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation

U, V, P, S = symbols("u v p q", positive=True)
X, Y = symbols("x y", positive=True)
#: p = 1/(1 + x) and q = 1/(1 + y), both in (0, 1).
FALLING = {P: 1 / (1 + X), S: 1 / (1 + Y)}
GAP = Symbol("h", positive=True)


def derivation() -> Derivation:
    """z_i = u p^i + v q^i at i = 0, 1, 2 determines E' - E, c and m in closed form."""
    fit = ThreePointFit(U, V, P, S)
    m, excess, c = fit.factor, fit.excess_irreducible, fit.coefficient
    z = [fit.reducible(i) for i in range(4)]
    between = m.subs({P: 1 / (1 + Y + GAP), S: FALLING[S]})
    larger, smaller = FALLING[S], 1 / (1 + Y + GAP)
    faster_weight, slower_weight = U * (1 - smaller), V * (1 - larger)
    total = faster_weight + slower_weight
    steps = (
        Claim("first_run", excess + c, "==", z[0], "The fit passes through the first run."),
        Claim("second_run", excess + c * m, "==", z[1], "It passes through the second run."),
        Claim(
            "third_run",
            excess + c * m**2,
            "==",
            z[2],
            "It passes through the third: with three points the fit is exact, in any norm.",
        ),
        Claim(
            "irreducible_too_high",
            excess.subs(FALLING).subs(X, Y + GAP),
            ">",
            Integer(0),
            "E' exceeds E; from here on p = 1/(1 + x) and q = 1/(1 + y) with x, y > 0, and x = y + h, that is p < q; for p > q "
            "exchange the terms.",
            ByPositiveTerms(form=excess.subs(FALLING).subs(X, Y + GAP).factor()),
        ),
        Claim(
            "exponent_above",
            between,
            ">",
            smaller,
            "m lies between p and q: the fitted exponent is below half the larger one,",
            ByPositiveTerms(form=slower_weight * (larger - smaller) / total),
        ),
        Claim(
            "exponent_below",
            between,
            "<",
            larger,
            "and above half the smaller one.",
            ByPositiveTerms(form=faster_weight * (larger - smaller) / total),
        ),
        Claim(
            "next_run",
            excess + c * m**3,
            "==",
            z[3] + fit.next_excess,
            "Extrapolate the fit by one more step and compare.",
        ),
        Claim(
            "over_predicts",
            (excess + c * m**3).subs(FALLING).subs(X, Y + GAP),
            ">",
            z[3].subs(FALLING).subs(X, Y + GAP),
            "The fit lies above the ray at the next run.",
            ByPositiveTerms(form=fit.next_excess.subs(FALLING).subs(X, Y + GAP).factor()),
        ),
    )
    return Derivation(
        name="three_point_fit_bias",
        title="The bias of a compute law through three runs of a ray",
        assumptions=(
            "Runs at D = t N and at C, C e^z, C e^2z, without noise, from L = E + A N^-beta + B D^-gamma with beta != gamma",
            f"u and v are T_N and T_D at the first run, p = e^(-beta z/{1 / RAY_GROWTH}) and q = e^(-gamma z/{1 / RAY_GROWTH}) "
            f"< 1",
            "E' + C0' C^-alpha' passes through the three runs, m = e^(-alpha' z)",
        ),
        statement=(
            r"E' - E = \frac{uv(p - q)^2}{u(1 - p)^2 + v(1 - q)^2} > 0,\qquad m = \frac{u(1 - p)p + v(1 - q)q}{u(1 - p) + v(1 "
            r"- q)}"
        ),
        steps=steps,
        source="Three equations in three unknowns.",
        follows="The bias is one of form, not of noise: more runs at the same ratio do not remove it (stationary_fit_bias).",
    )
