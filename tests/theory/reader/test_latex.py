"""LaTeX formulas are read as the equivalent plain text, or are refused."""

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Expr

from isoflop.theory.claim.vocabulary import vocabulary
from isoflop.theory.kernel import is_zero
from isoflop.theory.reader.latex import tokenize_latex
from isoflop.theory.reader.parse import read
from isoflop.theory.reader.tokens import ParseError, tokenize


def reading(text: str, *, latex: bool = False, **values: Expr) -> Expr:
    """An expression in the names of the law, in free letters, and in names of these values."""
    words = vocabulary()
    tokens = tokenize_latex(text) if latex else tokenize(text)
    names = [token.text for token in tokens if token.kind == "name"]
    free = {name: words.free_symbol(name) for name in names if name not in words.names}
    table = dict(words.names) | {name: symbol for name, symbol in free.items() if symbol} | values
    return read(text, tokens, table, letters=words.names.keys())


#: A formula in LaTeX, and the same in plain text, without the marks that LaTeX has for it.
SAME = {
    # the optimum: its spellings, and its value before any bracket, behind braces and macros
    **dict.fromkeys(
        [
            "N^{*}", r"N^\star", r"N_{*}", r"N_{\mathrm{opt}}", r"N_{\rm opt}", r"N_\text{opt}", r"N^{\mathrm{opt}}",
            "{N^*}(C)", r"{ {N^{\star}} }(C)", r"\ensuremath{N^{\star}}\xspace(C)", r"{\color{red} N^*}(C)",
            r"N_{\mathrm{opt}}[C]", r"N^*\{C\}", r"N^\star{(C)}", r"N^*\left[C\right]", r"N^*\!\bigl(C\bigr)", "N^*{}(C)",
        ],
        "N_opt",
    ),
    r"N^*(2C)": "G*(2*C/6)^w_N",
    r"{L}(N, D)": "E + A*N^-beta + B*D^-gamma",
    r"\mathcal{L}(N, D)": "L",
    r"(N^{*})^{-\beta} (D^*)^\gamma": "N_opt^-beta*D_opt^gamma",
    r"P(e^{x})": "w_N*exp(-beta*x) + w_D*exp(gamma*x)",
    r"P(\rho)": "P(rho^(-1/2))",
    # numbers, products, powers, roots
    r"\tfrac12 N": "N/2",
    r"x^-2 y": "y/x^2",
    r"6\,N\cdot D \times r": "6*N*D*r",
    r"20{,}000 \times 10^{3}": "2e7",
    r"\sqrt[3]{x^{6}\,}": "x^2",
    r"\bigl[ x + 1 \bigr] \left(y\right)": "(x + 1)*y",
    r"\frac{βγ}{β+γ}": "alpha",
    r"C_T\left(\frac{D^{\gamma_D}}{N^{\gamma_N}}\right) e^{-x/\gamma_w}": "C_T*D^gamma_D*N^-gamma_N*exp(-x/gamma_w)",
    # functions
    r"\mathrm{e}^{-x} + \exp\{-x\}": "2*exp(-x)",
    r"\log^2 x + \ln x^2": "log(x)^2 + log(x^2)",
    r"\log_{10} x + \log_2^2(x)": "log10(x) + log2(x)^2",
    r"\log \frac{C}{6} - \log N^*(C)": "log(C) - log(6) - log(N_opt)",
    r"\operatorname{expm1}(\operatorname{log1p}(x))": "x",
    r"\left| x \right| + |x|": "2*x",
    # derivatives, and values at a place
    r"\frac{\partial L}{\partial N}": "-beta*A*N^(-beta-1)",
    r"\frac{\partial^2 L}{\partial N \partial D}": "0",
    r"2 \frac{dL}{dN} N": "-2*beta*A*N^-beta",
    r"\left(\frac{dL}{dN}\right)^2": "(beta*A*N^(-beta-1))^2",
    r"\frac{d \log N^*}{d \log C} + \frac{\partial^2 \log N^*}{\partial (\log C)^2}": "gamma/(beta + gamma)",
    r"\left.\frac{\partial L}{\partial N}\right|_{N=N^*, D=D^*}": "-beta*A*N_opt^(-beta-1)",
    r"\left.\frac{\partial L}{\partial N}\right|_{(N^*, D^*)}": "-beta*A*N_opt^(-beta-1)",
    r"\frac{\partial L}{\partial N}(N^*, D^*)": "-beta*A*N_opt^(-beta-1)",
    r"\frac{dP}{dr}(1)": "0",
    r"\frac{dL}{dN} \left(\frac{dN^*}{dC}\right)": "-beta*A*N^(-beta-1)*w_N*N_opt/C",
    r"P''(1)": "beta*gamma",
}  # fmt: skip


#: Plain text whose signs have to be understood, and the same spelt out.
PLAIN = {
    "N_opt[C]": "G*(C/6)^w_N",
    "A [N^-beta + 1]": "A*N^-beta + A",
    "x·y × x_α": "x*y*x_alpha",
    "dL/dN(N_opt, D_opt)": "-beta*A*N_opt^(-beta-1)",
    "d log(N_opt)/d log(C)": "w_N",
    "P'(1)": "0",
    "(dL/dN)^2": "(beta*A*N^(-beta-1))^2",
}


@pytest.mark.parametrize("text", [*SAME, *PLAIN])
def test_means_the_same_as_what_is_spelt_out(text) -> None:
    found = reading(text, latex=text in SAME)
    assert is_zero(found - reading({**SAME, **PLAIN}[text]))


@pytest.mark.parametrize(
    ("latex", "names"),
    [
        (r"\mathcal{E}_0 C_0 C", "E_mathcal_0 C0 C"),
        (r"\mathrm{pass}@k \text{pass@}k \mathrm{pass}@(k + j)", "pass_at k pass_at k pass_at k j"),
        (r"\mathrm{pass}@{10}", "pass_at"),
        (r"\varepsilon_{ij} \beta\gamma α_N", "epsilon_ij beta gamma alpha_N"),
        (r"\alpha_N \gamma_{\text{w}} w_{x_1}", "alpha_N gamma_w w_x1"),
        (r"R_D^* R^*_D R_{D}^{\ast}", "R_D_star R_D_star R_D_star"),
        (r"D' D^\prime D'' \alpha'", "D_prime D_prime D_prime_prime alpha_prime"),
        (r"\hat N \widehat{N} \tilde{N} \bar N_c", "N_hat N_hat N_tilde N_bar_c"),
        (r"C_{0,1} x_{12} \hat{E}_0 N_{\text{non-emb}}", "C0_1 x12 E_hat_0 N_non_emb"),
        (r"\text{FLOPs} \mathrm{Loss}_{\text{test}}", '"FLOPs" "Loss"_test'),
        (r"\Delta C \Delta\alpha \alpha_C^{\min}", "Delta_C Delta_alpha alpha_C_min"),
        (r"{N_c}^* {\hat N}' \boldsymbol{\theta}", "N_c_star N_hat_prime theta_boldsymbol"),
    ],
)
def test_names(latex, names) -> None:
    assert [token.text for token in tokenize_latex(latex) if token.kind == "name"] == names.split()


#: What may mean two things, or means nothing here, with a piece of the message.
REFUSED = {
    # a mixed number, or a product
    r"2\tfrac12": "it may be a unit or a sum",
    # a function, or a product
    r"\left(N^*\right)(C)": "ambiguous '(N_opt)(C)' at position 7",
    r"{N}(C)": "write N_opt(C) for the value, '*' for a product",
    r"h \left(\frac{q}{6}\right)^{\beta}": "ambiguous 'h(q/6)' at position 1: write '*'",
    r"\tilde{L}(N, D)": "ambiguous 'L_tilde(N,D)'",
    r"f^{-1}(x)": "ambiguous 'f^-1(x)'",
    r"P^2(r)": "for a product",
    r"N^*(2C)^2": "ambiguous 'N_opt'",
    r"L(D, N)": "ambiguous argument D of 'L'",
    r"\frac{dP}{dr}(1 + r)": "an ambiguous derivative",
    r"\frac{\partial L}{\partial N}(N^*)": "its values are at (N, D)",
    r"\log_{b} x": "the base of a logarithm is 2 or {10}, not '_' at position 5",
    r"\log x y": "parentheses are expected around the argument of log before 'y' at position 8",
    r"\sinh^{-1} x": "the inverse function",
    r"\frac{A}{N^\beta} B / 2 C": "ambiguous division",
    # no value: orders, least values, prose, units
    r"\Theta(C^{-\alpha})": "an order term 'Theta(...)'",
    r"\min_{N, D} L": "cannot read '_' at position 5",
    r"\operatorname{arg\,min} L": r"cannot read '\\operatorname' at position 1",
    r"\binom{n}{2} + 4!": "in theorems alone",
    r"\sum_{i} x": r"cannot read '\\sum' at position 1",
    r"\text{the harmonic sum}": r"cannot read '\\text'",
    r"6 N D\,\text{FLOPs}": "an operator is expected before",
    r"7\mathrm{B}": "may be a unit",
    # marks that say two things
    r"C^{(1)}": "a label or an exponent",
    r"N_{i+1}": "cannot read the subscript",
    r"\tfrac{D}{N}\Big|_{\text{opt}}": r"cannot read '\\Big'",
    r"\underbrace{N^*}_{x}(C)": r"cannot read '\\underbrace'",
    r"N^* (r/2)^\beta": "ambiguous 'N_opt'",
    r"\left. x \right|_{N^*}": "N is no letter of it",
    r"\left. L \right|_{L^*}": "a value reads N = 1",
    r"\bigl| |x| \bigr|": r"cannot read '\\bigl'",
    r"\left(\frac{\partial L}{\partial N}\right)_C": "cannot read '_'",
    r"N^{*\beta}": "ambiguous 'beta' behind a star",
    r"L'": "unknown name 'L_prime'",
    r"\partial_N L": "cannot read '_'",
    r"x \quad y": "unexpected ','",
    r"\mathrm\quad": r"cannot read '\\mathrm'",
    r"L \overset{d}{=} E": r"cannot read '\\overset'",
    "n!=2": "cannot read '!'",
    r"{(x^12) y}": "an operator is expected before '2' at position 6",
    r"x^12": "an operator is expected before '2' at position 4",
    # what is not finished, or is no formula
    r"\frac{1}{2": r"never closed: '{' at position 9",
    r"\left. x": "never closed",
    r"x}": "cannot read '}' at position 2",
    r"x # y": "cannot read '#' at position 3",
    r"\write18{ls}": r"cannot read '\\write' at position 1",
    r"\pi r": "unknown name 'pi' at position 1",
    "{" * 60 + "x" + "}" * 60: "nested deeper",
    "x" * 5_000: "at most 4000 are read",
    r"\mathrm{" * 490: "",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:30])
def test_what_may_mean_two_things_or_nothing_is_refused_with_its_place(text) -> None:
    start = time.process_time()
    with pytest.raises(ParseError) as caught:
        reading(text, latex=True)
    assert REFUSED[text] in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.process_time() - start < 2


def test_a_letter_that_is_defined_as_a_value_is_a_factor_or_refused() -> None:
    text = r"k \left(\frac{C}{6}\right)^{w_N}"
    assert is_zero(reading(text, latex=True, k=reading("G")) - reading("N_opt"))
    with pytest.raises(ParseError, match="ambiguous 'k"):
        reading("k(x + 1)", latex=True, k=reading("x^2"))


@pytest.mark.parametrize("text", ["(N_opt)(C)", "Theta(C)", "max(x)", 'C "FLOPs"', "P^2(r)", "x^N(C)", "70B", "1.4T"])  # fmt: skip
def test_plain_text_with_two_meanings_is_refused(text) -> None:
    with pytest.raises(ParseError):
        reading(text)


RELATIONS = {
    "propto": r"\propto", "approx": r"\approx \simeq", "implies": r"\implies \Rightarrow", "iff": r"\iff",
    "==": r"\coloneqq := == \equiv", "<=": r"\leqslant <=", "<": r"\lt", "->": r"\to", "!=": r"\neq !=", "~": r"\sim",
}  # fmt: skip


def test_the_names_of_relations() -> None:
    for name, spellings in RELATIONS.items():
        for relation in spellings.split():
            tokens = tokenize_latex(f"x {relation} y")
            assert [(token.kind, token.text) for token in tokens[1:-1]] == [("relation", name)]


PIECES = [
    r"\frac", r"\sqrt", r"\left(", r"\right)", r"\log", r"\exp", r"\cdot", r"\alpha", r"\mathrm", r"\text", r"\le", "{", "}",
    "[", "]", "(", ")", "^", "_", "^{*}", "_{opt}", "N", "D", "C", "x", "e", "d", "1", "12", ".5", "+", "-", "/", "|", "=",
    "<", "&", r"\\", r"\,", "~", "@", "%", ",", ".", " ", "\n", r"\label{a}", r"\{", r"\}", "'", "!", r"\left.",
    r"\right|_", r"\partial", r"\hat", r"\min", r"\quad",
]  # fmt: skip


@settings(max_examples=120)
@given(text=st.lists(st.sampled_from(PIECES), max_size=15).map("".join))
def test_any_latex_is_read_or_refused(text) -> None:
    start = time.process_time()
    with suppress(ParseError):
        assert all(0 <= token.position <= len(text) for token in tokenize_latex(text))
        reading(text, latex=True)
    assert time.process_time() - start < 1
