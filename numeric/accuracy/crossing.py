r"""Where a fitted law of compute and k holds, and which runs lie outside.

.. math:: C_x = e^{-b/d}: \qquad \partial \log(-\log Q)/\partial \log k = b + d \log C < 0 \iff C > C_x \quad (d < 0).

The curves of all k cross at C_x, and on its other side the law says that more samples solve fewer
problems: there it does not hold. Where the interval of d holds 0 the side itself is open, and so is
C_x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Significant
from .. import formulas
from ..fit.bilinear import SIGNED
from ..results import Estimate, percentiles
from .bilinear import BilinearKind, law_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Sample
    from .fitting import LawFit

    Floats = NDArray[np.float64]

DIGITS = Significant(3)

__all__ = ["Crossing", "crossing_of"]

OTHER = {"above": "below", "below": "above"}
#: exp of more than this, or of less than minus this, is no float.
LARGEST_LOG = 708.0


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """The compute at which the curves of all k cross, and the runs at which the law does not hold.

    Attributes
    ----------
    compute : float or None
        C_x; FLOP. None where it is beyond the range of a float.
    low, high : float or None
        Percentile interval over refits; None without these, and where the sign of d is open.
    holds : str
        The side of C_x on which the law holds: "above" or "below".
    open : tuple of str
        Which of a and d may as well be 0: C_x is not determined where d is one of them.
    n_fitted, n_held_out : int
        Runs that were fitted, and held-out runs that the law is judged on.
    fitted_beyond, held_out_beyond : int
        Those of them on the other side of C_x.
    """

    compute: float | None
    low: float | None
    high: float | None
    holds: str
    open: tuple[str, ...]
    n_fitted: int
    n_held_out: int
    fitted_beyond: int
    held_out_beyond: int

    @property
    def estimate(self) -> Estimate | None:
        """C_x with its interval."""
        if self.compute is None:
            return None
        return Estimate(self.compute, self.low, self.high, undetermined=not self.is_determined)

    @property
    def is_determined(self) -> bool:
        """Whether the runs tell the sign of d."""
        return "d" not in self.open

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return values | {"open": list(self.open), "is_determined": self.is_determined}

    def text(self, level: float) -> str:
        """What to say of it; `level` is that of the interval."""
        where = (
            "beyond the range of a float"
            if self.compute is None
            else f"{DIGITS.text(self.compute)} FLOP"
        )
        said = f"the curves of all k cross at C_x = {where}"
        if self.low is not None and self.high is not None:
            said += f" ({100.0 * level:.4g} % interval {DIGITS.text(self.low)} to {DIGITS.text(self.high)})"
        if not self.is_determined:
            said += ", not determined: the interval of d holds 0, and on which side of it the law holds is open; by the estimate"
        else:
            said += "; the law holds"
        parts = [(self.fitted_beyond, self.n_fitted, "fitted")]
        parts += [(self.held_out_beyond, self.n_held_out, "held-out")] if self.n_held_out else []
        if not any(beyond for beyond, _, _ in parts):
            return f"{said} {self.holds} it, where all {' and '.join(f'{count} {which}' for _, count, which in parts)} runs lie"
        lying = " and ".join(f"{beyond} of {count} {which}" for beyond, count, which in parts)
        beyond = f"{OTHER[self.holds]}, where it says that more samples solve fewer problems"
        return f"{said} {self.holds} it: {lying} runs lie {beyond}"


def crossing_of(fit: LawFit, held_out: Sample, level: float) -> Crossing | None:
    """C_x of a fitted law in compute and k; None for other laws, and where d = 0.

    Parameters
    ----------
    fit : LawFit
    held_out : Sample
        Pairs of run and k that the law is judged on.
    level : float
        Nominal coverage of the interval.
    """
    kind = fit.kind
    if not isinstance(kind, BilinearKind):
        return None
    law = law_of(fit.values)
    if law.d == 0.0:
        return None
    loose = _open(fit, level)
    low = high = None
    if len(fit.refitted) > 1 and "d" not in loose:
        low, high = (_compute(end) for end in percentiles(_log_crossings(fit.refitted), level))
    inside, ahead = (
        kind.beyond(fit.values, part.at) if len(part) else None for part in (fit.sample, held_out)
    )
    n_fitted, fitted_beyond = _runs(fit.sample, inside)
    n_held_out, held_out_beyond = _runs(held_out, ahead)
    return Crossing(
        compute=_compute(float(_log_crossings(fit.values[None])[0])),
        low=low,
        high=high,
        holds="above" if law.d < 0.0 else "below",
        open=loose,
        n_fitted=n_fitted,
        n_held_out=n_held_out,
        fitted_beyond=fitted_beyond,
        held_out_beyond=held_out_beyond,
    )


def _open(fit: LawFit, level: float) -> tuple[str, ...]:
    """The signs that the fit leaves open, or the interval of the refits."""
    found = {name for name in SIGNED if name in fit.undetermined}
    for name in SIGNED if len(fit.refitted) > 1 else ():
        low, high = percentiles(fit.refitted[:, fit.kind.coefficients.index(name)], level)
        if low <= 0.0 <= high:
            found.add(name)
    return tuple(name for name in SIGNED if name in found)


def _log_crossings(coefficients: Floats) -> Floats:
    """log C_x of laws (K, 4)."""
    _, _, b, d = coefficients.T
    return np.asarray(formulas.bilinear_log_crossing(b=b, d=d))


def _runs(sample: Sample, beyond: Any) -> tuple[int, int]:
    """How many runs there are, and how many of them are beyond."""
    if beyond is None:
        return 0, 0
    runs = np.arange(len(sample)) if sample.index is None else np.asarray(sample.index)
    return len(np.unique(runs)), len(np.unique(runs[beyond]))


def _compute(log: float) -> float | None:
    return math.exp(log) if abs(log) <= LARGEST_LOG else None
