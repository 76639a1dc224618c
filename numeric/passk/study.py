"""All three laws at every k, with what follows: trends in k, where the laws hold together,
envelopes, penalties.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .across_k import (
    ZERO,
    MixedDerivative,
    TrendInK,
    mixed_derivatives,
    not_told_from_0,
    open_at,
    trend,
    vanishes_at,
)
from .cautions import AUTO, cautions
from .envelopes import CostAtK, EnvelopeAtK, envelopes, penalties
from .gold import ByGold, by_way_of_gold
from .kinds import KINDS
from .laws import Data, PassLaws, as_counts, fit_passk, ks_of, one_benchmark
from .validity import floor_interval, models_contradicted, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...theory.typeset.table import Table
    from ..data.counts import Counts
    from .validity import Validity

DEFAULT_LEVEL = 0.9


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassStudy:
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
            not laws.failed and all(fit.converged for fit in laws.fits) and not _left_open(laws)
            for laws in self.laws.values()
        )

    @cached_property
    def trends(self) -> dict[str, list[TrendInK]]:
        """How each coefficient of each law moves with k; without an entry where only one k was
        fitted.
        """
        return {
            name: [trend(laws, coefficient, self.level) for coefficient in laws.kind.coefficients]
            for name, laws in self.laws.items()
            if len(laws) > 1
        }

    @cached_property
    def vanishing(self) -> dict[str, int | None]:
        """The k from which on the irreducible part cannot be told from 0, by law; no entry where
        there are no intervals.
        """
        return {
            name: vanishes_at(laws, self.level)
            for name, laws in self.laws.items()
            if laws.resamples > 1 and all(fit.has_intervals for fit in laws.fits)
        }

    @cached_property
    def not_told_from_0(self) -> dict[str, tuple[int, ...]]:
        """Every k at which the irreducible part cannot be told from 0, by law; no entry where there
        are no intervals.
        """
        return {name: not_told_from_0(self.laws[name], self.level) for name in self.vanishing}

    @cached_property
    def open(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """By law and coefficient the k at which the models leave it, or an end of its interval,
        open.
        """
        found = {
            name: {each: open_at(laws, each, self.level) for each in laws.kind.coefficients}
            for name, laws in self.laws.items()
        }
        return {name: {each: ks for each, ks in item.items() if ks} for name, item in found.items()}

    @cached_property
    def cautions(self) -> dict[str, list[str]]:
        """What limits each law, a sentence each."""
        return {name: cautions(laws, self.level) for name, laws in self.laws.items()}

    @cached_property
    def validity(self) -> dict[str, Validity]:
        """Where the laws at all k hold together: in compute or 1/g, of params+tokens laws along
        their envelopes.

        Without an entry where only one k was fitted, or the models leave a coefficient open at some
        k.
        """
        return {
            name: together(laws)
            for name, laws in self.laws.items()
            if len(laws) > 1 and not _left_open(laws)
        }

    @cached_property
    def validity_intervals(self) -> dict[str, tuple[float, float]]:
        """Of C_x, by law."""
        return {
            name: floor_interval(self.laws[name], self.level)
            for name in self.validity
            if all(fit.has_intervals for fit in self.laws[name].fits)
        }

    @cached_property
    def models_contradicted(self) -> dict[str, int]:
        """At how many of the fitted models the laws at different k contradict each other, by law."""
        return {name: models_contradicted(self.laws[name]) for name in self.validity}

    @cached_property
    def mixed(self) -> list[MixedDerivative]:
        """The mixed-derivative test of the compute law."""
        laws = self.laws.get("compute")
        return (
            mixed_derivatives(laws, level=self.level) if laws is not None and len(laws) > 1 else []
        )

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
        laws = [self.laws[name] for name in ("compute", "params-tokens") if name in self.laws]
        if len(laws) < 2:
            return ()
        shared = [
            k
            for k in laws[0].ks
            if k in laws[1].ks and all(each.at(k).has_intervals for each in laws)
        ]
        found = []
        for k in shared:
            (low, high), (least, most) = (
                each.at(k).interval(each.kind.floor, self.level) for each in laws
            )
            if (low > ZERO) != (least > ZERO) or low > most or least > high:
                found.append(k)
        return tuple(found)

    @cached_property
    def penalties(self) -> list[CostAtK]:
        """The penalty and the effective compute at every k and ratio."""
        if not self.ratios or "params-tokens" not in self.laws:
            return []
        return penalties(self.laws["params-tokens"], self.ratios, level=self.level)

    @cached_property
    def compositions(self) -> list[ByGold]:
        """The gold law by way of compute, beside compute laws of the same models, where their
        compute is known.
        """
        laws = self.laws.get("gold")
        if laws is None or not np.isfinite(laws.covariates.get("compute", np.nan)).all():
            return []
        return by_way_of_gold(laws, level=self.level)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: laws (a list with rows a k, trends, validity), envelopes, penalties,
        mixed_derivatives, compositions.
        """
        return {
            "level": self.level,
            "laws": [
                {
                    "law": name,
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
                    "open": {each: list(ks) for each, ks in self.open[name].items()},
                    "cautions": self.cautions[name],
                    "trends": [item.as_dict() for item in self.trends.get(name, [])],
                    "vanishes_at": self.vanishing.get(name),
                    "not_told_from_0": list(self.not_told_from_0[name])
                    if name in self.not_told_from_0
                    else None,
                    "validity": self.validity[name].as_dict() if name in self.validity else None,
                    "validity_interval": list(self.validity_intervals[name])
                    if name in self.validity_intervals
                    else None,
                    "models_contradicted": self.models_contradicted.get(name),
                }
                for name, laws in self.laws.items()
            ],
            "floors_at_odds": list(self.floors_at_odds),
            "envelopes": [item.as_dict() for item in self.envelopes],
            "penalties": [item.as_dict() for item in self.penalties],
            "mixed_derivatives": [item.as_dict() for item in self.mixed],
            "compositions": [item.as_dict() for item in self.compositions],
        }

    def tables(self) -> list[Table]:
        """Every law over k, then envelopes, costs, composed laws and the mixed-derivative test, as
        far as there are such.
        """
        from .study_text import tables

        return tables(self)

    def to_latex(self) -> str:
        """The tables, with booktabs."""
        return "\n\n".join(table.latex() for table in self.tables())

    def _repr_html_(self) -> str:
        return "\n".join(table.html() for table in self.tables())

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
    from ..errors import positive_number
    from ..results import checked_level

    counts = as_counts(counts)
    held = counts.counts.covariates if isinstance(counts, Data) else counts.covariates
    names = (
        list(laws)
        if laws is not None
        else [name for name, kind in KINDS.items() if set(kind.covariates) <= set(held)]
    )
    if not names:
        source = counts.counts.source if isinstance(counts, Data) else counts.source
        raise ValueError(
            f"{source}: has neither compute nor params and tokens nor gold of the models; a law "
            f"needs one of them"
        )
    data = counts if isinstance(counts, Data) else Data(counts, ks_of(counts, k, method))
    one_benchmark(data.counts)
    checked = tuple(positive_number("ratios", ratio) for ratio in ratios)
    if method == "likelihood" and len(names) > 1:
        _ = data.evidence  # once for all laws
    found: dict[str, PassLaws] = {}
    names = list(dict.fromkeys(names))
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


def _left_open(laws: PassLaws) -> bool:
    return any(fit.undetermined for fit in laws.fits)
