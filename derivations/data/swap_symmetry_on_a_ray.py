"""Runs at one ratio of tokens to params do not tell which exponent belongs to size and which to data."""

from __future__ import annotations

from sympy import Expr, Symbol

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import swapped
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.ray import TANGENCY, ray
from isoflop.theory.theorem import Definition, Derivation, say, step

OTHER_A, OTHER_B = Symbol("A'", positive=True), Symbol("B'", positive=True)


def derivation() -> Derivation:
    """The law with beta and gamma exchanged, A' = B t^-gamma and B' = A t^beta, has the same loss on D = t N."""
    line, t, n, d = ray(), sym.TOKENS_PER_PARAM, sym.N, sym.D
    envelope, names, form = line.envelope, line.envelope.named, PARAMS_TOKENS
    params, tokens = form.terms
    own = swapped(t)
    exchange = own | {sym.A: OTHER_A, sym.B: OTHER_B}
    shares = dict(zip(names.shares, reversed(names.shares), strict=True))
    coefficient = next(x.value for x in envelope.definitions if x.name == names.coefficient)

    def exchanged(expression: Expr) -> Expr:
        return expression.subs(exchange | shares, simultaneous=True)

    steps = (
        step(
            "same_ray",
            (exchanged(form.reducible).subs(d, t * n), "=", form.reducible.subs(d, t * n)),
            say("At {} tokens each term takes the place of the other:", t * n),
        ),
        step(
            "off_the_ray",
            (exchanged(params.expression) / tokens.expression, "=", (d / (t * n)) ** sym.GAMMA),
            "At other ratios they part:",
        ),
        step(
            "same_exponent",
            (exchanged(1 / sym.BETA + 1 / sym.GAMMA), "=", 1 / names.exponent),
            "The exponent of the envelope is symmetric in the two exponents:",
        ),
        step(
            "same_envelope",
            (exchanged(coefficient), "=", names.coefficient),
            say("The shares change places, and {} drops out of the coefficient:", t),
        ),
        step(
            "same_tangency",
            (exchanged(line.tangency), "=", TANGENCY),
            "Both envelopes touch the ray at one compute:",
        ),
        step(
            "allocation",
            (exchanged(envelope.params), "=", names.tokens / t),
            "The optimal size of one law is a multiple of the optimal tokens of the other:",
        ),
        step(
            "opposite_ratio",
            (exchanged(envelope.tokens_per_param) * (names.tokens / names.params), "=", t**2),
            say(
                "The optimal ratios lie on opposite sides of {}: where one law asks for more data, "
                "the other asks for larger models:",
                t,
            ),
        ),
    )
    return Derivation(
        name="swap_symmetry_on_a_ray",
        title="The swap symmetry of a ray",
        assumptions=line.assumptions,
        definitions=(
            *line.definitions,
            Definition(OTHER_A, own[sym.A]),
            Definition(OTHER_B, own[sym.B]),
        ),
        statement=say(
            "The law with coefficients {} and {} and with {} and {} exchanged has the same "
            "loss on the ray, {same_ray}, and off it another, {off_the_ray}. Its envelope is "
            "the same, {same_exponent} and {same_envelope}, but its optimum is not, "
            "{allocation}.",
            OTHER_A,
            OTHER_B,
            sym.BETA,
            sym.GAMMA,
        ),
        steps=steps,
        source="Substitution.",
        follows="Data at one ratio determine the envelope, where the exponents differ, but not the "
        "allocation: a second ratio decides.",
    )
