"""Every theorem file checks itself on every path, and says honestly how far it is proved."""

import pytest
from tests.theory.documents import checked_entry, compiled, complaints, derivation_of, printable

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


#: They take seconds each: the slow tests have them.
LONG = {
    *("stationary_fit_bias", "three_point_fit_bias", "rank_three", "rank_on_a_ray"),
    *("fixed_ratio_ray", "ray_is_a_broken_power_law", "broken_power_law_with_several_breaks"),
    *("law_of_three_factors", "two_factors_under_a_general_budget", "kaplan_form"),
    *("size_cap", "data_wall", "both_caps", "critical_sizes", "unique_minimum_along_the_budget"),
    *("fixed_size_ratio_or_tokens_per_param", "sensitivities_and_shadow_price"),
    *("accuracy_form", "accuracy_penalty", "fail_at_k_is_completely_monotone"),
    *("train_longer_or_sample_more", "krajewski2025_errata"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=pytest.mark.slow) if x in LONG else x for x in NAMES]
)
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
    text = document_latex(list(map(printable, NAMES)), notation=notation)
    assert complaints(compiled(tmp_path, text)) == []
