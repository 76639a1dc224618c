"""fail@k is log-convex and super-multiplicative in k, for every distribution of problems."""

from __future__ import annotations

from sympy import Rational, Symbol

from isoflop.theory.passk import DRAWS
from isoflop.theory.proof.argument_calculus import ByConvexity
from isoflop.theory.proof.claim import ByPositiveTerms, ByWeightedAmGm, Claim, Derivation


def derivation() -> Derivation:
    """Compare two problems drawn independently, with chances f and g to fail; the mean over both draws is the statement."""
    k = DRAWS
    f, g, j, x, mean, more, v, w = (
        Symbol(name, positive=True) for name in ("f", "g", "j", "x", "mu", "m", "v", "w")
    )
    half = Rational(1, 2)
    outer = (half * f ** (k - 1) * g ** (k + 1), half * f ** (k + 1) * g ** (k - 1))
    first = (j / (j + k) * f ** (j + k), k / (j + k) * g ** (j + k))
    second = (k / (j + k) * f ** (j + k), j / (j + k) * g ** (j + k))
    weights = (j / (j + k), k / (j + k))
    moment = [v * f**e + w * g**e for e in (k - 1, k, k + 1)]
    return Derivation(
        name="fail_at_k_is_log_convex",
        title="fail@k is log-convex and super-multiplicative",
        assumptions=(
            "f and g, the chances to fail of two problems drawn independently, of any distribution",
        ),
        statement=(
            r"\mathrm{fail}@k^2 \le \mathrm{fail}@(k-1)\,\mathrm{fail}@(k+1), \quad"
            r"\mathrm{fail}@(j+k) \ge \mathrm{fail}@j\;\mathrm{fail}@k, \quad \mathrm{fail}@(mk) \ge \mathrm{fail}@k^m"
        ),
        steps=(
            Claim(
                "log_convex",
                outer[0] + outer[1],
                ">=",
                f**k * g**k,
                "AM-GM for the pair; the means are those of the two draws at k - 1 and k + 1, and at k twice.",
                ByWeightedAmGm(outer, (half, half)),
            ),
            Claim(
                "log_convex_for_two_kinds",
                moment[0] * moment[2],
                ">=",
                moment[1] ** 2,
                "For two kinds of problems with shares v and w in full: the difference is v w (f g)^(k - 1) (f - g)^2.",
                ByPositiveTerms(form=v * w * (f * g) ** (k - 1) * (f - g) ** 2),
            ),
            Claim(
                "super_multiplicative_first_half",
                first[0] + first[1],
                ">=",
                f**j * g**k,
                "Weighted AM-GM with weights j/(j + k) and k/(j + k);",
                ByWeightedAmGm(first, weights),
            ),
            Claim(
                "super_multiplicative_second_half",
                second[0] + second[1],
                ">=",
                f**k * g**j,
                "the same with f and g exchanged. The mean of the sum of both is the second inequality, twice.",
                ByWeightedAmGm(second, weights[::-1]),
            ),
            Claim(
                "both_halves",
                first[0] + first[1] + second[0] + second[1],
                "==",
                f ** (j + k) + g ** (j + k),
                "The two halves add up to the sum of the two powers.",
            ),
            Claim(
                "power",
                x ** (1 + more),
                ">=",
                mean ** (1 + more) + (1 + more) * mean**more * (x - mean),
                "With x = f^k and 1 + m in place of m: x^(1 + m) lies above its tangent at the mean of x, and the mean of the "
                "tangent is "
                "its value there (Jensen).",
                ByConvexity(x ** (1 + more), x, x, mean),
            ),
            Claim(
                "equality_for_equal_problems",
                moment[1].subs(g, f) ** 2,
                "==",
                moment[0].subs(g, f) * moment[2].subs(g, f),
                "Log-convexity is an equality where all problems are equally hard.",
            ),
        ),
        source="Cauchy-Schwarz, Chebyshev's sum inequality and Jensen, each through AM-GM or a tangent.",
        follows="-log fail@k is concave in k: the chance that a draw solves what earlier draws did not falls with k.",
    )
