r"""Accuracy of a benchmark, and the negative logarithm of its normalised form that the laws
predict.

.. math:: Q' = \frac{Q - Q_r}{1 - Q_r}, \qquad y = -\log Q', \qquad Q = Q_r + (1 - Q_r) e^{-y},

where Q_r is the accuracy of guessing. Source: Krajewski et al. 2025, arXiv 2512.08894, equation 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import real_array
from ..errors import NONNEGATIVE, outside

BASELINE = "a number of at least 0 and below 1"


def accuracy(neg_log: Any, random_baseline: Any = 0.0) -> Any:
    """The accuracy Q = Q_r + (1 - Q_r) exp(-y) at y = -log Q' >= 0, a float or an array as `neg_log`
    is; a ValueError where y, or the accuracy of guessing in [0, 1), is outside its domain.

    >>> float(accuracy(0.0, 0.25))
    1.0
    """
    y = real_array("neg_log", neg_log, NONNEGATIVE).astype(np.float64)
    guess = real_array("random_baseline", random_baseline, BASELINE)
    _require("random_baseline", guess, BASELINE, (guess >= 0.0) & (guess < 1.0))
    _require("neg_log", y, NONNEGATIVE, np.isfinite(y) & (y >= 0.0))
    return (guess + (1.0 - guess) * np.exp(-y))[()]


def neg_log_accuracy(accuracy: Any, random_baseline: Any = 0.0) -> Any:
    """y = -log((Q - Q_r)/(1 - Q_r)) at accuracies Q in (Q_r, 1], as precise near 1 as 1 - Q, a float
    or an array as `accuracy` is; a ValueError outside that domain.

    >>> float(neg_log_accuracy(1.0, 0.25))
    0.0
    """
    domain = f"above random_baseline={random_baseline!r} and at most 1"
    Q = real_array("accuracy", accuracy, domain).astype(np.float64)
    guess = real_array("random_baseline", random_baseline, BASELINE)
    _require("random_baseline", guess, BASELINE, (guess >= 0.0) & (guess < 1.0))
    _require("accuracy", Q, domain, (guess < Q) & (Q <= 1.0))
    missing, normalised = (1.0 - Q) / (1.0 - guess), (Q - guess) / (1.0 - guess)
    with np.errstate(divide="ignore"):  # each form where its argument is exact to rounding
        logs = np.where(missing < 0.5, np.log1p(-missing), np.log(normalised))
    return (0.0 - logs)[()]


def _require(name: str, values: Any, domain: str, inside: Any) -> None:
    """Raise for the first value that is outside the domain."""
    if not np.all(inside):
        raise outside(name, float(np.broadcast_to(values, np.shape(inside))[~inside][0]), domain)
