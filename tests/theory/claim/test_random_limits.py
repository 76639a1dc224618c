"""Random limits: none is misjudged, and nearly all are decided."""

from itertools import islice

import pytest
from tests.theory.random_limits import FAMILIES, random_limits

from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel.answer import Answer
from isoflop.theory.reader.tokens import ParseError

NUMBER, SEED = 60, 5
RIGHT = {True: (Answer.PROVED, Answer.BY_SYMPY), False: (Answer.REFUTED,)}


def judge(number: int, seed: int) -> None:
    drawn = list(islice(random_limits(seed), number))
    answers = [(c, prove(c.text, limit=c.limit, assume=c.assume, seconds=60).answer) for c in drawn]
    others = [(c, answer) for c, answer in answers if answer not in RIGHT[c.truth]]
    assert [c for c, answer in others if answer is not Answer.UNDECIDED] == []
    assert len(others) <= number / 20, others
    assert {c.kind for c in drawn} == set(FAMILIES)


def test_random_limits() -> None:
    judge(NUMBER, SEED)


@pytest.mark.slow
def test_many_random_limits() -> None:
    judge(5 * NUMBER, SEED + 1)


#: As papers write them: the claim, its limit, what is assumed.
OF_PAPERS = [
    ("D_opt/N_opt -> oo", "C -> oo", ["beta > gamma"]),
    ("(beta*T_N(N) + gamma*T_D(D))/(T_N(N) + T_D(D)) -> gamma", "N -> oo", []),
    ("((1 - w_N*x^-beta)/w_D)^(-1/gamma) -> w_D^(1/gamma)", "x -> oo", []),
    ("C*P(r)^(-1/alpha) ~ C*w_D^(-1/alpha)*r^(-gamma/alpha)", "r -> oo", []),
    ("log(P(r))/log(r) -> gamma", "r -> oo", []),
    ("gamma*(x^beta + 1)/(beta*x^beta + gamma*x^beta + 1) -> gamma/(beta + gamma)", "x -> oo", []),
    ("L_opt -> E", "C -> oo", []),
    ("(L(N + x, D) - L(N, D))/x -> -beta*A*N^(-beta - 1)", "x -> 0", []),
    ("D*(1 - exp(-x/D)) -> D", "x -> oo", []),
    ("(P(exp(s)) - 1)/s^2 -> beta*gamma/2", "s -> 0", []),
    ("x^beta + x^gamma ~ x^beta", "x -> oo", ["2*gamma < beta"]),
]


@pytest.mark.parametrize(
    ("text", "limit", "assume"), OF_PAPERS, ids=[text for text, *_ in OF_PAPERS]
)
def test_limits_of_papers_hold(text: str, limit: str, assume: list[str]) -> None:
    proof = prove(text, limit=limit, assume=assume)
    assert proof.answer in (Answer.PROVED, Answer.BY_SYMPY), proof


def test_a_refutation_names_the_true_limit() -> None:
    wrong = prove("(w_D + w_N*x^-beta)^(1/gamma) -> w_N", limit="x -> oo")
    assert wrong.answer.value == "refuted"
    assert "tends to (beta/(beta + gamma))**(1/gamma)" in str(wrong)
    infinite = prove("D_opt/N_opt -> oo", limit="C -> oo", assume=["beta < gamma"])
    assert "tends to 0" in str(infinite)
    assert len(str(infinite)) < 400


def test_a_limit_may_hang_on_what_is_assumed() -> None:
    assert prove("C^(beta - gamma) -> oo", limit="C -> oo").answer is Answer.UNDECIDED
    greater = prove("C^(beta - gamma) -> oo", limit="C -> oo", assume=["beta > gamma"])
    assert greater.answer is Answer.PROVED
    at_least = prove("C^(beta - gamma) -> oo", limit="C -> oo", assume=["beta >= gamma"])
    assert at_least.answer is Answer.REFUTED


def test_the_status_of_a_limit_by_sympy_is_below_proved(run_cli) -> None:
    proof = prove("1 == 1 -> 1", limit="C -> oo")
    assert proof.answer is Answer.PROVED
    claim = "log(P(r))/log(r) -> gamma == gamma"
    proof = prove(claim, limit="r -> oo")
    assert [link.decision.answer for link in proof.links] == [Answer.BY_SYMPY, Answer.PROVED]
    assert proof.answer is Answer.BY_SYMPY
    result = run_cli("prove", claim, "--as", "r -> oo")
    assert result.code == 3
    assert result.out.startswith("by SymPy's limit, not proved: log(P(r))")


@pytest.mark.parametrize("text", ["exp(s) = 1 + s + O(s^2)", "x + O(x^2) = x", "x <= x + O(x^2)"])
def test_an_order_term_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="order term"):
        prove(text)
