"""The penalty of a law: known figures, symmetries, bounds, the tolerance interval, and how its
arguments combine.
"""

import math
import pickle
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from isoflop.numeric import formulas
from isoflop.numeric.law import Law, law
from isoflop.numeric.law.penalty import Penalty, Run, Tolerance

EPS = sys.float_info.epsilon
BESIROGLU = law("besiroglu2024")
ROUNDED = Law(
    E=1.69, A=406.4, B=410.7, beta=0.34, gamma=0.28
)  # Hoffmann et al. 2022, the five with two digits
EXPONENTS = st.floats(0.01, 5.0)
LOGARITHMS = st.one_of(st.floats(-50.0, 50.0), st.floats(-1e-6, 1e-6))


# Figures that others print, or that follow from them by hand


def test_the_overhead_of_small_models() -> None:
    """H. de Vries prints 20 % at half the optimal size and 188 % at a quarter, for the rounded
    coefficients of Hoffmann et al.
    """
    for size, percent, decimals in (
        (0.75, 2.85, 2),
        (0.5, 20.8, 1),
        (0.3, 105.5, 1),
        (0.25, 188.6, 1),
    ):
        assert round(100 * ROUNDED.penalty(size_ratio=size).compute_overhead, decimals) == percent
    assert round(BESIROGLU.penalty(size_ratio=0.5).compute_overhead, 3) == 0.259
    assert round(BESIROGLU.penalty(size_ratio=0.25).compute_overhead, 3) == 3.465


def test_penalties_of_besiroglu() -> None:
    assert round(BESIROGLU.penalty(size_ratio=0.5).loss_penalty, 6) == 1.030591
    assert round(BESIROGLU.penalty(size_ratio=10).loss_penalty, 4) == 1.3617
    assert [round(BESIROGLU.penalty(size_ratio=r).effective_compute, 3) for r in (0.25, 2, 10)] == [
        0.520,
        0.843,
        0.177,
    ]


def test_critical_sizes() -> None:
    assert (round(ROUNDED.critical_size_ratio, 4), round(ROUNDED.critical_tokens_ratio, 3)) == (
        0.0965,
        0.117,
    )
    assert (round(BESIROGLU.critical_size_ratio, 4), round(BESIROGLU.critical_tokens_ratio, 4)) == (
        0.1464,
        0.1402,
    )


def test_tolerance_of_one_percent() -> None:
    assert [round(r, 3) for r in BESIROGLU.tolerance(0.01).size_ratio] == [0.673, 1.485]
    assert [round(r, 3) for r in ROUNDED.tolerance(0.01).size_ratio] == [0.634, 1.584]


# Properties


@given(s=LOGARITHMS, beta=EXPONENTS, gamma=EXPONENTS)
def test_the_penalty_is_at_least_one(s: float, beta: float, gamma: float) -> None:
    assert formulas.penalty(s, beta, gamma) >= 1.0 - EPS
    assert formulas.excess(s, beta, gamma) >= 0.0
    assert 0.0 < formulas.effective_compute(s, beta, gamma) <= 1.0 or abs(s) > 1
    assert 0.0 <= formulas.lost_compute(s, beta, gamma) <= 1.0
    assert formulas.compute_overhead(s, beta, gamma) >= 0.0


@given(beta=EXPONENTS, gamma=EXPONENTS)
def test_the_optimum_costs_nothing(beta: float, gamma: float) -> None:
    chosen = Law(beta=beta, gamma=gamma)
    for one in (1.0, np.array([1.0])):
        for cost in (chosen.penalty(one), chosen.penalty(size_ratio=one)):
            assert abs(cost.loss_penalty - 1) <= 2 * EPS
            assert cost.excess == cost.lost_compute == cost.compute_overhead == 0
            assert cost.effective_compute == cost.tokens_factor == 1


@given(s=LOGARITHMS, exponent=EXPONENTS)
def test_equal_exponents_make_both_sides_alike(s: float, exponent: float) -> None:
    both = [formulas.excess(t, exponent, exponent) for t in (s, -s)]
    assert both[0] == pytest.approx(both[1], rel=64 * EPS, abs=1e-300)
    assert both[0] == pytest.approx(
        2 * math.sinh(exponent * s / 2) ** 2, rel=64 * EPS * (1 + abs(exponent * s)), abs=1e-300
    )


@given(s=LOGARITHMS, beta=EXPONENTS, gamma=EXPONENTS)
def test_params_and_tokens_change_places(s: float, beta: float, gamma: float) -> None:
    """A law with its two terms exchanged, read from the other side."""
    assert formulas.excess(s, beta, gamma) == pytest.approx(
        formulas.excess(-s, gamma, beta), rel=64 * EPS, abs=1e-300
    )


@given(
    s=st.floats(1e-6, 40.0),
    further=st.floats(1.001, 3.0),
    sign=st.sampled_from([-1, 1]),
    beta=EXPONENTS,
    gamma=EXPONENTS,
)
def test_further_from_the_optimum_costs_more(
    s: float, further: float, sign: int, beta: float, gamma: float
) -> None:
    near, far = sign * s, sign * s * further
    assert formulas.excess(near, beta, gamma) < formulas.excess(far, beta, gamma)
    assert formulas.lost_compute(near, beta, gamma) <= formulas.lost_compute(far, beta, gamma)
    assert formulas.effective_compute(near, beta, gamma) >= formulas.effective_compute(
        far, beta, gamma
    )
    assert formulas.compute_overhead(near, beta, gamma) <= formulas.compute_overhead(
        far, beta, gamma
    )


@given(s=LOGARITHMS, beta=EXPONENTS, gamma=EXPONENTS)
def test_the_measures_fit_together(s: float, beta: float, gamma: float) -> None:
    penalty, excess = formulas.penalty(s, beta, gamma), formulas.excess(s, beta, gamma)
    rounding = EPS * (2 + abs(s) * max(beta, gamma))  # of the exponents of P's two terms
    assert penalty == pytest.approx(1 + excess, rel=rounding)
    effective, lost = (
        formulas.effective_compute(s, beta, gamma),
        formulas.lost_compute(s, beta, gamma),
    )
    assert effective + lost == pytest.approx(1, rel=4 * EPS)
    overhead, factor = (
        formulas.compute_overhead(s, beta, gamma),
        formulas.tokens_factor(s, beta, gamma),
    )
    assert math.isinf(overhead) == math.isinf(factor)
    if math.isfinite(overhead):
        assert 1 + overhead == pytest.approx(math.exp(s) * factor, rel=8 * EPS * (1 + abs(s)))


def critical_logarithm(multiple: float, beta: float, gamma: float) -> float:
    """A bound on |ln(D/D*)| at a multiple of the critical size: the params term leaves beta
    ln(multiple) of R at least.
    """
    gap = -math.expm1(-beta * math.log(multiple))
    return (abs(math.log(gap)) + math.log1p(gamma / beta)) / gamma + abs(math.log(multiple))


@given(beta=EXPONENTS, gamma=EXPONENTS, distance=st.floats(1e-9, 1e3))
def test_no_tokens_reach_the_loss_from_the_critical_size_down(
    beta: float, gamma: float, distance: float
) -> None:
    critical = formulas.critical_size_ratio(beta, gamma)
    assume(critical > 1e-290)
    chosen = Law(beta=beta, gamma=gamma)
    assume(
        beta * math.log1p(distance) > 1e-13 * (1 + abs(math.log(critical)) * beta)
    )  # what floats tell apart
    for name in ("compute_overhead", "tokens_factor"):
        below = critical / (1 + distance)
        assert getattr(chosen.penalty(size_ratio=below), name) == math.inf
        assert getattr(chosen.penalty(size_ratio=np.array([below])), name) == math.inf
        above = critical * (1 + distance)
        if critical_logarithm(above / critical, beta, gamma) < 700:
            found = getattr(chosen.penalty(size_ratio=above), name)
            assert 0 <= found < math.inf
            at_optimum = above == 1.0 and name.startswith(
                "compute_overhead"
            )  # which nothing is spent beyond
            assert found > 0 or at_optimum


@given(
    size_ratio=st.floats(1e-3, 1e3),
    scales=st.tuples(*[st.floats(1e-6, 1e6)] * 4),
    beta=st.floats(0.05, 2.0),
    gamma=st.floats(0.05, 2.0),
)
def test_the_units_do_not_matter(
    size_ratio: float, scales: tuple[float, ...], beta: float, gamma: float
) -> None:
    """The loss in other units, params and tokens counted in other units: the same penalty at the
    same size ratio.
    """
    loss_unit, params_unit, tokens_unit, compute = scales
    plain = Law(A=400.0, B=2000.0, beta=beta, gamma=gamma)
    other = Law(
        A=400.0 * loss_unit * params_unit**beta,
        B=2000.0 * loss_unit * tokens_unit**gamma,
        beta=beta,
        gamma=gamma,
    )
    penalties = []
    for chosen, budget in (
        (plain, 1e20 * compute),
        (other, 1e20 * compute * params_unit * tokens_unit),
    ):
        best = chosen.allocate(compute=budget)
        run = chosen.penalty(params=best.params * size_ratio, tokens=best.tokens / size_ratio)
        penalties.append(run.excess)
        assert run.size_ratio == pytest.approx(size_ratio, rel=1e-13)
    rounding = 1e-13 * (1 + abs(1 / math.log(size_ratio)) if size_ratio != 1 else 1)
    assert penalties[0] == pytest.approx(penalties[1], rel=rounding, abs=1e-25)


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
    found = chosen.penalty(params=params, tokens=tokens)
    run = found.run
    assert run is not None
    assert run.compute == chosen.compute(params, tokens)
    assert run.optimal_loss == chosen.envelope.loss(run.compute)
    assert run.loss == pytest.approx(chosen.loss(params, tokens), rel=4 * EPS)
    assert found.size_ratio == pytest.approx(params / run.optimal_params, rel=1e-14)
    assert found.ratio == pytest.approx(
        (tokens / params) / (run.optimal_tokens / run.optimal_params), rel=1e-14
    )
    assert found.loss_penalty == pytest.approx(
        run.reducible_loss / run.optimal_reducible_loss, rel=1e-14
    )
    assert run.loss_excess == pytest.approx(
        run.loss - run.optimal_loss, rel=1e-14, abs=8 * EPS * run.loss
    )
    same = chosen.penalty(size_ratio=found.size_ratio)
    assert same.excess == pytest.approx(found.excess, rel=1e-13, abs=EPS**2)


# The tolerance interval


@given(
    within=st.floats(1e-12, 1e6) | st.floats(1e-40, 1e-12),
    beta=st.floats(0.02, 3.0),
    gamma=st.floats(0.02, 3.0),
)
def test_the_ends_of_the_tolerance_interval(within: float, beta: float, gamma: float) -> None:
    """P is 1 + within there to 13 digits, never more; on the next float it is."""
    assume(
        2 * math.log1p(within * (1 + max(beta / gamma, gamma / beta))) / min(beta, gamma) < 700
    )  # the ends are floats
    found = Law(beta=beta, gamma=gamma).tolerance(within)
    chosen = Law(beta=beta, gamma=gamma)
    for name, ends in (("size_ratio", found.size_ratio), ("ratio", found.ratio)):
        assert ends[0] <= 1 <= ends[1]
        for end, outside in zip(ends, (0.0, math.inf), strict=True):
            excess = chosen.penalty(**{name: end}).excess
            assert excess <= within
            assert (1 + excess) == pytest.approx(1 + within, rel=1e-13)
            assert chosen.penalty(**{name: math.nextafter(end, outside)}).excess > within


@pytest.mark.parametrize("within", [1e-300, 1e-40, 1e-16, 1e-3, 0.5, 10.0])
def test_the_tolerance_interval_against_direct_evaluation(within: float, reference: Any) -> None:
    """Outside by a millionth of its logarithm the directly evaluated penalty is above, inside
    below.
    """
    exact = reference(1e21, 482.01, 2085.43, BESIROGLU.beta, BESIROGLU.gamma)
    found = BESIROGLU.tolerance(within)
    assert found.within == within
    for ends, power in ((found.size_ratio, 1), (found.ratio[::-1], -2)):
        for end in ends:
            s = exact.mp.log(exact.mp.mpf(end)) / power
            if s != 0:
                assert exact.penalty(s) - 1 <= within * (1 + 64 * EPS)
            if within > 1e-12:
                assert exact.penalty(s * (1 + exact.mp.mpf(10) ** -6)) - 1 > within
                assert exact.penalty(s * (1 - exact.mp.mpf(10) ** -6)) - 1 < within
    if within < 1e-33:
        assert found.size_ratio == (1.0, 1.0)  # no other float is that close to the optimum


def test_a_tolerance_beyond_all_floats_is_refused() -> None:
    with pytest.raises(
        ValueError,
        match=r"^within=1e\+300: the allocations within it reach beyond the range of a float",
    ):
        Law(beta=0.3, gamma=0.3).tolerance(1e300)
    assert Law(beta=3.0, gamma=3.0).tolerance(1e300).size_ratio[1] == pytest.approx(
        (2e300) ** (1 / 3), rel=1e-12
    )


@pytest.mark.parametrize("within", [0.0, -0.01, math.nan, math.inf, "1%", None, True])
def test_a_tolerance_outside_its_domain(within: Any) -> None:
    with pytest.raises(ValueError, match=r"^within="):
        BESIROGLU.tolerance(within)


# Arguments


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"ratio": 2, "size_ratio": 2},
        {"ratio": 2, "params": 1e9, "tokens": 1e10},
        {"size_ratio": 2, "tokens": 1e10},
        {"params": 1e9},
        {"tokens": 1e9},
        {"compute": 1e22},
        {"tokens_per_param": 20},
        {"params": 1e9, "tokens": 1e10, "tokens_per_param": 20},
        {"ratio": 1, "size_ratio": 1, "params": 1e9, "tokens": 1e10},
    ],
)
def test_arguments_that_do_not_say_one_thing(arguments: dict[str, float]) -> None:
    shown = ", ".join(arguments) or "none"
    with pytest.raises(ValueError, match=rf"{shown}: must be "):
        BESIROGLU.penalty(**arguments)


@pytest.mark.parametrize(
    "bad", [0, 0.0, -1.0, math.nan, math.inf, -math.inf, "10", b"10", True, 10**400]
)
@pytest.mark.parametrize("name", ["ratio", "size_ratio", "params", "tokens"])
def test_values_outside_the_domain(name: str, bad: Any) -> None:
    other = {"params": {"tokens": 1e10}, "tokens": {"params": 1e9}}.get(name, {})
    with pytest.raises(ValueError, match=f"^{name}"):
        BESIROGLU.penalty(**{name: bad, **other})
    if not isinstance(bad, (str, bytes)):
        with pytest.raises(ValueError, match=f"^{name}"):
            BESIROGLU.penalty(
                **{
                    name: np.array([1.0, bad], dtype=None if isinstance(bad, float) else object),
                    **other,
                }
            )


def test_a_run_needs_the_coefficients_and_a_ratio_does_not() -> None:
    bare = Law(beta=BESIROGLU.beta, gamma=BESIROGLU.gamma)
    assert bare.penalty(ratio=4).excess == BESIROGLU.penalty(ratio=4).excess
    with pytest.raises(ValueError, match=r"^A, B=None: this needs a value"):
        bare.penalty(params=1e9, tokens=1e10)
    run = Law(A=482.01, B=2085.43, beta=0.3478, gamma=0.3658).penalty(params=1e9, tokens=1e10).run
    assert run is not None
    assert run.loss is None
    assert run.optimal_loss is None
    assert run.loss_excess > 0


def test_ratio_and_size_ratio_are_two_names_of_one_thing() -> None:
    for ratio in (1e-4, 0.1, 1.0, 7.0, 1e6):
        by_ratio, by_size = (
            BESIROGLU.penalty(ratio=ratio),
            BESIROGLU.penalty(size_ratio=ratio**-0.5),
        )
        for name in Penalty.figures():
            assert getattr(by_ratio, name) == pytest.approx(getattr(by_size, name), rel=1e-12)
        assert by_ratio.ratio == ratio
        assert by_ratio.size_ratio == pytest.approx(ratio**-0.5, rel=2 * EPS)
        assert by_size.ratio == pytest.approx(ratio, rel=4 * EPS)


def test_arrays_and_numbers_agree() -> None:
    ratios = np.array([[0.01, 0.5], [1.0, 30.0]])
    found = BESIROGLU.penalty(ratio=ratios)
    runs = BESIROGLU.penalty(params=np.array([1e9, 2e9]), tokens=np.array([[1e10], [1e11]]))
    assert runs.excess.shape == (2, 2)
    for position, ratio in np.ndenumerate(ratios):
        single = BESIROGLU.penalty(ratio=float(ratio))
        for name in Penalty.figures():
            assert getattr(found, name)[position] == pytest.approx(
                getattr(single, name), rel=1e-13, abs=0
            )
    single = BESIROGLU.penalty(params=2e9, tokens=1e11)
    assert runs.run is not None
    assert single.run is not None
    for name, value in single.run.as_dict().items():
        full = np.broadcast_to(getattr(runs.run, name), (2, 2))
        assert full[1, 1] == pytest.approx(value, rel=1e-13)
    assert runs.excess[1, 1] == pytest.approx(single.excess, rel=1e-13)
    assert BESIROGLU.penalty(size_ratio=[0.5, 2]).excess.shape == (2,)
    assert BESIROGLU.penalty(size_ratio=np.float32(0.5)).excess.dtype == np.float32


# Records


def test_records_are_values() -> None:
    first, second = (
        BESIROGLU.penalty(params=1e9, tokens=1e10),
        BESIROGLU.penalty(params=1e9, tokens=1e10),
    )
    tolerance = BESIROGLU.tolerance(0.01)
    assert first == second
    assert hash(first) == hash(second)
    assert first != BESIROGLU.penalty(ratio=2)
    for record in (first, first.run, tolerance):
        assert pickle.loads(pickle.dumps(record)) == record
        with pytest.raises(AttributeError, match="cannot assign"):
            setattr(record, next(iter(record.__dataclass_fields__)), 1.0)
    assert isinstance(first, Penalty)
    assert isinstance(first.run, Run)
    assert isinstance(tolerance, Tolerance)


def test_printing() -> None:
    found = BESIROGLU.penalty(params=1e9, tokens=1e10)
    for name, value in found.as_dict().items():
        assert f"{name}={value!r}" in repr(found)
    assert repr(found.run).startswith("Run(params=1000000000.0, ")
    assert set(BESIROGLU.penalty(ratio=2).as_dict()) == set(Penalty.figures())
    tolerance = BESIROGLU.tolerance(0.01)
    assert repr(tolerance).startswith("Tolerance(within=0.01, size_ratio=(0.6")
    assert tolerance.as_dict()["ratio"] == list(tolerance.ratio)


def test_runs_next_to_the_optimum_are_never_better_than_it() -> None:
    """L >= L* and R >= R* though L* is taken at the rounded C = 6 N D."""
    law = Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
    moved = 1.0 + np.linspace(-1e-8, 1e-8, 2001)
    for budget in np.geomspace(1e18, 1e26, 20).tolist():
        best = law.allocate(compute=budget)
        cost = law.penalty(params=best.params * moved, tokens=best.tokens / moved)
        for name in ("loss", "reducible_loss"):
            assert (getattr(cost, name) >= getattr(cost, f"optimal_{name}")).all()
        assert cost.loss_penalty.min() >= 1.0
        assert cost.loss_excess.min() >= 0.0
        for params, tokens in zip(
            cost.params[::400].tolist(), cost.tokens[::400].tolist(), strict=True
        ):
            one = law.penalty(params=params, tokens=tokens)
            assert one.loss >= one.optimal_loss
            assert one.reducible_loss >= one.optimal_reducible_loss
            assert one.loss_penalty >= 1.0


def test_arrays_of_runs_keep_their_digits_next_to_the_critical_size() -> None:
    """As many as a float has of the distance to it: an ulp of N or D moves that by as much."""
    law = Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
    best = law.allocate(5.76e23)
    distance = np.geomspace(1e-10, 2.0, 60)
    sizes = best.params * law.critical_size_ratio * (1.0 + distance)
    tokens = 5.76e23 / 6.0 / sizes
    cost = law.penalty(params=sizes, tokens=tokens)
    for name in ("compute_overhead", "tokens_factor"):
        one_by_one = [
            getattr(law.penalty(params=N, tokens=D), name)
            for N, D in zip(sizes.tolist(), tokens.tolist(), strict=True)
        ]
        assert (abs(getattr(cost, name) / one_by_one - 1) <= 64 * EPS * (1 + 1 / distance)).all()


def test_the_first_argument_needs_no_name() -> None:
    known = law("besiroglu2024")
    assert known.penalty(10) == known.penalty(ratio=10)
    assert known.allocate(1e21) == known.allocate(compute=1e21)
