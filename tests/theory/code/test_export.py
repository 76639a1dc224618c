"""The strings of the JSON: read back by sympify, and equal to the theory."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sympy import Expr, Float, Integer, Symbol, exp, log, sympify
from tests.theory.laws import GENERAL

from isoflop.theory.budget import SIX_ND, Budget
from isoflop.theory.code.export import derive_json
from isoflop.theory.envelope import derive
from isoflop.theory.kernel import decide
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.kernel.functions import defined
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import misallocation

ENVELOPES = {"schaeffer": derive(), "hoffmann": derive(budget=GENERAL)}
LETTERS = {name: quantity.symbol for name, quantity in sym.QUANTITIES.items()}
TABLES = {
    "schaeffer": LETTERS,
    "hoffmann": LETTERS | {"alpha": sym.BETA, "beta": sym.GAMMA, "alpha_C": sym.ALPHA},
}
ALLOWED = {
    "schaeffer": {"E", "A", "B", "beta", "gamma", "C", "r"},
    "hoffmann": {"E", "A", "B", "beta", "gamma", "C", "r", "kappa", "a", "d"},
}


@pytest.mark.parametrize("notation", ENVELOPES)
def test_strings_are_read_back(notation: str) -> None:
    """As a user reads them: sympify with positive symbols, in the letters of the notation."""
    envelope, table = ENVELOPES[notation], TABLES[notation]
    family = misallocation(envelope)
    data = derive_json(envelope, family, notation=notation)

    def check(text: str, expected: Expr, assume: tuple[Expr, ...] = ()) -> set[str]:
        found = sympify(text, locals=table)
        assert not found.has(Float)
        assert found == expected or decide(found, expected, assume=assume).proved, text
        return {symbol.name for symbol in found.free_symbols}

    for name in ("params", "tokens", "exponent", "coefficient", "loss", "tokens_per_param"):
        assert check(data[name], getattr(envelope, name)) <= ALLOWED[notation]
    assert check(data["penalty"], family.penalty) <= ALLOWED[notation]
    check(data["law"], envelope.form.loss)
    check(data["budget"], envelope.budget.compute())
    for x, share in zip(envelope.form.variables, envelope.shares, strict=True):
        check(data["shares"][x.name], share)
    assert data["notation"] == notation
    assert data["allocation"] == {"N": data["params"], "D": data["tokens"]}
    originals = [*envelope.claims.values(), *family.claims.values()]
    for claim, original in zip(data["claims"], originals, strict=True):
        check(claim["lhs"], defined(original.lhs), original.assume)
        check(claim["rhs"], defined(original.rhs), original.assume)
        for condition in claim["conditions"]:
            expression, relation, zero = condition.rsplit(" ", 2)
            assert (relation, zero) in ((">", "0"), ("!=", "0"))
            assert sympify(expression, locals=table).free_symbols <= set(table.values())


def test_answers_are_computed() -> None:
    """A mutant: with the exponent of another law the claims about it are refuted, the others still
    proved.
    """
    wrong = replace(derive(), exponent=sym.BETA * sym.GAMMA / (sym.BETA + 2 * sym.GAMMA))
    answers = {claim["name"]: claim["answer"] for claim in derive_json(wrong)["claims"]}
    assert answers["exponent"] == answers["envelope"] == "refuted"
    assert answers["budget"] == answers["shares_sum"] == "proved"


U, F, b = (Symbol(name, positive=True) for name in "UFb")
TERMS = (Term(sym.A, sym.N, sym.BETA), Term(sym.B, sym.D, sym.GAMMA))
OWN = LawForm((Term(sym.A, sym.N, sym.ALPHA), Term(sym.B, sym.D, sym.BETA)))
IN_FLOATS = LawForm((Term(Float("406.4"), sym.N, sym.BETA), TERMS[1]))


@pytest.mark.slow
def test_three_factors() -> None:
    form = LawForm((*TERMS, Term(F, U, b)), outer=exp(-sym.REDUCIBLE))
    envelope = derive(form, Budget(Integer(6), (*SIX_ND.powers, (U, Integer(1)))))
    data = derive_json(envelope)
    assert data["penalty"] is None
    table = LETTERS | {"F": F, "b": b}
    for x, best in zip(form.variables, envelope.allocation, strict=True):
        assert decide(sympify(data["allocation"][x.name], locals=table), best).proved
    assert decide(log(sympify(data["loss"], locals=table)), log(envelope.loss)).proved
    assert all(claim["answer"] == "proved" for claim in data["claims"])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: derive_json(derive(IN_FLOATS)), "holds a float"),
        (
            lambda: derive_json(derive(), misallocation(derive(budget=GENERAL))),
            r"misallocation: is of the envelope under C = kappa N\^a D\^d",
        ),
        (lambda: derive_json(derive(OWN), notation="hoffmann"), "notation='hoffmann'"),
        (lambda: derive_json(derive(), notation="chinchilla"), "unknown notation='chinchilla'"),
    ],
)
def test_refusals(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
