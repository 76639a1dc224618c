"""Budgets: monomials with a positive coefficient and positive exponents, read from text or from
SymPy, and nothing else.
"""

import time

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer, Rational, Symbol, sqrt

from isoflop.theory.budget import Budget
from isoflop.theory.kernel import symbols as sym

N, D, KAPPA, a, d = sym.N, sym.D, sym.KAPPA, sym.BUDGET_A, sym.BUDGET_D
LETTERS = {"kappa": KAPPA, "a": a, "d": d}
x, y, z = sympy.symbols("x y z", positive=True)
SECONDS = 1.0  # of the processor: a guard against hanging, for every text

#: What is read: the coefficient, and the exponents of N and D.
READ = """
6ND: 6, 1, 1
6*N*D: 6, 1, 1
6*N^1*D: 6, 1, 1
C = 6*N*D: 6, 1, 1
C=6ND: 6, 1, 1
6 N D: 6, 1, 1
2*3*D*N: 6, 1, 1
(2N)(3D): 6, 1, 1
6.0ND: 6, 1, 1
N D*6: 6, 1, 1
kappa*N**a*D**d: kappa, a, d
C = kappa N^a D^d: kappa, a, d
N^0.5*D: 1, 1/2, 1
sqrt(N)*D^2: 1, 1/2, 2
(N^2*D)^a/kappa: 1/kappa, 2*a, a
6*N*D*kappa^2: 6*kappa**2, 1, 1
exp(log(N)+2log(D)): 1, 1, 2
2^0.5*N*D: sqrt(2), 1, 1
(a+d)*N*D: a + d, 1, 1
N^(a/(a+d))*D^(d/(a+d)): 1, a/(a + d), d/(a + d)
6*N^2*D/N: 6, 1, 1
6*N*D*(N+D)/(N+D): 6, 1, 1
N*(N*D+D)/(N+1): 1, 1, 1
"""
REFUSED = """
6N: does not depend on D
6*N*D + 1: must be one term
(N+D)*N*D: must be one term
N*D*log(N): must be one term
N^N*D: must be one term
(1+N^a)*D: must be one term
-6*N*D: coefficient=-6: must be positive
6*N^-1*D: exponent of N=-1: must be positive
D = 6*N*D: a budget reads C = kappa
6*n*d: unknown name 'n'
__import__('os').getcwd(): cannot read '_'
N*D/0: division by zero
sqrt(-1)*N*D: negative number
1e999999*N*D: too large
D*((N+9)(100-N)/(kappa+6)*(20-d+N*kappa))^20: expands to more than
exp(exp(exp(exp(2.9))))*N*D: tower
N*D*abs(N^999 + N - D): must be one term|expands|beyond
"""


def rows(table: str) -> list[list[str]]:
    return [line.split(": ", 1) for line in table.strip().splitlines()]


@pytest.mark.parametrize(("text", "values"), rows(READ))
def test_reads_coefficient_and_exponents(text: str, values: str) -> None:
    budget = Budget.parse(text)
    assert budget.variables == (N, D)
    found = (budget.coefficient, budget.exponent(N), budget.exponent(D))
    for value, wanted in zip(found, sympy.sympify(values, locals=LETTERS), strict=True):
        assert sympy.simplify(value - wanted) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [*rows(REFUSED), ("", "an expression is expected"), ("(" * 3000, "nested deeper")],
    ids=lambda text: text if len(text) < 40 else f"{text[:12]}... {len(text)}",
)
def test_refused_with_a_reason(text: str, reason: str) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match=reason) as caught:
        Budget.parse(text)
    assert time.process_time() - start < SECONDS
    assert "\n" not in str(caught.value)


def test_other_variables() -> None:
    budget = Budget.from_expression(7 * x**2 * y * sqrt(z), (x, y, z))
    assert budget.coefficient == 7
    assert [budget.exponent(v) for v in (x, y, z)] == [2, 1, Rational(1, 2)]
    assert Budget.parse("7x^2 y z^0.5", (x, y, z)) == budget
    with pytest.raises(ValueError, match="variable=N: not in the budget"):
        budget.exponent(N)


@pytest.mark.parametrize(
    ("coefficient", "powers", "reason"),
    [
        (Integer(-1), ((N, Integer(1)),), "coefficient=-1: must be positive"),
        (Integer(1), ((N, Integer(0)),), "exponent of N=0: must be positive"),
        (Symbol("u"), ((N, Integer(1)),), "coefficient=u: must be positive"),
        (Integer(1), (), "at least one variable"),
    ],
)
def test_direct_construction_is_checked(coefficient, powers, reason) -> None:
    with pytest.raises(ValueError, match=reason):
        Budget(coefficient, powers)


POWERS = st.fractions("1/100", 20, max_denominator=100)


@settings(max_examples=30)
@given(st.integers(1, 10**6), POWERS, POWERS)
def test_reads_back_what_it_prints(kappa: int, power_n: object, power_d: object) -> None:
    budget = Budget(Integer(kappa), ((N, Rational(str(power_n))), (D, Rational(str(power_d)))))
    assert Budget.parse(str(budget)) == budget
    assert Budget.from_expression(budget.compute()) == budget


PIECES = [*"NDad0126.+-*/^() =C", "**", "kappa", "exp(", "log(", "1e9"]


@given(text=st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_any_text_is_a_budget_or_a_value_error(text: str) -> None:
    try:
        budget = Budget.parse(text)
    except ValueError:
        return
    assert set(budget.variables) == {N, D}
    assert budget.compute().free_symbols <= {N, D, KAPPA, a, d}
