"""A law with the rows of a table that it may be fitted to and judged on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ..results import Band

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["SUBJECT", "Task", "without"]

#: What predictions are of, by what a table is of.
SUBJECT = {"runs": "", "counts": "k", "evaluations": "benchmark"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """A law to be fitted to some of n rows of a table and judged on others.

    Attributes
    ----------
    subject : str or int
        What the rows are of: a benchmark, or k of pass@k; "" for losses.
    law : str
    rows : Runs, Counts or Sample
        The table.
    fit : callable
        Rows to be fitted (n,), resamples -> the law fitted to them; ValueError with the reason
        where that is impossible.
    predict : callable
        A fit, rows (n,), level -> `Band`: predictions (m,), with the intervals of new rows.
    names : sequence of str
        (n,): of the rows.
    observed : ndarray
        (n,): a loss, -log pass@k, or an accuracy; NaN where nothing is observed.
    unobserved : sequence of str
        (n,): why; "" where something is. Empty where all rows are observed.
    covariates : dict of str to ndarray
        (n,) each: what cutoffs may be in.
    trainable, predictable : ndarray of bool
        (n,): which rows may be fitted, and which may be predicted.
    least : int
        The fewest rows that it is fitted to.
    held, grid : ndarray of bool or None
        (n,): the rows that a condition holds out; those whose values may be cutoffs, where these
        are to be the same for several laws.
    lacks : str
        Why the law cannot be fitted at all.
    counts_open : bool
        Whether the predictions of a fit count that leaves coefficients open.
    """

    subject: str | int
    law: str
    rows: Any
    fit: Callable[[Mask, int], Any]
    predict: Callable[[Any, Mask, float], Band]
    names: Sequence[str]
    observed: Floats
    covariates: Mapping[str, Floats]
    trainable: Mask
    predictable: Mask
    least: int
    unobserved: Sequence[str] = field(default=())
    held: Mask | None = None
    grid: Mask | None = None
    lacks: str = ""
    counts_open: bool = False


def without(law: str, missing: Sequence[str], needs: Sequence[str], source: str) -> ArgumentError:
    """The error for a law whose covariates are not known."""
    has = f"{source} has no {' and no '.join(missing)}"
    return ArgumentError("laws", law, complaint=f"{has}; the law needs {', '.join(needs)}")
