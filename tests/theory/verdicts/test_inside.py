"""Values of one function without a formula: what holds between its arguments holds between them."""

import pytest

from isoflop.theory.algebra.tokens import ParseError
from isoflop.theory.verdicts.prove import prove

LEAST = "R(N, D)", "C0*(6*N*D)^-alpha"


@pytest.mark.parametrize(
    ("claim", "assume", "answer"),
    [
        ("h(x + x) == h(2*x)", [], "proved"),
        ("h(R(r*N_opt, D_opt/r)) == h(C0*P(r)*C^-alpha)", [], "proved"),
        ("h({}) >= h({})", ["dh(y)/dy > 0"], "proved"),
        ("h({}) >= h({})", ["dh/dy > 0"], "proved"),
        ("h({}) <= h({})", ["h'(y) < 0"], "proved"),
        ("h({}) <= h({})", ["-dh(y)/dy > 0"], "proved"),
        ("f(w_D) > f(w_N)", ["f'(y) > 0", "beta > gamma"], "proved"),
        ("f(w_D) > f(w_N)", ["f'(y) > 0", "beta >= gamma"], "undecided"),
        ("h({}) <= h({})", ["dh(y)/dy > 0"], "undecided"),
        ("h({}) >= h({})", ["dh(y)/dy < 0"], "undecided"),
        ("h({}) > h({})", ["dh(y)/dy > 0"], "undecided"),
        ("g(x - y) < g(x)", ["g'(z) > 0"], "undecided"),  # x - y may leave the domain
        ("h(x) <= h(2*x)", ["h'(y) > 0"], "proved"),
    ],
)
def test_a_claim_on_two_values(claim, assume, answer) -> None:
    assert prove(claim.format(*LEAST), assume=assume).answer.value == answer


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("h(x) == h(2*x)", []),  # a product, or a constant
        ("h(x) >= h(2*x)", []),
        ("h(x) <= h(2*x)", ["h'(x) > 0"]),  # at one x alone
        ("h(x) <= h(2*x)", ["g'(y) > 0"]),
        ("h(x) <= h(2*x)", ["dh(z)/dy > 0"]),
        ("h(x, y) == h(x, y)", []),
        ("h(x) + 1 == h(x) + 1", []),
        ("h(x) == f(x)", []),
    ],
)
def test_what_else_such_letters_may_mean_is_refused(claim, assume) -> None:
    with pytest.raises(ParseError):
        prove(claim, assume=assume)


def test_a_function_that_is_defined_means_its_definition() -> None:
    assert prove("h(x) == h(2*x)", define=["h(x) == 3"]).answer.value == "proved"
    assert prove("h(x) == h(2*x)", define=["h(x) == x"]).answer.value == "refuted"


def test_latex() -> None:
    claim = r"h\left(R(N, D)\right) \ge h\left(C_0 (6 N D)^{-\alpha}\right)"
    proof = prove(claim, latex=True, assume=[r"\frac{\partial h(y)}{\partial y} > 0"])
    assert "inside h, which increases: weighted AM-GM" in str(proof)
