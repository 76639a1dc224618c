"""Claims as they are typed, each with its verdict (`claims.txt`), and what an answer says beside it."""

import operator
import re
from functools import cache
from pathlib import Path

import pytest
from sympy import Rational

import isoflop
from isoflop.theory.budget import Budget
from isoflop.theory.claim.prove import Proof, prove
from isoflop.theory.kernel import deadline
from isoflop.theory.kernel.answer import Answer
from isoflop.theory.reader.tokens import ParseError

TABLE = (Path(__file__).parent / "claims.txt").read_text(encoding="utf-8")
OPTIONS = {"as": "limit", "in": "notation", "under": "budget", "if": "assume", "let": "let"}
HOLDS = {"==": operator.eq, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}  # fmt: skip


@cache
def sections() -> dict[str, list[str]]:
    """What each part of the table is about, and its lines."""
    blocks = (block.strip().split("\n") for block in re.split("(?m)^%% ", TABLE)[1:])
    return {head: [line for line in lines if line] for head, *lines in blocks}


@cache
def answered(line: str, law: str = "") -> Proof | ParseError:
    _, claim, *more = (part.strip() for part in line.split(" | "))
    options: dict = {"latex": "\\" in claim or "^*" in claim, "assume": [], "let": []}
    for word, _, value in (part.partition(" ") for part in more):
        if word in ("if", "let"):
            options[OPTIONS[word]].append(value)
        elif word != "say":
            options[OPTIONS[word]] = Budget.parse(value) if word == "under" else value
    try:
        return prove(claim, **options, law=isoflop.law(law) if law else None)
    except ParseError as error:
        return error


@pytest.mark.parametrize("rest", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("head", sections())
def test_claims(head, rest) -> None:
    """Every third line is of the fast tests."""
    law = head.removeprefix("at ") if head.startswith("at ") else ""
    for line in (line for i, line in enumerate(sections()[head]) if bool(i % 3) == rest):
        found, wanted = answered(line, law), line.split(" | ")[0]
        answer = found.answer.value if isinstance(found, Proof) else "unread"
        assert answer == wanted, (line, str(found))
        assert line.partition(" | say ")[2] in str(found)
        assert answer != "unread" or "\n" not in str(found)
        for link in found.links if isinstance(found, Proof) else ():
            is_of_numbers = law or re.search(r"\d\.\d|approx", link.text)
            is_checked = link.check.startswith("checked at")
            assert is_checked or is_of_numbers or not link.decision.holds, line
            witness = link.decision.witness
            is_of_another = re.search("equal at a point|premise", link.decision.reason)
            if witness is not None and link.relation in HOLDS and not is_of_another:
                lhs, rhs = (Rational(side) for side in (witness.lhs, witness.rhs))
                assert not HOLDS[link.relation](lhs, rhs), line


# -- where a proof holds, and what refutes -------------------------------------------------------------


CANCELLED = {
    "(beta^2 - gamma^2)/(beta - gamma) == beta + gamma": ["beta - gamma != 0"],
    "log(x - y)/log(x - y) == 1": ["x - y > 0", "log(x - y) != 0"],
    "sqrt(x - y)^2 == x - y": ["x - y > 0"],
    "x^(1/(beta - gamma)) == x^(1/(beta - gamma))": ["beta - gamma != 0"],
}


def test_what_cancels_leaves_its_condition() -> None:
    proofs = {claim: prove(claim) for claim in CANCELLED}
    assert {proof.answer for proof in proofs.values()} == {Answer.PROVED}
    conditions = {x: proof.links[0].decision.conditions for x, proof in proofs.items()}
    assert {claim: list(map(str, found)) for claim, found in conditions.items()} == CANCELLED


def test_witnesses_are_simple_and_keep_to_what_is_assumed() -> None:
    for claim in ("N_opt == D_opt", "w_N < w_D/2", "L(N, D) <= L_opt", "x^2 == x"):
        witness = prove(claim).links[0].decision.witness
        assert witness is not None
        assert all(max(value.p, value.q) <= 13 for _, value in witness.point)
        assert witness.lhs != witness.rhs
    witness = prove("x^2 == x", assume=["x > 100"]).links[0].decision.witness
    assert witness is not None
    assert {str(x): value for x, value in witness.point}["x"] > Rational(100)


def test_a_chain_is_decided_link_by_link() -> None:
    proof = prove("alpha == beta*w_N == gamma*w_N == gamma*w_D")
    assert [link.decision.answer.value for link in proof.links] == ["proved", "refuted", "refuted"]
    assert [link.text for link in proof.links][1] == "beta*w_N == gamma*w_N"


def test_a_claim_that_takes_too_long_is_undecided(monkeypatch) -> None:
    def endless(*_, **__):
        while True:
            deadline.check()

    monkeypatch.setattr("isoflop.theory.claim.question.decide", endless)
    proof = prove("alpha >= 0 == x", seconds=2)
    assert [link.decision.answer.value for link in proof.links] == ["proved", "undecided"]
    with pytest.raises(ValueError, match="seconds=0: must be positive"):
        prove("x == x", seconds=0)
    with pytest.raises(ValueError, match="text=3: must be"):
        prove(3)  # type: ignore[arg-type]


# -- what would be right -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "derived", "right"),
    [
        ("alpha == (beta + gamma)/2", "alpha = beta gamma/(beta + gamma)", ""),
        (r"w_N = \frac{\beta}{\beta+\gamma}", r"w_N = \frac{\gamma}{\beta + \gamma}", None),
        ("L_opt == C0*C^-alpha", "L_opt = E + C0 C^-alpha", None),
        ("N_opt propto C^w_D", "N_opt propto C^(gamma/(beta + gamma))", ""),
        ("x == 2*x", "", None),
        ("w_N == beta/(beta + gamma)", None, "w_N == gamma/(beta + gamma)"),
        ("N_opt == G*(C/6)^w_D", None, "N_opt == G (C/6)^w_N"),
        ("N_opt == G*C^w_N", None, "N_opt == 6^(-gamma/(beta + gamma)) G C^w_N"),
        (
            "dL/dN == beta*A*N^(-beta-1)",
            "dL/dN = -beta A N^(-1 - beta)",
            "dL/dN == -beta A N^(-1 - beta)",
        ),
        ("w_N + w_D == 2", "", "w_N + w_D == 1"),
        (r"N^*(C) = G (C/6)^{w_D}", None, r"N^*(C) = G \left(\frac{C}{6}\right)^{w_N}"),
    ],
)
def test_a_refutation_shows_what_is_right(claim, derived, right) -> None:
    latex = "\\" in claim or "^*" in claim
    proof = prove(claim, latex=latex)
    assert proof.answer is Answer.REFUTED
    assert derived is None or proof.links[0].derived == derived
    assert right is None or proof.links[0].correction.rpartition(" (")[0] == right
    assert not right or prove(right, latex=latex).answer is Answer.PROVED


def test_every_line_that_derive_prints_as_text_is_proved(run_cli) -> None:
    printed = run_cli("derive").out.split("Proofs")[0].splitlines()
    claims = [line.strip() for line in printed if " = " in line and not line.endswith(":")]
    of_the_law = [claim for claim in claims if not claim.startswith("C_eff/C")]
    assert len(of_the_law) >= 9
    assert [claim for claim in of_the_law if prove(claim).answer is not Answer.PROVED] == []
