"""The small tables that the commands read, drawn from known laws with seeded noise."""

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


def write_all(folder: Path) -> None:
    for table in (runs, counts):
        table(folder)
