"""Laws in k beside others: their crossing in every form, coefficients in rows, figures."""

from typing import Any

import numpy as np
import pytest

from isoflop.numeric.accuracy.baselines import Baseline
from isoflop.numeric.backtest.compare import compare_laws
from isoflop.numeric.data.evaluations import Evaluations


@pytest.fixture(scope="module")
def evaluations():
    compute, ratio = (
        each.ravel() for each in np.meshgrid(np.geomspace(1e19, 1e22, 9), (5.0, 20.0, 100.0))
    )
    params = np.sqrt(compute / (6.0 * ratio))
    random = np.random.default_rng(0)
    rows: dict[str, list[Any]] = {
        name: [] for name in ("run", "params", "tokens", "benchmark", "metric_type", "score")
    }
    for k in (1, 4, 16):
        y = np.exp(
            6.0 - 0.13 * np.log(compute) + 0.9 * np.log(k) - 0.0235 * np.log(compute) * np.log(k)
        )
        scores = np.exp(-y * np.exp(0.01 * random.standard_normal(len(y))))
        for i, score in enumerate(scores):
            for name, value in zip(
                rows,
                (i, params[i], ratio[i] * params[i], "code_1", f"pass@{k}", score),
                strict=True,
            ):
                rows[name].append(value)
    return Evaluations.read(rows)


@pytest.fixture(scope="module")
def compared(evaluations):
    return compare_laws(
        evaluations,
        laws=("compute", "bnsl", "bilinear"),
        hold_out="compute > 4e21",
        baselines={"code_1": Baseline(0.0)},
        resamples=20,
    )


def test_the_crossing_in_every_form(compared) -> None:
    crossing = compared.entry("code_1", "bilinear").crossing
    assert crossing is not None
    assert crossing.low < np.exp(0.9 / 0.0235) < crossing.high
    record = next(
        each for each in compared.as_dict()["benchmarks"][0]["laws"] if each["law"] == "bilinear"
    )["crossing"]
    assert (record["compute"], record["holds"], record["is_determined"]) == (
        crossing.compute,
        "above",
        True,
    )
    assert "the curves of all k cross at C_x =" in " ".join(str(compared).split())


def test_rows_have_the_coefficients(compared) -> None:
    direct, broken, in_k = compared.rows()
    assert list(direct) == list(broken) == list(in_k)
    coefficients = {item["name"]: item for item in compared.entry("code_1", "compute").coefficients}
    assert direct["coefficient_alpha"] == coefficients["alpha"]["value"]
    assert (direct["coefficient_alpha_low"], direct["coefficient_alpha_high"]) == tuple(
        coefficients["alpha"][e] for e in ("low", "high")
    )
    assert direct["coefficient_d"] is None
    assert in_k["coefficient_d"] == compared.entry("code_1", "bilinear").fit.values[3]
    assert direct["crossing_compute"] is None
    assert in_k["crossing_compute"] == compared.entry("code_1", "bilinear").crossing.compute


def test_the_figure_at_every_k(compared, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from isoflop.numeric.plot.compare import plot_comparison
    from isoflop.numeric.plot.in_k import plot_in_k
    from isoflop.numeric.plot.panels import save

    entry = compared.entry("code_1", "bilinear")
    ax: Any = plot_in_k(entry.fit, entry.ahead, level=0.9)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["$k=1$", "$k=4$", "$k=16$", "held out", "$C_x$, 90 % interval"]
    # A solid and a dotted line for each k: together the law, each where it holds or does not.
    law, beyond = ax.lines[2].get_xydata(), ax.lines[3].get_xydata()
    C_x = entry.crossing.compute
    assert (np.isfinite(law[:, 1]) == (law[:, 0] >= C_x)).all()
    assert (np.isfinite(beyond[:, 1]) == (beyond[:, 0] < C_x)).all()
    log_A, a, b, d = entry.fit.values
    solid = law[np.isfinite(law[:, 1])]
    expected = np.exp(log_A + a * np.log(solid[:, 0]) + np.log(4.0) * (b + d * np.log(solid[:, 0])))
    assert solid[:, 1] == pytest.approx(expected, rel=1e-8)
    save(plot_comparison(compared), tmp_path / "page.png")
    with pytest.raises(ValueError, match="fit='compute': must be of a law of compute and k"):
        plot_in_k(compared.entry("code_1", "compute").fit)
