r"""Evaluations of a known truth, on the design of Krajewski et al. 2025 (arXiv 2512.08894).

The runs are those of Tables 7 to 9 with N = C/(6 D), for the printed params are rounded; a row that
names two data sets is two runs. The truth of a benchmark is its row in Table 12,

.. math:: -\log Q' = A N^{-\beta} + B D^{-\gamma}, \qquad Q = Q_r + (1 - Q_r) Q',

so that accuracy falls to that of guessing. Noise comes from three sources:

* a run is better or worse than the law says: -log Q' times e^(RUN_NOISE z);
* all runs are asked the same finite number of questions, `PROBLEMS`, which are hard or easy for all
  of them alike: a run answers the question of rank u if u > 1 - Q, and the normal scores of the
  ranks of a question in two runs have the correlation `SHARED`;
* code is sampled: the success rate of a problem is the quantile u of Beta(a, b), whose mean is Q,
  and `SAMPLES` answers give pass@k without bias. As all k share one distribution of success rates,
  the inequalities between pass@k hold, those between estimates up to sampling error.

The sizes of the noise are those of the 33 public runs: `RUN_NOISE` and the correlation of questions
maximise the restricted likelihood of log(-log Q') of ten benchmarks about a quadratic in log C; a +
b of Beta(a, b) is from 0.2 to 0.6; ranks in code, sampled 200 times, are more alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.krajewski2025 import C4, RUNS
from ...theory.data.published import compute_counterparts
from ..data.scale import accuracy
from ..errors import outside, whole_number
from ..law import law as law_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pandas import DataFrame

    Floats = NDArray[np.float64]

#: The published params-tokens law of each benchmark.
LAWS = {str(law.label): law for law, _ in compute_counterparts()}
#: The number of questions: every public score of the benchmark is a whole number of them (for code,
#: of 200 samples each).
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
#: Runs trained on C4 alone have "random performance ... on code and math" (Section 5.1).
OFF_C4 = ("GSM8K", "HumanEval", "LBPP")
CODE = ("HumanEval", "LBPP")
SAMPLES, KS = 200, (1, 2, 4, 8, 16, 32, 64, 128)
RUN_NOISE = 0.02
#: The correlation between two runs of the normal scores of the ranks of a question that is answered
#: once, and of one that is sampled.
SHARED, SHARED_CODE = 0.5, 0.9
#: a + b of the Beta(a, b) of success rates.
CONCENTRATION = 0.4
#: The losses that a run reports, in nats per token: E, A, B and the one exponent of both terms. They
#: are within 0.8 % of c4 and dclm on the public runs, which lie near D/N = 20 and do not tell one
#: term from the other.
LOSSES = {"c4": (1.98, 253.0, 631.0, 0.305), "dclm": (1.57, 112.0, 240.0, 0.255)}
LOSS_NOISE = 0.002


def design() -> DataFrame:
    """The runs of Tables 7 to 9: run, params N, tokens D, compute C = 6 N D (FLOP) and dataset.

    >>> runs = design()
    >>> len(runs), runs.run[0], float(runs.compute[0])
    (195, '17.58B-357.4B', 3.77e+22)
    """
    import pandas as pd

    names = ["size", "compute", "count", "dataset"]
    printed = [(size, flops, count, sets.split(", ")) for size, flops, count, *_, sets in RUNS]
    runs = pd.DataFrame(printed, columns=names).explode("dataset", ignore_index=True)
    runs["compute"] = runs.compute.astype(float)
    runs["tokens"] = 1e9 * runs["count"].str.removesuffix("B").astype(float)
    runs["run"] = runs["size"] + "-" + runs["count"] + np.where(runs.dataset == C4, "-c4", "")
    again = runs.groupby("run").cumcount() + 1
    runs["run"] += [f"-{count}" if count > 1 else "" for count in again]
    runs["params"] = runs.compute / (6.0 * runs.tokens)
    return runs[["run", "params", "tokens", "compute", "dataset"]]


def simulate(*, seed: int = 0, benchmarks: Sequence[str] = tuple(PROBLEMS)) -> DataFrame:
    """Draw the scores of every run on every benchmark, some of `PROBLEMS`, and its losses: a frame of
    run, params, tokens, compute, dataset, benchmark, metric_type, score (accuracy or, for metric
    type "loss", nats per token) and random_baseline (NaN for a loss).

    The draws for a run and benchmark depend on the seed alone, not on the other benchmarks.

    >>> table = simulate(seed=1, benchmarks=["PIQA"])
    >>> len(table), table.benchmark[0], table.metric_type[0]
    (585, 'PIQA', 'acc_norm')
    """
    import pandas as pd

    whole_number("seed", seed, 0)
    if not benchmarks or not {*benchmarks} <= {*PROBLEMS}:
        raise outside("benchmarks", list(benchmarks), f"some of {', '.join(PROBLEMS)}")
    runs, parts = design(), list[tuple[str, str, Any, float]]()
    for index, name in enumerate(PROBLEMS):
        if name in benchmarks:
            found = _scores(name, runs, np.random.default_rng([seed, index]))
            chance = float(str(LAWS[name].random_baseline))
            parts += [(name, metric, score, chance) for metric, score in found.items()]
    for index, (name, (E, A, B, exponent)) in enumerate(LOSSES.items(), start=len(PROBLEMS)):
        z = np.random.default_rng([seed, index]).standard_normal(len(runs))
        loss = E + A * runs.params**-exponent + B * runs.tokens**-exponent
        parts.append((name, "loss", loss * np.exp(LOSS_NOISE * z), np.nan))
    names = ("benchmark", "metric_type", "score", "random_baseline")
    tables = [runs.assign(**dict(zip(names, part, strict=True))) for part in parts]
    return pd.concat(tables, ignore_index=True)


def true_accuracy(name: str, runs: DataFrame, factors: Any = 1.0) -> Floats:
    """The accuracy of the runs by the law of a benchmark, with -log Q' times `factors`, (M,)."""
    law, baseline = law_named(LAWS[name].name), float(str(LAWS[name].random_baseline))
    neg_log = factors * law.reducible_loss(runs.params.to_numpy(), runs.tokens.to_numpy())
    at_chance = (runs.dataset == C4) & (name in OFF_C4)
    return np.where(at_chance, baseline, accuracy(neg_log, baseline))


def _scores(name: str, runs: DataFrame, random: np.random.Generator) -> dict[str, Floats]:
    """The scores of runs that answer the questions of a benchmark, by metric."""
    from scipy.special import betaincinv, ndtr, ndtri

    from ..passk.estimator import pass_at_k

    code = name in CODE
    Q = true_accuracy(name, runs, np.exp(RUN_NOISE * random.standard_normal(len(runs))))
    # The rank in (0, 1) of every question in every run: even over questions, alike between runs.
    questions, shared = PROBLEMS[name], SHARED_CODE if code else SHARED
    common = ndtri((np.arange(questions) + 0.5) / questions)
    own = random.standard_normal((len(Q), questions))
    ranks = ndtr(np.sqrt(shared) * common + np.sqrt(1.0 - shared) * own)
    if not code:
        return {str(LAWS[name].metric_type): (ranks > 1.0 - Q[:, None]).mean(axis=1)}
    able, rates = Q > 0.0, np.zeros(ranks.shape)
    a, b = CONCENTRATION * Q[able, None], CONCENTRATION * (1.0 - Q[able, None])
    rates[able] = betaincinv(a, b, ranks[able])
    correct = random.binomial(SAMPLES, rates)
    return {f"pass@{k}": pass_at_k(SAMPLES, correct, k).mean(axis=1) for k in KS}
