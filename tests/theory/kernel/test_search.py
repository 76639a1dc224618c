"""The search for proofs of bounds: what the textbooks prove it proves; nothing that fails somewhere,
however far away or by however little.
"""

from random import Random

import pytest
from sympy import Abs, Expr, Integer, Rational, Symbol, exp, log, symbols
from tests.theory import random_bounds
from tests.theory.rewriting import subexpressions, to_sympy

from isoflop.theory.kernel import search
from isoflop.theory.kernel.search import why_positive

x, y, z, b, g = symbols("x y z beta gamma", positive=True)
s = Symbol("s", real=True)
TINY, HUGE = Rational(1, 10**40), Integer(10) ** 9
SHARE = b / (b + g)
PLAIN = ("monotone bound", "convexity bound", "logarithm bound", "square bound")

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


def drawn(count: int, seed: int) -> list[tuple[str, Expr, tuple[Expr, ...]]]:
    """Differences that are not negative where the assumed ones are positive, without quantities of
    the law.
    """
    random = Random(seed)
    found: list[tuple[str, Expr, tuple[Expr, ...]]] = []
    while len(found) < count:
        family = random.choice(PLAIN)
        left, relation, right, where = random_bounds.drawn(random, family)
        nodes = (left, right, *(side for a, _, c in where for side in (a, c)))
        kinds = {part[0] for node in nodes for _, part in subexpressions(node)}
        if not kinds <= {"sym", "rat", "add", "mul", "pow", "exp", "log", "abs"}:
            continue

        def signed(a: Expr, way: str, c: Expr) -> Expr:
            above, below = (to_sympy(side, evaluated=True) for side in (a, c))
            return above - below if way[0] == ">" else below - above

        found.append(
            (family, signed(left, relation, right), tuple(signed(*bound) for bound in where))
        )
    return found


def test_random_bounds_of_the_textbooks_are_proved() -> None:
    drafts = drawn(8, 5)
    assert [e for _, e, assume in drafts if not why_positive(e, assume, strict=False)] == []


def test_no_small_mistake_is_proved() -> None:
    """By so little, where the sides come as close as one likes; under assumptions that exclude a
    little less; and turned round.
    """
    for family, e, assume in drawn(2, 6):
        mistakes = [(-e, assume, True)]
        if family in ("convexity bound", "logarithm bound"):
            mistakes.append((e - TINY, assume, False))
        if family != "square bound":
            mistakes += [
                (e, (*assume[:i], assume[i] + TINY, *assume[i + 1 :]), False)
                for i in range(len(assume))
            ]
        for mistake in mistakes:
            assert why_positive(mistake[0], mistake[1], strict=mistake[2]) == "", mistake


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
