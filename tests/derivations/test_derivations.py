"""Every theorem is read, cites works that the bibliography has, and checks itself on every path."""

import re

import pytest
from tests.theory.documents import checked, compiled, complaints, derivation_of, printable

from isoflop.derivations import NAMES
from isoflop.theory.data.bibliography import citations
from isoflop.theory.data.notation import NOTATIONS
from isoflop.theory.kernel.rules import STRENGTHS, weakest
from isoflop.theory.theorem.step import Cited, UnderLemma
from isoflop.theory.typeset.document import document_latex

#: Theorems whose every step must have an exact proof.
FULLY_PROVED = (
    "compute_optimal_envelope",
    "misallocation_penalty",
    "fixed_ratio_ray",
    "numerically_safe_forms",
    "optimum_by_lagrange",
)
#: The fast suite checks these at few points; the slow one checks every theorem at all points.
QUICK = (
    *("compute_optimal_envelope", "optimum_by_lagrange", "misallocation_penalty"),
    *("numerically_safe_forms", "penalty_tails", "coordinates_of_a_fit"),
    *("bilinear_law_crosses_once", "pass_at_k_bounds_from_pass_at_1", "pass_at_k_tail_theorem"),
    *("pass_at_k_estimator_variance", "overtraining_law"),
)
FEW_POINTS, ALL_POINTS = 8, 64


@pytest.mark.parametrize("name", NAMES)
def test_every_theorem_is_read_and_cites_known_works(name: str) -> None:
    theorem = derivation_of(name)
    assert theorem.name == name
    assert theorem.title
    assert theorem.assumptions
    lemmas = (s.argument for s in theorem.steps if isinstance(s.argument, Cited | UnderLemma))
    for text in (theorem.source, str(theorem.follows), *(lemma.source for lemma in lemmas)):
        rest = text
        for begin, end, _ in reversed(citations(text)):
            rest = rest[:begin] + rest[end:]
        assert not re.search(r"\b(18|19|20)\d\d\b|arXiv", rest), rest


@pytest.mark.parametrize(
    ("name", "points"),
    [(name, FEW_POINTS) for name in QUICK]
    + [pytest.param(name, ALL_POINTS, marks=pytest.mark.slow) for name in NAMES],
)
def test_every_step_holds_on_every_path(name: str, points: int) -> None:
    verdicts = checked(derivation_of(name), points)
    assert not [(v.step.name, str(v.exact), v.pointwise.detail) for v in verdicts if not v.holds]
    status = weakest(verdict.strength for verdict in verdicts)
    assert status in STRENGTHS
    if name in FULLY_PROVED:
        assert status == "proved"


@pytest.mark.slow
@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_theorem_is_set_within_the_margins(tmp_path, notation):
    text = document_latex(list(map(printable, NAMES)), notation=notation)
    assert complaints(compiled(tmp_path, text)) == []
