"""An erratum holds only where the printed claim is refuted and every correction is proved."""

from dataclasses import replace

import pytest
from sympy import Integer, Rational, Symbol, exp

from isoflop.derivations import errata
from isoflop.theory.data.published import compute_counterparts
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.rules import ByLeadingTerm
from isoflop.theory.theorem.claim import Claim, Numerically
from isoflop.theory.theorem.errata import Erratum, refute

X, Y = Symbol("x", positive=True), Symbol("y", positive=True)
SLIP = Claim("printed", (X + Y) ** 2, "==", X**2 + Y**2, "test")
RIGHT = Claim("corrected", (X + Y) ** 2, "==", X**2 + 2 * X * Y + Y**2, "test")
SLIPS, REMARKS = errata("krajewski2025_errata")
SAMPLE = Erratum("sample", "nowhere", SLIP, RIGHT, "test")


def test_a_slip_and_its_correction():
    verdict = SAMPLE.verify()
    assert verdict.holds
    assert "refuted, witness" in str(verdict)
    assert "corrected proved" in str(verdict)


@pytest.mark.parametrize(
    "change",
    [
        {"as_printed": RIGHT},  # nothing wrong with what is printed
        {"corrected": SLIP},  # the correction is wrong
        {"corrected": (RIGHT, SLIP)},
        {"corrected": replace(RIGHT, argument=Numerically())},  # not proved
    ],
)
def test_neither_half_may_fail(change):
    assert not replace(SAMPLE, **change).verify().holds


@pytest.mark.parametrize(("relation", "refuted"), [(">=", False), ("<=", True), ("==", True)])
def test_bounds_are_refuted_where_they_fail(relation, refuted):
    claim = Claim("bound", exp(X), relation, 1 + X, "test", ByBound())
    assert (refute(claim) is not None) is refuted


def test_a_witness_must_satisfy_the_assumptions():
    with pytest.raises(ValueError, match="assumptions"):
        refute(replace(SLIP, assume=(X - Y,)), at=((X, Rational(1)), (Y, Rational(2))))


def test_limits_have_no_witness():
    with pytest.raises(ValueError, match="limit"):
        refute(Claim("limit", 1 / X, "->", Integer(0), "test", ByLeadingTerm(X, "oo")))


@pytest.mark.parametrize("erratum", SLIPS, ids=lambda e: e.name)
def test_every_erratum_holds(erratum):
    verdict = erratum.verify()
    assert verdict.holds, str(verdict)
    numbers = {symbol.name: x for symbol, x in verdict.witness.point}
    if "k" in numbers:
        assert numbers["k"].is_Integer
    if "q" in numbers:
        assert 0 < numbers["q"] < 1


def test_every_check_of_a_remark_is_proved():
    assert all(check.verify().strength == "proved" for remark in REMARKS for check in remark.checks)


def test_the_rows_of_tables_11_and_12_are_those_of_the_published_laws():
    (slip,) = (each for each in SLIPS if each.name == "table_11_columns")
    found = {claim.name: claim for claim in slip.corrections}
    pairs = compute_counterparts()
    assert len(found) == len(pairs) == 12
    for law, compute_law in pairs:
        claim = found[f"table_11_{str(law.label).replace('-', '_')}"]
        numbers = {abs(number) for number in claim.lhs.atoms(Rational)}
        wanted = [compute_law.printed[column] for column in ("A", "alpha")]
        wanted += [str(law.coefficients[name]) for name in ("A", "B", "beta", "gamma")]
        assert {Rational(digits) for digits in wanted} <= numbers, law.label
