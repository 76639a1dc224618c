r"""Accuracy of a benchmark, and the negative logarithm of its normalised form that the laws
predict.

.. math:: Q' = \frac{Q - Q_r}{1 - Q_r}, \qquad y = -\log Q', \qquad Q = Q_r + (1 - Q_r) e^{-y},

where Q_r is the accuracy of guessing. Source: Krajewski et al. 2025, arXiv 2512.08894, equation 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import NONNEGATIVE, number, outside

if TYPE_CHECKING:
    from collections.abc import Callable

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
    import numpy as np

    baseline = _baseline(random_baseline)
    y = _array("neg_log", neg_log, lambda y: np.isfinite(y) & (y >= 0.0), NONNEGATIVE)
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
    import numpy as np

    baseline = _baseline(random_baseline)
    domain = f"above random_baseline={random_baseline!r} and at most 1"
    values = _array("accuracy", accuracy, lambda Q: (baseline < Q) & (Q <= 1.0), domain)
    missing, normalised = (1.0 - values) / (1.0 - baseline), (values - baseline) / (1.0 - baseline)
    near_one = missing < 0.5
    # Each branch where its argument is exact to rounding, the other one at a harmless value.
    y = -np.where(
        near_one,
        np.log1p(-np.where(near_one, missing, 0.0)),
        np.log(np.where(near_one, 1.0, normalised)),
    )
    return _like(accuracy, y)


def checked_baseline(name: str, value: Any) -> float:
    """Accuracy of guessing, or a ValueError where it is outside [0, 1)."""
    baseline = number(name, value, BASELINE)
    if not 0.0 <= baseline < 1.0:
        raise outside(name, value, BASELINE)
    return baseline


def _baseline(value: Any) -> Any:
    if hasattr(value, "__len__") and not isinstance(value, str):
        return _array("random_baseline", value, lambda Q: (Q >= 0.0) & (Q < 1.0), BASELINE)
    return checked_baseline("random_baseline", value)


def _like(given: Any, values: Any) -> Any:
    """The values, a number where a number was given."""
    return float(values) if isinstance(given, (int, float)) and not values.ndim else values


def _array(name: str, value: Any, allowed: Callable[[Any], Any], domain: str) -> Any:
    """The values as floats, or an error for the first that is not allowed."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise outside(name, value, "real numbers")
    values = array.astype(np.float64)
    fine = allowed(values)
    if not fine.all():
        at = tuple(np.argwhere(~fine)[0].tolist())
        where = f"{name}[{', '.join(map(str, at))}]" if at else name
        raise outside(where, float(np.broadcast_to(values, fine.shape)[at]), domain)
    return values
