"""The cost function log C*(R; a, d) is concave in the budget's powers, and its gradient is (log N*, log D*)."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL
from isoflop.theory.economics import log_cost
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.argument import ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The cost function, that it is a minimum over the contour, its gradient in (a, d) and its Hessian."""
    envelope, a, d = derive(budget=GENERAL), sym.BUDGET_A, sym.BUDGET_D
    cost, spent, y = log_cost(envelope), GENERAL.compute(), Symbol("y", positive=True)
    (params, tokens), (_, w_d) = PARAMS_TOKENS.terms, envelope.shares
    least = envelope.compute_for_reducible
    at_target = [(sym.C, least)]
    own = envelope.reducible.subs(sym.C, spent)
    curvature = w_d / (params.exponent * a)
    steps = (
        Claim(
            "cost_function",
            log(least),
            "==",
            cost,
            "log C*(R) = log kappa + (a/beta) log(A/(w_N R)) + (d/gamma) log(B/(w_D R)).",
        ),
        Claim(
            "least_on_the_contour",
            least.subs(sym.REDUCIBLE, PARAMS_TOKENS.reducible),
            "<=",
            spent,
            "No point of the contour costs less: log C* is log kappa plus the minimum of a log N + d log D over it, minus a "
            "support function.",
            ByMonotone(
                least.subs(sym.REDUCIBLE, y),
                y,
                PARAMS_TOKENS.reducible,
                own,
                False,
                ByWeightedAmGm((params.expression, tokens.expression), envelope.shares),
            ),
        ),
        Claim(
            "gradient_a",
            cost.diff(a),
            "==",
            log(envelope.params.subs(at_target)),
            "dlog C*/da = log N*: the direct effect alone, by the envelope theorem.",
        ),
        Claim(
            "gradient_d",
            cost.diff(d),
            "==",
            log(envelope.tokens.subs(at_target)),
            "dlog C*/dd = log D*.",
        ),
        Claim(
            "second_a",
            cost.diff(a, 2),
            "==",
            -curvature,
            "N* falls in a: the second derivative is -w_D/(a beta).",
        ),
        Claim(
            "concave_in_a",
            cost.diff(a, 2),
            "<",
            Integer(0),
            "It is negative.",
            ByPositiveTerms(form=curvature),
        ),
        Claim(
            "degenerate",
            cost.diff(a, 2) * cost.diff(d, 2),
            "==",
            cost.diff(a, d) ** 2,
            "The Hessian has determinant 0, as log(C*/kappa) is homogeneous of degree 1 in (a, d); with the sign above it is "
            "concave.",
        ),
        Claim(
            "homogeneous",
            a * cost.diff(a) + d * cost.diff(d),
            "==",
            cost - log(sym.KAPPA),
            "Euler's relation: a log N* + d log D* = log(C*/kappa).",
        ),
        Claim(
            "in_target",
            cost.diff(sym.REDUCIBLE),
            "==",
            -1 / (envelope.exponent * sym.REDUCIBLE),
            "One percent less R costs 1/alpha percent more compute.",
        ),
    )
    return Derivation(
        name="log_shephard",
        title="Shephard's lemma in logarithms",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "C = kappa N^a D^d, reducible loss R fixed",
        ),
        statement=r"\frac{\partial\log C^*}{\partial a} = \log N^*,\qquad \frac{\partial\log C^*}{\partial d} = \log "
        r"D^*,\qquad \log C^*(R;\,a,d) \text{ concave in } (a, d)",
        steps=steps,
        source="Shephard's lemma; duality of cost functions, in log space.",
        follows="How the optimum moves when the price structure changes is read off one function.",
    )
