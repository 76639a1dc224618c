"""How functions of exp and log behave towards a limit: expansions in powers of x, log x, log log x
and in exponentials, with exponents and coefficients that may hold symbols.

An expansion is a finite sum of terms `c m` and a bound `O(e_1 + e_2 + ...)` of the rest. Its
monomials are ordered by growth: one grows faster than another where the leading coefficient of the
logarithm of their quotient is certainly positive. Terms need no order among themselves as long as
nobody asks for the leading one. A question that hangs on the sign of an expression raises
`Undetermined`, and the caller may answer it by cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import lcm
from typing import Any

from sympy import Abs, Expr, Rational, Symbol, cosh, exp, log, sinh, tanh

from ..algebra.arithmetic import UNIT, Arithmetic, NormalForm, OutsideScope
from ..algebra.convert import arithmetic_for, normal_form
from ..algebra.deadline import check
from ..algebra.interval import IntervalEvaluator

Form = frozenset[Any]  # a normal form, frozen: its items

MOST_TERMS = 120
SMALL_POWER = 4  # of a sum, expanded by multiplication
LARGEST_POWER = 12  # of a prime under a logarithm whose sign is asked for
DIGITS = 50


class Undetermined(ValueError):
    """The behaviour hangs on the sign of an expression."""

    def __init__(self, expression: Expr) -> None:
        super().__init__(f"it hangs on the sign of {expression}")
        self.expression = expression


class Cancelled(ValueError):
    """All terms that were kept cancel: more of them are needed."""


@dataclass(frozen=True)
class Monomial:
    """x^a (log x)^b (log log x)^c ... exp(growing), with positive x that tends to oo.

    `growing` holds monomials with their coefficients; each tends to oo and is no iterated logarithm.
    """

    powers: tuple[Form, ...] = ()
    growing: frozenset[tuple[Monomial, Form]] = frozenset()


CONSTANT = Monomial()
Terms = Mapping[Monomial, NormalForm]


@dataclass(frozen=True)
class LeadingTerms:
    """The sum of the terms, up to a bounded multiple of the errors' sum."""

    terms: Terms
    errors: frozenset[Monomial] = frozenset()

    @property
    def is_zero(self) -> bool:
        return not self.terms and not self.errors


@dataclass(frozen=True)
class Tendency:
    """Where a function tends: to a value, or to infinity with a sign."""

    value: NormalForm | None
    sign: int = 0


class Asymptotics:
    """The calculus for one variable, to `depth` terms of every series.

    `arithmetic` is that of all other symbols, with what is assumed of them.
    """

    def __init__(self, variable: Symbol, limit: str, arithmetic: Arithmetic, depth: int) -> None:
        self.variable, self.limit, self.depth = variable, limit, depth
        self.arithmetic, self.field = arithmetic, arithmetic.field
        self.one: NormalForm = arithmetic.constant(self.field.one)
        self._seen: dict[Expr, LeadingTerms] = {}
        self._order: dict[tuple[Monomial, Monomial], int] = {}
        self._signs: dict[Form, int] = {}

    # -- where an expansion tends ------------------------------------------------------------------

    def tendency(self, f: LeadingTerms) -> Tendency:
        """Where the function tends.

        Raises
        ------
        Undetermined
            Where it hangs on a sign.
        Cancelled
            Where the errors do not vanish.
        """
        growing = {m: c for m, c in f.terms.items() if self.compare(m, CONSTANT) > 0}
        if not growing:
            if any(self.compare(e, CONSTANT) >= 0 for e in f.errors):
                raise Cancelled
            return Tendency(f.terms.get(CONSTANT, {}))
        _, c = self.leading(LeadingTerms(growing, f.errors))
        return Tendency(None, self.sign(c))

    def is_bounded(self, f: LeadingTerms) -> bool:
        """Whether the function stays bounded; False where it certainly does not."""
        if not any(self.compare(m, CONSTANT) > 0 for m in f.terms):
            if any(self.compare(e, CONSTANT) > 0 for e in f.errors):
                raise Cancelled
            return True
        return self.tendency(f).value is not None

    def eventual_sign(self, f: LeadingTerms) -> int:
        """The sign all the way to the limit; 0 for zero."""
        return 0 if f.is_zero else self.sign(self.leading(f)[1])

    # -- order -------------------------------------------------------------------------------------

    def compare(self, m: Monomial, n: Monomial) -> int:
        """1 where m/n grows without bound, -1 where it vanishes, 0 where they are the same."""
        if m == n:
            return 0
        if (m, n) not in self._order:
            check()
            order = self._growth(self._quotient(m, n))
            self._order[m, n], self._order[n, m] = order, -order
        return self._order[m, n]

    def _growth(self, m: Monomial) -> int:
        if not m.growing:
            return next((s for power in m.powers if (s := self.sign(dict(power)))), 0)
        return self.sign(self.leading(self._log_of_monomial(m))[1])

    def leading(self, f: LeadingTerms) -> tuple[Monomial, NormalForm]:
        """The term that every other one and the errors are small against.

        Raises
        ------
        Undetermined, Cancelled
        """
        open_question: Undetermined | None = None
        hidden = not f.terms
        for m, c in f.terms.items():
            try:
                if all(self.compare(m, other) > 0 for other in f.terms if other != m):
                    if all(self.compare(m, error) > 0 for error in f.errors):
                        return m, c
                    hidden = True
            except Undetermined as question:
                open_question = open_question or question
        if open_question is not None:
            raise open_question
        if hidden:
            raise Cancelled
        raise OutsideScope("two terms have one order")

    def sign(self, form: NormalForm) -> int:
        """The sign of a form without the variable.

        Raises
        ------
        Undetermined
            Where what is assumed does not settle it.
        """
        key = frozenset(form.items())
        if key not in self._signs:
            self._signs[key] = self._sign(self.arithmetic.canonical(form))
        return self._signs[key]

    def _sign(self, form: NormalForm) -> int:
        signs = {self._sign_of_term(*term) for term in form.items()}
        if len(signs) <= 1 and 0 not in signs:
            return signs.pop() if signs else 0
        if sign := self._sign_of_logs(form):
            return sign
        expression = self.arithmetic.to_sympy(form)
        if not expression.free_symbols:
            value = IntervalEvaluator(DIGITS).evaluate(expression, {})
            if value.a > 0 or value.b < 0:
                return 1 if value.a > 0 else -1
        elif len(form) == 1:
            ((_, value),) = form.items()
            unknown = self.field.unknown_primes(value)
            if unknown:
                expression = self.field.to_sympy(self.field.prime_fraction(unknown[0]))
        raise Undetermined(expression)

    def _sign_of_term(self, key: Any, value: Any) -> int:
        """The sign of one term; 0 where it is not certain."""
        exponent, logs = key
        sign = self.arithmetic.sign_of_term((exponent, ()), value)
        for prime, power in logs:
            sign *= self._sign_of_log({prime: 1}) ** power
        return sign

    def _sign_of_log(self, product: Mapping[int, int]) -> int:
        """The sign of the logarithm of a product of powers of primes, that of the product less 1; 0
        where it is not certain.
        """
        value = self.field.one
        for prime, power in product.items():
            if self.field.primes[prime].kind not in ("integer", "polynomial"):
                return 0
            if self.field.signs[prime] < 1 or abs(power) > LARGEST_POWER:
                return 0
            value *= self.field.prime_fraction(prime) ** power
        sign, unknown = self.field.sign_of(value - self.field.one)
        return 0 if unknown or self.field.unknown_primes(value - self.field.one) else sign

    def _sign_of_logs(self, form: NormalForm) -> int:
        """The sign of a sum of logarithms with rational numbers as factors; 0 where it is not
        certain.
        """
        factors = {}
        for (exponent, logs), value in form.items():
            whole = value.numer.is_ground and value.denom.is_ground
            if exponent or len(logs) != 1 or logs[0][1] != 1 or not whole:
                return 0
            factors[logs[0][0]] = Rational(int(value.numer.LC), int(value.denom.LC))
        common = lcm(*(f.q for f in factors.values()))
        return self._sign_of_log({prime: int(f * common) for prime, f in factors.items()})

    # -- monomials ---------------------------------------------------------------------------------

    def _monomial(
        self, powers: Sequence[Form], growing: Iterable[tuple[Monomial, Form]]
    ) -> Monomial:
        kept = list(powers)
        while kept and not kept[-1]:
            kept.pop()
        return Monomial(tuple(kept), frozenset((m, c) for m, c in growing if c))

    def _iterated_log(self, level: int) -> Monomial:
        one = frozenset(self.one.items())
        return Monomial((*(frozenset() for _ in range(level)), one))

    def _times(self, m: Monomial, n: Monomial) -> Monomial:
        if m == CONSTANT or n == CONSTANT:
            return n if m == CONSTANT else m
        longest = max(len(m.powers), len(n.powers))
        pairs = zip(*(self._padded(x.powers, longest) for x in (m, n)), strict=True)
        growing = dict(m.growing)
        for inner, c in n.growing:
            growing[inner] = self._sum(growing.get(inner, frozenset()), c)
        return self._monomial([self._sum(*pair) for pair in pairs], growing.items())

    @staticmethod
    def _padded(powers: tuple[Form, ...], length: int) -> tuple[Form, ...]:
        return powers + (frozenset(),) * (length - len(powers))

    def _sum(self, one: Form, other: Form) -> Form:
        if not one or not other:
            return one or other
        total = self.arithmetic.canonical(self.arithmetic.add(dict(one), dict(other)))
        return frozenset(total.items())

    def _raised(self, m: Monomial, exponent: NormalForm) -> Monomial:
        def scaled(form: Form) -> Form:
            product = self.arithmetic.multiply(dict(form), exponent)
            return frozenset(self.arithmetic.canonical(product).items())

        return self._monomial(
            [scaled(p) for p in m.powers], [(inner, scaled(c)) for inner, c in m.growing]
        )

    def _quotient(self, m: Monomial, n: Monomial) -> Monomial:
        return self._times(m, self._raised(n, self.arithmetic.negate(self.one)))

    def _log_of_monomial(self, m: Monomial) -> LeadingTerms:
        terms = {self._iterated_log(i + 1): dict(p) for i, p in enumerate(m.powers) if p}
        return LeadingTerms(terms | {inner: dict(c) for inner, c in m.growing})

    # -- sums and products -------------------------------------------------------------------------

    def constant(self, form: NormalForm) -> LeadingTerms:
        form = self.arithmetic.canonical(form)
        return LeadingTerms({CONSTANT: form} if form else {})

    def add(self, *summands: LeadingTerms) -> LeadingTerms:
        terms: dict[Monomial, NormalForm] = {}
        for f in summands:
            for m, c in f.terms.items():
                total = (
                    self.arithmetic.canonical(self.arithmetic.add(terms[m], c)) if m in terms else c
                )
                if total:
                    terms[m] = total
                else:
                    del terms[m]
        return self._pruned(terms, frozenset().union(*(f.errors for f in summands)))

    def negate(self, f: LeadingTerms) -> LeadingTerms:
        return LeadingTerms({m: self.arithmetic.negate(c) for m, c in f.terms.items()}, f.errors)

    def multiply(self, f: LeadingTerms, g: LeadingTerms) -> LeadingTerms:
        terms: dict[Monomial, NormalForm] = {}
        for m, c in f.terms.items():
            check()
            for n, d in g.terms.items():
                product = self._times(m, n)
                value = self.arithmetic.multiply(c, d)
                if product in terms:
                    value = self.arithmetic.add(terms[product], value)
                value = self.arithmetic.canonical(value)
                if value:
                    terms[product] = value
                else:
                    terms.pop(product, None)
        errors = {self._times(e, n) for e in f.errors for n in (*g.terms, *g.errors)}
        errors |= {self._times(m, e) for m in f.terms for e in g.errors}
        return self._pruned(terms, frozenset(errors))

    def _pruned(self, terms: Terms, errors: frozenset[Monomial]) -> LeadingTerms:
        """Without the terms that are no larger than an error, and the errors that are smaller than
        another.
        """
        for e in sorted(errors, key=str) if len(errors) > 1 else ():
            if any(other != e and self._covers(other, e) for other in errors):
                errors -= {e}
        kept = {m: c for m, c in terms.items() if not any(self._covers(e, m) for e in errors)}
        if len(kept) > MOST_TERMS:
            raise OutsideScope(f"an expansion has more than {MOST_TERMS} terms")
        return LeadingTerms(kept, errors)

    def _covers(self, e: Monomial, m: Monomial) -> bool:
        """Whether m is certainly no larger than e in the limit."""
        try:
            return self.compare(e, m) >= 0
        except Undetermined:
            return False

    # -- powers, exp, log --------------------------------------------------------------------------

    def _series(self, u: LeadingTerms, coefficient: Callable[[int], NormalForm]) -> LeadingTerms:
        """The sum of c_k u^k for a u that vanishes, up to the order of the depth."""
        result, power = self.constant(coefficient(0)), self.constant(self.one)
        if u.is_zero:
            return result
        order = self.arithmetic.constant(self.field.rational(self.depth + 1))
        beyond = frozenset(self._raised(m, order) for m in (*u.terms, *u.errors))
        for k in range(1, self.depth + 1):
            product = self.multiply(power, u)
            power = self._pruned(product.terms, product.errors | beyond)
            if c := coefficient(k):
                result = self.add(result, self.multiply(power, self.constant(c)))
        return LeadingTerms(result.terms, result.errors | beyond)

    def _factored(self, f: LeadingTerms) -> tuple[Monomial, NormalForm, LeadingTerms]:
        """`(m, c, u)` with f = c m (1 + u), c of certain sign and u that vanishes."""
        m, c = self.leading(f)
        self.sign(c)
        inverse = LeadingTerms(
            {
                self._raised(m, self.arithmetic.negate(self.one)): self.arithmetic.integer_power(
                    c, -1
                )
            }
        )
        rest = LeadingTerms({n: d for n, d in f.terms.items() if n != m}, f.errors)
        return m, c, self.multiply(rest, inverse)

    def power(self, f: LeadingTerms, exponent: NormalForm) -> LeadingTerms:
        """The power with an exponent that is free of the variable."""
        whole = _whole(exponent)
        if whole is not None and 0 <= whole <= SMALL_POWER:
            return reduce(self.multiply, [f] * whole, self.constant(self.one))
        if f.is_zero:
            raise OutsideScope("a power of an expression that is identically zero")
        m, c, u = self._factored(f)
        if whole is None and self.sign(c) < 0:
            raise OutsideScope("a power of a negative quantity")
        scale = (
            self.arithmetic.power(c, exponent)
            if whole is None
            else self.arithmetic.integer_power(c, whole)
        )
        front = LeadingTerms({self._raised(m, exponent): self.arithmetic.canonical(scale)})
        return self.multiply(front, self._series(u, self._binomials(exponent)))

    def _binomials(self, exponent: NormalForm) -> Callable[[int], NormalForm]:
        coefficients = [self.one]
        for k in range(1, self.depth + 1):
            less = self.arithmetic.constant(self.field.rational(1 - k))
            factor = self.arithmetic.multiply(
                self.arithmetic.add(exponent, less),
                self.arithmetic.constant(self.field.rational(1, k)),
            )
            coefficients.append(self.arithmetic.multiply(coefficients[-1], factor))
        return coefficients.__getitem__

    def log(self, f: LeadingTerms) -> LeadingTerms:
        if f.is_zero:
            raise OutsideScope("the logarithm of an expression that is identically zero")
        m, c, u = self._factored(f)
        if self.sign(c) < 0:
            raise OutsideScope("the logarithm of a negative quantity")

        def coefficient(k: int) -> NormalForm:
            return self.arithmetic.constant(self.field.rational((-1) ** (k + 1), k)) if k else {}

        return self.add(
            self._log_of_monomial(m),
            self.constant(self.arithmetic.log(c)),
            self._series(u, coefficient),
        )

    def exp(self, f: LeadingTerms) -> LeadingTerms:
        """The exponential: what grows goes into the monomial, the constant into the coefficient, and
        what vanishes into a series.
        """
        if any(self.compare(e, CONSTANT) >= 0 for e in f.errors):
            raise Cancelled
        monomial, vanishing = CONSTANT, {}
        for m, c in f.terms.items():
            order = self.compare(m, CONSTANT)
            if order > 0:
                monomial = self._times(monomial, self._exp_of_term(m, c))
            elif order < 0:
                vanishing[m] = c
        scale = self.arithmetic.exp(f.terms.get(CONSTANT, {}))
        factorials = [self.one]
        for k in range(1, self.depth + 1):
            factor = self.arithmetic.constant(self.field.rational(1, k))
            factorials.append(self.arithmetic.multiply(factorials[-1], factor))
        series = self._series(LeadingTerms(vanishing, f.errors), factorials.__getitem__)
        return self.multiply(LeadingTerms({monomial: scale}), series)

    def _exp_of_term(self, m: Monomial, c: NormalForm) -> Monomial:
        frozen = frozenset(c.items())
        level = len(m.powers) - 1
        if level > 0 and m == self._iterated_log(level):
            return Monomial((*(frozenset() for _ in range(level - 1)), frozen))
        return Monomial((), frozenset([(m, frozen)]))

    # -- expressions -------------------------------------------------------------------------------

    def expand(self, e: Expr) -> LeadingTerms:
        """The expansion of an expression.

        Raises
        ------
        OutsideScope, Undetermined, Cancelled
        """
        if e not in self._seen:
            check()
            self._seen[e] = self._expand(e)
        return self._seen[e]

    def _expand(self, e: Expr) -> LeadingTerms:
        if self.variable not in e.free_symbols:
            return self.constant(normal_form(e, self.arithmetic))
        if e == self.variable:
            towards = self.arithmetic.constant(self.field.rational(1 if self.limit == "oo" else -1))
            return LeadingTerms({self._raised(self._iterated_log(0), towards): self.one})
        if e.is_Add:
            total = self.add(*map(self.expand, e.args))
            return LeadingTerms({}) if total.errors and not total.terms and vanishes(e) else total
        if e.is_Mul:
            return reduce(self.multiply, map(self.expand, e.args))
        if e.is_Pow:
            return self._expand_power(e)
        if isinstance(e, exp):
            return self.exp(self.expand(e.args[0]))
        if isinstance(e, log):
            return self.log(self.expand(e.args[0]))
        if isinstance(e, Abs):
            inner = self.expand(e.args[0])
            return self.negate(inner) if self.eventual_sign(inner) < 0 else inner
        if isinstance(e, (sinh, cosh, tanh)):
            return self.expand(e.rewrite(exp))
        if hasattr(e, "definition"):
            return self.expand(e.definition())
        raise OutsideScope(f"{e.func.__name__} has no expansion here: {e}")

    def _expand_power(self, e: Expr) -> LeadingTerms:
        base = self.expand(e.base)
        if self.variable not in e.exp.free_symbols:
            exponent = self.arithmetic.canonical(normal_form(e.exp, self.arithmetic))
            return self.power(base, exponent)
        return self.exp(self.multiply(self.expand(e.exp), self.log(base)))


def vanishes(e: Expr) -> bool:
    """Whether the expression is identically zero."""
    try:
        arithmetic = arithmetic_for((e,))
        return arithmetic.is_zero(normal_form(e, arithmetic))
    except OutsideScope:
        return False


def _whole(form: NormalForm) -> int | None:
    """The integer that a form is, if it is one."""
    if not form:
        return 0
    if set(form) == {UNIT}:
        value = form[UNIT]
        if value.numer.is_ground and value.denom == 1:
            return int(value.numer.LC)
    return None


__all__ = ["Asymptotics", "Cancelled", "LeadingTerms", "Tendency", "Undetermined", "vanishes"]
