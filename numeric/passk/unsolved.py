"""What a model without a success can still be: the least -log pass@k that its samples do not
exclude.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside, whole_number
from ..results import checked_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["least_neg_log"]


def least_neg_log(n: ArrayLike, k: int, *, level: float = 0.9) -> float:
    r"""The one-sided limit of -log pass@k where no sample of any problem is correct; it holds for
    whatever success rates.

    Parameters
    ----------
    n : array_like of whole numbers
        Samples of every problem, at least 1.
    k : int
        Any, below n or above.
    level : float
        Confidence.

    Returns
    -------
    float
        In nats: success rates with a smaller -log pass@k would have led to a success with a chance
        above `level`.

    Raises
    ------
    ValueError
        Where an argument is outside its domain.

    Notes
    -----
    No success has the chance exp(-sum_i n_i x_i) with x = -log(1 - p). Among the rates for which
    that is 1 - level, the mean of 1 - e^(-k x_i) is greatest where k x_i = max(0, t - log n_i): the
    least sampled problems are the likeliest to be solvable. For equal n it is 1 - (1 - level)^(k/(n
    P)) over P problems.

    Examples
    --------
    >>> round(least_neg_log([128] * 100, 1), 3)  # 12,800 samples: about log(12800/log 10)
    8.623
    """
    samples, draws = np.sort(_samples(n)), whole_number("k", k, 1)
    budget = -draws * np.log1p(-checked_level(level))
    logs = np.log(samples / samples[0])  # t less log n_1: digits are kept where n is large
    heights = (budget + np.cumsum(samples * logs)) / np.cumsum(samples)
    m = int(np.flatnonzero(heights > logs)[-1])  # so many of the least sampled have x > 0
    return float(-np.log(np.mean(-np.expm1(-np.maximum(heights[m] - logs, 0.0)))))


def _samples(n: Any) -> Floats:
    found = np.asarray(n, dtype=np.float64)
    if (
        found.ndim != 1
        or not found.size
        or not (np.isfinite(found) & (found >= 1.0) & (found == np.floor(found))).all()
    ):
        raise outside("n", n, "a list of whole numbers of at least 1")
    return found
