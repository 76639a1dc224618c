"""An erratum holds only where the printed claim is refuted and every correction is proved."""

from dataclasses import replace

import pytest
from sympy import Integer, Rational, Symbol, exp

from isoflop.derivations import errata
from isoflop.theory.data.published import compute_counterparts
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.theorem.errata import Erratum
from isoflop.theory.theorem.step import Cited, Step
from isoflop.theory.verification import judged

X, Y = Symbol("x", positive=True), Symbol("y", positive=True)
SLIP = Step("printed", (X + Y) ** 2, "==", X**2 + Y**2, "test")
RIGHT = Step("corrected", (X + Y) ** 2, "==", X**2 + 2 * X * Y + Y**2, "test")
BOUND = Step("bound", exp(X), ">=", 1 + X, "test", ByBound())
SAMPLE = Erratum("sample", "nowhere", SLIP, (RIGHT,), "test")
FOUND = errata("krajewski2025_errata")


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({}, True),
        ({"at": ((X, Rational(1)), (Y, Rational(2)))}, True),
        ({"printed": replace(BOUND, relation="<=")}, True),
        ({"printed": BOUND}, False),  # nothing wrong with what is printed
        ({"printed": RIGHT}, False),
        ({"corrected": (SLIP,)}, False),
        ({"corrected": (RIGHT, SLIP)}, False),
        ({"corrected": (replace(RIGHT, argument=Cited("a paper")),)}, False),
        ({"printed": None}, True),  # a remark
        ({"printed": None, "corrected": (SLIP,)}, False),
    ],
)
def test_neither_half_may_fail(change: dict, holds: bool) -> None:
    assert judged(replace(SAMPLE, **change))["holds"] is holds


def test_a_witness_is_at_the_point_that_is_asked_for() -> None:
    point = ((X, Rational(1)), (Y, Rational(2)))
    witness = replace(SAMPLE, at=point).witness()
    assert witness is not None
    assert (witness.point, Rational(witness.lhs), Rational(witness.rhs)) == (point, 9, 5)
    outside = replace(SAMPLE, printed=replace(SLIP, assume=(X - Y,)), at=point)
    assert outside.witness() is None  # where the assumption does not hold


@pytest.mark.parametrize("erratum", FOUND, ids=lambda e: e.name)
def test_every_erratum_of_krajewski_holds(erratum: Erratum) -> None:
    assert judged(erratum)["holds"]
    witness = erratum.witness()
    numbers = {s.name: x for s, x in witness.point} if witness else {}
    assert numbers.get("k", Integer(1)).is_Integer
    assert 0 < numbers.get("q", Rational(1, 2)) < 1


def test_the_rows_of_tables_11_and_12_are_those_of_the_published_laws() -> None:
    (slip,) = (each for each in FOUND if each.name == "table_11_columns")
    found = {claim.name: claim for claim in slip.corrected}
    pairs = compute_counterparts()
    assert len(found) == len(pairs) == 12
    for law, compute_law in pairs:
        claim = found[f"table_11_{str(law.label).replace('-', '_')}"]
        numbers = {abs(number) for number in claim.lhs.atoms(Rational)}
        wanted = [compute_law.printed[column] for column in ("A", "alpha")]
        wanted += [str(law.coefficients[name]) for name in ("A", "B", "beta", "gamma")]
        assert {Rational(digits) for digits in wanted} <= numbers, law.label
