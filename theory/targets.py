"""Targets and caps of a two-term law: the params and tokens that reach a loss, and the compute at which
a cap on one of them binds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Expr

from .envelope import Envelope, equal
from .kernel import symbols as sym
from .law import Term
from .theorem.step import Step
from .theorem.words import say


@dataclass(frozen=True)
class Targets:
    """The closed forms for a target R of the reducible loss, and for caps N_max and D_max."""

    envelope: Envelope

    @property
    def _terms(self) -> tuple[Term, Term]:
        params, tokens = self.envelope.form.terms
        return params, tokens

    @staticmethod
    def iso_loss(solved: Term, given: Term) -> Expr:
        """(A/(R - T))^(1/b): the variable of one term with which the law reaches R if the other term
        is T.
        """
        return (solved.coefficient / (sym.REDUCIBLE - given.expression)) ** (1 / solved.exponent)

    @property
    def iso_loss_tokens(self) -> Expr:
        """D(N; R) = (B/(R - A N^-beta))^(1/gamma): the tokens that reach R at size N > N_min."""
        params, tokens = self._terms
        return self.iso_loss(tokens, params)

    @property
    def iso_loss_params(self) -> Expr:
        """N(D; R) = (A/(R - B D^-gamma))^(1/beta): the params that reach R with D > D_min tokens."""
        return self.iso_loss(*self._terms)

    @property
    def smallest_params(self) -> Expr:
        """N_min = (A/R)^(1/beta): no smaller model reaches R."""
        params, _ = self._terms
        return (params.coefficient / sym.REDUCIBLE) ** (1 / params.exponent)

    @property
    def smallest_tokens(self) -> Expr:
        """D_min = (B/R)^(1/gamma): no smaller data set reaches R."""
        _, tokens = self._terms
        return (tokens.coefficient / sym.REDUCIBLE) ** (1 / tokens.exponent)

    @property
    def data_wall(self) -> Expr:
        """The compute C_D at which D*(C) = D_max: above it the data cap binds."""
        return self.envelope.compute_where(self.envelope.form.variables[1], sym.D_MAX)

    @property
    def size_cap(self) -> Expr:
        """The compute C_N at which N*(C) = N_max: above it the size cap binds."""
        return self.envelope.compute_where(self.envelope.form.variables[0], sym.N_MAX)

    def steps(self) -> Iterator[Step]:
        """The steps that prove the closed forms."""
        form, (params, tokens) = self.envelope.form, self._terms
        (n, d), (n_star, d_star) = form.variables, self.envelope.allocation
        for name, solved, given in (
            ("iso_loss", tokens, params),
            ("iso_loss_params", params, tokens),
        ):
            reached = form.reducible.subs(solved.variable, self.iso_loss(solved, given))
            yield equal(
                name,
                (reached, sym.REDUCIBLE),
                say("Solve {} for {}:", (sym.REDUCIBLE, "=", form.reducible), solved.variable),
                assume=(sym.REDUCIBLE - given.expression,),
            )
        for name, best, compute, x, cap in (
            ("data_wall", d_star, self.data_wall, d, sym.D_MAX),
            ("size_cap", n_star, self.size_cap, n, sym.N_MAX),
        ):
            reason = say("At this compute the optimal {} reaches {}:", x, cap)
            yield equal(name, (best.subs(sym.C, compute), cap), reason)
