"""The accuracy of guessing on each benchmark: given, estimated from small runs, from the table, or
known from the metric.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.metrics import guessing_scores_nothing
from ..errors import ArgumentError, nonnegative_number, number, outside
from ..words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations

    Floats = NDArray[np.float64]

__all__ = ["Baseline", "resolve"]

DOMAIN = "a number of at least 0 and below 1"


@dataclass(frozen=True)
class Baseline:
    """Accuracy of guessing on a benchmark.

    Attributes
    ----------
    value : float
        Q_r, in [0, 1).
    standard_error : float
        At least 0; 0 where the value is known.
    how : str
        The source of the value.
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
        _share("margin", self.margin or 0.0)
        nonnegative_number("standard_error", self.standard_error)

    def __str__(self) -> str:
        error = f" +- {self.standard_error:.2g}" if self.standard_error else ""
        return f"{self.value:.4g}{error} ({self.how})"


def resolve(
    evaluations: Evaluations,
    given: float | Mapping[str, float] | None = None,
    small: str | None = None,
    *,
    benchmarks: Collection[str] | None = None,
) -> dict[str, Baseline]:
    r"""The accuracy of guessing for every key of the evaluations.

    The first of these that is known: the given value; the mean of small runs, with standard error
    s/sqrt(n) (not for metrics of free text, where guessing scores 0 and small runs score by skill);
    the column of the table; 0 for metrics of free text (exact match, pass@k). It is never guessed.

    Parameters
    ----------
    evaluations : Evaluations
    given : float or mapping, optional
        One value for all, in [0, 1), or a value for each key.
    small : str, optional
        Condition on runs so small that they guess, such as ``"compute < 1e17"``; it must hold for
        at least 2 runs of each benchmark.
    benchmarks : collection of str, optional
        The keys wanted, each with its pass@k; by default all. `given` may name others as well.

    Raises
    ------
    ValueError
        Where the accuracy of guessing is not known, a value is outside [0, 1), a name is no
        benchmark, fewer than 2 runs are small, or no run exceeds the baseline.
    """
    wanted = evaluations if benchmarks is None else evaluations.only(list(benchmarks))
    if given is None or isinstance(given, Mapping):
        for key in given or {}:
            evaluations.require(key, "random_baseline")
        shares = {key: _share(f"random_baseline of {key!r}", x) for key, x in (given or {}).items()}
        known = {key: Baseline(share) for key, share in shares.items()}
    else:
        known = dict.fromkeys(evaluations.scores, Baseline(_share("random_baseline", given)))
    guesses = None if small is None else wanted.mask(small, "small")
    resolved: dict[str, Baseline] = {}
    for key, scores in wanted.scores.items():
        found = known.get(key) or _estimated(wanted, key, small, guesses)
        measured = scores[~np.isnan(scores)]
        if key in wanted.benchmarks and len(measured) and measured.max() <= found.value:
            complaint = (
                f"none of {counted(len(measured), 'run')} of {wanted.source} is above the random "
                f"baseline {found}; the highest accuracy is {measured.max():.6g}"
            )
            raise ArgumentError("benchmark", key, complaint=complaint)
        resolved[key] = found
    return resolved


def _estimated(evaluations: Evaluations, key: str, small: str | None, guesses: Any) -> Baseline:
    """The baseline from small runs, from the table, or known from the metric."""
    metric, of_table = evaluations.metric_types.get(key), evaluations.table_baselines.get(key)
    is_free_text, runs = guessing_scores_nothing(metric), 0
    if guesses is not None and not is_free_text:
        scores = evaluations.scores[key][guesses]
        scores = scores[~np.isnan(scores)]
        runs = len(scores)
        if runs > 1:
            error = float(scores.std(ddof=1)) / runs**0.5
            return Baseline(float(scores.mean()), error, f"mean of {runs} runs with {small}")
    if of_table is not None:
        return Baseline(of_table, how="from the table")
    if is_free_text:
        return Baseline(0.0, how=f"0 for {metric}")
    if guesses is not None:
        few = f"{counted(runs, 'run')} with a score of {key!r} in {evaluations.source}"
        raise ArgumentError("small", small, complaint=f"leaves {few}; must be at least 2")
    by = f" ({metric})" if metric else ""
    raise ArgumentError(
        "random_baseline",
        complaint=f"that of {key!r}{by} in {evaluations.source} is not known; give the share that "
        f"guessing gets right (--random-baseline {key}=VALUE), or estimate it from runs that guess "
        f"(--small-runs 'compute < 1e17')",
    )


def _share(name: str, value: Any) -> float:
    share = number(name, value, DOMAIN)
    if not 0.0 <= share < 1.0:
        percent = " (divide percentages by 100)" if 1.0 < share <= 100.0 else ""
        raise outside(name, value, f"{DOMAIN}{percent}")
    return share
