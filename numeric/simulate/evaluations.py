r"""Evaluations of a known truth, on the design of Krajewski et al. 2025 (arXiv 2512.08894).

The runs are those of Tables 7 to 9 with N = C/(6 D), for the printed params are rounded; a row that
names two data sets is two runs. Ten small runs can be added, to estimate the accuracy of guessing
from. The truth of a benchmark is its row in Table 12,

.. math:: -\log Q' = A N^{-\beta} + B D^{-\gamma}, \qquad Q = Q_r + (1 - Q_r) Q',

so that accuracy falls to that of guessing. Noise comes from three sources:

* a run is better or worse than the law says: -log Q' times e^(run_noise z);
* a run is asked a finite number of questions, `PROBLEMS`, the same as all others, and they are hard
  or easy for all runs alike: the question of rank u in a run is answered where u > 1 - Q, and the
  normal scores of its ranks in two runs have the correlation `SHARED`;
* code is sampled: a problem's success rate is the quantile u of Beta(a, b), whose mean is Q, and
  `SAMPLES` answers give pass@k without bias. One distribution of success rates for all k: the
  inequalities between pass@k hold, of estimates to sampling error.

`run_noise` and the correlation of questions maximise the restricted likelihood of log(-log Q') of
ten benchmarks on the 33 public runs, about a quadratic in log C: 0.021 and 0.44. One Beta(a, b)
describes the public pass@k for all k, with a + b of 0.2 to 0.6. Code is sampled 200 times, luck
averages out, and ranks are more alike between runs: 0.9 gives the scatter of pass@1, 0.03 to 0.05.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.krajewski2025 import C4, MIXTURE, RUNS
from ...theory.data.published import compute_counterparts
from ..data.scale import accuracy
from ..errors import nonnegative_number, outside, whole_number
from ..law import Law
from ..law import law as law_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pandas import DataFrame

    Floats = NDArray[np.float64]

__all__ = ["LAWS", "PROBLEMS", "SimulatedEvaluations", "design", "simulate", "true_accuracy"]

#: The published params-tokens law of each benchmark.
LAWS = {str(law.label): law for law, _ in compute_counterparts()}
#: How each benchmark is scored: acc_norm, acc, exact_match, pass@1.
METRIC_TYPES = {name: str(law.metric_type) for name, law in LAWS.items()}
#: Questions: every public score of the benchmark is a whole number of them (for code, of 200
#: samples each).
PROBLEMS = {
    "ARC-E": 2376,
    "ARC-C": 1172,
    "SciQ": 1000,
    "PIQA": 1838,
    "HellaSwag": 10042,
    "Winogrande": 1267,
    "WebQS": 2032,
    "TriviaQA": 11313,
    "LAMBADA": 5153,
    "GSM8K": 1319,
    "HumanEval": 164,
    "LBPP": 161,
}
#: Trained on C4 alone, "random performance ... on code and math" (Section 5.1).
OFF_C4 = ("GSM8K", "HumanEval", "LBPP")
CODE = ("HumanEval", "LBPP")
SAMPLES, KS = 200, (1, 2, 4, 8, 16, 32, 64, 128)
RUN_NOISE = 0.02
#: Correlation between two runs of the normal scores of a question's ranks: answered once, and
#: sampled.
SHARED, SHARED_CODE = 0.5, 0.9
#: a + b of the Beta(a, b) of success rates.
CONCENTRATION = 0.4
#: Losses that a run reports besides, in nats per token: E, A, B and the one exponent of both terms.
#: On the public runs, which lie near D/N = 20, these are within 0.8 % of c4 and dclm; the runs do
#: not tell one term from the other.
LOSSES = {"c4": (1.98, 253.0, 631.0, 0.305), "dclm": (1.57, 112.0, 240.0, 0.255)}
LOSS_NOISE = 0.002
#: Compute of the small runs: below 1e17 FLOP as in Section 3.2, and so small that the laws say no
#: more than guessing.
SMALL_RUNS, SMALLEST, LARGEST_SMALL, SMALL_RATIO = 10, 1e13, 1e15, 20.0


# -- the runs --------------------------------------------------------------------------------------


def design() -> DataFrame:
    """The runs of Tables 7 to 9, then the small ones: run, params N, tokens D, compute C = 6 N D
    (FLOP) and dataset.

    Examples
    --------
    >>> runs = design()
    >>> len(runs), runs.run[0], float(runs.compute[0])
    (205, '17.58B-357.4B', 3.77e+22)
    """
    import pandas as pd

    rows: list[tuple[str, float, float, str]] = []
    names: Counter[str] = Counter()
    for size, flops, count, _, _, _, trained_on in RUNS:
        for dataset in trained_on.split(", "):
            name = f"{size}-{count}{'-c4' if dataset == C4 else ''}"
            names[name] += 1
            again = f"-{names[name]}" if names[name] > 1 else ""
            rows.append((name + again, float(flops), 1e9 * float(count.removesuffix("B")), dataset))
    for i, budget in enumerate(np.geomspace(SMALLEST, LARGEST_SMALL, SMALL_RUNS).tolist(), start=1):
        rows.append((f"small-{i}", budget, (SMALL_RATIO * budget / 6.0) ** 0.5, MIXTURE))
    runs = pd.DataFrame(rows, columns=["run", "compute", "tokens", "dataset"])
    runs["params"] = runs.compute / (6.0 * runs.tokens)
    return runs[["run", "params", "tokens", "compute", "dataset"]]


# -- what comes out --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulatedEvaluations:
    """Simulated evaluations with the truth that they come from.

    Attributes
    ----------
    design : DataFrame
        M runs, see `design`.
    scores : dict of (str, str) to ndarray
        (benchmark, metric type) -> (M,) accuracy or, for metric type "loss", nats per token; NaN
        where there is none.
    baselines : dict of str to float
        Benchmark -> accuracy of guessing.
    """

    design: DataFrame
    scores: dict[tuple[str, str], Floats]
    baselines: dict[str, float]

    def columns(self) -> dict[str, list[Any]]:
        """A row a run and score: run, params, tokens, compute, dataset, benchmark, metric_type,
        score, random_baseline. A loss has no accuracy of guessing: None.
        """
        import pandas as pd

        parts = [
            self.design.assign(benchmark=benchmark, metric_type=metric, score=scores)
            for (benchmark, metric), scores in self.scores.items()
        ]
        rows = pd.concat(parts).dropna(subset="score")
        columns: dict[str, list[Any]] = {str(name): rows[name].tolist() for name in rows}
        return columns | {"random_baseline": [*map(self.baselines.get, columns["benchmark"])]}


def simulate(
    *,
    seed: int = 0,
    benchmarks: Sequence[str] = tuple(PROBLEMS),
    small_runs: bool = False,
    run_noise: float = RUN_NOISE,
) -> SimulatedEvaluations:
    """Draw the scores of every run on every benchmark, and its losses.

    What is drawn for a run and benchmark depends on the seed alone, not on which others are asked
    for.

    Parameters
    ----------
    seed : int
        At least 0.
    benchmarks : sequence of str
        Some of `PROBLEMS`.
    small_runs : bool
        Whether to add ten runs from which the accuracy of guessing can be estimated. They report no
        loss. Leave them out of fits of laws that take all runs.
    run_noise : float
        Standard deviation of log(-log Q') from run to run, >= 0.

    Raises
    ------
    ValueError
        Where an argument is outside its domain.

    Examples
    --------
    >>> table = simulate(seed=1, benchmarks=["PIQA"]).columns()
    >>> len(table["score"]), table["benchmark"][0], table["metric_type"][0]
    (585, 'PIQA', 'acc_norm')
    """
    whole_number("seed", seed, 0)
    spread = nonnegative_number("run_noise", run_noise)
    if not benchmarks or not {*benchmarks} <= {*PROBLEMS}:
        raise outside("benchmarks", list(benchmarks), f"some of {', '.join(PROBLEMS)}")
    runs = design()
    is_small = runs.compute.to_numpy() <= LARGEST_SMALL
    scores: dict[tuple[str, str], Floats] = {}
    for index, name in enumerate(PROBLEMS):
        if name in benchmarks:
            scores |= _scores(name, runs, spread, np.random.default_rng([seed, index]))
    for index, (name, (E, A, B, exponent)) in enumerate(LOSSES.items()):
        z = np.random.default_rng([seed, len(PROBLEMS) + index]).standard_normal(len(runs))
        loss = Law(E=E, A=A, B=B, beta=exponent, gamma=exponent).loss(*_sizes(runs))
        scores[name, "loss"] = np.where(is_small, np.nan, loss) * np.exp(LOSS_NOISE * z)
    kept = small_runs | ~is_small
    return SimulatedEvaluations(
        design=runs[kept].reset_index(drop=True),
        scores={key: values[kept] for key, values in scores.items()},
        baselines={name: float(str(LAWS[name].random_baseline)) for name in benchmarks},
    )


def true_accuracy(name: str, runs: DataFrame, factors: Any = 1.0) -> Floats:
    """Accuracy by the law of a benchmark, with -log Q' times `factors`; (M,)."""
    baseline = float(str(LAWS[name].random_baseline))
    with np.errstate(over="ignore"):
        neg_log = law_named(LAWS[name].name).reducible_loss(*_sizes(runs)) * factors
    if not np.isfinite(neg_log).all():
        raise outside("run_noise", float(np.max(factors)), "so small that every -log Q' is finite")
    at_chance = (runs.dataset == C4) & (name in OFF_C4)
    return np.where(at_chance, baseline, accuracy(neg_log, baseline))


def _sizes(runs: DataFrame) -> tuple[Floats, Floats]:
    return runs.params.to_numpy(), runs.tokens.to_numpy()


def _scores(
    name: str, runs: DataFrame, spread: float, random: np.random.Generator
) -> dict[tuple[str, str], Floats]:
    """Scores of runs that answer the questions of a benchmark."""
    from scipy.special import betaincinv, ndtr, ndtri

    from ..passk.estimator import pass_at_k

    code = name in CODE
    with np.errstate(over="ignore"):
        Q = true_accuracy(name, runs, np.exp(spread * random.standard_normal(len(runs))))
    # Ranks in (0, 1) of every question in every run: even over the questions, alike between runs.
    questions, shared = PROBLEMS[name], SHARED_CODE if code else SHARED
    common = ndtri((np.arange(questions) + 0.5) / questions)
    own = random.standard_normal((len(Q), questions))
    ranks = ndtr(np.sqrt(shared) * common + np.sqrt(1.0 - shared) * own)
    if not code:
        return {(name, METRIC_TYPES[name]): (ranks > 1.0 - Q[:, None]).mean(axis=1)}
    able, rates = Q > 0.0, np.zeros(ranks.shape)
    a, b = CONCENTRATION * Q[able, None], CONCENTRATION * (1.0 - Q[able, None])
    rates[able] = betaincinv(a, b, ranks[able])
    correct = random.binomial(SAMPLES, rates)
    return {(name, f"pass@{k}"): pass_at_k(SAMPLES, correct, k).mean(axis=1) for k in KS}
