"""Every theorem file checks itself on every path, and says honestly how far it is proved."""

import pytest
from tests.theory.documents import checked_entry, compiled, complaints, derivation_of

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
@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_theorem_is_set_within_the_margins(tmp_path, notation):
    text = document_latex(list(map(checked_entry, NAMES)), notation=notation)
    assert complaints(compiled(tmp_path, text)) == []
