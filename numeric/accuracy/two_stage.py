r"""Two-stage laws: budget -> proxy metric -> accuracy.

.. math:: L = E + C_0 C^{-\alpha}, \quad Q = a + b L, \; \frac{a}{1 + e^{-k (L - L_0)}} + b, \; 1 - \varepsilon + k e^{-\delta L}.

The second stage is fitted to the proxies of the runs themselves, not to those that the first stage
foretells. Sources: Krajewski et al. 2025, arXiv 2512.08894, Section 4.3 (linear and logistic);
Gadre et al. 2024, arXiv 2403.08540 (exponential). Least squares of accuracy for each: for the
linear one that paper says so, for the logistic one its code does. That code fits the proxy without
E by least squares of its logarithm: `two_stage("logistic", stage="compute-power")`; here E is
fitted unless that is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..fit.resample import together
from .first_stage import STAGES, FirstStage
from .kind import MARGIN, Kind, LawFit
from .links import LINKS, Link

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..data.sample import Points, Sample
    from ..fit.resample import Refits

    Floats = NDArray[np.float64]

__all__ = ["TwoStageKind", "two_stage"]


#: Runs to a coefficient of a stage below which a word is due.
FEW = 5


@dataclass(frozen=True)
class TwoStageKind(Kind):
    """A two-stage law.

    The accuracy that it foretells is not kept between 0 and 1. A link that levels off at guessing
    is fitted to all runs; the linear one, which cannot, to those above guessing by the margin of
    the direct laws.

    Attributes
    ----------
    name : str
    stage : FirstStage
        Budget -> proxy.
    link : Link
        Proxy -> accuracy.
    """

    name: str
    stage: FirstStage
    link: Link
    margin: float | None = None

    @property
    def formula(self) -> str:
        """Both stages in plain text."""
        return f"{self.link.formula}, L = {self.stage.terms}"

    @property
    def fitted_by(self) -> str:
        """What is minimised."""
        return "least squares of Q given the proxy; the proxy on its own"

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Those of the first stage, then those of the second."""
        return (*self.stage.terms.coefficients, *self.link.coefficients)

    @property
    def requires(self) -> tuple[str, ...]:
        """The budget and the proxy."""
        return (*self.stage.terms.variables, "proxy")

    @property
    def asks(self) -> tuple[str, ...]:
        """The budget alone."""
        return self.stage.terms.variables

    def fit(self, sample: Sample) -> LawFit:
        """Each stage closest to the runs; the objective is that of the second, the sum of squares
        of accuracy.
        """
        proxy = sample.at.column("proxy")
        try:
            parts = self.stage.fit(sample.at, proxy), self.link.fit(proxy, sample.accuracy)
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

    def proxy(self, coefficients: Floats, at: Points) -> Floats:
        """The proxy (K, m) of the first stages of K laws (K, p) at m points."""
        return self.stage.proxy(coefficients[:, : len(self.stage.terms.coefficients)], at)

    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Raw accuracy (K, m) by way of the proxy that the first stage foretells."""
        return self.link.accuracy(
            coefficients[:, len(self.stage.terms.coefficients) :], self.proxy(coefficients, at)
        )


def two_stage(link: str, *, stage: str = "compute") -> TwoStageKind:
    """A two-stage law by the names of its stages.

    Parameters
    ----------
    link : {"linear", "logistic", "exponential"}
        Proxy -> accuracy.
    stage : {"compute", "compute-power", "params-tokens", "equal-exponents"}
        Budget -> proxy: E + C0 C^-alpha, C0 C^-alpha, E + A N^-beta + B D^-gamma, or the last with
        beta = gamma.

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
    if stage not in STAGES:
        raise ValueError(f"stage={stage!r}: must be one of {', '.join(STAGES)}")
    first = STAGES[stage]
    name = f"two-stage-{link}" if first.name == "compute" else f"two-stage-{link}-{first.name}"
    return TwoStageKind(name, first, LINKS[link], margin=MARGIN if link == "linear" else None)
