"""Laws of accuracy as what the hold-out engine fits to the runs of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..accuracy.fitting import fit_law, resampled
from ..errors import outside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..accuracy.baselines import Baseline
    from ..accuracy.fitting import LawFit
    from ..accuracy.kind import Kind
    from ..data.sample import Sample

__all__ = ["AccuracyLaw", "distinct_laws", "strictest_margin"]


@dataclass(frozen=True)
class AccuracyLaw:
    """A law of accuracy to be fitted to a `Sample`.

    Attributes
    ----------
    kind : Kind
    baseline : Baseline or None
        What guessing scores; for resamples alone.
    resamples, seed : int
        Refits to resamples of the runs, each with a redrawn baseline.
    """

    kind: Kind
    baseline: Baseline | None = None
    resamples: int = 0
    seed: int = 0

    @property
    def name(self) -> str:
        """Of the law."""
        return self.kind.name

    def fit(self, rows: Sample) -> LawFit:
        """The law fitted to those of the runs that exceed its margin."""
        try:
            fit = fit_law(rows, self.kind)
        except ValueError as error:
            raise ValueError(str(error).removeprefix(f"{rows.benchmark}: ")) from None
        if self.baseline is None or not self.resamples:
            return fit
        return resampled(fit, self.baseline, self.resamples, self.seed)


def strictest_margin(kinds: Sequence[Kind]) -> float:
    """The largest margin of the laws: they are judged on the runs that exceed it."""
    return max((kind.margin for kind in kinds if kind.margin is not None), default=0.0)


def distinct_laws(kinds: Sequence[Kind]) -> None:
    """ValueError where there is no law, or two have one name."""
    names = [kind.name for kind in kinds]
    if not names or len({*names}) < len(names):
        raise outside("kinds", names, "at least one law, each of another name")
