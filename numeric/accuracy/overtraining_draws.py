"""The two laws of over-training refitted to resamples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._progress import progress_bar
from ..errors import ArgumentError
from .links import EXPONENTIAL, LinkFit
from .tied import COEFFICIENTS, TiedFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["KINDS", "Draws", "draw", "measured_anew"]

KINDS = ("residuals", "cases")
#: Resamples in one batch; each has its own random numbers.
BATCH = 100
#: Residuals that are drawn beside every refit, for a new run.
NEW_RUNS = 25


@dataclass(frozen=True, eq=False, kw_only=True)
class Draws:
    """Refits to resamples in which both laws reach a certified minimum.

    Attributes
    ----------
    kind : {"residuals", "cases"}
    seed, requested : int
    loss : ndarray
        (K, 4): E, A, B, beta.
    error : ndarray
        (K, 3): epsilon, k, gamma; (K, 0) without a law of error.
    failed : int
        Refits that are left out.
    interrupted : bool
    """

    kind: str
    seed: int
    requested: int
    loss: Floats
    error: Floats
    failed: int
    interrupted: bool

    def __len__(self) -> int:
        return len(self.loss)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: how many were drawn, how many failed."""
        return {
            "kind": self.kind,
            "seed": self.seed,
            "requested": self.requested,
            "used": len(self),
            "failed": self.failed,
            "interrupted": self.interrupted,
        }


def draw(
    fitted: TiedFit,
    link: LinkFit | None,
    for_loss: Mask,
    for_error: Mask,
    losses: Floats,
    errors: Floats,
    *,
    kind: str,
    repeats: int,
    seed: int,
    progress: bool,
) -> Draws:
    """Both laws refitted; `for_loss` and `for_error` (M,) are the runs that each was fitted to.

    Raises
    ------
    ValueError
        Where as many runs as coefficients leave no residuals, or no refit reaches a minimum.
    """
    sizes = [min(BATCH, repeats - first) for first in range(0, repeats, BATCH)]
    parts: list[tuple[Floats, Floats, Mask]] = []
    interrupted = False
    bar = progress_bar(repeats, progress, what="bootstrap", unit="fit")
    try:
        for index, size in enumerate(sizes):
            random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
            if kind == "cases":
                parts.append(_of_cases(fitted, link, for_loss, for_error, losses, errors, size, random))
            else:
                parts.append(_of_residuals(fitted, link, losses[for_error], errors[for_error], size, random))
            bar.update(size)
    except KeyboardInterrupt:
        if not parts:
            raise
        interrupted = True
    finally:
        bar.close()
    loss, error, done = (np.concatenate(each) for each in zip(*parts, strict=True))
    if not done.any():
        raise ArgumentError(
            "repeats", repeats, complaint="no refit reached a certified minimum; the runs do not determine the laws"
        )
    return Draws(
        kind=kind,
        seed=seed,
        requested=repeats,
        loss=loss[done],
        error=error[done],
        failed=int((~done).sum()),
        interrupted=interrupted,
    )


def _of_residuals(
    fitted: TiedFit, link: LinkFit | None, losses: Floats, errors: Floats, size: int, random: np.random.Generator
) -> tuple[Floats, Floats, Mask]:
    own = random.choice(_of_loss(fitted), size=(size, len(fitted.fitted)))
    observed = _moved(fitted, fitted.fitted, own)
    loss, done = fitted.refit(np.ones_like(observed), np.maximum(observed, np.finfo(np.float64).tiny))
    done &= (observed > 0.0).all(axis=1)
    if link is None:
        return loss, np.empty((size, 0)), done
    accuracy = EXPONENTIAL.accuracy(link.coefficients[None], losses)[0]
    about = random.choice(_of_error(link, losses, errors), size=(size, len(losses)))
    again = EXPONENTIAL.refit(losses, accuracy + about, np.ones_like(about))
    return loss, again.coefficients, done & again.converged


def _of_loss(fitted: TiedFit) -> Floats:
    """The residuals (n,) of the law of loss as they are drawn: of log loss where the objective is of logs."""
    own = np.log(fitted.observed / fitted.fitted) if fitted.objective.in_logs else fitted.observed - fitted.fitted
    return _spread(own, len(COEFFICIENTS), "law of loss")


def _moved(fitted: TiedFit, losses: Floats, residuals: Floats) -> Floats:
    """Losses with residuals of the law of loss."""
    return losses * np.exp(residuals) if fitted.objective.in_logs else losses + residuals


def _of_error(link: LinkFit, losses: Floats, errors: Floats) -> Floats:
    """The residuals (n,) of accuracy about the law of error as they are drawn."""
    accuracy = EXPONENTIAL.accuracy(link.coefficients[None], losses)[0]
    return _spread(1.0 - errors - accuracy, EXPONENTIAL.least, "law of error")


def _spread(residuals: Floats, coefficients: int, what: str) -> Floats:
    """Residuals (n,) centred, with the spread that the coefficients took from them given back."""
    spare = len(residuals) - coefficients
    if spare <= 0:
        complaint = f"{len(residuals)} runs leave no residuals for the {coefficients} coefficients of the {what}"
        raise ArgumentError("kind", "residuals", complaint=complaint)
    return (residuals - residuals.mean()) * np.sqrt(len(residuals) / spare)


def measured_anew(
    fitted: TiedFit, link: LinkFit | None, draws: Draws, laws: Floats, losses: Floats, errors: Floats
) -> tuple[Floats, Floats | None]:
    """What runs measure: the loss, and where there is a law of error the error, (m, R) each.

    The loss by each refitted law with the residual of some run, and the error at that loss by the refitted law of error with a
    residual of its own. NaN where a law has no more runs than coefficients, and so no residuals.

    Parameters
    ----------
    fitted : TiedFit
    link : LinkFit or None
    draws : Draws
    laws : ndarray
        (K, m): the loss at the m runs by the refitted laws.
    losses, errors : ndarray
        Of the runs that the law of error was fitted to.
    """
    random = np.random.default_rng([draws.seed, 1])
    count, runs = NEW_RUNS * len(laws), laws.shape[1]
    nothing = np.full((runs, 1), np.nan)
    if len(fitted.fitted) <= len(COEFFICIENTS):
        return nothing, None if link is None else nothing
    about_loss = _of_loss(fitted)
    loss = np.stack([_moved(fitted, np.repeat(law, NEW_RUNS), random.choice(about_loss, size=count)) for law in laws.T])
    if link is None:
        return loss, None
    if len(losses) <= EXPONENTIAL.least:
        return loss, nothing
    about_error, coefficients = _of_error(link, losses, errors), np.repeat(draws.error, NEW_RUNS, axis=0)
    accuracy = [EXPONENTIAL.accuracy(coefficients, own[:, None])[:, 0] + random.choice(about_error, size=count) for own in loss]
    return loss, 1.0 - np.stack(accuracy)


def _of_cases(
    fitted: TiedFit,
    link: LinkFit | None,
    for_loss: Mask,
    for_error: Mask,
    losses: Floats,
    errors: Floats,
    size: int,
    random: np.random.Generator,
) -> tuple[Floats, Floats, Mask]:
    """A run that both laws were fitted to is drawn for both."""
    every = np.flatnonzero(for_loss | for_error)
    weights = np.zeros((size, len(losses)))
    weights[:, every] = random.multinomial(len(every), np.full(len(every), 1.0 / len(every)), size=size)
    own = weights[:, for_loss]
    enough = (own > 0.0).sum(axis=1) >= len(COEFFICIENTS)
    own[~enough] = 1.0  # left out below; a law has no minimum without runs
    loss, done = fitted.refit(own)
    done &= enough
    if link is None:
        return loss, np.empty((size, 0)), done
    theirs = weights[:, for_error]
    theirs[theirs.sum(axis=1) == 0.0] = 1.0
    few = (weights[:, for_error] > 0.0).sum(axis=1) < EXPONENTIAL.least
    again = EXPONENTIAL.refit(losses[for_error], 1.0 - errors[for_error], theirs)
    return loss, again.coefficients, done & again.converged & ~few
