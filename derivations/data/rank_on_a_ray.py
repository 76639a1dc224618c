"""At a fixed number of tokens per parameter and with different exponents all five parameters are determined locally."""

from __future__ import annotations

from sympy import Expr, Integer, Mul, Subs, Symbol, exp, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import (
    RAY_GROWTH,
    SPACING,
    at_runs,
    confluent_vandermonde,
    minor_of_pair,
    minor_of_pairs,
)
from isoflop.theory.proof.arguments import ByFactors, ByMonotone, ByPositiveTerms
from isoflop.theory.ray import PARAMS, TOKENS, ray
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    all_positive,
    function,
    say,
    step,
)

RUN, OTHER_RUN = Symbol("i", real=True), Symbol("j", real=True)
P, Q, X, Y = symbols("p q x y", positive=True)
CONFLUENT, JACOBIAN = function("m"), Symbol("J", real=True)


def derivation() -> Derivation:
    """D = t N with beta != gamma: the full 5 x 5 minor is, up to a factor, a confluent Vandermonde determinant."""
    line, C, n, d = ray(), sym.C, sym.N, sym.D
    law, at, half = function("L"), (PARAMS(C), TOKENS(C)), RAY_GROWTH * SPACING
    in_a, in_beta, in_b, in_gamma = (function(name) for name in ("f", "g", "u", "v"))
    of_a, of_b, of_powers = (function(name) for name in ("U", "V", "W"))
    scale = (half * in_a(C) * in_b(C)) ** 2
    factors = confluent_vandermonde(X, Y)

    def column(parameter: Expr) -> Expr:
        """The derivative of the loss of a run, its size and data held."""
        return Subs(Partial(law(n, d), parameter), (n, d), at)

    def pair(first: Expr, second: Expr) -> Expr:
        """The minor of (1, f, g) at the runs 0, i and j."""
        return minor_of_pair(at_runs(first), at_runs(second), RUN, OTHER_RUN)

    steps = (
        step(
            "column_E", (column(sym.E), "=", 1), say("The column of {} is one throughout:", sym.E)
        ),
        step(
            "column_log_A",
            (at_runs(in_a)(RUN), "=", in_a(C) * P**RUN),
            say("The params term falls by the factor {} from run to run:", P),
        ),
        step(
            "column_beta",
            (at_runs(in_beta)(RUN), "=", in_beta(C) * P**RUN - half * RUN * in_a(C) * P**RUN),
            say(
                "Its derivative in {} has the factor {}, and that logarithm grows by {} a run:",
                sym.BETA,
                -log(PARAMS(C)),
                half,
            ),
        ),
        step(
            "column_log_B",
            (at_runs(in_b)(RUN), "=", in_b(C) * Q**RUN),
            say("The tokens term falls by the factor {} from run to run:", Q),
        ),
        step(
            "column_gamma",
            (at_runs(in_gamma)(RUN), "=", in_gamma(C) * Q**RUN - half * RUN * in_b(C) * Q**RUN),
            say(
                "Its derivative in {} has the factor {}, and that logarithm grows by {} a run:",
                sym.GAMMA,
                -log(TOKENS(C)),
                half,
            ),
        ),
        step(
            "pair_of_A",
            (of_a(RUN, OTHER_RUN), "=", -half * in_a(C) ** 2 * of_powers(RUN, OTHER_RUN, P)),
            say(
                "By {column_log_A} and {column_beta}, where the multiple of the one column in "
                "the other drops out:"
            ),
        ),
        step(
            "pair_of_B",
            (of_b(RUN, OTHER_RUN), "=", -half * in_b(C) ** 2 * of_powers(RUN, OTHER_RUN, Q)),
            say("In the same way by {column_log_B} and {column_gamma}:"),
        ),
        step(
            "jacobian",
            (JACOBIAN, "=", scale * CONFLUENT(P, Q)),
            say(
                "By {pair_of_A} and {pair_of_B} every product in {} has the same factor:", JACOBIAN
            ),
        ),
        step("change_of_basis", (scale, ">", 0), "That factor is not zero:", ByPositiveTerms()),
        step(
            "minor",
            (CONFLUENT(X, Y), "=", Mul(*factors)),
            say("This is the confluent Vandermonde determinant of {}, {} and {}:", 1, X, Y),
        ),
        step(
            "below_one",
            (P, "<", 1),
            say("The exponential {} is one at {} and falls:", exp(-X * sym.BETA / 2), (X, "=", 0)),
            ByMonotone(exp(-X * sym.BETA / 2), X, SPACING, Integer(0), increasing=False),
        ),
        step(
            "other_below_one",
            (Q, "<", 1),
            say("So does {}:", exp(-X * sym.GAMMA / 2)),
            ByMonotone(exp(-X * sym.GAMMA / 2), X, SPACING, Integer(0), increasing=False),
        ),
        step(
            "apart",
            (P, "<", Q),
            say("The factor {} falls as {} grows:", exp(-X * half), X),
            ByMonotone(
                exp(-X * half),
                X,
                sym.BETA,
                sym.GAMMA,
                increasing=False,
                order=ByFactors((sym.BETA - sym.GAMMA,)),
            ),
            assume=(sym.BETA - sym.GAMMA,),
        ),
        step(
            "apart_otherwise",
            (P, ">", Q),
            "And the other way round:",
            ByMonotone(
                exp(-X * half),
                X,
                sym.BETA,
                sym.GAMMA,
                increasing=False,
                order=ByFactors((sym.GAMMA - sym.BETA,)),
            ),
            assume=(sym.GAMMA - sym.BETA,),
        ),
        *(
            step(
                name,
                (0, "<", Mul(*factors), "=", CONFLUENT(X, Y)),
                reason,
                ByFactors(factors),
                assume=(1 - X, 1 - Y, order),
            )
            for name, order, reason in (
                (
                    "minor_sign",
                    Y - X,
                    say("No factor is zero where {} and {} are below one and differ:", X, Y),
                ),
                ("minor_sign_otherwise", X - Y, say("And in the other order:")),
            )
        ),
        step(
            "full_rank",
            (0, "<", scale * CONFLUENT(P, Q), "=", JACOBIAN),
            say(
                "By {minor_sign} and {minor_sign_otherwise} at {} and {}, with {below_one} to "
                "{apart_otherwise}, and by {change_of_basis}:",
                P,
                Q,
            ),
            ByFactors((scale, CONFLUENT(P, Q))),
            assume=(CONFLUENT(P, Q),),
        ),
    )
    return Derivation(
        name="rank_on_a_ray",
        title="What runs at one ratio can tell, different exponents",
        assumptions=(
            *line.assumptions,
            say(
                "The five runs are numbered from 0 to 4; run {} has the compute {}, with {}. Let "
                "{} be such a number as well, and ",
                RUN,
                C * exp(RUN * SPACING),
                (SPACING, ">", 0),
                OTHER_RUN,
            )
            + all_positive((X, Y))
            + say(". The exponents differ, {}.", (sym.BETA, "!=", sym.GAMMA)),
        ),
        definitions=(
            *line.definitions,
            Definition(P, exp(-sym.BETA * half)),
            Definition(Q, exp(-sym.GAMMA * half)),
            Definition(in_a(C), column(log(sym.A))),
            Definition(in_beta(C), column(sym.BETA)),
            Definition(in_b(C), column(log(sym.B))),
            Definition(in_gamma(C), column(sym.GAMMA)),
            Definition(of_a(RUN, OTHER_RUN), pair(in_a, in_beta)),
            Definition(of_b(RUN, OTHER_RUN), pair(in_b, in_gamma)),
            Definition(JACOBIAN, minor_of_pairs(of_a, of_b)),
            Definition(
                of_powers(RUN, OTHER_RUN, X),
                minor_of_pair(lambda i: X**i, lambda i: i * X**i, RUN, OTHER_RUN),
            ),
            Definition(
                CONFLUENT(X, Y),
                minor_of_pairs(lambda i, j: of_powers(i, j, X), lambda i, j: of_powers(i, j, Y)),
            ),
        ),
        statement=say(
            "The derivatives of the loss in {}, {}, {}, {} and {} at the five runs have rank "
            "five. Laplace's expansion by pairs of columns gives their determinant {}, "
            "{jacobian}, where {minor}. It is not zero, since {below_one}, "
            "{other_below_one}, {apart} and {apart_otherwise}.",
            sym.E,
            log(sym.A),
            sym.BETA,
            log(sym.B),
            sym.GAMMA,
            JACOBIAN,
        ),
        steps=steps,
        source="Laplace's expansion by pairs of columns, and the confluent Vandermonde determinant.",
        follows=say(
            "The rank is local: the two exponents can still be exchanged, and near {} the "
            "determinant falls with the fourth power of their difference.",
            (sym.BETA, "=", sym.GAMMA),
        ),
    )
