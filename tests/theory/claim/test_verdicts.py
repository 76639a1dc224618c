"""Claims as they are typed, each with its verdict.

A line of a table is `verdict | claim`, then what is assumed (`if`), named (`let`) or said of a limit
(`as`), the letters (`in hoffmann`), and a part of the message (`say`). A claim with a backslash
or a raised star is LaTeX.
"""

import operator
import re
from functools import cache

import pytest
from sympy import Rational

import isoflop
from isoflop.theory.budget import Budget
from isoflop.theory.claim.prove import Proof, prove
from isoflop.theory.kernel import deadline
from isoflop.theory.kernel.answer import Answer
from isoflop.theory.reader.tokens import ParseError

BESIROGLU, HOFFMANN = isoflop.law("besiroglu2024"), isoflop.law("hoffmann2022")
UNREAD = "unread"


def rows(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def asked(line: str) -> tuple[str, str, dict, str]:
    """The verdict of a line, its claim, the options of `prove`, and what is said."""
    verdict, claim, *more = (part.strip() for part in line.split(" | "))
    options: dict = {"latex": "\\" in claim or "^*" in claim}
    said = ""
    for part in more:
        word, _, value = part.partition(" ")
        if word == "say":
            said = value
        elif word in ("as", "in", "under"):
            name = {"as": "limit", "in": "notation", "under": "budget"}[word]
            options[name] = Budget.parse(value) if word == "under" else value
        else:
            name = {"if": "assume", "let": "let"}[word]
            options[name] = (*options.get(name, ()), value)
    return verdict, claim, options, said


@cache
def proof_of(line: str, law=None) -> Proof | ParseError:
    _, claim, own, _ = asked(line)
    try:
        return prove(claim, **own, law=law)
    except ParseError as error:
        return error


CLAIMS = rows(r"""
    # -- the law, its optimum and its penalty, in both notations
    proved | alpha == beta*gamma/(beta + gamma)
    refuted | alpha == beta
    proved | alpha_C == alpha*beta/(alpha + beta) | in hoffmann
    refuted | alpha == alpha*beta/(alpha + beta) | in hoffmann
    proved | L = E + A/N^alpha + B/D^beta | say in Hoffmann's letters
    proved | a == beta/(alpha + beta) | in hoffmann
    proved | P(r) ~ w_D*r^gamma | as r -> oo
    undecided | P(r) ~ w_D*r^beta | as r -> oo
    proved | C^*(L) = \left(\frac{C_0}{L - E}\right)^{1/\alpha}
    proved | 12*N_opt*D_opt == C | under 12*N*D
    proved | kappa*N_opt^a*D_opt^d == C | under kappa*N^a*D^d
    proved | 1 <= P(r) == w_N*r^-beta + w_D*r^gamma
    proved | P(r) > P(1/r) | if r > 1 | if gamma > beta
    # -- letters of one run
    proved | C == 6*N*D | say by definition C == 6*N*D
    proved | r == N/N_opt | say by definition C == 6*N*D, r == N/N_opt
    proved | rho == (D/N)/(D_opt/N_opt) == r^-2
    proved | s == log(r)
    proved | P(r) == (L - E)/(L_opt - E)
    proved | P(rho) == w_N*rho^(beta/2) + w_D*rho^(-gamma/2)
    refuted | P(rho) == w_N*rho^-beta + w_D*rho^gamma
    proved | L(N, D) >= L_opt
    refuted | L(N, D) > L_opt
    undecided | r == N/N_opt | if C == 12*N*D
    undecided | C == 6*N*D | if N == 2*D
    proved | rho == r^-2 | if C == 6*N*D
    proved | L(N, D) >= L_opt | if D == C/(6*N)
    undecided | L(N, D) >= L_opt | if N*D >= C/12
    proved | rho -> oo | as r -> 0
    undecided | N*C*x + r -> 0 | as r -> 0
    refuted | N*x + r -> 0 | as r -> 0
    proved | r > 1 | if N > N_opt
    # -- assumptions
    proved | C == 120*N^2 | if 20 N = D | if 6 N D = C
    refuted | C == 100*N^2 | if 6 N D = C | if D = 20 N
    proved | alpha == beta/2 | if beta == gamma
    refuted | alpha == beta/2
    proved | sqrt((x - y)^2) == y - x | if x < y
    refuted | x^2 >= x | if x < 1
    undecided | x == y | if x > y | if y > x
    proved | x > 1 | if x >= 1 | if x != 1
    refuted | beta < gamma | if gamma >= beta
    refuted | alpha < gamma/2 | if beta <= gamma
    refuted | D_opt/N_opt -> 0 | as C -> oo | if beta <= gamma
    proved | D_opt/N_opt -> 0 | as C -> oo | if beta < gamma
    undecided | P(r) ~ w_N*r^-beta | as r -> 0 | if r > 5
    proved | P(r) ~ w_N*r^-beta | as r -> 0 | if r < 5
    proved | 1/(x - y) == (x + y)/(x^2 - y^2) | if x != y
    proved | L_opt > R_opt | if E != 0
    proved | x*(x - 1)/(x - 1) > 1 | if x >= 1
    refuted | E > 0
    # -- counterexamples at simple points
    undecided | s^2 + s/10^6 >= 0 | if s < 1
    refuted | abs(s) > 0 | if s < x
    refuted | x^2 > 0 | if x real
    refuted | exp(x) > 1 + x | if x real
    proved | exp(x) >= 1 + x | if x real
    refuted | x^2 + 1 > 2*x
    # -- letters of either sign
    proved | x^2 + y^2 >= 2*x*y | if x, y real
    proved | x*y > 0 | if x < 0 | if y < 0
    refuted | x + y > x | if x, y <= 0
    proved | \sqrt{x^2} = -x | if x < 0
    proved | \sqrt{x^2} = x | if x >= 0
    proved | abs(x*y) == abs(x)*abs(y) | if x, y real
    proved | exp(x + y) == exp(x)*exp(y) | if x, y real
    proved | \cosh(x) \ge 1 | if x real
    proved | x^2 >= x | if x < 0
    undecided | x^4 + y^4 >= x^3*y | if x, y real
    proved | x/x == 1 | if x real | say where x != 0
    undecided | x^beta == 2*x^beta | if x < 0
    undecided | x^4 + y^4 >= x^3*y + x | if x < 0 | if y < 0
    refuted | abs(x)/x -> 1 | as x -> 0 | if x real
    proved | abs(x)/x -> 1 | as x -> 0
    by SymPy's limit, not proved | (exp(x) - 1)/x -> 1 | as x -> 0 | if x real
    proved | x < 0 implies x^3 < 0 | if x real
    unread | beta > 0 | if beta real | say beta is of the law
    # -- derivatives
    refuted | dL/dN == L/N
    proved | dL/dC == -alpha*C0*C^(-alpha-1)
    proved | d log(L_opt - E)/d log C == -alpha
    proved | \frac{d\log N^*}{d\log C} = \frac{\gamma}{\beta+\gamma}
    proved | \frac{\partial^2 L}{\partial N \partial D} = 0
    proved | N \frac{\partial L}{\partial N} = D \frac{\partial L}{\partial D} | if N == N_opt | if D == D_opt
    proved | \frac{\partial \log x}{\partial \log C} = w_N - w_D | let x := 20*N_opt/D_opt
    unread | dL == L | say no derivative such as dL/dN
    unread | dN/dC == 1 | say N does not depend on C
    unread | d^2L/dN == 1 | say of order 2 by 1 variables
    unread | dabs(N - D)/dN == 1 | say an absolute value
    unread | \frac{d}{dN} A N = 1 | say parentheses are expected
    # -- proportions
    proved | N_opt ∝ C^w_N | say does not depend on C, with A, B, beta, gamma held
    refuted | N_opt propto C^w_D
    refuted | L_opt propto C^-alpha
    proved | L_opt - E propto C^-alpha
    proved | C propto N*D
    undecided | C propto N
    undecided | N propto C^w_N
    refuted | D_opt propto N_opt
    proved | D_opt propto N_opt | if beta == gamma
    undecided | N_opt propto 1
    # -- inequations, implications, several claims
    refuted | beta != gamma
    proved | alpha != beta
    proved | beta > gamma iff w_D > w_N
    refuted | beta > gamma => w_D < w_N
    proved | beta == gamma implies alpha == beta/2 implies alpha < beta
    refuted | P(r) == 1 iff r == 2
    proved | x^2 == x iff x == 1
    refuted | x + x^2 == 2*x implies x == 2
    unread | w_N == gamma/(beta+gamma), w_D == beta/(beta+gamma) | say unexpected ','
    unread | w_N == gamma/(beta+gamma) and w_D == beta/(beta+gamma)
    unread | N_{opt} = G (C/6)^a, \quad D_{opt} = G^{-1} (C/6)^b
    proved | C_opt(L_opt(C)) == C
    proved | P(r) = 1 \iff r = 1
    proved | P(r) > 1 | if r != 1
    refuted | P(r) > 1
    # -- limits
    proved | \lim_{r \to 1} P(r) = 1
    proved | L_opt -> E | as C -> oo
    by SymPy's limit, not proved | (P(r) - 1)/(r - 1)^2 -> beta*gamma/2 | as r -> 1
    refuted | abs(r - 1)/(r - 1) -> 1 | as r -> 1
    undecided | C^(beta - gamma) -> oo | as C -> oo
    proved | C^(beta - gamma) -> oo | as C -> oo | if beta > gamma
    refuted | C^(beta - gamma) -> oo | as C -> oo | if beta >= gamma
    refuted | (w_D + w_N*x^-beta)^(1/gamma) -> w_N | as x -> oo | say tends to (beta/(beta + gamma))**(1/gamma)
    by SymPy's limit, not proved | log(P(r))/log(r) -> gamma | as r -> oo
    unread | L_opt -> E | as C -> oo | if C == 6*N*D | say cannot tend to a limit where
    unread | alpha -> beta | say need a limit
    unread | P(r) ~ 1 | as r -> x | say a limit reads
    unread | exp(s) = 1 + s + O(s^2) | say order term
    # -- what is of theorems alone, or of no claim
    unread | (n + 1)!/n! == n + 1 | say in theorems alone
    unread | alpha < min(beta, gamma) | say in theorems alone
    # -- names of one's own, and of samples
    proved | f(2) == 6*x/x | let f(x) := k*x | let k := 3
    unread | f(2) > 0 | let f(x) := g(x) | let g(x) := f(x) | say by way of itself
    proved | fail@(k + 1) == (1 - p)*fail@k | let fail@k := (1 - p)^k
    refuted | pass@2 == 2*p | let pass@k := 1 - (1 - p)^k
    unread | pass@k > 0 | say unknown
    undecided | x == y | say is unknown
    undecided | \lambda = -\frac{dL^*}{dC} | say --let
    undecided | N_C^* = 3 | say --let
    # -- in the letters in which they hold
    refuted | L = E + A/N^alpha - B/D^beta
    proved | a + b == 1 | say in Hoffmann's letters
    refuted | N_opt propto C^b | say in Hoffmann's letters
    proved | alpha*A*N_opt^-alpha == beta*B*D_opt^-beta | say in Hoffmann's letters
    refuted | alpha == (beta + gamma)/2 | say read as alpha == beta/2 + gamma/2
    proved | beta > alpha | say read as beta > alpha
    proved | {N^\star}(C) = G (C/6)^{w_N} | say read as N_opt(C) == G*(C/6)^w_N
    # -- a star in plain text
    proved | N*(C) == G*(C/6)^w_N
    proved | D*(C)/N*(C) == D_opt/N_opt
    proved | N* propto C^(gamma/(beta + gamma))
    proved | N*(C - C) == 0
    unread | N* D* == C/6 | say write N_opt for the optimum
    unread | L*(4*C) == 1 | say write L_opt for the optimum
    unread | L*-E == R* | say write L_opt for the optimum
    proved | L* - E == R*
    # -- functions and products
    proved | A (N^*)^{-\beta} = w_N R^*
    proved | N^*(2C) = 2^{w_N} N^*(C)
    proved | C_0 = (1 + \beta/\gamma) A G^{-\beta} 6^{\alpha}
    proved | (N_opt(2*C))^2 == 4^w_N*N_opt^2
    unread | N^{*} \left(\frac{C}{6}\right)^{-\beta} = G | say ambiguous 'N_opt'
    unread | P^2(r) >= 1 | say for a product
    unread | L(N) == E + A*N^-beta | say ambiguous argument N of 'L'
    unread | L(D, N) == E | say ambiguous argument D of 'L'
    unread | P(1/rho) == 1 | say ambiguous argument 1/rho of 'P'
    unread | alpha(k) == alpha*k | say ambiguous 'alpha(k)'
    unread | f(x) == f*x | say ambiguous 'f(x)'
    unread | N(C) == G*(C/6)^w_N | say write N_opt(C) for the value
    unread | N == C/6D | say ambiguous division
    unread | 2E-3 == 0.002 | say ambiguous '2E-3'
    undecided | \mathcal{N} = N | say N_mathcal is unknown
    # -- what cannot be read
    unread | alpha == | say an expression is missing beside '==' at position 7
    unread | alpha == bta | say unknown name 'bta' at position 10
    unread | alpha == gamma | in hoffmann | say unknown name 'gamma' at position 10
    unread | P(r, x) == 1 | say 2 arguments instead of (r) for 'P' at position 1
    unread | x == 1/0 | say division by zero at '0' at position 8
    unread | __import__('os').system('true') == 1 | say cannot read '_' at position 1
    unread | x == y | if x | say 'x': a relation is expected
    unread | x == y | if x >= -1 | say holds without being assumed
    unread | x == y | if x == x + 1 | say one side of an equality must be a symbol
    unread | x == y | if x == -1 | say x is positive
    unread | (beta - gamma)/(beta - gamma) == 1 | if beta == gamma | say zero
    # -- decimals without a law
    proved | 1/3 approx 0.333
    refuted | 18.14 approx 20
    proved | 1/3 == 0.333
    refuted | 1/3 == 33/100
    refuted | 34/62 approx 0.538
    proved | 0.28/0.62 approx 0.452 approx 0.45
    proved | 0.28*410.7/(0.34*406.4) == 115.0/138.2
    undecided | alpha approx 0.154 | say --law NAME
""")
CLAIMS = [row for row in CLAIMS if row[0] != "#"]

AT_BESIROGLU = rows(r"""
    proved | alpha == 0.178 | say holds at besiroglu2024 to the digits typed: 0.1783 against 0.178
    refuted | alpha == 0.179 | say fails at besiroglu2024: 0.1783 against 0.179
    refuted | alpha ≈ 0.17 | say 4.9 % apart
    proved | alpha ≈ 0.178 ≈ 0.18
    refuted | alpha == 0.1783 ≈ 0.178 ≈ 0.17
    refuted | alpha == 0.18 == beta
    proved | P(2) == 1.0
    refuted | L(7e10, 1.4e12) == 1.95
    proved | beta < gamma
    proved | beta != gamma
    undecided | N_opt > D_opt | say C is not fixed at besiroglu2024
    proved | N_opt ≈ 0.048*C^0.5126 | say the powers of C: holds
    refuted | N_opt ≈ 0.0578*C^0.5126
    refuted | N_opt ≈ 0.0478*C^0.49 | say the powers of C: fails
    undecided | N_opt ≈ 1*C^(1/2) | say how near is meant is not said
    proved | N_opt ≈ 0.048*C^w_N
    undecided | L(N, D) == 1.82 + 482.01/N^0.37 + 2085.4/D^0.35 | say D, N are not fixed
    undecided | D_opt/N_opt ≈ 20 | say --assume
    proved | D_opt/N_opt ≈ 18.4 | if C == 5.76e23
    refuted | D_opt/N_opt ≈ 21 | if C == 5.76e23
    undecided | alpha ≈ beta/2 | say % apart
    undecided | N_opt > 10^400 | if beta > gamma
    proved | N_opt propto C^0.51
    refuted | N_opt propto C^0.49
    proved | L_opt - E propto C^(-0.178)
    undecided | L_opt propto C^-0.178
    refuted | L_opt - E propto C^2*0.5
""")

AT_HOFFMANN = rows(r"""
    refuted | P(0.1) approx 1.46 | say 1.279 against 1.46, 12.0 % apart
    proved | P(0.1) != 1.46
    proved | P(0.1) approx 1.28 | say 0.088 % apart
    refuted | P(0.1) == P(0.12)
    refuted | P(0.5) approx 1.03
    undecided | w_N*0.1^-beta approx 1.2 | say not so for all that rounds
    proved | w_N*0.1^-beta approx 0.997
    undecided | 0.5*beta == 0.18
    undecided | beta + 0.66 == 1 | say not so for all that rounds
    proved | L(7e9, 2.0e12) approx 2.008
    refuted | L(7.4e9, 2.0e12) approx 2.008
    proved | N_opt(1.5e21) approx 2.67e9
    proved | 0.34*0.28/(0.34+0.28) approx 0.1535
    undecided | 0.28/0.62 approx 0.46
    proved | 0.14 approx 0.144
    unread | L(7B, 2e12) approx 2.008 | say ambiguous '7B' at position 3: write 1e9 for a unit
    unread | 20*7B == 1.4e11 | say ambiguous '7B'
    proved | (2B)^2 == 4*B^2
    proved | L_opt(1e24) <= 1.90 | say 1.89999 against 1.9
""")


CASES = [
    *((line, None) for line in CLAIMS),
    *((line, BESIROGLU) for line in AT_BESIROGLU),
    *((line, HOFFMANN) for line in AT_HOFFMANN),
]


@pytest.mark.parametrize(("line", "law"), CASES, ids=lambda case: str(case)[:60])
def test_claims(line, law) -> None:
    verdict, _, _, said = asked(line)
    proof, answer = proof_of(line, law), UNREAD
    if isinstance(proof, Proof):
        answer = proof.answer.value
    assert answer == verdict, proof
    assert answer != UNREAD or "\n" not in str(proof)
    assert said in str(proof)


HOLDS = {"==": operator.eq, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}  # fmt: skip


@pytest.mark.parametrize(("line", "law"), [case for case in CASES if case[0][:7] == "refuted"])
def test_a_witness_is_a_point_at_which_the_claim_fails(line, law) -> None:
    found = proof_of(line, law)
    assert isinstance(found, Proof)
    for link in found.links:
        witness = link.decision.witness
        if link.decision.refuted and witness is not None and link.relation in HOLDS:
            lhs, rhs = (Rational(side) for side in (witness.lhs, witness.rhs))
            is_of_another = re.search("equal at a point|premise", link.decision.reason)
            assert not HOLDS[link.relation](lhs, rhs) or is_of_another


# -- where a proof holds, and what refutes -------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "conditions"),
    [
        ("(beta^2 - gamma^2)/(beta - gamma) == beta + gamma", ["beta - gamma != 0"]),
        (
            "log(beta - gamma)/log(beta - gamma) == 1",
            ["beta - gamma > 0", "log(beta - gamma) != 0"],
        ),
        ("sqrt(x - y)^2 == x - y", ["x - y > 0"]),
        ("x^(1/(beta - gamma)) == x^(1/(beta - gamma))", ["beta - gamma != 0"]),
    ],
)
def test_what_cancels_leaves_its_condition(claim, conditions) -> None:
    proof = prove(claim)
    assert proof.answer is Answer.PROVED
    assert [str(c) for c in proof.links[0].decision.conditions] == conditions


@pytest.mark.parametrize("claim", ["N_opt == D_opt", "w_N < w_D/2", "L(N, D) <= L_opt", "x^2 == x"])
def test_witnesses_are_simple(claim) -> None:
    witness = prove(claim).links[0].decision.witness
    assert witness is not None
    assert all(max(value.p, value.q) <= 13 for _, value in witness.point)
    assert witness.lhs != witness.rhs


def test_a_witness_keeps_to_what_is_assumed() -> None:
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


# -- what would be right -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "derived"),
    [
        ("alpha == (beta + gamma)/2", "alpha = beta gamma/(beta + gamma)"),
        (r"w_N = \frac{\beta}{\beta+\gamma}", r"w_N = \frac{\gamma}{\beta + \gamma}"),
        ("L_opt == C0*C^-alpha", "L_opt = E + C0 C^-alpha"),
        ("dL/dN == beta*A*N^(-beta-1)", "dL/dN = -beta A N^(-1 - beta)"),
        ("N_opt propto C^w_D", "N_opt propto C^(gamma/(beta + gamma))"),
        ("x == 2*x", ""),
    ],
)
def test_a_refutation_shows_what_is_derived(claim, derived) -> None:
    proof = prove(claim, latex="\\" in claim)
    assert proof.answer is Answer.REFUTED
    assert proof.links[0].derived == derived


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("w_N == beta/(beta + gamma)", "w_N == gamma/(beta + gamma)"),
        ("N_opt == G*(C/6)^w_D", "N_opt == G (C/6)^w_N"),
        ("N_opt == G*C^w_N", "N_opt == 6^(-gamma/(beta + gamma)) G C^w_N"),
        ("dL/dN == beta*A*N^(-beta-1)", "dL/dN == -beta A N^(-1 - beta)"),
        ("w_N + w_D == 2", "w_N + w_D == 1"),
        (r"N^*(C) = G (C/6)^{w_D}", r"N^*(C) = G \left(\frac{C}{6}\right)^{w_N}"),
        ("alpha == beta^2 + 17", ""),
    ],
)
def test_a_refutation_shows_a_claim_near_by_that_is_proved(claim, right) -> None:
    latex = "\\" in claim or "^*" in claim
    proof = prove(claim, latex=latex)
    assert proof.answer is Answer.REFUTED
    assert proof.links[0].correction.partition(": ")[2] == right
    assert not right or prove(right, latex=latex).answer is Answer.PROVED


def test_every_line_that_derive_prints_as_text_is_proved(run_cli) -> None:
    printed = run_cli("derive").out.split("Proofs")[0].splitlines()
    claims = [line.strip() for line in printed if " = " in line and not line.endswith(":")]
    assert len(claims) >= 9
    of_the_law = [claim for claim in claims if not claim.startswith("C_eff/C")]
    assert [claim for claim in of_the_law if prove(claim).answer is not Answer.PROVED] == []
