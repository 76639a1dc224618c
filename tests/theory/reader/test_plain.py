"""Typed formulas are read exactly, never evaluated as code, or refused with the place of the mistake."""

import time
import unicodedata
from contextlib import suppress
from decimal import Decimal

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer, Rational, Symbol

from isoflop.theory.reader.parse import parse
from isoflop.theory.reader.tokens import (
    DEEPEST_NESTING,
    GREEK,
    GREEK_SIGNS,
    LONGEST_TEXT,
    ParseError,
    tokenize,
)

NAMES = ("N", "D", "C", "E", "A", "B", "beta", "gamma", "kappa", "a", "d", "N_max", "x1")
TABLE = {name: Symbol(name, positive=True) for name in NAMES}
N, D, C, E, A, B, beta, gamma, kappa, a, d, N_max, x1 = TABLE.values()
SECONDS = 1.0  # of the processor: a guard against hanging, for every text

READS = {
    "6*N*D": 6 * N * D,
    "6ND": 6 * N * D,
    "6N^1 D**2": 6 * N * D**2,
    "kappa N^a D^d": kappa * N**a * D**d,
    "ND^d": N * D**d,
    "-N^2": -(N**2),
    "N/D/C": N / (D * C),
    "N/(2D)": N / (2 * D),
    "A N^-beta + B D^-gamma + E": A * N**-beta + B * D**-gamma + E,
    "N_max x1": N_max * x1,
    "sqrt(9/4)": Rational(3, 2),
    "binom(N, 2)": N * (N - 1) / 2,
    "max(2, 5, 3) - min(4, 7)": Integer(1),
    "5!": Integer(120),
    "d(A N^-beta)/dN": -A * beta * N ** (-beta - 1),
    "d^2(N^3)/dN^2": 6 * N,
    "(d log(N^2))/(d log(N))": Integer(2),
    "d^2(N^2 D)/(dN dD)": 2 * N,
    "βγ − γ": beta * gamma - gamma,
    "\t6\nND\N{NO-BREAK SPACE}": 6 * N * D,
}


@pytest.mark.parametrize("text", READS)
def test_reads(text) -> None:
    assert (parse(text, TABLE) - READS[text]).doit().expand() == 0


@pytest.mark.parametrize("text", ["0.1", "1e-3", "6", ".5", "5.", "1_000", "2.5E10", "1e100", "0.30000000000000004"])  # fmt: skip
def test_numbers_are_exact_decimals_and_keep_their_digits(text) -> None:
    assert parse(text, TABLE) == Rational(*Decimal(text).as_integer_ratio())
    assert [token.text for token in tokenize(text)] == [text]


def test_names_of_the_table_win_over_sympy() -> None:
    """E, N, S, C, I, beta and gamma mean other things to SymPy."""
    names = ("E", "N", "S", "C", "I", "O", "Q", "beta", "gamma", "zeta")
    table = {name: Symbol(name, positive=True) for name in names}
    assert [parse(name, table) for name in names] == list(table.values())


REFUSED = {
    "(N": "'(' at position 1 is never closed",
    "exp N": "in parentheses is expected after 'exp' at position 1",
    "exp(N, D)": "'exp' of 2 values cannot be read at position 1",
    "N = D": "'=' at position 3",
    "N²": "cannot read '²' at position 2",
    r"\frac12": "cannot read '\\\\' at position 1",
    "foo": "unknown name 'foo' at position 1; known: ",
    "1.2.3": "an operator is expected before '.3' at position 4",
    "C/6D": "ambiguous division before 'D' at position 4",
    "1/(N-N)": "division by zero at '(' at position 3",
    "(-8)^(1/3)": "negative number at '^' at position 5",
    "sqrt(-N)": "no real value",
    "dabs(N - D)/dN": "an absolute value",
    "pass@": "cannot read '@' at position 5",
    "1e999999": "too large to write down: '1e999999' at position 1",
    "9^9^9": "too large to write down at '^' at position 2",
    "6000^0.6999999": "too large to write down",
    "log(exp(exp(exp(3)))-3)": "a tower of exponentials",
    "__import__('os').system('true')": "cannot read '_' at position 1",
    "N" * (LONGEST_TEXT + 1): f"at most {LONGEST_TEXT} are read",
    "(" * 3000: f"deeper than {DEEPEST_NESTING} levels",
    "exp(" * 200 + "N" + ")" * 200: "nested deeper",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:30])
def test_refused_with_reason_and_place(text) -> None:
    start = time.process_time()
    with pytest.raises(ParseError) as caught:
        parse(text, TABLE | {"d": d} if text[0] != "d" else {"N": N, "D": D})
    assert time.process_time() - start < SECONDS
    assert REFUSED[text] in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("function", ["abs", "exp", "log", ""])
def test_what_is_deeply_nested_is_read_quickly(function) -> None:
    """SymPy alone takes minutes for some of these."""
    start, levels = time.process_time(), DEEPEST_NESTING - 1
    parse(f"{function}(" * levels + "N-D" + ")" * levels, TABLE)
    assert time.process_time() - start < SECONDS


def test_greek_signs_are_the_letters_that_unicode_names() -> None:
    for sign, name in GREEK_SIGNS.items():
        last = unicodedata.name(sign).removesuffix(" SYMBOL").rpartition(" ")[2]
        assert name.upper() == {"LAMDA": "LAMBDA", "L": "ELL"}.get(last, last)
        assert [token.text for token in tokenize(f"2{sign}_1'")][1] == f"{name}1_prime"
    assert set(GREEK_SIGNS.values()) - {"ell"} == GREEK


PIECES = [*"NDCEad0123456789.+-*/^()[] _=!@'", "**", "exp(", "log(", "abs(", "max(", "kappa", "1e99", "dN/dD", "β"]  # fmt: skip


@settings(max_examples=100)
@given(text=st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=40))
def test_any_text_is_read_or_refused(text) -> None:
    with suppress(ParseError):
        assert parse(text, TABLE).free_symbols <= set(TABLE.values())


values = st.integers(1, 40).map(str) | st.sampled_from(["N", "D", "a", "d", "0.25", "1e-3"])
expressions = st.recursive(
    values,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]}){t[1]}({t[2]})"),
        st.tuples(inner, st.sampled_from(["2", "-1", "a", "1/2"])).map(
            lambda t: f"({t[0]})^({t[1]})"
        ),
        st.tuples(st.sampled_from(["exp", "log", "sqrt", "abs"]), inner).map("{0[0]}({0[1]})".format),
        inner.map("-({})".format),
    ),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=50)
@given(text=expressions)
def test_what_is_read_is_what_is_written(text) -> None:
    """Against Python's own arithmetic on the same text, at one point."""
    try:
        expression = parse(text, TABLE)
    except ParseError:
        return
    point = {name: Rational(x) for name, x in (("N", "7/4"), ("D", "5/2"), ("a", "3/8"), ("d", "5/4"))}  # fmt: skip
    names = {"exp": sympy.exp, "log": sympy.log, "sqrt": sympy.sqrt, "abs": sympy.Abs} | point
    try:
        wanted = complex(sympy.N(eval(text.replace("^", "**"), {"__builtins__": {}}, names)))
        found = complex(sympy.N(expression.subs({TABLE[x]: value for x, value in point.items()})))
    except (ZeroDivisionError, TypeError, OverflowError, ValueError):
        return
    if abs(wanted) < 1e12:
        assert abs(found - wanted) <= 1e-9 * max(1.0, abs(wanted))
