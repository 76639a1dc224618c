"""The small tables that the golden calls read, drawn from known laws with seeded noise."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pandas import DataFrame


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    DataFrame(rows).to_csv(path, index=False)


def reducible(N: Any, D: Any, A: float, B: float, beta: float, gamma: float) -> Any:
    return A * N**-beta + B * D**-gamma


def runs(folder: Path) -> None:
    """36 runs: five isoFLOP budgets of six sizes, and six runs at 20 tokens per param; 0.3 % noise."""
    random = np.random.default_rng(7)
    rows = []
    for C in np.geomspace(1e18, 1e21, 5):
        for size in np.geomspace(0.2, 5, 6):
            N = size * 0.1 * np.sqrt(C)
            rows.append((N, C / (6 * N)))
    for C in np.geomspace(1e18, 1e21, 6):
        N = np.sqrt(C / 120)
        rows.append((N, 20 * N))
    N, D = np.array(rows).T
    loss = (1.8 + reducible(N, D, 480, 2080, 0.35, 0.37)) * np.exp(
        0.003 * random.standard_normal(N.size)
    )
    write(
        folder / "runs.csv",
        [
            {
                "source": "abcdef"[i % 6],
                "params": f"{n:.6g}",
                "tokens": f"{d:.6g}",
                "loss": f"{y:.5f}",
            }
            for i, (n, d, y) in enumerate(zip(N, D, loss, strict=True))
        ],
    )


def evaluations(folder: Path) -> None:
    """24 runs on two benchmarks with a baseline of 0.25, and a proxy loss of each run."""
    random = np.random.default_rng(8)
    N = np.repeat(np.geomspace(1e8, 6e9, 6), 4)
    D = N * np.tile([10.0, 20.0, 40.0, 80.0], 6)
    laws = {"easy": (30.0, 60.0, 0.2, 0.2), "hard": (55.0, 130.0, 0.19, 0.21)}
    rows = []
    for i, (n, d) in enumerate(zip(N, D, strict=True)):
        run = {
            "run": f"r{i}",
            "params": f"{n:.6g}",
            "tokens": f"{d:.6g}",
            "compute": f"{6 * n * d:.6g}",
        }
        for name, law in laws.items():
            y = reducible(n, d, *law) * np.exp(0.02 * random.standard_normal())
            score = 0.25 + 0.75 * np.exp(-y)
            rows.append(run | {"benchmark": name, "metric_type": "acc", "score": f"{score:.5f}"})
        loss = (1.8 + reducible(n, d, 480, 2080, 0.35, 0.37)) * np.exp(
            0.003 * random.standard_normal()
        )
        rows.append(run | {"benchmark": "c4", "metric_type": "loss", "score": f"{loss:.5f}"})
    write(folder / "evaluations.csv", rows)


def counts(folder: Path) -> None:
    """12 models on 24 problems, 200 samples each; success rates are Beta."""
    random = np.random.default_rng(9)
    samples, models = [], []
    for i, C in enumerate(np.geomspace(1e19, 1e22, 12)):
        N = np.sqrt(C / 120)
        models.append({"model": f"m{i}", "params": f"{N:.6g}", "tokens": f"{20 * N:.6g}"})
        mean = np.exp(-(40 * C**-0.07))
        p = random.beta(0.8, 0.8 * (1 - mean) / mean, size=24)
        for j, c in enumerate(random.binomial(200, p)):
            samples.append(
                {"model": f"m{i}", "problem": f"p{j}", "n_samples": 200, "n_correct": int(c)}
            )
    write(folder / "counts.csv", samples)
    write(folder / "models.csv", models)


def overtrained(folder: Path) -> None:
    """18 runs at six ratios of tokens to params, with a loss and the accuracy of two tasks."""
    random = np.random.default_rng(10)
    rows = []
    for N in (1e8, 4e8, 1.4e9):
        for multiplier in (10, 20, 40, 80, 160, 320):
            C = 6 * N * N * multiplier
            loss = 2.0 + (90 * multiplier**0.12 + 80 * multiplier**-0.12) * C**-0.12 * 0.5
            loss *= np.exp(0.003 * random.standard_normal())
            row = {"params": f"{N:.6g}", "tokens": f"{N * multiplier:.6g}", "loss": f"{loss:.5f}"}
            for task, scale in (("one", 3.2), ("two", 2.4)):
                error = 0.85 - scale * np.exp(-0.7 * loss) + 0.002 * random.standard_normal()
                row[f"acc_{task}"] = f"{1 - error:.5f}"
            rows.append(row)
    write(folder / "overtrained.csv", rows)


def write_all(folder: Path) -> None:
    for table in (runs, evaluations, counts, overtrained):
        table(folder)
