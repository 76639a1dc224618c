"""Information criteria against densities summed run by run, and the rolling origin against fits by hand."""

from dataclasses import dataclass
from typing import Any

import pytest

np = pytest.importorskip("numpy")

from isoflop.numeric.accuracy.choice import choose  # noqa: E402
from isoflop.numeric.accuracy.criteria import criteria  # noqa: E402
from isoflop.numeric.accuracy.kind import Found  # noqa: E402
from isoflop.numeric.accuracy.power import POWER_KINDS  # noqa: E402
from isoflop.numeric.accuracy.rolling import rolling_origin  # noqa: E402
from isoflop.numeric.data.sample import Points, Sample  # noqa: E402


@dataclass(frozen=True)
class Polynomial:
    """Q = sum of c_i x^i in x = log10 C - 21: least squares is linear."""

    degree: int
    margin: float | None = None
    #: A law that is not fitted by least squares.
    offset: float = 0.0
    needs: tuple[str, ...] = ("compute",)
    asks: tuple[str, ...] = ("compute",)
    formula: str = "polynomial"
    fitted_by: str = "least squares of Q"

    @property
    def name(self):
        return f"degree-{self.degree}"

    @property
    def coefficients(self):
        return tuple(f"c{i}" for i in range(self.degree + 1))

    def fit(self, sample):
        if len(sample) <= self.degree:
            raise ValueError(f"{len(sample)} runs")
        x = np.log10(sample.at.column("compute")) - 21.0
        found = np.polynomial.polynomial.polyfit(x, sample.accuracy, self.degree)
        found[0] += self.offset
        return Found(coefficients=found, value=0.0, converged=True)

    def refit(self, sample, found, weights, baselines):
        raise NotImplementedError

    def accuracy(self, coefficients, at, baselines):
        x = np.log10(at.column("compute")) - 21.0
        return coefficients @ x ** np.arange(self.degree + 1)[:, None]


@dataclass(frozen=True)
class Redundant(Polynomial):
    """A line whose intercept is a sum of two coefficients."""

    @property
    def name(self):
        return "redundant"

    @property
    def coefficients(self):
        return ("a", "b", "slope")

    def fit(self, sample):
        a, slope = Polynomial(1).fit(sample).coefficients
        return Found(coefficients=np.array([a - 0.1, 0.1, slope]), value=0.0, converged=True)

    def accuracy(self, coefficients, at, baselines):
        joined = np.column_stack([coefficients[:, 0] + coefficients[:, 1], coefficients[:, 2]])
        return Polynomial(1).accuracy(joined, at, baselines)


def runs(n=24, noise=0.01, seed=2, bend=0.0) -> Sample:
    compute = np.geomspace(1e19, 1e23, n)
    x = np.log10(compute) - 21.0
    accuracy = 0.5 + 0.1 * x - bend * x**2 + noise * np.random.default_rng(seed).standard_normal(n)
    return Sample(benchmark="task", accuracy=accuracy, baseline=0.0, at=Points(compute=compute))


def by_definition(sample, degree):
    """The log-likelihood summed run by run from the normal density, at the least squares of NumPy's polyfit."""
    from scipy.stats import norm

    x = np.log10(sample.at.compute) - 21.0
    residuals = sample.accuracy - np.polyval(np.polyfit(x, sample.accuracy, degree), x)
    return float(norm.logpdf(residuals, scale=np.sqrt(np.mean(residuals**2))).sum())


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_criteria_by_their_definitions(degree) -> None:
    sample = runs()
    found = criteria(sample, Polynomial(degree, offset=0.01))
    n, K, value = len(sample), degree + 2, by_definition(sample, degree)
    assert (found.n_coefficients, found.n_free) == (degree + 1, degree + 1)
    assert found.log_likelihood == pytest.approx(value, rel=1e-9)
    assert found.aic == pytest.approx(2 * K - 2 * value, rel=1e-9)
    assert found.aicc == pytest.approx(2 * K - 2 * value + 2 * K * (K + 1) / (n - K - 1), rel=1e-9)
    assert found.bic == pytest.approx(K * np.log(n) - 2 * value, rel=1e-9)
    assert found.own_rmse is not None
    assert found.rmse is not None
    assert found.own_rmse > found.rmse


def test_no_likelihood_is_higher() -> None:
    """The power laws: no random step from the minimum is closer to the runs."""
    from isoflop.numeric.accuracy.criteria import maximum_likelihood

    compute = np.geomspace(1e19, 1e23, 25)
    noise = 0.01 * np.random.default_rng(0).standard_normal(25)
    accuracy = 0.25 + 0.7 * np.exp(-((compute / 1e20) ** -0.2)) + noise
    sample = Sample(benchmark="task", accuracy=accuracy, baseline=0.25, at=Points(compute=compute))
    sample = sample.subset(accuracy > 0.3)
    for name in ("compute", "compute-ceiling"):
        kind = POWER_KINDS[name]
        best, rank, is_attained = maximum_likelihood(sample, kind, kind.fit(sample).coefficients)
        assert is_attained
        assert rank == 2  # these runs have no ceiling: the best E is 0, and does not count
        steps = np.random.default_rng(1).standard_normal((4000, len(best))) * np.geomspace(1e-6, 1e-1, 4000)[:, None]
        around = kind.accuracy(best * np.exp(steps), sample.at, np.full(4000, 0.25))
        least = np.sum((kind.accuracy(best[None], sample.at, np.array([0.25])) - sample.accuracy) ** 2)
        assert np.sum((around - sample.accuracy) ** 2, axis=1).min() >= least * (1.0 - 1e-12)


def test_a_ceiling_never_fits_worse() -> None:
    sample = runs(noise=0.02, seed=4)
    free, capped = (criteria(sample, POWER_KINDS[name]) for name in ("compute", "compute-ceiling"))
    assert free.rmse is not None
    assert capped.rmse is not None
    assert capped.rmse <= free.rmse * (1.0 + 1e-6)


def test_coefficients_that_do_not_count() -> None:
    sample = runs()
    line, redundant = criteria(sample, Polynomial(1)), criteria(sample, Redundant(1))
    assert (redundant.n_coefficients, redundant.n_free) == (3, 2)
    assert redundant.aic == pytest.approx(line.aic, rel=1e-9)


def test_a_likelihood_without_a_maximum() -> None:
    """(C/1e21)^c/c - 1/c with c < 0 is straight in log C only in the limit c -> 0, which is better than any c < 0 here."""

    class Bent(Polynomial):
        name, coefficients = "bent", ("a", "b", "c")

        def fit(self, sample):
            return Found(coefficients=np.array([0.5, 0.1, 0.5]), value=0.0, converged=True)

        def accuracy(self, coefficients, at, baselines):
            a, b, c = coefficients.T[:, :, None]
            if (c <= 0.0).any():
                raise ValueError("c: must be above 0")
            return a - b * np.expm1(-c * (np.log10(at.column("compute")) - 21.0)) / c

    sample = runs(bend=-0.002, noise=0.002)
    bent, line = criteria(sample, Bent(1)), criteria(sample, Polynomial(1))
    assert bent.rmse == pytest.approx(line.rmse, rel=1e-4)
    assert bent.log_likelihood == pytest.approx(line.log_likelihood, abs=0.01)


def test_where_there_is_no_likelihood() -> None:
    assert "4 runs for 4 coefficients" in criteria(runs(n=4), Polynomial(3)).failed
    assert "passes through every run" in criteria(runs(noise=0.0), Polynomial(1)).failed
    assert criteria(runs(n=3), Polynomial(3)).failed.startswith("no fit")
    few = criteria(runs(n=5), Polynomial(2))
    assert few.aicc is None
    assert few.aic is not None


def test_the_rolling_origin_by_hand() -> None:
    sample = runs(n=20)
    folds, interrupted = rolling_origin(sample, [Polynomial(1), Polynomial(2)], folds=4, least_train=8)
    assert not interrupted
    assert (len(folds), folds[0].n_train, folds[-1].n_train) == (4, 8, 19)
    assert [fold.until for fold in folds] == [*(fold.cut for fold in folds[1:]), sample.at.compute.max()]
    assert sum(fold.n_next for fold in folds) == 20 - 8
    x = np.log10(sample.at.compute) - 21.0
    for fold in folds:
        train, after = sample.at.compute <= fold.cut, (sample.at.compute > fold.cut) & (sample.at.compute <= fold.until)
        for degree in (1, 2):
            line = np.polyfit(x[train], sample.accuracy[train], degree)
            expected = np.mean(np.abs(np.polyval(line, x[after]) - sample.accuracy[after]))
            assert fold.errors[f"degree-{degree}"] == pytest.approx(expected, rel=1e-9)


def test_the_closer_law_that_extrapolates_worse_is_named() -> None:
    found = choose(runs(noise=0.02), [Polynomial(1), Polynomial(5)])
    (pair,) = found.reversals
    assert (pair.closer, pair.farther) == ("degree-5", "degree-1")
    assert pair.rmse[0] < pair.rmse[1]
    assert pair.error[0] > pair.error[1]
    assert (found.closest, found.best_bic, found.best_extrapolation) == ("degree-5", "degree-1", "degree-1")
    text = str(found)
    assert "degree-5 is closer to the runs than degree-1" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 100
    assert found.as_dict()["reversals"][0]["closer"] == "degree-5"


def test_predictions_outside_the_range_are_counted_and_one_of_them_moves_the_mean_alone() -> None:
    """A law that says 1e9 at the last runs."""

    class Wild(Polynomial):
        name = "wild"

        def accuracy(self, coefficients, at, baselines):
            found = super().accuracy(coefficients, at, baselines)
            return np.where(at.column("compute") > 6e22, 1e9, found)

    sample = runs(n=30)
    found = choose(sample, [Polynomial(1), Wild(1)], least_train=8)
    beyond = int((sample.at.compute > 6e22).sum())
    ahead = sum(fold.n_next for fold in found.folds)
    assert 0 < beyond < ahead / 2
    assert found.outside == {"degree-1": (0, ahead), "wild": (beyond, ahead)}
    assert found.extrapolation("wild")["wild"] == pytest.approx(1e9 * beyond / ahead, rel=1e-6)
    off = np.concatenate([fold.off["wild"] for fold in found.folds])
    assert found.typical("wild")["wild"] == pytest.approx(sorted(off)[ahead // 2], rel=0.2)
    assert found.typical("wild")["wild"] < 0.1
    said = " ".join(str(found).split())
    assert f"wild: {beyond} of {ahead} predictions lie outside [0, 1]" in said
    assert "degree-1: " not in said
    data = found.as_dict()
    assert data["predictions_outside"]["wild"] == {"n": beyond, "of": ahead}
    assert data["folds"][0]["medians"]["degree-1"] == pytest.approx(np.median(found.folds[0].off["degree-1"]))


def test_two_processes_choose_alike() -> None:
    pytest.importorskip("joblib")
    sample = runs(n=20)
    one, two = (choose(sample, [POWER_KINDS["compute"]], jobs=jobs).as_dict() for jobs in (1, 2))
    assert one == two


def test_no_reversal_where_the_closer_law_extrapolates_better() -> None:
    found = choose(runs(bend=0.02, noise=0.001), [Polynomial(1), Polynomial(2)])
    assert found.reversals == ()
    assert found.closest == found.best_aicc == found.best_extrapolation == "degree-2"


def test_the_same_runs_for_every_law() -> None:
    """The strictest margin; accuracy 1 has no -log."""
    sample = runs(noise=0.001)
    accuracy = sample.accuracy.copy()
    accuracy[0], accuracy[1], accuracy[-1] = 0.01, 0.04, 1.0
    sample = Sample(benchmark="task", accuracy=accuracy, baseline=0.0, at=sample.at)
    found = choose(sample, [Polynomial(1), POWER_KINDS["compute"]])
    assert (found.margin, found.n, found.left_out) == (0.05, 21, 3)
    assert {each.n for each in found.criteria} == {21}
    assert choose(sample, [POWER_KINDS["compute"]], margin=0.02).n == 22


def test_a_law_that_fails_is_said() -> None:
    found = choose(runs(n=9), [Polynomial(1), Polynomial(7)], least_train=6)
    assert all("degree-7" in fold.failed for fold in found.folds if fold.n_train < 8)
    assert "degree-7: no prediction from the runs up to" in str(found)


def test_too_few_computes() -> None:
    sample = runs(n=24)
    one = Sample(benchmark="task", accuracy=sample.accuracy, baseline=0.0, at=Points(compute=np.full(24, 1e21)))
    found = choose(one, [Polynomial(0)])
    assert found.folds == ()
    assert found.best_extrapolation is None
    assert "too few runs of different compute" in str(found)


def test_interrupts(monkeypatch) -> None:
    calls: list[Any] = []

    def stops(sample, kind):
        calls.append(kind)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return criteria(sample, kind)

    monkeypatch.setattr("isoflop.numeric.accuracy.choice.criteria", stops)
    found = choose(runs(), [Polynomial(1), Polynomial(2)])
    assert found.interrupted
    assert [each.law for each in found.criteria] == ["degree-1"]
    assert "interrupted" in str(found)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="each of another name"):
        choose(runs(), [Polynomial(1), Polynomial(1)])
    with pytest.raises(ValueError, match="no run exceeds guessing"):
        choose(runs(), [Polynomial(1)], margin=0.9)
    with pytest.raises(ValueError, match="folds=0: must be a whole number"):
        choose(runs(), [Polynomial(1)], folds=0)
    with pytest.raises(ValueError, match="compute: is not known"):
        choose(Sample(benchmark="t", accuracy=np.full(9, 0.5), baseline=0.0, at=Points(params=np.full(9, 1e9))), [Polynomial(1)])
