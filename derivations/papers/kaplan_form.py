"""Kaplan's joint law is a power of a params+tokens law: its envelope has 1/alpha = 1/alpha_N + 1/alpha_D."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.envelope import derive
from isoflop.theory.law import LawForm
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import ByWeightedAmGm, Claim, Derivation


def derivation() -> Derivation:
    """[(N_c/N)^(alpha_N/alpha_D) + D_c/D]^alpha_D: its optimum, envelope, exponent and penalty, from the law as printed."""
    n_c, d_c, a_n, a_d = (
        Symbol(name, positive=True) for name in ("N_c", "D_c", "alpha_N", "alpha_D")
    )
    y, r = Symbol("y", positive=True), sym.SIZE_RATIO
    printed = ((n_c / sym.N) ** (a_n / a_d) + d_c / sym.D) ** a_d
    form = LawForm.from_expression(printed, name="Kaplan's joint law")
    envelope = derive(form)
    m = misallocation(envelope)
    params, tokens = form.terms
    moved = printed.subs([(sym.N, r * envelope.params), (sym.D, envelope.tokens / r)])
    optimum = [(sym.N, envelope.params), (sym.D, envelope.tokens)]
    steps = (
        Claim(
            "as_wrapped_law",
            printed,
            "==",
            form.loss,
            "It is h(y) = y^alpha_D of a law with beta = alpha_N/alpha_D and gamma = 1.",
        ),
        Claim(
            "balance",
            (sym.N * printed.diff(sym.N)).subs(optimum),
            "==",
            (sym.D * printed.diff(sym.D)).subs(optimum),
            "The optimum of the inner law balances the printed law.",
        ),
        Claim("envelope", printed.subs(optimum), "==", envelope.loss, "The loss at the optimum."),
        Claim(
            "exponent",
            envelope.loss / envelope.loss.subs(sym.C, 1),
            "==",
            sym.C ** -(1 / (1 / a_n + 1 / a_d)),
            "It falls with 1/alpha = 1/alpha_N + 1/alpha_D, as if the law were a plain sum with these exponents.",
        ),
        Claim(
            "global_minimum",
            printed,
            ">=",
            envelope.loss.subs(sym.C, SIX_ND.compute()),
            "y^alpha_D increases in y, and the inner law is bounded by weighted AM-GM.",
            ByMonotone(
                y**a_d,
                y,
                form.reducible,
                envelope.reducible.subs(sym.C, SIX_ND.compute()),
                order=ByWeightedAmGm((params.expression, tokens.expression), envelope.shares),
            ),
        ),
        Claim(
            "penalty",
            moved / envelope.loss,
            "==",
            m.penalty**a_d,
            "The penalty on the loss is P(r)^alpha_D with the inner exponents.",
        ),
        Claim(
            "growth_of_params",
            envelope.params / envelope.params.subs(sym.C, 1),
            "==",
            sym.C ** (a_d / (a_n + a_d)),
            "N* grows as C^(alpha_D/(alpha_N + alpha_D)).",
        ),
    )
    return Derivation(
        name="kaplan_form",
        title="Kaplan's joint law",
        assumptions=(
            "L = [(N_c/N)^(alpha_N/alpha_D) + D_c/D]^alpha_D with positive constants",
            "C = 6 N D",
        ),
        statement=r"\frac1\alpha = \frac1{\alpha_N} + \frac1{\alpha_D},\qquad N^* \propto "
        r"C^{\alpha_D/(\alpha_N+\alpha_D)},\qquad \frac{L}{L^*} = P(r)^{\alpha_D}",
        steps=steps,
        source="Kaplan et al. 2020, arXiv 2001.08361, for the law; wrapper theorem.",
        follows="The law has no irreducible loss: its penalty acts on the whole loss.",
    )
