"""What readers of the package found: forms that were misread, and what was proved or refuted wrongly."""

import pytest

from isoflop import law
from isoflop.theory.claim.prove import prove
from isoflop.theory.reader.tokens import ParseError


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("N*(C) == G*(C/6)^w_N", "proved"),
        ("N*(C) == G*(C/6)^w_D", "refuted"),
        ("L*(C) == E + C0 C^-alpha", "proved"),
        ("D*(C)/N*(C) == D_opt/N_opt", "proved"),
        ("D*/N* == D_opt/N_opt", "proved"),
        ("N* propto C^(gamma/(beta + gamma))", "proved"),
        ("C == 6*N* * D*", "proved"),
        ("6*N*D == C", "proved"),
        ("N*(C - C) == 0", "proved"),  # a product
    ],
)
def test_a_star_in_plain_text_is_the_optimum_where_no_factor_can_follow(claim, answer) -> None:
    assert prove(claim).answer.value == answer


def test_every_line_that_derive_prints_as_text_is_proved(run_cli) -> None:
    printed = run_cli("derive").out.split("Proofs")[0].splitlines()
    claims = [line.strip() for line in printed if " = " in line and not line.endswith(":")]
    assert len(claims) >= 9
    assert [claim for claim in claims if prove(claim).answer.value != "proved"] == []


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("N_opt propto C^0.51", "proved"),
        ("N_opt propto C^0.49", "refuted"),
        ("L_opt - E propto C^(-0.178)", "proved"),
        ("L_opt - E propto C^0.178", "refuted"),
        ("L_opt propto C^-0.178", "undecided"),  # no power
        ("L_opt - E propto C^2*0.5", "undecided"),  # a product
    ],
)
def test_a_proportion_to_a_power_in_numbers_is_decided_at_a_law(claim, answer) -> None:
    assert prove(claim, law=law("besiroglu2024")).answer.value == answer


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("1/3 == 0.33", "proved"),
        ("1/3 == 0.34", "refuted"),
        ("0.28*410.7/(0.34*406.4) == 115.0/138.2", "proved"),
        ("1.000000000000000000001 == 1", "refuted"),
        ("1/3 == 33/100", "refuted"),
    ],
)
def test_decimals_stand_for_what_rounds_to_them_without_a_law_as_well(claim, answer) -> None:
    assert prove(claim).answer.value == answer


def test_a_slope_is_known_at_a_letter_of_which_nothing_else_is_assumed() -> None:
    with pytest.raises(ParseError):
        prove("h(x + y) > h(x)", assume=["h'(z) > 0", "z > x + y"])
