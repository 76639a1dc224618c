"""IsoFLOP minima: exact parabolas, the known bias and its correction, published exponents."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data import isoflop_group, power_law

from isoflop.numeric.check.approaches import clusters
from isoflop.numeric.check.isoflop import BIASED_AWAY, NO_MINIMUM, find_budgets, vertices
from isoflop.numeric.check.laws import Laws
from isoflop.numeric.fit.power_law import fit_power_law

#: E, A, B, beta, gamma far from symmetric, so that profiles are no parabolas.
LAW = (1.7, 8000.0, 220.0, 0.46, 0.22)
SIZES = np.geomspace(1e8, 2e10, 9)


def loss(params, tokens):
    return power_law(
        params, tokens, **dict(zip(("E", "A", "B", "beta", "gamma"), LAW, strict=True))
    )


def design(budgets=(1e19, 1e20, 1e21, 1e22), sizes=SIZES):
    compute, params = (grid.ravel() for grid in np.meshgrid(budgets, sizes, indexing="ij"))
    return params, compute / (6.0 * params), compute


# -- clusters ----------------------------------------------------------------------------------------------------------


def test_planned_budgets_are_found_whatever_their_order():
    rng = np.random.default_rng(0)
    values = np.repeat([1e18, 3e18, 1e19], [5, 7, 6]) * np.exp(rng.uniform(-0.04, 0.04, 18))
    order = rng.permutation(18)
    found = clusters(values[order], 0.1, 5)
    assert [sorted(order[members].tolist()) for members in found] == [
        list(range(5)),
        list(range(5, 12)),
        list(range(12, 18)),
    ]


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 60),
    tolerance=st.floats(0.01, 1.0),
    least=st.integers(1, 6),
)
def test_clusters_are_disjoint_narrow_and_the_first_is_the_largest_possible(
    seed, n, tolerance, least
):
    values = np.exp(np.random.default_rng(seed).uniform(0.0, 3.0, n))
    found = clusters(values, tolerance, least)
    members = [index for cluster in found for index in cluster]
    assert len(members) == len(set(members))
    for cluster in found:
        assert len(cluster) >= least
        assert values[cluster].max() <= values[cluster].min() * (1.0 + tolerance) * (1.0 + 1e-8)
    most = max(int(((values >= v) & (values <= v * (1.0 + tolerance))).sum()) for v in values)
    assert max(map(len, found), default=0) == (most if most >= least else 0)


# -- parabolas ---------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), n=st.integers(3, 10))
def test_vertices_against_rationals(seed, n):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(18.0, 24.0, n)) + 0.1 * np.arange(n)
    y, w = (
        3.0 + 0.02 * (x - 21.0) ** 2 + 0.001 * rng.standard_normal(n),
        rng.integers(1, 4, n).astype(float),
    )
    X, Y, W = ([Fraction(v) for v in values.tolist()] for values in (x, y, w))
    s = [sum(wi * xi**k for wi, xi in zip(W, X, strict=True)) for k in range(5)]
    t = [sum(wi * yi * xi**k for wi, xi, yi in zip(W, X, Y, strict=True)) for k in range(3)]
    a, b, c = cramer([[s[0], s[1], s[2]], [s[1], s[2], s[3]], [s[2], s[3], s[4]]], t)
    found = vertices(x, y, w)
    assert found.curvature[0] == pytest.approx(float(c), rel=1e-8, abs=1e-12)
    assert found.position[0] == pytest.approx(float(-b / (2 * c)), rel=1e-8)
    assert found.height[0] == pytest.approx(float(a - b * b / (4 * c)), rel=1e-8)


def cramer(matrix, right):
    def det(m):
        return (
            m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
        )

    whole = det(matrix)
    return [
        det([[right[i] if j == k else matrix[i][j] for j in range(3)] for i in range(3)]) / whole
        for k in range(3)
    ]


def test_two_sizes_make_no_parabola():
    found = vertices(np.array([1.0, 1.0, 2.0, 2.0]), np.array([1.0, 1.1, 1.2, 1.3]))
    assert np.isnan(found.position).all()
    assert not found.within(np.array([1.0, 2.0])).any()


# -- budgets -----------------------------------------------------------------------------------------------------------


def test_the_bias_of_the_parabola_is_there_and_is_taken_off(reference):
    params, tokens, compute = design()
    found = find_budgets(params, tokens, compute, 0.1)
    laws = Laws.of(LAW)
    raw, biases = found.minima(loss(params, tokens)), found.biases(laws)
    corrected = found.corrected(raw, biases)
    assert corrected.valid.all()
    assert np.abs(biases.log_params).max() > 0.15  # N* is 20 % off
    assert np.abs(np.log(biases.loss)).max() > 0.01  # and L* 1 %
    for j, budget in enumerate(found.compute):
        optimum = reference(float(budget), *LAW[1:])
        log_params, log_tokens = float(optimum.log_params), float(optimum.log_tokens)
        assert raw.log_params[0, j] - log_params == pytest.approx(
            biases.log_params[0, j], abs=1e-12
        )
        assert corrected.log_params[0, j] == pytest.approx(log_params, abs=1e-6)
        assert corrected.log_tokens[0, j] == pytest.approx(log_tokens, abs=1e-6)
        assert corrected.loss[0, j] == pytest.approx(LAW[0] + float(optimum.reducible), rel=1e-6)


def test_the_correction_allows_for_compute_off_the_budget(reference):
    """Runs up to 4 % off their budget, and budgets that count 5 % more than 6ND."""
    params, tokens, compute = design()
    rng = np.random.default_rng(2)
    tokens = tokens * np.exp(rng.uniform(-0.04, 0.04, len(tokens))) / 1.05
    found = find_budgets(params, tokens, compute, 0.1)
    corrected = found.corrected_minima(loss(params, tokens), None, Laws.of(LAW))
    for j, budget in enumerate(found.compute):
        optimum = reference(float(budget), *LAW[1:])
        assert corrected.log_params[0, j] == pytest.approx(float(optimum.log_params), abs=1e-6)
        assert corrected.loss[0, j] == pytest.approx(LAW[0] + float(optimum.reducible), rel=1e-6)


def test_with_another_law_at_hand_the_bias_is_nearly_the_same(reference):
    """The correction needs the law only roughly: exponents 5 % off leave less than half of the
    bias.
    """
    params, tokens, compute = design()
    found = find_budgets(params, tokens, compute, 0.1)
    other = (1.7, 8000.0 * 1e9**0.023, 220.0 * 2e10**-0.011, 0.483, 0.209)
    raw = found.minima(loss(params, tokens))
    corrected = found.corrected(raw, found.biases(Laws.of(other)))
    truth = np.array(
        [float(reference(float(budget), *LAW[1:]).log_params) for budget in found.compute]
    )
    before, after = np.abs(raw.log_params[0] - truth), np.abs(corrected.log_params[0] - truth)
    assert after.max() < 0.5 * before.max()


def test_budgets_are_left_out_with_their_reason():
    params, tokens, compute = design(budgets=(1e19, 1e20), sizes=np.geomspace(1e8, 1e9, 6))
    losses = loss(params, tokens)
    losses[:6] = np.linspace(3.0, 2.8, 6)  # still falling at the largest size
    found = find_budgets(params, tokens, compute, 0.1)
    laws = Laws.of((1.7, 400.0, 2000.0, 0.35, 0.3))
    records = found.described(losses, None, laws)
    assert records[0].reason == NO_MINIMUM
    assert np.isnan(records[0].params)
    assert records[0].as_dict()["params"] is None
    losses[6:] = 2.5 + 0.02 * np.log(params[6:] / 3e8) ** 2
    records = found.described(losses, None, Laws.of((1.7, 400.0, 2000.0, 1.5, 0.1)))
    assert records[1].reason == BIASED_AWAY
    assert records[1].params == pytest.approx(3e8)


def test_few_sizes_or_a_narrow_range_are_no_profile():
    params, tokens, compute = design(sizes=np.geomspace(1e8, 1e10, 4))
    assert len(find_budgets(params, tokens, compute, 0.1)) == 0
    params, tokens, compute = design(sizes=np.geomspace(1e8, 1.9e8, 9))
    assert len(find_budgets(params, tokens, compute, 0.1)) == 0


def test_llama_3(public_runs):
    """The Llama-3 report: D*(C) = 0.29 C^0.53; its points, a parabola in log D per budget, then a
    line: 0.2994 C^0.5368.
    """
    runs = isoflop_group(public_runs, "llama_3__raw_loss")
    found = find_budgets(runs.params, runs.tokens, runs.compute, 0.1)
    minima = found.minima(runs.loss)
    assert len(found) == 10
    assert minima.valid.all()
    law = fit_power_law(found.compute, np.exp(minima.log_tokens[0]))
    assert law.coefficient == pytest.approx(0.2994, abs=5e-5)
    assert law.exponent == pytest.approx(0.5368, abs=5e-5)
