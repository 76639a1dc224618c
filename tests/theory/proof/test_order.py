"""Expansions with a remainder O(u^n)."""

import pytest

from isoflop.theory.proof.prove import prove

EXPANSIONS = {
    r"P = 1 + \frac{\beta\gamma}{2} s^2 - \frac{\beta\gamma(\beta-\gamma)}{6} s^3 + O(s^4)": "proved",
    r"P = 1 + \frac{\beta\gamma}{2} s^2 + \frac{\beta\gamma(\beta-\gamma)}{6} s^3 + O(s^4)": "refuted",
    r"P = 1 + \frac{\beta\gamma}{2} s^2 + O(s^3)": "proved",
    r"P = 1 + \frac{\beta\gamma}{2} s^2 + O(s^4)": "refuted",
    r"P = 1 + \frac{\beta \gamma}{8} (\log \rho)^{2} + O\left((\log \rho)^{3}\right)": "proved",
    r"P = 1 + \frac{\beta \gamma}{4} (\log \rho)^{2} + O\left((\log \rho)^{3}\right)": "refuted",
    r"\frac{C_{\mathrm{eff}}}{C} = 1 - \frac{\beta+\gamma}{2} s^2 + \mathcal{O}(s^3)": "proved",
    r"e^x = 1 + x + \frac{x^2}{2} + O(x^3)": "proved",
    r"\log(1+x) + O(x^3) = x - x^2/2": "proved",
    r"\frac{1}{1-x} = 1 + O(x^2)": "refuted",
    r"P = 1 + O(r^2)": "undecided",
    r"x^\beta = O(x^2)": "undecided",
    r"\sqrt{x} = O(x)": "undecided",
    r"O(x) + O(x^2) = x": "undecided",
    r"x \ge O(x)": "undecided",
    r"x O(x) = x^2": "undecided",
}


@pytest.mark.parametrize("text", EXPANSIONS)
def test_an_expansion_holds_up_to_its_order(text) -> None:
    proof = prove(text, latex=True)
    assert proof.answer.value == EXPANSIONS[text]
    assert "O" not in proof.free
