r"""Accuracy of a benchmark, and the negative logarithm of its normalised form that the laws
predict.

.. math:: Q' = \frac{Q - Q_r}{1 - Q_r}, \qquad y = -\log Q', \qquad Q = Q_r + (1 - Q_r) e^{-y},

where Q_r is the accuracy of guessing. Source: Krajewski et al. 2025, arXiv 2512.08894, equation 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import real_array
from ..errors import NONNEGATIVE, outside

__all__ = ["accuracy", "checked_baseline", "neg_log_accuracy"]

BASELINE = "a number of at least 0 and below 1"


def accuracy(neg_log: Any, random_baseline: Any = 0.0) -> Any:
    r"""Accuracy at a negative log normalised accuracy: Q = Q_r + (1 - Q_r) exp(-y).

    Parameters
    ----------
    neg_log : float or array_like
        y = -log Q'; 1, >= 0.
    random_baseline : float or array_like
        Accuracy of guessing Q_r; 1, in [0, 1). It broadcasts against ``neg_log``.

    Returns
    -------
    float or ndarray
        Accuracy on the raw scale, from Q_r to 1; of the shape of ``neg_log``.

    Raises
    ------
    ValueError
        Where an argument is outside its domain.

    Examples
    --------
    >>> accuracy(0.0, 0.25)
    1.0
    """
    baseline = _baselines("random_baseline", random_baseline)
    y = _checked("neg_log", neg_log, NONNEGATIVE, lambda y: np.isfinite(y) & (y >= 0.0))
    return _like(neg_log, baseline + (1.0 - baseline) * np.exp(-y))


def neg_log_accuracy(accuracy: Any, random_baseline: Any = 0.0) -> Any:
    r"""Negative log normalised accuracy: y = -log((Q - Q_r)/(1 - Q_r)).

    Parameters
    ----------
    accuracy : float or array_like
        Accuracy Q on the raw scale; 1, in (Q_r, 1]. At or below Q_r the logarithm does not exist.
    random_baseline : float or array_like
        Accuracy of guessing Q_r; 1, in [0, 1). It broadcasts against ``accuracy``.

    Returns
    -------
    float or ndarray
        y >= 0, of the shape of ``accuracy``. Near Q = 1 it is as precise as 1 - Q.

    Raises
    ------
    ValueError
        Where an argument is outside its domain.

    Examples
    --------
    >>> neg_log_accuracy(1.0, 0.25)
    0.0
    """
    baseline = _baselines("random_baseline", random_baseline)
    domain = f"above random_baseline={random_baseline!r} and at most 1"
    Q = _checked("accuracy", accuracy, domain, lambda Q: (baseline < Q) & (Q <= 1.0))
    missing, normalised = (1.0 - Q) / (1.0 - baseline), (Q - baseline) / (1.0 - baseline)
    # Each branch where its argument is exact to rounding, the other one at a harmless value.
    near_one = missing < 0.5
    of_missing = np.log1p(-np.where(near_one, missing, 0.0))
    return _like(
        accuracy, -np.where(near_one, of_missing, np.log(np.where(near_one, 1.0, normalised)))
    )


def checked_baseline(name: str, value: Any) -> float:
    """Accuracy of guessing, or a ValueError where it is no number in [0, 1)."""
    if np.ndim(value):
        raise outside(name, value, BASELINE)
    return float(_baselines(name, value))


def _baselines(name: str, value: Any) -> Any:
    return _checked(name, value, BASELINE, lambda baseline: (baseline >= 0.0) & (baseline < 1.0))


def _checked(name: str, value: Any, domain: str, inside: Callable[[Any], Any]) -> Any:
    """The value as an array of float64; an error for the first one that is outside the domain."""
    values = real_array(name, value, domain).astype(np.float64)
    bad = ~inside(values)
    if bad.any():
        at = tuple(np.argwhere(bad)[0].tolist())
        where = f"{name}[{', '.join(map(str, at))}]" if at else name
        raise outside(where, float(np.broadcast_to(values, bad.shape)[at]), domain)
    return values


def _like(given: Any, values: Any) -> Any:
    """The values, a number where a number was given."""
    return float(values) if isinstance(given, (int, float)) and not values.ndim else values
