"""fail@k is log-convex and super-multiplicative in k, for every distribution of problems."""

from __future__ import annotations

from sympy import Rational, symbols

from isoflop.theory.passk import DRAWS, FAIL_AT
from isoflop.theory.proof.arguments import ByConvexity, ByPositiveTerms, ByWeightedAmGm
from isoflop.theory.theorem import Definition, Derivation, all_positive, say, step


def derivation() -> Derivation:
    """Compare two problems drawn independently, with chances f and g to fail; the mean over both draws is the statement."""
    k = DRAWS
    f, g, j, x, mean, more, v, w = symbols("f g j x mu m v w", positive=True)
    half = Rational(1, 2)
    outer = (half * f ** (k - 1) * g ** (k + 1), half * f ** (k + 1) * g ** (k - 1))
    first = (j / (j + k) * f ** (j + k), k / (j + k) * g ** (j + k))
    second = (k / (j + k) * f ** (j + k), j / (j + k) * g ** (j + k))
    weights = (j / (j + k), k / (j + k))
    times = 1 + more
    steps = (
        step(
            "log_convex",
            (outer[0] + outer[1], ">=", f**k * g**k),
            "AM-GM of the two terms:",
            ByWeightedAmGm(outer, (half, half)),
        ),
        step(
            "log_convex_for_two_kinds",
            (FAIL_AT(k - 1) * FAIL_AT(k + 1), ">=", FAIL_AT(k) ** 2),
            say("The difference is {}:", v * w * (f * g) ** (k - 1) * (f - g) ** 2),
            ByPositiveTerms(form=v * w * (f * g) ** (k - 1) * (f - g) ** 2),
        ),
        step(
            "super_multiplicative_first_half",
            (first[0] + first[1], ">=", f**j * g**k),
            say("Weighted AM-GM with the weights {} and {}:", *weights),
            ByWeightedAmGm(first, weights),
        ),
        step(
            "super_multiplicative_second_half",
            (second[0] + second[1], ">=", f**k * g**j),
            say("The same with {} and {} exchanged:", f, g),
            ByWeightedAmGm(second, weights[::-1]),
        ),
        step(
            "both_halves",
            (first[0] + first[1] + second[0] + second[1], "=", f ** (j + k) + g ** (j + k)),
            "The two halves add up to the sum of the two powers:",
        ),
        step(
            "power",
            (x**times, ">=", mean**times + times * mean**more * (x - mean)),
            say("The power is convex in {}, and lies above its tangent at {}:", x, mean),
            ByConvexity(x**times, x, x, mean),
        ),
        step(
            "equality_for_equal_problems",
            (f ** (k - 1) * f ** (k + 1) - (f**k) ** 2, "=", 0),
            "Where all problems are equally hard log-convexity is an equality:",
        ),
    )
    return Derivation(
        name="fail_at_k_is_log_convex",
        title="fail@k is log-convex and super-multiplicative",
        assumptions=(
            say(
                "Let {} for two kinds of problems, with the shares {} and {}, which a draw fails "
                "with probability {} and {}. Let ",
                (FAIL_AT(k), "=", v * f**k + w * g**k),
                v,
                w,
                f,
                g,
            )
            + all_positive((f, g, v, w, k, j, x, mean, more))
            + ".",
        ),
        definitions=(Definition(FAIL_AT(k), v * f**k + w * g**k),),
        statement=say(
            "For two kinds of problems {log_convex_for_two_kinds}. For any distribution draw "
            "two problems independently: the mean over both draws of {log_convex} says that "
            "the square of {} is at most {}, that of {super_multiplicative_first_half} and "
            "{super_multiplicative_second_half} that {} is at most {}, and that of {power}, "
            "with {} for {}, that {} is at most {}.",
            FAIL_AT(k),
            FAIL_AT(k - 1) * FAIL_AT(k + 1),
            FAIL_AT(j) * FAIL_AT(k),
            FAIL_AT(j + k),
            f**k,
            x,
            FAIL_AT(k) ** times,
            FAIL_AT(times * k),
        ),
        steps=steps,
        source="Cauchy-Schwarz, Chebyshev's sum inequality and Jensen, each through AM-GM or a tangent.",
        follows=say(
            "{} is log-convex in {}: the chance that a draw solves what earlier draws did not falls.",
            FAIL_AT(k),
            k,
        ),
    )
