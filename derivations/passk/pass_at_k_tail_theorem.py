"""fail@k falls as k^-b exactly where the problems' success probabilities reach down to 0 with the power x^b."""

from __future__ import annotations

from sympy import Integer, Symbol, exp, log, oo, symbols

from isoflop.theory.algebra.factorials import gamma_of
from isoflop.theory.passk import (
    DRAWS,
    FAIL_AT,
    PASS_AT,
    SHAPE_A,
    SOLVE,
    TAIL,
    beta_tail,
    beta_tail_correction,
    power_tail,
)
from isoflop.theory.proof.arguments import (
    ByConvexity,
    ByLeadingTerm,
    ByMonotone,
    ByNormalForm,
    ByPositiveTerms,
    BySameDifference,
    UnderLemma,
)
from isoflop.theory.theorem import Definition, Derivation, function, say, step

FELLER = "Feller 1971, An Introduction to Probability Theory and Its Applications II, XIII.5, theorems 2 and 3"


def derivation() -> Derivation:
    """In the rate v = -log(1 - p), fail@k is a Laplace transform; Karamata's theorem does the rest."""
    a, other, k = SHAPE_A, Symbol("y", positive=True), DRAWS
    density, b, x, u, scale = symbols("c b x u l", positive=True)
    p, rate, share, transform = SOLVE, Symbol("v", positive=True), function("F"), function("w")
    loss = log(1 + u)
    fail = u / (1 + u)
    beta_scale = gamma_of(a + other) / (gamma_of(a) * gamma_of(other))
    lemma = say(
        "A measure on the numbers of at least 0 gives {} to those up to {} and has the "
        "Laplace transform {}. Then {} for {} if and only if {} for {}",
        share(x),
        x,
        transform(k),
        (share(x), "~", scale * x**b),
        (x, "->", 0),
        (transform(k), "~", scale * b * gamma_of(b) * k**-b),
        (k, "->", oo),
    )
    return Derivation(
        name="pass_at_k_tail_theorem",
        title=say("The tail theorem of {}", PASS_AT(k)),
        assumptions=(
            say(
                "Over the problems the probability {} that a sample solves one is at most {} in "
                "the share {}, with {} for {}, where {} and {}. Let {} be the constant. The "
                "value of the Gamma function at {} is {}; the number of draws is {} and grows "
                "without bound, in whole numbers or continuously.",
                p,
                x,
                share(x),
                (share(x), "~", scale * x**b),
                (x, "->", 0),
                (b, ">", 0),
                (density, ">", 0),
                (scale, "=", density / b),
                b,
                gamma_of(b),
                (k, ">", 0),
            ),
            say(
                "A problem has the odds {}. Let {} be its probability, and let {} be its rate.",
                (u, ">", 0),
                (p, "=", fail),
                (rate, "=", loss),
            ),
        ),
        definitions=(Definition(scale, density / b), Definition(p, fail), Definition(rate, loss)),
        statement=say(
            "The mean {} is the Laplace transform of the rates, {laplace_transform}, and the "
            "rates have the tail of the probabilities, {rate_above_probability} and "
            "{rate_close_to_probability}. So, by the lemma, for {} the mean {} is "
            "asymptotically the power in {karamata}, if and only if the share of the "
            "problems is as assumed. Where {} is {}, the law of {} has the same tail: "
            "{neg_log_at_least_fail} and {neg_log_at_most}.",
            FAIL_AT(k),
            (k, "->", oo),
            FAIL_AT(k),
            FAIL_AT(k),
            p,
            -log(PASS_AT(k)),
        ),
        steps=(
            step(
                "laplace_transform",
                ((1 - p) ** k, "=", exp(-k * rate)),
                say("All of {} draws fail with this probability:", k),
            ),
            step(
                "rate_above_probability",
                (x, ">=", 1 - exp(-x)),
                say("The rate, here {}, is at least the probability:", x),
                BySameDifference(
                    x - (1 - exp(-x)),
                    Integer(0),
                    ByMonotone(
                        x - (1 - exp(-x)),
                        x,
                        x,
                        Integer(0),
                        slope=ByMonotone(
                            1 - exp(-x), x, x, Integer(0), slope=ByPositiveTerms(form=exp(-x))
                        ),
                    ),
                ),
            ),
            step(
                "rate_close_to_probability",
                (u, ">=", rate),
                say(
                    "It is at most the odds, and the quotient of odds and probability tends to 1 for "
                    "{}, so that the rates have the same tail:",
                    (u, "->", 0),
                ),
                BySameDifference(
                    u - (loss),
                    Integer(0),
                    ByMonotone(
                        x - log(1 + x), x, u, Integer(0), slope=ByPositiveTerms(form=x / (1 + x))
                    ),
                ),
            ),
            step(
                "karamata",
                (scale * b * gamma_of(b) * k**-b, "=", power_tail(density, b)),
                say(
                    "The lemma with the rates; the value of the Gamma function at {} is {}:",
                    b + 1,
                    b * gamma_of(b),
                ),
                UnderLemma(lemma, FELLER, ByNormalForm()),
            ),
            step(
                "whole_k",
                ((1 + 1 / k) ** -b, ">=", 1 - b / k),
                say(
                    "Whole {} are enough: {} falls with {}, and from {} to {} the power {} falls by "
                    "a factor that tends to 1:",
                    k,
                    FAIL_AT(k),
                    k,
                    k,
                    k + 1,
                    k**-b,
                ),
                ByConvexity(x**-b, x, 1 + 1 / k, Integer(1)),
            ),
            step(
                "beta_problems",
                (
                    beta_tail(a, other) * beta_tail_correction(a, other),
                    "~",
                    power_tail(beta_scale, a),
                ),
                say(
                    "With shapes {} and {} of a Beta distribution the density near 0 is {} times {}, "
                    "made of values of the Gamma function; the tail found for it directly:",
                    (a, ">", 0),
                    (other, ">", 0),
                    beta_scale,
                    p ** (a - 1),
                ),
                ByLeadingTerm(k, "oo"),
            ),
            step(
                "neg_log_at_least_fail",
                (loss, ">=", fail),
                say("With {} for {} it is {}, at least that:", fail, FAIL_AT(k), loss),
                BySameDifference(
                    loss - (fail),
                    Integer(0),
                    ByMonotone(
                        log(1 + x) - x / (1 + x),
                        x,
                        u,
                        Integer(0),
                        slope=ByPositiveTerms(form=x / (1 + x) ** 2),
                    ),
                ),
            ),
            step(
                "neg_log_at_most",
                (fail + fail**2 / 2 * (1 + u), ">=", loss),
                say(
                    "It is at most that and its square over twice {}, so that both have the same tail "
                    "and the approach is slow, of the relative order of half of {}:",
                    PASS_AT(k),
                    FAIL_AT(k),
                ),
                BySameDifference(
                    fail + fail**2 / 2 * (1 + u) - (loss),
                    Integer(0),
                    ByMonotone(
                        x / (1 + x) + (x / (1 + x)) ** 2 / 2 * (1 + x) - log(1 + x),
                        x,
                        u,
                        Integer(0),
                        slope=ByPositiveTerms(form=x**2 / (2 * (1 + x) ** 2)),
                    ),
                ),
            ),
        ),
        source=f"{TAIL}, for the theorem about pass@k; {FELLER}, for Karamata's Tauberian theorem.",
        follows=say("Estimate {} from {} rather than from {}.", b, FAIL_AT(k), -log(PASS_AT(k))),
    )
