"""A one-break law with c1 f1 = -1 is a two-term law at a fixed ratio; its exponents are twice c0 and twice c0 + c1."""

from __future__ import annotations

from sympy import Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.broken import OneBreak, broken_power_law, two_terms
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.ray import ray


def derivation() -> Derivation:
    """From a, b, c0, c1, d1, f1 = -1/c1 to E, A, B, beta, gamma at D = t N under C = 6 N D, and back."""
    b, d1, q, gap = (Symbol(name, positive=True) for name in ("b", "d1", "q", "h"))
    line, p, n, d = ray(), q + gap, sym.N, sym.D
    broken = OneBreak(a=sym.E, b=b, c0=p, c1=-gap, d1=d1, f1=1 / gap)
    found = two_terms(line, b, d1, p, q)
    put = {sym.A: found.A, sym.B: found.B, sym.BETA: found.beta, sym.GAMMA: found.gamma}
    back = broken_power_law(line)
    steps = (
        Claim(
            "two_powers",
            broken.at(sym.C),
            "==",
            sym.E + b * sym.C**-p + b * d1**-gap * sym.C**-q,
            "The bracket has power 1: expand it.",
        ),
        Claim(
            "same_curve",
            broken.at(sym.C),
            "==",
            line.envelope.form.loss.subs(put).subs({n: line.params, d: line.tokens}),
            "The two-term law at N(C; t), D(C; t).",
        ),
        Claim(
            "exponents",
            (line.reducible.subs(put) / sym.C**-p).subs(sym.C, d1),
            "==",
            2 * b,
            "The break is where the two terms agree; beta = 2 c0 and gamma = 2 (c0 + c1), as N grows like C^(1/2).",
        ),
        Claim(
            "params_coefficient",
            found.A,
            "==",
            b * (6 * sym.TOKENS_PER_PARAM) ** (-p),
            "A N(C; t)^-beta must be b C^-c0.",
        ),
        Claim(
            "tokens_coefficient",
            found.B,
            "==",
            b * d1**-gap * (sym.TOKENS_PER_PARAM / 6) ** q,
            "B D(C; t)^-gamma must be the other power.",
        ),
        Claim(
            "break_again",
            back.d1.subs(put),
            "==",
            d1,
            "The way back from the two-term law gives the same break",
        ),
        Claim("coefficient_again", back.b.subs(put), "==", b, "and the same coefficient."),
        Claim(
            "from_the_other_end",
            back.law.reversed.b,
            "==",
            line.envelope.form.terms[1].expression.subs(d, line.tokens).subs(sym.C, 1),
            "Read from its other end the law of a ray begins with the tokens term.",
        ),
    )
    return Derivation(
        name="broken_power_law_as_a_ray",
        title="The two-term law behind a broken power law",
        assumptions=(
            "y = a + b C^-c0 (1 + (C/d1)^(1/f1))^(-c1 f1) with b, d1, f1 > 0 and c1 f1 = -1",
            "c0 = q + h, c0 + c1 = q > 0; a = E",
            "D = t N under C = 6 N D; the steeper term is that of params (else exchange the terms)",
        ),
        statement=(
            r"c_1 f_1 = -1 \;\Rightarrow\; y = E + A N^{-\beta} + B D^{-\gamma}, \quad \beta = 2c_0,\; \gamma = 2(c_0 + c_1),"
            r"\; A = b\,(6t)^{-c_0},\; B = b\,d_1^{c_1} (t/6)^{c_0 + c_1}"
        ),
        steps=steps,
        source="Caballero et al. 2023, arXiv 2210.14891, for the form; the identity is elementary.",
        follows="Runs at one ratio do not tell which exponent is that of params: either attribution gives this curve.",
    )
