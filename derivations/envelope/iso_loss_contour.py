"""An iso-loss contour falls in log-log axes, is convex there, and touches the isoFLOP line with slope -1 at the optimum."""

from __future__ import annotations

from sympy import Integer, Subs, Symbol, log, oo

from isoflop.theory import symbols as sym
from isoflop.theory.algebra.functions import Partial
from isoflop.theory.budget import SIX_ND
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.proof.words import Definition, function, say

CONTOUR = function("D_c")
TARGET, LEAST = Symbol("R_0", positive=True), Symbol("D_min", positive=True)


def derivation() -> Derivation:
    """The explicit contour D(N), its slope by differentiation, its asymptotes and the point of tangency."""
    n, d, C = sym.N, sym.D, sym.C
    m = misallocation()
    envelope, names = m.envelope, m.envelope.named
    params, tokens = PARAMS_TOKENS.terms
    b, g, t_n = params.exponent, tokens.exponent, params.expression
    contour, slope = CONTOUR(n, TARGET), Partial(log(CONTOUR(n, TARGET)), log(n))
    gap = TARGET - t_n
    steps = (
        Claim(
            "on_the_contour",
            function("L")(n, contour),
            "==",
            sym.E + TARGET,
            say("The tokens term is what the params term leaves of {}:", TARGET),
            assume=(gap,),
        ),
        Claim(
            "slope",
            slope,
            "==",
            m.iso_loss_slope.subs(d, contour),
            say("Differentiate the logarithm of the contour:"),
            assume=(gap,),
        ),
        Claim(
            "passes_the_optimum",
            CONTOUR(names.params, names.reducible),
            "==",
            names.tokens,
            say("At the optimum the reducible loss is {}:", names.reducible),
        ),
        Claim(
            "tangency",
            Subs(slope, (n, TARGET), (names.params, names.reducible)),
            "==",
            Integer(-1),
            say("At the optimum {} and {} agree:", b * t_n, g * tokens.expression),
        ),
        Claim(
            "convex",
            Partial(slope, log(n)),
            "==",
            b**2 * TARGET * t_n / (g * gap**2),
            say("Differentiate the slope; the result is positive:"),
            assume=(gap,),
        ),
        Claim(
            "power_of_the_contour",
            contour**-g,
            "==",
            gap / tokens.coefficient,
            say("Raise the contour to the power {}:", -g),
            assume=(gap,),
        ),
        Claim(
            "above_the_asymptote",
            gap / tokens.coefficient,
            "<",
            LEAST**-g,
            say("The params term is positive:"),
            ByPositiveTerms(form=t_n / tokens.coefficient),
        ),
        Claim(
            "horizontal_asymptote",
            gap / tokens.coefficient,
            "->",
            LEAST**-g,
            say(
                "For {} the params term vanishes; with its power {} the contour tends to {}:",
                (n, "->", oo),
                -g,
                LEAST,
            ),
            ByLeadingTerm(n, "oo"),
        ),
    )
    return Derivation(
        name="iso_loss_contour",
        title="Iso-loss contours",
        assumptions=(
            *envelope.assumptions,
            say(
                "Let {} be the loss to be reached, with {}, and let {} be large enough for it, {}.",
                sym.E + TARGET,
                (TARGET, ">", 0),
                n,
                (TARGET, ">", t_n),
            ),
        ),
        definitions=(
            *envelope.definitions,
            Definition(contour, m.iso_loss_tokens.subs(sym.REDUCIBLE, TARGET)),
            Definition(LEAST, m.smallest_tokens.subs(sym.REDUCIBLE, TARGET)),
        ),
        statement=say("With {} params the loss is reached at {} tokens, ", n, contour)
        + "{on_the_contour}. In logarithms the contour has the slope {slope}, and is strictly convex, "
        "{convex}. "
        + say("The contour of the least loss at compute {} passes the optimum, ", C)
        + "{passes_the_optimum}, and there it has the slope of the isoFLOP line "
        + say("on which {} is constant, ", SIX_ND.compute())
        + "{tangency}, and touches it there alone. "
        + say("The contour stays above {} and comes down to it as the model grows: ", LEAST)
        + say("to the power {}, which reverses the order, ", -g)
        + "{power_of_the_contour}, {above_the_asymptote} and {horizontal_asymptote}.",
        steps=steps,
        source="Hoffmann et al. 2022, arXiv 2203.15556, figure 4, draws the contours.",
        follows=say(
            "The efficient frontier is the curve of tangency points, where {} and {} agree.",
            b * t_n,
            g * tokens.expression,
        ),
    )
