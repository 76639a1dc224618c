"""Any stationary fit of a compute law to runs at one ratio overstates E, and its exponent lies between beta/2 and gamma/2."""

from __future__ import annotations

from sympy import Expr, Integer, Matrix, exp, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import SPACING
from isoflop.theory.proof.argument import Argument, ByPositiveTerms, UnderLemma
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.argument_factors import ByFactors
from isoflop.theory.proof.claim import Claim, Derivation

A_FIT, X = symbols("a x", positive=True)
E_FIT, E_TRUE, C_FIT, U, V, M, P, S, STEP = symbols("E_fit E c u v m p q i", positive=True)
W, Z, GAP = symbols("W Z h", positive=True)

WRONSKIANS = (
    "Functions whose Wronskians, of the first, of the first two and so on, vanish nowhere on an interval "
    "are a Chebyshev system there."
)
ORTHOGONAL = (
    "A sequence, not zero throughout, that is orthogonal to a Chebyshev system of three functions on an ordered set of points, "
    "with positive weights, changes sign at least three times."
)
ROLLE = (
    "For p > 0 the sequence r_(i+1) - p r_i has at most one sign change fewer than r_i (the discrete theorem of Rolle behind "
    "Descartes' rule of signs)."
)
SOURCE = "Karlin and Studden 1966, Tchebycheff Systems; Polya and Szego, Problems and Theorems in Analysis II, part V"


def given(argument: Argument) -> UnderLemma:
    return UnderLemma(f"{WRONSKIANS} {ORTHOGONAL} {ROLLE}", SOURCE, argument)


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
    first_two, all_three = (
        Matrix([[f.diff(X, k) for f in functions[:n]] for k in range(n)]).det() for n in (2, 3)
    )
    terms = shifted(shifted(residual(STEP), 1), M)
    model_part = shifted(shifted(residual(STEP), P), S)
    opposite = -(P - 1) * (P - M) * U * (S - 1) * (S - M) * V
    between = (M - P) * (S - M)
    negative = -(1 - P) * (1 - S) * (E_TRUE - E_FIT)
    falling = (1 - P, 1 - S)
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
            "wronskian_of_two",
            first_two,
            "<",
            Integer(0),
            "The Wronskian of 1 alone is 1, that of 1 and e^(-a x) is -a e^(-a x),",
            ByPositiveTerms(form=A_FIT * exp(-A_FIT * X)),
        ),
        Claim(
            "wronskian_of_three",
            all_three,
            ">",
            Integer(0),
            "and that of all three a^2 e^(-2 a x): none vanishes, and the three are a Chebyshev system.",
            ByPositiveTerms(form=A_FIT**2 * exp(-2 * A_FIT * X)),
        ),
        Claim(
            "without_the_fit",
            terms,
            "==",
            (P - 1) * (P - M) * U * P**STEP + (S - 1) * (S - M) * V * S**STEP,
            "Two differences remove the fit's two exponentials from the residual.",
        ),
        Claim(
            "one_sign",
            W * P**STEP + Z * S**STEP,
            ">",
            Integer(0),
            "With W and Z of one sign, here positive, W p^i + Z q^i does not change sign, and not with W or Z zero either.",
            ByPositiveTerms(),
        ),
        Claim(
            "exponent_between",
            between,
            ">",
            Integer(0),
            "What the two differences leave changes sign: so the product of W = (p - 1)(p - m) u and Z = (q - 1)(q - m) v is "
            "negative, and m lies between p and q.",
            given(ByFactors((opposite, 1 / (1 - P), 1 / (1 - S), 1 / U, 1 / V))),
            assume=(opposite, *falling),
        ),
        Claim(
            "in_exponents",
            exp(-(A_FIT + GAP) * SPACING),
            "<",
            exp(-A_FIT * SPACING),
            "The factor from run to run falls with the exponent: so alpha' lies between beta/2 and gamma/2.",
            ByMonotone(
                exp(-X * SPACING),
                X,
                A_FIT + GAP,
                A_FIT,
                increasing=False,
                order=ByPositiveTerms(form=GAP),
            ),
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
            between * C_FIT,
            ">",
            Integer(0),
            "The factor of m^i in it is positive, m being between p and q.",
            ByFactors((between, C_FIT)),
            assume=(between,),
        ),
        Claim(
            "irreducible_too_high",
            E_FIT,
            ">",
            E_TRUE,
            "What is left, W + Z m^i, changes sign too. As Z is positive, W = (1 - p)(1 - q)(E - E') is negative: E' exceeds E.",
            given(ByFactors((negative, 1 / (1 - P), 1 / (1 - S)))),
            assume=(negative, *falling),
        ),
    )
    return Derivation(
        name="stationary_fit_bias",
        title="The bias of a compute law fitted to a ray",
        assumptions=(
            "Runs at D = t N, four or more C equally spaced in log C, without noise, from a law with beta != gamma",
            "E' + C0' C^-alpha', C0', alpha' > 0, is stationary for weighted least squares, or for least squares or Huber in "
            "log L",
            "p, q, m are the factors by which the params term, the tokens term and the fit fall from run to run, e^(-beta z/2), "
            "e^(-gamma z/2) and e^(-a z) with a for alpha'; p, q, m < 1",
            "E + u p^i + v q^i is the law at run i, and E_fit + c m^i the fit, with E_fit for E'",
        ),
        statement=r"E' > E,\qquad \tfrac12\min(\beta, \gamma) < \alpha' < \tfrac12\max(\beta, \gamma)",
        steps=steps,
        source="Orthogonality of the residual to a Chebyshev system, and Descartes' rule of signs for sums of exponentials.",
        follows="With three runs the fit passes through them all (three_point_fit_bias). Beyond the last sign change of the "
        "residual the fit lies above the ray. For other spacings the same holds with "
        "derivatives in log C in place of differences.",
    )
