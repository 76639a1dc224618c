"""A function of the law before a bracket, words, orders and signs: each is read as papers mean it, or is
refused.
"""

import unicodedata

import pytest

from isoflop.theory.reader.tokens import GREEK, GREEK_SIGNS, ParseError, tokenize
from isoflop.theory.verdicts.prove import prove

VALUE, TIMES_C = "G (C/6)^{w_N}", "C G (C/6)^{w_N}"

#: Spellings of N*(C), each of which is a value and no product with C.
OPTIMA = [
    r"{N^\star}(C)",
    r"{ {N^{\star}} }(C)",
    r"\ensuremath{N^\star}(C)",
    r"\ensuremath{N^{\star}}\xspace(C)",
    r"{\color{red} N^*}(C)",
    r"N_{\mathrm{opt}}[C]",
    r"N^*\{C\}",
    r"N^\star{(C)}",
    r"N^*\left[C\right]",
]


@pytest.mark.parametrize("optimum", OPTIMA)
def test_a_function_behind_braces_or_before_any_bracket_is_applied(optimum) -> None:
    assert prove(f"{optimum} = {VALUE}", latex=True).answer.value == "proved"
    assert prove(f"{optimum} = {TIMES_C}", latex=True).answer.value == "refuted"


#: What is read, with its verdict, in LaTeX.
READ = {
    r"{P}(r) \ge r": "refuted",
    r"{P}(r) \ge 1": "proved",
    r"P\left[r\right] \ge 1": "proved",
    r"{L}(N, D) = E + A N^{-\beta} + B D^{-\gamma}": "proved",
    r"L[N, D] \le E": "refuted",
    r"D^*(C)\left(N^*\right) = C/6": "proved",
    r"{N^\star}^2 = (N^*)^2": "proved",
    r"A{N}^{-\beta} = A N^{-\beta}": "proved",
    r"{\color{red} \alpha = \frac{\beta\gamma}{\beta+\gamma}}": "proved",
    r"N^* \frac{D^*}{r} r = C/6": "proved",
    r"x^-2 = 1/x^2": "proved",
    r"x^-2 y = x^{-2y}": "refuted",
    r"x^-\alpha = 1/x^\alpha": "proved",
    r"50\% = 1/2": "proved",
    r"5\% x = x/20": "proved",
    r"\frac{βγ}{β+γ} = \alpha": "proved",
    r"γ = \beta": "refuted",
}


@pytest.mark.parametrize("text", READ)
def test_latex_is_read_as_it_is_printed(text) -> None:
    assert prove(text, latex=True).answer.value == READ[text]


#: What is refused, with a piece of the reason.
REFUSED = {
    r"\left(N^*\right)(C) = C": "ambiguous '(N_opt)(...)'",
    r"\underbrace{N^*}_{x}(C) = C": "ambiguous '(N_opt)(...)'",
    r"(N^*)[C] = C": "ambiguous '(N_opt)(...)'",
    r"{N}(C) = 1": "ambiguous 'N(C)'",
    r"N[C] = 1": "ambiguous 'N(C)'",
    r"\left(N\right)(C) = 1": "ambiguous '(N)(...)'",
    r"\log{N^*}(C) = 1": "parentheses are expected",
    r"L^* = E + \Theta(C^{-\alpha})": "'Theta(...)'",
    r"L^* = E + o(C^{-\alpha})": "'o(...)'",
    r"L^* = E + \Omega(C^{-\alpha})": "'Omega(...)'",
    r"L^* = E + \tilde{O}(C^{-\alpha})": "'O(...)'",
    r"\alpha = \text{the harmonic sum}": "is prose",
    r"C = 6 N D\,\text{FLOPs}": "a unit or prose",
    r"\text{share} x = x": "a unit or prose",
    r"L^*(C) = \min(L(N, C/(6N)))": "at least two values",
    r"1 = x^-": "braces are expected",
    r"1 = x^-\frac": "ends where a numerator is expected",
    r"x^-(2) = 1": "braces are expected",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_value_is_refused(text) -> None:
    with pytest.raises(ParseError) as caught:
        prove(text, latex=True)
    assert REFUSED[text] in str(caught.value)


#: What is read, with its verdict, in plain text.
PLAIN = {
    "N* D* = C/6": "proved",
    "6 N* D* = C": "proved",
    "N* D*(C) = C/6": "proved",
    "N* D_opt = C/6": "proved",
    "N* D* R* = C R*": "refuted",
    "N*D_opt = N_opt*D_opt": "refuted",
    "N*D = C/6": "proved",
    "N * D* = N D_opt": "proved",
    "L* = E + C0*C^-alpha": "proved",
    "N_opt[C] = G*(C/6)^w_N": "proved",
    "A [N^-beta + 1] = A*N^-beta + A": "proved",
    "α = βγ/(β+γ)": "proved",
    "ρ = r^-2": "proved",
    "α_N = α": "undecided",
    "x_α = x_alpha": "proved",
    "x·y ≤ x×y + 1": "proved",
    "x − y ≠ x + y": "proved",
    "max(x, y) ≥ x": "proved",
}


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_is_read_as_it_is_meant(text) -> None:
    assert prove(text).answer.value == PLAIN[text]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("N*D* = C/6", "two optima"),
        ("(N_opt)(C) = 1", "ambiguous"),
        ("Theta(C) = 1", "an order term"),
        ("L_opt(C) == min(L(N, C/(6*N)))", "at least two values"),
        ("max(x) = x", "at least two values"),
    ],
)
def test_plain_text_with_two_meanings_is_refused(text, reason) -> None:
    with pytest.raises(ParseError, match=reason):
        prove(text)


def test_greek_signs_are_the_letters_that_unicode_names() -> None:
    for sign, name in GREEK_SIGNS.items():
        spelt = {"LAMDA": "LAMBDA", "L": "ELL"}
        last = unicodedata.name(sign).removesuffix(" SYMBOL").rpartition(" ")[2]
        assert name.upper() == spelt.get(last, last)
        assert [token.text for token in tokenize(f"2{sign}_1'")][1] == f"{name}_1_prime"
    assert set(GREEK_SIGNS.values()) - {"ell"} == GREEK
