"""A compute law put through three runs at a fixed ratio overstates the irreducible loss, and over-predicts the next run."""

from __future__ import annotations

from sympy import Expr, Integer, Symbol, exp, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import RAY_GROWTH, SPACING, ThreePointFit, at_runs
from isoflop.theory.proof.arguments import ByMonotone, ByPositiveTerms
from isoflop.theory.ray import PARAMS, TOKENS, ray
from isoflop.theory.theorem import Definition, Derivation, all_positive, function, say, step

FALL, MORE, SIZE, FLOOR, U, V, M, P, Q, X, GAP = symbols(
    "theta n c E' u v m p q x eta", positive=True
)
ANY_SIZE, ANY_FACTOR = Symbol("w", positive=True), Symbol("g", positive=True)
ANY_FLOOR, RUN = Symbol("b", real=True), Symbol("i", real=True)
VALUE, ANY_LAW = function("y"), function("Y")
ZERO = Integer(0)


def derivation() -> Derivation:
    """y(i) = u p^i + v q^i at i = 0, 1, 2 determines E' - E, c and m in closed form."""
    line, C, beta, gamma = ray(), sym.C, sym.BETA, sym.GAMMA
    half = RAY_GROWTH * SPACING
    fit = ThreePointFit(U, V, P, Q)
    letters = {P: 1 / (1 + X + GAP), Q: 1 / (1 + X)}

    def positive(excess: Expr) -> ByPositiveTerms:
        """A form whose terms are positive, in the letters of which p and q are made."""
        return ByPositiveTerms(form=excess.subs(letters).factor())

    def params(compute: Expr) -> Expr:
        return sym.A * PARAMS(compute) ** -beta

    def tokens(compute: Expr) -> Expr:
        return sym.B * TOKENS(compute) ** -gamma

    def fitted(i: int) -> Expr:
        return FLOOR + SIZE * M**i

    def of(values: Expr) -> dict[Symbol, Expr]:
        """The factor, the constant and the coefficient of a law through three values."""
        first, second, third = (values(i) for i in range(3))
        curvature = first + third - 2 * second
        return {
            M: (second - third) / (first - second),
            FLOOR: (first * third - second**2) / curvature,
            SIZE: (first - second) ** 2 / curvature,
        }

    own, others = of(VALUE), of(ANY_LAW)
    steps = (
        step(
            "params_term",
            (at_runs(params)(RUN), "=", params(C) * exp(-beta * half * RUN)),
            say("The params term falls by the factor {} from run to run:", P),
        ),
        step(
            "tokens_term",
            (at_runs(tokens)(RUN), "=", tokens(C) * exp(-gamma * half * RUN)),
            say("The tokens term falls by the factor {}:", Q),
        ),
        step(
            "factor_is_unique",
            (others[M], "=", ANY_FACTOR),
            "Three values of a compute law tell its factor:",
            assume=(1 - ANY_FACTOR,),
        ),
        step(
            "floor_is_unique",
            (others[FLOOR], "=", ANY_FLOOR),
            "They tell its constant:",
            assume=(1 - ANY_FACTOR,),
        ),
        step(
            "size_is_unique",
            (others[SIZE], "=", ANY_SIZE),
            "And its coefficient, so that no more than one passes through the three runs:",
            assume=(1 - ANY_FACTOR,),
        ),
        step(
            "first_run",
            (fitted(0), "=", sym.E + VALUE(0)),
            say("The law of {}, {} and {} passes through the first:", FLOOR, SIZE, M),
        ),
        step("second_run", (fitted(1), "=", sym.E + VALUE(1)), "Through the second:"),
        step(
            "third_run",
            (fitted(2), "=", sym.E + VALUE(2)),
            "And through the third, so that it is the one:",
        ),
        step(
            "factor", (M, "=", fit.factor), "Its factor is a weighted mean of those of the terms:"
        ),
        step(
            "excess",
            (FLOOR - sym.E, "=", fit.excess_irreducible),
            "Its irreducible loss exceeds that of the law by:",
        ),
        step("coefficient", (SIZE, "=", fit.coefficient), "The coefficient is:"),
        step(
            "coefficient_positive", (SIZE, ">", ZERO), "It is positive:", positive(fit.coefficient)
        ),
        step(
            "irreducible_too_high",
            (FLOOR, ">", sym.E),
            say("By {excess}, as {} and {} differ:", P, Q),
            positive(fit.excess_irreducible),
        ),
        step(
            "exponent_above",
            (M, ">", P),
            say("The mean of {factor} lies above the smaller of the two factors:"),
            positive(fit.factor - P),
        ),
        step("exponent_below", (M, "<", Q), "It lies below the larger:", positive(Q - fit.factor)),
        step(
            "in_exponents",
            (exp(-(FALL + MORE) * SPACING), "<", exp(-FALL * SPACING)),
            say(
                "A larger exponent has a smaller factor, so that {} lies between {} and {}:",
                FALL,
                gamma / 2,
                beta / 2,
            ),
            ByMonotone(
                exp(-X * SPACING),
                X,
                FALL + MORE,
                FALL,
                increasing=False,
                order=ByPositiveTerms(form=MORE),
            ),
        ),
        step(
            "next_run",
            (fitted(3), "=", sym.E + VALUE(3) + fit.next_excess),
            "Extrapolate the fit by one more run:",
        ),
        step(
            "over_predicts",
            (fitted(3), ">", sym.E + VALUE(3)),
            "The fit exceeds the law there by a product of positive factors:",
            positive(fit.next_excess),
        ),
    )
    return Derivation(
        name="three_point_fit_bias",
        title="The bias of a compute law through three runs of a ray",
        assumptions=(
            *line.assumptions,
            say(
                "Runs without noise are numbered from 0; run {} has the compute {}, with {}. At "
                "the first run the params term is {}, the tokens term {}. The exponents differ: "
                "let {}, otherwise exchange the terms.",
                RUN,
                C * exp(RUN * SPACING),
                (SPACING, ">", 0),
                U,
                V,
                (beta, ">", gamma),
            ),
            say(
                "From run to run the terms fall by the factors {} and {}. The first is the "
                "smaller one, and both are below one: they are {} and {} below with numbers ",
                exp(-beta * half),
                exp(-gamma * half),
                P,
                Q,
            )
            + all_positive((X, GAP))
            + ".",
            say(
                "The exponent of the compute law with the factor {} is {}, where {} is {}. Let "
                "{} be any compute law, with a real {}, {}, {} and {}. Let {} and {}.",
                M,
                FALL,
                exp(-FALL * SPACING),
                M,
                ANY_LAW(RUN),
                ANY_FLOOR,
                (ANY_SIZE, ">", 0),
                (ANY_FACTOR, ">", 0),
                (ANY_FACTOR, "<", 1),
                (FALL, ">", 0),
                (MORE, ">", 0),
            ),
        ),
        definitions=(
            *line.definitions,
            *(Definition(*letter) for letter in letters.items()),
            Definition(VALUE(RUN), U * P**RUN + V * Q**RUN),
            Definition(M, own[M]),
            Definition(FLOOR, sym.E + own[FLOOR]),
            Definition(SIZE, own[SIZE]),
            Definition(ANY_LAW(RUN), ANY_FLOOR + ANY_SIZE * ANY_FACTOR**RUN),
        ),
        statement=say(
            "Three values of a compute law determine it, {factor_is_unique}, "
            "{floor_is_unique} and {size_is_unique}. So one law alone passes through the "
            "runs 0, 1 and 2, which is that with {first_run}, {second_run} and {third_run}. "
            "In closed form {factor}, {excess} and {coefficient}, where "
            "{coefficient_positive}. It overstates the irreducible loss, "
            "{irreducible_too_high}. Its exponent {} lies strictly between {} and {}, as "
            "{exponent_above} and {exponent_below}. It over-predicts the next run, "
            "{over_predicts}.",
            FALL,
            gamma / 2,
            beta / 2,
        ),
        steps=steps,
        source="Three equations in three unknowns.",
        follows="The bias is one of form, not of noise: more runs at the same ratio do not remove it (stationary_fit_bias).",
    )
