"""The check of what is proved: the definitions against numbers known from elsewhere, and proofs that
are false on purpose, none of which may pass.
"""

import ast
import inspect
from itertools import islice

import mpmath
import pytest
from tests.theory.claiming import random_claims

from isoflop.theory.budget import GENERAL, SIX_ND, Budget
from isoflop.theory.claim import checker, definitions, question
from isoflop.theory.claim.definitions import LawByDefinition
from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.kernel.answer import Answer, Decision
from isoflop.theory.reader.tokens import ParseError

FALSE, MOST_MISSED = 300, 3
LETTERS = {x.name: x for x in (sym.A, sym.B, sym.E, sym.BETA, sym.GAMMA, sym.C, sym.SIZE_RATIO)}
# Besiroglu et al. (2024), as published.
BESIROGLU = {"A": "482.01", "B": "2085.43", "E": "1.8172", "beta": "0.3478", "gamma": "0.3658"}
COMPUTE = "5.76e23"


def test_it_shares_no_evaluation_with_the_proofs() -> None:
    allowed = {"building", "functions", "budget", "definitions"}
    for module in (checker, definitions):
        tree = ast.parse(inspect.getsource(module))
        imports = [
            node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level
        ]
        assert {str(node.module).rpartition(".")[2] for node in imports} <= allowed


def law_at(budget=SIX_ND, **more):
    """The law of Besiroglu et al. and a point of it."""
    law = LawByDefinition(LETTERS, budget, 60)
    values = BESIROGLU | {"C": COMPUTE, "r": "0.5"} | more
    return law, {LETTERS[name]: law.mp.mpf(value) for name, value in values.items()}


@pytest.mark.parametrize(
    ("meaning", "value"),
    [("alpha", "0.178286"), ("C0", "2708.498"), ("P", "1.030591")],
)
def test_definitions_give_known_numbers(meaning, value) -> None:
    law, point = law_at()
    assert abs(law.quantity(meaning, point) / law.mp.mpf(value) - 1) < 3e-6


@pytest.mark.parametrize("powers", [(1, 1), (2, 1), (1, 3)])
def test_the_optimum_is_the_least_loss_on_the_budget(powers) -> None:
    a, d = powers
    budget = Budget.parse(f"6*N^{a}*D^{d}")
    law, point = law_at(budget)
    best = law.quantity("L_opt", point)
    size, tokens = (law.quantity(name, point) for name in ("N_opt", "D_opt"))
    assert abs(6 * size**a * tokens**d / law.mp.mpf(COMPUTE) - 1) < law.mp.mpf(10) ** -50
    mp = mpmath.mp.clone()
    mp.dps = 60
    A, B, E, beta, gamma = (mp.mpf(value) for value in BESIROGLU.values())
    losses = [
        E + A * n**-beta + B * (mp.mpf(COMPUTE) / (6 * n**a)) ** (-gamma / d)
        for n in (size, size * mp.mpf("1.0001"), size / mp.mpf("1.0001"))
    ]
    assert abs(losses[0] - best) < mp.mpf(10) ** -50
    assert losses[0] < min(losses[1:])


def test_what_a_run_has_is_found_from_what_it_means() -> None:
    law, point = law_at()
    more = law.quantity("k_D of the run", point)
    size, tokens = (law.quantity(name, point) for name in ("N_opt", "D_opt"))
    loss = law.reducible(law.constants(point), size / 2, more * tokens)
    assert abs(loss / law.quantity("R_opt", point) - 1) < law.mp.mpf(10) ** -50
    effective = law.quantity("C_eff of the run", point)
    penalty = law.quantity("P", point)
    least = law.quantity("R_opt", {**point, LETTERS["C"]: effective})
    assert abs(least / (penalty * law.quantity("R_opt", point)) - 1) < law.mp.mpf(10) ** -40


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
    ("C_eff == C*P(r)^(-1/alpha)", {}),
    ("rho == r^-2", {}),
    ("N_crit == N_opt*w_N^(1/beta)", {}),
    ("P(r) ~ w_N*r^-beta", {"limit": "r -> 0"}),
    ("w_N <= w_D", {"assume": ["beta >= gamma"]}),
    ("alpha_C == alpha*beta/(alpha + beta)", {"notation": "hoffmann"}),
    ("kappa*N_opt^a*D_opt^d == C", {"budget": GENERAL}),
    ("x^2 >= 0", {"assume": ["x real"]}),
    ("(P(r) - 1)/(r - 1)^2 -> beta*gamma/2", {"limit": "r -> 1"}),
    ("X == C", {"let": ["X == 6*N_opt*D_opt"]}),
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
    """Whatever is asked is proved."""
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


@pytest.mark.usefixtures("gullible")
def test_random_false_claims_do_not_pass() -> None:
    """All but bounds that fail in a corner of their domain alone, which random points may miss."""
    false = (claim for claim in random_claims(5) if claim.truth is False)
    missed, tried = [], 0
    for claim in islice(false, FALSE + FALSE // 10):
        budget = Budget.parse(claim.budget) if claim.budget is not None else None
        try:
            proof = prove(claim.text, budget=budget, **claim.options)
        except ParseError:
            continue
        tried += 1
        if proof.answer is Answer.PROVED:
            missed.append(claim)
    assert tried >= FALSE
    assert {claim.kind for claim in missed} <= {"bound"}
    assert len(missed) <= MOST_MISSED
