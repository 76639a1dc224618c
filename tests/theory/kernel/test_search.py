"""The search for proofs of bounds: nothing that fails somewhere is proved, however far away or by
however little.
"""

import pytest
from sympy import Abs, Integer, Rational, Symbol, exp, log, symbols

from isoflop.theory.kernel import search
from isoflop.theory.kernel.search import why_positive

x, y, z, b, g = symbols("x y z beta gamma", positive=True)
s = Symbol("s", real=True)
TINY, HUGE = Rational(1, 10**40), Integer(10) ** 9
SHARE = b / (b + g)

#: Each fails somewhere: the expression, what is assumed, and whether it is claimed to be strict.
FALSE = {
    "zero at 1": ((x - 1) ** 2, (), True),
    "zero where the letters agree": (x * log(x) - y * log(y) - (1 + log(y)) * (x - y), (), True),
    "a pole on the way": (1 / (2 - x) - Rational(1, 2), (), True),
    "a pole on the way, in a power": ((x - 2) ** -3 + Rational(1, 8), (), True),
    "far beyond": (HUGE - x, (), False),
    "far beyond a bound": (HUGE - x, (x - 1,), False),
    "far beyond, by a factor": (x * (HUGE - x), (), False),
    "far beyond, a power": (HUGE - x**b, (), False),
    "far beyond, a divisor": (1 / (HUGE - x), (), False),
    "far beyond, two letters": (HUGE + x - y, (), False),
    "far beyond, absolute": (HUGE - Abs(x - y), (), False),
    "far below zero": (HUGE + s, (), False),
    "close to zero": (x - 1 / HUGE, (), False),
    "close to zero, a logarithm": (log(x) + HUGE, (), False),
    "close to zero, a power": (x**b - 1 / HUGE, (), False),
    "close to zero, exp": (exp(-x) - 1 / HUGE, (), False),
    "a mean, by little": ((x + y) / 2 - (x * y) ** Rational(1, 2) * (1 + TINY), (), False),
    "a mean of the wrong weights": (
        x * SHARE + y * (1 - SHARE) - x ** (SHARE - TINY) * y ** (1 - SHARE + TINY),
        (),
        False,
    ),
    "squares, by little": ((1 - TINY) * (x**2 + y**2 + z**2) - x * y - y * z - z * x, (), False),
    "the exponent may be small": (x ** (b - 1) - 1, (x - 1, b - 1 + TINY), False),
    "the base may be small": (x**b - 1, (x - 1 + TINY,), False),
    "a triangle the wrong way": (Abs(x - y) - Abs(x - z) - Abs(y - z), (), False),
    "absolute, zero": (Abs(x - y), (), True),
    "an assumption of another letter": (x - 1 / HUGE, (y - 1,), False),
    "bounded on the other side": (x - 1 / HUGE, (1 - x,), False),
    "between two bounds": ((x - 1) * (2 - x) - TINY, (x - 1, 2 - x), False),
    "at the far end of two bounds": (2 - x - TINY, (x - 1, 2 - x), False),
    "a longer series": (exp(x) - 1 - x - x**2 / 2 - x**3 / 6 - TINY, (), False),
    "a value that is only approached": (exp(x) - 1 - TINY, (), False),
    "logarithms whose product falls below 1": (2 * log(x) - log(y) + TINY, (x - 1, y - 1), False),
    "logarithms that meet 1": (log(x) + log(y), (1 - x, y - 1), False),
}


#: The search takes seconds until it gives up.
LONG = {"a mean, by little", "squares, by little"}


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.slow) if x in LONG else x for x in FALSE]
)
def test_what_fails_somewhere_is_not_proved(name: str) -> None:
    e, assume, strict = FALSE[name]
    assert why_positive(e, assume, strict=strict) == ""


@pytest.mark.parametrize("error", [TypeError, NotImplementedError, RecursionError, KeyError])
def test_a_rule_over_which_sympy_stumbles_proves_nothing(monkeypatch, error) -> None:
    def stumble(*claim: object) -> str:
        raise error

    e = x - 1 - log(x)
    assert why_positive(e, (), strict=False)
    monkeypatch.setattr(search, "along", stumble)
    assert why_positive(e, (), strict=False) == ""


def test_the_reason_names_the_argument_and_the_interval() -> None:
    reason = why_positive(x - 1 - log(x), (), strict=False)
    assert "x = 1" in reason
    assert "AM-GM" in why_positive(g * x**-b + b * x**g - b - g, (), strict=False)
