"""Random limits: none is misjudged, and nearly all are decided."""

import pytest
from tests.theory.random_limits import FAMILIES, judged, rates

from isoflop.theory.reader.tokens import ParseError
from isoflop.theory.verdicts.prove import prove

NUMBER, SEED = 60, 5


def judge(number: int, seed: int) -> None:
    verdicts = judged(number, seed)
    assert [v for v in verdicts if v.misjudged or v.answer == "unreadable"] == [], rates(verdicts)
    assert sum(v.answer == "undecided" for v in verdicts) <= number / 20, rates(verdicts)
    assert {v.kind for v in verdicts} == set(FAMILIES)


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
def test_limits_of_papers_are_proved(text: str, limit: str, assume: list[str]) -> None:
    proof = prove(text, limit=limit, assume=assume)
    assert proof.answer.value == "proved", proof


def test_a_refutation_names_the_true_limit() -> None:
    wrong = prove("(w_D + w_N*x^-beta)^(1/gamma) -> w_N", limit="x -> oo")
    assert wrong.answer.value == "refuted"
    assert "tends to (beta/(beta + gamma))**(1/gamma)" in str(wrong)
    infinite = prove("D_opt/N_opt -> oo", limit="C -> oo", assume=["beta < gamma"])
    assert "tends to 0" in str(infinite)
    assert len(str(infinite)) < 400


def test_a_limit_that_hangs_on_a_sign_is_decided_in_each_case() -> None:
    assert prove("C^(beta - gamma) -> oo", limit="C -> oo").answer.value == "refuted"
    assert (
        prove("C^(beta - gamma) + C^(gamma - beta) + C -> oo", limit="C -> oo").answer.value
        == "proved"
    )
    where = prove("C^(1/(beta - gamma)^2) -> oo", limit="C -> oo")
    assert where.answer.value == "proved"
    assert "!= 0" in str(where)
    at_least = prove("C^(beta - gamma) -> oo", limit="C -> oo", assume=["beta >= gamma"])
    assert at_least.answer.value == "refuted"


ORDERS = [
    ("exp(s) = 1 + s + s^2/2 + O(s^3)", "proved"),
    ("exp(s) = 1 + s + O(s^3)", "refuted"),
    ("P(r) = 1 + beta*gamma/2*s^2 + O(s^3)", "proved"),
    ("P(r) = 1 + beta*gamma/2*s^2 + O(s^4)", "refuted"),
    ("P(rho) = 1 + beta*gamma/8*(log(rho))^2 + O((log(rho))^3)", "proved"),
    ("(1 + x)^beta = 1 + beta*x + O(x^2)", "proved"),
    ("abs(s) = s + O(s^2)", "refuted"),
    ("x^beta = O(x)", "refuted"),
]


@pytest.mark.parametrize(("text", "answer"), ORDERS, ids=[text for text, _ in ORDERS])
def test_an_order_term_bounds_the_difference(text: str, answer: str) -> None:
    proof = prove(text)
    assert proof.answer.value == answer, proof


def test_an_order_term_may_say_its_limit_and_has_no_value() -> None:
    assert prove("sqrt(x^2 + 1) = x + O(1/x)", limit="x -> oo").answer.value == "proved"
    assert prove("sqrt(x^2 + 1) = x + O(1/x^2)", limit="x -> oo").answer.value == "refuted"
    with pytest.raises(ParseError, match="order term"):
        prove("x + O(x^2) = x")
    with pytest.raises(ParseError, match="order term"):
        prove("x <= x + O(x^2)")
