"""A broken law with one break and c1 f1 = -1 is the curve of a two-term law at a fixed ratio."""

from __future__ import annotations

from sympy import Expr, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.broken import OneBreak, two_terms
from isoflop.theory.ray import PARAMS, TOKENS, ray
from isoflop.theory.theorem import Definition, Derivation, all_positive, function, say, step


def derivation() -> Derivation:
    """The coefficients of the two-term law from those of the broken one, its curve, and its break."""
    front, place, last, gap, a, b, beta, gamma = symbols(
        "K_0 d_1 q w A_1 B_1 b_1 g_1", positive=True
    )
    first, C, t = last + gap, sym.C, sym.TOKENS_PER_PARAM
    line = ray()
    broken = OneBreak(a=sym.E, b=front, c0=first, c1=-gap, d1=place, f1=1 / gap)
    found = two_terms(line, front, place, first, last)
    curve = function("y")(C)

    def params(compute: Expr) -> Expr:
        return a * PARAMS(compute) ** -beta

    def tokens(compute: Expr) -> Expr:
        return b * TOKENS(compute) ** -gamma

    steps = (
        step(
            "two_powers",
            (curve, "=", sym.E + front * C**-first + front * place**-gap * C**-last),
            "The bracket has the power one:",
        ),
        step(
            "params_coefficient",
            (params(C), "=", front * C**-first),
            "The params term on the ray is the first power:",
        ),
        step(
            "tokens_coefficient",
            (tokens(C), "=", front * place**-gap * C**-last),
            "And the tokens term the other one:",
        ),
        step(
            "same_curve",
            (sym.E + params(C) + tokens(C), "=", curve),
            say("By {two_powers}, {params_coefficient} and {tokens_coefficient}:"),
        ),
        step(
            "break_again",
            (params(place) / tokens(place), "=", 1),
            "At the break the two terms agree:",
        ),
        step(
            "value_at_the_break",
            (params(place) + tokens(place), "=", 2 * front * place**-first),
            "So there the reducible loss is twice either of them:",
        ),
    )
    return Derivation(
        name="broken_power_law_as_a_ray",
        title="The two-term law behind a broken power law",
        assumptions=(
            say(
                "Let {} be a law with one break, and let runs with compute {} have {} tokens per parameter, ",
                (curve, "=", broken.at(C)),
                (C, "=", 6 * sym.N * sym.D),
                t,
            )
            + all_positive((C, t, front, place, last, gap))
            + ".",
        ),
        definitions=(
            Definition(PARAMS(C), line.params),
            Definition(TOKENS(C), t * line.params),
            Definition(curve, broken.at(C)),
            Definition(beta, found.beta),
            Definition(gamma, found.gamma),
            Definition(a, found.A),
            Definition(b, found.B),
        ),
        statement=say(
            "The law is the curve of a two-term law at that ratio, {same_curve}. Its terms "
            "are the two powers, {params_coefficient} and {tokens_coefficient}, and agree at "
            "the break, {break_again}."
        ),
        steps=steps,
        source="Caballero et al. 2023, arXiv 2210.14891, for the form; the identity is elementary.",
        follows="Runs at one ratio do not tell which exponent is that of params: either attribution gives this curve.",
    )
