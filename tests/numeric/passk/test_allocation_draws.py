"""Intervals of what allocations and over-training cost: refit by refit, and where refits run into a
limit of the search.
"""

from dataclasses import replace

import numpy as np
import pytest

from isoflop.numeric.law import Law
from isoflop.numeric.law.across import across_all
from isoflop.numeric.passk.allocation import allocation_matrix
from isoflop.numeric.passk.envelopes import penalties
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.passk.study import study_passk

LOSS = Law(E=1.8, A=480.0, B=2000.0, beta=0.35, gamma=0.37)
BUDGETS = [1e20, 1e22]
#: Of two laws, first A, B, beta and gamma of one whose params should be few, then of one that falls
#: steeply in them.
EXTREME = {"A": (1.0, 1e120), "B": (1e24, 1e3), "beta": (0.3, 9.1), "gamma": (0.3, 0.25)}


@pytest.fixture(scope="module")
def joint(joint_counts):
    laws = fit_passk(
        joint_counts,
        law="params-tokens",
        k=[4, 16],
        method="least-squares-log",
        resamples=40,
        seed=4,
    )
    assert not any(fit.estimate(name).at_limit for fit in laws.fits for name in ("beta", "gamma"))
    return laws


def with_loss(laws):
    return {"loss": LOSS, **{fit.k: fit for fit in laws.fits}}


def at_the_limit(joint, name, share, *, upper):
    """The same laws with a share of the draws at k = 4 at a limit of an exponent, the term the same
    mid-way.
    """
    fit, some = joint.fits[0], slice(round(share * len(joint.weights)))
    term = fit.kind.exponents.index(name)
    own, prefactor = (
        fit.kind.coefficients.index(each) for each in (name, fit.kind.prefactors[term])
    )
    draws, limit = fit.drawn.copy(), (fit.design.upper if upper else fit.design.lower)[own]
    draws[some, prefactor] *= np.exp((limit - draws[some, own]) * fit.design.centres[term])
    draws[some, own] = limit
    moved = fit.with_draws(replace(fit.draws, coefficients=draws))
    return replace(joint, fits=(moved, *joint.fits[1:]))


def test_refit_by_refit(joint):
    found = allocation_matrix(with_loss(joint), BUDGETS, level=0.8)
    lost = []
    for rows in zip(*joint.paired()[1], strict=True):
        laws = {
            fit.k: fit.fit.law_of(
                dict(zip(fit.kind.terms.coefficients, map(float, row), strict=True))
            )
            for fit, row in zip(joint.fits, rows, strict=True)
        }
        lost.append(allocation_matrix({"loss": LOSS, **laws}, BUDGETS).lost_compute)
    low, high = np.quantile(lost, [0.1, 0.9], axis=0)
    assert found.low == pytest.approx(low, rel=1e-9, abs=1e-15)
    assert found.high == pytest.approx(high, rel=1e-9, abs=1e-15)
    assert not found.at_limit.any()


def test_without_resamples_there_are_none(joint_counts):
    laws = fit_passk(joint_counts, law="params-tokens", k=[4, 16], method="least-squares-log")
    found = allocation_matrix(with_loss(laws), BUDGETS)
    assert found.low is None
    assert "lost_compute_lo" not in found.rows()[0]


def test_only_params_tokens_laws_allocate(joint_counts):
    laws = fit_passk(joint_counts, law="compute", k=[4], method="least-squares-log")
    with pytest.raises(ValueError, match=r"^law='compute': must be 'params-tokens'"):
        allocation_matrix(with_loss(laws), BUDGETS)


@pytest.mark.parametrize(("share", "marked"), [(0.04, False), (0.2, True)])
def test_refits_at_a_limit_leave_no_ends(joint, share, marked):
    """Up to one in twenty lies beyond the end in any case."""
    moved = at_the_limit(joint, "gamma", share, upper=True)
    matrix = allocation_matrix(with_loss(moved), BUDGETS)
    expected = np.array([[False, True, False], [True, False, True], [False, True, False]])
    assert (matrix.at_limit == (expected & marked)).all()
    assert ("[<" in str(matrix)) == ("no ends" in str(matrix)) == marked
    assert max(map(len, str(matrix).splitlines())) <= 100
    assert {row["lost_compute_open"] for row in matrix.rows()} == (
        {"both", None} if marked else {None}
    )


@pytest.mark.parametrize(("upper", "side"), [(True, "above"), (False, "below")])
@pytest.mark.parametrize("name", ["beta", "gamma"])
def test_penalties_of_refits_at_a_limit_are_marked_on_its_side(joint, name, upper, side):
    rows = [
        cost.as_dict()
        for cost in penalties(at_the_limit(joint, name, 0.2, upper=upper), [0.1, 10.0])
    ]
    assert {
        (row["k"], row["loss_penalty_open"], row["effective_compute_open"]) for row in rows
    } == {(4, side, "both"), (16, None, None)}


def test_the_penalty_rises_with_both_exponents_and_the_effective_compute_need_not_fall():
    """By which the sides are told: for any ratio, over a grid of exponents."""
    grid = np.linspace(0.1, 3.0, 30)
    for ratio in (0.01, 0.3, 5.0, 100.0):
        of = [
            [Law(E=0.0, A=1.0, B=1.0, beta=b, gamma=g).penalty(ratio=ratio) for g in grid]
            for b in grid
        ]
        penalty = np.array([[float(each.loss_penalty) for each in row] for row in of])
        assert (np.diff(penalty, axis=0) > 0.0).all()
        assert (np.diff(penalty, axis=1) > 0.0).all()
    effective = np.array([[float(each.effective_compute) for each in row] for row in of])
    assert (np.diff(effective, axis=0) > 0.0).any() or (np.diff(effective, axis=1) > 0.0).any()


def test_marks_are_shown(joint, joint_counts):
    moved = at_the_limit(joint, "gamma", 0.2, upper=True)
    study = study_passk(
        joint_counts,
        laws=["params-tokens"],
        k=[4, 16],
        method="least-squares-log",
        resamples=0,
        ratios=(10.0,),
    )
    text = str(replace(study, laws={"params-tokens": moved}))
    assert "< and >: no ends, as over 5 % of the refits" in text
    (line,) = [line for line in text.splitlines() if line.startswith("4 ") and "10.00" in line]
    assert ", >" in line
    assert "[<" in line
    assert "no ends" not in str(replace(study, laws={"params-tokens": joint}))


def test_a_resample_whose_excess_is_beyond_a_float_has_lost_all_compute() -> None:
    """Too few params by many orders under a law that is steep in them: the excess is no float, the
    lost compute is 1.
    """
    columns = {name: np.array([values]) for name, values in EXTREME.items()}
    lost = across_all(columns, np.array([1e22]), excess=False)["lost_compute"]
    assert lost[0, 0, 1, 0] == 1.0
    with pytest.raises(ValueError, match="exceeds the largest float"):
        across_all(columns, np.array([1e22]))
