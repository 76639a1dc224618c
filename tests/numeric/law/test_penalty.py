"""The penalty of a law: known figures, properties, the tolerance interval, arguments, pages."""

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isoflop.numeric.law import Law, law
from isoflop.numeric.law.result import result_tables

EPS = sys.float_info.epsilon
BESIROGLU, HOFFMANN = law("besiroglu2024"), law("hoffmann2022")
#: Hoffmann et al. 2022, the five with two digits.
ROUNDED = Law(E=1.69, A=406.4, B=410.7, beta=0.34, gamma=0.28)


def test_figures_that_others_print_or_that_follow_by_hand() -> None:
    """H. de Vries prints 20 % at half the optimal size and 188 % at a quarter, for the rounded
    coefficients of Hoffmann et al.
    """
    for size, percent, decimals in ((0.75, 2.85, 2), (0.5, 20.8, 1), (0.25, 188.6, 1)):
        assert round(100 * ROUNDED.penalty(size_ratio=size).compute_overhead, decimals) == percent
    assert round(BESIROGLU.penalty(size_ratio=0.5).loss_penalty, 6) == 1.030591
    effective = BESIROGLU.penalty(size_ratio=[0.25, 2, 10]).effective_compute
    assert effective.round(3).tolist() == [0.520, 0.843, 0.177]
    assert round(ROUNDED.critical_size_ratio, 4) == 0.0965
    overheads = ROUNDED.penalty(size_ratio=[0.0965, 0.0966]).compute_overhead
    assert np.isinf(overheads).tolist() == [True, False]
    assert round(ROUNDED.critical_tokens_ratio, 3) == 0.117
    assert [round(r, 3) for r in ROUNDED.tolerance(0.01).size_ratio] == [0.634, 1.584]


def test_the_optimum_costs_nothing() -> None:
    for beta, gamma in ((0.01, 5.0), (0.3478, 0.3658), (2.0, 2.0), (4.9, 0.02)):
        chosen = Law(beta=beta, gamma=gamma)
        for one in (1.0, np.array([1.0])):
            for cost in (chosen.penalty(one), chosen.penalty(size_ratio=one)):
                assert abs(cost.loss_penalty - 1) <= 2 * EPS
                assert cost.excess == cost.lost_compute == cost.compute_overhead == 0
                assert cost.effective_compute == cost.tokens_factor == 1


@settings(max_examples=40)
@given(
    params=st.floats(1e6, 1e13),
    tokens=st.floats(1e8, 1e15),
    beta=st.floats(0.05, 2.0),
    gamma=st.floats(0.05, 2.0),
)
def test_a_run_is_compared_with_the_optimum_at_its_own_compute(
    params: float, tokens: float, beta: float, gamma: float
) -> None:
    chosen = Law(E=1.7, A=400.0, B=2000.0, beta=beta, gamma=gamma)
    run = chosen.penalty(params=params, tokens=tokens)
    assert run.compute == chosen.compute(params, tokens)
    assert run.optimal_loss == chosen.envelope.loss(run.compute)
    assert run.loss == pytest.approx(chosen.loss(params, tokens), rel=4 * EPS)
    assert run.size_ratio == pytest.approx(params / run.optimal_params, rel=1e-14)
    own, best = tokens / params, run.optimal_tokens / run.optimal_params
    assert run.ratio == pytest.approx(own / best, rel=3e-14)
    P = run.reducible_loss / run.optimal_reducible_loss
    assert run.loss_penalty == pytest.approx(P, rel=1e-14)
    above = run.loss - run.optimal_loss
    assert run.loss_excess == pytest.approx(above, rel=1e-14, abs=8 * EPS * run.loss)
    same = chosen.penalty(size_ratio=run.size_ratio)
    assert same.excess == pytest.approx(run.excess, rel=1e-13, abs=EPS**2)


@pytest.mark.parametrize("within", [1e-9, 1e-3, 0.5, 10.0])
def test_the_tolerance_interval_against_direct_evaluation(within: float, reference: Any) -> None:
    """Outside by a millionth of its logarithm the directly evaluated penalty is above, inside
    below.
    """
    exact = reference(1e21, 482.01, 2085.43, BESIROGLU.beta, BESIROGLU.gamma)
    found, near = BESIROGLU.tolerance(within), exact.mp.mpf(10) ** -6
    assert found.within == within
    for ends, power in ((found.size_ratio, 1), (found.ratio[::-1], -2)):
        for end in ends:
            s = exact.mp.log(exact.mp.mpf(end)) / power
            assert exact.penalty(s * (1 + near)) - 1 > within > exact.penalty(s * (1 - near)) - 1


def test_arguments_that_are_refused() -> None:
    for within in (0.0, math.nan, "1%", None):
        with pytest.raises(ValueError, match=r"^within="):
            BESIROGLU.tolerance(within)  # type: ignore[arg-type]
    for names in ("", "ratio size_ratio", "ratio params tokens", "params", "params tokens compute"):
        arguments: dict[str, Any] = dict.fromkeys(names.split(), 1e9)
        subject = ", ".join(arguments) or "nothing given"
        with pytest.raises(ValueError, match=rf"{subject}: (must be|a run is given by) "):
            BESIROGLU.penalty(**arguments)
    with pytest.raises(ValueError, match=r"^budget: must be one of ratio, size_ratio, params"):
        BESIROGLU.penalty(params=1e9, budget=1e20)


def test_runs_next_to_the_optimum_are_never_better_than_it() -> None:
    """L >= L* and R >= R* though L* is taken at the rounded C = 6 N D."""
    moved = 1.0 + np.linspace(-1e-8, 1e-8, 2001)
    for budget in np.geomspace(1e18, 1e26, 20).tolist():
        best = BESIROGLU.allocate(budget)
        cost = BESIROGLU.penalty(params=best.params * moved, tokens=best.tokens / moved)
        for one in (cost, BESIROGLU.penalty(params=cost.params[0], tokens=cost.tokens[0])):
            assert np.all(one.loss >= one.optimal_loss)
            assert np.all(one.reducible_loss >= one.optimal_reducible_loss)
            assert np.min(one.loss_penalty) >= 1.0
            assert np.min(one.loss_excess) >= 0.0


def test_arrays_numbers_and_both_ratios_agree() -> None:
    ratios = np.array([[0.01, 0.5], [1.0, 30.0]])
    found, by_size = BESIROGLU.penalty(ratios), BESIROGLU.penalty(size_ratio=ratios**-0.5)
    for position, ratio in np.ndenumerate(ratios):
        for name, value in BESIROGLU.penalty(ratio=float(ratio)).as_dict().items():
            assert getattr(found, name)[position] == pytest.approx(value, rel=1e-13, abs=0)
            assert getattr(by_size, name)[position] == pytest.approx(value, rel=1e-12, abs=1e-30)
    runs = BESIROGLU.penalty(params=np.array([1e9, 2e9]), tokens=np.array([[1e10], [1e11]]))
    for name, value in BESIROGLU.penalty(params=2e9, tokens=1e11).as_dict().items():
        full = np.broadcast_to(getattr(runs, name), (2, 2))
        assert full[1, 1] == pytest.approx(value, rel=1e-13)
    bare = Law(beta=BESIROGLU.beta, gamma=BESIROGLU.gamma)
    assert bare.penalty(4).excess == BESIROGLU.penalty(4).excess
    with pytest.raises(ValueError, match=r"^law 'custom': has no value of A and B"):
        bare.penalty(params=1e9, tokens=1e10)
    assert (BESIROGLU.penalty(2).compute, BESIROGLU.penalty(2).loss) == (None, None)


def test_a_page_has_a_row_a_law_in_the_letters_of_a_notation() -> None:
    costs = [chosen.penalty(params=4.05e11, tokens=1.56e13) for chosen in (BESIROGLU, HOFFMANN)]
    text = result_tables(costs, notation="hoffmann")[0].latex()
    header, *rows = [line.split(" & ") for line in text.splitlines() if " & " in line]
    assert header[:3] == ["law", "$N$", "$D$"]
    assert r"$N_{\mathrm{opt}}$" in header
    assert [row[:3] for row in rows] == [[x.law.name, "405B", "15.6T"] for x in costs]
    penalties = [cost.loss_penalty for cost in costs]
    assert [float(row[-3]) for row in rows] == pytest.approx(penalties, rel=1e-4)
