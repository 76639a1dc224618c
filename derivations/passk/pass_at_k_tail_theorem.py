"""fail@k falls as k^-b exactly where the problems' success probabilities reach down to 0 with the power x^b."""

from __future__ import annotations

from sympy import Integer, Mul, Symbol, exp, log

from isoflop.theory.passk import (
    DRAWS,
    SHAPE_A,
    SHAPE_B,
    TAIL,
    beta_tail,
    beta_tail_correction,
    gamma_of,
    power_tail,
)
from isoflop.theory.proof.argument_calculus import ByConvexity, ByMonotone
from isoflop.theory.proof.claim import (
    ByLeadingTerm,
    ByNormalForm,
    ByPositiveTerms,
    Claim,
    Derivation,
    UnderLemma,
)

KARAMATA = (
    "For a measure F on [0, infinity) with Laplace transform w, F([0, x]) ~ l x^b for x -> 0 if and only if "
    "w(k) ~ l Gamma(b + 1) k^-b for k -> infinity"
)
FELLER = "Feller 1971, An Introduction to Probability Theory and Its Applications II, XIII.5, theorems 2 and 3"


def derivation() -> Derivation:
    """In the rate v = -log(1 - p), fail@k is a Laplace transform; Karamata's theorem does the rest."""
    a, k = SHAPE_A, DRAWS
    density, b, x, u = (Symbol(name, positive=True) for name in ("c", "b", "x", "u"))
    loss = log(1 + u)
    fail = u / (1 + u)
    return Derivation(
        name="pass_at_k_tail_theorem",
        title="The tail theorem of pass@k",
        assumptions=(
            "P(p <= x) ~ (c/b) x^b over the problems for x -> 0, with b, c > 0",
            "k -> infinity through the real or the whole numbers",
        ),
        statement=(
            r"P(p \le x) \sim \frac{c}{b} x^b \iff \mathrm{fail}@k \sim c\,\Gamma(b)\,k^{-b}, \qquad"
            r"-\log \mathrm{pass}@k \sim \mathrm{fail}@k"
        ),
        steps=(
            Claim(
                "laplace_transform",
                (1 - fail) ** k,
                "==",
                exp(-k * loss),
                "With p = u/(1 + u) and the rate v = -log(1 - p) = log(1 + u), fail@k is the Laplace transform of v.",
            ),
            Claim(
                "rate_above_probability",
                x - (1 - exp(-x)),
                ">=",
                Integer(0),
                "The rate, here x, is at least p = 1 - e^-x,",
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
            Claim(
                "rate_close_to_probability",
                u - log(1 + u),
                ">=",
                Integer(0),
                "and v = log(1 + u) is at most u = p/(1 - p): so v ~ p for p -> 0, and P(v <= x) ~ (c/b) x^b too.",
                ByMonotone(
                    x - log(1 + x), x, u, Integer(0), slope=ByPositiveTerms(form=x / (1 + x))
                ),
            ),
            Claim(
                "karamata",
                Mul(density / b, b * gamma_of(b), k**-b, evaluate=False),
                "==",
                power_tail(density, b),
                "For the distribution of v the lemma with l = c/b gives fail@k ~ (c/b) Gamma(b + 1) k^-b, and the other way "
                "round; by the recurrence of the Gamma function that is c Gamma(b) k^-b.",
                UnderLemma(KARAMATA, FELLER, ByNormalForm()),
            ),
            Claim(
                "whole_k",
                (1 + 1 / k) ** -b,
                ">=",
                1 - b / k,
                "Whole k are enough: fail@k falls with k, and from k to k + 1 the power k^-b falls by a factor that tends to 1.",
                ByConvexity(x**-b, x, 1 + 1 / k, Integer(1)),
            ),
            Claim(
                "beta_problems",
                beta_tail() * beta_tail_correction(),
                "~",
                power_tail(gamma_of(a + SHAPE_B) / (gamma_of(a) * gamma_of(SHAPE_B)), a),
                "Near 0 the density of a Beta distribution is a constant times p^(a - 1): the tail found for it directly.",
                ByLeadingTerm(k, "oo"),
            ),
            Claim(
                "neg_log_at_least_fail",
                loss - fail,
                ">=",
                Integer(0),
                "With u/(1 + u) for fail@k, -log pass@k is log(1 + u): at least fail@k,",
                ByMonotone(
                    log(1 + x) - x / (1 + x),
                    x,
                    u,
                    Integer(0),
                    slope=ByPositiveTerms(form=x / (1 + x) ** 2),
                ),
            ),
            Claim(
                "neg_log_at_most",
                (fail + fail**2 / 2 * (1 + u)) - loss,
                ">=",
                Integer(0),
                "and at most fail@k plus its square over twice pass@k: both have the same tail, and the approach is slow, of "
                "relative "
                "order half of fail@k.",
                ByMonotone(
                    x / (1 + x) + (x / (1 + x)) ** 2 / 2 * (1 + x) - log(1 + x),
                    x,
                    u,
                    Integer(0),
                    slope=ByPositiveTerms(form=x**2 / (2 * (1 + x) ** 2)),
                ),
            ),
        ),
        source=f"{TAIL}, for the theorem about pass@k; {FELLER}, for Karamata's Tauberian theorem.",
        follows="Estimate b from fail@k rather than from -log pass@k.",
    )
