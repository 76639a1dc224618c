"""Printed expressions, in plain text and in LaTeX, look as in a paper and read back as they were."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Add, Expr, Function, Integer, Mul, Pow, Rational, Subs, Symbol, log, sqrt, symbols
from tests.theory.laws import GENERAL
from tests.theory.typeset.forms import ENVELOPES, NOTATIONS, closed_forms, positive, products

from isoflop.theory.data.notation import SCHAEFFER
from isoflop.theory.envelope import derive, optimum
from isoflop.theory.kernel import decide
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.passk import PASS_AT
from isoflop.theory.penalty import misallocation
from isoflop.theory.reader.latex import tokens_of
from isoflop.theory.reader.parse import read
from isoflop.theory.theorem.words import Formula
from isoflop.theory.typeset.plain import plain
from isoflop.theory.typeset.printer import PaperPrinter, length, render
from isoflop.theory.typeset.rows import display, parts_of

x, y, z, k, p = symbols("x y z k p", positive=True)
F = Function("f")
U = positive("u")
#: Letters of the closed forms as LaTeX has them, and as Hoffmann et al. write them.
LATEX_LETTERS = {"varepsilon": sym.TOLERANCE, "C_0": sym.C0}
HOFFMANN_LETTERS = {"alpha": sym.BETA, "beta": sym.GAMMA, "alpha_C": sym.ALPHA}


@pytest.mark.parametrize(
    ("expression", "text", "latex"),
    [
        (derive().form.loss, "E + A N^-beta + B D^-gamma", r"E + A N^{-\beta} + B D^{-\gamma}"),
        (sym.REDUCIBLE - sym.A * sym.N**-sym.BETA, "R - A N^-beta", ""),
        (sym.SIZE_RATIO * positive("k_D") - 1, "r k_D - 1", ""),
        (GENERAL.compute(), "kappa N^a D^d", ""),
        (sym.BETA * sym.A / (sym.GAMMA * sym.B), "beta A/(gamma B)", ""),
        (sqrt(2 * sym.TOLERANCE / (sym.BETA * sym.GAMMA)), "sqrt(2 epsilon/(beta gamma))", ""),
        (sym.RATIO ** Rational(-1, 2), "rho^(-1/2)", ""),
        (
            Rational(48201, 100) * sym.N ** -Rational(1739, 5000),
            "482.01 N^-0.3478",
            "482.01 N^{-0.3478}",
        ),
        (sym.BETA * sym.LOG_SIZE_RATIO**2 / 2, "(beta/2) s^2", ""),
        (
            (sym.C / 6) ** derive().shares[0],
            "",
            r"\left(\frac{C}{6}\right)^{\gamma/(\beta + \gamma)}",
        ),
        (
            misallocation().targets.iso_loss_tokens,
            "",
            r"\left(\frac{B}{R - A N^{-\beta}}\right)^{1/\gamma}",
        ),
        (
            misallocation().tolerance_half_width,
            "",
            r"\sqrt{\frac{2 \varepsilon}{\beta \gamma}}",
        ),
        (log(sym.N) / log(sym.D), "", r"\frac{\log N}{\log D}"),
        (2 * Integer(6) ** sym.BETA, "", r"2 \cdot 6^{\beta}"),
        (
            Subs(F(U).diff(U), U, sym.N / sym.D) / 2,
            "",
            r"\frac{1}{2} \left. \frac{d}{d u} f(u) \right|_{u = N/D}",
        ),
        (Symbol("c_2") + F(Symbol("x")), "", "c_{2} + f(x)"),
        (PASS_AT(k), "pass@k", r"\mathrm{pass}@k"),
        (PASS_AT(2 * k), "pass@(2 k)", r"\mathrm{pass}@(2 k)"),
        (p * PASS_AT(k), "", r"p \, \mathrm{pass}@k"),
    ],
)
def test_an_expression_as_papers_set_it(expression: Expr, text: str, latex: str) -> None:
    assert text in ("", plain(expression))
    assert latex in ("", render(expression))


def test_brackets_of_optima_and_of_quotients_in_a_line_of_text() -> None:
    printer = PaperPrinter(SCHAEFFER)
    assert printer.doprint(sym.A * optimum(sym.N) ** -sym.BETA) == r"A (N^{*})^{-\beta}"
    nested = Mul(x / y, Pow(Mul(y, z), -1, evaluate=False), evaluate=False)
    lines = [printer.on_the_line(each) for each in (x ** (1 / y) / z, (x + y) / z, nested)]
    assert lines == ["x^{1/y}/z", "(x + y)/z", "(x/y)/(y z)"]


# -- read back -------------------------------------------------------------------------------------


def reads_back(text: str, form: Expr, notation: str = "") -> bool:
    """Whether the reader finds the expression in the text, which is LaTeX if a notation is given."""
    names = {letter.name: letter for letter in form.free_symbols}
    if notation:
        known = (sym.ALPHA, sym.BETA, sym.GAMMA)
        names = {letter.name: letter for letter in known} | names | LATEX_LETTERS
        names |= HOFFMANN_LETTERS if notation == "hoffmann" else {}
    return decide(read(text, tokens_of(text, latex=bool(notation)), names), form).proved


@pytest.mark.parametrize("name", ENVELOPES)
def test_closed_forms_are_read_back(name: str) -> None:
    for what, form in closed_forms(ENVELOPES[name]).items():
        assert reads_back(plain(form), form), (what, plain(form))
        for notation in NOTATIONS if name in ("6ND", "general", "three factors") else ():
            text = render(form, notation)
            assert reads_back(text, form, notation), (what, text)


@settings(max_examples=40)
@given(st.lists(products, min_size=1, max_size=3))
def test_any_sum_is_read_back(terms: list[Expr]) -> None:
    total = Add(*terms)
    assert reads_back(plain(terms[0]), terms[0]), plain(terms[0])
    assert reads_back(render(total), total, "schaeffer"), render(total)


# -- rows ------------------------------------------------------------------------------------------


def test_a_short_formula_has_one_row_and_a_long_one_a_row_for_each_relation() -> None:
    long = Add(*(positive(f"a_{i}") * x for i in range(9)))
    printer = PaperPrinter(SCHAEFFER)
    short = display([parts_of(Formula.of(x, "=", y), printer)], ".")
    assert short == "  \\[\n    x = y.\n  \\]"
    rows = display([parts_of(Formula.of(x, "=", long, "<=", 2 * long), printer)], ".")
    assert rows.startswith("  \\begin{align*}\n    x &= ")
    assert [row.split()[0] for row in rows.splitlines()[2:-1]] == [r"&\le"]
    assert length(r"\left(\frac{\beta}{N_{\mathrm{eff}}}\right)") == 9


def test_the_rows_of_a_long_product_are_the_product() -> None:
    letters = symbols("u v w x y z", positive=True)
    factors = Mul(*(log(1 + a) + log(2 + a + b) for a, b in pairwise(letters)))
    rows = parts_of(Formula.of(factors), PaperPrinter(SCHAEFFER))
    assert len(rows) > 1
    joined = " ".join(row.removeprefix(r"\qquad ") for row in rows)
    assert read(joined, tokens_of(joined, latex=True), {str(a): a for a in letters}) == factors
