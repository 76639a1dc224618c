"""isoflop compare-laws --sweep: T50 of few benchmarks, and which errors are shown."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two benchmarks: one follows the law of compute, the other bends."""
    place = tmp_path_factory.mktemp("sweep") / "runs.csv"
    compute = np.geomspace(1e19, 1e23, 30)
    x = np.log(compute / 1e21)
    columns = [np.exp(-np.exp(-0.3 - 0.2 * x - bend * np.maximum(x, 0.0))) for bend in (0.0, 0.6)]
    rows = zip(compute, *columns, strict=True)
    place.write_text("compute,acc_straight,acc_bent\n" + "".join(",".join(map(repr, map(float, row))) + "\n" for row in rows))
    return place


WORDS = (
    "--law",
    "compute",
    "--random-baseline",
    "straight=0",
    "bent=0",
    "--sweep",
    "--threshold",
    "1e20",
    "3e20",
    "1e21",
    "3e21",
)


def test_one_benchmark_has_an_interval(call, runs) -> None:
    result = call("compare-laws", runs, "--benchmark", "straight", *WORDS)
    assert result.code == 0, result.err
    row = next(line for line in result.out.splitlines() if line.startswith("compute ") and "no end to" in line)
    assert row.split()[1:3] == ["<=", "1.00e20"]
    assert "profile likelihood" in result.out


def test_absolute_errors_on_request(call, runs, tmp_path) -> None:
    picture = tmp_path / "sweep.png"
    shown = call("compare-laws", runs, *WORDS, "--error", "mae", "--plot-sweep", picture)
    assert shown.code == 0, shown.err
    assert "MAE in points, T =" in shown.out
    assert "MRE in %, T =" not in shown.out
    assert picture.stat().st_size > 10_000
    assert "MRE in %, T =" in call("compare-laws", runs, *WORDS).out
    assert "--error 'r2': must be one of mre, mae" in call("compare-laws", runs, *WORDS, "--error", "r2").err
    assert "--error: is for --sweep" in call("compare-laws", runs, "--law", "compute", "--error", "mae").err
