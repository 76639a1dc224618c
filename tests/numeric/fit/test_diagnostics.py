"""Residual diagnostics: against SciPy and plain linear algebra, on constructions with known
defects.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit import fit
from isoflop.numeric.fit.diagnostics import (
    ResidualTest,
    diagnostics,
    doubts_of_one_distribution,
    dropped_one,
    leverages,
    normality,
)

LAW = {"E": 1.69, "A": 406.4, "B": 410.7, "beta": 0.34, "gamma": 0.28}
SQUARES = "least-squares-log"


def losses(n: Any, d: Any) -> Any:
    return LAW["E"] + LAW["A"] * n ** -LAW["beta"] + LAW["B"] * d ** -LAW["gamma"]


def table(noise: float = 0.003, seed: int = 1, repeats: int = 1, **extra: Any) -> dict[str, Any]:
    n, d = (
        np.repeat(x.ravel(), repeats)
        for x in np.meshgrid(np.logspace(8, 10.5, 6), np.logspace(9, 11.5, 6))
    )
    error = noise * np.random.default_rng(seed).standard_normal(len(n))
    return {"params": n, "tokens": d, "loss": losses(n, d) * np.exp(error), **extra}


def numeric_jacobian(coefficients: dict[str, float], n: Any, d: Any) -> Any:
    """(n, 5): derivatives of log L by E, log A, log B, beta, gamma, by central differences of the
    law as typed here.
    """
    at = np.array(
        [
            coefficients["E"],
            np.log(coefficients["A"]),
            np.log(coefficients["B"]),
            coefficients["beta"],
            coefficients["gamma"],
        ]
    )

    def log_loss(t: Any) -> Any:
        return np.log(t[0] + np.exp(t[1] - t[3] * np.log(n)) + np.exp(t[2] - t[4] * np.log(d)))

    h = 1e-6
    return np.stack(
        [(log_loss(at + h * e) - log_loss(at - h * e)) / (2 * h) for e in np.eye(5)], axis=1
    )


def test_summary_is_that_of_scipy() -> None:
    found_fit = fit(table(), objective=SQUARES)
    found, r = diagnostics(found_fit), np.log(np.asarray(found_fit.runs.loss) / found_fit.fitted)
    assert found.bias == pytest.approx(np.mean(r))
    assert found.sd == pytest.approx(np.sqrt(np.sum((r - r.mean()) ** 2) / (len(r) - 5)))
    assert found.mad == pytest.approx(scipy.stats.median_abs_deviation(r, scale="normal"))
    logs = np.log(table()["loss"])
    assert found.r_squared == pytest.approx(1 - np.sum(r**2) / np.sum((logs - logs.mean()) ** 2))
    assert (found.share_beyond, found.delta) == (None, None)
    assert found.normal.p_value == pytest.approx(scipy.stats.shapiro(r).pvalue)
    distance = np.abs(r - np.median(r))
    compute = np.log(table()["params"] * table()["tokens"])
    assert found.scedasticity[0].p_value == pytest.approx(
        scipy.stats.spearmanr(distance, compute).pvalue
    )


def test_a_run_above_the_law_has_a_positive_residual_everywhere() -> None:
    data = table()
    data["loss"] = data["loss"].copy()
    data["loss"][7] *= 1.2
    found_fit = fit(data, objective=SQUARES)
    found = diagnostics(found_fit)
    row = found_fit.runs.row[7]
    assert found.outliers[0].row == row
    assert found.outliers[0].residual == pytest.approx(
        np.log(data["loss"][7] / found_fit.fitted[7])
    )
    assert found.outliers[0].residual > 0.1
    assert (
        next(item for item in found.influential if item.row == row).residual
        == found.outliers[0].residual
    )
    assert "log observed - log law" in str(found_fit)


def test_leverage_and_structure_are_those_of_a_jacobian_by_differences() -> None:
    data = table()
    found_fit = fit(data, objective=SQUARES)
    columns = numeric_jacobian(found_fit.coefficients, data["params"], data["tokens"])
    hat = columns @ np.linalg.pinv(columns)
    np.testing.assert_allclose(leverages(found_fit), np.diag(hat), atol=1e-6)
    assert leverages(found_fit).sum() == pytest.approx(5)
    r = found_fit.residuals
    x = np.log(data["tokens"])
    wide = np.column_stack([columns, x, x**2])
    before = r - hat @ r
    after = r - wide @ np.linalg.pinv(wide, rcond=1e-12) @ r
    f = (before @ before - after @ after) / 2 / (after @ after / (len(r) - 7))
    structure = diagnostics(found_fit).trends[1]
    assert structure.statistic == pytest.approx(f, rel=1e-4)
    assert structure.p_value == pytest.approx(scipy.stats.f.sf(f, 2, len(r) - 7), rel=1e-4)


def test_p_values_are_uniform_where_the_law_is_right() -> None:
    p_values: dict[str, list[float]] = {"log N": [], "log C": []}
    for seed in range(150):
        for test in diagnostics(fit(table(seed=seed, repeats=2), objective=SQUARES)).trends:
            along = test.name.rpartition(" in ")[2]
            if along in p_values:
                assert test.p_value is not None
                p_values[along].append(test.p_value)
    for values in p_values.values():
        assert scipy.stats.kstest(values, "uniform").pvalue > 1e-3


def test_a_bend_along_the_size_shows() -> None:
    data = table(noise=0.001, repeats=2)
    z = np.log10(data["params"]) - 9.25
    data["loss"] = data["loss"] * (1 - 0.02 * z**2)
    found = diagnostics(fit(data, objective=SQUARES))
    assert found.trends[0].name.endswith("in log N")
    p_value = found.trends[0].p_value
    assert p_value is not None
    assert p_value < 1e-6
    assert any("does not fit" in text for text in found.findings)


def test_spread_that_grows_shows() -> None:
    data = table(noise=0.0, repeats=4)
    c = data["params"] * data["tokens"]
    data["loss"] = data["loss"] * np.exp(
        0.0005 * (c / c.min()) ** 0.3 * np.random.default_rng(0).standard_normal(len(c))
    )
    found = diagnostics(fit(data, objective=SQUARES))
    assert all(test.p_value is not None and test.p_value < 1e-3 for test in found.scedasticity)
    assert any("spread more" in text for text in found.findings)


def test_nothing_speaks_against_a_right_law() -> None:
    found = diagnostics(fit(table(seed=7), objective=SQUARES))
    assert found.findings == ("nothing in the residuals speaks against the law",)


@pytest.mark.parametrize("objective", [SQUARES, "huber-log", "least-squares"])
def test_leaving_out_a_run(objective: str) -> None:
    data = table(seed=2)
    data["loss"][35] *= 1.02
    base = fit(data, objective=objective, delta=2e-3)
    found = diagnostics(base)
    first = found.influential[0]
    if objective != "huber-log":
        assert first.row == 36
    kept = np.arange(36) != first.row - 1
    other = fit(
        {name: column[kept] for name, column in data.items()}, objective=objective, delta=2e-3
    )
    change = other.law.envelope.exponent - base.law.envelope.exponent
    assert first.alpha_change is not None
    if objective != "huber-log":
        assert first.alpha_change == pytest.approx(change, rel=0.35)


def test_the_first_order_change_is_right_to_second_order() -> None:
    errors = []
    for noise in (1e-3, 1e-4):
        data = table(noise=noise, seed=4)
        base = fit(data, objective=SQUARES)
        foretold = dropped_one(base)[0] @ base.design.to_coordinates.T
        other = fit({name: column[1:] for name, column in data.items()}, objective=SQUARES)
        true = np.array(
            [
                other.coefficients["beta"] - base.coefficients["beta"],
                other.coefficients["gamma"] - base.coefficients["gamma"],
            ]
        )
        errors.append(np.abs(foretold[3:] - true).max() / np.abs(true).max())
    assert errors[0] < 0.1
    assert errors[1] < 0.2 * errors[0]


def test_what_cannot_be_tested_has_a_reason() -> None:
    n, d = np.full(8, 1e9), np.logspace(9, 12, 8)
    found = diagnostics(fit({"params": n, "tokens": d, "loss": losses(n, d)}))
    undone = [test for test in found.tests if test.p_value is None]
    assert undone
    assert all(test.reason and test.statistic is None for test in undone)
    assert found.influence_reason
    assert "not made" in str(found)
    json.dumps(found.as_dict(), allow_nan=False)


def test_few_runs_and_constant_residuals() -> None:
    for test in (normality(np.zeros(5)), normality(np.ones(2))):
        assert test.p_value is None
        assert test.reason
    assert ResidualTest.of("x", float("nan"), 0.5).reason
    n, d = np.logspace(8, 10, 5), np.logspace(11, 9, 5) ** 1.1
    exactly = diagnostics(fit({"params": n, "tokens": d, "loss": losses(n, d)}, objective=SQUARES))
    assert exactly.sd is None
    json.dumps(exactly.as_dict(), allow_nan=False)


def test_a_compute_law_and_weights() -> None:
    c = np.logspace(18, 23, 30)
    noise = np.exp(0.003 * np.random.default_rng(1).standard_normal(30))
    weight = np.linspace(1, 3, 30)
    found_fit = fit(
        {"compute": c, "loss": (1.7 + 1000 * c**-0.15) * noise, "weight": weight},
        model="compute",
        objective=SQUARES,
    )
    found = diagnostics(found_fit)
    assert [test.name.rpartition(" in ")[2] for test in found.trends] == ["log C", "log fitted"]
    assert found.influential[0].alpha_change is not None
    assert leverages(found_fit).mean() == pytest.approx(3 / 30)


def test_chinchilla(public_runs: Path) -> None:
    runs = Runs.read(public_runs / "chinchilla" / "svg_extracted_data.csv")
    runs = runs.subset(runs.loss < np.sort(runs.loss)[-5])
    fitted = fit(runs, objective=SQUARES)
    found = diagnostics(fitted)
    assert found.sd == pytest.approx(np.sqrt(0.0114618870 / 235), rel=1e-6)
    columns = numeric_jacobian(fitted.coefficients, runs.params, runs.tokens)
    z = scipy.stats.zscore(np.log(runs.params))
    wide = np.column_stack([columns / np.linalg.norm(columns, axis=0), z, z**2])
    left = fitted.residuals - wide @ np.linalg.lstsq(wide, fitted.residuals, rcond=None)[0]
    f = (np.sum(fitted.residuals**2) - left @ left) / 2 / (left @ left / 233)
    assert found.trends[0].statistic == pytest.approx(f, rel=1e-3)
    assert found.normal.p_value is not None
    assert found.normal.p_value < 1e-6
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert data["outliers"][0]["row"] == found.outliers[0].row
    assert all(len(line) <= 100 for line in str(found).splitlines())


def test_doubts_of_one_distribution() -> None:
    data = table(repeats=4)
    assert doubts_of_one_distribution(fit(data)) == ()
    random = np.random.default_rng(5)
    spread = 1e-3 * (data["params"] * data["tokens"] / 1e17) ** 0.15
    unlike = data | {
        "loss": losses(data["params"], data["tokens"])
        * np.exp(spread * random.standard_normal(144))
    }
    assert any("spread against log C" in text for text in doubts_of_one_distribution(fit(unlike)))
    heavy = data | {
        "loss": losses(data["params"], data["tokens"]) * np.exp(1e-3 * random.standard_t(2, 144))
    }
    assert any(
        "not normal" in text for text in doubts_of_one_distribution(fit(heavy, objective=SQUARES))
    )
    assert not any("not normal" in text for text in doubts_of_one_distribution(fit(heavy)))
