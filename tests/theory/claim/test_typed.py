"""What a claim is taken to mean: derivatives, letters of one run, arguments, accents, and where
both sides exist as typed.
"""

import mpmath
import pytest

from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel import deadline
from isoflop.theory.reader.tokens import ParseError

MP = mpmath.mp.clone()
MP.dps = 50
POINT = {name: MP.mpf(value) for name, value in zip("ABCEND", (3, 5, 70, 2, 4, 9), strict=True)}
POINT |= {"beta": MP.mpf("0.7"), "gamma": MP.mpf("0.4"), "r": MP.mpf("1.6")}


def least(compute):
    """The least reducible loss under 6ND, by a search over log N."""
    p = POINT

    def slope(u):
        tokens = compute / (6 * MP.exp(u))
        return (
            -p["beta"] * p["A"] * MP.exp(-p["beta"] * u)
            + p["gamma"] * p["B"] * tokens ** -p["gamma"]
        )

    u = MP.findroot(
        slope, (-20, 20), solver="bisect", maxsteps=400, tol=MP.mpf(10) ** -80, verify=False
    )
    tokens = compute / (6 * MP.exp(u))
    return p["A"] * MP.exp(-p["beta"] * u) + p["B"] * tokens ** -p["gamma"], MP.exp(u)


def loss(params, tokens):
    return (
        POINT["E"] + POINT["A"] * params ** -POINT["beta"] + POINT["B"] * tokens ** -POINT["gamma"]
    )


# -- derivatives -------------------------------------------------------------------------------------------------------

#: What stands on the left, and the same by numerical differentiation at POINT.
DERIVATIVES = {
    "dL/dN": lambda: MP.diff(lambda x: loss(x, POINT["D"]), POINT["N"]),
    "dL(N, D)/dD": lambda: MP.diff(lambda x: loss(POINT["N"], x), POINT["D"]),
    "d^2L/dN^2": lambda: MP.diff(lambda x: loss(x, POINT["D"]), POINT["N"], 2),
    "dL/dC": lambda: MP.diff(lambda x: least(x)[0], POINT["C"]),
    "dR_opt/dlog(C)": lambda: POINT["C"] * MP.diff(lambda x: least(x)[0], POINT["C"]),
    "dlog(N_opt)/dlog(C)": lambda: POINT["C"] * MP.diff(lambda x: MP.log(least(x)[1]), POINT["C"]),
    "d/dN (L(N, D))": lambda: MP.diff(lambda x: loss(x, POINT["D"]), POINT["N"]),
    r"\frac{dL}{dN}": lambda: MP.diff(lambda x: loss(x, POINT["D"]), POINT["N"]),
    r"\frac{\mathrm{d}L}{\mathrm{d}N}": lambda: MP.diff(lambda x: loss(x, POINT["D"]), POINT["N"]),
    r"\frac{\partial L(N, D)}{\partial D}": lambda: MP.diff(
        lambda x: loss(POINT["N"], x), POINT["D"]
    ),
    r"\frac{\partial^2 L}{\partial N^2}": lambda: MP.diff(
        lambda x: loss(x, POINT["D"]), POINT["N"], 2
    ),
    r"\frac{d}{dN} L(N, D)": lambda: MP.diff(lambda x: loss(x, POINT["D"]), POINT["N"]),
    r"\frac{d\log N^*}{d\log C}": lambda: (
        POINT["C"] * MP.diff(lambda x: MP.log(least(x)[1]), POINT["C"])
    ),
    r"\frac{dL^*}{dC}": lambda: MP.diff(lambda x: least(x)[0], POINT["C"]),
    r"\frac{d\,\ln N^*(C)}{d\ln C}": lambda: (
        POINT["C"] * MP.diff(lambda x: MP.log(least(x)[1]), POINT["C"])
    ),
}


@pytest.mark.parametrize("typed", DERIVATIVES)
def test_a_derivative_has_the_value_of_a_numerical_one(typed) -> None:
    latex = "\\" in typed
    proof = prove(f"{typed} = x", latex=latex)
    value = proof.links[0].lhs.evalf(
        30, subs={symbol: POINT[symbol.name] for symbol in proof.links[0].lhs.free_symbols}
    )
    wanted = DERIVATIVES[typed]()
    assert abs(MP.mpf(str(value)) - wanted) < MP.mpf(10) ** -15 * abs(wanted)
    assert "d" not in proof.free


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("dL/dN == L/N", "refuted"),
        ("dL/dN == -beta*A*N^(-beta-1)", "proved"),
        ("dL/dC == -alpha*C0*C^(-alpha-1)", "proved"),
        ("dL_opt/dC == L_opt/C", "refuted"),
        ("dlog(N_opt)/dlog(C) == gamma/(beta+gamma)", "proved"),
        ("dL/dN < 0", "proved"),
        ("d^2L/dN^2 > 0", "proved"),
        (r"\frac{dL}{dN} = -\beta A N^{-\beta-1}", "proved"),
        (r"\frac{\mathrm{d}L}{\mathrm{d}N} = \frac{L}{N}", "refuted"),
        (r"\frac{dL^*}{dC} = \frac{L^*}{C}", "refuted"),
        (r"\frac{d\log N^*}{d\log C} = \frac{\gamma}{\beta+\gamma}", "proved"),
        (r"\frac{d L}{d C} = -\alpha C_0 C^{-\alpha-1}", "proved"),
        (r"\frac{\partial^2 L}{\partial N \partial D} = 0", "proved"),
        (r"N \frac{\partial L}{\partial N} = -\beta A N^{-\beta}", "proved"),
    ],
)
def test_derivatives_are_no_quotients(claim, answer) -> None:
    assert prove(claim, latex="\\" in claim).answer.value == answer


def test_the_optimum_is_stationary() -> None:
    balance = r"N \frac{\partial L}{\partial N} = D \frac{\partial L}{\partial D}"
    assert prove(balance, latex=True, assume=["N == N_opt", "D == D_opt"]).answer.value == "proved"
    assert prove(balance, latex=True).answer.value == "refuted"


@pytest.mark.parametrize(
    ("claim", "named"),
    [
        ("dL == L", "no derivative such as dL/dN"),
        ("dL/N == 1", "no derivative such as dL/dN"),
        ("dN/dC == 1", "N does not depend on C"),
        ("dL_opt/dN == 0", "does not depend on N"),
        ("d^2L/dN == 1", "of order 2 by 1 variables"),
        ("d^2L/(dN dN dN) == 1", "of order 2 by 3 variables"),
        ("d^9L/dN^9 == 1", "an order from 1 to 4"),
        ("dL/d(N^2) == 1", "a letter, or the logarithm of one"),
        ("dabs(N - D)/dN == 1", "an absolute value"),
        (r"\frac{d}{dN} A N = 1", "parentheses are expected"),
        (r"\partial L = 1", "no derivative such as dL/dN"),
    ],
)
def test_what_is_no_derivative_is_refused(claim, named) -> None:
    with pytest.raises(ParseError, match=r"derivative|differentiated|letter|order") as caught:
        prove(claim, latex="\\" in claim)
    assert named in str(caught.value)


# -- one run -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "answer", "definitions"),
    [
        ("C == 6*N*D", "proved", ["C == 6*N*D"]),
        ("C == 6*N*D^2", "refuted", ["C == 6*N*D"]),
        ("r == N/N_opt", "proved", ["C == 6*N*D", "r == N/N_opt"]),
        ("rho == (D/N)/(D_opt/N_opt) == r^-2", "proved", None),
        ("rho == r^2", "refuted", None),
        ("s == log(r)", "proved", ["r == N/N_opt", "s == log(r)"]),
        ("s == log(rho)", "refuted", None),
        ("P(r) == (L - E)/(L_opt - E)", "proved", ["C == 6*N*D", "r == N/N_opt"]),
        ("P(rho) == w_N*rho^(beta/2) + w_D*rho^(-gamma/2)", "proved", []),
        ("P(rho) == w_N*rho^-beta + w_D*rho^gamma", "refuted", []),
        ("L(N, D) >= L_opt", "proved", ["C == 6*N*D"]),
        ("L(N, D) <= L_opt", "refuted", ["C == 6*N*D"]),
        ("k_D == ((1 - w_N*r^-beta)/w_D)^(-1/gamma)", "proved", None),
        ("k_D == ((1 - w_N*r^-beta)/w_D)^(1/gamma)", "refuted", None),
        ("C_eff/C == P^(-1/alpha)", "proved", None),
        ("Delta_C/C == r*k_D - 1", "proved", None),
        ("N_crit/N_opt == w_N^(1/beta)", "proved", None),
    ],
)
def test_letters_mean_what_they_mean_at_one_run(claim, answer, definitions) -> None:
    proof = prove(claim)
    assert proof.answer.value == answer, str(proof)
    if definitions is not None:
        assert list(proof.links[0].definitions) == definitions
    if definitions:
        assert f"by definition {', '.join(definitions)}" in str(proof)


def test_an_assumption_about_the_run_comes_before_the_definitions() -> None:
    """So do an equality other than the budget, and an inequality between letters that depend on
    each other.
    """
    assert prove("r == N/N_opt", assume=["C == 12*N*D"]).answer.value == "undecided"
    assert prove("C == 6*N*D", assume=["N == 2*D"]).answer.value == "undecided"
    assert prove("rho == r^-2", assume=["C == 6*N*D"]).answer.value == "proved"
    assert prove("L(N, D) >= L_opt", assume=["D == C/(6*N)"]).answer.value == "proved"
    assert prove("L(N, D) <= L_opt", assume=["C == 6*N*D"]).answer.value == "refuted"
    for assumption in ("C <= 6*N*D", "D >= C/(6*N)", "N*D >= C/12", "D == 20*N", "r == 2"):
        assert prove("L(N, D) >= L_opt", assume=[assumption]).answer.value in (
            "undecided",
            "refuted",
        )
    assert prove("rho == r^-2", assume=["rho <= 2*r^-2"]).answer.value == "undecided"
    assert prove("s == log(r)", assume=["s >= log(r)"]).answer.value == "undecided"
    assert prove("rho -> oo", limit="r -> 0").answer.value == "proved"
    assert prove("N + 1/r -> N", limit="r -> oo").answer.value == "proved"
    assert prove("9*N*r + x -> x", limit="r -> 0").answer.value == "proved"
    assert prove("N*x + r -> 0", limit="r -> 0").answer.value == "refuted"  # N is held
    assert (
        prove("N*C*x + r -> 0", limit="r -> 0").answer.value == "undecided"
    )  # N is held, or falls with r
    assert prove("Delta_C > 0").answer.value == "refuted"  # at r = 1
    assert prove("Delta_C/Delta_C == 1").links[0].decision.conditions != ()


# -- names and arguments -----------------------------------------------------------------------------------------------

AMBIGUOUS = {
    "L(N) == E + C0*N^-alpha": "ambiguous argument N of 'L'",
    "L(N) == E + A*N^-beta": "ambiguous argument N of 'L'",
    "L(D, N) == E": "ambiguous argument D of 'L'",
    "L(C, M) == E": "ambiguous argument C of 'L'",
    "N_opt(r) == 1": "ambiguous argument r of 'N_opt'",
    "P(1/rho) == 1": "ambiguous argument 1/rho of 'P'",
    "P(N) == 1": "ambiguous argument N of 'P'",
    "alpha(k) == alpha*k": "ambiguous 'alpha(k)'; write alpha*k",
    "C0(k) == C0*k": "ambiguous 'C0(k)'",
    "C_0 == C(0)": "ambiguous 'C(0)'",
    "f(x) == f*x": "ambiguous 'f(x)'",
    "i + n + sin(x) == i + n + s*i*n*x": "unknown name 'sin'",
    "1 + O(s^3) == P": "order term",
    "N == C/6D": "ambiguous division",
    "x == A/N^beta B": "ambiguous division",
    "2E-3 == 0.002": "ambiguous '2E-3'",
    r"\mathcal{N} = N": "two faces",
    r"\hat{L} = L": "two faces",
    r"\mathbf{N} N = N^2": "two faces",
}


@pytest.mark.parametrize("claim", AMBIGUOUS)
def test_what_may_mean_two_things_is_refused(claim) -> None:
    with pytest.raises(ParseError) as caught:
        prove(claim, latex="\\" in claim)
    message = str(caught.value)
    assert all(part in message for part in AMBIGUOUS[claim].split("; "))
    assert "\n" not in message


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        (r"A (N^*)^{-\beta} = w_N R^*", "proved"),
        (r"A \left(N^*\right)^{-\beta} = w_N R^*", "proved"),
        (r"D^{*} \left(\frac{w_N}{w_D}\right)^{2} = D^* \cdot w_N^2/w_D^2", "proved"),
        (r"N^{*} \sqrt{r} = N^* \cdot r^{1/2}", "proved"),
        (r"N^*(2C) = 2^{w_N} N^*(C)", "proved"),
        (r"\mathcal{L}(N, D) = E + A N^{-\beta} + B D^{-\gamma}", "proved"),
        (r"\hat{L}(N, D) = E + A N^{-\beta} + B D^{-\gamma}", "proved"),
    ],
)
def test_a_factor_in_parentheses_is_no_argument(claim, answer) -> None:
    assert prove(claim, latex=True).answer.value == answer


def test_conditions_and_sides_are_in_the_letters_of_the_notation() -> None:
    proof = prove("1/(alpha - beta) == (alpha + beta)/(alpha^2 - beta^2)", notation="hoffmann")
    assert proof.answer.value == "proved"
    assert [str(c) for c in proof.links[0].decision.conditions] == ["alpha - beta != 0"]
    assert {str(x) for x in proof.links[0].lhs.free_symbols} == {"alpha", "beta"}


# -- where the claim has a meaning -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "assume", "conditions"),
    [
        ("(beta - gamma)/(beta - gamma) == 1", [], ["beta - gamma != 0"]),
        ("1/(beta - gamma) - 1/(beta - gamma) == 0", [], ["beta - gamma != 0"]),
        ("(beta^2 - gamma^2)/(beta - gamma) == beta + gamma", [], ["beta - gamma != 0"]),
        (
            "log(beta - gamma)/log(beta - gamma) == 1",
            [],
            ["beta - gamma > 0", "log(beta - gamma) != 0"],
        ),
        ("sqrt(x - y)^2 == x - y", [], ["x - y > 0"]),
        ("(x^2 - y^2)/(x - y) == x + y", ["x > y"], ["x - y > 0"]),
        ("x^(1/(beta - gamma)) == x^(1/(beta - gamma))", [], ["beta - gamma != 0"]),
    ],
)
def test_what_cancels_leaves_its_condition(claim, assume, conditions) -> None:
    proof = prove(claim, assume=assume)
    assert proof.answer.value == "proved"
    assert [str(c) for c in proof.links[0].decision.conditions] == conditions


@pytest.mark.parametrize(
    "claim",
    [
        "(beta - gamma)/(beta - gamma) == 1",
        "1/(beta - gamma) - 1/(beta - gamma) == 0",
        "log(beta - gamma)/log(beta - gamma) == 1",
        "(beta^2 - gamma^2)/(beta - gamma) == beta + gamma",
    ],
)
def test_what_an_assumption_makes_meaningless_is_refused_though_it_cancels(claim) -> None:
    with pytest.raises(ParseError, match=r"zero|no real value|not positive"):
        prove(claim, assume=["beta == gamma"])


@pytest.mark.parametrize(
    ("claim", "limit", "assume", "answer"),
    [
        ("x > 1", None, "x >= 1", "refuted"),
        ("x >= 1", None, "x >= 1", "proved"),
        ("beta < gamma", None, "gamma >= beta", "refuted"),
        ("alpha < gamma/2", None, "beta <= gamma", "refuted"),
        ("alpha <= gamma/2", None, "beta <= gamma", "proved"),
        ("alpha < gamma/2", None, "beta < gamma", "proved"),
        ("D_opt/N_opt -> 0", "C -> oo", "beta <= gamma", "refuted"),
        ("D_opt/N_opt -> 0", "C -> oo", "beta < gamma", "proved"),
        ("D_opt/N_opt -> oo", "C -> oo", "beta > gamma", "proved"),
        ("P(r) ~ w_N*r^-beta", "r -> 0", "r > 5", "undecided"),
        ("P(r) ~ w_N*r^-beta", "r -> 0", "r < 5", "proved"),
        ("1/(x - y) == (x + y)/(x^2 - y^2)", None, "x != y", "proved"),
    ],
)
def test_assumptions_say_what_they_say(claim, limit, assume, answer) -> None:
    assert prove(claim, limit=limit, assume=[assume]).answer.value == answer


@pytest.mark.parametrize(
    ("claim", "limit", "assume"),
    [("L_opt -> E", "C -> oo", "C == 6*N*D"), ("P(r) -> P(2)", "r -> 0", "r == 2")],
)
def test_a_limit_needs_a_variable_that_moves(claim, limit, assume) -> None:
    with pytest.raises(ParseError, match="cannot tend to a limit where"):
        prove(claim, limit=limit, assume=[assume])


def test_assumptions_about_a_run_meet_the_letters_of_the_claim() -> None:
    assert prove("r > 1", assume=["N > N_opt"]).answer.value == "proved"
    assert prove("r > 1", assume=["D > D_opt"]).answer.value == "refuted"
    assert prove("1/(C - 6*N*D) == 1/(C - 6*N*D)^2").answer.value == "refuted"


def test_a_claim_that_takes_too_long_is_undecided(monkeypatch) -> None:
    def endless(*_, **__):
        while True:
            deadline.check()

    assert prove("alpha == beta*w_N", seconds=60).answer.value == "proved"
    monkeypatch.setattr("isoflop.theory.claim.question.decide", endless)
    proof = prove("alpha >= 0 == x", seconds=2)
    assert [link.decision.answer.value for link in proof.links] == ["proved", "undecided"]
    assert "not decided within 2 seconds" in str(proof)
    with pytest.raises(ValueError, match="seconds=0: must be positive"):
        prove("x == x", seconds=0)


@pytest.mark.parametrize(
    ("claim", "assume", "answer"),
    [
        ("s^2 + s/10^6 >= 0", ["s < 1"], "refuted"),
        ("s^2 > 0", ["s < 1"], "refuted"),
        ("abs(s) > 0", ["s < x"], "refuted"),
        ("x^2 <= x", ["x < 1"], "proved"),
        ("x > 1", ["x >= 1", "x != 1"], "proved"),
        ("beta > gamma", ["beta >= gamma", "beta != gamma"], "proved"),
        ("L_opt > R_opt", ["E != 0"], "proved"),
        ("E < 1", ["E <= 1", "E != 1"], "proved"),
        ("x*(x - 1)/(x - 1) > 1", ["x >= 1"], "proved"),
        ("E^2/E > 0", [], "proved"),
        ("E > 0", [], "refuted"),
    ],
)
def test_points_where_a_claim_has_no_meaning_are_no_witnesses(claim, assume, answer) -> None:
    found = prove(claim, assume=assume).answer.value
    assert found == answer or (answer == "refuted" and found == "undecided")


def test_a_derivative_knows_what_a_name_stands_for() -> None:
    names = ["x == 20*N_opt/D_opt"]
    claim = r"\frac{\partial \log x}{\partial \log C} = w_N - w_D"
    assert prove(claim, latex=True, define=names).answer.value == "proved"
    wrong = r"\frac{\partial \log x}{\partial \log C} = w_D - w_N"
    assert prove(wrong, latex=True, define=names).answer.value == "refuted"


def test_an_optimum_before_a_power_of_compute_may_be_a_factor() -> None:
    printed = r"N^{*} \left(\frac{C}{6}\right)^{-\gamma/(\beta + \gamma)} = G"
    with pytest.raises(ParseError, match="ambiguous 'N_opt'"):
        prove(printed, latex=True)
    product = r"N^{*} \cdot \left(\frac{C}{6}\right)^{-\gamma/(\beta + \gamma)} = G"
    assert prove(product, latex=True).answer.value == "proved"
    assert prove("N_opt(2*C) == 2^w_N*N_opt").answer.value == "proved"
    assert prove("(N_opt(2*C))^2 == 4^w_N*N_opt^2").answer.value == "proved"


@pytest.mark.parametrize("claim", ["P^2(r) >= 1", "N_opt^2(C) == N_opt(C)^2", "P^{2}(r) >= 1"])
def test_the_power_of_a_function_is_no_power_times_its_argument(claim) -> None:
    with pytest.raises(ParseError, match="for the power of the value"):
        prove(claim, latex="{" in claim)
    assert prove("N_opt^2 (C/6) >= 0").answer.value == "proved"


def test_measures_of_several_samples() -> None:
    """pass@k is a function of the user's own, and else unknown."""
    lets = ("fail@k := (1 - p)^k", "pass@k := 1 - fail@k")
    assert prove("fail@(k + 1) == (1 - p)*fail@k", let=lets).answer.value == "proved"
    assert prove("pass@(2*k) >= pass@k", let=lets, assume=["p < 1"]).answer.value == "proved"
    assert prove("pass@2 == 2*p", let=lets).answer.value == "refuted"
    with pytest.raises(ParseError, match="unknown"):
        prove("pass@k > 0")
    assert prove("f(2) == 6*x/x", let=("f(x) := k*x", "k := 3")).answer.value == "proved"
    with pytest.raises(ParseError, match="by way of itself"):
        prove("f(2) > 0", define=["f(x) == g(x)", "g(x) == f(x)"])
