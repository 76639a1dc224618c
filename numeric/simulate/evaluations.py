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

Measured on the 33 public runs: `run_noise` and the correlation of questions maximise the restricted
likelihood of log(-log Q') of ten benchmarks about a quadratic in log C: 0.021 and 0.44, or 0.022 at
0.5. (Weakly: the log-likelihood is 0.7 lower for questions that are independent between runs, with
0.016. But the scores of five benchmarks scatter less than independent answers would.) One Beta(a,
b) describes the public pass@k for all k, with a + b of 0.2 to 0.6 without much of a trend. Code is
sampled 200 times, luck averages out, and ranks are more alike between runs: 0.9 gives the scatter
of pass@1, 0.03 to 0.05.
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
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations

    Floats = NDArray[np.float64]

__all__ = [
    "DATASETS",
    "KS",
    "LAWS",
    "METRIC_TYPES",
    "PROBLEMS",
    "RUN_NOISE",
    "SAMPLES",
    "SimulatedEvaluations",
    "SimulatedRuns",
    "design",
    "simulate",
]

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
DATASETS = (MIXTURE, C4)
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
FLOP_PER_PARAM_AND_TOKEN = 6.0


# -- the runs --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulatedRuns:
    """M runs: different names, params N, tokens D, compute C = 6 N D (FLOP) and data set, (M,)
    each.
    """

    run: Any
    params: Floats
    tokens: Floats
    compute: Floats
    dataset: Any

    def __len__(self) -> int:
        return len(self.run)

    def subset(self, index: Any) -> SimulatedRuns:
        """The runs at a mask or at indices."""
        return SimulatedRuns(**{name: values[index] for name, values in vars(self).items()})


def design() -> SimulatedRuns:
    """The runs of Tables 7 to 9, then the small ones.

    Examples
    --------
    >>> runs = design()
    >>> len(runs), runs.run[0], float(runs.compute[0])
    (205, '17.58B-357.4B', 3.77e+22)
    """
    rows: list[tuple[str, float, float, str]] = []
    names: Counter[str] = Counter()
    for size, flops, count, _, _, _, trained_on in RUNS:
        for dataset in trained_on.split(", "):
            name = f"{size}-{count}{'-c4' if dataset == C4 else ''}"
            names[name] += 1
            again = f"-{names[name]}" if names[name] > 1 else ""
            tokens = 1e9 * float(count.removesuffix("B"))
            rows.append((f"{name}{again}", float(flops), tokens, dataset))
    for i, budget in enumerate(np.geomspace(SMALLEST, LARGEST_SMALL, SMALL_RUNS).tolist(), start=1):
        tokens = (SMALL_RATIO * budget / FLOP_PER_PARAM_AND_TOKEN) ** 0.5
        rows.append((f"small-{i}", budget, tokens, MIXTURE))
    run, C, D, trained = (np.array(column) for column in zip(*rows, strict=True))
    params = C / (FLOP_PER_PARAM_AND_TOKEN * D)
    return SimulatedRuns(
        run=run.astype(object), params=params, tokens=D, compute=C, dataset=trained.astype(object)
    )


# -- what comes out --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulatedEvaluations:
    """Simulated evaluations with the truth that they come from.

    Attributes
    ----------
    design : SimulatedRuns
        M runs.
    scores : dict of (str, str) to ndarray
        (benchmark, metric type) -> (M,) accuracy or, for metric type "loss", nats per token; NaN
        where there is none.
    baselines : dict of str to float
        Benchmark -> accuracy of guessing.
    """

    design: SimulatedRuns
    scores: dict[tuple[str, str], Floats]
    baselines: dict[str, float]

    def columns(self) -> dict[str, list[Any]]:
        """A row a run and score: run, params, tokens, compute, dataset, benchmark, metric_type,
        score, random_baseline.

        A loss has no accuracy of guessing: None.
        """
        known = {key: np.flatnonzero(np.isfinite(values)) for key, values in self.scores.items()}
        keys = [key for key, runs in known.items() for _ in runs]
        runs = np.concatenate(list(known.values()))
        held = {name: values[runs].tolist() for name, values in vars(self.design).items()}
        scores = np.concatenate([self.scores[key][runs] for key, runs in known.items()])
        return held | {
            "benchmark": [benchmark for benchmark, _ in keys],
            "metric_type": [metric for _, metric in keys],
            "score": scores.tolist(),
            "random_baseline": [self.baselines.get(benchmark) for benchmark, _ in keys],
        }

    def evaluations(self) -> Evaluations:
        """The same as `Evaluations.read` of `columns` gives."""
        from ..data.evaluations import Evaluations

        return Evaluations.read(self.columns())


def simulate(
    *,
    seed: int = 0,
    benchmarks: Sequence[str] | None = None,
    datasets: Sequence[str] = DATASETS,
    small_runs: bool = False,
    run_noise: float = RUN_NOISE,
    exact: bool = False,
) -> SimulatedEvaluations:
    """Draw the scores of every run on every benchmark, and its losses.

    What is drawn for a run and benchmark depends on the seed alone, not on which others are asked
    for.

    Parameters
    ----------
    seed : int
        At least 0.
    benchmarks : sequence of str, optional
        Some of `PROBLEMS`; by default all.
    datasets : sequence of str
        Runs on these alone.
    small_runs : bool
        Whether to add ten runs from which the accuracy of guessing can be estimated. They report no
        loss. Leave them out of fits of laws that take all runs.
    run_noise : float
        Standard deviation of log(-log Q') from run to run, >= 0.
    exact : bool
        The scores that the laws give, without any noise.

    Returns
    -------
    SimulatedEvaluations

    Raises
    ------
    ValueError
        Where an argument is outside its domain.

    Examples
    --------
    >>> simulated = simulate(seed=1, benchmarks=["PIQA"])
    >>> table = simulated.columns()
    >>> len(table["score"]), table["benchmark"][0], table["metric_type"][0]
    (585, 'PIQA', 'acc_norm')
    """
    whole_number("seed", seed, 0)
    chosen = _chosen("benchmarks", benchmarks, PROBLEMS)
    trained_on = _chosen("datasets", datasets, DATASETS)
    spread = nonnegative_number("run_noise", run_noise)
    runs = design()
    scores: dict[tuple[str, str], Floats] = {}
    for index, name in enumerate(PROBLEMS):
        if name in chosen:
            truth, random = _Benchmark(name, runs), np.random.default_rng([seed, index])
            scores |= truth.expected() if exact else truth.drawn(spread, random)
    for index, name in enumerate(LOSSES):
        z = np.random.default_rng([seed, len(PROBLEMS) + index]).standard_normal(len(runs))
        scores[name, "loss"] = _loss(name, runs) * np.exp(0.0 if exact else LOSS_NOISE * z)
    kept = np.isin(runs.dataset, trained_on) & (small_runs | (runs.compute > LARGEST_SMALL))
    return SimulatedEvaluations(
        design=runs.subset(kept),
        scores={key: values[kept] for key, values in scores.items()},
        baselines={name: float(str(LAWS[name].random_baseline)) for name in chosen},
    )


# -- one benchmark ---------------------------------------------------------------------------------


class _Benchmark:
    """The truth of one benchmark at the runs, and scores drawn from it."""

    def __init__(self, name: str, runs: SimulatedRuns) -> None:
        self.name, self.problems, self.metric_type = name, PROBLEMS[name], METRIC_TYPES[name]
        self.baseline = float(str(LAWS[name].random_baseline))
        self.neg_log = np.asarray(
            law_named(LAWS[name].name).reducible_loss(runs.params, runs.tokens)
        )
        self.at_chance = (runs.dataset == C4) & (name in OFF_C4)

    def expected(self) -> dict[tuple[str, str], Floats]:
        """Accuracy by the law; pass@k of the Beta(a, b) behind it."""
        Q = self._accuracy(self.neg_log)
        if self.name not in CODE:
            return {(self.name, self.metric_type): Q}
        from ..passk.beta import beta_pass

        found = np.zeros((len(Q), len(KS)))
        able = Q > 0.0
        a, b = _shapes(Q[able, None])
        found[able] = beta_pass(a, b, np.array(KS))
        return {(self.name, f"pass@{k}"): found[:, i] for i, k in enumerate(KS)}

    def drawn(self, spread: float, random: np.random.Generator) -> dict[tuple[str, str], Floats]:
        """Scores of runs that answer the questions."""
        with np.errstate(over="ignore"):
            neg_log = self.neg_log * np.exp(spread * random.standard_normal(len(self.neg_log)))
        if not np.isfinite(neg_log).all():
            raise outside("run_noise", spread, "so small that every -log Q' is finite")
        Q = self._accuracy(neg_log)
        ranks = _ranks(len(Q), self.problems, SHARED_CODE if self.name in CODE else SHARED, random)
        if self.name not in CODE:
            return {(self.name, self.metric_type): (ranks > 1.0 - Q[:, None]).mean(axis=1)}
        from ..passk.estimator import pass_at_k

        correct = random.binomial(SAMPLES, _rates(Q, ranks))
        return {(self.name, f"pass@{k}"): pass_at_k(SAMPLES, correct, k).mean(axis=1) for k in KS}

    def _accuracy(self, neg_log: Floats) -> Floats:
        return np.where(self.at_chance, self.baseline, accuracy(neg_log, self.baseline))


def _ranks(runs: int, problems: int, shared: float, random: np.random.Generator) -> Floats:
    """Ranks in (0, 1) of every question in every run, (M, P): even over the questions, and alike
    between runs.
    """
    from scipy.special import ndtr, ndtri

    common = ndtri((np.arange(problems) + 0.5) / problems)
    own = random.standard_normal((runs, problems))
    found: Floats = ndtr(np.sqrt(shared) * common + np.sqrt(1.0 - shared) * own)
    return found


def _shapes(Q: Floats) -> tuple[Floats, Floats]:
    """a, b of the success rates of code, whose mean a/(a + b) is Q."""
    return CONCENTRATION * Q, CONCENTRATION * (1.0 - Q)


def _rates(Q: Floats, ranks: Floats) -> Floats:
    """Success rates (M, P): quantiles of Beta(a, b); 0 for a run that solves nothing."""
    from scipy.special import betaincinv

    found, able = np.zeros(ranks.shape), Q > 0.0
    a, b = _shapes(Q[able, None])
    found[able] = betaincinv(a, b, ranks[able])
    return found


def _loss(name: str, runs: SimulatedRuns) -> Floats:
    """E + A N^-b + B D^-b; NaN for the small runs."""
    E, A, B, exponent = LOSSES[name]
    truth = Law(E=E, A=A, B=B, beta=exponent, gamma=exponent)
    return np.where(runs.compute > LARGEST_SMALL, truth.loss(runs.params, runs.tokens), np.nan)


def _chosen(
    argument: str, names: Sequence[str] | None, known: Mapping[str, Any] | Sequence[str]
) -> tuple[str, ...]:
    wanted = tuple(known) if names is None else (names,) if isinstance(names, str) else tuple(names)
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise outside(argument, unknown[0] if unknown else names, f"some of {', '.join(known)}")
    return wanted
