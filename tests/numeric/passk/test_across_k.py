"""Laws at several k: on laws made by hand, whose crossings and slopes are known to 40 digits."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest

from isoflop.numeric.passk.across_k import (
    not_told_from_0,
    trend,
    vanishes_at,
)
from isoflop.numeric.passk.kinds import KINDS
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.passk.validity import (
    contradictions,
    floor_interval,
    models_contradicted,
    predict,
    together,
)
from isoflop.numeric.results import Estimate

mp = mpmath.mp.clone()
mp.dps = 40
COMPUTE = KINDS["compute"]
EDGE = 10.0


@dataclass
class Laws:
    """What the functions ask of `PassLaws`, from coefficients (K, p) and draws (R, K, p) made by
    hand.

    `limit` is the upper limit of an E0 of 0; draws of an exponent of `EDGE` are at a limit of the
    search.
    """

    ks: tuple
    table: Any
    drawn: Any
    kind: Any = COMPUTE
    limit: float = 0.0

    @property
    def fits(self):
        return [self._fit(index) for index in range(len(self.ks))]

    def _fit(self, index):
        row, drawn = self.table[index], self.drawn[:, index]

        def edge(name):
            return (
                drawn[:, 2] >= EDGE if name in ("C0", "alpha") else np.zeros(len(drawn), dtype=bool)
            )

        return SimpleNamespace(
            k=self.ks[index],
            kind=self.kind,
            coefficients=dict(zip(self.kind.coefficients, map(float, row), strict=True)),
            undetermined=(),
            draws=SimpleNamespace(index=np.arange(len(drawn))),
            predict=at(row),
            is_limited=lambda level: row[0] == 0.0,
            interval=lambda name, level: (0.0, self.limit),
            at_edge=edge,
            estimate=lambda name, level: Estimate(
                0.0,
                at_limit=("high",)
                if len(drawn) and edge(name).mean() > 0.5 * (1.0 - level)
                else (),
            ),
        )

    def __len__(self):
        return len(self.ks)

    def values(self, name):
        return self.table[:, self.kind.coefficients.index(name)]

    def paired(self):
        return np.arange(len(self.drawn)), list(np.swapaxes(self.drawn, 0, 1))

    def draws(self, name):
        return self.drawn[:, :, self.kind.coefficients.index(name)]

    def intervals(self, name, level=0.9):
        return np.quantile(self.draws(name), [(1 - level) / 2, (1 + level) / 2], axis=0).T


def ends(estimate):
    return estimate.low, estimate.high


def at(row):
    return lambda covariates: (
        row[0] + row[1] * np.asarray(covariates["compute"], dtype=float) ** -row[2]
    )


def laws_of(table, *, spread=0.0, draws=60, seed=1, ks=(1, 10, 100)):
    table = np.asarray(table, dtype=float)
    factors = np.exp(spread * np.random.default_rng(seed).standard_normal((draws, *table.shape)))
    return Laws(ks, table, table * factors)


#: E0 falls and the exponent rises by 0.05 a decade of k.
FALLING = [[0.5, 200.0, 0.10], [0.2, 900.0, 0.15], [0.0, 4000.0, 0.20]]
BARE = [[0.0, 200.0, 0.10], [0.0, 900.0, 0.15], [0.0, 4000.0, 0.20]]


# -- trends ----------------------------------------------------------------------------------------


def test_trends():
    laws = laws_of(FALLING, spread=0.01)
    alpha = trend(laws, "alpha")
    assert (alpha.first, alpha.last, alpha.verdict) == (0.10, 0.20, "rises")
    assert alpha.change.value == pytest.approx(0.10)
    assert alpha.slope.value == pytest.approx(0.05 / np.log(10.0), rel=1e-12)
    assert alpha.share_rising == 1.0
    floor = trend(laws, "E0")
    assert floor.verdict == "falls"
    assert floor.slope.value == pytest.approx(-0.25 / np.log(10.0), rel=1e-12)  # through -0.3, -0.2
    scale = trend(laws, "C0")  # of the logarithm
    assert scale.slope.value == pytest.approx(np.log(20.0) / np.log(100.0), rel=1e-12)
    low, high = ends(scale.slope)
    assert low < scale.slope.value < high
    assert alpha.as_dict()["verdict"] == "rises"


def test_trends_that_the_draws_do_not_tell():
    laws = laws_of([[0.1, 100.0, 0.20]] * 3, spread=0.2)
    assert trend(laws, "alpha").verdict == "cannot tell"
    without = laws_of(FALLING, draws=0)
    assert trend(without, "alpha").verdict == "no resamples"
    assert not trend(without, "alpha").slope.has_interval


def test_upper_limits_have_no_slope_of_their_own():
    """E0 = 0 at all k with an upper limit of 0.3: any slope that values from 0 to 0.3 can have."""
    laws = laws_of([[0.0, 100.0, 0.2]] * 3)
    laws.limit = 0.3
    found = trend(laws, "E0")
    steepest = 0.3 / np.log(100.0)  # 0.3 at the one end and 0 at the other, whatever lies between
    assert found.slope.value == found.change.value == 0.0
    assert (found.slope.low, found.slope.high) == pytest.approx((-steepest, steepest), rel=1e-12)
    assert (found.change.low, found.change.high) == pytest.approx((-0.3, 0.3), rel=1e-12)
    assert (found.verdict, found.limited_at, found.share_rising) == (
        "cannot tell",
        (1, 10, 100),
        None,
    )


def test_one_upper_limit_widens_what_the_draws_tell():
    laws = laws_of(FALLING, spread=0.01)
    laws.limit = 0.05
    alone, found = laws_of(FALLING, spread=0.01), trend(laws, "E0")
    told = trend(alone, "E0").slope
    assert found.limited_at == (100,)
    assert found.slope.low == pytest.approx(told.low, rel=1e-12)
    assert found.slope.high == pytest.approx(ends(told)[1] + 0.05 / (2.0 * np.log(10.0)), rel=1e-12)
    assert found.verdict == "falls"


@pytest.mark.parametrize(("lost", "known"), [(2, True), (4, False)])
def test_draws_at_a_limit_of_the_search_may_be_anything(lost, known):
    """Of 60: up to 5 % of them leave an end, the rest decides where; more leave none."""
    laws = laws_of(FALLING, spread=0.01)
    laws.drawn[:lost, 1, 2] = EDGE
    found = trend(laws, "alpha")
    assert np.isfinite(ends(found.slope)).all() == known
    assert (found.verdict, found.open_at) == (("rises", ()) if known else ("cannot tell", (10,)))
    floor = trend(laws, "E0").slope
    assert np.isfinite(ends(floor)).all()


def test_draws_that_failed_at_one_k_do_not_count(compute_counts):
    laws = fit_passk(compute_counts, k=[1, 10], method="least-squares-log", resamples=30)
    one, other = laws.fits
    assert other.draws is not None
    fewer = replace(other.draws, coefficients=other.drawn[10:], index=other.draws.index[10:])
    some = replace(laws, fits=(one, other.with_draws(fewer)))
    assert some.draws("alpha").tolist() == laws.draws("alpha")[10:].tolist()
    assert np.isfinite(ends(trend(some, "alpha").slope)).all()


def test_one_k_has_no_trend(compute_counts):
    laws = fit_passk(compute_counts, k=[10], method="least-squares-log")
    with pytest.raises(ValueError, match=r"^k=\(10,\): must be at least two for a trend in k"):
        trend(laws, "alpha")


@pytest.mark.parametrize(
    ("lows", "found"),
    [((0.3, 0.2, 0.1), None), ((0.3, 0.0, 0.0), 10), ((0.0, 0.2, 0.0), 100), ((0.0, 0.0, 0.0), 1)],
)
def test_where_the_floor_vanishes(lows, found):
    laws = laws_of([[low, 100.0, 0.2] for low in lows])
    assert vanishes_at(laws) == found
    assert not_told_from_0(laws) == tuple(
        k for k, low in zip(laws.ks, lows, strict=True) if low == 0.0
    )


# -- where laws hold together ----------------------------------------------------------------------


def crossing(one, other):
    """C at which C1 C^-a1 = C2 C^-a2, by search."""
    (_, c1, a1), (_, c2, a2) = (tuple(map(mp.mpf, row)) for row in (one, other))
    return mp.exp(
        mp.findroot(lambda x: mp.log(c1) - a1 * x - mp.log(c2) + a2 * x, (0, 80), solver="anderson")
    )


def test_the_floor_without_irreducible_parts():
    found = together(laws_of(BARE))
    expected = max(crossing(BARE[i], BARE[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    assert found.floor == pytest.approx(float(expected), rel=1e-12)
    assert found.binding in {(1.0, 10.0), (10.0, 100.0)}


def test_the_interval_of_the_floor():
    laws = laws_of(BARE, spread=0.005)
    floors = np.sort(
        [
            float(max(crossing(row[i], row[j]) for i, j in ((0, 1), (0, 2), (1, 2))))
            for row in laws.drawn
        ]
    )
    low, high = floor_interval(laws, 0.9)
    assert low == pytest.approx(floors[round(0.05 * 59)], rel=1e-9)
    assert high == pytest.approx(floors[round(0.95 * 59)], rel=1e-9)
    assert low < together(laws).floor < high
    with pytest.raises(ValueError, match="C_x: no interval without resamples"):
        floor_interval(laws_of(BARE, draws=0))


def test_laws_that_hold_everywhere_and_nowhere():
    assert together(laws_of([[0.5, 300.0, 0.2], [0.3, 200.0, 0.2], [0.1, 100.0, 0.2]])).floor == 0.0
    assert (
        together(laws_of([[0.1, 100.0, 0.2], [0.3, 200.0, 0.2], [0.5, 300.0, 0.2]])).floor == np.inf
    )


def test_params_tokens_laws_hold_together_where_their_envelopes_do(joint_counts):
    """By search: below the floor the best of a budget is worse at k = 10 than at 1, and the laws
    contradict each other there.
    """
    laws = fit_passk(
        joint_counts, law="params-tokens", k=[1, 10], method="least-squares-log", resamples=20
    )
    floor = together(laws).floor
    assert 0.0 < floor < np.inf
    low, high = floor_interval(laws)
    assert low <= high

    def best(fit, compute):
        params = np.geomspace(1e-3, 1e3, 100_001) * float(fit.law.envelope.params(compute))
        values = fit.predict({"params": params, "tokens": compute / (6.0 * params)})
        return values.min(), params[values.argmin()]

    one, ten = laws.fits
    for share, holds in ((0.9, False), (1.1, True)):
        (few, params), (many, _) = best(one, share * floor), best(ten, share * floor)
        assert (many <= few) == holds
        if not holds:
            given = {"params": [params], "tokens": [share * floor / (6.0 * params)]}
            assert contradictions(laws, given).tolist() == [[True]]
    assert not contradictions(laws, {"params": [1e9], "tokens": [1e11]}).any()
    values = [
        fit.predict({name: laws.covariates[name] for name in ("params", "tokens")})
        for fit in laws.fits
    ]
    assert models_contradicted(laws) == int((values[1] > values[0]).sum())


# -- predictions -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted(drawn):
    """Laws that cross: pass@k of Beta success rates is steeper in compute for larger k."""
    return fit_passk(
        drawn("compute", seed=21).counts(), k=(1, 8, 64), method="least-squares-log", resamples=50
    )


def test_the_floor_of_a_fit_parts_good_from_bad(fitted):
    floor = together(fitted).floor
    assert 0.0 < floor < 1e17
    wrong = contradictions(fitted, {"compute": [floor * 1.01, floor * 10.0, floor * 0.9]}).any(
        axis=0
    )
    assert wrong.tolist() == [False, False, True]


def test_predictions_are_refused_below_the_floor(fitted):
    floor = together(fitted).floor
    rows = predict(fitted, {"compute": [floor * 2.0, 1e21]})
    assert [(row["model"], row["k"]) for row in rows] == [
        (m, k) for m in (0, 1) for k in (1, 8, 64)
    ]
    for row in rows:
        assert row["lo"] < row["neg_log"] < row["hi"]
        assert row["pass_at_k"] == pytest.approx(np.exp(-row["neg_log"]))
    values = [row["pass_at_k"] for row in rows if row["model"] == 1]
    assert values == sorted(values)
    with pytest.raises(
        ValueError, match=r"^compute=.*: the laws at k=\d+ and k=\d+ contradict each other there"
    ):
        predict(fitted, {"compute": [1e21, floor * 0.5]})
    with pytest.raises(ValueError, match="must have compute for the law compute"):
        predict(fitted, {"params": 1e9})
