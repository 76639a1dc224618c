"""Documents: their proofs, their citations, and their margins as LaTeX sets them."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.theory.documents import (
    checked,
    compiled,
    complaints,
    derivation_of,
    printable,
    theorem_of,
)
from tests.theory.typeset.forms import NOTATIONS

from isoflop.theory.data.bibliography import WORKS
from isoflop.theory.data.notation import notation as find_notation
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.theorem.step import Cited, Step, UnderLemma
from isoflop.theory.theorem.words import say
from isoflop.theory.typeset.document import Checked, cited, document_latex
from isoflop.theory.typeset.printer import PaperPrinter
from isoflop.theory.typeset.theorem import theorem_latex

FEW = (
    "compute_optimal_envelope",
    "misallocation_penalty",
    "optimum_by_lagrange",
    "pass_at_k_of_beta_problems",
    "penalty_tails",
    "term_balance_and_shares",
)


@pytest.fixture(scope="module")
def entries() -> dict[str, Checked]:
    return {name: printable(name) for name in FEW}


@pytest.mark.parametrize(("notation", "proof"), [("schaeffer", "short"), ("hoffmann", "steps")])
def test_a_document_compiles_and_lists_what_it_cites(entries, notation, proof, tmp_path):
    text = document_latex(entries.values(), notation=notation, proof=proof)
    assert complaints(compiled(tmp_path, text)) == []
    keys = set(re.findall(r"\\cite\{(\w+)\}", text))
    assert keys == set(re.findall(r"\\bibitem\{(\w+)\}", text))
    assert {"hoffmann2022", "tricomi1951", "levi2024"} <= keys <= WORKS.keys()
    assert (r"\gamma" in text, "^{*}" in text) == (notation == "schaeffer",) * 2


def in_a_paper(fragment: str, body: str, preamble: Sequence[str] = ()) -> str:
    """An article with the packages that a fragment names."""
    needed = re.search(r"% Needs the packages (.*)\.", fragment)
    assert needed is not None
    head = [r"\documentclass{article}", rf"\usepackage{{{needed[1].replace(' ', '')}}}"]
    return "\n".join([*head, *preamble, r"\begin{document}", body, r"\end{document}"])


def test_a_fragment_compiles_in_a_paper_twice_and_with_its_own_theorems(entries, tmp_path):
    fragment = document_latex([entries["optimum_by_lagrange"]], fragment=True)
    assert not re.search(r"^\\(documentclass|usepackage|begin\{document\})", fragment, re.MULTILINE)
    again = document_latex([entries["optimum_by_lagrange"]], fragment=True)
    items = [rf"\bibitem{{iso:{work.key}}} {work.key}." for work in cited(fragment)]
    works = "\n".join([r"\begin{thebibliography}{9}", *items, r"\end{thebibliography}"])
    ours = r"\begin{theorem}Ours.\end{theorem}"
    body = [ours, fragment, re.sub(r"\\label\{.*?\}", "", again), works]
    preamble = [r"\newtheorem{theorem}{Theorem}"]
    assert complaints(compiled(tmp_path, in_a_paper(fragment, "\n\n".join(body), preamble))) == []
    references = (tmp_path / "notes.aux").read_text(encoding="utf-8")
    assert r"\newlabel{iso:optimum-by-lagrange}{{2}" in references  # numbered with the paper's own


def test_every_work_has_an_entry_for_bibtex():
    for work in WORKS.values():
        entry = work.bibtex("iso:")
        assert entry.isascii()
        assert re.match(rf"@(article|book|misc)\{{iso:{work.key},\n", entry)
        assert f"year = {{{work.fields['year']}}}" in entry
        assert work.link in entry
        if eprint := work.fields.get("eprint"):  # as plain.bst prints it
            assert f"howpublished = {{arXiv:{eprint}}}" in entry
        assert entry.count("{") == entry.count("}")


# -- proofs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_proofs_of_the_envelope(notation: str) -> None:
    """A step for every claim; in the short proof every displayed formula is the claim of a proved
    step, and what it refers to is written out.
    """
    derivation = derivation_of("compute_optimal_envelope")
    long, short = (
        theorem_latex(derivation, notation=notation, proof=proof).partition("{proof}")[2]
        for proof in ("steps", "short")
    )
    assert long.count(r"\item ") == len(derivation.steps)
    assert "step~" not in short
    assert r"\begin{enumerate}" not in short
    printer = PaperPrinter(find_notation(notation))
    flat = " ".join(re.sub(r"&|\\\\|\\qedhere|\s+", " ", short).split())
    for name in derivation.short_proof:
        step = next(step for step in derivation.steps if step.name == name)
        sides = [printer.doprint(side) for side in step.formula.sides]
        line = [printer.on_the_line(side) for side in step.formula.sides]
        assert all(a in flat or b in flat for a, b in zip(sides, line, strict=True)), name
        assert step.prove().proved


def about(claim: Step, proof: str = "steps") -> str:
    derivation = theorem_of(claim)
    return document_latex([(derivation, checked(derivation, 4))], proof=proof)


TRUE = Step("square", (sym.A + 1) ** 2, "==", sym.A**2 + 2 * sym.A + 1, "Expand.")
GRANTED = UnderLemma(
    say("{} whenever {}", (sym.A, ">", 0), (sym.B, ">", 0)),
    "Hausdorff 1921, Math. Z. 9, 74-109",
    TRUE.argument,
)
RUDIN = Cited("Rudin 1987, Real and Complex Analysis")


@pytest.mark.parametrize("proof", ["short", "steps"])
@pytest.mark.parametrize(
    ("claim", "status", "remark"),
    [
        (
            replace(TRUE, argument=GRANTED),
            "proved under a stated lemma",
            r"\emph{Lemma} (Hausdorff 1921~\cite{hausdorff1921}, not proved here): $A > 0$",
        ),
        (
            replace(TRUE, argument=RUDIN),
            "cited",
            r"(Cited, not proved: Rudin 1987~\cite{rudin1987}",
        ),
        (replace(TRUE, rhs=sym.A**2 + 2 * sym.A), "failed", r"\emph{Not proved: "),
        (replace(TRUE, rhs=sym.A, argument=RUDIN), "failed", r"\emph{"),
    ],
)
def test_every_proof_remarks_on_a_step_that_is_not_proved(claim, status, remark, proof):
    """A lemma with its source, a check in numbers, a citation, a false step."""
    text = about(claim, proof)
    assert rf"\textbf{{Status:}} {status}" in text
    assert remark in text
