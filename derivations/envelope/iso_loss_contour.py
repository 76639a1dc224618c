"""An iso-loss contour falls in log-log axes, is convex there, and touches the isoFLOP line with slope -1 at the optimum."""

from __future__ import annotations

from sympy import Subs, Symbol, log, oo

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

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
        step(
            "on_the_contour",
            (function("L")(n, contour), "=", sym.E + TARGET),
            say("The tokens term is what the params term leaves of {}:", TARGET),
            assume=(gap,),
        ),
        step(
            "slope",
            (slope, "=", m.iso_loss_slope.subs(d, contour)),
            "Differentiate the logarithm of the contour:",
            assume=(gap,),
        ),
        step(
            "passes_the_optimum",
            (CONTOUR(names.params, names.reducible), "=", names.tokens),
            say("At the optimum the reducible loss is {}:", names.reducible),
        ),
        step(
            "tangency",
            (Subs(slope, (n, TARGET), (names.params, names.reducible)), "=", -1),
            say("At the optimum {} and {} agree:", b * t_n, g * tokens.expression),
        ),
        step(
            "convex",
            (Partial(slope, log(n)), "=", b**2 * TARGET * t_n / (g * gap**2)),
            "Differentiate the slope; the result is positive:",
            assume=(gap,),
        ),
        step(
            "power_of_the_contour",
            (contour**-g, "=", gap / tokens.coefficient),
            say("Raise the contour to the power {}:", -g),
            assume=(gap,),
        ),
        step(
            "above_the_asymptote",
            (gap / tokens.coefficient, "<", LEAST**-g),
            "The params term is positive:",
            ByPositiveTerms(form=t_n / tokens.coefficient),
        ),
        step(
            "horizontal_asymptote",
            (gap / tokens.coefficient, "->", LEAST**-g),
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
        statement=say(
            "With {} params the loss is reached at {} tokens, {on_the_contour}. In "
            "logarithms the contour has the slope {slope}, and is strictly convex, {convex}. "
            "The contour of the least loss at compute {} passes the optimum, "
            "{passes_the_optimum}, and there it has the slope of the isoFLOP line on which "
            "{} is constant, {tangency}, and touches it there alone. The contour stays above "
            "{} and comes down to it as the model grows: to the power {}, which reverses the "
            "order, {power_of_the_contour}, {above_the_asymptote} and {horizontal_asymptote}.",
            n,
            contour,
            C,
            SIX_ND.compute(),
            LEAST,
            -g,
        ),
        steps=steps,
        source="Hoffmann et al. 2022, arXiv 2203.15556, figure 4, draws the contours.",
        follows=say(
            "The efficient frontier is the curve of tangency points, where {} and {} agree.",
            b * t_n,
            g * tokens.expression,
        ),
    )
