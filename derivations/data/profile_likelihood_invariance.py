"""The profile of alpha, log N*(C) or L*(C) does not depend on the parameters in which the law is fitted."""

from __future__ import annotations

from sympy import Expr, Integer, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.identifiability import (
    coefficient_for_params,
    coefficient_for_reducible,
    exponent_for_alpha,
)
from isoflop.theory.proof.arguments import ByConvexity, ByNormalForm, UnderLemma
from isoflop.theory.theorem import Definition, Derivation, all_positive, function, say, step

RUNS, RSS, LEAST, VARIANCE, X, LEVEL, SIZE, FALL = symbols("n S S_0 V x u v q", positive=True)
SOURCE = "Cox and Hinkley 1974, Theoretical Statistics"
LIKELIHOOD = function("f")


def log_likelihood(squares: Expr, variance: Expr) -> Expr:
    """Of n independent normal errors, but for a constant."""
    return -(RUNS * log(variance) + squares / variance) / 2


def derivation() -> Derivation:
    """psi = log R*(C), log N*(C) or alpha takes the place of log A or gamma, one to one; the ratio is n log(S(psi)/S_min)."""
    envelope = derive()
    names, C = envelope.named, sym.C
    by_loss = coefficient_for_reducible(envelope).subs(sym.REDUCIBLE, LEVEL)
    by_size = coefficient_for_params(envelope).subs(sym.N, SIZE)
    steeper = exponent_for_alpha().subs(sym.ALPHA, FALL)
    lemma = say(
        "Let a change of parameters be one-to-one, and one new parameter be given. The least sum of "
        "squares over all old parameters that have this value of it is the least one over the other "
        "new parameters: the same laws in other coordinates."
    )
    steps = (
        step(
            "loss_as_parameter",
            (envelope.reducible.subs(sym.A, by_loss), "=", LEVEL),
            say(
                "Solve the least reducible loss {} at {} for {}, and put it there:", LEVEL, C, sym.A
            ),
        ),
        step(
            "size_as_parameter",
            (envelope.tokens.subs(sym.A, by_size), "=", C / (6 * SIZE)),
            say("So the optimal size {}, which leaves these tokens:", SIZE),
        ),
        step(
            "exponent_as_parameter",
            (1 / envelope.exponent.subs(sym.GAMMA, steeper), "=", 1 / FALL),
            say("And the exponent of the envelope, {}, for {}:", FALL, sym.GAMMA),
        ),
        step(
            "one_to_one",
            (by_loss.subs(LEVEL, names.reducible), "=", sym.A),
            "And back, so that both fits search the same laws:",
            UnderLemma(lemma, SOURCE, ByNormalForm()),
        ),
        step("size_back", (by_size.subs(SIZE, names.params), "=", sym.A), "So for the size:"),
        step(
            "exponent_back",
            (steeper.subs(FALL, names.exponent), "=", sym.GAMMA),
            "And for the exponent:",
        ),
        step(
            "variance_convex",
            (-log(X), ">=", 1 - X),
            "The negative logarithm lies above its tangent at one:",
            ByConvexity(-log(X), X, X, Integer(1)),
        ),
        step(
            "variance",
            (
                2 * (LIKELIHOOD(RSS, RSS / RUNS) - LIKELIHOOD(RSS, RSS / (RUNS * X))) / RUNS,
                "=",
                X - 1 - log(X),
            ),
            say(
                "The likelihood at another variance falls short of that at {}, which by "
                "{variance_convex} is the greatest:",
                RSS / RUNS,
            ),
        ),
        step(
            "likelihood_ratio",
            (
                2 * (LIKELIHOOD(LEAST, LEAST / RUNS) - LIKELIHOOD(RSS, RSS / RUNS)),
                "=",
                RUNS * log(RSS / LEAST),
            ),
            "Both at their best variance:",
        ),
    )
    return Derivation(
        name="profile_likelihood_invariance",
        title="Profile likelihood of what the envelope gives",
        assumptions=(
            *envelope.assumptions,
            say(
                "Let {} be the log likelihood, but for a constant, of {} runs with independent "
                "normal errors of one unknown variance {} at the sum of squares {}. The least "
                "sum of squares is {} over all laws, and {} over those with one value of a "
                "quantity of the envelope. Let ",
                (LIKELIHOOD(RSS, VARIANCE), "=", log_likelihood(RSS, VARIANCE)),
                RUNS,
                VARIANCE,
                RSS,
                LEAST,
                RSS,
            )
            + all_positive((RUNS, RSS, LEAST, X, LEVEL, SIZE, FALL))
            + say(" and {}.", (FALL, "<", sym.BETA)),
        ),
        definitions=(
            *envelope.definitions,
            Definition(LIKELIHOOD(RSS, VARIANCE), log_likelihood(RSS, VARIANCE)),
        ),
        statement=say(
            "The least reducible loss, the optimal size or the exponent of the envelope can "
            "take the place of {} or {}, so that it is {}, {} or {}: {loss_as_parameter}, "
            "{size_as_parameter} and {exponent_as_parameter}, one to one, {one_to_one}, "
            "{size_back} and {exponent_back}. Twice the log likelihood ratio of both fits is "
            "then {likelihood_ratio}, in whatever parameters the law was fitted.",
            sym.A,
            sym.GAMMA,
            LEVEL,
            SIZE,
            FALL,
        ),
        steps=steps,
        source=f"{SOURCE}; for the chi-squared limit Wilks 1938, Ann. Math. Statist. 9, 60-62.",
        follows="The set where this is at most the chi-squared quantile is an approximate confidence set, the same in all "
        "coordinates. A profile of another objective, such as Huber's, needs a calibration of its own.",
    )
