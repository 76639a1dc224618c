"""A monotone function of the reducible loss has the same optimal allocation, size ratio and order of runs."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import UnderLemma
from isoflop.theory.proof.argument_calculus import BySameDifference
from isoflop.theory.proof.claim import ByWeightedAmGm, Claim, Derivation

MEAN_VALUE = "For h differentiable between y and z there is a point between them with h' = H and h(y) - h(z) = H (y - z)."


def derivation() -> Derivation:
    """Stationarity, the bound for increasing and decreasing h by the mean value theorem, and the loss on the envelope."""
    envelope, law = derive(), PARAMS_TOKENS.reducible
    params, tokens = PARAMS_TOKENS.terms
    best = envelope.reducible.subs(sym.C, SIX_ND.compute())
    slope = Symbol("H", positive=True)
    bound = ByWeightedAmGm((slope * params.expression, slope * tokens.expression), envelope.shares)
    falling = BySameDifference(slope * law, slope * best, bound)
    lagrange = sym.N * law.diff(sym.N) - sym.D * law.diff(sym.D)
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    r = sym.SIZE_RATIO
    steps = (
        Claim(
            "stationary",
            (slope * lagrange).subs(optimum),
            "==",
            Integer(0),
            "By the chain rule the balance N dL/dN = D dL/dD is that of the inner law times h'(R).",
        ),
        Claim(
            "increasing",
            slope * law,
            ">=",
            slope * best,
            "h(R) - h(R*) = H (R - R*) >= 0: what minimises R minimises h(R), and the minimum is h(C0 C^-alpha).",
            UnderLemma(MEAN_VALUE, "mean value theorem of Lagrange", bound),
            statement=r"h(R) - h(R^*) = H\,(R - R^*) \ge 0",
        ),
        Claim(
            "decreasing",
            -slope * law,
            "<=",
            -slope * best,
            "h(R) - h(R*) = -H (R - R*) <= 0: for decreasing h the same allocation is a maximum.",
            UnderLemma(MEAN_VALUE, "mean value theorem of Lagrange", falling),
            statement=r"h(R) - h(R^*) = -H\,(R - R^*) \le 0",
        ),
        Claim(
            "envelope",
            law.subs(optimum),
            "==",
            envelope.coefficient * sym.C**-envelope.exponent,
            "At N* and D* the inner law is C0 C^-alpha, and h of it is L*(C).",
        ),
        Claim(
            "penalty",
            law.subs(
                [(sym.N, r * envelope.params), (sym.D, envelope.tokens / r)], simultaneous=True
            ),
            "==",
            misallocation(envelope).penalty * envelope.coefficient * sym.C**-envelope.exponent,
            "N* being the same, so is r = N/N*: at r N* and D*/r the inner law is P(r) C0 C^-alpha, and the loss h of it.",
        ),
    )
    return Derivation(
        name="wrapper_theorem",
        title="Laws of the form h(A N^-beta + B D^-gamma)",
        assumptions=(
            "L = h(A N^-beta + B D^-gamma) with positive coefficients and exponents",
            "h differentiable with h' of one sign",
            "C = 6 N D",
        ),
        statement=r"N^*, D^*, r \text{ are those of } R;\quad L^*(C) = h(C_0 C^{-\alpha}),\quad L(r N^*, D^*/r) = "
        r"h\bigl(P(r)\,C_0 C^{-\alpha}\bigr)",
        steps=steps,
        source="Monotone transformations keep the order; mean value theorem.",
        follows="Kaplan's form, accuracy exp(-R) and the whole loss E + R are instances.",
    )
