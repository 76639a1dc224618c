"""Runs at one ratio of tokens to params do not tell which exponent belongs to size and which to data."""

from __future__ import annotations

from sympy import Expr

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.identifiability import swapped
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.ray import ray


def derivation() -> Derivation:
    """The law with beta and gamma exchanged, A' = B t^-gamma and B' = A t^beta, has the same loss on D = t N."""
    line, envelope, t = ray(), derive(), sym.TOKENS_PER_PARAM
    swap = swapped(t)
    params, tokens = PARAMS_TOKENS.terms

    def exchanged(expression: Expr) -> Expr:
        return expression.subs(swap, simultaneous=True)

    steps = (
        Claim(
            "same_ray",
            exchanged(line.reducible),
            "==",
            line.reducible,
            "On the ray each term takes the other's place.",
        ),
        Claim(
            "off_the_ray",
            exchanged(params.expression) / tokens.expression,
            "==",
            (sym.D / (t * sym.N)) ** sym.GAMMA,
            "Off the ray the exchanged params term and the tokens term part: the two laws differ.",
        ),
        Claim(
            "same_exponent",
            exchanged(1 / envelope.exponent),
            "==",
            1 / sym.BETA + 1 / sym.GAMMA,
            "alpha is symmetric in the two exponents.",
        ),
        Claim(
            "same_envelope",
            exchanged(envelope.reducible),
            "==",
            envelope.reducible,
            "Both laws have the same envelope: t drops out of C0.",
        ),
        Claim(
            "same_tangency",
            exchanged(line.tangency),
            "==",
            line.tangency,
            "Both envelopes touch the ray at the same compute.",
        ),
        Claim(
            "allocation",
            exchanged(envelope.params),
            "==",
            envelope.tokens / t,
            "The optimal size of one law is 1/t times the optimal number of tokens of the other.",
        ),
        Claim(
            "opposite_ratio",
            exchanged(envelope.tokens_per_param) * envelope.tokens_per_param,
            "==",
            t**2,
            "The optimal ratios lie on opposite sides of t: where one law asks for more data, the other asks for larger models.",
        ),
    )
    return Derivation(
        name="swap_symmetry_on_a_ray",
        title="The swap symmetry of a ray",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",
            "D = t N with one t for all runs",
        ),
        statement=r"(A, B, \beta, \gamma) \to (B t^{-\gamma}, A t^{\beta}, \gamma, \beta) \text{ leaves } L(N, tN) \text{ and "
        r"} L^*(C) \text{ unchanged}",
        steps=steps,
        source="Substitution.",
        follows="Data at one ratio determine the envelope (where beta != gamma) but not the allocation: a second ratio decides.",
    )
