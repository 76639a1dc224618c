"""Along a fixed ratio the local exponent falls with compute, from half the larger exponent to half the smaller one."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import Design, ray_exponent_slope, ray_params_share
from isoflop.theory.proof.argument import ByLeadingTerm, ByPositiveTerms
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.ray import ray

GAP = Symbol("h", positive=True)


def derivation() -> Derivation:
    """-dlog R/dlog C = (beta v + gamma (1 - v))/2 with v = T_N/R: its slope, its bounds and its limits."""
    line, b, g = ray(), sym.BETA, sym.GAMMA
    v, slope = ray_params_share(line), ray_exponent_slope(line)
    t_n, t_d = Design(line.params, line.tokens).terms
    local = -sym.C * log(line.reducible).diff(sym.C)
    faster = {g: b + GAP}
    local_faster, odds = local.subs(faster), (t_d / t_n).subs(faster)
    by_odds = GAP * odds / (2 * (1 + odds))
    steps = (
        Claim(
            "mean",
            local,
            "==",
            (b * v + g * (1 - v)) / 2,
            "The mean of beta/2 and gamma/2, weighted by the shares of the two terms.",
        ),
        Claim(
            "slope",
            sym.C * local.diff(sym.C),
            "==",
            slope,
            "Minus the variance of the two exponents under these shares.",
        ),
        Claim(
            "falls",
            sym.C * local.diff(sym.C),
            "<=",
            Integer(0),
            "A variance is not negative: log R is convex in log C.",
            ByPositiveTerms(form=(b - g) ** 2 * t_n * t_d / (4 * (t_n + t_d) ** 2)),
        ),
        Claim(
            "above_half_the_smaller",
            local_faster,
            ">=",
            b / 2,
            "With gamma = beta + h, h > 0: beta/2 is a lower bound; for beta > gamma exchange the names.",
            ByPositiveTerms(form=by_odds),
        ),
        Claim(
            "below_half_the_larger",
            local_faster,
            "<=",
            (b + GAP) / 2,
            "gamma/2 is an upper bound.",
            ByPositiveTerms(form=GAP / (2 * (1 + odds))),
        ),
        Claim(
            "close_above",
            local_faster,
            "<=",
            b / 2 + GAP / 2 * odds,
            "The distance to beta/2 is at most h/2 times T_D/T_N.",
            ByPositiveTerms(form=GAP / 2 * odds**2 / (1 + odds)),
        ),
        Claim(
            "large_compute",
            b / 2 + GAP / 2 * odds,
            "->",
            b / 2,
            "T_D/T_N vanishes as C grows, so the local exponent tends to half the smaller exponent.",
            ByLeadingTerm(sym.C, "oo"),
        ),
        Claim(
            "close_below",
            local_faster,
            ">=",
            (b + GAP) / 2 - GAP / 2 / odds,
            "The distance to gamma/2 is at most h/2 times T_N/T_D.",
            ByPositiveTerms(form=GAP / 2 / (odds * (1 + odds))),
        ),
        Claim(
            "small_compute",
            (b + GAP) / 2 - GAP / 2 / odds,
            "->",
            (b + GAP) / 2,
            "T_N/T_D vanishes as C falls, so the local exponent tends to half the larger exponent.",
            ByLeadingTerm(sym.C, "0"),
        ),
    )
    return Derivation(
        name="ray_local_exponent",
        title="The local exponent on a ray",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",
            "D = t N with t > 0 fixed",
            "v = T_N/R",
        ),
        statement=(
            r"\alpha_{\mathrm{loc}} = \tfrac12(\beta v + \gamma(1 - v)),\qquad"
            r" \frac{d\alpha_{\mathrm{loc}}}{d\log C} = -\tfrac14(\beta - \gamma)^2 v(1 - v) \le 0,\qquad"
            r" \tfrac12\min(\beta, \gamma) \le \alpha_{\mathrm{loc}} \le \tfrac12\max(\beta, \gamma)"
        ),
        steps=steps,
        source="Differentiation of a sum of two powers.",
        follows="A ray is no power law of compute unless beta = gamma; the further out, the slower it falls.",
    )
