"""The check of what is proved: the definitions against numbers known from elsewhere, and proofs that
are false on purpose, none of which may pass.
"""

import ast
import inspect
from itertools import islice
from typing import Any

import pytest
from tests.theory.claiming import random_claims
from tests.theory.laws import GENERAL
from tests.theory.values import MP, value

from isoflop.theory.budget import SIX_ND, Budget
from isoflop.theory.claim import checker, question
from isoflop.theory.claim.checker import LawByDefinition
from isoflop.theory.claim.prove import prove
from isoflop.theory.claim.vocabulary import vocabulary
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.kernel.answer import Answer, Decision
from isoflop.theory.reader.tokens import ParseError

FALSE, MOST_MISSED = 150, 4
LETTERS = {x.name: x for x in (sym.A, sym.B, sym.E, sym.BETA, sym.GAMMA, sym.C, sym.SIZE_RATIO)}
#: The quantities of the law with their arguments.
ARGUMENTS = {
    **dict.fromkeys(("N_opt", "D_opt", "L_opt", "R_opt"), (sym.C,)),
    **dict.fromkeys(("alpha", "C0", "w_N", "w_D", "G"), ()),
    **{
        "P": (sym.SIZE_RATIO,),
        "R": (sym.N, sym.D),
        "L": (sym.N, sym.D),
        "T_N": (sym.N,),
        "T_D": (sym.D,),
    },
}
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


@pytest.mark.parametrize("budget", ["6*N*D", "3*N^2*D", "N*D^3"])
def test_definitions_and_closed_forms_agree_under_any_budget(budget) -> None:
    law, point = law_at(Budget.parse(budget))
    names = vocabulary("schaeffer", law.budget).names
    values = {**point, sym.N: law.mp.mpf(7e9), sym.D: law.mp.mpf(2e11)}
    at = {x.name: MP.mpf(value) for x, value in values.items()}
    for name, letters in ARGUMENTS.items():
        wanted = value(getattr(names[name], "body", names[name]), at)
        found = law.quantity(name, [values[x] for x in letters], point)
        assert abs(found / wanted - 1) < law.mp.mpf(10) ** -40, name


def test_the_optimum_is_the_least_loss_on_the_budget() -> None:
    law, point = law_at(Budget.parse("6*N^2*D"))
    compute, near = point[sym.C], law.mp.mpf("1.0001")
    size, tokens, best = (law.quantity(x, (compute,), point) for x in ("N_opt", "D_opt", "L_opt"))
    assert abs(6 * size**2 * tokens / compute - 1) < law.mp.mpf(10) ** -100
    A, B, E, beta, gamma = (law.mp.mpf(value) for value in BESIROGLU.values())
    losses = [
        E + A * n**-beta + B * (compute / (6 * n**2)) ** -gamma
        for n in (size, size * near, size / near)
    ]
    assert abs(losses[0] - best) < law.mp.mpf(10) ** -100
    assert losses[0] < min(losses[1:])


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


FALSE_CLAIMS: list[tuple[str, dict[str, Any]]] = [
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
]


@pytest.mark.usefixtures("gullible")
def test_a_false_proof_is_undecided_and_names_the_point() -> None:
    for text, options in FALSE_CLAIMS:
        proof = prove(text, **options)
        assert proof.answer is Answer.UNDECIDED, text
        assert "the independent check disagrees, please report: at " in str(proof), text


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
