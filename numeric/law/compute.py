"""The formulas of a compute law, L = E + C0 C^-alpha: the loss as a function of training compute."""

from __future__ import annotations

from ..arrays import formula

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..arrays import Positive, Real


@formula
def power(xp: Any, compute: Positive, log_C0: Real, alpha: Real) -> Any:
    """C0 C^-alpha from log C0."""
    return xp.exp(log_C0 - alpha * xp.log(compute))


@formula
def reducible_loss(xp: Any, compute: Positive, C0: Real, alpha: Real) -> Any:
    """L - E."""
    return xp.exp(xp.log(C0) - alpha * xp.log(compute))


@formula
def loss(xp: Any, compute: Positive, E: Real, C0: Real, alpha: Real) -> Any:
    """L."""
    return E + xp.exp(xp.log(C0) - alpha * xp.log(compute))


@formula
def exponent(xp: Any, alpha: Real) -> Any:
    """Of the envelope, which is the law itself."""
    return alpha


@formula
def coefficient(xp: Any, C0: Real) -> Any:
    """Of the envelope."""
    return C0


optimal_loss, optimal_reducible_loss = loss, reducible_loss
