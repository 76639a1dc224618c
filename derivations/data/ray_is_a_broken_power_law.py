"""A two-term law at a fixed ratio is exactly a broken neural scaling law with one break."""

from __future__ import annotations

from sympy import Integer, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.broken import broken_power_law
from isoflop.theory.identifiability import Design
from isoflop.theory.proof.argument import ByLeadingTerm
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.ray import ray

GAP = Symbol("h", positive=True)


def derivation() -> Derivation:
    """E + R(C; t) in the letters a, b, c0, c1, d1, f1 of the broken law; c1 f1 = -1."""
    line = ray()
    broken, (t_n, t_d) = broken_power_law(line), Design(line.params, line.tokens).terms
    faster = {sym.BETA: sym.GAMMA + GAP}
    steps = (
        Claim(
            "identity",
            broken.at(sym.C),
            "==",
            sym.E + line.reducible,
            "Take the params term out of the sum; the bracket has power 1.",
        ),
        Claim(
            "sharpness",
            sym.C * (t_d / t_n).diff(sym.C),
            "==",
            -broken.c1 * t_d / t_n,
            "c1 f1 = -1: what stands in the bracket beside 1 is T_D/T_N, which grows with the exponent 1/f1 = -c1, so that "
            "sharpness and change of slope are tied.",
        ),
        Claim(
            "break",
            t_n.subs(sym.C, broken.d1),
            "==",
            t_d.subs(sym.C, broken.d1),
            "The break is where the two terms are equal.",
        ),
        Claim(
            "value_at_the_break",
            broken.at(broken.d1) - broken.a,
            "==",
            2 * t_d.subs(sym.C, broken.d1),
            "There R is twice either term.",
        ),
        Claim(
            "before_the_break",
            line.reducible.subs(faster),
            "~",
            (broken.b * sym.C**-broken.c0).subs(faster),
            "Well below the break the term with the larger exponent alone counts; here beta = gamma + h with h > 0.",
            ByLeadingTerm(sym.C, "0"),
        ),
        Claim(
            "after_the_break",
            line.reducible.subs(faster),
            "~",
            (broken.b * broken.d1**broken.c1 * sym.C ** -(broken.c0 + broken.c1)).subs(faster),
            "Well above it the slope is c0 + c1.",
            ByLeadingTerm(sym.C, "oo"),
        ),
        Claim(
            "at_the_break_slope",
            (-sym.C * line.reducible.diff(sym.C) / line.reducible).subs(sym.C, broken.d1),
            "==",
            broken.c0 + broken.c1 / Integer(2),
            "At the break the local exponent is the mean of the two.",
        ),
    )
    return Derivation(
        name="ray_is_a_broken_power_law",
        title="The broken-power-law form of a ray",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",
            "beta > gamma (else exchange the terms)",
            "D = t N",
        ),
        statement=r"E + R(C; t) = a + b\,C^{-c_0}\left(1 + (C/d_1)^{1/f_1}\right)^{-c_1 f_1},\qquad c_1 f_1 = -1",
        steps=steps,
        source="Caballero et al. 2023, arXiv 2210.14891, for the form; the identity is elementary.",
        follows="A broken law fitted to runs at one ratio has one parameter more than the two-term law can give it.",
    )
