"""Runs at a fixed number of tokens per parameter: the ray D = t N through the law."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sympy import Expr, Integer, Pow, Symbol, log

from .envelope import Envelope, derive, gather
from .kernel import symbols as sym
from .theorem.words import Definition, Sentence, function, say

#: Params and tokens of the ray at a compute, and the compute at which the ray is optimal.
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
        """The local exponent -dlog R/dlog C, which falls with compute from max(b, g)/(a+d) to
        min(b, g)/(a+d).
        """
        first, second = self.reducible.args
        slopes = [
            (sym.C * log(part).expand(force=True).diff(sym.C)).cancel() for part in (first, second)
        ]
        return -(first * slopes[0] + second * slopes[1]) / (first + second)

    @cached_property
    def tangency(self) -> Expr:
        """The compute C_t at which the ray touches the envelope, D*(C_t)/N*(C_t) = t, for b != g."""
        ratio = self.envelope.tokens_per_param
        power = (sym.C * log(ratio).expand(force=True).diff(sym.C)).cancel()
        return gather(
            (sym.TOKENS_PER_PARAM / ratio.subs(sym.C, Integer(1))) ** (1 / power).cancel()
        )

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions of the names of the law, of its envelope and of the ray."""
        return (
            *self.envelope.definitions,
            Definition(PARAMS(sym.C), self.params),
            Definition(TOKENS(sym.C), gather(self.tokens)),
            Definition(TANGENCY, self.tangency),
        )

    @property
    def assumptions(self) -> tuple[Sentence, ...]:
        """The sentences that introduce the law, its budget and the runs of the ray."""
        n, d = self.envelope.form.variables
        t = sym.TOKENS_PER_PARAM
        return (
            *self.envelope.assumptions,
            say("All runs have {} with one {}.", (d, "=", t * n), (t, ">", 0)),
        )


def ray(envelope: Envelope | None = None) -> RayForm:
    """The fixed-ratio ray of a two-term law (the default law and budget where none is given).

    Raises
    ------
    ValueError
        If the variables of the law are not N and D.
    """
    envelope = derive() if envelope is None else envelope
    if envelope.form.variables != (sym.N, sym.D):
        raise ValueError(
            f"envelope: its variables are {', '.join(map(str, envelope.form.variables))}; a ray "
            f"needs N, D"
        )
    return RayForm(envelope)
