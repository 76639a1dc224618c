"""The form of a law: a monotone function of a sum of power-law terms, one for each variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite

from sympy import (
    Add,
    Dummy,
    Expr,
    Float,
    Integer,
    Pow,
    Rational,
    Symbol,
    exp,
    expand_power_base,
    limit,
    simplify,
    sympify,
)

from .kernel import symbols as sym
from .kernel.arithmetic import OutsideScope
from .kernel.convert import normal_forms
from .kernel.functions import expm1

REDUCIBLE = sym.REDUCIBLE


@dataclass(frozen=True)
class Term:
    """One term A x^-b with A, b > 0."""

    coefficient: Expr
    variable: Symbol
    exponent: Expr

    @property
    def expression(self) -> Expr:
        return self.coefficient * self.variable**-self.exponent


@dataclass(frozen=True)
class LawForm:
    """L = h(R) with R = sum_i A_i x_i^-b_i.

    Parameters
    ----------
    terms : tuple of Term
        One term for each variable; all coefficients and exponents positive.
    outer : sympy.Expr
        h as an expression in the symbol R, `E + R` by default; strictly monotone.
    name : str
        What to call the form in messages.

    Notes
    -----
    The allocation that is optimal for R is optimal for h(R): a minimum for increasing h, a maximum
    for decreasing h (such as accuracy exp(-R)).
    """

    terms: tuple[Term, ...]
    outer: Expr = field(default=sym.E + REDUCIBLE)
    name: str = "law"

    def __post_init__(self) -> None:
        variables = [term.variable for term in self.terms]
        if not variables:
            raise ValueError("terms=(): a law needs at least one power-law term")
        for variable in variables:
            if variables.count(variable) > 1:
                raise ValueError(
                    f"terms: {variable} occurs in more than one term, so the optimum is not a "
                    "monomial (degree of difficulty above 0); merge terms of equal exponent"
                )
        for term in self.terms:
            for name, value in (("coefficient", term.coefficient), ("exponent", term.exponent)):
                if value.is_positive is not True:
                    raise ValueError(
                        f"{name}={value} of the {term.variable} term: must be positive"
                    )
                if value.free_symbols & set(variables):
                    raise ValueError(
                        f"{name}={value} of the {term.variable} term: must not depend on a variable"
                    )
        if self.direction == 0:
            raise ValueError(
                f"outer={self.outer}: must be strictly monotone in R > 0, which could not be "
                f"certified"
            )

    @property
    def variables(self) -> tuple[Symbol, ...]:
        return tuple(term.variable for term in self.terms)

    @property
    def coefficients(self) -> tuple[Symbol, ...]:
        """All symbols that are not variables, sorted by name."""
        free = self.loss.free_symbols - set(self.variables)
        return tuple(sorted(free, key=lambda symbol: symbol.name))

    @property
    def reducible(self) -> Expr:
        """R = sum_i A_i x_i^-b_i."""
        return Add(*(term.expression for term in self.terms))

    @property
    def loss(self) -> Expr:
        """h(R)."""
        return self.outer.subs(REDUCIBLE, self.reducible)

    def loss_at(self, reducible: Expr) -> Expr:
        """h at a value of R."""
        return self.outer.subs(REDUCIBLE, reducible)

    @property
    def direction(self) -> int:
        """+1 if h increases (a loss), -1 if it decreases (an accuracy), 0 if neither is certified."""
        return _certified_sign(self.outer.diff(REDUCIBLE))

    @cached_property
    def irreducible(self) -> Expr | None:
        """The limit of the law as all its variables grow, h(R) for R -> 0; None if it is not finite.

        It is E for E + R, 0 for R^p, and 1, the best accuracy, for exp(-R).
        """
        found = limit(self.outer, REDUCIBLE, Integer(0), "+")
        return found if found.is_finite and not found.has(REDUCIBLE) else None

    @cached_property
    def gap(self) -> Expr | None:
        """|L - irreducible| in terms of R, which rises from 0: the reducible loss, or the distance of
        an accuracy from its limit.
        """
        if self.irreducible is None:
            return None
        difference = (self.direction * (self.outer - self.irreducible)).expand()
        exponentials = [e for e in difference.atoms(exp) if e.has(REDUCIBLE)]
        if len(exponentials) == 1:
            factor = difference.coeff(exponentials[0])
            if simplify(difference - factor * (exponentials[0] - 1)) == 0:
                return factor * expm1(exponentials[0].args[0])
        return difference

    @property
    def is_sum(self) -> bool:
        """Whether the reducible loss is R itself: L = E + R, or a limit less R."""
        return self.gap == REDUCIBLE

    @cached_property
    def power(self) -> tuple[Expr, Expr] | None:
        """(K, p) if the reducible loss is K R^p, and so a power law of compute on the envelope; else
        None.
        """
        if self.gap is None:
            return None
        p = simplify(REDUCIBLE * self.gap.diff(REDUCIBLE) / self.gap)
        K = simplify(self.gap / REDUCIBLE**p)
        return None if p.has(REDUCIBLE) or K.has(REDUCIBLE) else (K, p)

    @classmethod
    def from_expression(
        cls, expression: Expr, variables: tuple[Symbol, ...] | None = None, name: str = "law"
    ) -> LawForm:
        """Read the terms and the outer function off a SymPy expression.

        The smallest subexpression that holds all the variables must be a sum; its variable-free
        part and everything around it become the outer function. Floats become the decimals they
        print as. Symbols should be declared positive.

        Raises
        ------
        ValueError
            If a term is not A x^-b in one variable with A, b > 0, a variable has no term of its own,
            or the outer function is not certified monotone.
        """
        exact = _exact_numbers(sympify(expression, strict=True))
        wanted = tuple(variables) if variables is not None else (sym.N, sym.D)
        for variable in wanted:
            if variable not in exact.free_symbols:
                raise ValueError(f"expression={exact}: does not depend on the variable {variable}")
        core = _core(exact, set(wanted))
        summands = Add.make_args(
            expand_power_base(core.expand(power_base=False, power_exp=False, log=False))
        )
        constant = Add(*(s for s in summands if not s.free_symbols & set(wanted)))
        varying = [s for s in summands if s.free_symbols & set(wanted)]
        sign = -1 if all(s.could_extract_minus_sign() for s in varying) else 1
        terms = tuple(_term(sign * s, wanted) for s in varying)
        missing = set(wanted) - {term.variable for term in terms}
        if missing:
            raise ValueError(
                f"expression={exact}: no term in {', '.join(sorted(map(str, missing)))} alone"
            )
        ordered = tuple(sorted(terms, key=lambda term: wanted.index(term.variable)))
        placeholder = Dummy(positive=True)
        outer = exact.xreplace({core: placeholder}).xreplace(
            {placeholder: constant + sign * REDUCIBLE}
        )
        return cls(ordered, outer, name)

    def renamed(self, names: Mapping[Symbol, Symbol]) -> LawForm:
        """The same form in other symbols."""
        terms = tuple(
            Term(
                t.coefficient.xreplace(names),
                names.get(t.variable, t.variable),
                t.exponent.xreplace(names),
            )
            for t in self.terms
        )
        return LawForm(terms, self.outer.xreplace(names), self.name)


def _exact_numbers(expression: Expr) -> Expr:
    return expression.xreplace({number: _decimal(number) for number in expression.atoms(Float)})


def _decimal(number: Float) -> Rational:
    """The shortest decimal that rounds to the float; outside the range of floats its printed digits."""
    value = float(number)
    return Rational(repr(value) if value and isfinite(value) else str(number))


def _core(expression: Expr, variables: set[Symbol]) -> Expr:
    """The smallest subexpression that holds all the variables and can be a sum of their powers."""
    node = expression
    while True:
        holders = [argument for argument in node.args if argument.free_symbols & variables]
        if (
            _is_monomial(node, variables)
            or len(holders) != 1
            or not variables <= holders[0].free_symbols
        ):
            return node
        if isinstance(node, Pow) and node.exp is holders[0]:
            raise ValueError(f"expression={expression}: the variables stand in an exponent")
        node = holders[0]


def _is_monomial(node: Expr, variables: set[Symbol]) -> bool:
    """Whether the node is a constant times a power of the only variable, so a sum of one term."""
    variable, *others = variables
    base, exponent = node.as_independent(variable, as_Add=False)[1].as_base_exp()
    return not others and base == variable and variable not in exponent.free_symbols


def _term(summand: Expr, variables: tuple[Symbol, ...]) -> Term:
    present = [variable for variable in variables if variable in summand.free_symbols]
    if len(present) > 1:
        raise ValueError(
            f"term {summand}: holds {' and '.join(map(str, present))}; each term must hold one "
            f"variable for a closed form"
        )
    coefficient, power = summand.as_independent(present[0], as_Add=False)
    base, exponent = power.as_base_exp()
    if base != present[0] or exponent.free_symbols & set(variables):
        raise ValueError(
            f"term {summand}: is not A * {present[0]}**-b with A and b free of the variables"
        )
    return Term(coefficient, present[0], -exponent)


def _certified_sign(expression: Expr) -> int:
    """The common sign of all terms of the normal form, 0 if they differ or a sign is unknown."""
    try:
        arithmetic, (form,) = normal_forms((expression,))
        terms = arithmetic.canonical(form)
    except OutsideScope:
        return 0
    signs = {arithmetic.sign_of_term(key, value) for key, value in terms.items()}
    everywhere = not (arithmetic.positive or arithmetic.nonzero)
    return signs.pop() if everywhere and len(signs) == 1 else 0


PARAMS_TOKENS = LawForm(
    (Term(sym.A, sym.N, sym.BETA), Term(sym.B, sym.D, sym.GAMMA)), name="params+tokens law"
)
