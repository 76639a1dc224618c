"""Runs at a fixed number of tokens per parameter: the ray D = t N through the law."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sympy import Add, Expr, Integer, Pow, Symbol, log

from .algebra import symbols as sym
from .algebra.functions import Partial
from .envelope import Envelope, derive, gather
from .proof.claim import Claim
from .proof.words import Definition, Sentence, function, say
from .theorem import Derivation

#: The size and the tokens of the ray at a compute, and the compute at which it is optimal.
PARAMS, TOKENS = function("N_t"), function("D_t")
TANGENCY = Symbol("C_t", positive=True)


@dataclass(frozen=True)
class RayForm:
    """The law along D = t N under C = kappa N^a D^d, as a function of compute."""

    envelope: Envelope

    @property
    def params(self) -> Expr:
        """N(C; t) = (C/(kappa t^d))^(1/(a+d))."""
        budget = self.envelope.budget
        a, d = (budget.exponent(x) for x in self.envelope.form.variables)
        return Pow(sym.C / (budget.coefficient * sym.TOKENS_PER_PARAM**d), 1 / (a + d))

    @property
    def tokens(self) -> Expr:
        """D(C; t) = t N(C; t)."""
        return sym.TOKENS_PER_PARAM * self.params

    @cached_property
    def reducible(self) -> Expr:
        """R on the ray: a sum of two powers of compute, with exponents b/(a+d) and g/(a+d)."""
        n, d = self.envelope.form.variables
        on_ray = {n: self.params, d: self.tokens}
        params, tokens = self.envelope.form.terms
        return gather(params.expression.subs(on_ray)) + gather(tokens.expression.subs(on_ray))

    @property
    def exponent(self) -> Expr:
        """Local exponent -dlog R/dlog C: between min(b, g)/(a+d) and max(b, g)/(a+d), falling with
        compute.
        """
        first, second = self.reducible.args
        slopes = [
            (sym.C * log(part).expand(force=True).diff(sym.C)).cancel() for part in (first, second)
        ]
        return -(first * slopes[0] + second * slopes[1]) / (first + second)

    @cached_property
    def tangency(self) -> Expr:
        """The compute C_t at which the ray touches the envelope, D*(C_t)/N*(C_t) = t; defined for b
        != g.
        """
        ratio = self.envelope.tokens_per_param
        power = (sym.C * log(ratio).expand(force=True).diff(sym.C)).cancel()
        return gather(
            (sym.TOKENS_PER_PARAM / ratio.subs(sym.C, Integer(1))) ** (1 / power).cancel()
        )

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """What the names of the law, of its envelope and of the ray stand for."""
        return (
            *self.envelope.definitions,
            Definition(PARAMS(sym.C), self.params),
            Definition(TOKENS(sym.C), gather(self.tokens)),
            Definition(TANGENCY, self.tangency),
        )

    @property
    def assumptions(self) -> tuple[Sentence, ...]:
        """The law, its budget, and runs at a fixed number of tokens per parameter."""
        n, d = self.envelope.form.variables
        t = sym.TOKENS_PER_PARAM
        return (
            *self.envelope.assumptions,
            say("All runs have {} with one {}.", (d, "=", t * n), (t, ">", 0)),
        )

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """Every statement by name, with its proof."""
        return {claim.name: claim.unfolded for claim in self.derivation.steps}

    @property
    def derivation(self) -> Derivation:
        """The ray as a theorem: its loss, its local exponent, and where it touches the envelope."""
        names, budget = self.envelope.named, self.envelope.budget
        params, tokens = (
            term.expression.subs(term.variable, on_ray(sym.C))
            for term, on_ray in zip(self.envelope.form.terms, (PARAMS, TOKENS), strict=True)
        )
        b, g = (term.exponent for term in self.envelope.form.terms)
        total = Add(*(power for _, power in budget.powers))
        n, d = self.envelope.form.variables
        reducible = function("R")
        steps = (
            Claim(
                "budget",
                budget.compute({n: PARAMS(sym.C), d: TOKENS(sym.C)}),
                "==",
                sym.C,
                say("The ray spends the budget:"),
            ),
            Claim(
                "ray",
                reducible(PARAMS(sym.C), TOKENS(sym.C)),
                "==",
                self.reducible,
                say("Substitute the size and the tokens of the ray in the law:"),
            ),
            Claim(
                "exponent",
                -Partial(log(reducible(PARAMS(sym.C), TOKENS(sym.C))), log(sym.C)),
                "==",
                (b * params + g * tokens) / (total * (params + tokens)),
                say(
                    "Both terms are powers of {}; the local exponent is the mean of their "
                    "exponents, weighted by their shares:",
                    sym.C,
                ),
            ),
            Claim(
                "ratio",
                names.tokens.subs(sym.C, TANGENCY) / names.params.subs(sym.C, TANGENCY),
                "==",
                sym.TOKENS_PER_PARAM,
                say(
                    "At compute {} the optimal number of tokens per parameter is that of the ray:",
                    TANGENCY,
                ),
            ),
            Claim(
                "tangency",
                reducible(PARAMS(TANGENCY), TOKENS(TANGENCY)),
                "==",
                names.reducible.subs(sym.C, TANGENCY),
                say("So the reducible losses agree there:"),
            ),
            Claim(
                "tangency_exponent",
                ((b * params + g * tokens) / (total * (params + tokens))).subs(sym.C, TANGENCY),
                "==",
                names.exponent,
                say(
                    "And the shares of the terms are those of the optimum, so that the local exponent is that of the envelope:"
                ),
            ),
        )
        return Derivation(
            name="fixed_ratio_ray",
            title="Runs at a fixed ratio of tokens to params",
            assumptions=self.assumptions,
            definitions=self.definitions,
            statement=say(
                "At compute {} these runs have {} params and {} tokens",
                sym.C,
                PARAMS(sym.C),
                TOKENS(sym.C),
            )
            + ": {budget}. Their reducible loss is the sum of two powers of compute, {ray}, with "
            "the local exponent {exponent}. "
            + say("Where {} is not {}, the ray touches the envelope at {}", b, g, TANGENCY)
            + ": {tangency} and {tangency_exponent}.",
            steps=steps,
            source="Substitution of the ray in the law; the tangency is the envelope theorem.",
            follows="A compute law fitted to runs at a fixed ratio estimates the ray, not the "
            "envelope.",
        )


def ray(envelope: Envelope | None = None) -> RayForm:
    """The fixed-ratio ray of a two-term law (the default law and budget where none is given).

    Raises
    ------
    ValueError
        Where the law is not one of params and tokens alone.
    """
    envelope = derive() if envelope is None else envelope
    if envelope.form.variables != (sym.N, sym.D):
        raise ValueError(
            f"envelope: its variables are {', '.join(map(str, envelope.form.variables))}; a ray "
            f"needs N, D"
        )
    return RayForm(envelope)
