"""A two-term law at a fixed ratio is exactly a broken neural scaling law with one break."""

from __future__ import annotations

from sympy import Subs, Symbol, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.broken import OneBreak, broken_power_law
from isoflop.theory.proof.arguments import ByLeadingTerm
from isoflop.theory.ray import PARAMS, TOKENS, ray
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    Sentence,
    function,
    say,
    step,
)

FRONT, PLACE = Symbol("K_0", positive=True), Symbol("d_1", positive=True)
FIRST, CHANGE, WIDTH = symbols("c_0 c_1 f_1", real=True)


def derivation() -> Derivation:
    """E + R(C; t) in the letters of the broken law; c1 f1 = -1."""
    line, C, at = ray(), sym.C, function("R")
    broken = broken_power_law(line)
    named = OneBreak(a=sym.E, b=FRONT, c0=FIRST, c1=CHANGE, d1=PLACE, f1=WIDTH)
    reducible, steeper = at(PARAMS(C), TOKENS(C)), (sym.BETA - sym.GAMMA,)
    tokens_there = sym.B * TOKENS(PLACE) ** -sym.GAMMA
    steps = (
        step("sharpness", (CHANGE * WIDTH, "=", -1), "By definition:"),
        step(
            "identity",
            (sym.E + reducible, "=", named.at(C)),
            say(
                "Take the term of {} out of the sum; by {sharpness} the bracket has the power one:",
                sym.N,
            ),
        ),
        step(
            "break",
            (sym.A * PARAMS(PLACE) ** -sym.BETA, "=", tokens_there),
            "The break is where the two terms are equal:",
        ),
        step(
            "value_at_the_break",
            (at(PARAMS(PLACE), TOKENS(PLACE)), "=", 2 * tokens_there),
            "There the reducible loss is twice either term:",
        ),
        step(
            "before_the_break",
            (reducible, "~", FRONT * C**-FIRST),
            "Well below the break the term with the larger exponent alone counts:",
            ByLeadingTerm(C, "0"),
            assume=steeper,
        ),
        step(
            "after_the_break",
            (reducible, "~", FRONT * PLACE**CHANGE * C ** -(FIRST + CHANGE)),
            "Well above it that with the smaller one:",
            ByLeadingTerm(C, "oo"),
            assume=steeper,
        ),
        step(
            "at_the_break_slope",
            (Subs(-Partial(log(reducible), log(C)), C, PLACE), "=", FIRST + CHANGE / 2),
            "At the break the local exponent is the mean of the two:",
        ),
    )
    return Derivation(
        name="ray_is_a_broken_power_law",
        title="The broken-power-law form of a ray",
        assumptions=(*line.assumptions, say("Let {}.", (sym.BETA, "!=", sym.GAMMA))),
        definitions=(
            *line.definitions,
            Definition(FIRST, broken.c0),
            Definition(CHANGE, broken.c1),
            Definition(WIDTH, broken.f1),
            Definition(FRONT, broken.b),
            Definition(PLACE, broken.d1),
        ),
        statement=Sentence(
            "The loss of the runs is a power law with one break, {identity}, whose sharpness and change "
            "of slope are tied, {sharpness}. At the break the two terms agree, {break}, and the local "
            "exponent is the mean of its limits, {at_the_break_slope}; below and above it "
            "{before_the_break} and {after_the_break}."
        ),
        steps=steps,
        source="Caballero et al. 2023, arXiv 2210.14891, for the form; the identity is elementary.",
        follows="A broken law fitted to runs at one ratio has one parameter more than the two-term law can give it.",
    )
