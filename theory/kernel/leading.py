"""The leading term of an expression as a positive variable x falls to 0, from those of its parts:
c x^p where the expression is c x^p + o(x^p). Terms that cancel are expanded by derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import factorial
from typing import NamedTuple

from sympy import Add, Expr, Integer, Mul, Symbol, exp, fraction, log, oo, together

from .arithmetic import OutsideScope
from .convert import normal_forms
from .decide import is_zero
from .points import INFINITE
from .signs import Assumed

ZERO, ONE = Integer(0), Integer(1)
#: The order up to which terms that cancel are expanded.
HIGHEST_ORDER = 4


class LeadingTerm(NamedTuple):
    """c x^p. The exponent is oo for what vanishes faster than every power, and -oo for what grows
    faster, with a coefficient of the same sign.
    """

    coefficient: Expr
    exponent: Expr


@dataclass(frozen=True)
class Leading:
    """Finds leading terms; `proved_sign` is the sign 1 or -1 of an expression without x, and 0 where it is
    not known. What hangs on a sign that is not known has no leading term here.
    """

    x: Symbol
    assume: Assumed
    proved_sign: Callable[[Expr], int]
    order: int = HIGHEST_ORDER

    def limit(self, e: Expr) -> Expr | None:
        """The limit of an expression, which may be infinite."""
        found = self.term(e)
        if found is None:  # unless the order of its terms alone is unknown
            values = [self.limit(part) for part in e.args] if e.is_Add else [None]
            return Add(*values) if all(v is not None and v.is_finite for v in values) else None
        growth = self.sign(found.exponent)
        if growth is None:
            return None
        if growth >= 0:
            return ZERO if growth else found.coefficient
        sign = self.sign(found.coefficient)
        return sign * oo if sign else None

    def sign(self, e: Expr) -> int | None:
        """The sign 1, 0 or -1; None where it is not known."""
        if e.is_Rational or e in INFINITE:
            return int(bool(e > 0)) - int(bool(e < 0))
        return self.proved_sign(e) or (0 if is_zero(e) else None)

    def term(self, e: Expr) -> LeadingTerm | None:
        """The leading term of an expression."""
        if not e.has(self.x):
            return LeadingTerm(e, ZERO)
        if e == self.x:
            return LeadingTerm(ONE, ONE)
        if isinstance(e, exp) or (e.is_Pow and e.exp.has(self.x)):
            return self._exponential(e.args[0] if isinstance(e, exp) else e.exp * log(e.base))
        if not (e.is_Add or e.is_Mul or e.is_Pow or isinstance(e, log)):
            return None
        found = [self.term(part) for part in e.args]
        terms = [term for term in found if term is not None]
        if len(terms) < len(found):
            return None
        if e.is_Add:
            return self._sum(e, terms)
        if e.is_Mul:
            return self._product(terms)
        return self._power(terms[0], e.exp) if e.is_Pow else self._logarithm(e.args[0], terms[0])

    def _sum(self, e: Expr, terms: list[LeadingTerm]) -> LeadingTerm | None:
        least = terms[0].exponent
        for _, p in terms[1:]:
            order = self._order(p, least)
            if order is None:
                return None
            least = p if order < 0 else least
        first = [c for c, p in terms if self._order(p, least) == 0]
        if least == -oo:
            signs = {self.sign(c) for c in first}
            return LeadingTerm(first[0], least) if signs in ({1}, {-1}) else None
        total = Add(*first)
        if least == oo and len(terms) > 1:
            return LeadingTerm(ZERO, oo)  # which of them is larger is not known
        if len(first) == 1 or not is_zero(total):
            return LeadingTerm(total, least)
        above, below = fraction(together(e))
        if below.has(self.x) and self.order:
            return replace(self, order=self.order - 1).term(Mul(above, 1 / below, evaluate=False))
        return self._expanded(e * self.x**-least, least) or LeadingTerm(ZERO, least)

    def _order(self, p: Expr, q: Expr) -> int | None:
        """The sign of p - q for two exponents, which may be infinite."""
        return 0 if p == q else self.sign(p if p in INFINITE else -q if q in INFINITE else p - q)

    def _expanded(self, e: Expr, p: Expr) -> LeadingTerm | None:
        """The leading term of x^p e, where e tends to 0, by the first derivative of e that does not, with
        L'Hospital's rule.
        """
        for n in range(1, self.order + 1):
            e = reduced(reduced(e, self.assume).diff(self.x), self.assume)
            value = replace(self, order=self.order - n).limit(e)
            if value is None or value in INFINITE:
                return None
            if not is_zero(value):
                return LeadingTerm(value / factorial(n), p + n)
        return None

    def _product(self, terms: list[LeadingTerm]) -> LeadingTerm | None:
        exponents = [term.exponent for term in terms]
        infinite = {*exponents} & {*INFINITE}
        if len(infinite) > 1:
            return None
        total = infinite.pop() if infinite else Add(*exponents)
        return LeadingTerm(Mul(*(term.coefficient for term in terms)), total)

    def _power(self, term: LeadingTerm, q: Expr) -> LeadingTerm | None:
        c, p = term
        sign = 1 if q.is_Integer and q > 0 else self.sign(c)
        direction = self.sign(q) if p in INFINITE else 1
        if direction is None or not (sign == 1 or (sign == -1 and q.is_Integer)):
            return None
        return LeadingTerm(c**q, direction * p if p in INFINITE else p * q)

    def _exponential(self, u: Expr) -> LeadingTerm | None:
        """The leading term of e^u."""
        term = self.term(u)
        growth = None if term is None else self.sign(term.exponent)
        if term is None or growth is None:
            return None
        if growth >= 0:
            return LeadingTerm(ONE if growth else exp(term.coefficient), ZERO)
        sign = self.sign(term.coefficient)
        return LeadingTerm(ONE, -sign * oo) if sign else None

    def _logarithm(self, u: Expr, term: LeadingTerm) -> LeadingTerm | None:
        """The leading term of log(u): u - 1 where u tends to 1."""
        c, p = term
        if self.sign(p) != 0 or self.sign(c) != 1:
            return None
        return self.term(u - 1) if is_zero(c - 1) else LeadingTerm(log(c), ZERO)


def reduced(e: Expr, assume: Assumed) -> Expr:
    """The expression in its normal form, where it has one."""
    with suppress(OutsideScope):
        arithmetic, (form,) = normal_forms((e,), assume)
        return arithmetic.to_sympy(arithmetic.canonical(form))
    return e
