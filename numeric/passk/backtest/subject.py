"""What a backtest is of: models with counts, or runs with a loss; which are cheap, and what was observed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from .step import Step, Task

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

#: Where more of it makes a model cheaper: -log of the probability of the gold reference solution.
FALLING = ("gold",)


@dataclass(frozen=True, eq=False)
class Observed:
    """What is known of the models, in the log of what is predicted.

    Attributes
    ----------
    log_y : ndarray
        (G,): NaN where nothing is observed.
    standard_error : ndarray
        (G,): of its measurement.
    how : tuple of str
        (G,): how each was observed, or why it was not.
    """

    log_y: Floats
    standard_error: Floats
    how: tuple[str, ...]


class Fitter(Protocol):
    """Models as far as fits at one k need them."""

    def step(self, task: Task, training: Mask, targets: Any, resamples: int, seed: int, level: float) -> Step:
        """A law fitted to some, with its predictions of others; ValueError where there is none."""


class Subject(Protocol):
    """Models with counts, or runs with a loss."""

    @property
    def what(self) -> str:
        """Either "counts" or "runs"."""

    @property
    def source(self) -> str:
        """Where they come from."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the models or runs, G of them."""

    @property
    def covariates(self) -> Mapping[str, Any]:
        """params, tokens, compute, gold as far as there are any, (G,) each, NaN where one has none."""

    @property
    def method(self) -> str:
        """How laws are fitted."""

    def needs(self, law: str) -> tuple[str, ...]:
        """The covariates that a law depends on."""

    def coefficients(self, law: str) -> tuple[str, ...]:
        """Their names."""

    def identity(self) -> Iterator[bytes]:
        """All that the fits depend on."""

    def observed(self, k: int) -> Observed:
        """What was observed."""

    def at(self, k: int) -> Fitter:
        """No more of it than fits at one k need."""


def position(subject: Subject, axis: str) -> Floats:
    """log10 of what makes a model expensive (G,); NaN where it is unknown."""
    values = np.asarray(subject.covariates[axis], dtype=np.float64)
    return -np.log10(values) if axis in FALLING else np.log10(values)


def known(subject: Subject, law: str, axis: str) -> Mask:
    """(G,): the models that have the axis and what a law depends on."""
    found: Mask = np.all([np.isfinite(subject.covariates[name]) for name in {axis, *subject.needs(law)}], axis=0)
    return found
