"""The coupled model refitted to resampled models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._progress import progress_bar
from ...errors import whole_number
from ...fit.bootstrap import percentile
from ...fit.intervals import checked_level
from ..beta import maximise
from .likelihood import expand
from .model import with_an_atom

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .model import Coupled

    Floats = NDArray[np.float64]

__all__ = ["CoupledBootstrap", "bootstrap"]

#: Resampling fewer clusters tells little about their scatter.
LEAST_CLUSTERS = 4
QUANTITIES = ("neg_log", "pass_at_k", "draws_exponent", "compute_exponent")


@dataclass(frozen=True, eq=False, repr=False)
class CoupledBootstrap:
    """Coefficients refitted to resampled models.

    Attributes
    ----------
    fit : Coupled
    seed, requested : int
    draws : tuple of ndarray
        Theta of the refits that are certified: (p,), with logit pi0 last in those with an atom.
    failed : int
        How many refits were not certified and are left out: resamples without enough different models, say.
    interrupted : bool
    """

    fit: Coupled
    seed: int
    requested: int
    draws: tuple[Floats, ...]
    failed: int
    interrupted: bool

    def __len__(self) -> int:
        return len(self.draws)

    def values(self, quantity: str, at: Any, k: ArrayLike) -> Floats:
        """A prediction by every draw, (K, ...): neg_log, pass_at_k, draws_exponent or compute_exponent."""
        if quantity not in QUANTITIES:
            raise ValueError(f"quantity={quantity!r}: must be one of {', '.join(QUANTITIES)}")
        return np.stack([getattr(self.fit.with_theta(theta), quantity)(at, k) for theta in self.draws])

    def band(self, quantity: str, at: Any, k: ArrayLike, level: float = 0.9) -> tuple[Floats, Floats]:
        """Percentiles of a prediction."""
        share = checked_level(level)
        low, high = np.quantile(self.values(quantity, at, k), [(1.0 - share) / 2.0, (1.0 + share) / 2.0], axis=0)
        return low, high

    @property
    def columns(self) -> dict[str, Floats]:
        """The draws of every coefficient of the polynomials, and of the atom where one was asked for."""
        fitted = [self.fit.with_theta(theta) for theta in self.draws]
        names = [name for name in self.fit.coefficient_names if name != "logit atom"]
        found = {name: np.array([draw.coefficients[name] for draw in fitted]) for name in names}
        return {**found, **({"atom": np.array([draw.atom for draw in fitted])} if self.fit.has_atom else {})}

    @property
    def standard_errors(self) -> dict[str, float]:
        """Standard deviation of the draws by coefficient."""
        return {name: float(np.std(column, ddof=1)) for name, column in self.columns.items()}

    def intervals(self, level: float = 0.9) -> dict[str, tuple[float, float]]:
        """Percentile intervals by coefficient."""
        return {name: percentile(column, level) for name, column in self.columns.items()}

    def __repr__(self) -> str:
        state = ", interrupted" if self.interrupted else ""
        return f"<CoupledBootstrap of {len(self)} fits, seed {self.seed}, {self.failed} left out{state}>"


def bootstrap(fit: Coupled, repeats: int = 200, *, seed: int = 0, progress: bool = False) -> CoupledBootstrap:
    """Draw the models (or clusters of them) anew, refit, repeat.

    The problems of a model stay as they are: intervals are for these problems, with other models.

    Parameters
    ----------
    fit : Coupled
    repeats : int
    seed : int
    progress : bool
        Show a bar on the standard error.

    Returns
    -------
    CoupledBootstrap
        Of the resamples that were done where it is interrupted by Ctrl-C.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, the fit is not certified, or there are fewer than four models or clusters.
    """
    repeats, seed = whole_number("repeats", repeats, 1), whole_number("seed", seed, 0)
    if not fit.converged:
        raise ValueError("bootstrap: the maximum is not certified; its resamples would tell about the search")
    clusters = int(fit.clusters.max()) + 1
    if clusters < LEAST_CLUSTERS:
        raise ValueError(f"bootstrap: {clusters} models or clusters of them; must be at least {LEAST_CLUSTERS}")
    draws: list[Floats] = []
    done, interrupted = 0, False
    seeds = np.random.SeedSequence(seed).spawn(repeats)
    bar = progress_bar(repeats, progress, what="bootstrap", unit="fit")
    try:
        for own in seeds:
            drawn = np.random.default_rng(own).multinomial(clusters, np.full(clusters, 1.0 / clusters))
            found = refit(fit, drawn[fit.clusters].astype(np.float64))
            done += 1
            if found is not None:
                draws.append(found)
            bar.update(1)
    except KeyboardInterrupt:
        if not draws:
            raise
        interrupted = True
    finally:
        bar.close()
    if not draws:
        raise ValueError(f"bootstrap: none of {done} refits reached a maximum; the counts do not determine the model")
    return CoupledBootstrap(fit, seed, repeats, tuple(draws), done - len(draws), interrupted)


def refit(fit: Coupled, weights: Floats) -> Floats | None:
    """Theta where the models count so often (G,); None where no maximum is certified."""
    q = 2 * fit.matrix.shape[1]
    theta, value, _, certified = maximise(lambda x: expand(fit.rows, fit.matrix, x, weights), fit.theta[:q])
    other = with_an_atom(fit.rows, fit.matrix, theta, value, weights) if fit.has_atom else None
    if other is not None:
        return other[0]
    return theta if certified else None
