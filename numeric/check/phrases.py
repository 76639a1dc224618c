"""Shares and compute as the report of a check writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...theory.typeset.numbers import Interval, Percent

if TYPE_CHECKING:
    from ..results import Estimate

__all__ = ["SIGNED", "flop", "in_percent", "percent", "round_percent"]

#: Differences, which have a sign.
SIGNED = Percent(places=2, sign=True)


def in_percent(estimate: Estimate) -> str:
    """A relative difference with its interval."""
    interval = Interval(SIGNED).text(estimate.low, estimate.high)
    return f"{SIGNED.text(estimate.value)} {interval}"


def percent(share: float, *, decimals: int = 2, sign: bool = False) -> str:
    """A measured share.

    >>> percent(0.01234), percent(0.01234, sign=True)
    ('1.23 %', '+1.23 %')
    """
    return f"{100.0 * share:{'+' if sign else ''}.{decimals}f} %"


def round_percent(share: float) -> str:
    """A share that somebody chose.

    >>> round_percent(0.01), round_percent(0.125)
    ('1 %', '12.5 %')
    """
    return f"{100.0 * share:.3g} %"


def flop(compute: float, digits: int = 2) -> str:
    """Compute.

    >>> flop(1.26e20)
    '1.3e20'
    """
    return f"{compute:.{digits}g}".replace("e+", "e")
