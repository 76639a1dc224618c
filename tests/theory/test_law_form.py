"""Law forms: the terms and the outer function are read off an expression, or it is refused with the
term that does not fit.
"""

from typing import Any

import pytest
import sympy
from sympy import Expr, Float, Integer, Rational, Symbol, cosh, exp, log, sqrt, symbols

from isoflop.theory.kernel import decide
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS, REDUCIBLE, LawForm, Term

N, D, A, B, E, beta, gamma = sym.N, sym.D, sym.A, sym.B, sym.E, sym.BETA, sym.GAMMA
N_c, D_c, a_N, a_D, M, F, delta = symbols("N_c D_c a_N a_D M F delta", positive=True)
R = A * N**-beta + B * D**-gamma
KAPLAN = ((N_c / N) ** (a_N / a_D) + D_c / D) ** a_D


def terms_of(form: LawForm) -> dict[Symbol, tuple[Expr, Expr]]:
    return {term.variable: (term.coefficient, term.exponent) for term in form.terms}


DEFAULT = {N: (A, beta), D: (B, gamma)}
DOUBLED = {N: (2 * A, beta), D: (2 * B, gamma)}
QUARTER, HALF, R_ = Rational(1, 4), Rational(1, 2), REDUCIBLE


@pytest.mark.parametrize(
    ("expression", "terms", "outer", "direction"),
    [
        (E + R, DEFAULT, E + R_, 1),
        (R, DEFAULT, R_, 1),
        (exp(-(E + R)), DEFAULT, exp(-E - R_), -1),
        (1 - R, DEFAULT, 1 - R_, -1),
        (E - 2 * R, DOUBLED, E - R_, -1),
        (QUARTER + 3 * QUARTER * exp(-R), DEFAULT, QUARTER + 3 * QUARTER * exp(-R_), -1),
        (E / R, DEFAULT, E / R_, -1),
        (E + R**delta, DEFAULT, E + R_**delta, 1),
        (KAPLAN, {N: (N_c ** (a_N / a_D), a_N / a_D), D: (D_c, Integer(1))}, R_**a_D, 1),
        (E + (A / N) ** beta + B * D**-gamma, DEFAULT | {N: (A**beta, beta)}, E + R_, 1),
        (E + A / (N**beta * F) + B / sqrt(D), {N: (A / F, beta), D: (B, HALF)}, E + R_, 1),
        (E * (1 + A * N**-beta + B * D**-gamma), DEFAULT, E * (1 + R_), 1),
    ],
    ids=str,
)
def test_read_off_an_expression(
    expression: Expr, terms: dict[Symbol, tuple[Expr, Expr]], outer: Expr, direction: int
) -> None:
    form = LawForm.from_expression(expression)
    assert terms_of(form) == terms
    assert sympy.expand(form.outer - outer) == 0
    assert form.direction == direction
    assert decide(form.loss, expression).proved
    assert form.variables == (N, D)


@pytest.mark.parametrize(
    ("number", "exact"),
    [
        (406.4, Rational("406.4")),
        (Float(0.1) + Float(0.2), Rational("0.30000000000000004")),
        (Float("1e400"), Rational(10) ** 400),
        (Float("1e-400"), Rational(10) ** -400),
        (Float(5e-324), Rational("5e-324")),
    ],
    ids=["decimal", "seventeen digits", "above the floats", "below the floats", "smallest float"],
)
def test_floats_become_the_decimals_that_they_print_as(number: Float, exact: Rational) -> None:
    form = LawForm.from_expression(1.69 + number * N**-0.34 + B * D**-gamma)
    assert terms_of(form) == {N: (exact, Rational("0.34")), D: (B, gamma)}
    assert form.outer == Rational("1.69") + REDUCIBLE
    assert form.loss.atoms(Float) == set()
    assert form.coefficients == (B, gamma)


def test_three_factors() -> None:
    law = E + R + F * M**-delta
    form = LawForm.from_expression(law, (N, D, M))
    assert form.variables == (N, D, M)
    assert terms_of(form)[M] == (F, delta)
    assert decide(form.loss, law).proved


REFUSED = (
    (E + R + N**-beta * D**-gamma, "holds N and D; each term must hold one variable"),
    (E + A / (N + D), "exponent=-1 of the N term: must be positive"),
    (E + R + F * N ** (-2 * beta), "N occurs in more than one term"),
    (E + A * N**beta + B * D**-gamma, "exponent=-beta of the N term: must be positive"),
    (E + A * N**-beta + B * D ** Rational(1, 3), "exponent=-1/3 of the D term: must be positive"),
    (E - A * N**-beta + B * D**-gamma, "coefficient=-A of the N term: must be positive"),
    (E + A * log(N) + B * D**-gamma, r"is not A \* N\*\*-b"),
    (2**R, "the variables stand in an exponent"),
    (E + A * N**-beta, "does not depend on the variable D"),
    (cosh(R), "must be strictly monotone"),
    (-1 / (R - 1), "must be strictly monotone"),
    ((1 - R) ** delta, "must be strictly monotone"),
)


@pytest.mark.parametrize(
    ("expression", "reason"), REFUSED, ids=[str(expression) for expression, _ in REFUSED]
)
def test_refused_with_the_term_that_does_not_fit(expression: Expr, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        LawForm.from_expression(expression)


GOOD = PARAMS_TOKENS.terms


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (((),), "at least one power-law term"),
        (((Term(-A, N, beta), GOOD[1]),), "coefficient=-A of the N term"),
        (((Term(A, N, Integer(0)), GOOD[1]),), "exponent=0 of the N term"),
        (((Term(A, N, Symbol("u")), GOOD[1]),), "exponent=u of the N term: must be positive"),
        (((Term(D, N, beta), GOOD[1]),), "coefficient=D of the N term: must not depend on a v"),
        (((GOOD[0], GOOD[0]),), "N occurs in more than one term"),
        ((GOOD, E), "outer=E: must be strictly monotone"),
    ],
)
def test_direct_construction_is_checked(parts: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        LawForm(*parts)


def test_renamed() -> None:
    names = {N: M, beta: delta, E: F}
    form = LawForm.from_expression(exp(-(E + R))).renamed(names)
    assert form.loss == exp(-(F + A * M**-delta + B * D**-gamma))
    assert form.variables == (M, D)
    assert form.direction == -1
