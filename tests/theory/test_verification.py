"""Reports on theorems: the result of every path, and failures."""

import json
from pathlib import Path

import pytest
from sympy import symbols
from tests.theory.documents import theorem_of

from isoflop.derivations import NAMES
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.theorem.step import Step
from isoflop.theory.verification import ERRATA, load, verify, verify_errata

x, y = symbols("x y", positive=True)
SQUARE = Step("square", (x + y) ** 2, "==", x**2 + 2 * x * y + y**2, "Expand.")
BOUND = Step("bound", x + y, ">=", x, "y is positive.", ByBound())
WRONG = Step("wrong", (x + y) ** 2, "==", x**2 + y**2, "A student's dream.")


def test_a_report_has_every_path() -> None:
    report = verify(theorem_of(SQUARE, BOUND))
    assert (report.status, report.failed, report.error) == ("proved", False, "")
    steps = json.loads(json.dumps(report.as_dict()))["steps"]
    assert [(step["exact"], step["pointwise"]) for step in steps] == [("proved", "passed")] * 2
    assert steps[1]["claim"] == "x + y >= x"
    report = verify(theorem_of(BOUND), seconds=1e-6)
    assert (report.status, report.steps[0].exact) == ("undecided", "undecided")


def test_a_text_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    text = (
        "# Mine\n\nSetting: envelope\n\n{sum}.\n\n- **sum**: $w_N + w_D = 1$\n  So:\n\nSource: me\n"
    )
    path.write_text(text)
    assert str(verify(path)) == "mine: proved\n  proved     sum: w_N + w_D == 1"
    path.write_text(text.replace("= 1", "= 2"))
    assert str(verify(str(path))) == "mine: refuted\n  refuted    sum: w_N + w_D == 2"
    path.write_text("# Mine\n\nNothing.\n")
    with pytest.raises(ValueError, match="Setting: must be one of"):
        verify(path)


def test_an_unknown_name_has_a_hint() -> None:
    with pytest.raises(ValueError, match=r"name='envelope_exponnt'.*envelope_exponent"):
        load("envelope_exponnt")
    with pytest.raises(ValueError, match="paper='nobody2025': must be one of krajewski2025"):
        verify_errata("nobody2025")
    assert all(name in NAMES for name in ERRATA.values())
