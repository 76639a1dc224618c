"""Formulas as papers typeset them, read from LaTeX; what cannot be read is named with its place."""

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isoflop.theory.algebra.latex_input import tokenize_latex
from isoflop.theory.algebra.parse import ParseError, Token, read
from isoflop.theory.proof.prove import prove
from isoflop.theory.proof.vocabulary import vocabulary

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
    (r"C_0 = \mathcal{E}_0", "schaeffer", (), None, "refuted"),
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


def test_there_are_enough() -> None:
    assert len(EQUATIONS) >= 30


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
        (r"\mathrm{pass}@k", ["pass_at_k"]),
        (r"\mathrm{pass}@{10}", ["pass_at_10"]),
        (r"\varepsilon_{ij}", ["epsilon_ij"]),
        (r"C_0 C", ["C0", "C"]),
        (r"\beta\gamma", ["beta", "gamma"]),
    ],
)
def test_names(latex, names) -> None:
    assert [token.text for token in tokenize_latex(latex) if token.kind == "name"] == names


BAD = {
    r"\frac{1}{2": r"never closed: '{' at position 9",
    r"\frac{1}": "ends where a denominator is expected",
    r"\frac": "ends where a numerator is expected",
    r"x^": "ends where an exponent is expected",
    r"x^-1": "braces are expected around '-' at position 3",
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
    assert prove("P(r) > 1", latex=True).answer.value == "undecided"  # they are equal at r = 1
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
