"""Each break of a broken law changes the local exponent by c_i, half of it at the break, and counts for nothing far below it."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.broken import CABALLERO, BreakForm, BrokenForm
from isoflop.theory.proof.arguments import ByConvexity, ByLeadingTerm, ByPositiveTerms
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    all_positive,
    function,
    say,
    step,
)

PLACES, WIDTHS = (
    tuple(Symbol(f"{letter}_{i}", positive=True) for i in (1, 2)) for letter in ("d", "f")
)
X, U, V, BOUND = symbols("x u v w", positive=True)
B, C0, *CHANGES = symbols("b c_0 c_1 c_2", real=True)
RATIOS, SHARES = (tuple(function(f"{letter}_{i}")(X) for i in (1, 2)) for letter in ("z", "s"))
VALUE, EXPONENT = function("y"), function("p")


def derivation() -> Derivation:
    """Two breaks; the logarithm of y - E is a sum over breaks, so that more of them bring nothing new."""
    breaks = tuple(BreakForm(*letters) for letters in zip(CHANGES, PLACES, WIDTHS, strict=True))
    first, second = breaks
    law = BrokenForm(sym.E, B, C0, breaks)
    (c1, c2), (d1, d2), (f1, f2), w = CHANGES, PLACES, WIDTHS, BOUND
    (z1, z2), (s1, s2) = RATIOS, SHARES
    near = d1 * U**f1

    def in_ratios(form: Expr) -> Expr:
        """A form in the names of the ratios."""
        names = dict(zip(breaks, RATIOS, strict=True))
        return form.xreplace(
            {b.ratio(X): z for b, z in names.items()}
            | {b.reversed.ratio(X): 1 / z for b, z in names.items()}
        )

    def in_shares(form: Expr) -> Expr:
        """A form in the names of the shares that are passed."""
        return form.subs({b.passed(X): s for b, s in zip(breaks, SHARES, strict=True)})

    def within(sign: int, share: Expr, ratio: Expr) -> ByPositiveTerms:
        """(w - sign c) s + w (z - s), where z - s = s z."""
        return ByPositiveTerms(form=(w - sign * c1) * share + w * share * ratio)

    def in_logs(exponent: Expr, coefficient: Expr) -> Expr:
        """log((y - E)/(b x^-c))."""
        return log((VALUE(X) - sym.E) / (coefficient * X**-exponent))

    steps = (
        step(
            "local_exponent",
            (-X * Partial(VALUE(X), X) / (VALUE(X) - sym.E), "=", EXPONENT(X)),
            say(
                "Differentiate the logarithm of {}, to which each break adds its change times "
                "the share that is passed:",
                VALUE(X) - sym.E,
            ),
        ),
        step(
            "share_grows",
            (X * Partial(s1, X), "=", s1 * (1 - s1) / f1),
            say("The share is a logistic function of {}, with the scale {}:", log(X), f1),
        ),
        step(
            "half_at_the_break",
            (s1.subs(X, d1), "=", Rational(1, 2)),
            "At a break half of its change is reached:",
        ),
        step(
            "one_tenth",
            (s1.subs(X, d1 * Integer(9) ** -f1), "=", Rational(1, 10)),
            "A tenth is reached before it:",
        ),
        step(
            "nine_tenths",
            (s1.subs(X, d1 * Integer(9) ** f1), "=", Rational(9, 10)),
            say("And nine tenths are reached {} later in {}:", 2 * f1 * log(9), log(X)),
        ),
        step(
            "value_near_the_break",
            (
                VALUE(near) - sym.E,
                "=",
                B * near**-C0 * (1 + U) ** (-c1 * f1) * in_ratios(second.at(X)).subs(X, near),
            ),
            say(
                "The first break has the factor {} here, and lies at {}:",
                (1 + U) ** (-c1 * f1),
                (U, "=", 1),
            ),
        ),
        step(
            "share_below",
            (s1, "<=", z1),
            "Below the break the share is small:",
            ByPositiveTerms(form=z1**2 / (1 + z1)),
        ),
        step(
            "share_vanishes",
            (z1, "->", 0),
            say("For the power {} has a positive exponent:", z1),
            ByLeadingTerm(X, "0"),
        ),
        step(
            "share_above",
            (1 - s1, "<=", 1 / z1),
            "Above the break what is missing is small:",
            ByPositiveTerms(form=1 / (z1 * (1 + z1))),
        ),
        step("rest_vanishes", (1 / z1, "->", 0), "In the same way:", ByLeadingTerm(X, "oo")),
        step(
            "value_before",
            (in_logs(C0, B), "=", -c1 * f1 * log(1 + z1) - c2 * f2 * log(1 + z2)),
            "The logarithm of the law is a sum over the breaks:",
        ),
        step(
            "factor_below",
            (-f1 * log(1 + z1), ">=", -f1 * z1),
            say(
                "A term in it is {} times a number between zero and {}, as the logarithm is concave:",
                c1,
                -f1 * z1,
            ),
            ByConvexity(-f1 * log(V), V, 1 + z1, Integer(1)),
        ),
        step(
            "before_the_breaks",
            (c1 * s1, "<=", w * z1),
            say("By {share_below} a break adds little before it:"),
            within(1, s1, z1),
            assume=(w - c1,),
        ),
        step(
            "before_the_breaks_from_below",
            (-c1 * s1, "<=", w * z1),
            "Nor does it take away more:",
            within(-1, s1, z1),
            assume=(w + c1,),
        ),
        step(
            "other_end",
            (in_ratios(law.reversed.at(X)), "=", VALUE(X)),
            "Read from its other end, the law has changes and widths of the other sign:",
        ),
        step(
            "value_after",
            (
                in_logs(law.last_exponent, law.last_coefficient),
                "=",
                -c1 * f1 * log(1 + 1 / z1) - c2 * f2 * log(1 + 1 / z2),
            ),
            "So its logarithm is also this sum:",
        ),
        step(
            "factor_above",
            (-f1 * log(1 + 1 / z1), ">=", -f1 / z1),
            "A term in it is small above its break, by the same bound:",
            ByConvexity(-f1 * log(V), V, 1 + 1 / z1, Integer(1)),
        ),
        step(
            "last_exponent",
            (EXPONENT(X), "=", law.last_exponent - c1 * (1 - s1) - c2 * (1 - s2)),
            say(
                "After both breaks the exponent is {}, but for what is missing:", law.last_exponent
            ),
        ),
        step(
            "after_the_breaks",
            (c1 - c1 * s1, "<=", w / z1),
            say("By {share_above} little of the change is missing after it:"),
            within(1, 1 - s1, 1 / z1),
            assume=(w - c1,),
        ),
        step(
            "after_the_breaks_from_below",
            (c1 * s1 - c1, "<=", w / z1),
            "Nor is there more in excess:",
            within(-1, 1 - s1, 1 / z1),
            assume=(w + c1,),
        ),
        step(
            "merging",
            (
                BrokenForm(sym.E, B, C0, (first, BreakForm(c2, d1, f1))).at(X),
                "=",
                BrokenForm(sym.E, B, C0, (BreakForm(c1 + c2, d1, f1),)).at(X),
            ),
            say("Two breaks with one {} and one {} are a single break:", d1, f1),
        ),
    )
    return Derivation(
        name="broken_power_law_with_several_breaks",
        title="Exponents and values of a broken power law",
        assumptions=(
            say(
                "Let {} be a broken power law of {} with two breaks, at {} and {}; a further "
                "break adds a term to each sum. Let ",
                VALUE(X),
                (X, ">", 0),
                d1,
                d2,
            )
            + all_positive((*PLACES, *WIDTHS, U))
            + say(
                " and {}, and let {}, {}, {} and {} be real, of either sign, with {}.",
                (sym.E, ">=", 0),
                B,
                C0,
                c1,
                c2,
                (B, "!=", 0),
            ),
            say("Let {} be any number larger than the absolute value of {}.", w, c1),
        ),
        definitions=(
            *(Definition(name, part.ratio(X)) for name, part in zip(RATIOS, breaks, strict=True)),
            *(Definition(s, z / (1 + z)) for s, z in zip(SHARES, RATIOS, strict=True)),
            Definition(VALUE(X), in_ratios(law.at(X))),
            Definition(EXPONENT(X), in_shares(law.exponent(X))),
        ),
        statement=say(
            "The local exponent of {} is {}, {local_exponent}, and {last_exponent}. At a "
            "break half of its change is reached, {half_at_the_break}. Before it the break "
            "adds little, {before_the_breaks} and {before_the_breaks_from_below}, and after "
            "it all but little of its change, {after_the_breaks} and "
            "{after_the_breaks_from_below}, since {share_vanishes} and {rest_vanishes}. So "
            "does the second break. The law itself is given by {value_before} and by "
            "{value_after}.",
            VALUE(X) - sym.E,
            EXPONENT(X),
        ),
        steps=steps,
        source=f"{CABALLERO}, for the form; differentiation.",
        follows=say(
            "The breaks of a law are seen only where runs lie on both sides of them: within "
            "about twice {} of the break in {} for the first.",
            f1,
            log(X),
        ),
    )
