"""LaTeX: read back by a reader of the test's own, compiled, and searched for letters of the other
notation.
"""

import re
import shutil
import subprocess
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import (
    Add,
    Expr,
    Float,
    Function,
    Integer,
    Rational,
    Symbol,
    exp,
    latex,
    log,
    sqrt,
    symbols,
)
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
from isoflop.theory.algebra import decide
from isoflop.theory.algebra.functions import Partial, phi2
from isoflop.theory.budget import GENERAL, SIX_ND, Budget
from isoflop.theory.data.notation import HOFFMANN, SCHAEFFER, Notation
from isoflop.theory.envelope import Envelope, derive
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import Misallocation, misallocation
from isoflop.theory.proof.claim import ByLeadingTerm, Claim
from isoflop.theory.proof.words import say
from isoflop.theory.typeset.equations import side_conditions
from isoflop.theory.typeset.latex import render, theorem_latex, width
from isoflop.theory.typeset.numbers import significant_latex
from isoflop.theory.typeset.words import latex_sentence
from isoflop.theory.verdicts.verification import load

OWN_LETTERS = derive(
    LawForm(
        (Term(positive("K_1"), positive("x_1"), positive("b_1")), Term(sym.B, sym.D, sym.ALPHA))
    ),
    Budget(Integer(6), ((positive("x_1"), positive("c_1")), (sym.D, Integer(1)))),
)
NAMED = ("6ND", "general", "three factors")
NOTATIONS = ["schaeffer", "hoffmann"]


def blocks(notation: str) -> dict[str, str]:
    """Every kind of output."""
    found = {}
    for name in NAMED:
        envelope = ENVELOPES[name]
        found[f"envelope {name}"] = envelope.to_latex(notation=notation)
        found[f"theorem {name}"] = theorem_latex(envelope, notation=notation)
        if len(envelope.form.terms) == 2:
            m = misallocation(envelope)
            found[f"misallocation {name}"] = m.to_latex(notation=notation)
            found[f"theorem misallocation {name}"] = theorem_latex(m, notation=notation)
    return found


@pytest.fixture(scope="module")
def printed() -> dict[str, dict[str, str]]:
    return {notation: blocks(notation) for notation in NOTATIONS}


# -- a reader of what is printed, for the round trip ---------------------------------------------------------

TOKEN = re.compile(r"\\left\(|\\right\)|\\[A-Za-z]+|\d+\.?\d*|[A-Za-z]|[_^{}()+\-/]|\s+")


class Reader:
    """The LaTeX of a formula as a SymPy expression."""

    def __init__(self, text: str, names: dict[str, Symbol]) -> None:
        self.tokens = [t for t in TOKEN.findall(text) if not t.isspace() and t != r"\cdot"]
        assert "".join(TOKEN.findall(text)) == text, text
        self.names = names
        self.at = 0

    def read(self) -> Expr:
        value = self.sum()
        assert self.at == len(self.tokens), self.tokens[self.at :]
        return value

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        assert token == (expected or token) != "", expected
        self.at += 1
        return token

    def sum(self) -> Expr:
        total = -self.product() if self.peek() == "-" and self.take() else self.product()
        while self.peek() in ("+", "-"):
            total = total + self.product() if self.take() == "+" else total - self.product()
        return total

    def product(self) -> Expr:
        value = self.power()
        while self.peek() not in ("", "+", "-", ")", r"\right)", "}"):
            value = (
                value / self.power_product()
                if self.peek() == "/" and self.take()
                else value * self.power()
            )
        return value

    def power_product(self) -> Expr:
        """What a slash divides by: everything up to the end of the term."""
        value = self.power()
        while self.peek() not in ("", "+", "-", ")", r"\right)", "}"):
            value = value * self.power()
        return value

    def power(self) -> Expr:
        base = self.atom()
        if self.peek() == "^":
            self.take()
            return base ** self.group()
        return base

    def group(self) -> Expr:
        self.take("{")
        value = self.sum()
        self.take("}")
        return value

    def atom(self) -> Expr:
        token = self.take()
        if token in ("(", r"\left("):
            value = self.sum()
            self.take(")" if token == "(" else r"\right)")
            return value
        if token[0].isdigit():
            return Rational(token)
        if token == r"\frac":
            above = self.group()
            return above / self.group()
        if token == r"\sqrt":
            return sqrt(self.group())
        if token == r"\log":
            return log(self.power())
        if self.peek() == "_":
            self.take()
            token += "_" + (self.subscript() if self.peek() == "{" else self.take())
        return self.names[token]

    def subscript(self) -> str:
        self.take("{")
        text = ""
        while self.peek() != "}":
            text += self.take()
        self.take("}")
        return text


def names_of(notation: str) -> dict[str, Symbol]:
    first, second = (r"\beta", r"\gamma") if notation == "schaeffer" else (r"\alpha", r"\beta")
    compute = r"\alpha" if notation == "schaeffer" else r"\alpha_C"
    named = {
        first: sym.BETA,
        second: sym.GAMMA,
        compute: sym.ALPHA,
        r"\kappa": sym.KAPPA,
        r"\rho": sym.RATIO,
    }
    named |= {r"\varepsilon": sym.TOLERANCE, "C_0": sym.C0, r"\delta": DELTA}
    named |= {r"N_\max": sym.N_MAX, r"D_\max": sym.D_MAX}
    letters = (
        sym.A,
        sym.B,
        sym.C,
        sym.D,
        sym.E,
        sym.N,
        sym.BUDGET_A,
        sym.BUDGET_D,
        sym.SIZE_RATIO,
        sym.REDUCIBLE,
    )
    return named | {s.name: s for s in (*letters, sym.LOG_SIZE_RATIO, U, F, SMALL_U)}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", NAMED)
def test_closed_forms_are_read_back(name: str, notation: str) -> None:
    for what, form in closed_forms(ENVELOPES[name]).items():
        text = render(form, notation)
        assert decide(Reader(text, names_of(notation)).read(), form).proved, (what, text)


@given(st.lists(products, min_size=1, max_size=3))
def test_any_sum_is_read_back(terms: list[Expr]) -> None:
    total = Add(*terms)
    assert decide(Reader(render(total), names_of("schaeffer")).read(), total).proved, render(total)


# -- as papers set it ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (derive().form.loss, r"E + A N^{-\beta} + B D^{-\gamma}"),
        (sym.E + sym.C0 * sym.C**-sym.ALPHA, r"E + C_0 C^{-\alpha}"),
        (derive().exponent, r"\frac{\beta \gamma}{\beta + \gamma}"),
        ((sym.C / 6) ** derive().shares[0], r"\left(\frac{C}{6}\right)^{\gamma/(\beta + \gamma)}"),
        (GENERAL.compute(), r"\kappa N^{a} D^{d}"),
        (sym.SIZE_RATIO**-2, r"r^{-2}"),
        (sym.RATIO ** (sym.BETA / 2), r"\rho^{\beta/2}"),
        (misallocation().iso_loss_tokens, r"\left(\frac{B}{R - A N^{-\beta}}\right)^{1/\gamma}"),
        (misallocation().tolerance_half_width, r"\sqrt{\frac{2 \varepsilon}{\beta \gamma}}"),
        (sym.N_MAX * sym.BETA, r"\beta N_{\max}"),
        (exp(-sym.BETA * sym.LOG_SIZE_RATIO), r"e^{-\beta s}"),
        (2 * Integer(6) ** sym.BETA, r"2 \cdot 6^{\beta}"),
        (sym.A * Integer(6) ** sym.BETA, r"6^{\beta} A"),
        (Rational(48201, 100) * sym.N ** -Rational(1739, 5000), r"482.01 N^{-0.3478}"),
    ],
)
def test_render(expression: Expr, text: str) -> None:
    assert render(expression) == text


def test_global_printer_is_untouched() -> None:
    before = latex(derive().form.loss), latex(derive().params)
    render(derive().params, "hoffmann")
    assert (latex(derive().form.loss), latex(derive().params)) == before


def test_other_expressions_are_printed_too() -> None:
    """Symbols of a user's own, floats, functions unknown to the package."""
    x, c_2 = symbols("x c_2")
    assert render(Float("0.5") * x) == "0.5 x"
    assert render(c_2 + Function("f")(x)) == r"c_{2} + f(x)"
    assert render(Function("sigma")(x)) == r"\sigma(x)"


def test_derivatives_of_second_order() -> None:
    f = Function("f")(sym.N, sym.D)
    for variable, other, below in (
        (sym.N, sym.D, r"\partial N \, \partial D"),
        (sym.N, sym.N, r"\partial N^{2}"),
        (log(sym.N), log(sym.N), r"\partial (\log N)^{2}"),
    ):
        shown = render(Partial(Partial(f, other), variable))
        assert shown == rf"\frac{{\partial^{{2}} f(N, D)}}{{{below}}}"


@pytest.mark.parametrize("notation", NOTATIONS)
def test_braces_and_brackets_balance(printed: dict[str, dict[str, str]], notation: str) -> None:
    for name, text in printed[notation].items():
        bare = re.sub(r"\\[{}]", "", text)
        depth = 0
        for character in bare:
            depth += (character == "{") - (character == "}")
            assert depth >= 0, name
        assert depth == 0, name
        assert text.count(r"\left(") == text.count(r"\right)")
        assert text.count(r"\biggl(") == text.count(r"\biggr)")
        for environment in set(re.findall(r"\\begin\{(.*?)\}", text)):
            assert text.count(rf"\begin{{{environment}}}") == text.count(rf"\end{{{environment}}}")


def test_hoffmann_holds_no_canonical_letter(printed: dict[str, dict[str, str]]) -> None:
    for name, text in printed["hoffmann"].items():
        assert r"\gamma" not in text, name
        assert "^{*}" not in text, name
        assert r"\alpha_C" in text, name
    assert r"\alpha_C" not in "".join(printed["schaeffer"].values())


@pytest.mark.parametrize("name", NAMED)
def test_notations_differ_in_letters_alone(name: str) -> None:
    swap = {r"\beta": r"\alpha", r"\gamma": r"\beta", r"\alpha": r"\alpha_C"}
    for form in closed_forms(ENVELOPES[name]).values():
        swapped = re.sub(
            r"\\(?:alpha|beta|gamma)(?![A-Za-z])", lambda match: swap[match[0]], render(form)
        )
        assert swapped == render(form, "hoffmann")


# -- blocks --------------------------------------------------------------------------------------------------


def rows(block: str) -> dict[str, str]:
    """Left side -> right side of the first relation, for each line of an align block."""
    body = re.sub(r"\\intertext\{.*\}\n", "", block).split("\n", 1)[1].rsplit(r"\end", 1)[0]
    body = body.replace("\\notag \\\\\n  &\\quad", "").replace("\\\\\n  &\\quad", "")
    found: dict[str, str] = {}
    for line in body.replace("\\\\", "").splitlines():
        for equation in re.split(r",? \\qquad ", line.strip().rstrip(",. ")):
            label, _, right = equation.replace("&", "").partition(" = ")
            found.setdefault(label.strip(), right.strip())
    return found


def test_envelope_block_holds_what_it_must() -> None:
    found = rows(derive().to_latex())
    assert found["L(N, D)"] == r"E + A N^{-\beta} + B D^{-\gamma}"
    assert found["C"] == "6 N D"
    assert found["L^{*}(C)"] == r"E + C_0 C^{-\alpha}"
    assert set(found) == {
        *(
            "L(N, D)",
            "C",
            "N^{*}(C)",
            "D^{*}(C)",
            r"\frac{D^{*}(C)}{N^{*}(C)}",
            r"\alpha",
            "w_N",
            "w_D",
            "C_0",
        ),
        "L^{*}(C)",
    }


def test_misallocation_block_holds_what_it_must() -> None:
    text = misallocation().to_latex()
    for piece in (
        r"P(r) &= \frac{L - E}{L^{*} - E} = w_N r^{-\beta} + w_D r^{\gamma}",
        r"P(\rho) &= w_N \rho^{\beta/2} + w_D \rho^{-\gamma/2}",
        r"P - 1 &= \frac{\beta \gamma}{\beta + \gamma} s^{2}",
        r"\varphi_2(x) = \frac{e^{x} - 1 - x}{x^{2}}",
        r"1 + \frac{\beta \gamma}{2} s^{2}",
        r"O\left(s^{5}\right)",
        r"\frac{\beta \gamma}{8} (\log \rho)^{2}",
        r"P &\sim w_N r^{-\beta} \quad (r \to 0)",
        r"P \sim w_D r^{\gamma} \quad (r \to \infty)",
        r"\frac{C_{\mathrm{eff}}}{C} &= P^{-1/\alpha}",
        r"k_D &= \left(\frac{1 - w_N r^{-\beta}}{w_D}\right)^{-1/\gamma}",
        r"\frac{\Delta C}{C} &= r k_D - 1",
        r"\frac{N_{\mathrm{crit}}}{N^{*}(C)} &= w_N^{1/\beta}",
        r"\frac{D_{\mathrm{crit}}}{D^{*}(C)} = w_D^{1/\gamma}",
        r"\alpha &= \frac{\beta \gamma}{\beta + \gamma}",
    ):
        assert piece in text


def test_environment_is_the_callers() -> None:
    assert derive().to_latex(environment="align*").startswith(r"\begin{align*}")
    assert r"\notag" not in misallocation(derive(budget=GENERAL)).to_latex(environment="align*")
    with pytest.raises(ValueError, match="environment='gather'"):
        derive().to_latex(environment="gather")


def test_a_law_in_other_letters_is_not_respelt() -> None:
    for printer in (Envelope.to_latex, theorem_latex):
        with pytest.raises(ValueError, match="notation='hoffmann'"):
            printer(OWN_LETTERS, notation="hoffmann")


def test_a_law_in_other_letters_keeps_them() -> None:
    text = theorem_latex(misallocation(OWN_LETTERS))
    assert r"\alpha_C" in text  # the exponent of compute, where alpha is taken
    assert not re.search(r"\\beta|\\gamma", text)
    assert "x_{1}^{*}" in text


# -- theorem and proof ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "subject",
    [derive(), misallocation(), derive(budget=GENERAL), THREE],
    ids=["envelope", "misallocation", "general budget", "three factors"],
)
def test_proof_has_a_numbered_step_for_every_claim(subject: Envelope | Misallocation) -> None:
    text = theorem_latex(subject)
    assert text.startswith(r"\begin{theorem}[")
    assert text.count(r"\item ") == len(subject.derivation.steps)
    assert rf"\label{{iso:{subject.derivation.name.replace('_', '-')}}}" in text
    stated, _, proof = text.partition(r"\begin{proof}")
    assert proof.endswith(r"\end{proof}")
    assert "Not proved" not in proof
    assert "gather*" in stated
    numbered = re.findall(r"(\d+)(?:--(\d+))?", proof.split(".\n")[0])
    steps = [n for first, last in numbered for n in range(int(first), int(last or first) + 1)]
    assert sorted(steps) == list(range(1, len(subject.derivation.steps) + 1))


def test_a_bare_derivation_is_printed_as_it_stands() -> None:
    text = theorem_latex(derive().derivation, notation="hoffmann")
    assert r"\gamma" not in text
    assert text.count(r"\item ") == len(derive().derivation.steps)


def test_what_is_not_proved_says_so() -> None:
    """Two mutants among true steps: a false equality, a tail with the wrong term."""
    m = misallocation()
    false = Claim("swapped", m.penalty, "==", m.penalty.subs(sym.BETA, sym.GAMMA), "By symmetry.")
    tail = Claim(
        "tail", m.penalty, "~", m.undertrained_tail, "Near 0.", ByLeadingTerm(sym.SIZE_RATIO, "0")
    )
    derivation = replace(
        m.derivation,
        assumptions=(),
        statement=say("It is said that {swapped} and {tail}."),
        definitions=(),
        steps=(false, m.claims["penalty"], tail),
    )
    text = theorem_latex(derivation)
    assert text.count(r"\emph{Not proved") == 2
    assert "step 2 by normal form." in text


def test_side_conditions_stand_with_the_step() -> None:
    assert r"\left(1 - w_N r^{-\beta} > 0\right)" in theorem_latex(misallocation())
    assert r"(r \to \infty)" in theorem_latex(load("penalty_tails"))


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
        claim = Claim("one", left, "==", right, "")
        conditions = side_conditions(claim, claim.prove(), claim)
        assert bool(conditions) == printed


def test_words_are_escaped() -> None:
    text = latex_sentence("over/undertraining at 50% & more, AM-GM, file_name.py, pages 74-109")
    assert text == r"over/undertraining at 50\% \& more, AM--GM, file\_name.py, pages 74--109"


@pytest.mark.parametrize("notation", [SCHAEFFER, HOFFMANN], ids=lambda n: n.name)
def test_every_reason_of_the_package_is_set_without_leftovers(notation: Notation) -> None:
    for claim in (*derive().claims.values(), *misallocation().claims.values()):
        text = latex_sentence(claim.reason, notation)
        assert text.count("$") % 2 == 0
        prose = re.sub(r"\$.*?\$", "", text)
        assert not re.search(r"[\^*=<>\\]|\b(alpha|beta|gamma|rho|lambda)\b", prose), prose


# -- numbers ------------------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 17))
def test_numbers_keep_their_significant_digits(value: float, digits: int) -> None:
    for trimmed in (False, True):
        text = significant_latex(value, digits, trimmed=trimmed)
        match = re.fullmatch(r"(-?[\d.]+)(?: \\times 10\^\{(-?\d+)\})?|10\^\{(-?\d+)\}", text)
        assert match is not None
        read = Decimal(match[1] or 1).scaleb(int(match[2] or match[3] or 0))
        assert abs(read - Decimal(str(value))) <= Decimal(5).scaleb(-digits) * abs(
            Decimal(str(value))
        )


# -- compiled ------------------------------------------------------------------------------------------------

DOCUMENT = r"""\documentclass{article}
\usepackage{amsmath,amsthm,booktabs}
\newtheorem{theorem}{Theorem}
\begin{document}
\emergencystretch=4em
%s
\end{document}
"""
WORST_OVERFULL = 5  # points


def compiled(folder: Path, body: str) -> str:
    """The log of pdflatex, which must succeed."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    (folder / "paper.tex").write_text(DOCUMENT % body, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    run = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
    )
    assert run.returncode == 0, run.stdout[-2000:]
    return run.stdout


@pytest.mark.parametrize("notation", NOTATIONS)
def test_everything_compiles_within_the_margins(
    printed: dict[str, dict[str, str]], notation: str, tmp_path: Path
) -> None:
    parts = list(printed[notation].values())
    for budget in (SIX_ND, GENERAL):
        envelope = derive(budget=budget)
        parts += [
            theorem_latex(s.derivation, notation=notation)
            for s in (envelope, misallocation(envelope))
        ]
    if notation == "schaeffer":
        parts += [OWN_LETTERS.to_latex(), theorem_latex(misallocation(OWN_LETTERS))]
    log_text = compiled(tmp_path, "\n\n".join(parts))
    too_wide = [
        Decimal(points)
        for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log_text)
    ]
    assert [points for points in too_wide if points > WORST_OVERFULL] == []


def test_width_is_about_what_is_set(tmp_path: Path) -> None:
    """The widths that break lines, against TeX's own boxes."""
    forms = [
        r"-a - b = -1 \pm x \cdot y, \quad f(x) \to \infty",
        r"\operatorname{arcosh}(1 + \varepsilon) \le \min_{N, D} \sum_{i=1}^n \tfrac12 x_i^2",
        r"\binom{n}{k} \biggl(\sqrt{\frac{\alpha}{6}} \biggr)^{-\beta} \log R_{\mathrm{opt}}",
    ]
    forms += [
        render(form)
        for name in ("6ND", "general")
        for form in closed_forms(ENVELOPES[name]).values()
    ]
    boxes = "\n".join(
        rf"\setbox0=\hbox{{$\displaystyle {form}$}}\typeout{{WIDTH \the\wd0}}" for form in forms
    )
    measured = [
        float(points) for points in re.findall(r"WIDTH ([\d.]+)pt", compiled(tmp_path, boxes))
    ]
    assert len(measured) == len(forms)
    for form, points in zip(forms, measured, strict=True):
        assert abs(width(form) - points) <= 4 + 0.04 * points, form


def test_what_is_derived_shows_all_of_it_in_a_notebook() -> None:
    assert r"L^{*}(C) &= E + C_0 C^{-\alpha}" in derive()._repr_latex_()
    assert r"P(r)" in misallocation()._repr_latex_()
    assert "P(r)" in str(misallocation())
