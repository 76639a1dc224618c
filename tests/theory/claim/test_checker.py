"""The check of what is proved: the definitions against numbers known from elsewhere, and proofs that
are false on purpose, none of which may pass.
"""

import ast
import inspect
from itertools import islice

import pytest
from tests.theory.claiming import random_claims

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL, SIX_ND, Budget
from isoflop.theory.claim import checker, question
from isoflop.theory.claim.checker import LawByDefinition
from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel.answer import Answer, Decision
from isoflop.theory.reader.tokens import ParseError

FALSE, MOST_MISSED = 150, 4
LETTERS = {x.name: x for x in (sym.A, sym.B, sym.E, sym.BETA, sym.GAMMA, sym.C, sym.SIZE_RATIO)}
# Besiroglu et al. (2024), as published.
BESIROGLU = {"A": "482.01", "B": "2085.43", "E": "1.8172", "beta": "0.3478", "gamma": "0.3658"}
COMPUTE = "5.76e23"


def test_it_shares_no_evaluation_with_the_proofs() -> None:
    tree = ast.parse(inspect.getsource(checker))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    assert {node.module for node in imports} == {"budget", "kernel.functions", "reader.building"}


def law_at(budget=SIX_ND):
    """The law of Besiroglu et al. and a point of it."""
    law = LawByDefinition(LETTERS, {}, budget)
    values = BESIROGLU | {"C": COMPUTE, "r": "0.5"}
    return law, {LETTERS[name]: law.mp.mpf(value) for name, value in values.items()}


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [("alpha", (), "0.178286"), ("C0", (), "2708.498"), ("P", ("0.5",), "1.030591")],
)
def test_definitions_give_known_numbers(name, given, value) -> None:
    law, point = law_at()
    found = law.quantity(name, [law.mp.mpf(x) for x in given], point)
    assert abs(found / law.mp.mpf(value) - 1) < 3e-6


@pytest.mark.parametrize("powers", [(1, 1), (2, 1), (1, 3)])
def test_the_optimum_is_the_least_loss_on_the_budget(powers) -> None:
    a, d = powers
    law, point = law_at(Budget.parse(f"6*N^{a}*D^{d}"))
    compute = point[LETTERS["C"]]
    size, tokens, best = (law.quantity(x, (compute,), point) for x in ("N_opt", "D_opt", "L_opt"))
    tiny = law.mp.mpf(10) ** -100
    assert abs(6 * size**a * tokens**d / compute - 1) < tiny
    A, B, E, beta, gamma = (law.mp.mpf(value) for value in BESIROGLU.values())
    losses = [
        E + A * n**-beta + B * (compute / (6 * n**a)) ** (-gamma / d)
        for n in (size, size * law.mp.mpf("1.0001"), size / law.mp.mpf("1.0001"))
    ]
    assert abs(losses[0] - best) < tiny
    assert losses[0] < min(losses[1:])


# -- what is proved and true -------------------------------------------------------------------------

TRUE = [
    ("alpha == beta*gamma/(beta + gamma)", {}),
    ("R_opt == C0*C^-alpha", {}),
    ("N_opt(2*C) == 2^w_N*N_opt(C)", {}),
    ("P(r) >= 1", {}),
    ("L(N, D) >= L_opt", {}),
    ("C == 6*N*D", {}),
    ("dL/dC == -alpha*C0*C^(-alpha - 1)", {}),
    ("N_opt propto C^w_N", {}),
    ("rho == r^-2", {}),
    ("P(r) ~ w_N*r^-beta", {"limit": "r -> 0"}),
    ("w_N <= w_D", {"assume": ["beta >= gamma"]}),
    ("alpha_C == alpha*beta/(alpha + beta)", {"notation": "hoffmann"}),
    ("kappa*N_opt^a*D_opt^d == C", {"budget": GENERAL}),
    ("x^2 >= 0", {"assume": ["x real"]}),
    ("(P(r) - 1)/(r - 1)^2 -> beta*gamma/2", {"limit": "r -> 1"}),
    ("X == C", {"let": ["X == 6*N_opt*D_opt"]}),
    ("C_opt(L_opt(C)) == C", {}),
    ("dL/dN(N_opt, D_opt) == -beta*w_N*R_opt/N_opt", {}),
    ("D/N == (B/A)^(1/beta)", {"assume": ["N == N_opt", "D == D_opt", "gamma == beta"]}),
]


@pytest.mark.parametrize(("text", "options"), TRUE)
def test_what_is_true_is_checked_and_still_holds(text, options) -> None:
    proof = prove(text, **options)
    assert all(link.decision.holds for link in proof.links)
    assert all(link.as_dict()["check"].startswith("checked at") for link in proof.links)


def test_what_cannot_be_checked_is_proved_and_says_so() -> None:
    proof = prove("x*exp(exp(x + 1000)) > 0")
    assert proof.answer is Answer.PROVED
    assert proof.links[0].as_dict()["check"].startswith("not checked: ")


# -- proofs that are false on purpose ----------------------------------------------------------------


@pytest.fixture
def gullible(monkeypatch):
    """Whatever is asked is proved, and nothing is refuted at a simple point before."""
    monkeypatch.setattr(question.Question, "_at_a_simple_point", lambda _: None)
    for name in ("decide", "decide_bound", "decide_limit"):
        monkeypatch.setattr(
            question, name, lambda *_, **__: Decision(Answer.PROVED, "because it is said")
        )


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("alpha == beta*gamma/(beta + 2*gamma)", {}),
        ("R_opt == C0*C^alpha", {}),
        ("G == N_opt", {}),
        ("N_opt == G*C^w_N", {}),
        ("P(r) == w_D*r^-beta + w_N*r^gamma", {}),
        ("P(r) < 1 + s^2", {}),
        ("P(r) > 1", {"assume": ["r >= 1"]}),
        ("w_N < w_D", {"assume": ["beta >= gamma"]}),
        ("rho == r^2", {}),
        ("N_opt propto C^w_D", {}),
        ("dL/dC == -alpha*C0*C^-alpha", {}),
        ("P(r) ~ w_D*r^-beta", {"limit": "r -> 0"}),
        ("L_opt -> 0", {"limit": "C -> oo"}),
        ("N_opt/D_opt -> oo", {"limit": "C -> oo", "assume": ["gamma >= beta"]}),
        ("x == y", {"assume": ["x > y"]}),
        ("x >= 0", {"assume": ["x real"]}),
        ("E > 0", {}),
        ("(P(r) - 1)/(r - 1)^2 -> beta*gamma", {"limit": "r -> 1"}),
        ("abs(r - 1)/(r - 1) -> 1", {"limit": "r -> 1"}),
        ("a == alpha/(alpha + beta)", {"notation": "hoffmann"}),
        ("kappa*N_opt^d*D_opt^a == C", {"budget": GENERAL}),
    ],
)
@pytest.mark.usefixtures("gullible")
def test_a_false_proof_is_undecided_and_names_the_point(text, options) -> None:
    proof = prove(text, **options)
    assert proof.answer is Answer.UNDECIDED
    assert "the independent check disagrees, please report: at " in str(proof)


@pytest.mark.slow
@pytest.mark.usefixtures("gullible")
def test_random_false_claims_do_not_pass() -> None:
    """All but bounds that fail in a corner or on an edge alone, which random points may miss."""
    false = (claim for claim in random_claims(5) if claim.truth is False)
    missed, tried = [], 0
    for claim in islice(false, FALSE + FALSE // 10):
        try:
            proof = prove(claim.text, **claim.options)
        except ParseError:
            continue
        tried += 1
        if proof.answer is Answer.PROVED:
            missed.append(claim)
    assert tried >= FALSE
    assert {claim.kind for claim in missed} <= {"bound", "weak assumption"}
    assert len(missed) <= MOST_MISSED
