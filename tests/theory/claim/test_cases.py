"""Claims about letters of either sign, against their values at exact points."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from mpmath import mp, mpf

from isoflop.theory.claim.chain import Settings
from isoflop.theory.claim.prove import prove, proved
from isoflop.theory.kernel.answer import Answer
from isoflop.theory.reader.tokens import ParseError

ANY, NEGATIVE, NONZERO, NOT_NEGATIVE = (
    frozenset(signs) for signs in ([-1, 0, 1], [-1], [-1, 1], [0, 1])
)
POINTS = [mpf(n) / 8 for n in (-40, -17, -8, -5, -1, 0, 1, 5, 8, 17, 40)]
#: A claim with the signs of its letters, and both sides as functions of these.
CLAIMS: dict[str, tuple[str, frozenset[int], Callable[..., Any]]] = {
    r"x^2 + y^2 \ge 2 x y": ("xy", ANY, lambda x, y: (x**2 + y**2, 2 * x * y)),
    r"x^3 + y^3 \ge 0": ("xy", ANY, lambda x, y: (x**3 + y**3, 0)),
    r"x y > 0": ("xy", NEGATIVE, lambda x, y: (x * y, 0)),
    r"x + y < 0": ("xy", NEGATIVE, lambda x, y: (x + y, 0)),
    r"x + y > x": ("xy", NEGATIVE, lambda x, y: (x + y, x)),
    r"x y \ne 0": ("xy", NONZERO, lambda x, y: (x * y, 0)),
    r"\sqrt{x^2} = x": ("x", ANY, lambda x: (mp.sqrt(x**2), x)),
    r"\sqrt{x^2} = -x": ("x", NEGATIVE, lambda x: (mp.sqrt(x**2), -x)),
    r"\sqrt{x^2} = x ": ("x", NOT_NEGATIVE, lambda x: (mp.sqrt(x**2), x)),
    r"|x + y| = |x| + |y|": ("xy", ANY, lambda x, y: (abs(x + y), abs(x) + abs(y))),
    r"|x y| = |x| |y|": ("xy", ANY, lambda x, y: (abs(x * y), abs(x) * abs(y))),
    r"e^x \ge 1 + x": ("x", ANY, lambda x: (mp.exp(x), 1 + x)),
    r"e^x > 1 + x": ("x", ANY, lambda x: (mp.exp(x), 1 + x)),
    r"e^x > 1 + x ": ("x", NONZERO, lambda x: (mp.exp(x), 1 + x)),
    r"e^{x+y} = e^x e^y": ("xy", ANY, lambda x, y: (mp.exp(x + y), mp.exp(x) * mp.exp(y))),
    r"(x - y)(x + y) = x^2 - y^2": ("xy", ANY, lambda x, y: ((x - y) * (x + y), x**2 - y**2)),
    r"x^2 \ge x": ("x", ANY, lambda x: (x**2, x)),
    r"x^2 \ge x ": ("x", NEGATIVE, lambda x: (x**2, x)),
    r"2^{-x} = 1/2^x": ("x", ANY, lambda x: (mpf(2) ** -x, 1 / mpf(2) ** x)),
    r"\cosh(x) \ge 1": ("x", ANY, lambda x: (mp.cosh(x), 1)),
    r"x^4 + y^4 \ge x^3 y": ("xy", ANY, lambda x, y: (x**4 + y**4, x**3 * y)),
}
#: True or false by one case alone, which is not looked for.
OPEN = (r"x y \ne 0", r"e^x > 1 + x ", r"x^4 + y^4 \ge x^3 y")
HOLDS: dict[str, Callable[..., Any]] = {
    r"\ge": lambda a, b: a >= b,
    r"\le": lambda a, b: a <= b,
    r"\ne": lambda a, b: a != b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "=": lambda a, b: mp.almosteq(a, b, 1e-20),
}


def allowed(signs, values):
    return all((value > 0) - (value < 0) in signs for value in values)


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_answer_agrees_with_the_values(claim):
    letters, signs, sides = CLAIMS[claim]
    holds = next(test for sign, test in HOLDS.items() if sign in claim)
    with mp.workdps(30):
        points = [p for p in product(POINTS, repeat=len(letters)) if allowed(signs, p)]
        truth = all(holds(*sides(*point)) for point in points)
    link = proved(claim, Settings(signs=dict.fromkeys(letters, signs))).links[0]
    decided = "undecided" if claim in OPEN else "proved" if truth else "refuted"
    assert link.decision.answer.value == decided
    found = link.decision.witness
    assert (found is not None) == (decided == "refuted")
    if found is not None:
        witness = {str(letter): mpf(value.p) / value.q for letter, value in found.point}
        point = [witness[letter] for letter in letters]
        assert allowed(signs, point)
        with mp.workdps(30):
            assert not holds(*sides(*point))
            assert [mp.nstr(mpf(v), 8) for v in sides(*point)] == [
                mp.nstr(mpf(text), 8) for text in (found.lhs, found.rhs)
            ]


def test_where_a_side_has_no_value_is_a_condition():
    proof = proved(r"\frac{1}{x} x = 1", Settings(signs={"x": ANY}))
    assert proof.answer.value == "proved"
    assert proof.links[0].conditions == ("x != 0",)
    proof = proved(r"x^\beta > 0", Settings(signs={"x": ANY}))
    assert proof.answer.value == "proved"
    assert proof.links[0].conditions == ("x > 0",)


def test_no_value_for_any_sign_is_no_proof():
    assert (
        proved(r"x^\beta = 2 x^\beta", Settings(signs={"x": NEGATIVE})).answer.value == "undecided"
    )


def test_a_limit_is_one_from_both_sides():
    claim = r"\frac{|x|}{x} \to 1"
    proof = proved(claim, Settings(signs={"x": NONZERO}), limit=r"x \to 0")
    assert proof.answer.value != "proved"
    assert proved(claim, Settings(), limit=r"x \to 0").answer.value == "proved"
    both = proved(r"\frac{e^x - 1}{x} \to 1", Settings(signs={"x": NONZERO}), limit=r"x \to 0")
    assert both.answer is Answer.PROVED


@pytest.mark.parametrize(
    ("claim", "assume", "answer", "shown"),
    [
        ("x^2 + y^2 >= 2*x*y", ["x, y real"], "proved", "free symbols: x real, y real"),
        ("x^3 + y^3 >= 0", ["x real", "y is real"], "refuted", "free symbols: x real, y real"),
        ("abs(x) == -x", ["x < 0"], "proved", "free symbols: x < 0"),
        ("abs(x) == -x", ["x <= 0"], "proved", "free symbols: x <= 0"),
        ("x*z < 0", ["x < 0"], "proved", "free positive symbols: z\n  free symbols: x < 0"),
        ("log(1 + x) <= x", ["x real", "x > -1"], "proved", "free symbols: x real"),
        ("x < 0 implies x^3 < 0", ["x real"], "proved", "free symbols: x real"),
        ("log(1 + x) <= x", ["x real", "-1 < x"], "proved", "free symbols: x real"),
    ],
)
def test_an_assumed_sign(claim, assume, answer, shown):
    proof = prove(claim, assume=assume)
    assert proof.answer.value == answer
    assert shown in str(proof)


#: Claims with what is assumed, or their limit, and the answers on their links.
ANSWERED = [
    # by two cases, and with an equality for a premise
    ("P(r) == 1 iff r == 1", {}, "proved proved"),
    ("w_D > w_N iff beta > gamma", {}, "proved proved"),
    ("P(r) == 1 iff r == 2", {}, "refuted refuted"),
    ("x^2 == x iff x == 1", {}, "proved proved"),  # x is positive
    ("x + x^2 == 2*x implies x == 2", {}, "refuted"),
    # a limit at a number is from both sides
    ("lim_{r -> 1} P(r) = 2", {}, "refuted"),
    ("P(r) ~ 1 + beta*gamma/2*(r-1)^2", {"limit": "r -> 1"}, "proved"),
    ("(r^2 - 4)/(r - 2) -> 4", {"limit": "r -> 2"}, "proved"),
    ("abs(r - 1)/(r - 1) -> 1", {"limit": "r -> 1"}, "refuted"),  # from below
    # several claims are judged one by one
    ("w_N == gamma/(beta+gamma), w_D == gamma/(beta+gamma)", {}, "proved refuted"),
    ("w_N == gamma/(beta+gamma) and w_D == beta/(beta+gamma)", {}, "proved proved"),
    (r"N^* = G (C/6)^{w_N}, \quad D^* = G^{-1} (C/6)^{w_D}", {}, "proved proved"),
    # the least compute is the inverse of the least loss
    (r"C^*(L) = (C_0/(L-E))^{1/\alpha}", {}, "proved"),
    ("C_opt(L_opt(C)) == C", {}, "proved"),
    ("C_opt(L_opt(C)) == 2*C", {}, "refuted"),
]


@pytest.mark.parametrize(("claim", "given", "answers"), ANSWERED)
def test_answers(claim, given, answers):
    proof = prove(claim, latex="\\" in claim, **given)
    assert " ".join(link.decision.answer.value for link in proof.links) == answers


@pytest.mark.slow
@pytest.mark.parametrize(("assume", "answer"), [(["r != 1"], "proved"), ([], "refuted")])
def test_the_penalty_is_even_for_equal_exponents_alone(assume, answer):
    assert prove("P(r) == P(1/r) iff beta == gamma", assume=assume).answer.value == answer


def test_what_may_be_a_condition_beside_an_equation_is_refused():
    with pytest.raises(ParseError, match="a claim or a condition"):
        prove("w_N == gamma/(beta+gamma), r > 1")


@pytest.mark.parametrize("claim", [r"\lambda = -\frac{dL^*}{dC}", "N_C^* = 3"])
def test_a_name_without_a_meaning_alone_on_a_side_is_unknown(claim):
    proof = prove(claim, latex=True)
    assert proof.answer.value == "undecided"
    assert "--let" in str(proof)


@pytest.mark.parametrize(
    ("claim", "answer", "letters"),
    [
        ("L = E + A/N^alpha + B/D^beta", "proved", "Hoffmann"),
        ("L = E + A/N^alpha - B/D^beta", "refuted", "Hoffmann"),
        ("a == beta/(alpha + beta)", "proved", "Hoffmann"),
        ("alpha == (beta + gamma)/2", "refuted", ""),
        ("alpha*A*N_opt^-alpha == beta*B*D_opt^-beta", "proved", "Hoffmann"),
        ("a + b == 1", "proved", "Hoffmann"),
        ("N_opt propto C^a", "proved", "Hoffmann"),
        ("N_opt propto C^b", "refuted", "Hoffmann"),
        ("a + b == 2", "refuted", "Hoffmann"),
        ("beta > alpha", "proved", ""),
        ("L = E + A/N^beta + B/D^gamma", "proved", ""),
    ],
)
def test_hoffmanns_letters_where_the_claim_is_in_them(claim, answer, letters):
    proof = prove(claim)
    assert proof.answer.value == answer
    assert ("Hoffmann" in proof.reading) == bool(letters)
    assert ("Hoffmann" in prove(claim, notation="schaeffer").reading) is False


def test_a_proof_says_how_it_was_read():
    assert prove("L(N, D) >= L_opt").reading == "L(N, D) >= L_opt(C)"
    assert prove(r"{N^\star}(C) = G", latex=True).reading == "N_opt(C) == G"


def test_a_letter_of_the_law_is_what_the_law_says():
    with pytest.raises(ParseError, match="beta is of the law"):
        prove("beta > 0", assume=["beta real"])
