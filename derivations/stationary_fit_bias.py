"""Any stationary fit of a compute law to runs at one ratio overstates E, and its exponent lies between beta/2 and gamma/2."""

from __future__ import annotations

from sympy import Expr, Integer, Matrix, exp, linsolve, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.argument import Argument, ByPositiveTerms, UnderLemma
from isoflop.theory.argument_factors import ByFactors
from isoflop.theory.claim import Claim, Derivation

A_FIT, X = symbols("a x", positive=True)
E_FIT, E_TRUE, C_FIT, U, V, M, P, S, STEP = symbols("E_fit E c u v m p q i", positive=True)
FIRST, SECOND = symbols("lambda_1 lambda_2", positive=True)
W, Z = symbols("W Z", real=True)

ORTHOGONAL = (
    "A sequence that is orthogonal to a Chebyshev system of three functions on an ordered set of points, with positive weights, "
    "changes sign at least three times."
)
ROLLE = (
    "For p > 0 the sequence r_(i+1) - p r_i has at least one sign change fewer than r_i, of the same pattern (the discrete "
    "theorem of Rolle behind Descartes' rule of signs)."
)
SOURCE = "Karlin and Studden 1966, Tchebycheff Systems; Polya and Szego, Problems and Theorems in Analysis II, part V"


def given(argument: Argument) -> UnderLemma:
    return UnderLemma(f"{ORTHOGONAL} {ROLLE}", SOURCE, argument)


def residual(i: Expr) -> Expr:
    """Truth minus fit at run i."""
    return E_TRUE + U * P**i + V * S**i - E_FIT - C_FIT * M**i


def shifted(sequence: Expr, factor: Expr) -> Expr:
    """r_(i+1) - factor r_i."""
    return sequence.subs(STEP, STEP + 1) - factor * sequence


def derivation() -> Derivation:
    """The residual changes sign three times; removing two of its four exponentials shows the signs of the other two."""
    model = sym.E + sym.C0 * exp(-A_FIT * X)
    slope = model.diff(sym.E) + model.diff(sym.C0) + model.diff(A_FIT)
    functions = (Integer(1), exp(-A_FIT * X), X * exp(-A_FIT * X))
    wronskian = Matrix([[f.diff(X, k) for f in functions] for k in range(3)]).det()
    terms = shifted(shifted(residual(STEP), 1), M)
    model_part = shifted(shifted(residual(STEP), P), S)
    ((first, second),) = linsolve([W + Z + FIRST, P * W + S * Z - SECOND], (W, Z))
    ((floor, power),) = linsolve([W + Z - FIRST, W + M * Z + SECOND], (W, Z))
    falls = (1 - M,)
    steps = (
        Claim(
            "stationary",
            slope.diff(X, 3),
            "==",
            -2 * A_FIT * slope.diff(X, 2) - A_FIT**2 * slope.diff(X),
            "In x = log C the fit's derivatives in E', C0' and alpha' solve one linear equation, as 1, e^(-a x) and x e^(-a x) "
            "do: "
            "the weighted residual of a stationary fit is orthogonal to these three.",
        ),
        Claim(
            "chebyshev",
            wronskian,
            ">=",
            Integer(0),
            "Their Wronskian a^2 e^(-2 a x) vanishes nowhere: they are a Chebyshev system.",
            ByFactors((A_FIT**2, exp(-2 * A_FIT * X))),
        ),
        Claim(
            "without_the_fit",
            terms,
            "==",
            (P - 1) * (P - M) * U * P**STEP + (S - 1) * (S - M) * V * S**STEP,
            "Two differences remove the fit's two exponentials from the residual.",
        ),
        Claim(
            "exponent_between",
            first * second,
            "<=",
            Integer(0),
            "What is left, W p^i + Z q^i, changes sign, say W + Z < 0 < p W + q Z: so W Z < 0, and m lies between p and q.",
            given(ByPositiveTerms(form=(SECOND + FIRST * S) * (SECOND + FIRST * P) / (P - S) ** 2)),
        ),
        Claim(
            "without_the_ray",
            model_part,
            "==",
            (1 - P) * (1 - S) * (E_TRUE - E_FIT) + (M - P) * (S - M) * C_FIT * M**STEP,
            "Two other differences remove the ray's two terms.",
        ),
        Claim(
            "power_positive",
            power,
            ">=",
            Integer(0),
            "What is left, W + Z m^i, changes sign too. Z is positive, m being between p and q, and that fits a change from "
            "plus to minus "
            "alone: W + Z > 0 > W + m Z.",
            given(ByPositiveTerms(form=(FIRST + SECOND) / (1 - M))),
            assume=falls,
        ),
        Claim(
            "irreducible_too_high",
            floor,
            "<=",
            Integer(0),
            "Hence W = (1 - p)(1 - q)(E - E') is negative: E' exceeds E.",
            given(ByPositiveTerms(form=(SECOND + FIRST * M) / (1 - M))),
            assume=falls,
        ),
    )
    return Derivation(
        name="stationary_fit_bias",
        title="The bias of a compute law fitted to a ray",
        assumptions=(
            "Runs at D = t N, four or more C equally spaced in log C, without noise, from a law with beta != gamma",
            "E' + C0' C^-alpha', C0', alpha' > 0, is stationary for weighted least squares, or for least squares or Huber in "
            "log L",
            "p, q, m are the factors by which the params term, the tokens term and the fit fall from run to run; p, q, m < 1",
        ),
        statement=r"E' > E,\qquad \tfrac12\min(\beta, \gamma) < \alpha' < \tfrac12\max(\beta, \gamma)",
        steps=steps,
        source="Orthogonality of the residual to a Chebyshev system, and Descartes' rule of signs for sums of exponentials.",
        follows="With three runs the fit passes through them all (three_point_fit_bias). Beyond the last sign change of the "
        "residual the fit lies above the ray. For other spacings the same holds with "
        "derivatives in log C in place of differences.",
    )
