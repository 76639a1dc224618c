"""Runs at a fixed number of tokens per parameter: the ray D = t N through the law."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, Pow, log

from . import symbols as sym
from .envelope import Envelope, derive, gather
from .proof.claim import Claim, Derivation


@dataclass(frozen=True)
class Ray:
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

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """Every statement by name, with its proof."""
        n, d = self.envelope.form.variables
        on_ray = {n: self.params, d: self.tokens}
        claims = (
            Claim(
                "at_the_optimal_ratio",
                self.reducible.subs(sym.TOKENS_PER_PARAM, self.envelope.tokens_per_param),
                "==",
                self.envelope.reducible,
                "With the optimal number of tokens per parameter the ray's loss is the envelope's.",
            ),
            Claim(
                "ray",
                self.envelope.form.reducible.subs(on_ray),
                "==",
                self.reducible,
                "Substitute N(C; t) and D(C; t).",
            ),
            Claim(
                "exponent",
                -sym.C * self.reducible.diff(sym.C) / self.reducible,
                "==",
                self.exponent,
                "The mean of the two exponents, weighted by the shares of the terms.",
            ),
            Claim(
                "tangency",
                self.reducible.subs(sym.C, self.tangency),
                "==",
                self.envelope.reducible.subs(sym.C, self.tangency),
                "At C_t the ray's ratio is the optimal one, so the losses agree.",
            ),
            Claim(
                "tangency_exponent",
                self.exponent.subs(sym.C, self.tangency),
                "==",
                self.envelope.exponent,
                "At the tangency the local exponent is alpha.",
            ),
        )
        return {claim.name: claim for claim in claims}

    @property
    def derivation(self) -> Derivation:
        """The claims in the order of the argument."""
        return Derivation(
            name="fixed_ratio_ray",
            title="Runs at a fixed ratio of tokens to params",
            assumptions=(*self.envelope.derivation.assumptions, "D = t N with t > 0 fixed"),
            statement=r"R = A N(C)^{-\beta} + B\,(t N(C))^{-\gamma}, \qquad -\frac{d\log R}{d\log "
            r"C} = \alpha \text{ at } C_t",
            steps=tuple(self.claims.values()),
            source="Substitution of the ray in the law; the tangency is the envelope theorem.",
            follows="A compute law fitted to runs at a fixed ratio estimates the ray, not the "
            "envelope.",
        )


def ray(envelope: Envelope | None = None) -> Ray:
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
    return Ray(envelope)
