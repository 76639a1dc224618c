"""The strings of the JSON: read back by sympify, and decided equal to the theory."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sympy import Expr, Float, Integer, Symbol, exp, log, sympify

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL, SIX_ND, Budget
from isoflop.theory.code.export import derive_json
from isoflop.theory.envelope import Envelope, derive
from isoflop.theory.kernel import decide
from isoflop.theory.kernel.functions import defined
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import misallocation
from isoflop.theory.symbols import QUANTITIES

BUDGETS = {"6ND": SIX_ND, "general": GENERAL}
ENVELOPES = {name: derive(budget=budget) for name, budget in BUDGETS.items()}
EXPORTED = (("6ND", "schaeffer"), ("6ND", "hoffmann"), ("general", "schaeffer"))
ALLOWED = {"6ND": {"E", "A", "B", "beta", "gamma", "C", "r"}}
ALLOWED["general"] = ALLOWED["6ND"] | {"kappa", "a", "d"}
HOFFMANN = {"beta": "alpha", "gamma": "beta"}


@pytest.fixture(scope="module")
def exported() -> dict[tuple[str, str], dict]:
    return {
        (name, notation): derive_json(
            ENVELOPES[name], misallocation(ENVELOPES[name]), notation=notation
        )
        for name, notation in EXPORTED
    }


def letters(names: set[str], notation: str) -> set[str]:
    return {HOFFMANN.get(name, name) if notation == "hoffmann" else name for name in names}


def read(text: str, names: set[str]) -> Expr:
    """As a user reads it: sympify with positive symbols."""
    return sympify(text, locals={name: Symbol(name, positive=True) for name in names})


def canonical(expression: Expr, notation: str) -> Expr:
    if notation == "schaeffer":
        return expression
    back = {Symbol(new, positive=True): Symbol(old, positive=True) for old, new in HOFFMANN.items()}
    return expression.xreplace(back | {Symbol("alpha_C", positive=True): sym.ALPHA})


def references(envelope: Envelope) -> dict[str, Expr]:
    return {
        "params": envelope.params,
        "tokens": envelope.tokens,
        "exponent": envelope.exponent,
        "coefficient": envelope.coefficient,
        "loss": envelope.loss,
        "penalty": misallocation(envelope).penalty,
        "tokens_per_param": envelope.tokens_per_param,
    }


@pytest.mark.parametrize(("name", "notation"), EXPORTED)
def test_strings_are_read_back(
    exported: dict[tuple[str, str], dict], name: str, notation: str
) -> None:
    data, envelope = exported[name, notation], ENVELOPES[name]
    names = letters(ALLOWED[name], notation)
    expected = references(envelope) | {
        "law": envelope.form.loss,
        "budget": envelope.budget.compute(),
    }
    texts = {key: data[key] for key in expected}
    for x, share in zip(envelope.form.variables, envelope.shares, strict=True):
        texts[f"share of {x}"], expected[f"share of {x}"] = data["shares"][x.name], share
    for key, text in texts.items():
        known = names | {"N", "D"} if key in ("law", "budget") else names
        value = read(text, known)
        assert {s.name for s in value.free_symbols} <= known, key
        assert not value.has(Float), key
        assert decide(canonical(value, notation), expected[key]).proved, key
    assert data["notation"] == notation
    assert data["allocation"] == {"N": data["params"], "D": data["tokens"]}


# -- the claims ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("notation", ["schaeffer", "hoffmann"])
def test_sides_of_the_claims_are_read_back(
    exported: dict[tuple[str, str], dict], notation: str
) -> None:
    envelope = ENVELOPES["6ND"]
    originals = [*envelope.claims.values(), *misallocation(envelope).claims.values()]
    table = {name: quantity.symbol for name, quantity in QUANTITIES.items()}
    table["tau"] = envelope.fresh("tau")
    if notation == "hoffmann":
        table |= {"alpha": sym.BETA, "beta": sym.GAMMA, "alpha_C": sym.ALPHA}
    for claim, original in zip(exported["6ND", notation]["claims"], originals, strict=True):
        for side, expression in ((claim["lhs"], original.lhs), (claim["rhs"], original.rhs)):
            value = sympify(side, locals=table)
            assert not value.has(Float)
            assert decide(value, defined(expression), assume=original.assume).proved, (
                claim["name"],
                side,
            )
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


# -- other laws ----------------------------------------------------------------------------------------------


def test_three_factors() -> None:
    u, f, b = (Symbol(name, positive=True) for name in ("U", "F", "b"))
    form = LawForm(
        (Term(sym.A, sym.N, sym.BETA), Term(sym.B, sym.D, sym.GAMMA), Term(f, u, b)),
        outer=exp(-sym.REDUCIBLE),
    )
    envelope = derive(
        form, Budget(Integer(6), ((sym.N, Integer(1)), (sym.D, Integer(1)), (u, Integer(1))))
    )
    data = derive_json(envelope)
    assert data["penalty"] is None
    names = {"A", "B", "F", "beta", "gamma", "b", "C"}
    for x, value in zip(form.variables, envelope.allocation, strict=True):
        assert decide(read(data["allocation"][x.name], names), value).proved
    assert decide(log(read(data["loss"], names)), log(envelope.loss)).proved
    assert all(claim["answer"] == "proved" for claim in data["claims"])


OWN = LawForm((Term(sym.A, sym.N, sym.ALPHA), Term(sym.B, sym.D, sym.BETA)))
IN_FLOATS = LawForm((Term(Float("406.4"), sym.N, sym.BETA), Term(sym.B, sym.D, sym.GAMMA)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: derive_json(derive(IN_FLOATS)), "holds a float"),
        (
            lambda: derive_json(ENVELOPES["6ND"], misallocation(ENVELOPES["general"])),
            r"misallocation: is of the envelope under C = kappa N\^a D\^d",
        ),
        (lambda: derive_json(derive(OWN), notation="hoffmann"), "notation='hoffmann'"),
        (lambda: derive_json(derive(), notation="chinchilla"), "unknown notation='chinchilla'"),
    ],
)
def test_refusals(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
