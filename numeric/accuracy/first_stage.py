r"""First stages: a proxy metric of a run as a power law of its budget.

.. math:: L = E + C_0 C^{-\alpha}, \quad C_0 C^{-\alpha}, \quad E + A N^{-\beta} + B D^{-\gamma}, \quad \gamma = \beta.

A loss is positive and falls; a log likelihood is negative and rises: -L is then such a loss. Both
are fitted by Huber's function of the log residuals as laws of loss are, with E >= 0 of the loss.
Any other metric, an accuracy for example, is fitted by least squares of its own values with an E of
either sign, and with prefactors that are negative where it rises.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.runs import Runs
from ..errors import ArgumentError
from ..fit.fitted import Fitted
from ..fit.fitting import fit_form
from ..fit.models import COMPUTE, ONE_EXPONENT, PARAMS_TOKENS, PowerTerms
from ..fit.objective import Objective
from ..fit.resample import Refits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Points
    from ..fit.resample import Draws
    from ..fit.result import Fit

    Floats = NDArray[np.float64]

__all__ = ["STAGES", "AsLoss", "FirstStage", "StageFit"]

LOSSES, VALUES = Objective(name="huber-log", delta=1e-3), Objective(name="least-squares")
#: The limit E of a metric that is no loss is sought up to so many times its range beyond the runs.
FARTHEST = 10.0


class AsLoss(NamedTuple):
    """A proxy as a loss: y = shift + sign L, positive and falling with compute."""

    sign: float
    shift: float

    @property
    def is_loss(self) -> bool:
        """Whether L or -L itself is one."""
        return self.shift == 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class StageFit(Fitted):
    """A first stage fitted.

    Attributes
    ----------
    stage : FirstStage
    as_loss : AsLoss
    of_loss : Fit
        The fit of y.
    draws : Draws or None
    """

    stage: FirstStage
    as_loss: AsLoss
    of_loss: Fit
    draws: Draws | None = None

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """By name, as the law of the proxy itself writes them."""
        own = self.stage.of_proxy(self.of_loss.values[None], self.as_loss)[0]
        return dict(zip(self.of_loss.names, own.tolist(), strict=True))

    @property
    def size(self) -> int:
        """Number of runs."""
        return self.of_loss.size

    @property
    def objective_value(self) -> float:
        """What was minimised, at the minimum."""
        return self.of_loss.objective_value

    @property
    def converged(self) -> bool:
        """Whether the point is certified to be a minimum."""
        return self.of_loss.converged

    @property
    def reason(self) -> str:
        """What speaks against the fit, "" where it has converged."""
        return self.of_loss.reason

    @property
    def limits(self) -> Floats:
        """(p, 2): those of the exponents."""
        return self.of_loss.limits

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Of a loss E = 0 is a value; elsewhere it is where the search for E ended."""
        if "E" in self.of_loss.at_bound and not self.as_loss.is_loss:
            return self.names
        return self.of_loss.undetermined

    def predict(self, rows: Points) -> Floats:
        """The proxy (m,) at runs."""
        return self.stage.proxy(self.values[None], rows)[0]

    def refit(self, *, weights: Floats) -> Refits:
        """Coefficients (K, p) with weights (K, n), and whether each minimum is certified."""
        again = self.of_loss.refit(weights=weights)
        enough = (weights > 0.0).sum(axis=1) >= len(self.names)
        found = self.stage.of_proxy(again.coefficients, self.as_loss)
        return Refits(found, again.converged & enough)


@dataclass(frozen=True)
class FirstStage:
    """A law of the proxy.

    Attributes
    ----------
    name : str
    terms : PowerTerms
    objective : Objective or None
        None: by the kind of proxy, see the module.
    """

    name: str
    terms: PowerTerms
    objective: Objective | None = None

    # -- fits ----------------------------------------------------------------------------------------------------------

    def fit(self, at: Points, proxy: Floats) -> StageFit:
        """The law closest to the proxies (n,).

        Raises
        ------
        ValueError
            Where the runs are fewer than the coefficients, the proxy has no trend, or the law has
            no E and the proxy is no loss.
        """
        if len(proxy) < len(self.terms.coefficients):
            raise ValueError(
                f"{len(proxy)} runs: must be at least {len(self.terms.coefficients)} for the "
                f"coefficients of proxy = {self.terms}"
            )
        as_loss = self.as_loss(at, proxy)
        objective = self.objective or (LOSSES if as_loss.is_loss else VALUES)
        runs = _runs(at, self.terms.variables, as_loss.shift + as_loss.sign * proxy)
        of_loss = fit_form(runs, self.terms, objective)
        return StageFit(stage=self, as_loss=as_loss, of_loss=of_loss)

    def as_loss(self, at: Points, proxy: Floats) -> AsLoss:
        """How the proxy is read as a loss."""
        logs = np.sum([np.log(at.column(name)) for name in self.terms.variables], axis=0)
        trend = float((logs - logs.mean()) @ proxy)
        span = float(np.ptp(proxy))
        if span == 0.0 or trend == 0.0:
            raise ValueError(
                f"proxy={float(proxy[0])!r} at {len(proxy)} runs: must rise or fall with "
                f"{' and '.join(self.terms.variables)}"
            )
        sign = 1.0 if trend < 0.0 else -1.0
        turned = sign * proxy
        if turned.min() > 0.0:
            return AsLoss(sign, 0.0)
        if not self.terms.irreducible:
            way = "rises" if sign < 0.0 else "falls"
            wanted = "negative" if sign < 0.0 else "positive"
            worst = float(proxy[np.argmin(turned)])
            raise ArgumentError(
                "proxy",
                worst,
                complaint=f"a proxy that {way} must be {wanted} for a law without E, proxy = "
                f"{self.terms}",
            )
        return AsLoss(sign, FARTHEST * span - float(turned.min()))

    def of_proxy(self, coefficients: Floats, as_loss: AsLoss) -> Floats:
        """Coefficients (K, p) of the proxy from those of y = shift + sign L."""
        found = coefficients.copy()
        first, terms = int(self.terms.irreducible), len(self.terms.variables)
        if first:
            found[:, 0] = as_loss.sign * (found[:, 0] - as_loss.shift)
        found[:, first : first + terms] *= as_loss.sign
        return found

    # -- values --------------------------------------------------------------------------------------------------------

    def proxy(self, coefficients: Floats, at: Points) -> Floats:
        """The proxy (K, m) of K laws (K, p) at m points."""
        first, count = int(self.terms.irreducible), len(self.terms.variables)
        sign = np.sign(coefficients[:, first : first + 1])
        size = coefficients.copy()
        size[:, first : first + count] *= sign
        floor, size[:, :first] = coefficients[:, :first].sum(axis=1, keepdims=True), 0.0
        for name in self.terms.variables:
            at.column(name)  # or the error that says which is not known
        return np.asarray(sign * self.terms.values(size, at) + floor)


def _runs(at: Points, needs: tuple[str, ...], y: Floats) -> Runs:
    columns: dict[str, Any] = {name: getattr(at, name) for name in ("params", "tokens", "compute")}
    columns |= {name: at.column(name) for name in needs}
    return Runs(**columns, loss=y, row=np.arange(1, len(y) + 1), source="proxy", n_rows=len(y))


#: "compute-power" is the first stage of the code behind Krajewski et al. 2025 (arXiv 2512.08894),
#: least squares of the logarithm; "equal-exponents" that of Gadre et al. 2024 (arXiv 2403.08540).
STAGES = {
    stage.name: stage
    for stage in (
        FirstStage("compute", COMPUTE),
        FirstStage(
            "compute-power",
            replace(COMPUTE, irreducible=False),
            Objective(name="least-squares-log"),
        ),
        FirstStage("params-tokens", PARAMS_TOKENS),
        FirstStage("equal-exponents", ONE_EXPONENT),
    )
}
