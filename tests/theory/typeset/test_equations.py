"""The equations of a result: every line holds, and is set in the letters of its law."""

import re
from dataclasses import replace

import pytest
from sympy import Expr, Function, Integer, exp
from tests.theory.documents import compiled, complaints
from tests.theory.typeset.forms import ENVELOPES, NOTATIONS, OWN_LETTERS, positive

from isoflop.theory.budget import SIX_ND, Budget
from isoflop.theory.envelope import Envelope, derive, optimum
from isoflop.theory.kernel import decide
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.kernel.functions import phi2
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import misallocation
from isoflop.theory.theorem.step import Step
from isoflop.theory.typeset.equations import side_conditions

INDEXED = derive(
    LawForm(
        (Term(positive("K_1"), positive("x_1"), positive("b_1")), Term(sym.B, sym.D, sym.ALPHA))
    ),
    Budget(Integer(6), ((positive("x_1"), positive("c_1")), (sym.D, Integer(1)))),
)


# -- every line holds ------------------------------------------------------------------------------


def meanings(envelope: Envelope) -> dict[Expr, Expr]:
    """What the names in the equations stand for."""
    brief = envelope.named
    names = (*brief.allocation, *brief.shares, brief.exponent, brief.coefficient)
    values = (*envelope.allocation, *envelope.shares, envelope.exponent, envelope.coefficient)
    meant = dict(zip(names, values, strict=True))
    meant[Function("R")(*envelope.form.variables)] = envelope.form.reducible
    return meant | {optimum(sym.L): envelope.loss, optimum(sym.REDUCIBLE): envelope.reducible}


def in_full(expression: Expr, meant: dict[Expr, Expr]) -> Expr:
    full = expression.xreplace(meant)
    return full.xreplace(meant)  # names within what a name stands for: alpha in C0


@pytest.mark.parametrize("name", ENVELOPES)
def test_every_line_of_the_envelope_holds(name: str) -> None:
    envelope = ENVELOPES[name]
    meant = meanings(envelope)
    for line in envelope.sections()[0][1][2:]:  # behind the law and the budget
        for equation in line:
            first, *others = (in_full(side, meant) for side in equation.sides)
            assert all(decide(first, other).proved for other in others), equation


# -- what is not proved ----------------------------------------------------------------------------


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
        step = Step("one", left, "==", right, "")
        assert bool(side_conditions(step, step.prove(), step)) == printed


# -- notation --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "envelope",
    [
        derive(OWN_LETTERS),
        derive(LawForm((Term(sym.A, sym.N, sym.GAMMA), Term(sym.B, sym.D, sym.BETA)))),
        derive(replace(derive().form, outer=sym.ALPHA + sym.REDUCIBLE)),
        derive(budget=Budget(sym.ALPHA, SIX_ND.powers)),
    ],
    ids=["alpha on N", "swapped", "alpha outside", "alpha in the budget"],
)
def test_a_law_in_other_letters_is_not_respelt(envelope: Envelope) -> None:
    assert envelope.text()
    for subject in (envelope, misallocation(envelope)):
        with pytest.raises(ValueError, match="notation='hoffmann'"):
            subject.text(notation="hoffmann")


def test_a_page_in_the_notation_of_hoffmann_holds_no_canonical_letter() -> None:
    text = derive().text(notation="hoffmann", proofs=True)
    text += misallocation().text(notation="hoffmann")
    assert "gamma" not in text
    assert not re.search(r"\b[NDLRC]\*", text)
    assert "alpha_C" in text
    assert "A N^-alpha + B D^-beta" in text


def test_equations_compile_within_the_margins_each_in_its_own_letters(tmp_path) -> None:
    subjects = (derive(), misallocation(), ENVELOPES["general"], ENVELOPES["three factors"])
    pages = {name: [x.to_latex(notation=name) for x in subjects] for name in NOTATIONS}
    indexed = misallocation(INDEXED).to_latex()
    assert r"\alpha_C" in indexed  # where alpha is taken
    assert r"\gamma" not in "".join(pages["hoffmann"])
    assert "^{*}" not in "".join(pages["hoffmann"])
    assert r"\alpha_C" not in "".join(pages["schaeffer"])
    document = r"""\documentclass{article}\usepackage[textwidth=400pt]{geometry}\usepackage{amsmath}
\begin{document}
%s
\end{document}
"""
    body = "\n\n".join([*pages["schaeffer"], *pages["hoffmann"], indexed])
    assert complaints(compiled(tmp_path, document % body)) == []
