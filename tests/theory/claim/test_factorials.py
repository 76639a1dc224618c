"""Factorials, choices and values of the Gamma function in claims: what follows from the recurrence is
proved, and nothing else.
"""

from math import comb, factorial

import pytest
from sympy import Rational, Symbol

from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel.factorials import Factorial, Gamma, in_values
from isoflop.theory.reader.tokens import ParseError

CLAIMS = {
    "n! == n*(n - 1)!": "proved",
    "(n + 1)!/n! == n + 1": "proved",
    "binom(n, k) + binom(n, k - 1) == binom(n + 1, k)": "proved",
    "binom(n, k) == binom(n, n - k)": "proved",
    "binom(n, 2) == n*(n - 1)/2": "proved",
    "(2*(n - k))! == (2*n - 2*k)!": "proved",
    "Gamma(y + 1) == y*Gamma(y)": "proved",
    "Gamma(n + 1) == n!": "proved",
    "(n - k)! > 0": "proved",
    "1 - binom(n - c, k)/binom(n, k) < 1": "proved",
    "n! == n^2": "undecided",
    "(s + n)! == (abs(s) + n)!": "undecided",
    # true, but by more than the recurrence
    "n! >= 1": "undecided",
    "n! >= n": "undecided",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_claims(claim) -> None:
    assert prove(claim).answer.value == CLAIMS[claim]


@pytest.mark.parametrize(
    ("latex", "answer"),
    [
        (r"\binom{n}{k} = \frac{n!}{k!\,(n-k)!}", "proved"),
        (r"\frac{\binom{n-c}{k}}{\binom{n}{k}} = \frac{(n-c)!\,(n-k)!}{n!\,(n-c-k)!}", "proved"),
        (r"\Gamma(k + 1) = k!", "proved"),
        (r"\binom{n}{k} = \frac{n!}{(n-k)!}", "undecided"),
    ],
)
def test_in_latex(latex, answer) -> None:
    assert prove(latex, latex=True).answer.value == answer


def test_a_definition_is_taken_at_its_arguments() -> None:
    define = ["f(n, k) == binom(n, k)"]
    assert prove("f(n, 2) == n*(n - 1)/2", define=define).answer.value == "proved"
    assert prove("f(5, 2) == 10", define=define).answer.value == "proved"
    assert prove("f(5, 2) == 11", define=define).answer.value == "refuted"


def test_limits_hold_them_fast() -> None:
    assert prove("n!*x^-1 -> 0", limit="x -> oo").answer.value == "proved"
    assert prove("1/n! -> 0", limit="n -> oo").answer.value == "undecided"


@pytest.mark.parametrize("claim", ["(1/2)! == 1", "(0-1)! == 1", "101! == 1", "binom(n, 1/2) == 1"])
def test_arguments_without_a_value(claim) -> None:
    with pytest.raises(ParseError, match="a whole number from 0 to 100"):
        prove(claim)


def test_two_factorial_signs_are_refused() -> None:
    with pytest.raises(ParseError):
        prove("n!! == 3", latex=True)


def test_values_at_numbers() -> None:
    n, k = Symbol("n", positive=True), Symbol("k", positive=True)
    for x in range(8):
        assert Factorial(x) == factorial(x)
        assert Gamma(x + 1) == factorial(x)
    for shift in range(-2, 4):
        quotient = in_values(Factorial(n + shift) / Factorial(n))
        assert quotient.subs(n, 5) == Rational(factorial(5 + shift), factorial(5))
    choices = in_values(Factorial(n + 1) / (Factorial(k) * Factorial(n + 1 - k)))
    again = in_values(Factorial(n) / (Factorial(k) * Factorial(n - k)))
    assert (choices / again).subs({n: 6, k: 2}) == Rational(comb(7, 2), comb(6, 2))
