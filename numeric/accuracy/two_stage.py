r"""Two-stage laws: compute -> proxy metric -> accuracy.

.. math:: L = E + C_0 C^{-\alpha}, \quad Q = a + b L, \; \frac{a}{1 + e^{-k (L - L_0)}} + b, \; 1 - \varepsilon + k e^{-\delta L}.

The second stage is fitted to the proxies of the runs themselves, not to those that the first stage
foretells, by least squares of accuracy. A proxy that is a loss is positive and falls; a log
likelihood is negative and rises: -L is then such a loss. Both are fitted by Huber's function of the
log residuals as laws of loss are, with E >= 0 of the loss. Any other metric, an accuracy for
example, is fitted by least squares of its own values with an E of either sign, and with a prefactor
that is negative where it rises.

Sources: Krajewski et al. 2025, arXiv 2512.08894, Section 4.3 (linear and logistic), whose code fits
the proxy without E by least squares of its logarithm; Gadre et al. 2024, arXiv 2403.08540
(exponential).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..data.runs import Runs
from ..data.sample import Points
from ..fit.fitted import Joint
from ..fit.fitting import fit_form
from ..fit.models import COMPUTE
from ..fit.objective import Objective
from ..fit.resample import Refits, together
from .kind import MARGIN, Kind, LawFit
from .links import LINKS, Link

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..data.sample import Sample
    from ..fit.resample import Draws
    from ..fit.result import Fit

    Floats = NDArray[np.float64]

__all__ = ["StageFit", "TwoStageKind", "fit_stage", "two_stage"]

LOSSES, VALUES = Objective(name="huber-log", delta=1e-3), Objective(name="least-squares")
#: The limit E of a metric that is no loss is sought up to so many times its range beyond the runs.
FARTHEST = 10.0
#: Runs to a coefficient of a stage below which a word is due.
FEW = 5


# -- the first stage -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class StageFit(Joint):
    """A first stage fitted: L = E + C0 C^-alpha by way of y = shift + sign L, which is positive and
    falls with compute.

    Attributes
    ----------
    sign, shift : float
        The shift is 0 where L or -L itself is a loss.
    of_loss : Fit
        The fit of y.
    draws : Draws or None
    """

    sign: float
    shift: float
    of_loss: Fit
    draws: Draws | None = None

    @property
    def parts(self) -> tuple[Fit]:  # type: ignore[override]
        """The fit of y."""
        return (self.of_loss,)

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """By name, as the law of the proxy itself writes them."""
        own = self._of_proxy(self.of_loss.values[None])[0]
        return dict(zip(self.of_loss.names, own.tolist(), strict=True))

    @property
    def size(self) -> int:
        """Number of runs."""
        return self.of_loss.size

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Of a loss E = 0 is a value; elsewhere it is where the search for E ended."""
        if "E" in self.of_loss.at_bound and self.shift:
            return self.names
        return self.of_loss.undetermined

    def predict(self, rows: Points) -> Floats:
        """The proxy (m,) at runs."""
        return proxies(self.values[None], rows)[0]

    def refit(self, *, weights: Floats) -> Refits:
        """Coefficients (K, p) with weights (K, n), and whether each minimum is certified."""
        again = self.of_loss.refit(weights=weights)
        enough = (weights > 0.0).sum(axis=1) >= len(self.names)
        return Refits(self._of_proxy(again.coefficients), again.converged & enough)

    def _of_proxy(self, coefficients: Floats) -> Floats:
        """Coefficients (K, p) of the proxy from those of y."""
        E, C0, alpha = coefficients.T
        return np.stack([self.sign * (E - self.shift), self.sign * C0, alpha], axis=1)


def fit_stage(at: Points, proxy: Floats) -> StageFit:
    """The law of compute closest to the proxies (n,).

    Raises
    ------
    ValueError
        Where the runs are fewer than the coefficients, or the proxy has no trend.
    """
    least = len(COMPUTE.coefficients)
    if len(proxy) < least:
        raise ValueError(
            f"{len(proxy)} runs: must be at least {least} for the coefficients of proxy = {COMPUTE}"
        )
    compute = at.column("compute")
    logs = np.log(compute)
    trend, span = float((logs - logs.mean()) @ proxy), float(np.ptp(proxy))
    if span == 0.0 or trend == 0.0:
        raise ValueError(
            f"proxy={float(proxy[0])!r} at {len(proxy)} runs: must rise or fall with compute"
        )
    sign = 1.0 if trend < 0.0 else -1.0
    lowest = float((sign * proxy).min())
    shift = 0.0 if lowest > 0.0 else FARTHEST * span - lowest
    runs = Runs(
        params=None,
        tokens=None,
        compute=compute,
        loss=shift + sign * proxy,
        row=np.arange(1, len(proxy) + 1),
        source="proxy",
        n_rows=len(proxy),
    )
    of_loss = fit_form(runs, COMPUTE, VALUES if shift else LOSSES)
    return StageFit(sign=sign, shift=shift, of_loss=of_loss)


def proxies(coefficients: Floats, at: Points) -> Floats:
    """The proxy (K, m) of K first stages (K, 3) at m points."""
    E, C0, alpha = coefficients.T
    positive = np.stack([np.zeros_like(E), np.abs(C0), alpha], axis=1)
    at = Points(compute=at.column("compute"))
    return np.asarray(E[:, None] + np.sign(C0)[:, None] * COMPUTE.values(positive, at))


# -- both stages -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class TwoStageKind(Kind):
    """A two-stage law.

    The accuracy that it foretells is not kept between 0 and 1. A link that levels off at guessing
    is fitted to all runs; the linear one, which cannot, to those above guessing by the margin of
    the direct laws.

    Attributes
    ----------
    link : Link
        Proxy -> accuracy.
    """

    link: Link
    margin: float | None = None

    fitted_by = "least squares of Q given the proxy; the proxy on its own"
    requires, asks = ("compute", "proxy"), ("compute",)

    @property
    def name(self) -> str:
        """two-stage-linear, ..."""
        return f"two-stage-{self.link.name}"

    @property
    def formula(self) -> str:
        """Both stages in plain text."""
        return f"{self.link.formula}, L = {COMPUTE}"

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Those of the first stage, then those of the second."""
        return (*COMPUTE.coefficients, *self.link.coefficients)

    def fit(self, sample: Sample) -> LawFit:
        """Each stage closest to the runs; the objective is that of the second, the sum of squares
        of accuracy.
        """
        proxy = sample.at.column("proxy")
        try:
            parts = fit_stage(sample.at, proxy), self.link.fit(proxy, sample.accuracy)
        except ValueError as error:
            raise ValueError(f"{sample.benchmark}: {error}") from None
        return LawFit(kind=self, sample=sample, parts=parts)

    def reason(self, fit: LawFit) -> str:
        """What speaks against each stage."""
        stages = zip(("first", "second"), fit.parts, strict=True)
        return "; ".join(f"{which} stage: {part.reason}" for which, part in stages if part.reason)

    def remarks(self, fit: LawFit) -> Iterator[str]:
        """A sentence for each stage that has few runs for its coefficients, then the link's."""
        for which, part in zip(("first", "second"), fit.parts, strict=True):
            width = len(part.names)
            if fit.size < FEW * width:
                yield (
                    f"{fit.size} runs for the {width} coefficients of the {which} stage, fewer "
                    f"than {FEW} to each: how close it is to these says little of how far off it "
                    f"is elsewhere"
                )
        yield from super().remarks(fit)

    def refit(self, fit: LawFit, weights: Floats, baselines: Floats) -> Refits:
        """Both fits repeated with the same draws of runs; what guessing scores plays no part."""
        return together(part.refit(weights=weights) for part in fit.parts)

    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Raw accuracy (K, m) by way of the proxy that the first stage foretells."""
        first, second = np.split(coefficients, [len(COMPUTE.coefficients)], axis=1)
        return self.link.accuracy(second, proxies(first, at))


def two_stage(link: str) -> TwoStageKind:
    """A two-stage law by the name of its second stage.

    Parameters
    ----------
    link : {"linear", "logistic", "exponential"}
        Proxy -> accuracy.

    Raises
    ------
    ValueError
        For a name of none of these.

    Examples
    --------
    >>> two_stage("linear").formula
    'Q = a + b L, L = E + C0 C^-alpha'
    """
    if link not in LINKS:
        raise ValueError(f"link={link!r}: must be one of {', '.join(LINKS)}")
    return TwoStageKind(LINKS[link], margin=MARGIN if link == "linear" else None)
