"""A ray of fixed tokens per parameter touches the envelope at one compute and lies above it everywhere else."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import tangency_in_allocation
from isoflop.theory.penalty import PENALTY, misallocation
from isoflop.theory.proof.arguments import ByWeightedAmGm
from isoflop.theory.ray import PARAMS, TANGENCY, TOKENS, ray
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

BALANCE = Symbol("G", positive=True)


def derivation() -> Derivation:
    """C_t = 6 (t G^2)^((beta + gamma)/(beta - gamma)): there the ray's size, loss and slope are the envelope's."""
    line, off = ray(), misallocation()
    envelope, names = line.envelope, line.envelope.named
    C, t, r = sym.C, sym.TOKENS_PER_PARAM, sym.SIZE_RATIO
    kappa = envelope.budget.coefficient
    reducible = function("R")(PARAMS(C), TOKENS(C))
    params, tokens = envelope.form.terms
    terms = (params.expression.subs(sym.N, PARAMS(C)), tokens.expression.subs(sym.D, TOKENS(C)))
    touch = tangency_in_allocation(envelope).subs(envelope.params.subs(C, kappa), BALANCE)
    steps = (
        step(
            "where",
            (TANGENCY, "=", touch),
            say("Solve {} for {}:", (names.tokens / names.params, "=", t), C),
        ),
        step(
            "size",
            (PARAMS(TANGENCY), "=", names.params.subs(C, TANGENCY)),
            "There the size of the ray is the optimal one:",
        ),
        step(
            "loss",
            (reducible.subs(C, TANGENCY), "=", names.reducible.subs(C, TANGENCY)),
            "So its reducible loss is that of the envelope:",
        ),
        step(
            "slope",
            (
                Partial(log(reducible), log(C)),
                "=",
                -(params.exponent * terms[0] + tokens.exponent * terms[1])
                / (2 * (terms[0] + terms[1])),
            ),
            say("The size and the tokens of the ray grow as the square root of {}:", C),
        ),
        step(
            "same_slope",
            (
                (params.exponent * terms[0] + tokens.exponent * terms[1]).subs(C, TANGENCY) / 2,
                "=",
                names.exponent * (terms[0] + terms[1]).subs(C, TANGENCY),
            ),
            say("At {} this slope is {}, that of the envelope:", TANGENCY, -names.exponent),
        ),
        step(
            "above",
            (reducible, ">=", names.reducible),
            say(
                "Weighted AM-GM on the two terms with the weights {} and {}; their sum on the left:",
                *names.shares,
            ),
            ByWeightedAmGm(terms, names.shares),
        ),
        step(
            "penalty",
            (reducible / names.reducible, "=", PENALTY(PARAMS(C) / names.params)),
            say("The ray pays the misallocation penalty {} at its own size ratio:", PENALTY(r)),
        ),
        step(
            "drift",
            (
                Partial(log(PARAMS(C) / names.params), log(C)),
                "=",
                (sym.BETA - sym.GAMMA) / (2 * (sym.BETA + sym.GAMMA)) + Integer(0),
            ),
            say(
                "That size ratio drifts as a power of compute, so that a ray leaves the envelope on "
                "both sides unless {}:",
                (sym.BETA, "=", sym.GAMMA),
            ),
        ),
    )
    return Derivation(
        name="ray_tangency",
        title="Where a ray touches the envelope",
        assumptions=(
            *line.assumptions,
            say("The exponents differ, {}.", (sym.BETA, "!=", sym.GAMMA)),
        ),
        definitions=(
            *line.definitions,
            Definition(PENALTY(r), off.named.penalty),
            Definition(BALANCE, envelope.params.subs(C, kappa)),
        ),
        statement=say(
            "The ray touches the envelope at the compute {} alone: {where}, {loss} and "
            "{same_slope}. Everywhere {above}, and the ray pays the penalty of its own size "
            "ratio, {penalty}, which drifts: {drift}.",
            TANGENCY,
        ),
        steps=steps,
        source="The envelope theorem: the envelope of the rays is the compute law.",
        follows="One ratio of tokens to params is right at one budget only.",
    )
