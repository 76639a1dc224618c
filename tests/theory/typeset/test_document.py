"""Documents: what they say of a proof, what they cite, whose symbols they use, and that LaTeX sets
them within the margins.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
import sympy
from sympy import Mul, Pow, Rational, Symbol
from tests.theory.documents import (
    checked_entry,
    compiled,
    complaints,
    derivation_of,
    theorem_of,
)

import isoflop
from isoflop.derivations import NAMES
from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL
from isoflop.theory.data.bibliography import WORKS, citations
from isoflop.theory.data.notation import HOFFMANN, NOTATIONS, SCHAEFFER
from isoflop.theory.envelope import derive
from isoflop.theory.law import PARAMS_TOKENS
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import Cited, UnderLemma
from isoflop.theory.proof.claim import Claim, Derivation, Numerically
from isoflop.theory.proof.words import say
from isoflop.theory.typeset.breaking import ARTICLE, TWO_COLUMNS, filled, packed, with_names
from isoflop.theory.typeset.document import (
    LETTERS,
    CheckedTheorem,
    cited,
    document_latex,
    with_macros,
)
from isoflop.theory.typeset.printer import PaperPrinter
from isoflop.theory.typeset.table import Column, Table

FEW = (
    "optimum_by_lagrange",
    "pass_at_k_of_beta_problems",
    "penalty_tails",
    "allocation_across_k",
    "term_balance_and_shares",
)
#: One theorem of each folder.
OF_FOLDERS = (
    "accuracy_form",
    "data_wall",
    "fixed_ratio_ray",
    "optimum_by_lagrange",
    "kaplan_form",
    "pass_at_k_of_beta_problems",
    "penalty_expansion",
    "two_factor_law",
)


@pytest.fixture(scope="module")
def entries() -> dict[str, CheckedTheorem]:
    return {name: checked_entry(name) for name in FEW}


# -- compiled --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("notation", NOTATIONS)
def test_some_derivations_compile(entries, notation, tmp_path):
    assert complaints(compiled(tmp_path, document_latex(entries.values(), notation=notation))) == []


def test_a_fragment_compiles_in_a_paper_with_its_own_symbols(entries, tmp_path):
    fragment = document_latex([entries["optimum_by_lagrange"]], fragment=True, bibliography=True)
    assert not re.search(r"^\\(documentclass|usepackage|begin\{document\})", fragment, re.MULTILINE)
    own = [r"\newcommand{\isoN}{M}\newcommand{\isobeta}{{b_1}}", r"\newtheorem{theorem}{Theorem}"]
    body = [r"\begin{theorem}Ours.\end{theorem}", fragment, r"\typeout{N IS \isoN}"]
    log = compiled(tmp_path, in_a_paper(fragment, "\n".join(body), own))
    assert complaints(log) == []
    assert "N IS M" in log
    references = (tmp_path / "notes.aux").read_text(encoding="utf-8")
    assert r"\newlabel{iso:optimum-by-lagrange}{{2}" in references  # numbered with the paper's own


def in_a_paper(fragment: str, body: str, own: Sequence[str] = (), two_columns: bool = False) -> str:
    """An article with the packages that a fragment names."""
    needed = re.search(r"% Needs the packages (.*)\.", fragment)
    assert needed is not None
    options, page = ("twocolumn", "textwidth=516pt,columnsep=12pt") if two_columns else ("", "")
    head = [rf"\documentclass[{options}]{{article}}", rf"\usepackage[{page}]{{geometry}}"]
    head.append(rf"\usepackage{{{needed[1].replace(' ', '')}}}")
    return "\n".join([*head, *own, r"\begin{document}", body, r"\end{document}"])


def test_a_fragment_keeps_out_of_a_papers_way(entries):
    both = [entries["optimum_by_lagrange"], entries["pass_at_k_of_beta_problems"]]
    fragment = document_latex(both, fragment=True, notation="hoffmann", made=date(2026, 3, 9))
    first, *_ = fragment.splitlines()
    assert first.startswith(f"% isoflop {isoflop.__version__}, 2026-03-09: optimum_by_lagrange, ")
    assert first.endswith("; hoffmann notation")
    names = re.findall(
        r"\\(?:label|cite|begin|bibitem)\{(?!align|gather|proof|enumerate)([^}]+)", fragment
    )
    assert names
    assert all(name.startswith("iso") for name in names)
    assert "thebibliography" not in fragment
    macros = set(re.findall(r"\\providecommand\{\\(\w+)\}", fragment))
    assert macros
    assert all(name.startswith("iso") for name in macros)


def test_a_fragment_may_come_twice(entries, tmp_path):
    fragment = document_latex([entries["optimum_by_lagrange"]], fragment=True)
    own = re.sub(r"\\(label|cite)\{[^}]*\}", "", fragment)
    assert complaints(compiled(tmp_path, in_a_paper(fragment, f"{own}\n\n{own}"))) == []


def test_what_is_cited_has_an_entry_for_bibtex(entries):
    fragment = document_latex(entries.values(), fragment=True)
    works = cited(fragment)
    assert {f"iso:{work.key}" for work in works} == set(re.findall(r"\\cite\{([^}]+)\}", fragment))
    for work in works:
        entry = work.bibtex("iso:")
        assert entry.isascii()
        assert re.match(rf"@(article|book|misc)\{{iso:{work.key},\n", entry)
        assert f"year = {{{work.year}}}" in entry
        assert entry.count("{") == entry.count("}")


@pytest.mark.slow
@pytest.mark.parametrize("notation", NOTATIONS)
def test_two_columns_hold_every_display(notation, tmp_path):
    """The default document and a theorem of each folder, as a fragment in a paper of two columns."""
    chosen = [
        CheckedTheorem.checked(derive()),
        CheckedTheorem.checked(misallocation()),
        *map(checked_entry, OF_FOLDERS),
    ]
    fragment = document_latex(
        chosen, fragment=True, bibliography=True, notation=notation, measure=TWO_COLUMNS
    )
    log = compiled(tmp_path, in_a_paper(fragment, fragment, two_columns=True))
    assert "Overfull" not in log
    assert complaints(log) == []


def test_tables_compile(tmp_path):
    figures = {"E": 1.8172, "A": 482.01, "B": 2085.43, "beta": 0.3478, "gamma": 0.3658}
    derived = {"alpha": 0.178286, "C0": 2708.5, "w_N": 0.51261}
    laws = [
        {"law": name, "key": "besiroglu2024", **figures, **derived}
        for name in ("one", "another_law", "krajewski2025-x")
    ]
    columns = [Column("ratio", latex=r"$\rho$"), Column("compute_overhead")]
    penalties = Table(columns, [{"ratio": 10.0, "compute_overhead": None}])
    text = document_latex([], laws=laws, penalties=penalties)
    assert "& 0.1783 &" in text
    assert r"another\_law" in text
    assert text.count(r"\bibitem{besiroglu2024}") == 1
    assert complaints(compiled(tmp_path, text)) == []


# -- status ----------------------------------------------------------------------------------------------------


def about(claim: Claim) -> str:
    derivation = theorem_of(claim)
    return document_latex(
        [CheckedTheorem(derivation, derivation.verify(points=4, digits=30))], macros=False
    )


TRUE = Claim("square", (sym.A + 1) ** 2, "==", sym.A**2 + 2 * sym.A + 1, "Expand.")


def test_proved():
    text = about(TRUE)
    assert r"\textbf{Status:} proved." in text
    assert "Each step was decided by an exact procedure: step 1 by normal form." in text


def test_a_lemma_is_stated_with_its_source():
    granted = UnderLemma(
        say("{} whenever {}", (sym.A, ">", 0), (sym.B, ">", 0)),
        "Hausdorff 1921, Math. Z. 9, 74-109",
        TRUE.argument,
    )
    text = about(replace(TRUE, argument=granted))
    assert r"\textbf{Status:} proved under a stated lemma." in text
    assert (
        r"Step 1 rests on a lemma that is not proved here (Hausdorff 1921~\cite{hausdorff1921}):"
        in text
    )
    assert r"\emph{Lemma.} $A > 0$ whenever $B > 0$." in text
    assert "Each step" not in text


def test_numerical_and_cited():
    assert "Checked in numbers, not proved: step 1" in about(replace(TRUE, argument=Numerically()))
    text = about(replace(TRUE, argument=Cited("Rudin 1987, Real and Complex Analysis")))
    assert r"Cited, not proved: step 1 (Rudin 1987~\cite{rudin1987})." in text
    assert r"\textbf{Status:} cited." in text


@pytest.mark.parametrize("rhs", [sym.A**2 + 2 * sym.A, sym.A**2 + 2 * sym.A + Rational(1001, 1000)])
def test_a_false_step_fails_aloud(rhs):
    text = about(replace(TRUE, rhs=rhs))
    assert r"\textbf{Status:} failed." in text
    assert r"\emph{Not proved: " in text


def test_a_numerical_step_that_is_false_fails_too():
    text = about(replace(TRUE, rhs=sym.A, argument=Numerically()))
    assert r"\textbf{Status:} failed." in text
    assert "Checked in numbers" not in text


# -- citations -------------------------------------------------------------------------------------------------


def sources_of(derivation: Derivation) -> list[str]:
    granted = [
        step.argument.source
        for step in derivation.steps
        if isinstance(step.argument, (UnderLemma, Cited))
    ]
    return [derivation.source, str(derivation.follows), *granted]


@pytest.mark.parametrize("name", NAMES)
def test_every_work_that_a_derivation_cites_is_in_the_bibliography(name):
    for text in sources_of(derivation_of(name)):
        rest = text
        for begin, end, _ in reversed(citations(text)):
            rest = rest[:begin] + rest[end:]
        assert not re.search(r"\b(18|19|20)\d\d\b|arXiv", rest), rest


def test_two_works_of_the_same_names_are_told_apart_by_their_number():
    text = "Schaeffer et al. 2025, arXiv 2502.17578; Schaeffer et al. 2025, arXiv 2509.24012."
    assert [work.key for _, _, work in citations(text)] == ["schaeffer2025monkeys", "schaeffer2025"]
    assert citations("Schaeffer et al. 2025.") == []


def test_what_is_cited_is_listed_and_nothing_else(entries):
    text = document_latex(entries.values())
    cited = set(re.findall(r"\\cite\{(\w+)\}", text))
    assert cited == set(re.findall(r"\\bibitem\{(\w+)\}", text))
    assert {"hoffmann2022", "tricomi1951", "levi2024"} <= cited <= WORKS.keys()


def test_a_theorem_of_the_document_is_referred_to_by_its_number(tmp_path):
    fit, stationary = (
        checked_entry(name) for name in ("three_point_fit_bias", "stationary_fit_bias")
    )
    both = document_latex([fit, stationary])
    assert r"(Theorem~\ref{iso:stationary-fit-bias})" in both
    assert r"\texttt" not in both
    alone = document_latex([fit])
    assert r"(\texttt{stationary\_fit\_bias})" in alone
    assert "those of other derivations" in alone
    assert complaints(compiled(tmp_path, both)) == []


def test_a_setting_is_told_once():
    first, second = (CheckedTheorem.checked(subject) for subject in (derive(), misallocation()))
    other = CheckedTheorem.checked(derive(PARAMS_TOKENS, GENERAL))
    text = document_latex([first, second, other, second], macros=False)
    parts = text.split(r"\begin{theorem}")[1:]
    shared = r"Take the setting of Theorem~\ref{iso:compute-optimal-envelope}. "
    assert [shared.strip() in part for part in parts] == [False, True, False, False]
    for part, compute in zip(
        parts, ("6 N D", "6 N D", r"\kappa N^{a} D^{d}", "6 N D"), strict=True
    ):
        whole = shared.strip() not in part
        assert whole == (rf"$C = {compute}$" in part) == ("R(N, D) = A N" in part)
        assert whole == (r"\alpha = " in part)
    assert "P(r) = w_N" in parts[1]


def test_a_quotient_in_a_line_of_text_is_bracketed():
    x, y, z = (Symbol(name, positive=True) for name in "xyz")
    printer = PaperPrinter(SCHAEFFER)
    unevaluated = Mul(x / y, Pow(Mul(y, z), -1, evaluate=False), evaluate=False)
    assert printer.on_the_line(unevaluated) == "(x/y)/(y z)"
    assert printer.on_the_line(x ** (1 / y) / z) == "x^{1/y}/z"
    assert printer.on_the_line((x + y) / z) == "(x + y)/z"


def test_the_document_names_what_checked_it_and_when(entries, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    text = document_latex([entries["penalty_tails"]], notation="hoffmann")
    assert f"checked by isoflop {isoflop.__version__} with SymPy {sympy.__version__} on" in text
    assert text.count("14 November 2023") == 2
    assert "in the notation of Hoffmann et al. 2022" in text
    assert r"\today" not in text
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(ValueError, match="SOURCE_DATE_EPOCH='yesterday'"):
        document_latex([])


# -- symbols ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_letter_of_a_law_is_a_macro(entries, notation):
    text = document_latex([entries["optimum_by_lagrange"]], notation=notation)
    _, _, body = text.partition(r"\begin{theorem}")
    formulas = " ".join(re.findall(r"\\\[(.*?)\\\]|\$(.*?)\$", body, re.DOTALL)[0])
    assert re.search(r"\\iso[ND]", formulas)
    for letter in ("N", "D", "A", "B", "C", r"\\alpha", r"\\beta", r"\\gamma"):
        assert not re.search(rf"(?<![\\A-Za-z]){letter}(?![A-Za-z])", formulas), letter
    used = set(re.findall(r"\\iso[A-Za-z]+", body))
    assert used == set(re.findall(r"\\providecommand\{(\\iso[A-Za-z]+)\}", text))


@pytest.mark.parametrize("notation", [SCHAEFFER, HOFFMANN])
def test_macros_change_the_letters_alone(notation):
    expression = derive().loss
    written = PaperPrinter(with_macros(notation)).doprint(expression)
    for name in LETTERS:
        macro = "\\iso" + name.replace("0", "zero")
        written = re.sub(
            re.escape(macro) + r"(?![A-Za-z])", notation.latex(name).replace("\\", r"\\"), written
        )
    assert written == PaperPrinter(notation).doprint(expression)


def test_macros_are_explained_in_the_letters_of_the_notation(entries):
    text = document_latex([entries["optimum_by_lagrange"]], notation="hoffmann")
    assert r"\providecommand{\isoA}{A}% coefficient of the params term A N^-alpha" in text
    assert r"\providecommand{\isoB}{B}% coefficient of the tokens term B D^-beta" in text


def test_symbols_of_a_paper():
    entry = checked_entry("penalty_tails")
    text = document_latex([entry], symbols={"N": "M", "beta": "b_1"})
    assert r"\providecommand{\isoN}{M}%" in text
    assert r"\providecommand{\isobeta}{{b_1}}%" in text


@pytest.mark.parametrize(
    ("symbols", "message"),
    [
        ({"X": "M"}, "must be one of E, A, B"),
        ({"N": "D"}, "is the letter of"),
        ({"N": "{M"}, "balanced braces"),
        ({"N": "M}%{"}, "balanced braces"),
        ({"N": " "}, "balanced braces"),
    ],
)
def test_bad_symbols(symbols, message):
    with pytest.raises(ValueError, match=message):
        document_latex([], symbols=symbols)


def test_symbols_need_macros():
    with pytest.raises(ValueError, match="macros=True"):
        document_latex([], symbols={"N": "M"}, macros=False)


# -- lines -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["krajewski2025_errata"])
def test_names_stand_for_what_they_replace(name):
    """Put back in reverse order, the names give the sides of the claim, and what is left fits."""
    printer = PaperPrinter(SCHAEFFER)
    named = 0
    for step in derivation_of(name).steps:
        sides = [step.lhs, step.rhs]
        short, names = with_names(sides, printer, ARTICLE.item)
        named += len(names)
        for symbol, part in reversed(names):
            short = [side.xreplace({symbol: part}) for side in short]
        assert [(a - b).is_zero or a.equals(b) for a, b in zip(short, sides, strict=True)] == [
            True,
            True,
        ]
    assert named


def test_a_short_side_keeps_its_parts():
    x = Symbol("x", positive=True)
    assert with_names([1 + x, x**2], PaperPrinter(SCHAEFFER), ARTICLE.item) == ([1 + x, x**2], [])


def test_a_long_equation_is_aligned_at_its_relations():
    long = [r"A_{1} A_{2} A_{3}", r"+ B_{1} B_{2} B_{3}", r"+ D_{1} D_{2} D_{3}"]
    beside = packed(["L"], [f"= {long[0]}", *long[1:], "= C"], "", 100)
    assert beside[0].startswith("L &= A")
    assert beside[1:] == [rf"&\qquad {long[1]}", rf"&\qquad {long[2]} = C"]
    below = packed(long, [f"= {long[2]}"], "(x > 0)", 100)
    assert [row.partition(" ")[0] for row in below] == ["&A_{1}", r"&\qquad", "&=", r"&\qquad"]
    assert packed(["L"], ["= C"], "(x > 0)", 200) == [r"L = C \qquad (x > 0)"]


def test_a_cross_stands_only_where_a_row_begins_or_between_numbers():
    assert filled(["x", r"\times y"], 100) == ["x y"]
    assert filled(["2", r"\times 3^{a}"], 100) == [r"2 \times 3^{a}"]
    assert filled(["x", r"\times y"], 6) == ["x", r"\times y"]
