"""Any stationary fit of a compute law to runs at one ratio overstates E, and its exponent lies between beta/2 and gamma/2."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Integer, exp, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import RAY_GROWTH, SPACING, at_runs
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.ray import PARAMS, TOKENS, ray
from isoflop.theory.theorem.argument import UnderLemma
from isoflop.theory.theorem.derivation import Definition, Derivation, Partial, function, say, step

FALL, SIZE, FLOOR, U, V, M, P, Q, X, K = symbols("theta c E' u v m p q x K", positive=True)
W, Z, RUN, OTHER_RUN, LATE = symbols("W Z i j n", real=True)
FIT, TILTED, RESIDUAL, OF_RAY, OF_FIT = (function(name) for name in ("Y", "w", "y", "T", "S"))
ZERO = Integer(0)

WRONSKIANS = (
    "Functions whose Wronskians, of the first, of the first two and so on, vanish nowhere on an "
    "interval are a Chebyshev system there. "
)
ORTHOGONAL = (
    "A sequence, not zero throughout, that is orthogonal to a Chebyshev system of three functions on "
    "an ordered set of points, with positive weights, changes sign at least three times. "
)
ROLLE = say(
    "For every {} the sequence {} has at most one sign change fewer than {}, the "
    "discrete theorem of Rolle behind Descartes' rule of signs.",
    (X, ">", 0),
    RESIDUAL(RUN + 1) - X * RESIDUAL(RUN),
    RESIDUAL(RUN),
)
SOURCE = "Karlin and Studden 1966, Tchebycheff Systems; Polya and Szego, Problems and Theorems in Analysis II, part V"


def twice_shifted(values: Callable[[Expr], Expr], i: Expr, one: Expr, other: Expr) -> Expr:
    """What removes the powers of two factors from a sequence."""
    return values(i + 2) - (one + other) * values(i + 1) + one * other * values(i)


def derivation() -> Derivation:
    """The residual changes sign three times; removing two of its four exponentials shows the signs of the other two."""
    line, C, beta, gamma = ray(), sym.C, sym.BETA, sym.GAMMA
    half = RAY_GROWTH * SPACING
    decay, tilted = exp(-FALL * X), TILTED(X)
    between, falling = (M - P) * (Q - M), (1 - P, 1 - Q)
    lemma = UnderLemma(WRONSKIANS + (ORTHOGONAL + ROLLE), SOURCE, ByBound())
    opposite = -OF_RAY(RUN) * OF_RAY(OTHER_RUN)
    squares = W**2 * P ** (RUN + OTHER_RUN) + Z**2 * Q ** (RUN + OTHER_RUN)
    mixed = P**RUN * Q**OTHER_RUN + P**OTHER_RUN * Q**RUN

    def params(compute: Expr) -> Expr:
        return sym.A * PARAMS(compute) ** -beta

    def tokens(compute: Expr) -> Expr:
        return sym.B * TOKENS(compute) ** -gamma

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
            "below_one",
            (exp(-X * SPACING), "<", 1),
            say(
                "The factor that belongs to an exponent {} is one at {} and falls:", X, (X, "=", 0)
            ),
            ByBound(),
        ),
        step(
            "in_floor",
            (Partial(FIT(X), FLOOR), "=", 1),
            say("The derivative of the fit in {} is constant:", FLOOR),
        ),
        step(
            "in_coefficient",
            (Partial(FIT(X), SIZE), "=", decay),
            say("That in {} is a power of the compute:", SIZE),
        ),
        step(
            "stationary",
            (Partial(FIT(X), FALL), "=", -SIZE * tilted),
            say(
                "So the weighted residual is orthogonal to {}, to {} and, by the derivative in "
                "{}, to {}:",
                1,
                decay,
                FALL,
                tilted,
            ),
        ),
        step(
            "wronskian_of_two",
            (Partial(decay, X), "<", ZERO),
            say("The Wronskian of {} and {} is not zero:", 1, decay),
            ByBound(),
        ),
        step(
            "wronskian_of_three",
            (
                Partial(decay, X) * Partial(Partial(tilted, X), X)
                - Partial(Partial(decay, X), X) * Partial(tilted, X),
                ">",
                ZERO,
            ),
            say(
                "Nor is that of the three, which is {}, so that they are a Chebyshev system:",
                FALL**2 * decay**2,
            ),
            ByBound(),
        ),
        step(
            "without_the_fit",
            (twice_shifted(RESIDUAL, RUN, Integer(1), M), "=", OF_RAY(RUN)),
            say("Two differences remove the constant and the power of {} from the residual:", M),
        ),
        step(
            "not_zero",
            (
                (Q * OF_RAY(0) - OF_RAY(1)) / (U * (1 - P))
                - (OF_RAY(1) - P * OF_RAY(0)) / (V * (1 - Q)),
                "=",
                (Q - P) ** 2,
            ),
            say(
                "If the residual were zero at four runs, {} and {} would be, but:",
                OF_RAY(0),
                OF_RAY(1),
            ),
            assume=falling,
        ),
        step(
            "exponent_between",
            (ZERO, "<", (opposite + squares) / (U * V * (1 - P) * (1 - Q) * mixed), "=", between),
            say(
                "By the lemma and {not_zero} the residual changes sign at least three times, and "
                "{} at least once. With {} and {} of one sign it could not, for two squares less the "
                "product at the two runs are {}:",
                OF_RAY(RUN),
                W,
                Z,
                -W * Z * mixed,
            ),
            lemma,
            assume=(opposite, *falling),
        ),
        step(
            "factor_above",
            (ZERO, "<", ((M - P) ** 2 + between) / (Q - P), "=", M - P),
            say("Both factors of {exponent_between} are positive, as their sum {} is:", Q - P),
            ByBound(),
            assume=(between, Q - P),
        ),
        step(
            "factor_below",
            (ZERO, "<", ((Q - M) ** 2 + between) / (Q - P), "=", Q - M),
            "In the same way:",
            ByBound(),
            assume=(between, Q - P),
        ),
        step(
            "in_exponents",
            (exp(-(FALL + X) * SPACING), "<", exp(-FALL * SPACING)),
            say(
                "A larger exponent has a smaller factor, so that {} lies between {} and {}:",
                FALL,
                gamma / 2,
                beta / 2,
            ),
            ByBound(),
        ),
        step(
            "without_the_ray",
            (
                twice_shifted(RESIDUAL, RUN, P, Q),
                "=",
                (1 - P) * (1 - Q) * (sym.E - FLOOR) + SIZE * between * M**RUN,
            ),
            "Two other differences remove the terms of the law from the residual:",
        ),
        step(
            "power_positive",
            (SIZE * between, ">", ZERO),
            say(
                "By {factor_above} and {factor_below} the factor of {} in it, {}, is positive:",
                M**RUN,
                K,
            ),
            ByBound(),
            assume=(M - P, Q - M),
        ),
        step(
            "irreducible_too_high",
            (sym.E, "<", sym.E + (K * M**LATE - OF_FIT(LATE)) / ((1 - P) * (1 - Q)), "=", FLOOR),
            say(
                "As {} changes sign too, it is negative at a run {}, where {} is not:",
                OF_FIT(RUN),
                LATE,
                K * M**LATE,
            ),
            lemma,
            assume=(-OF_FIT(LATE), *falling, K),
        ),
    )
    return Derivation(
        name="stationary_fit_bias",
        title="The bias of a compute law fitted to a ray",
        assumptions=(
            *line.assumptions,
            say(
                "Four or more runs without noise are numbered from 0; run {} has the compute {}, "
                "with {}. At the first run the params term is {}, the tokens term {}. The "
                "exponents differ: let {}, otherwise exchange the terms.",
                RUN,
                C * exp(RUN * SPACING),
                (SPACING, ">", 0),
                U,
                V,
                (beta, ">", gamma),
            ),
            say(
                "A compute law is fitted, which is {} at {} times the compute of the first run, "
                "with {}, {} and {}. Let {} be the residual at run {}. The fit is stationary for "
                "weighted least squares, or for least squares or Huber's loss in the logarithm "
                "of the loss: the residuals, times positive weights and times the derivative of "
                "the fit in {}, {} or {}, have the sum zero.",
                FIT(X),
                exp(X),
                (FLOOR, ">", 0),
                (SIZE, ">", 0),
                (FALL, ">", 0),
                RESIDUAL(RUN),
                RUN,
                FLOOR,
                SIZE,
                FALL,
            ),
            say(
                "From run to run the terms fall by the factors {} and {}, the fit without {} by "
                "{}, with {}, {} and {}.",
                (P, "=", exp(-beta * half)),
                (Q, "=", exp(-gamma * half)),
                FLOOR,
                (M, "=", exp(-FALL * SPACING)),
                (P, "<", Q),
                (P, "<", 1),
                (Q, "<", 1),
            ),
            say(
                "Let {}, and let {}, {} and {} be runs with {} and {} for the sequences below; "
                "the proof shows that {} and that there are such runs.",
                (K, "=", SIZE * between),
                RUN,
                OTHER_RUN,
                LATE,
                (OF_RAY(RUN) * OF_RAY(OTHER_RUN), "<", 0),
                (OF_FIT(LATE), "<", 0),
                (K, ">", 0),
            ),
        ),
        definitions=(
            *line.definitions,
            Definition(TILTED(X), X * decay),
            Definition(FIT(X), FLOOR + SIZE * decay),
            Definition(RESIDUAL(RUN), sym.E + U * P**RUN + V * Q**RUN - FLOOR - SIZE * M**RUN),
            Definition(W, (1 - P) * (M - P) * U),
            Definition(Z, (1 - Q) * (M - Q) * V),
            Definition(OF_RAY(RUN), W * P**RUN + Z * Q**RUN),
            Definition(OF_FIT(RUN), (1 - P) * (1 - Q) * (sym.E - FLOOR) + K * M**RUN),
        ),
        statement=say(
            "The fit overstates the irreducible loss, {irreducible_too_high}. The factor of "
            "the fit lies strictly between those of the terms, {} and {}, and so its "
            "exponent {} strictly between {} and {}.",
            (P, "<", M),
            (M, "<", Q),
            FALL,
            gamma / 2,
            beta / 2,
        ),
        steps=steps,
        source="Orthogonality of the residual to a Chebyshev system, and Descartes' rule of signs for sums of exponentials.",
        follows="With three runs the fit passes through them all (three_point_fit_bias). Beyond the last sign change of the "
        "residual the fit lies above the ray. For other spacings the same holds with derivatives in the "
        "logarithm of compute in place of differences.",
    )
