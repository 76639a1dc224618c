"""The compute law is the envelope, in the sense of geometry, of the curves L(C) of single model sizes."""

from __future__ import annotations

from sympy import Subs, log, oo

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive, optimum
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import ByLeadingTerm, BySameDifference, ByWeightedAmGm
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

CURVE, TOUCH = function("F"), function("C_e")


def derivation() -> Derivation:
    """Each curve L_N(C) lies above L*(C), touches it where N = N*(C), and has its slope there."""
    n, C = sym.N, sym.C
    envelope = derive()
    names, best, curve, touch = envelope.named, optimum(sym.L), CURVE(n, C), TOUCH(n)
    params, tokens = PARAMS_TOKENS.terms
    left = misallocation().remaining(n)
    rest = tokens.coefficient * (1 / left) ** tokens.exponent
    w_n, w_d = names.shares
    means = ByWeightedAmGm((params.expression, rest), envelope.shares)
    steps = (
        step(
            "family",
            (Subs(Partial(curve, n), n, names.params), "=", 0),
            say("The envelope of the family is where the derivative of its members in {} is 0:", n),
        ),
        step(
            "envelope",
            (CURVE(names.params, C), "=", best),
            say("With this {} in the curve it is the compute law:", n),
        ),
        step(
            "own_compute",
            (names.params.subs(C, touch), "=", n),
            say("Solve {} for {}:", (names.params, "=", n), C),
        ),
        step(
            "touches",
            (CURVE(n, touch), "=", best.subs(C, touch)),
            say("The equation of {envelope} at the compute of {own_compute}:"),
        ),
        step(
            "common_tangent",
            (Subs(Partial(curve, C), C, touch), "=", Subs(Partial(best, C), C, touch)),
            say("By {family} the slope of the compute law is that of the curve at a fixed {}:", n),
        ),
        step(
            "above",
            (curve, ">=", best),
            say(
                "Both sides exceed {} by the sides of weighted AM-GM on the two terms, with the "
                "weights {} and {}:",
                sym.E,
                w_n,
                w_d,
            ),
            BySameDifference(curve - sym.E, names.reducible, means),
        ),
        step(
            "above_elsewhere",
            (
                Partial(curve - best, log(C)),
                "=",
                tokens.exponent * rest * ((C / touch) ** (tokens.exponent * w_n) - 1),
            ),
            say(
                "The distance from the compute law falls strictly until {}, and rises strictly "
                "after:",
                (C, "=", touch),
            ),
        ),
        step(
            "levels_off",
            (curve, "->", sym.E + params.expression),
            say("For {} the term of the tokens vanishes:", (C, "->", oo)),
            ByLeadingTerm(C, "oo"),
        ),
    )
    return Derivation(
        name="envelope_of_fixed_size_curves",
        title="The compute law is the envelope of the training curves of single sizes",
        assumptions=envelope.assumptions,
        definitions=(
            *envelope.definitions,
            Definition(best, names.loss),
            Definition(curve, function("L")(n, left)),
            Definition(touch, envelope.compute_where(n, n)),
        ),
        statement=say(
            "A model of size {} has the loss {} at compute {}. The compute law {} is the "
            "envelope of these curves: {family} and {envelope}. Each curve touches it at the "
            "compute {} where its size is optimal, {own_compute}, {touches} and "
            "{common_tangent}. The curve lies above the compute law, {above}, strictly so at "
            "any other compute, because their distance first falls and then rises, "
            "{above_elsewhere}. With more and more compute it levels off, {levels_off}.",
            n,
            curve,
            C,
            best,
            touch,
        ),
        steps=steps,
        source="Schaeffer et al. 2025, arXiv 2509.24012; the envelope of a family of curves is classical.",
        follows="A compute law is read off the lower hull of training curves, not off one of them.",
    )
