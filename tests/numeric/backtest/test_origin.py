"""The rolling origin of laws of accuracy against fits by hand."""

from dataclasses import dataclass, replace

import pytest

np = pytest.importorskip("numpy")

from isoflop.numeric.accuracy.law import RAW, Law  # noqa: E402
from isoflop.numeric.accuracy.laws import LAWS  # noqa: E402
from isoflop.numeric.backtest.origin import rolling_origin  # noqa: E402
from isoflop.numeric.data.sample import Points, Sample  # noqa: E402
from isoflop.numeric.fit.fitted import Fitted  # noqa: E402


@dataclass(frozen=True, eq=False)
class Fixed(Fitted):
    """Coefficients that were found elsewhere."""

    found: dict
    size, objective_value, converged = 0, 0.0, True
    coefficients = property(lambda self: self.found)

    def predict(self, rows):
        raise NotImplementedError

    def refit(self, **resampled):
        raise NotImplementedError


def polynomial(degree, offset=0.0):
    """Q = sum of c_i x^i in x = log10 C - 21: least squares is linear. With an offset it is a law
    that is not fitted by least squares.
    """
    names = tuple(f"c{i}" for i in range(degree + 1))

    def fitted(sample):
        if len(sample) <= degree:
            raise ValueError(f"{len(sample)} runs")
        x = np.log10(sample.at.column("compute")) - 21.0
        found = np.polynomial.polynomial.polyfit(x, sample.accuracy, degree)
        found[0] += offset
        return (Fixed(dict(zip(names, found.tolist(), strict=True))),)

    def values(coefficients, at):
        x = np.log10(at.column("compute")) - 21.0
        return coefficients @ x ** np.arange(degree + 1)[:, None]

    return Law(
        name=f"degree-{degree}",
        expression="polynomial",
        coefficients=names,
        requires=("compute",),
        asks=("compute",),
        response=RAW,
        objective="least squares of Q",
        fitted=fitted,
        values=values,
        margin=None,
    )


def runs(n=24, noise=0.01, seed=2, bend=0.0) -> Sample:
    compute = np.geomspace(1e19, 1e23, n)
    x = np.log10(compute) - 21.0
    accuracy = 0.5 + 0.1 * x - bend * x**2 + noise * np.random.default_rng(seed).standard_normal(n)
    return Sample(benchmark="task", accuracy=accuracy, baseline=0.0, at=Points(compute=compute))


def test_the_rolling_origin_by_hand() -> None:
    sample = runs(n=20)
    found = rolling_origin(sample, [polynomial(1), polynomial(2)], cutoffs=4)
    assert not found.interrupted
    folds = found.folds
    assert (len(folds), folds[0]["n_train"], folds[-1]["n_train"]) == (4, 6, 19)
    assert [fold["until"] for fold in folds] == [
        *(fold["cut"] for fold in folds[1:]),
        sample.at.compute.max(),
    ]
    assert sum(fold["n_next"] for fold in folds) == 20 - 6
    x = np.log10(sample.at.compute) - 21.0
    for fold in folds:
        compute, cut = sample.at.compute, fold["cut"]
        train, after = compute <= cut, (compute > cut) & (compute <= fold["until"])
        for degree in (1, 2):
            line = np.polyfit(x[train], sample.accuracy[train], degree)
            expected = np.mean(np.abs(np.polyval(line, x[after]) - sample.accuracy[after]))
            assert fold["errors"][f"degree-{degree}"] == pytest.approx(expected, rel=1e-9)


def test_the_law_that_extrapolates_best_is_named() -> None:
    found = rolling_origin(runs(noise=0.02), [polynomial(1), polynomial(5)])
    errors = {law: off.mean() for law, off in found.errors.items()}
    assert errors["degree-1"] < errors["degree-5"]
    assert found.best == found.as_dict()["best_extrapolation"] == "degree-1"
    text = str(found)
    assert "extrapolates best: degree-1" in text
    assert max(map(len, text.splitlines())) <= 100


def test_predictions_outside_the_range_are_counted_and_one_of_them_moves_the_mean_alone() -> None:
    """A law that says 1e9 at the last runs."""

    line = polynomial(1)

    def far_off(coefficients, at):
        return np.where(at.column("compute") > 6e22, 1e9, line.values(coefficients, at))

    sample = runs(n=30)
    found = rolling_origin(sample, [line, replace(line, name="wild", values=far_off)])
    beyond = int((sample.at.compute > 6e22).sum())
    ahead = sum(fold["n_next"] for fold in found.folds)
    assert 0 < beyond < ahead / 2
    assert found.outside == {"degree-1": (0, ahead), "wild": (beyond, ahead)}
    assert found.errors["wild"].mean() == pytest.approx(1e9 * beyond / ahead, rel=1e-6)
    assert np.median(found.errors["wild"]) < 0.1
    said = " ".join(str(found).split())
    assert f"wild: {beyond} of {ahead} predictions lie outside [0, 1]" in said
    assert "degree-1: " not in said
    data = found.as_dict()
    assert data["predictions_outside"]["wild"] == {"n": beyond, "of": ahead}
    assert data["extrapolation_median"]["wild"] < 0.1


def test_the_same_runs_for_every_law() -> None:
    """The strictest margin; accuracy 1 has no -log."""
    sample = runs(noise=0.001)
    accuracy = sample.accuracy.copy()
    accuracy[0], accuracy[1], accuracy[-1] = 0.01, 0.04, 1.0
    sample = Sample(benchmark="task", accuracy=accuracy, baseline=0.0, at=sample.at)
    found = rolling_origin(sample, [polynomial(1), LAWS["compute"]])
    assert (found.margin, found.n, found.left_out) == (0.05, 21, 3)


def test_a_law_that_fails_is_said() -> None:
    def refuse(sample):
        raise ValueError("never")

    refusing = replace(polynomial(1), name="refusing", fitted=refuse)
    found = rolling_origin(runs(), [polynomial(1), refusing], cutoffs=[1e21, 1e22])
    assert [fold["cut"] for fold in found.folds] == [1e21, 1e22]
    assert all(fold["failed"] == {"refusing": "never"} for fold in found.folds)
    assert "refusing: no prediction from the runs up to" in str(found)


def test_too_few_computes() -> None:
    sample = runs(n=24)
    one = Sample(
        benchmark="task",
        accuracy=sample.accuracy,
        baseline=0.0,
        at=Points(compute=np.full(24, 1e21)),
    )
    found = rolling_origin(one, [polynomial(0)])
    assert found.folds == []
    assert found.best is None
    assert "too few runs of different compute" in str(found)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="each of another name"):
        rolling_origin(runs(), [polynomial(1), polynomial(1)])
    with pytest.raises(ValueError, match="no run exceeds guessing"):
        rolling_origin(runs(), [replace(polynomial(1), margin=0.9)])
    with pytest.raises(ValueError, match="cutoffs=0: must be a whole number"):
        rolling_origin(runs(), [polynomial(1)], cutoffs=0)
    with pytest.raises(ValueError, match="compute: is not known"):
        rolling_origin(
            Sample(
                benchmark="t",
                accuracy=np.full(9, 0.5),
                baseline=0.0,
                at=Points(params=np.full(9, 1e9)),
            ),
            [polynomial(1)],
        )
