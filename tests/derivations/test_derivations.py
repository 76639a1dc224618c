"""Every theorem file checks itself on every path, and says honestly how far it is proved."""

import pytest
from tests.theory.documents import (
    checked_entry,
    compiled,
    complaints_by_name,
    derivation_of,
    on_pages_of_its_own,
)

from isoflop.derivations import NAMES
from isoflop.theory.data.notation import NOTATIONS
from isoflop.theory.kernel.rules import STRENGTHS, weakest
from isoflop.theory.typeset.document import document_latex

#: Theorems whose every step must have an exact proof.
FULLY_PROVED = (
    "compute_optimal_envelope",
    "misallocation_penalty",
    "fixed_ratio_ray",
    "numerically_safe_forms",
    "optimum_by_lagrange",
)


@pytest.mark.parametrize("name", NAMES)
def test_every_step_holds_on_every_path(name):
    derivation = derivation_of(name)
    derivation.refuse_mistakes()
    assert (derivation.name, bool(derivation.title)) == (name, True)
    assert derivation.assumptions
    verdicts = checked_entry(name).verdicts
    assert not [(v.claim.name, str(v.exact), v.pointwise.detail) for v in verdicts if not v.holds]
    status = weakest(verdict.strength for verdict in verdicts)
    assert status in STRENGTHS
    if name in FULLY_PROVED:
        assert status == "proved"


@pytest.mark.slow
def test_every_theorem_is_set_within_the_margins(tmp_path):
    for notation in NOTATIONS:
        documents = {
            name: document_latex([checked_entry(name)], notation=notation) for name in NAMES
        }
        log = compiled(tmp_path, on_pages_of_its_own(documents))
        assert log.count("\ntheorem: ") == len(NAMES)
        assert complaints_by_name(log) == {}
