"""Makers of small tables for the tests: runs, evaluations and counts of a known truth, and files.

All draws come from a seed, so that every call gives the same table.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isoflop.numeric.data.runs import Runs

#: A law of loss near the published ones, as the keywords of ``Law``.
LAW = {"E": 1.7, "A": 400.0, "B": 410.0, "beta": 0.34, "gamma": 0.28}


def power_law(
    params: Any, tokens: Any, *, A: float, B: float, beta: float, gamma: float, E: float = 0.0
) -> Any:
    """E + A N^-beta + B D^-gamma."""
    return E + A * params**-beta + B * tokens**-gamma


def noisy(values: Any, noise: float, seed: Any = 0) -> Any:
    """The values with errors of their logarithm: normal, of standard deviation ``noise``; ``seed``
    may be a generator.
    """
    values = np.asarray(values)
    return values * np.exp(noise * np.random.default_rng(seed).standard_normal(values.shape))


# -- designs ---------------------------------------------------------------------------------------


def grid(first: Any, second: Any) -> tuple[Any, Any]:
    """Every pair of the entries of two sequences, (n,) each; the first one varies fastest."""
    one, two = np.meshgrid(first, second)
    return one.ravel(), two.ravel()


def at_ratios(compute: Any, ratios: Any) -> tuple[Any, Any]:
    """params and tokens of runs at every compute and every D/N; C = 6ND."""
    C, ratio = grid(compute, ratios)
    params = np.sqrt(C / (6.0 * ratio))
    return params, ratio * params


# -- tables ----------------------------------------------------------------------------------------


def runs_at(
    params: Any,
    tokens: Any,
    law: Mapping[str, float] = LAW,
    *,
    noise: float = 0.0,
    seed: int = 0,
    **more: Any,
) -> dict[str, Any]:
    """A table of runs: params, tokens, the loss of a law with noise, and further columns."""
    loss = noisy(power_law(params, tokens, **law), noise, seed)
    return {"params": params, "tokens": tokens, "loss": loss, **more}


def grid_runs(
    sizes: int = 5,
    durations: int = 6,
    *,
    params: tuple[float, float] = (1e8, 1e10),
    tokens: tuple[float, float] = (1e9, 1e11),
    noise: float = 0.0,
    seed: int = 0,
    **changed: float,
) -> dict[str, Any]:
    """Runs on a grid of params and tokens; ``changed``: coefficients of `LAW` that are others."""
    design = grid(np.geomspace(*params, sizes), np.geomspace(*tokens, durations))
    return runs_at(*design, LAW | changed, noise=noise, seed=seed)


def accuracies(
    params: Any,
    tokens: Any,
    *,
    baseline: float = 0.0,
    scale: float = 1.0,
    law: Mapping[str, float] | None = None,
    noise: float = 0.0,
    seed: Any = 0,
) -> Any:
    """Accuracy with -log Q' on a law of params and tokens, times ``scale``, with noise."""
    law = law or {"A": 60.0, "B": 400.0, "beta": 0.27, "gamma": 0.3}
    y = noisy(scale * power_law(params, tokens, **law), noise, seed)
    return baseline + (1.0 - baseline) * np.exp(-y)


def pass_at_k(compute: Any, k: float, *, noise: float = 0.0, seed: Any = 0) -> Any:
    """pass@k with -log of it linear in log C, log k and their product: falling in k above 4.3e16
    FLOP.
    """
    x, log_k = np.log(compute), np.log(k)
    return np.exp(-noisy(np.exp(6.0 - 0.13 * x + 0.9 * log_k - 0.0235 * x * log_k), noise, seed))


def evaluations(
    params: Any, tokens: Any, scores: Mapping[tuple[str, str], Any], **baselines: float
) -> dict[str, list[Any]]:
    """A table with a row for each score: (benchmark, metric type) -> the scores of the runs."""
    names = ("params", "tokens", "benchmark", "metric_type", "score", "random_baseline")
    rows = [
        (n, d, benchmark, metric, score, baselines.get(benchmark))
        for (benchmark, metric), values in scores.items()
        for n, d, score in zip(params, tokens, values, strict=True)
    ]
    return {name: list(cells) for name, cells in zip(names, zip(*rows, strict=True), strict=True)}


def isoflop_group(folder: Path, experiment: str) -> Runs:
    """The runs of one experiment of the public isoFLOP runs."""
    path = folder / "isoflops" / "isoflops.csv"
    return Runs.read(path, where=f"experiment == '{experiment}'")


#: -log pass@k of the three laws at models of `isoflop.numeric.simulate.counts.grid`.
PASS_LAWS: dict[str, Callable[..., Any]] = {
    "compute": lambda m, E0, C0, alpha: E0 + C0 * m.compute**-alpha,
    "params-tokens": lambda m, E0, N0, D0, beta, gamma: (
        E0 + N0 * m.params**-beta + D0 * m.tokens**-gamma
    ),
    "gold": lambda m, xi0, K0, kappa: xi0 + K0 * m.gold**kappa,
}


def law_values(models: Any, law: str, coefficients: Mapping[str, float]) -> Any:
    """-log pass@k by one of the three laws at every model, (G,)."""
    return PASS_LAWS[law](models, **coefficients).to_numpy()


def law_truth(
    models: Any,
    law: str,
    coefficients: Mapping[str, float],
    *,
    scatter: float = 0.0,
    rng: Any = 0,
    **how: Any,
) -> Any:
    """Success rates whose -log pass@k is a law with errors of its logarithm, at one k."""
    from isoflop.numeric.simulate.counts import with_rates

    return with_rates(models, noisy(law_values(models, law, coefficients), scatter, rng), **how)


#: The accuracy of guessing by Table 11 of Krajewski et al. 2025, by the names in their csv.
TABLE_11 = {"arc_easy": 0.2918, "arc_challenge": 0.2150, "sciq": 0.3039, "piqa": 0.5286}
TABLE_11 |= {"hellaswag": 0.2518, "winogrande": 0.5, "webqs_1shot": 0.0, "triviaqa_1shot": 0.0}
TABLE_11 |= dict.fromkeys(("lambada_openai", "gsm8k_cot_llama", "humaneval-py", "lbpp"), 0.0)

#: The 17 tasks over which Gadre et al. 2024 average the error.
GADRE_TASKS = (
    *("bigbench_operators", "pubmed_qa_labeled", "hellaswag_zeroshot", "boolq", "arc_easy", "coqa"),
    *("bigbench_dyck_languages", "lambada_openai", "bigbench_novel_concepts", "winograd"),
    *("bigbench_cs_algorithms", "commonsense_qa", "bigbench_qa_wikidata", "hellaswag", "copa"),
    *("squad", "piqa"),
)

# -- files and numbers -----------------------------------------------------------------------------


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """The file of CSV, with these rows under its header."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def write_csv(path: Path, columns: Mapping[str, Iterable[Any]]) -> Path:
    """The file of CSV, with these columns."""
    return write_rows(path, tuple(columns), zip(*columns.values(), strict=True))
