"""Limits, right and wrong; the values at a witness are recomputed with mpmath."""

import pytest
from sympy import Abs, Integer, Symbol, cosh, exp, log, oo, sqrt, symbols, sympify
from tests.theory.values import FINE, fine

from isoflop.theory.envelope import derive
from isoflop.theory.kernel import limits
from isoflop.theory.kernel.answer import Answer
from isoflop.theory.kernel.functions import phi2
from isoflop.theory.kernel.limits import decide_limit
from isoflop.theory.penalty import misallocation

beta, gamma, r, x, y, C, E = symbols("beta gamma r x y C E", positive=True)
s = Symbol("s", real=True)
ENVELOPE = derive()
P = misallocation(ENVELOPE).penalty
W_N, W_D = ENVELOPE.shares


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch) -> None:
    """SymPy's limit has its time on a busy machine too."""
    monkeypatch.setattr(limits, "SECONDS", 200)


#: By leading terms.
PROVED = [
    ((1 + x) ** beta, "->", 1, x, "0"),
    (P.subs(r, exp(s)), "->", 1, s, "0"),
    (P, "~", W_N * r**-beta, r, "0"),
    (P, "~", W_D * r**gamma, r, "oo"),
    (P, "->", oo, r, "0"),
    (P, "->", oo, r, "oo"),
    (ENVELOPE.loss, "->", E, C, "oo"),
    (ENVELOPE.reducible, "->", 0, C, "oo"),
    (y + x, "->", y, x, "0"),
    ((x**beta - x**gamma) / (beta - gamma), "->", 0, x, "0"),
    (x * (y ** (1 / x) - 1), "->", log(y), x, "oo"),
    (phi2(beta * x), "->", sympify("1/2"), x, "0"),
    ((P.subs(r, exp(s)) - 1) / s**2, "->", beta * gamma / 2, s, "0"),
    (log(P.subs(r, 1 + x)), "~", beta * gamma * x**2 / 2, x, "0"),
    ((cosh(x) - 1) / x**2, "->", sympify("1/2"), x, "0"),
    ((1 - y / (1 + y)) ** x, "->", 0, x, "oo"),
    (
        x**y * (1 + (x / beta) ** (1 / gamma)) ** -E,
        "~",
        x ** (y - E / gamma) * beta ** (E / gamma),
        x,
        "oo",
    ),
    ((P.subs(r, 1 + x) - 1) / log(1 + x) ** 2, "->", beta * gamma / 2, x, "0"),
    ((exp(x) - 1 - x) / (cosh(x) - 1), "->", 1, x, "0"),
    (1 / x - 1 / (exp(x) - 1), "->", sympify("1/2"), x, "0"),
    (exp(-y / x) / x**beta, "->", 0, x, "0"),
    (x**y - x ** (y + beta) + exp(-1 / x), "~", x**y, x, "0"),
]
BY_SYMPY = [
    (10 / log(x), "->", 0, x, "oo"),
    (log(x), "->", oo, x, "oo"),
    (1 / (exp(-1 / x) - 2 * exp(-2 / x)), "->", oo, x, "0"),
    (exp(sqrt(log(x))) / x**beta, "->", 0, x, "oo"),
]
WRONG = [
    (P, "~", W_D * r**-beta, r, "0"),
    (P, "~", W_N * r**gamma, r, "oo"),
    (P, "->", 1, r, "0"),
    (1 / P, "->", oo, r, "0"),
    (ENVELOPE.loss, "->", 0, C, "oo"),
    (ENVELOPE.loss, "->", oo, C, "oo"),
    (x**2 + x, "~", 2 * x**2, x, "oo"),
    (x**2 + x, "->", x**2, x, "oo"),
    (x, "->", 1, y, "oo"),
    (log(x) / log(x + 1), "->", oo, x, "oo"),
    (exp(-x) * x**beta, "->", oo, x, "oo"),
    ((P.subs(r, exp(s)) - 1) / s, "->", beta, s, "0"),
    (P.subs(r, 1 + x) - 1, "~", beta * gamma * x**2 / 3, x, "0"),
    (x**beta - x ** (2 * beta), "~", x ** (2 * beta), x, "0"),
    (Abs(s) / s, "->", 1, s, "0"),
    (sqrt(x**2 + y * x) - x, "->", y, x, "oo"),
]


def decided(lhs, relation, rhs, variable, limit, **options):
    return decide_limit(
        sympify(lhs, strict=True), relation, sympify(rhs, strict=True), variable, limit, **options
    )


@pytest.mark.parametrize(
    ("answer", "case"),
    [(Answer.PROVED, case) for case in PROVED] + [(Answer.BY_SYMPY, case) for case in BY_SYMPY],
    ids=str,
)
def test_leading_terms_prove_a_limit_and_sympy_does_not(answer, case) -> None:
    assert decided(*case).answer is answer


def test_a_wrong_limit_of_sympy_is_stopped_by_points(monkeypatch) -> None:
    claim = (log(x) / (1 + log(x)), "->", 2, x, "oo")
    assert decided(*claim).refuted
    monkeypatch.setattr(limits, "limit_of_sympy", lambda *_: Integer(2))
    assert decided(*claim).answer is Answer.UNDECIDED
    monkeypatch.setattr(limits, "limit_of_sympy", lambda *_: Integer(3))
    assert decided(*claim[:2], 1, *claim[3:]).answer is Answer.UNDECIDED


@pytest.mark.parametrize("error", [NotImplementedError, TypeError, RecursionError])
def test_where_sympy_stumbles_a_limit_is_undecided(monkeypatch, error) -> None:
    def stumble(*_: object) -> None:
        raise error

    monkeypatch.setattr(limits, "limit_of_sympy", stumble)
    assert decided(log(x) / (1 + log(x)), "->", 1, x, "oo").answer is Answer.UNDECIDED


@pytest.mark.parametrize("claim", [x ** (beta - gamma), x**beta / (x**gamma + 1)], ids=str)
def test_a_limit_that_hangs_on_how_letters_compare_is_undecided(claim) -> None:
    decision = decided(claim, "->", oo, x, "oo")
    assert decision.answer is Answer.UNDECIDED
    assert "as in beta > gamma" in decision.reason
    assert decided(claim, "->", oo, x, "oo", assume=(beta - gamma,)).holds
    assert decided(claim, "->", oo, x, "oo", assume=(gamma - beta,)).refuted


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_wrong_limits_are_refuted_with_a_witness(case) -> None:
    lhs, relation, rhs, variable, limit = case
    decision = decided(*case)
    assert decision.refuted, decision
    witness = decision.witness
    assert witness is not None
    point = dict(witness.point)
    distance = fine(variable, point)
    assert (distance < 1e-40) if limit == "0" else (distance > 1e40)
    left = fine(lhs, point)
    assert abs(left - FINE.mpf(witness.lhs)) <= 1e-8 * abs(left)
    if rhs is oo:
        assert witness.rhs == "oo"
        return
    right = fine(rhs, point)
    assert abs(right - FINE.mpf(witness.rhs)) <= 1e-8 * abs(right)
    assert abs(left / right - 1 if relation == "~" else left - right) > 1e-3


#: What is assumed of the variable fails before the limit is reached, whatever the other symbols
#: are.
NEVER_IN_THE_LIMIT = [
    (P, "~", W_N * r**-beta, r, "0", (r - 5,)),
    (P, "~", W_N * r**-beta, r, "0", (r - x,)),
    (P, "~", W_D * r**gamma, r, "oo", (3 - r,)),
    (P, "~", W_D * r**gamma, r, "oo", (1 - r * x, r - 1)),
    (ENVELOPE.loss, "->", oo, C, "0", (C - 6,)),
    (x, "->", 0, x, "0", (x**beta - 2 * x**-gamma,)),
]


@pytest.mark.parametrize("case", NEVER_IN_THE_LIMIT, ids=str)
def test_an_assumption_that_ends_before_the_limit_proves_nothing(case) -> None:
    *claim, assume = case
    for options in ({"assume": assume}, {"assume_nonnegative": assume}):
        decision = decided(*claim, **options)
        assert decision.answer.value == "undecided"
        assert "does not hold all the way" in decision.reason
    assert decided(*claim).proved


@pytest.mark.parametrize(
    "assume",
    [(1 - r,), (x - r,), (1 - r * x,), (r**-beta - 2 * r**gamma,), (y - x,), (-log(r),)],
    ids=str,
)
def test_an_assumption_that_holds_all_the_way_does_no_harm(assume) -> None:
    assert decided(P, "~", W_N * r**-beta, r, "0", assume=assume).proved
    assert decided(P, "~", W_D * r**-beta, r, "0", assume=assume).refuted
