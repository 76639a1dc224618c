"""Formulas as papers typeset them, read from LaTeX; what cannot be read is named with its place."""

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isoflop.theory.reader.latex import tokenize_latex
from isoflop.theory.reader.parse import read
from isoflop.theory.reader.tokens import ParseError, Token
from isoflop.theory.reader.vocabulary import vocabulary
from isoflop.theory.typeset.printer import render
from isoflop.theory.verdicts.prove import prove

#: Claim, notation, assumptions, limit, verdict. The forms are those of Hoffmann et al. (2022),
#: Schaeffer et al. (2025) and Krajewski et al. (2025), in their notations and with usual
#: variations, some with a mistake.
EQUATIONS = [
    (r"L(N,D) = E + \frac{A}{N^\alpha} + \frac{B}{D^\beta}", "hoffmann", (), None, "proved"),
    (r"L(N, D) \triangleq E + \frac{A}{N^{\alpha}} + "
     r"\frac{B}{D^{\beta}}.", "hoffmann", (), None, "proved"),
    (r"N_{opt}(C) = G \left(\frac{C}{6}\right)^{a}, ", "hoffmann", (), None, "proved"),
    (r"D_{opt}(C) = G^{-1} {\left(\frac{C}{6}\right)}^b", "hoffmann", (), None, "proved"),
    (r"G = {\left(\frac{\alpha A}{\beta B} \right)}^{\frac{1}{\alpha + "
     r"\beta}}", "hoffmann", (), None, "proved"),
    (r"a = \frac{\beta}{\alpha+\beta}", "hoffmann", (), None, "proved"),
    (r"b = \frac{\beta}{\alpha+\beta}", "hoffmann", (), None, "refuted"),
    (r"a + b = 1", "hoffmann", (), None, "proved"),
    (r"\hat L(N,D) = E + A N^{-\alpha} + B D^{-\beta}", "hoffmann", (), None, "proved"),
    (r"C_0 = \mathcal{E}_0", "schaeffer", (), None, "undecided"),
    (r"\alpha = \frac{\beta\,\gamma}{\beta+\gamma}", "schaeffer", (), None, "proved"),
    (r"\alpha^{-1} = \beta^{-1} + \gamma^{-1}", "schaeffer", (), None, "proved"),
    (r"\alpha^{-1} = \tfrac12 \left( \beta^{-1} + \gamma^{-1} "
     r"\right)", "schaeffer", (), None, "refuted"),
    (r"N^{*}(C) \cdot D^{\star}(C) = \frac{C}{6}", "schaeffer", (), None, "proved"),
    (r"N^* = \Big(\dfrac{\beta A}{\gamma B}\Big)^{1/(\beta+\gamma)} "
     r"(C/6)^{w_N}", "schaeffer", (), None, "proved"),
    (r"D^\star = \left[ \frac{\gamma B}{\beta A} \right]^{1/(\beta+\gamma)} \left( \frac{C}{6} "
     r"\right)^{\beta/(\beta+\gamma)}",
     "schaeffer", (), None, "proved"),
    (r"D^\star = \left[ \frac{\beta A}{\gamma B} \right]^{1/(\beta+\gamma)} \left( \frac{C}{6} "
     r"\right)^{\beta/(\beta+\gamma)}",
     "schaeffer", (), None, "refuted"),
    (r"\beta \, A \, N_{\mathrm{opt}}^{-\beta} = \gamma \, B \, "
     r"D_{\mathrm{opt}}^{-\gamma}", "schaeffer", (), None, "proved"),
    (r"L^{*}(C) - E = C_0\, C^{-\alpha}", "schaeffer", (), None, "proved"),
    (r"L(C) = E + C_0 C^{-\alpha}", "schaeffer", (), None, "proved"),
    (r"\log \left( L_{\text{opt}} - E \right) = \log C_0 - \alpha \ln "
     r"C", "schaeffer", (), None, "proved"),
    (r"\log N^{*}(C) = \log G + \frac{\gamma}{\beta + \gamma} \log "
     r"\frac{C}{6}", "schaeffer", (), None, "proved"),
    (r"P(r) = \frac{\gamma}{\beta+\gamma} r^{-\beta} + \frac{\beta}{\beta+\gamma} "
     r"r^{\gamma}", "schaeffer", (), None, "proved"),
    (r"P(r) \ge 1", "schaeffer", (), None, "proved"),
    (r"P(e^{x}) = \frac{\gamma e^{-\beta x} + \beta e^{\gamma x}}{\beta + "
     r"\gamma}", "schaeffer", (), None, "proved"),
    (r"P(r) \sim w_N\, r^{-\beta}", "schaeffer", (), r"r \to 0^+", "proved"),
    (r"P(r) \sim w_N\, r^{\gamma}", "schaeffer", (), r"r \to \infty", "refuted"),
    (r"\frac{D^*}{N^*} = \frac{C}{6\,(N^{*})^{2}}", "schaeffer", (), None, "proved"),
    (r"L(N, D) \geq L^\star(C)", "schaeffer", ("C = 6ND",), None, "proved"),
    (r"N = \sqrt{\frac{C}{6\rho}}", "schaeffer", ("C = 6ND", r"\rho = \frac{D}{N}"), None, "proved"),
    (r"\sqrt[3]{x^{6}\,} = x^2", "schaeffer", (), None, "proved"),
    (r"\exp\left(-\beta \ln N\right) A = \mathrm{T}_N", "schaeffer", (), None, "proved"),
    (r"20 \times 10^{3} = 20{,}000", "schaeffer", (), None, "proved"),
    (r"\left| x - y \right| \leqslant \lvert x \rvert + "
     r"|y|", "schaeffer", ("x > y",), None, "proved"),
    (r"-\frac{1}{\beta} - \frac{1}{\gamma} = -\frac{1}{\alpha}", "schaeffer", (), None, "proved"),
    (r"w_N + w_D \equiv 1 = \frac{T_N(N^*) + T_D(D^*)}{R^*}", "schaeffer", (), None, "proved"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "notation", "assume", "limit", "verdict"),
    EQUATIONS,
    ids=[case[0] for case in EQUATIONS],
)
def test_equations_of_papers(text, notation, assume, limit, verdict) -> None:
    assert (
        prove(text, latex=True, notation=notation, assume=assume, limit=limit).answer.value
        == verdict
    )


SAME = {
    r"N^{*}": "N_opt",
    r"N^*": "N_opt",
    r"N^\star": "N_opt",
    r"N^{\ast}": "N_opt",
    r"N_{*}": "N_opt",
    r"N_\star": "N_opt",
    r"N_{\mathrm{opt}}": "N_opt",
    r"N_{\rm opt}": "N_opt",
    r"N_\text{opt}": "N_opt",
    r"N^{\mathrm{opt}}": "N_opt",
    r"{N^*}^2": "N_opt^2",
    r"(N^{*})^{-\beta}": "N_opt^-beta",
    r"N^{*}(C)": "N_opt",
    r"\mathcal{L}(N, D)": "L",
    r"N_{\max}": "N_max",
    r"\tfrac12": "1/2",
    r"\frac12 N": "N/2",
    r"\frac{1}2": "1/2",
    r"x^{12}": "x^12",
    r"\frac{N}{D}C": "N*C/D",
    r"6ND": "6*N*D",
    r"6\,N\cdot D": "6*N*D",
    r"6 \times N \times D": "6*N*D",
    r"e^{-x}": "exp(-x)",
    r"\mathrm{e}^{-x}": "exp(-x)",
    r"\exp\{-x\}": "exp(-x)",
    r"\log^2 x": "log(x)^2",
    r"\ln x^2": "log(x^2)",
    r"\ln\left(x\right)": "log(x)",
    r"\beta \ln x + 1": "beta*log(x) + 1",
    r"\left.\left(x\right)\right.": "x",
    r"\sqrt x": "sqrt(x)",
    r"\sqrt[3]{x}": "x^(1/3)",
    r"\bigl[ x + 1 \bigr]": "x + 1",
    "x % a remark\n": "x",
    r"1{,}000{,}000": "1000000",
}


@pytest.mark.parametrize("latex", SAME)
def test_means_the_same_as_plain_text(latex) -> None:
    assert prove(f"{latex} = 0 + {latex}", latex=True).answer.value == "proved"
    plain = prove(f"{SAME[latex]} == 1").links[0].lhs
    assert prove(f"{latex} = 1", latex=True).links[0].lhs == plain


@pytest.mark.parametrize(
    ("latex", "names"),
    [
        (r"\mathcal{E}_0", ["E0"]),
        (r"\mathrm{pass}@k", ["pass_at", "k"]),
        (r"\text{pass@}k", ["pass_at", "k"]),
        (r"\widehat{\mathrm{pass@k}}", ["pass_hat_at", "k"]),
        (r"\mathrm{pass}@(k + j)", ["pass_at", "k", "j"]),
        (r"\mathrm{pass}@{10}", ["pass_at"]),
        (r"\varepsilon_{ij}", ["epsilon_ij"]),
        (r"C_0 C", ["C0", "C"]),
        (r"\beta\gamma", ["beta", "gamma"]),
        (r"\alpha_N \gamma_{\text{w}}", ["alpha_N", "gamma_w"]),
        (r"N_{\mathrm{eff}} N_{\text{eff}} N_{eff}", ["N_eff"] * 3),
        (r"B_* B^* B^{\star} \mathrm{B}_\ast", ["B_star"] * 4),
        (r"R_D^* R^*_D R_{D}^{\ast}", ["R_D_star"] * 3),
        (r"N_* N^* {N}^{\star} N_{\text{opt}} N^{\mathrm{opt}}", ["N_opt"] * 5),
        (r"D' D^\prime D'' \alpha'", ["D_prime", "D_prime", "D_prime_prime", "alpha_prime"]),
        (r"\hat N \widehat{N} \tilde{N} \bar N_c", ["N_hat", "N_hat", "N_tilde", "N_bar_c"]),
        (r"N_{\setminus E} S_{\min} L_\infty \ell", ["N_setminus_E", "S_min", "L_inf", "ell"]),
        (r"C_{0,1} x_{12} x_{1} \hat{E}_0", ["C0_1", "x12", "x1", "E_hat_0"]),
        (r"\delta_{\text{PTQ}} P_{\text{post}}", ["delta_PTQ", "P_post"]),
        (
            r"\text{FLOPs} {\rm FLOPs} \mathrm{Loss}_{\text{test}}",
            ['"FLOPs"', '"FLOPs"', '"Loss"_test'],
        ),
        (r"\Delta C \Delta\alpha \alpha_C^{\min}", ["Delta_C", "Delta_alpha", "alpha_C_min"]),
        (r"{N_c}^* {\hat N}'", ["N_c_star", "N_hat_prime"]),
        (r"x^{*-\beta}", ["x_star", "beta"]),
    ],
)
def test_names(latex, names) -> None:
    assert [token.text for token in tokenize_latex(latex) if token.kind == "name"] == names


#: Claims with marks that papers use; what is refuted has a mistake, or is no law of nature.
FORMULAS = {
    r"\frac{\partial L}{\partial N} = -\beta A N^{-\beta-1}": "proved",
    r"\frac{\partial}{\partial N} L(N, D) = -\frac{\beta A}{N^{\beta+1}}": "proved",
    r"\partial_N L = -\beta A N^{-\beta-1}": "proved",
    r"\partial_N^2 L = \beta (\beta+1) A N^{-\beta-2}": "proved",
    r"\partial_{ND} L = 0": "proved",
    r"\frac{\partial^2 L}{\partial N \partial D} = 0": "proved",
    r"\left(\frac{\partial L}{\partial N}\right)_D = -\beta A N^{-\beta-1}": "proved",
    r"\left.\frac{\partial L}{\partial N}\right|_{N=N^*} = -\beta A (N^*)^{-\beta-1}": "proved",
    r"\frac{\partial L}{\partial N}\Big|_{N^*} N^* = \left.\frac{\partial L}{\partial D}\right|_{D^*} D^*": "proved",
    r"\left. L \right|_{N=N^*,\, D=D^*} = L^*": "proved",
    r"\tfrac{D}{N}\Big|_{\text{opt}} = D^*/N^*": "proved",
    r"\left. w_N r^{-\beta} \right|_{r=1} = w_N": "proved",
    r"P'(1) = 0": "proved",
    r"P''(1) = \beta\gamma": "proved",
    r"P''(1) = \beta^2": "refuted",
    r"L'(C) = -\alpha C_0 C^{-\alpha-1}": "proved",
    r"\log_{10} C = \frac{\ln C}{\ln 10}": "proved",
    r"\log_2 x^2 = 2 \log_2 x": "proved",
    r"\log_{10} x = \ln x": "refuted",
    r"\log^2_2 x = (\log_2 x)^2": "proved",
    r"\boxed{\alpha = \frac{\beta\gamma}{\beta+\gamma}}": "proved",
    r"\underbrace{A N^{-\beta}}_{\text{params}} + \overbrace{B D^{-\gamma}}^{\text{data}} = R(N, D)": "proved",
    r"L^* := E + C_0 C^{-\alpha}": "proved",
    r"L^* \stackrel{\mathrm{def}}{=} E + C_0 C^{-\alpha}": "proved",
    r"L(N, D) \overset{(a)}{\geqslant} E": "proved",
    r"{\beta\gamma \over \beta+\gamma} = \alpha": "proved",
    r"\max(x, y) + \min\{x, y\} = x + y": "proved",
    r"\max(x, y, 2) \ge y": "proved",
    r"\max(x, y) = x": "refuted",
    r"\cosh^2 x - \sinh^2 x = 1": "proved",
    r"\operatorname{expm1}(\operatorname{log1p}(x)) = x": "proved",
    r"\tanh x = \frac{\sinh x}{\cosh x}": "proved",
    r"\binom{n}{2} = n(n-1)/2": "proved",
    r"5! = 120": "proved",
    r"\bigl| \lvert x \rvert - |y| \bigr| = |y - x|": "proved",
    r"6\times10^{21} = 6 \cdot 10^{21}": "proved",
    r"\lambda(C - 6ND) = \lambda C - 6 \lambda N D": "proved",
    r"A \left(N^*\right)^{-\beta} = w_N R^*": "proved",
    r"C_T\left(\frac{D^{\gamma_D}}{N^{\gamma_N}}\right) e^{-x/\gamma_w} = C_T D^{\gamma_D} N^{-\gamma_N} e^{-x/\gamma_w}": "proved",
    r"U_D R_D^*(1 - e^{-R_D/R_D^*}) = U_D R_D^* - U_D R^*_D e^{-R_D/R_D^{*}}": "proved",
    r"\hat{N} = \tilde{N}": "undecided",
    r"\hat\alpha = \alpha": "undecided",
    r"\bar{L} = L": "undecided",
    r"\overline{C} = C": "undecided",
    r"N_{12} = N_{1,2}": "undecided",
    r"\alpha_N = \alpha": "undecided",
    r"N' = N": "undecided",
    r"r^* = r": "undecided",
    r"N_{\text{opt}} = N_c": "undecided",
}


@pytest.mark.parametrize("text", FORMULAS)
def test_marks_of_papers(text) -> None:
    assert prove(text, latex=True).answer.value == FORMULAS[text]


@pytest.mark.parametrize(
    "name",
    ["alpha_N", "N_eff", "B_star", "R_D_star", "D_prime", "N_hat_c", "C0_1", '"FLOPs"', '"Loss"_test', "Delta_alpha", "ell"],
)  # fmt: skip
def test_a_name_is_typed_as_it_is_printed(name) -> None:
    """A free name in an answer is a name of the grammar of plain text, and of LaTeX as it prints."""
    (symbol,) = prove(f"{name} == 2*{name}").links[0].lhs.free_symbols
    assert symbol.name == name
    assert [token.text for token in tokenize_latex(render(symbol))] == [name]
    assert prove("D' == D_prime").answer.value == "proved"


#: What may mean two things, or means nothing here, with a piece of the message.
REFUSED = {
    r"f(N) = 2": "no function f is known",
    r"g(1 - x) = 2": "no function g is known",
    r"\tilde{L}(N, D) = E": "no function L_tilde is known",
    r"\mathrm{Err}(L) = 1": "no function",
    r"f^{-1}(x) = 1": "a function or its inverse",
    r"N^{-1}(D) = 1": "a function or its inverse",
    r"k(C/6) = 1": "ambiguous",
    r"C^{(1)} = C": "a label or an exponent",
    r"20\,\text{tokens} = 20": "may be a unit",
    r"7\mathrm{B} = 7": "may be a unit",
    r"\lg x = 1": "base may be 2 or 10",
    r"\mathbb{E}[x] = x": "cannot read",
    r"\text{if } x = 1": "is prose",
    r"x = \mathrm{const}": "is prose",
    r"N_{i+1} = 1": "cannot read the subscript",
    r"N_{\text{hat}} = 1": "cannot read the subscript",
    r"w_N r^{-\beta}|_{r=1} = w_N": "what is evaluated is expected in parentheses",
    r"\left(\frac{\partial L}{\partial N}\right)_C = 1": "expected instead of 'C'",
    r"L' = 1": "unknown name 'L_prime'",
    r"N'(C) = 1": "ambiguous",
    r"L'(N) = 0": "ambiguous argument N",
    r"N^* = \argmin_{N, D} L": "over variables is not read",
    r"L^* = \min_{N,D : C = 6ND} L(N,D)": "over variables is not read",
    r"\sum_{i=1}^{2} x_i = 1": "write out its terms",
    r"L \overset{d}{=} E": "is not understood",
    r"\overline{N D} = 1": "an accent over more than a name",
    r"\Delta \log N = 1": "a letter is expected behind",
    r"x \pm 1 = 2": "cannot read",
    r"x \in y": "cannot read",
    r"10\,000 = 10000": "an operator is expected",
    r"\log(N)^2 = 1": "parentheses are expected",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_may_mean_two_things_or_nothing_is_refused(text) -> None:
    with pytest.raises(ParseError) as caught:
        prove(text, latex=True)
    assert REFUSED[text] in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("relation", "name"),
    [
        (r"\propto", "propto"), (r"\approx", "approx"), (r"\simeq", "approx"), (r"\implies", "implies"),
        (r"\Rightarrow", "implies"), (r"\iff", "iff"), (r"\coloneqq", "=="), (":=", "=="), (r"\equiv", "=="),
        (r"\stackrel{\triangle}{=}", "=="), (r"\lt", "<"), (r"\to", "->"), (r"\neq", "!="),
    ],
)  # fmt: skip
def test_the_names_of_relations(relation, name) -> None:
    tokens = tokenize_latex(f"x {relation} y")
    assert [(token.kind, token.text) for token in tokens[1:-1]] == [("relation", name)]


BAD = {
    r"\frac{1}{2": r"never closed: '{' at position 9",
    r"\frac{1}": "ends where a denominator is expected",
    r"\frac": "ends where a numerator is expected",
    r"x^": "ends where an exponent is expected",
    r"x_": "ends where a subscript is expected",
    r"x_{": "ends where a closing brace is expected",
    r"\sqrt[3": "never closed: '[' at position 6",
    r"\log(x": "never closed: '(' at position 5",
    r"\log x y": "parentheses are expected around the argument of log before 'y' at position 8",
    r"\log 2x": "parentheses are expected around the argument of log before 'x' at position 7",
    r"\ln x (y + 1)": "before '(' at position 7",
    r"\foo{x}": r"cannot read '\\foo' at position 1",
    r"x \pm y": r"cannot read '\\pm' at position 3",
    r"\sum_{i} x": r"cannot read '\\sum' at position 1",
    r"\int x": r"cannot read '\\int' at position 1",
    r"x}": "unexpected '}' at position 2",
    r"x # y": "cannot read '#' at position 3",
    "x² + 1": "cannot read '²' at position 2",
    r"\write18{ls}": r"cannot read '\\write' at position 1",
    r"\input{x}": r"cannot read '\\input' at position 1",
    r"\mathrm{": "never closed: '{' at position 8",
    r"x^12": "an operator is expected before '2' at position 4",
    r"\pi r": "unknown name 'pi' at position 1",
    "{" * 60 + "x" + "}" * 60: "nested deeper",
    "x" * 5_000: "at most 4000 are read",
    r"\frac" * 700: "",
    "{" * 3_000: "",
    "x^" * 1_500 + "x": "",
    r"\sqrt" * 700 + "x": "",
    r"\log" * 900 + "x": "",
    "x_{" + "{" * 3_000: "",
    r"\mathrm{" * 490: "",
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:20])
def test_bad_latex_is_named_with_its_place(text) -> None:
    start = time.process_time()
    with pytest.raises(ParseError) as caught:
        read(
            text,
            tokenize_latex(text),
            dict(vocabulary().names) | {"x": vocabulary().names["N"], "y": vocabulary().names["D"]},
        )
    assert BAD[text] in str(caught.value)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("relation", [r"\le", r"\leq", r"\leqslant", "<="])
def test_relations(relation) -> None:
    assert [
        token.text for token in tokenize_latex(f"x {relation} y") if token.kind == "relation"
    ] == ["<="]


def test_a_strict_relation_stays_strict() -> None:
    assert prove("P(r) > 1", latex=True).answer.value != "proved"  # they are equal at r = 1
    assert prove("x < x", latex=True).answer.value == "refuted"
    assert prove("L(N, D) > E", latex=True).answer.value == "proved"


def test_tokens_keep_their_places() -> None:
    assert tokenize_latex(r"6N = C")[1:3] == [Token("name", "N", 1), Token("relation", "==", 3)]


PIECES = [
    *(
        r"\frac",
        r"\sqrt",
        r"\left(",
        r"\right)",
        r"\log",
        r"\ln",
        r"\exp",
        r"\cdot",
        r"\alpha",
        r"\beta",
        r"\mathrm",
        r"\text",
        r"\le",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "^",
        "_",
        "^{*}",
        r"^\star",
        "_{opt}",
        "N",
        "D",
        "C",
        "x",
        "e",
        "1",
        "12",
        ".5",
        "+",
        "-",
        "/",
        "|",
    ),
    *(
        "=",
        "<",
        ">",
        "&",
        r"\\",
        r"\,",
        "~",
        "@",
        "%",
        ",",
        ".",
        " ",
        "\n",
        r"\label{a}",
        r"\{",
        r"\}",
        "'",
        "!",
    ),
]


@settings(max_examples=400)
@given(text=st.lists(st.sampled_from(PIECES), max_size=15).map("".join))
def test_any_latex_is_tokens_or_refused(text) -> None:
    start = time.process_time()
    try:
        tokens = tokenize_latex(text)
    except ParseError:
        return
    assert all(token.text and 0 <= token.position <= len(text) for token in tokens)
    assert time.process_time() - start < 1


@settings(max_examples=150)
@given(text=st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_latex_claim_is_decided_or_refused(text) -> None:
    with suppress(ValueError):
        prove(text, latex=True)
