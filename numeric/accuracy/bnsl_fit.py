r"""Broken neural scaling laws of accuracy, fitted.

.. math:: Q = a + b\,C^{-c_0} \prod_{i=1}^n \left(1 + (C/d_i)^{1/f_i}\right)^{-c_i f_i}.

Sources: Caballero et al. 2023, arXiv 2210.14891, for the form; Krajewski et al. 2025, arXiv 2512.08894, equation 1 and Appendix
M, which fits it to all runs above guessing, with Huber's function of width 1e-3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import whole_number
from ..fit.objective import Objective
from .bnsl import BrokenLaw, Recognition, recognise
from .bnsl_model import log_curve
from .bnsl_solve import BrokenFit, names_of, solve
from .kind import Found, Redone

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ..data.sample import Points, Sample

    Floats = NDArray[np.float64]

__all__ = ["BNSL_KINDS", "BrokenKind", "broken", "fit_broken", "law_of", "recognised"]

HUBER = Objective(name="huber-log", delta=1e-3)
#: More breaks than this are more than runs can tell, and the scan for starts, over places of all breaks, grows twentyfold with
#: each.
MOST_BREAKS = 3


@dataclass(frozen=True)
class BrokenKind:
    """A broken law of accuracy; see `isoflop.numeric.accuracy.kind.Kind` for what every law can do.

    Attributes
    ----------
    breaks : int
        1 to 3.
    objective : Objective
        Its form and width; whether residuals are those of log Q, `in_logs` says, not its name.
    in_logs : bool
    asymptote : tuple of float
        Least and greatest a. An accuracy lies between 0 and 1; without such limits a law that is close to a line in log C has no
        best a.
    margin : float
    """

    breaks: int = 1
    objective: Objective = HUBER
    in_logs: bool = False
    asymptote: tuple[float, float] = (0.0, 1.0)
    margin: float | None = 0.0

    needs = ("compute",)
    asks = ("compute",)

    @property
    def name(self) -> str:
        """bnsl, bnsl-2, ..."""
        return "bnsl" if self.breaks == 1 else f"bnsl-{self.breaks}"

    @property
    def formula(self) -> str:
        """The law in plain text."""
        factors = "".join(f" (1 + (C/d{i})^(1/f{i}))^(-c{i} f{i})" for i in range(1, self.breaks + 1))
        return f"Q = a + b C^-c0{factors}"

    @property
    def fitted_by(self) -> str:
        """What is minimised."""
        what = self.objective.name.removesuffix("-log")
        named = {"huber": f"Huber's function (delta {self.objective.delta:g})", "least-squares": "least squares"}.get(what, what)
        return f"{named} of {'log Q' if self.in_logs else 'Q'}"

    @property
    def coefficients(self) -> tuple[str, ...]:
        """a, b, c0, c1, d1, f1, ..."""
        return names_of(self.breaks)

    def fit(self, sample: Sample) -> Found:
        """The law closest to the runs; `Found.inside` is the `BrokenFit`."""
        compute = sample.at.column("compute")
        try:
            fit = fit_broken(
                compute,
                sample.accuracy,
                breaks=self.breaks,
                objective=self.objective,
                in_logs=self.in_logs,
                asymptote=self.asymptote,
            )
        except ValueError as error:
            raise ValueError(f"{sample.benchmark}: {error}") from None
        return Found(
            coefficients=fit.coefficients,
            value=fit.value,
            converged=fit.converged,
            reason="" if fit.converged else "no certified minimum",
            undetermined=fit.undetermined,
            inside=fit,
        )

    def refit(self, sample: Sample, found: Found, weights: Floats, baselines: Floats) -> Redone:
        """The fit repeated; see `Kind.refit`. A redrawn guessing accuracy only says which runs are above it."""
        drawn = weights if self.margin is None else np.where(sample.accuracy > baselines[:, None] + self.margin, weights, 0.0)
        fit: BrokenFit = found.inside
        return Redone(*fit.refit(drawn))

    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Raw accuracy (K, m); not kept between 0 and 1, and guessing plays no part."""
        logs = np.log(at.column("compute"))
        return np.asarray(coefficients[:, :1] + np.sign(coefficients[:, 1:2]) * np.exp(log_curve(coefficients, logs)))

    def with_objective(self, objective: Objective, *, in_logs: bool = False) -> BrokenKind:
        """The same form by another objective."""
        return replace(self, objective=objective, in_logs=in_logs)


def broken(breaks: int = 1, **options: Any) -> BrokenKind:
    """A broken law with so many breaks.

    Parameters
    ----------
    breaks : int
        1 to 3.
    **options
        Of `BrokenKind`.

    Raises
    ------
    ValueError
        For another number of breaks.

    Examples
    --------
    >>> broken(2).formula
    'Q = a + b C^-c0 (1 + (C/d1)^(1/f1))^(-c1 f1) (1 + (C/d2)^(1/f2))^(-c2 f2)'
    """
    if whole_number("breaks", breaks, 1) > MOST_BREAKS:
        raise ValueError(
            f"breaks={breaks}: must be at most {MOST_BREAKS}; the search for starts grows twentyfold with each break"
        )
    return BrokenKind(breaks=breaks, **options)


#: By name.
BNSL_KINDS = {kind.name: kind for kind in map(broken, range(1, MOST_BREAKS + 1))}


def fit_broken(
    compute: Any,
    values: Any,
    *,
    breaks: int = 1,
    objective: Objective = HUBER,
    in_logs: bool = False,
    asymptote: tuple[float, float] = (-np.inf, np.inf),
    near: Any = None,
) -> BrokenFit:
    """The broken law closest to any values: accuracy, -log of it, a loss.

    Parameters
    ----------
    compute, values : array_like
        (n,).
    breaks : int
    objective : Objective
        Its form and width; whether residuals are those of logarithms, `in_logs` says, not its name.
    in_logs : bool
    asymptote : tuple of float
        Least and greatest a.
    near : array_like, optional
        (K, p): coefficients to begin at, beside those that a scan finds.

    Raises
    ------
    ValueError
        Where compute takes fewer values than the law has coefficients, the values are all alike, or an argument is outside its
        domain.
    """
    x, y = np.asarray(compute, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"compute of shape {x.shape}, values of shape {y.shape}: must both be (n,)")
    for name, array, good in (("compute", x, x > 0.0), ("values", y, y > 0.0 if in_logs else np.isfinite(y))):
        bad = ~(np.isfinite(array) & good)
        if bad.any():
            domain = "finite" if name == "values" and not in_logs else "positive and finite"
            raise ValueError(f"{name}={float(array[bad][0])!r}: must be {domain}")
    count, distinct = len(names_of(broken(breaks).breaks)), len(np.unique(x))
    if distinct < count:
        raise ValueError(
            f"runs at {distinct} values of compute; must be at least {count} for the {count} coefficients of a law with {breaks} "
            f"break{'s' * (breaks > 1)}"
        )
    if np.ptp(y) == 0.0:
        raise ValueError(f"values={float(y[0])!r} at every run; a broken law needs values that differ")
    return solve(np.log(x), y, breaks=breaks, objective=objective, in_logs=in_logs, asymptote=asymptote, near=near)


def law_of(fit: BrokenFit) -> BrokenLaw:
    """The fitted law."""
    return BrokenLaw.from_coefficients(fit.coefficients)


def recognised(fit: BrokenFit, *, level: float = 0.95) -> Recognition:
    """Whether a fitted one-break law is a two-term law at a fixed ratio: c1 f1 = -1 within its uncertainty.

    Not where the runs leave coefficients open, or the fit is no certified minimum: then there is no uncertainty to speak of. An
    asymptote of 0, the least that it may be, is not open here: that is a two-term law with E = 0.
    """
    found = recognise(law_of(fit), standard_error=fit.product_error(), level=level)
    loose = [name for name in fit.undetermined if not (name == "a" and fit.at_bound[0] and fit.lower[0] == 0.0)]
    if loose:
        return replace(found, holds=False, reason=f"the runs leave {', '.join(loose)} open")
    return found if fit.converged else replace(found, holds=False, reason="the fit is no certified minimum")
