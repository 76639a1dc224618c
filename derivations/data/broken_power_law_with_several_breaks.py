"""Each break of a broken law changes the local exponent by c_i, half of it at the break, and counts for nothing far below it."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.broken import CABALLERO, Break, BrokenLaw
from isoflop.theory.proof.argument import ByLeadingTerm
from isoflop.theory.proof.argument_calculus import ByConvexity
from isoflop.theory.proof.claim import ByPositiveTerms, Claim, Derivation


def derivation() -> Derivation:
    """Two breaks; the logarithm of y - a is a sum over breaks, so that more of them bring nothing new."""
    d1, f1, d2, f2, w1, w2, x, y = (
        Symbol(name, positive=True) for name in ("d1", "f1", "d2", "f2", "w1", "w2", "x", "y")
    )
    b, c0, c1, c2 = (Symbol(name, real=True) for name in ("b", "c0", "c1", "c2"))
    first, second = Break(c1, d1, f1), Break(c2, d2, f2)
    law, a = BrokenLaw(sym.E, b, c0, (first, second)), sym.E
    sizes = BrokenLaw(sym.E, b, c0, (Break(w1, d1, f1), Break(w2, d2, f2)))
    alone, z = BrokenLaw(a, b, c0, (first,)), first.ratio(x)
    steps = (
        Claim(
            "local_exponent",
            -x * law.at(x).diff(x) / (law.at(x) - a),
            "==",
            law.exponent(x),
            "Differentiate the logarithm of y - a: each break adds its change times the share s_i that is passed.",
        ),
        Claim(
            "share_grows",
            x * first.passed(x).diff(x),
            "==",
            first.passed(x) * (1 - first.passed(x)) / f1,
            "The share passed is logistic in log x, with the scale f: it goes from 1/10 to 9/10 over 2 f log 9.",
        ),
        Claim(
            "half_at_the_break",
            (-x * alone.at(x).diff(x) / (alone.at(x) - a)).subs(x, d1),
            "==",
            c0 + c1 / 2,
            "At a break half of its change is reached.",
        ),
        Claim(
            "value_near_the_break",
            law.at(d1 * y**f1) - a,
            "==",
            b * d1**-c0 * y ** (-c0 * f1) * (1 + y) ** (-c1 * f1) * second.at(d1 * y**f1),
            "There the factor is (1 + y)^(-c1 f1), at the break 2^(-c1 f1).",
        ),
        Claim(
            "share_below",
            first.passed(x),
            "<=",
            z,
            "Below the break the share is at most (x/d)^(1/f),",
            ByPositiveTerms(form=z**2 / (1 + z)),
        ),
        Claim("share_vanishes", z, "->", Integer(0), "which vanishes,", ByLeadingTerm(x, "0")),
        Claim(
            "share_above",
            1 - first.passed(x),
            "<=",
            1 / z,
            "and above it what is missing is at most (d/x)^(1/f),",
            ByPositiveTerms(form=1 / (z * (1 + z))),
        ),
        Claim(
            "rest_vanishes", 1 / z, "->", Integer(0), "which vanishes too.", ByLeadingTerm(x, "oo")
        ),
        Claim(
            "factor_below",
            -f1 * log(1 + z),
            ">=",
            -f1 * z,
            "So does what a break adds to log|y - a| below it, c times this, with c of either sign:",
            ByConvexity(-f1 * log(y), y, 1 + z, Integer(1)),
        ),
        Claim(
            "before_the_breaks",
            sizes.exponent(x) - c0,
            "<=",
            w1 * first.ratio(x) + w2 * second.ratio(x),
            "before the breaks the exponent is c0, which it misses by no more than this with w for |c|, and y - a is b x^-c0.",
            ByPositiveTerms(
                form=w1 * first.ratio(x) ** 2 / (1 + first.ratio(x))
                + w2 * second.ratio(x) ** 2 / (1 + second.ratio(x))
            ),
        ),
        Claim(
            "other_end",
            law.reversed.at(x),
            "==",
            law.at(x),
            "A law with f_i < 0 is one with f_i > 0: exchange the signs of c_i and f_i, and read it from its other end.",
        ),
        Claim(
            "after_the_breaks",
            sizes.last_exponent - sizes.exponent(x),
            "<=",
            w1 / first.ratio(x) + w2 / second.ratio(x),
            "After all breaks the exponent is c0 + c1 + c2, which it misses by no more than this with w for |c|, and by that "
            "y - a is b d1^c1 d2^c2 x^-(c0 + c1 + c2).",
            ByPositiveTerms(
                form=w1 / (first.ratio(x) * (1 + first.ratio(x)))
                + w2 / (second.ratio(x) * (1 + second.ratio(x)))
            ),
        ),
        Claim(
            "merging",
            BrokenLaw(a, b, c0, (Break(c1, d1, f1), Break(c2, d1, f1))).at(x),
            "==",
            BrokenLaw(a, b, c0, (Break(c1 + c2, d1, f1),)).at(x),
            "Two breaks at one place with the same f are one, or for opposite changes none: no runs tell them apart.",
        ),
    )
    return Derivation(
        name="broken_power_law_with_several_breaks",
        title="Exponents and values of a broken power law",
        assumptions=(
            "y = a + b x^-c0 prod_i (1 + (x/d_i)^(1/f_i))^(-c_i f_i)",
            "d_i, f_i > 0; b and all c_i real, of either sign, b not 0",
        ),
        statement=(
            r"-\frac{d\log|y-a|}{d\log x} = c_0 + \sum_i c_i s_i, \qquad"
            r" s_i = \frac{(x/d_i)^{1/f_i}}{1 + (x/d_i)^{1/f_i}}, \qquad s_i(d_i) = \tfrac12"
        ),
        steps=steps,
        source=f"{CABALLERO}, for the form; differentiation.",
        follows="The breaks of a law are seen only where runs lie on both sides of them, within about 2 f of log x.",
    )
