"""What a user types is read exactly, never evaluated, and refused with the place of the mistake."""

import time
from contextlib import suppress
from decimal import Decimal

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Expr, Integer, Rational, Symbol, exp, log, sqrt

from isoflop.theory.reader.parse import parse
from isoflop.theory.reader.tokens import DEEPEST_NESTING, LONGEST_TEXT, ParseError, tokenize

NAMES = ("N", "D", "C", "E", "A", "B", "beta", "gamma", "kappa", "a", "d", "N_max", "x1")
TABLE = {name: Symbol(name, positive=True) for name in NAMES}
N, D, C, E, A, B, beta, gamma, kappa, a, d, N_max, x1 = TABLE.values()
SECONDS = 1.0  # of the processor: a guard against hanging, for every text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("6*N*D", 6 * N * D),
        ("6ND", 6 * N * D),
        ("6 N D", 6 * N * D),
        ("6N^1 D**2", 6 * N * D**2),
        ("kappa*N**a*D**d", kappa * N**a * D**d),
        ("kappa N^a D^d", kappa * N**a * D**d),
        ("ND^d", N * D**d),
        ("N^-beta", N**-beta),
        ("N^2^3", N**8),
        ("(N^2)^a", N ** (2 * a)),
        ("-N^2", -(N**2)),
        ("2^-1", Rational(1, 2)),
        ("N^--2", N**2),
        ("+N", N),
        ("N - -D", N + D),
        ("N/D/C", N / (D * C)),
        ("N/2*D", N * D / 2),
        ("N/(2D)", N / (2 * D)),
        ("(N+D)(N-D)", (N + D) * (N - D)),
        ("2(N+D)", 2 * N + 2 * D),
        ("[N+D]*(2)", 2 * N + 2 * D),
        ("A N^-beta + B D^-gamma + E", A * N**-beta + B * D**-gamma + E),
        ("E", E),
        ("2E", 2 * E),
        ("N_max", N_max),
        ("x1*N", x1 * N),
        ("exp(-A)", exp(-A)),
        ("exp(log(N))", N),
        ("log(N)^2", log(N) ** 2),
        ("ln(N)", log(N)),
        ("sqrt(N)", sqrt(N)),
        ("sqrt(9/4)", Rational(3, 2)),
        ("abs(-3)", Integer(3)),
        ("abs(N)", N),
        ("exp(0)", Integer(1)),
        ("\t6\nND ", 6 * N * D),
        ("N\N{NO-BREAK SPACE}D", N * D),
    ],
)
def test_reads(text: str, expected: Expr) -> None:
    assert parse(text, TABLE) == expected


@pytest.mark.parametrize(
    "text",
    [
        "0.1",
        "1e-3",
        "6",
        "1.7",
        ".5",
        "5.",
        "482.01",
        "1_000",
        "2.5E10",
        "1e100",
        "0.30000000000000004",
    ],
)
def test_numbers_are_exact_decimals(text: str) -> None:
    value = parse(text, TABLE)
    assert isinstance(value, Rational)
    assert value == Rational(*Decimal(text).as_integer_ratio())


def test_names_of_the_table_win_over_sympy() -> None:
    """E, N, S, C, I, beta and gamma mean other things to SymPy."""
    table = {
        name: Symbol(name, positive=True)
        for name in ("E", "N", "S", "C", "I", "O", "Q", "beta", "gamma", "zeta")
    }
    for name, symbol in table.items():
        assert parse(name, table) == symbol


def test_sums_under_functions_are_left_as_they_are_written() -> None:
    """Their sign would have to be decided; as they stand they mean the same."""
    assert parse("sqrt((N-D)^2)", TABLE).doit() == Abs(N - D)
    assert parse("abs(N-D)", TABLE).doit() == Abs(N - D)
    assert parse("(N^-1 + D)^beta", TABLE) == (1 / N + D) ** beta
    assert parse("log(N*D + C)", TABLE) == log(N * D + C)


REFUSED = {
    "": "an expression is expected",
    "   ": "an expression is expected",
    "N**": "ends where a value is expected",
    "N +": "ends where a value is expected",
    "*N": "unexpected '*' at position 1",
    "N)": "unexpected ')' at position 2",
    "(N": "'(' at position 1 is never closed",
    "(N]": "'(' at position 1 is never closed",
    "()": "unexpected ')' at position 2",
    "exp": "in parentheses is expected after 'exp' at position 1",
    "exp N": "in parentheses is expected after 'exp' at position 1",
    "exp()": "unexpected ')' at position 5",
    "N # D": "cannot read '#' at position 3",
    "N = D": "'=' at position 3",
    "N, D": "',' at position 2",
    "N & D": "cannot read '&' at position 3",
    "N²": "cannot read '²' at position 2",
    "٣N": "cannot read '٣' at position 1",
    "\N{GREEK CAPITAL LETTER NU}D": "at position 1",
    "N\x00": "at position 2",
    "foo": "unknown name 'foo' at position 1; known: ",
    "N*Nmax": "unknown name 'Nmax' at position 3",
    "NxD": "unknown name 'NxD' at position 1",
    "2 3": "an operator is expected before '3' at position 3",
    "1.2.3": "an operator is expected before '.3' at position 4",
    "N 2": "an operator is expected before '2' at position 3",
    "1e2e3": "unknown name 'e3' at position 4",
    "1/0": "division by zero at '0' at position 3",
    "1/(N-N)": "division by zero at '(' at position 3",
    "0**-1": "power of zero at '**' at position 2",
    "0^0": "power of zero at '^' at position 2",
    "0^N": "power of zero at '^' at position 2",
    "log(0)": "not positive at 'log' at position 1",
    "ln(-2)": "not positive at 'ln' at position 1",
    "sqrt(-1)": "negative number at 'sqrt' at position 1",
    "(-8)^(1/3)": "negative number at '^' at position 5",
    "(-2)^N": "negative number at '^' at position 5",
    "sqrt(-N)": "no real value",
    "(-N)^(1/2)": "no real value",
    "1e999999": "too large to write down: '1e999999' at position 1",
    "1e-999999": "too large to write down",
    "9^9^9": "too large to write down at '^' at position 2",
    "2^(10^10)": "too large to write down at '^' at position 2",
    "(1/2)^(10^10)": "too large to write down",
    "N^(10^10)": "too large to write down",
    "(2N)^1e12": "too large to write down",
    "(2sqrt(3))^1000000": "too large to write down",
    "2^N*2^(1e9-N)": "too large to write down",
    "exp(1e9*log(2))": "too large to write down at 'exp' at position 1",
    "6000^0.6999999": "too large to write down",
    "exp(exp(exp(exp(2.9))))": "a tower of exponentials at 'exp'",
    "log(exp(exp(exp(3)))-3)": "a tower of exponentials",
    "exp(N)*exp(exp(exp(3))-N)": "a tower of exponentials",
    "exp(1)^exp(exp(9))": "a tower of exponentials",
    "__import__('os').system('true')": "cannot read '_' at position 1",
    "().__class__": "cannot read '.' at position 3",
    "N.__class__": "cannot read '.' at position 2",
    "lambda: N": "cannot read ':' at position 7",
    "lambda N": "unknown name 'lambda' at position 1",
    "N if D else C": "unknown name 'if'",
    "[N for N in D]": "unknown name 'for'",
    "Symbol('N')": "at position 8",
    "Symbol(N)": "unknown name 'Symbol' at position 1",
    "eval(N)": "unknown name 'eval'",
    "N;D": "cannot read ';'",
    "N" * (LONGEST_TEXT + 1): f"at most {LONGEST_TEXT} are read",
    "N" * 10**5: "expression of 100000 characters",
    "(" * 3000: f"deeper than {DEEPEST_NESTING} levels",
    "(" * (DEEPEST_NESTING + 1) + "N" + ")" * (DEEPEST_NESTING + 1): "nested deeper",
    "exp(" * 200 + "N" + ")" * 200: "nested deeper",
    "N^" * 500 + "N": "nested deeper",
    "-" * 3999: "ends where a value is expected",
    "^": "unexpected '^' at position 1",
}


@pytest.mark.parametrize(
    "text", REFUSED, ids=lambda text: text if len(text) < 40 else f"{text[:12]}... {len(text)}"
)
def test_refused_with_reason_and_place(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ParseError) as caught:
        parse(text, TABLE)
    assert time.process_time() - start < SECONDS
    assert REFUSED[text] in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


ACCEPTED_AND_HARD = (
    "+".join(f"N^{i}" for i in range(1, 500)),
    "N" * LONGEST_TEXT,
    "-" * 3000 + "N",
    "(" * DEEPEST_NESTING + "N" + ")" * DEEPEST_NESTING,
    "abs(" * (DEEPEST_NESTING - 1) + "N-D" + ")" * (DEEPEST_NESTING - 1),
    "exp(" * (DEEPEST_NESTING - 1) + "N" + ")" * (DEEPEST_NESTING - 1),
    "log(" * (DEEPEST_NESTING - 1) + "N" + ")" * (DEEPEST_NESTING - 1),
    "N^" * (DEEPEST_NESTING - 1) + "N",
    "abs(N^999 + N)",
    "log(9^50 N^500 - 10^90 + D)",
    "(N+D+C+A+B)^60",
    "sqrt((10^100-1) D - N)",
    "9" * 3000,
    "1e100 * 1e-100",
)


@pytest.mark.parametrize("text", ACCEPTED_AND_HARD, ids=lambda text: f"{text[:12]}... {len(text)}")
def test_hard_to_read_and_quick(text: str) -> None:
    """SymPy alone takes minutes for some of these."""
    start = time.process_time()
    parse(text, TABLE)
    assert time.process_time() - start < SECONDS


def test_depth_of_the_caller_is_no_matter() -> None:
    """The deepest text that is read leaves room on the stack."""
    text = "(" * DEEPEST_NESTING + "exp(N^-b1)".replace("b1", "a") + ")" * DEEPEST_NESTING

    def nested(levels: int) -> Expr:
        return nested(levels - 1) if levels else parse(text[1:-1], TABLE)

    assert nested(300) == exp(N**-a)


def test_known_names_are_listed() -> None:
    with pytest.raises(ParseError, match=r"known: D, N$"):
        parse("Q", {"N": N, "D": D})


def test_tokens_have_positions() -> None:
    assert [(token.kind, token.text, token.position) for token in tokenize("2N**-x_1")] == [
        ("number", "2", 0),
        ("name", "N", 1),
        ("power", "**", 2),
        ("operator", "-", 4),
        ("name", "x_1", 5),
    ]


ALPHABET = [
    *"NDCEad0123456789.+-*/^()[] _=",
    "**",
    "exp(",
    "log(",
    "sqrt(",
    "abs(",
    "kappa",
    "1e9",
    "1e99",
    "0.5",
    "-1",
]


@settings(max_examples=300)
@given(text=st.lists(st.sampled_from(ALPHABET), max_size=25).map("".join))
def test_any_text_over_the_alphabet_is_read_or_refused(text: str) -> None:
    with suppress(ParseError):
        expression = parse(text, TABLE)
        assert isinstance(expression, Expr)
        assert expression.free_symbols <= set(TABLE.values())


@settings(max_examples=200)
@given(text=st.text(max_size=40))
def test_any_unicode_text_is_read_or_refused(text: str) -> None:
    with suppress(ParseError):
        assert isinstance(parse(text, TABLE), Expr)


values = st.integers(1, 40).map(str) | st.sampled_from(["N", "D", "a", "d", "0.25", "1e-3"])
expressions = st.recursive(
    values,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]}){t[1]}({t[2]})"),
        st.tuples(inner, st.sampled_from(["2", "-1", "a", "1/2"])).map(
            lambda t: f"({t[0]})^({t[1]})"
        ),
        st.tuples(st.sampled_from(["exp", "log", "sqrt", "abs"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
        inner.map(lambda t: f"-({t})"),
    ),
    max_leaves=6,
)


@settings(max_examples=150)
@given(text=expressions)
def test_what_is_read_is_what_is_written(text: str) -> None:
    """Against Python's own arithmetic on the same text, at one point."""
    try:
        expression = parse(text, TABLE)
    except ParseError:
        return
    point = {"N": 1.75, "D": 2.5, "a": 0.375, "d": 1.25}
    functions = {"exp": sympy.exp, "log": sympy.log, "sqrt": sympy.sqrt, "abs": sympy.Abs}
    names = {name: sympy.Rational(value) for name, value in point.items()}
    try:
        wanted = complex(
            sympy.N(eval(text.replace("^", "**"), {"__builtins__": {}}, functions | names))
        )
        found = complex(
            sympy.N(expression.subs({TABLE[name]: value for name, value in names.items()}))
        )
    except (ZeroDivisionError, TypeError, OverflowError, ValueError):
        return
    if abs(wanted) < 1e12:
        assert abs(found - wanted) <= 1e-9 * max(1.0, abs(wanted))
