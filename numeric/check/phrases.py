"""Shares and compute as the report of a check writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...theory.typeset.numbers import Interval, Percent, Shortest

if TYPE_CHECKING:
    from ..results import Estimate

__all__ = ["SHARE", "SIGNED", "flop", "in_percent", "percent", "round_percent"]

#: A measured share, and a difference, which has a sign.
SHARE, SIGNED = Percent(places=2), Percent(places=2, sign=True)

#: A measured share as text.
percent = SHARE.text


def in_percent(estimate: Estimate) -> str:
    """A relative difference with its interval."""
    return f"{SIGNED.text(estimate.value)} {Interval(SIGNED).text(estimate.low, estimate.high)}"


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
    return Shortest(digits).text(compute)
