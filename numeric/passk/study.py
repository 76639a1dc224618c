"""All three laws at every k, with what follows: trends in k, where the laws hold together,
envelopes, penalties.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...theory.typeset.shown import Shown
from ..errors import positive_number
from ..results import checked_level
from .across_k import (
    ZERO,
    TrendInK,
    not_told_from_0,
    open_at,
    trend,
    vanishes_at,
)
from .cautions import AUTO, cautions
from .envelopes import CostAtK, EnvelopeAtK, envelopes, penalties
from .kinds import KINDS
from .laws import Data, PassLaws, as_counts, fit_passk, ks_of, one_benchmark
from .validity import floor_interval, models_contradicted, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...theory.typeset.table import Table
    from ..data.counts import Counts
    from .validity import Validity

DEFAULT_LEVEL = 0.9


@dataclass(frozen=True, eq=False)
class LawInK:
    """One law at several k with what follows from it. What takes several k is empty or None with
    one; what takes intervals is None without resamples.

    Attributes
    ----------
    laws : PassLaws
    level : float
        Of all intervals.
    """

    laws: PassLaws
    level: float

    @property
    def has_intervals(self) -> bool:
        """Whether every k has resamples that tell how sure the coefficients are."""
        return self.laws.resamples > 1 and all(fit.has_intervals for fit in self.laws.fits)

    @cached_property
    def trends(self) -> list[TrendInK]:
        """How each coefficient moves with k."""
        if len(self.laws) < 2:
            return []
        return [trend(self.laws, name, self.level) for name in self.laws.kind.coefficients]

    @cached_property
    def not_told_from_0(self) -> tuple[int, ...] | None:
        """Every k at which the irreducible part cannot be told from 0."""
        return not_told_from_0(self.laws, self.level) if self.has_intervals else None

    @cached_property
    def vanishes_at(self) -> int | None:
        """The k from which on the irreducible part cannot be told from 0."""
        return vanishes_at(self.laws, self.level) if self.has_intervals else None

    @cached_property
    def open(self) -> dict[str, tuple[int, ...]]:
        """By coefficient the k at which the models leave it, or an end of its interval, open."""
        names = self.laws.kind.coefficients
        found = {name: open_at(self.laws, name, self.level) for name in names}
        return {name: ks for name, ks in found.items() if ks}

    @cached_property
    def cautions(self) -> list[str]:
        """What limits the law, a sentence each."""
        return cautions(self.laws, self.level)

    @property
    def left_open(self) -> bool:
        """Whether the models leave a coefficient undetermined at some k."""
        return any(fit.undetermined for fit in self.laws.fits)

    @cached_property
    def validity(self) -> Validity | None:
        """Where the laws at all k hold together: in compute or 1/g, of params+tokens laws along
        their envelopes. None where the models leave a coefficient open.
        """
        return together(self.laws) if len(self.laws) > 1 and not self.left_open else None

    @cached_property
    def validity_interval(self) -> tuple[float, float] | None:
        """Of C_x."""
        known = self.validity is not None and self.has_intervals
        return floor_interval(self.laws, self.level) if known else None

    @cached_property
    def models_contradicted(self) -> int | None:
        """At how many of the fitted models the laws at different k contradict each other."""
        return None if self.validity is None else models_contradicted(self.laws)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: how the law was fitted, rows a k, and what follows."""
        laws, alike = self.laws, self.not_told_from_0
        return {
            "law": laws.kind.name,
            "formula": laws.kind.formula,
            "method": laws.method,
            "resamples": laws.resamples,
            "seed": laws.seed,
            "cluster": laws.cluster,
            "n_without_covariates": laws.n_without_covariates,
            "failed": {str(k): why for k, why in laws.failed.items()},
            "rows": laws.rows(self.level),
            "refits": {
                "done": laws.resamples * len(laws),
                "not_certified": sum(fit.n_failed for fit in laws.fits),
            },
            "open": {name: list(ks) for name, ks in self.open.items()},
            "cautions": self.cautions,
            "trends": [item.as_dict() for item in self.trends],
            "vanishes_at": self.vanishes_at,
            "not_told_from_0": None if alike is None else list(alike),
            "validity": None if self.validity is None else self.validity.as_dict(),
            "validity_interval": self.validity_interval and list(self.validity_interval),
            "models_contradicted": self.models_contradicted,
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassStudy(Shown):
    """Laws of -log pass@k fitted to the same models.

    Attributes
    ----------
    laws : dict of str to PassLaws
        By name.
    level : float
        Of all intervals.
    ratios : tuple of float
        Overtraining ratios at which the penalty is given.
    planned : int
        Fits that were asked for: one for every law at every k.
    """

    laws: dict[str, PassLaws]
    level: float
    ratios: tuple[float, ...]
    planned: int

    @property
    def done(self) -> int:
        """Fits that were tried, with a result or without."""
        return sum(len(laws) + len(laws.failed) for laws in self.laws.values())

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C left a part undone."""
        return any(laws.interrupted for laws in self.laws.values())

    @property
    def sound(self) -> bool:
        """Whether every k has a fit that is certified and determined."""
        return all(
            not laws.failed and all(fit.is_sound for fit in laws.fits)
            for laws in self.laws.values()
        )

    @cached_property
    def findings(self) -> dict[str, LawInK]:
        """Every law with what follows from it alone."""
        return {name: LawInK(laws, self.level) for name, laws in self.laws.items()}

    @cached_property
    def envelopes(self) -> list[EnvelopeAtK]:
        """Derived beside direct compute laws, where both were fitted."""
        if not {"params-tokens", "compute"} <= set(self.laws):
            return []
        return envelopes(self.laws["params-tokens"], self.laws["compute"], level=self.level)

    @cached_property
    def floors_at_odds(self) -> tuple[int, ...]:
        """The k at which the E0 of the compute law and of the params+tokens law are at odds: but
        one of them is told from 0, or their intervals have nothing in common."""
        if not {"params-tokens", "compute"} <= set(self.laws):
            return ()
        one, other = self.laws["compute"], self.laws["params-tokens"]
        found = []
        for k in one.ks:
            if k in other.ks and one.at(k).has_intervals and other.at(k).has_intervals:
                low, high = one.at(k).interval(one.kind.floor, self.level)
                least, most = other.at(k).interval(other.kind.floor, self.level)
                if (low > ZERO) != (least > ZERO) or low > most or least > high:
                    found.append(k)
        return tuple(found)

    @cached_property
    def penalties(self) -> list[CostAtK]:
        """The penalty and the effective compute at every k and ratio."""
        if not self.ratios or "params-tokens" not in self.laws:
            return []
        return penalties(self.laws["params-tokens"], self.ratios, level=self.level)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: laws (a list with rows a k, trends, validity), envelopes, penalties."""
        return {
            "level": self.level,
            "laws": [law.as_dict() for law in self.findings.values()],
            "floors_at_odds": list(self.floors_at_odds),
            "envelopes": [item.as_dict() for item in self.envelopes],
            "penalties": [item.as_dict() for item in self.penalties],
        }

    def tables(self) -> list[Table]:
        """Every law over k with what is found of it, then envelopes and costs, as far as there are
        such.
        """
        from .study_text import tables

        return tables(self)

    def __str__(self) -> str:
        from .study_text import study_text

        return study_text(self)


def study_passk(
    counts: Counts | Data | Any,
    *,
    laws: Sequence[str] | None = None,
    k: Sequence[int] | None = None,
    method: str = "likelihood",
    resamples: int = 200,
    seed: int = 0,
    cluster: str | None = AUTO,
    level: float = DEFAULT_LEVEL,
    ratios: Sequence[float] = (),
    progress: bool = False,
) -> PassStudy:
    """Several laws at every k, on the same models and the same resamples, with what follows from
    them.

    Parameters
    ----------
    counts : Counts
        Of one benchmark, with covariates; or what `Counts.read` takes.
    laws : sequence of str, optional
        Of "compute", "params-tokens", "gold"; by default those whose covariates the counts have.
    k, method, resamples, seed, cluster, progress
        As in `fit_passk`.
    level : float
        Of the intervals.
    ratios : sequence of float
        Overtraining ratios (D/N)/(D*/N*) at which the penalty is given for every k.

    Returns
    -------
    PassStudy

    Raises
    ------
    ValueError
        As `fit_passk`.
    """
    counts = as_counts(counts)
    data = counts if isinstance(counts, Data) else Data(counts, ks_of(counts, k, method))
    one_benchmark(data.counts)
    held = data.counts.covariates
    usual = [name for name, kind in KINDS.items() if set(kind.covariates) <= set(held)]
    names = usual if laws is None else list(dict.fromkeys(laws))
    if not names:
        raise ValueError(
            f"{data.counts.source}: has neither compute nor params and tokens nor gold of the "
            f"models; a law needs one of them"
        )
    checked = tuple(positive_number("ratios", ratio) for ratio in ratios)
    if method == "likelihood" and len(names) > 1:
        _ = data.evidence  # once for all laws
    found: dict[str, PassLaws] = {}
    for name in names:
        found[name] = fit_passk(
            data,
            law=name,
            method=method,
            resamples=resamples,
            seed=seed,
            cluster=cluster,
            progress=progress,
        )
        if found[name].interrupted:
            break
    return PassStudy(
        laws=found, level=checked_level(level), ratios=checked, planned=len(names) * len(data.ks)
    )
