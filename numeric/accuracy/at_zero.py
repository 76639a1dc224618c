"""How large E can be where its estimate is 0, the least that it can be, so that refits gather there and give it no upper end."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from .ceiling import ceiling_of
from .power import CEILING_KINDS

if TYPE_CHECKING:
    from .fitting import LawFit

__all__ = ["BESIDE", "limit_at_zero"]

#: What sets the E of a fit apart from that of `isoflop.numeric.accuracy.ceiling`.
BESIDE = (
    "E, which sets the ceiling, is of the fitted runs and by Huber's function; backtest --ceiling takes all runs, held-out "
    "ones too, and least squares, so that the two may differ. Where E is 0 its limit is that of the profile likelihood of the "
    "fitted runs, as refits do not tell how far above 0 it may be"
)
#: Fits whose limits are kept: a table, its rows and its notes ask for the same one.
KEPT = 64


@lru_cache(maxsize=KEPT)
def limit_at_zero(fit: LawFit, level: float) -> float | None:
    """The upper end of the profile interval of E, by the runs of the fit; None where E is not 0, or is no coefficient."""
    law = next((law for law, kind in CEILING_KINDS.items() if kind == fit.name), None)
    if law is None or fit.found.coefficients[fit.kind.coefficients.index("E")] != 0.0:
        return None
    try:
        return ceiling_of(fit.sample, law=law, margin=fit.margin, level=level).E_high
    except ValueError:  # no more runs than coefficients
        return None
