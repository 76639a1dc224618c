"""LaTeX: read back by the reader of `prove --latex`, compiled, and searched for letters of the other
notation.
"""

import re
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Add, Expr, Function, Integer, Mul, Pow, Rational, Subs, Symbol, exp, log, symbols
from tests.theory.documents import compiled, complaints, derivation_of, printable
from tests.theory.typeset.forms import (
    DELTA,
    ENVELOPES,
    SMALL_U,
    THREE,
    F,
    U,
    closed_forms,
    positive,
    products,
)

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL, Budget
from isoflop.theory.data.notation import SCHAEFFER
from isoflop.theory.data.notation import notation as find_notation
from isoflop.theory.envelope import derive, optimum
from isoflop.theory.kernel import decide
from isoflop.theory.kernel.functions import phi2
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import misallocation
from isoflop.theory.reader.latex import tokenize_latex
from isoflop.theory.reader.parse import read
from isoflop.theory.theorem.step import Step
from isoflop.theory.theorem.words import Formula
from isoflop.theory.typeset.equations import side_conditions
from isoflop.theory.typeset.printer import PaperPrinter, length, render
from isoflop.theory.typeset.rows import display, parts_of
from isoflop.theory.typeset.theorem import PROOFS, theorem_latex

OWN_LETTERS = derive(
    LawForm(
        (Term(positive("K_1"), positive("x_1"), positive("b_1")), Term(sym.B, sym.D, sym.ALPHA))
    ),
    Budget(Integer(6), ((positive("x_1"), positive("c_1")), (sym.D, Integer(1)))),
)
NAMED = ("6ND", "general", "three factors")
NOTATIONS = ["schaeffer", "hoffmann"]
SUBJECTS = [derive(), misallocation(), derive(budget=GENERAL), THREE]
THEOREMS = (
    "compute_optimal_envelope",
    "misallocation_penalty",
    "two_factors_under_a_general_budget",
    "law_of_three_factors",
)
#: The letters of the closed forms as Hoffmann et al. write them.
HOFFMANN_LETTERS = {"alpha": sym.BETA, "beta": sym.GAMMA, "alpha_C": sym.ALPHA}


@pytest.fixture(scope="module")
def printed() -> dict[str, dict[str, str]]:
    """Every kind of output in both notations."""
    found: dict[str, dict[str, str]] = {notation: {} for notation in NOTATIONS}
    for notation, parts in found.items():
        for number, subject in enumerate(SUBJECTS):
            parts[f"equations {number}"] = subject.to_latex(notation=notation)
        for name, proof in product(THEOREMS, PROOFS):
            entry = printable(name)
            parts[f"{proof} {name}"] = theorem_latex(
                entry.derivation, notation=notation, proof=proof, verdicts=entry.verdicts
            )
    return found


# -- read back -------------------------------------------------------------------------------------


def reads_back(text: str, form: Expr, notation: str) -> bool:
    """Whether the reader of LaTeX finds the expression that was meant."""
    known = (*form.free_symbols, sym.ALPHA, sym.BETA, sym.GAMMA, U, F, DELTA, SMALL_U)
    names = {s.name: s for s in known}
    names |= {"varepsilon": sym.TOLERANCE, "C_0": sym.C0}
    names |= HOFFMANN_LETTERS if notation == "hoffmann" else {}
    return decide(read(text, tokenize_latex(text), names), form).proved


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", NAMED)
def test_closed_forms_are_read_back(name: str, notation: str) -> None:
    for what, form in closed_forms(ENVELOPES[name]).items():
        text = render(form, notation)
        assert reads_back(text, form, notation), (what, text)


@settings(max_examples=40)
@given(st.lists(products, min_size=1, max_size=3))
def test_any_sum_is_read_back(terms: list[Expr]) -> None:
    total = Add(*terms)
    assert reads_back(render(total), total, "schaeffer"), render(total)


# -- as papers set it ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (derive().form.loss, r"E + A N^{-\beta} + B D^{-\gamma}"),
        ((sym.C / 6) ** derive().shares[0], r"\left(\frac{C}{6}\right)^{\gamma/(\beta + \gamma)}"),
        (misallocation().iso_loss_tokens, r"\left(\frac{B}{R - A N^{-\beta}}\right)^{1/\gamma}"),
        (misallocation().tolerance_half_width, r"\sqrt{\frac{2 \varepsilon}{\beta \gamma}}"),
        (log(sym.N) / log(sym.D), r"\frac{\log N}{\log D}"),
        (2 * Integer(6) ** sym.BETA, r"2 \cdot 6^{\beta}"),
        (Rational(48201, 100) * sym.N ** -Rational(1739, 5000), r"482.01 N^{-0.3478}"),
        (
            Subs(Function("f")(SMALL_U).diff(SMALL_U), SMALL_U, sym.N / sym.D) / 2,
            r"\frac{1}{2} \left. \frac{d}{d u} f(u) \right|_{u = N/D}",
        ),
        (Symbol("c_2") + Function("f")(Symbol("x")), r"c_{2} + f(x)"),
    ],
)
def test_render(expression: Expr, text: str) -> None:
    assert render(expression) == text


def test_brackets_of_optima_and_of_quotients_in_a_line_of_text() -> None:
    x, y, z = symbols("x y z", positive=True)
    printer = PaperPrinter(SCHAEFFER)
    assert printer.doprint(sym.A * optimum(sym.N) ** -sym.BETA) == r"A (N^{*})^{-\beta}"
    nested = Mul(x / y, Pow(Mul(y, z), -1, evaluate=False), evaluate=False)
    lines = [printer.on_the_line(one) for one in (x ** (1 / y) / z, (x + y) / z, nested)]
    assert lines == ["x^{1/y}/z", "(x + y)/z", "(x/y)/(y z)"]


# -- rows ------------------------------------------------------------------------------------------


def test_a_short_formula_has_one_row_and_a_long_one_a_row_for_each_relation() -> None:
    x, y = symbols("x y", positive=True)
    long = Add(*(Symbol(f"a_{i}", positive=True) * x for i in range(9)))
    printer = PaperPrinter(SCHAEFFER)
    short = display([parts_of(Formula.of(x, "=", y), printer)], ".")
    assert short == "  \\[\n    x = y.\n  \\]"
    rows = display([parts_of(Formula.of(x, "=", long, "<=", 2 * long), printer)], ".")
    assert rows.startswith("  \\begin{align*}\n    x &= ")
    assert [row.split()[0] for row in rows.splitlines()[2:-1]] == [r"&\le"]
    assert length(r"\left(\frac{\beta}{N_{\mathrm{eff}}}\right)") == 9


def test_the_rows_of_a_long_product_are_the_product() -> None:
    printer, letters = PaperPrinter(SCHAEFFER), symbols("u v w x y z", positive=True)
    factors = Mul(*(log(1 + a) + log(2 + a + b) for a, b in pairwise(letters)))
    rows = parts_of(Formula.of(factors), printer)
    assert len(rows) > 1
    joined = " ".join(row.removeprefix(r"\qquad ") for row in rows)
    assert read(joined, tokenize_latex(joined), {str(a): a for a in letters}) == factors


def test_hoffmann_holds_no_canonical_letter(printed: dict[str, dict[str, str]]) -> None:
    assert r"\alpha_C" in misallocation(OWN_LETTERS).to_latex()  # where alpha is taken
    for name, text in printed["hoffmann"].items():
        assert r"\gamma" not in text, name
        assert "^{*}" not in text, name
    assert r"\alpha_C" not in "".join(printed["schaeffer"].values())


@pytest.mark.parametrize("notation", NOTATIONS)
def test_everything_compiles_within_the_margins(printed, notation, tmp_path) -> None:
    body = re.sub(r"\\label\{.*?\}", "", "\n\n".join(printed[notation].values()))
    if notation == "schaeffer":
        body += OWN_LETTERS.to_latex()
    document = r"""\documentclass{article}
\usepackage[textwidth=400pt]{geometry}\usepackage{amsmath,amsthm}
\newtheorem{theorem}{Theorem}\setlength{\emergencystretch}{4em}
\begin{document}
%s
\end{document}
"""
    assert complaints(compiled(tmp_path, document % body)) == []


# -- proofs ----------------------------------------------------------------------------------------


def test_a_proof_has_a_numbered_step_for_every_claim(printed: dict[str, dict[str, str]]) -> None:
    for name in THEOREMS:
        text = printed["schaeffer"][f"steps {name}"]
        assert text.count(r"\item ") == len(derivation_of(name).steps)
        assert rf"\label{{iso:{name.replace('_', '-')}}}" in text


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_short_proof_of_the_envelope_is_made_of_proved_steps(notation: str) -> None:
    """Every formula that it displays is the claim of a step, and what it refers to is said."""
    derivation = derivation_of("compute_optimal_envelope")
    printer = PaperPrinter(find_notation(notation))
    _, _, proof = theorem_latex(derivation, notation=notation, proof="short").partition("{proof}")
    flat = " ".join(re.sub(r"&|\\\\|\\qedhere|\s+", " ", proof).split())
    for name in derivation.short_proof:
        step = next(step for step in derivation.steps if step.name == name)
        sides = [printer.doprint(side) for side in step.formula.sides]
        line = [printer.on_the_line(side) for side in step.formula.sides]
        assert all(a in flat or b in flat for a, b in zip(sides, line, strict=True)), name
        assert step.prove().proved
    assert "step~" not in proof
    assert proof.count(r"\begin{enumerate}") == 0


def test_a_condition_for_the_quotient_of_phi2_alone_is_not_printed() -> None:
    """phi2 has a value at zero, so that both sides are continuous there; a quotient by s itself has
    none.
    """
    s = sym.LOG_SIZE_RATIO
    remainder = exp(s) - 1 - s
    for left, right, printed in (
        (remainder, s**2 * phi2(s), False),
        (remainder / s, s * phi2(s), True),
    ):
        claim = Step("one", left, "==", right, "")
        assert bool(side_conditions(claim, claim.prove(), claim)) == printed
