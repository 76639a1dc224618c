"""What a ratio of tokens to params costs against the optimal one, in loss and in downstream error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import positive_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..law import Law

    Floats = NDArray[np.float64]

__all__ = ["Cost", "beyond", "costs_at", "doubts_of"]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a ratio of tokens to params costs against the optimal one at the same compute.

    Attributes
    ----------
    compute, tokens_per_param, params, tokens : float
    loss, extra_loss : float
        L, and L - L*(C).
    penalty : float
        (L - E)/(L* - E).
    lost_compute : float
        Share of the compute that the optimal ratio would save at the same loss.
    error, extra_error : float or None
        1 - Q, and what it exceeds that of the optimal ratio by; None without a law of error.
    extra_loss_interval, lost_compute_interval, extra_error_interval : tuple of float or None
        From resamples; None without these. Where the interval of M* holds the ratio, at which these are 0, the first end is 0
        and the second the quantile at the level (`bounds.upper_bound`).
    """

    compute: float
    tokens_per_param: float
    params: float
    tokens: float
    loss: float
    extra_loss: float
    penalty: float
    lost_compute: float
    error: float | None
    extra_error: float | None
    extra_loss_interval: tuple[float, float] | None = None
    lost_compute_interval: tuple[float, float] | None = None
    extra_error_interval: tuple[float, float] | None = None

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return dict(self.__dict__)


def costs_at(
    law: Law, error: Callable[[float], float] | None, compute: float, tokens_per_param: Sequence[float] | Floats
) -> tuple[Cost, ...]:
    """The costs of ratios at one compute (FLOP) by a law of loss and, if there is one, the error at a loss."""
    best = float(law.envelope.tokens_per_param(1.0))
    ratios = np.atleast_1d(positive_array("tokens_per_param", tokens_per_param))
    optimal_loss = float(law.envelope.loss(compute))
    reducible = float(law.envelope.reducible_loss(compute))
    optimal_error = None if error is None else error(optimal_loss)
    found = []
    for ratio in ratios.tolist():
        penalty = law.penalty(ratio=ratio / best)
        extra = float(penalty.excess) * reducible
        own = None if error is None else error(optimal_loss + extra)
        found.append(
            Cost(
                compute=float(compute),
                tokens_per_param=ratio,
                params=float(formulas.ray_params(float(compute), ratio)),
                tokens=float(formulas.ray_tokens(float(compute), ratio)),
                loss=optimal_loss + extra,
                extra_loss=extra,
                penalty=float(penalty.loss_penalty),
                lost_compute=float(penalty.lost_compute),
                error=own,
                extra_error=None if own is None or optimal_error is None else own - optimal_error,
            )
        )
    return tuple(found)


def beyond(errors: Sequence[float | None]) -> str:
    """What to say where a law of error foretells less than 0 or more than 1; else nothing.

    >>> beyond([0.2, None, -0.1])
    'law of error: 1 of 2 errors that it foretells are outside 0 to 1: it does not reach so far'
    """
    known = [each for each in errors if each is not None]
    wrong = sum(not 0.0 <= each <= 1.0 for each in known)
    what = "errors that it foretells are outside 0 to 1: it does not reach so far"
    return f"law of error: {wrong} of {len(known)} {what}" if wrong else ""


def doubts_of(costs: Sequence[Cost]) -> tuple[str, ...]:
    """What speaks against costs: errors, their own or those of the optimal ratio, that no law can foretell."""
    optimal = [each.error - each.extra_error for each in costs if each.error is not None and each.extra_error is not None]
    doubt = beyond([*(each.error for each in costs), *optimal])
    return (doubt,) if doubt else ()
