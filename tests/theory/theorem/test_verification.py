"""Running derivations: reports, what counts as failed, several processes."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import symbols
from tests.theory.documents import theorem_of

from isoflop.derivations import NAMES
from isoflop.derivations import derivation as derivation_of
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.theorem.claim import Claim
from isoflop.theory.theorem.verification import (
    ERRATA,
    checked,
    load,
    summary,
    verify,
    verify_named,
)

x, y = symbols("x y", positive=True)


def derivation(*steps, name="mine"):
    return theorem_of(*steps, name=name)


SQUARE = Claim("square", (x + y) ** 2, "==", x**2 + 2 * x * y + y**2, "Expand.")
BOUND = Claim("bound", x + y, ">=", x, "y is positive.", ByBound())
WRONG = Claim("wrong", (x + y) ** 2, "==", x**2 + y**2, "A student's dream.")


def test_a_report_tells_every_path():
    report = verify(derivation(SQUARE, BOUND))
    assert (report.status, report.failed, report.error) == ("proved", False, "")
    assert (report.proved, report.at_points, report.enclosed) == (2, 2, 1)
    equality, bound = report.steps
    assert (equality.exact, equality.pointwise.passed, equality.interval) == ("proved", True, None)
    assert bound.interval is not None
    assert bound.interval.passed
    assert bound.claim == "x + y >= x"
    assert report.seconds > 0
    assert json.loads(json.dumps(report.as_dict()))["steps"][1]["interval"] == "passed"


def test_a_failure_names_a_point_where_the_sides_differ():
    report = verify(derivation(SQUARE, WRONG))
    assert report.status == "failed"
    assert [step.strength for step in report.steps] == ["proved", "failed"]
    assert report.steps[1].exact == "refuted"
    told = report.steps[1].pointwise
    assert not told.passed
    point = dict(
        part.strip().split(" = ") for part in told.detail.rpartition(", at ")[2].split(",")
    )
    values = {name: Fraction(number) for name, number in point.items()}
    assert (values["x"] + values["y"]) ** 2 != values["x"] ** 2 + values["y"] ** 2


def test_a_derivation_that_cannot_be_built_has_failed(monkeypatch):
    def broken(name):
        if name == "envelope_exponent":
            raise ZeroDivisionError("at home")
        return derivation_of(name)

    monkeypatch.setattr("isoflop.theory.theorem.verification.built", broken)
    report = verify_named("envelope_exponent")
    assert report.failed
    assert report.error == "ZeroDivisionError: at home"
    assert summary([report, verify_named("tokens_per_param")]) == {"proved": 1, "failed": 1}


def test_an_unknown_name_has_a_hint():
    with pytest.raises(ValueError, match=r"name='envelope_exponnt'.*envelope_exponent"):
        load("envelope_exponnt")
    assert all(name in NAMES for name in ERRATA.values())


@pytest.mark.parametrize(
    "found", [3, None, "a theorem", derivation(), replace(derivation(SQUARE), steps=(SQUARE, 3))]
)
def test_what_is_no_derivation(found):
    with pytest.raises(ValueError, match="derivation"):
        checked(found)
    assert checked(derivation(SQUARE)).steps == (SQUARE,)
