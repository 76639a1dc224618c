"""The layout of a paper and the plain text: what is printed is read back and decided equal to what
was meant.
"""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from sympy import Expr, Function, Rational, exp, sqrt
from tests.theory.typeset.forms import (
    ENVELOPES,
    OWN_LETTERS,
    SYMBOLS,
    TWO_TERMS,
    closed_forms,
    positive,
    products,
)

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL, SIX_ND, Budget
from isoflop.theory.data.notation import HOFFMANN, SCHAEFFER, Notation
from isoflop.theory.envelope import Envelope, derive, optimum
from isoflop.theory.kernel import decide
from isoflop.theory.kernel.functions import defined
from isoflop.theory.law import LawForm, Term
from isoflop.theory.passk import PASS_AT
from isoflop.theory.penalty import Misallocation, P, misallocation
from isoflop.theory.reader.parse import parse
from isoflop.theory.typeset.plain import plain
from isoflop.theory.typeset.printer import render

NOTATIONS = [SCHAEFFER, HOFFMANN]


# -- the order of a paper ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (derive().form.loss, "E + A N^-beta + B D^-gamma"),
        (sym.REDUCIBLE - sym.A * sym.N**-sym.BETA, "R - A N^-beta"),
        (sym.SIZE_RATIO * positive("k_D") - 1, "r k_D - 1"),
        (GENERAL.compute(), "kappa N^a D^d"),
        (sym.BETA * sym.A / (sym.GAMMA * sym.B), "beta A/(gamma B)"),
        (sqrt(2 * sym.TOLERANCE / (sym.BETA * sym.GAMMA)), "sqrt(2 epsilon/(beta gamma))"),
        (sym.RATIO ** Rational(-1, 2), "rho^(-1/2)"),
        (Rational(48201, 100) * sym.N ** -Rational(3478, 10000), "482.01 N^-0.3478"),
        (Rational(1, 2) * sym.BETA * sym.LOG_SIZE_RATIO**2, "(beta/2) s^2"),
    ],
)
def test_order_of_a_paper(expression: Expr, text: str) -> None:
    assert plain(expression) == text


@given(products)
def test_any_product_is_read_back(product: Expr) -> None:
    assert decide(parse(plain(product), {s.name: s for s in SYMBOLS}), product).proved


# -- round trips ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENVELOPES)
def test_closed_forms_are_read_back(name: str) -> None:
    for what, form in closed_forms(ENVELOPES[name]).items():
        table = {s.name: s for s in form.free_symbols}
        assert decide(parse(plain(form), table), form).proved, (what, plain(form))


# -- the equations -------------------------------------------------------------------------------------------


def meanings(envelope: Envelope) -> dict[Expr, Expr]:
    """What the names in the equations stand for."""
    brief = envelope.named
    pairs = zip(
        (*brief.allocation, *brief.shares), (*envelope.allocation, *envelope.shares), strict=True
    )
    meant = dict(pairs)
    meant |= {brief.exponent: envelope.exponent, brief.coefficient: envelope.coefficient}
    meant[Function("R")(*envelope.form.variables)] = envelope.form.reducible
    return meant | {optimum(sym.L): envelope.loss, optimum(sym.REDUCIBLE): envelope.reducible}


def in_full(expression: Expr, meant: dict[Expr, Expr]) -> Expr:
    full = expression.xreplace(meant)
    return full.xreplace(meant)  # names within what a name stands for: alpha in C0


@pytest.mark.parametrize("name", ENVELOPES)
@pytest.mark.parametrize("spelling", NOTATIONS, ids=lambda n: n.name)
def test_every_line_of_the_envelope_holds(name: str, spelling: Notation) -> None:
    envelope = ENVELOPES[name]
    meant = meanings(envelope) | {positive("a"): positive("a")}
    if spelling == HOFFMANN:
        if name in ("own letters", "equal exponents"):
            return
        if name in ("6ND", "accuracy"):  # Hoffmann's a and b are the shares there
            meant |= dict(zip((positive("a"), positive("b")), envelope.shares, strict=True))
    for line in envelope.sections(spelling)[0][1][2:]:  # behind the law and the budget
        for equation in line:
            first, *others = (in_full(side, meant) for side in equation.sides)
            assert all(decide(first, other).proved for other in others), equation


def as_penalty(m: Misallocation, side: Expr, of: Expr) -> Expr:
    """A side with P(r), P(rho) and P, here of the variables of `of`, in full."""
    in_s = m.penalty.subs(sym.SIZE_RATIO, exp(sym.LOG_SIZE_RATIO))
    in_ratio = m.penalty.subs(sym.SIZE_RATIO, m.size_ratio)
    named = {Function("P")(sym.SIZE_RATIO): m.penalty, Function("P")(sym.RATIO): in_ratio}
    bare = {sym.LOG_SIZE_RATIO: in_s, sym.RATIO: in_ratio}
    penalty = next((bare[x] for x in bare if x in of.free_symbols), m.penalty)
    return side.xreplace(named).xreplace({P: penalty})


@pytest.mark.parametrize("name", TWO_TERMS)
def test_every_line_of_the_misallocation_holds(name: str) -> None:
    """Equalities by the normal form; the definitions of r, rho, L and C_eff make the rest what it
    says.
    """
    envelope = ENVELOPES[name]
    m = misallocation(envelope)
    n, d = envelope.form.variables
    r, slope = sym.SIZE_RATIO, m.ratio * sym.SIZE_RATIO
    at_fixed_compute = {n: r * envelope.optimum(n), d: slope * envelope.optimum(d)}
    off_optimum = m.penalty * envelope.reducible
    meant = meanings(envelope) | {
        sym.L: envelope.form.loss_at(off_optimum),
        sym.REDUCIBLE: off_optimum,
        optimum(sym.REDUCIBLE): envelope.reducible,
        positive("C_eff"): sym.C * m.effective_compute,
        positive("Delta C"): sym.C * m.compute_overhead,
        positive(f"k_{d}"): m.tokens_factor,
        positive("N_crit"): m.critical_size_ratio * envelope.optimum(n),
        positive("D_crit"): m.critical_tokens_ratio * envelope.optimum(d),
        sym.RATIO: m.ratio,
    }
    equations = [e for _, lines in m.sections() for line in lines for e in line]
    exact = [
        e
        for e in equations
        if e.relation == "=" and e.remainder is None and e.label != sym.LOG_SIZE_RATIO
    ]
    assert len(exact) >= 12
    for equation in exact:
        sides = [as_penalty(m, side, equation.sides[1]) for side in equation.sides]
        first, *others = (
            defined(in_full(side, meant).subs(at_fixed_compute, simultaneous=True))
            for side in sides
        )
        assume = (1 - m.overtrained_tail,) if "k_" in str(sides) else ()
        assert all(decide(first, other, assume=assume).proved for other in others), equation


# -- what is not proved, and notation ------------------------------------------------------------------------


def test_a_wrong_envelope_is_not_called_proved() -> None:
    """A mutant: the exponent of another law."""
    wrong = replace(derive(), exponent=sym.BETA * sym.GAMMA / (sym.BETA + 2 * sym.GAMMA))
    text = wrong.text(proofs=True)
    assert "REFUTED" in text
    proved, total = map(int, re.findall(r"\((\d+) of (\d+) proved\)", text)[0])
    assert proved < total


def test_hoffmann_text_holds_no_canonical_letter() -> None:
    envelope = ENVELOPES["6ND"]
    text = envelope.text(notation="hoffmann", proofs=True)
    text += misallocation(envelope).text(notation="hoffmann", proofs=True)
    assert "gamma" not in text
    assert not re.search(r"\b[NDLRC]\*", text)
    assert "alpha_C" in text
    assert "A N^-alpha + B D^-beta" in text


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


def test_a_function_of_the_number_of_draws_stands_before_its_at_sign_and_last_in_a_product():
    k, p = positive("k"), positive("p")
    assert render(p * PASS_AT(k)) == r"p \, \mathrm{pass}@k"
    assert render(PASS_AT(2 * k)) == r"\mathrm{pass}@(2 k)"
    assert [plain(PASS_AT(at)) for at in (k, 2 * k)] == ["pass@k", "pass@(2 k)"]
