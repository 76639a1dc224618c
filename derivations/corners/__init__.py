"""Caps on params and on tokens. What a cap on one of them does is one theorem with two readings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer, Subs, Symbol, exp, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.economics import capped_shadow_price
from isoflop.theory.envelope import product_of_powers
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.arguments import Argument, ByLeadingTerm, ByMonotone, ByPositiveTerms
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    Sentence,
    function,
    say,
    step,
)

AT_CAP, OFF, PRICE = function("W"), function("f"), function("p")
U, V, X = symbols("u v x", positive=True)
NAMES = {sym.N: "size_cap", sym.D: "data_wall"}


@dataclass(frozen=True)
class Cap:
    """A cap on one factor, which binds above a threshold of compute.

    Attributes
    ----------
    factor, cap, threshold : Symbol
        N or D, the most that there may be of it, and the compute from which on the optimum needs
        more.
    """

    factor: Symbol
    cap: Symbol
    threshold: Symbol

    def theorem(
        self,
        title: str,
        assumption: Sentence,
        steps: Mapping[str, str],
        statement: str,
        follows: Sentence,
    ) -> Derivation:
        """The threshold, the loss under the cap, that less of the factor is worse, the price of it, and the
        floor that it leaves.

        `steps`: the name of each step and its reason, in the order of the proof; places in the words are
        for the formulas of this theorem.
        """
        m = misallocation()
        names, cap, C, at = m.named.envelope, self.cap, sym.C, self.threshold
        own = int(self.factor == sym.D)
        other = 1 - own
        shares, optima, best = names.shares, names.allocation, names.reducible
        exponents = [term.exponent for term in PARAMS_TOKENS.terms]
        moved = [optima[0] * exp(V), optima[1] * exp(-V)]
        if not own:
            moved = [optima[0] * exp(-V), optima[1] * exp(V)]
        beyond, at_cap = at * (1 + U), AT_CAP(C, cap)
        floor = PARAMS_TOKENS.terms[own].expression.subs(self.factor, cap)
        off = best * (
            shares[other] * exp(-exponents[other] * X) + shares[own] * exp(exponents[own] * X)
        )
        slope = exp(exponents[own] * V) - exp(-exponents[other] * V)

        def price(u: Expr) -> Expr:
            return exponents[own] * floor * ((1 + u) ** -exponents[other] - 1)

        spent = product_of_powers((m.envelope.budget.coefficient, *moved), (Integer(1),) * 3)
        departure = -names.exponent * names.coefficient * at ** (-names.exponent - 1)
        rises = ByMonotone(
            cap * X ** shares[own], X, 1 + U, Integer(1), order=ByPositiveTerms(form=U)
        )
        worse = ByMonotone(off, X, V + U, V, slope=ByMonotone(off.diff(X), X, X, Integer(0)))
        falls = ByMonotone(price(X), X, U, Integer(0), increasing=False)
        # The formula, those in the words of the reason, the argument.
        content: tuple[tuple[tuple[Any, ...], list[Any], Argument | None], ...] = (
            ((optima[own].subs(C, at), "=", cap), [at], None),
            ((optima[own].subs(C, beyond), ">", cap), [(U, ">", 0)], rises),
            ((spent, "=", C), [], None),
            ((OFF(V), "=", off.subs(X, V)), [shares[0] * best, shares[1] * best], None),
            ((OFF(V + U), ">", OFF(V)), [OFF(V), V, names.exponent * best * slope, V], worse),
            ((at_cap.subs(C, at), "=", best.subs(C, at)), [at], None),
            ((Subs(Partial(at_cap, C), C, at), "=", departure), [], None),
            ((Partial(at_cap, log(cap)), "=", PRICE(C)), [cap], None),
            ((PRICE(at), "=", 0), [], None),
            ((PRICE(beyond), "=", price(U)), [], None),
            ((PRICE(beyond), "<", 0), [U, (U, "=", 0)], falls),
            ((at_cap, "->", floor), [(sym.N, sym.D)[other]], ByLeadingTerm(C, "oo")),
        )
        start = {sym.N: m.size_cap, sym.D: m.data_wall}[self.factor]
        return Derivation(
            name=NAMES[self.factor],
            title=title,
            assumptions=(*m.envelope.assumptions, assumption),
            definitions=(
                *m.envelope.definitions,
                Definition(at, start),
                Definition(at_cap, m.capped_reducible(self.factor, cap)),
                Definition(OFF(V), function("R")(*moved)),
                Definition(PRICE(C), capped_shadow_price(m, self.factor).subs(self.factor, cap)),
            ),
            statement=say(
                statement,
                at,
                (U, ">", 0),
                C,
                moved[own],
                (V, ">", 0),
                moved[other],
                OFF(V),
                at,
                cap,
                C / (6 * cap),
                at_cap,
            ),
            steps=tuple(
                step(name, formula, say(words, *inside), argument)
                for (name, words), (formula, inside, argument) in zip(
                    steps.items(), content, strict=True
                )
            ),
            source="Karush-Kuhn-Tucker conditions on the law of Hoffmann et al. 2022, arXiv 2203.15556.",
            follows=follows,
        )
