"""The accuracy of guessing on each benchmark: given, from the table, estimated from small runs, or
known from the metric.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..data.columns import plain
from ..data.metrics import guessing_scores_nothing
from ..errors import NONNEGATIVE, ArgumentError, number, outside, whole_number
from ..words import counted, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations

    Floats = NDArray[np.float64]

__all__ = ["PUBLISHED", "Baseline", "resolve"]

DOMAIN = "a number of at least 0 and below 1"
#: What a user writes for the values of Krajewski et al. 2025, Table 11.
PUBLISHED = "krajewski2025"
#: What others call the benchmarks of that table: label -> names without case and punctuation.
ALIASES = {
    "ARC-E": ("arce", "arceasy", "ai2arceasy"),
    "ARC-C": ("arcc", "arcchallenge", "ai2arcchallenge"),
    "SciQ": ("sciq",),
    "PIQA": ("piqa",),
    "HellaSwag": ("hellaswag",),
    "Winogrande": ("winogrande",),
    "WebQS": ("webqs", "webquestions"),
    "TriviaQA": ("triviaqa",),
    "LAMBADA": ("lambada", "lambadaopenai"),
    "GSM8K": ("gsm8k", "gsm8kcot", "gsm8kcotllama"),
    "HumanEval": ("humaneval", "humanevalpy"),
    "LBPP": ("lbpp", "lbpppy"),
}
#: Other margins of that paper than the usual one (Appendix M: else too few runs are left).
MARGINS = {"LBPP": 0.02}
#: How a benchmark's name may go on.
ENDINGS = ("0shot", "1shot", "3shot", "5shot", "8shot", "10shot", "zeroshot")


@dataclass(frozen=True)
class Baseline:
    """Accuracy of guessing on a benchmark.

    Attributes
    ----------
    value : float
        Q_r, in [0, 1).
    standard_error : float
        0 where it is known; >= 0.
    how : str
        Where it comes from.
    margin : float or None
        By how much accuracy must exceed it for a run to be fitted, where the source uses another
        margin than the laws' usual one; in [0, 1).
    """

    value: float
    standard_error: float = 0.0
    how: str = "given"
    margin: float | None = None

    def __post_init__(self) -> None:
        _share("value", self.value)
        if self.margin is not None:
            _share("margin", self.margin)
        if number("standard_error", self.standard_error, NONNEGATIVE) < 0.0:
            raise outside("standard_error", self.standard_error, NONNEGATIVE)

    def draws(self, K: int, generator: np.random.Generator) -> Floats:
        """K values that it may have as well, (K,), in [0, 1).

        From the normal distribution about the value with its standard error, cut to [0, 1). (To
        draw the small runs anew instead would make the spread of a mean of n runs too small, by (n
        - 1)/n in its variance, and n is often below ten.)

        Examples
        --------
        >>> Baseline(0.25).draws(2, np.random.default_rng(0)).tolist()
        [0.25, 0.25]
        """
        K = whole_number("K", K, 0)
        if self.standard_error == 0.0:
            return np.full(K, float(self.value))
        from scipy.special import ndtr, ndtri

        with np.errstate(over="ignore"):  # at a tiny error the ends are infinitely far
            low, high = ndtr((np.array([0.0, 1.0]) - self.value) / self.standard_error)
        drawn = self.value + self.standard_error * ndtri(generator.uniform(low, high, K))
        # The ends are cut once more: the inverse is exact to rounding only.
        return np.asarray(np.minimum(np.maximum(drawn, 0.0), np.nextafter(1.0, 0.0)))

    def __str__(self) -> str:
        error = f" +- {self.standard_error:.2g}" if self.standard_error else ""
        return f"{self.value:.4g}{error} ({self.how})"


def resolve(
    evaluations: Evaluations,
    given: float | Mapping[str, float] | str | None = None,
    small: str | None = None,
    *,
    benchmarks: Collection[str] | None = None,
) -> dict[str, Baseline]:
    r"""The accuracy of guessing of every key of the evaluations.

    The first that there is of: what is given; the mean of small runs, with standard error s/sqrt(n)
    (not for metrics of free text, where guessing scores 0 and what small runs score is skill); the
    table's own column; 0 for metrics of free text (exact match, pass@k). None is ever guessed.

    Parameters
    ----------
    evaluations : Evaluations
    given : float, mapping or "krajewski2025", optional
        One value for all, in [0, 1); or key -> value; or the values of Krajewski et al. 2025 (arXiv
        2512.08894, Table 11) for the benchmarks that are there under a usual name and by the same
        metric, with the paper's margin (Appendix M: 0.02 for LBPP).
    small : str, optional
        Condition on runs so small that they guess, such as ``"compute < 1e17"``; at least 2 for
        each benchmark.
    benchmarks : collection of str, optional
        The keys to find it for, each with its pass@k; by default all. `given` may name others as
        well.

    Returns
    -------
    dict of str to Baseline

    Raises
    ------
    ValueError
        Naming the benchmark: where none of these tells, a value is outside [0, 1), a name is no
        benchmark, fewer than 2 runs are small, or no run exceeds the baseline.
    """
    wanted = evaluations if benchmarks is None else evaluations.only(list(benchmarks))
    of_given = _given(evaluations, given)
    of_small = {} if small is None else _estimates(wanted, small)
    resolved: dict[str, Baseline] = {}
    for key in wanted.scores:
        metric, of_table = wanted.metric_types.get(key), wanted.table_baselines.get(key)
        if key in of_given or key in of_small:
            resolved[key] = of_given.get(key) or of_small[key]
        elif of_table is not None:
            resolved[key] = Baseline(of_table, how="from the table")
        elif guessing_scores_nothing(metric):
            resolved[key] = Baseline(0.0, how=f"0 for {metric}")
        else:
            by = f" ({metric})" if metric else ""
            raise ArgumentError(
                "random_baseline",
                complaint=f"that of {key!r}{by} in {wanted.source} is not known; give the share "
                f"that guessing gets right (--random-baseline {key}=VALUE), or estimate it from "
                f"runs that guess (--small-runs 'compute < 1e17')",
            )
    for key in wanted.benchmarks:
        scores = wanted.scores[key][~np.isnan(wanted.scores[key])]
        if len(scores) and not (scores > resolved[key].value).any():
            complaint = (
                f"none of {counted(len(scores), 'run')} of {wanted.source} is above the random "
                f"baseline {resolved[key]}; the highest accuracy is {float(scores.max()):.6g}"
            )
            raise ArgumentError("benchmark", key, complaint=complaint)
    return resolved


def _label(benchmark: str) -> str:
    """What the paper calls a benchmark; "" where it is not there."""
    bare = plain(benchmark)
    stems = [bare, *(bare.removesuffix(ending) for ending in ENDINGS if bare.endswith(ending))]
    return next(
        (label for label, names in ALIASES.items() if any(stem in names for stem in stems)), ""
    )


@cache
def _table_11() -> dict[str, tuple[str, float]]:
    """Label -> metric and Q_random."""
    from ...theory.data.published import LAWS

    laws = [law for law in LAWS.values() if law.family == f"{PUBLISHED}-compute"]
    return {str(law.label): (str(law.metric_type), float(str(law.random_baseline))) for law in laws}


def _given(evaluations: Evaluations, given: Any) -> dict[str, Baseline]:
    """By what the caller says."""
    if given is None:
        return {}
    if given == PUBLISHED:
        return _published(evaluations)
    if isinstance(given, str):
        raise ArgumentError("random_baseline", given, f"{DOMAIN}, or {PUBLISHED!r}")
    if not isinstance(given, Mapping):
        return dict.fromkeys(evaluations.scores, Baseline(_share("random_baseline", given)))
    for key in given:
        if key not in evaluations.scores:
            several = [name for name in evaluations.scores if evaluations.benchmark_of(name) == key]
            hint = "" if several else close_matches(key, evaluations.scores)
            complaint = (
                f"{key!r} is no benchmark of {evaluations.source}{hint}; name one of "
                f"{listed(several or evaluations.benchmarks)}"
            )
            raise ArgumentError("random_baseline", {key: given[key]}, complaint=complaint)
    return {
        key: Baseline(_share(f"random_baseline of {key!r}", value)) for key, value in given.items()
    }


def _share(name: str, value: Any) -> float:
    share = number(name, value, DOMAIN)
    if not 0.0 <= share < 1.0:
        percent = " (divide percentages by 100)" if 1.0 < share <= 100.0 else ""
        raise outside(name, value, f"{DOMAIN}{percent}")
    return share


def _published(evaluations: Evaluations) -> dict[str, Baseline]:
    """Those of the paper, where the metric is the same."""
    found = {}
    for key in evaluations.scores:
        label = _label(evaluations.benchmark_of(key))
        own, value = _table_11().get(label, ("", 0.0))
        metric = evaluations.metric_types.get(key, own) or own
        if label and plain(metric.partition(",")[0]) == plain(own):
            how = "Krajewski et al. 2025, Table 11"
            found[key] = Baseline(value, how=how, margin=MARGINS.get(label))
    return found


def _estimates(evaluations: Evaluations, small: str) -> dict[str, Baseline]:
    """The means of small runs, but for metrics of free text."""
    mask = evaluations.mask(small, "small")
    baselines: dict[str, Baseline] = {}
    for key, values in evaluations.scores.items():
        scores = values[mask & ~np.isnan(values)]
        few_but_known = len(scores) < 2 and key in evaluations.table_baselines
        if few_but_known or guessing_scores_nothing(evaluations.metric_types.get(key)):
            continue
        if len(scores) < 2:
            runs = f"{counted(len(scores), 'run')} with a score of {key!r} in {evaluations.source}"
            raise ArgumentError("small", small, complaint=f"leaves {runs}; must be at least 2")
        mean, spread = float(scores.mean()), float(scores.std(ddof=1))
        if not mean < 1.0:
            complaint = f"the small runs have accuracy {mean!r} on {key!r}; must be below 1"
            raise ArgumentError("small", small, complaint=complaint)
        how = f"mean of {len(scores)} runs with {small}"
        baselines[key] = Baseline(mean, spread / float(np.sqrt(len(scores))), how)
    return baselines
