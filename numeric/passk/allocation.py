"""What an allocation that is optimal for pass@k1, or for the loss, costs at pass@k2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Format, Interval
from ...theory.typeset.table import Column, Table
from ..errors import outside
from ..fit.resample import paired
from ..law.across import COEFFICIENTS, across_all, budgets_of
from ..results import Estimate, checked_level, percentiles
from .validity import rises

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..law import Law
    from .fit_at_k import PassFit

    Floats = NDArray[np.float64]

__all__ = ["AllocationMatrix", "allocation_matrix"]

#: The name by which a law of loss takes part among laws of -log pass@k.
LOSS = "loss"
#: Judges in a table, without and with intervals.
COLUMNS, WIDE_COLUMNS = 7, 4


class _Share(Format):
    """A share in %, to two digits.

    >>> [_Share().text(share) for share in (0.0, 0.00123, 0.0456, 0.3255, 0.99999)]
    ['0', '0.12', '4.6', '33', '100']
    """

    def finite(self, value: float) -> str:
        return f"{100.0 * value:.0f}" if value >= 0.0995 else f"{100.0 * value:.2g}"


@dataclass(frozen=True, kw_only=True, eq=False)
class AllocationMatrix:
    """The compute that every law's allocation loses under every law.

    Attributes
    ----------
    labels : tuple
        The keys of the laws: values of k, or names such as "loss".
    laws : tuple of Law
    compute : ndarray
        (M,), FLOP.
    log_size_ratio, excess, lost_compute : ndarray
        (K, K, M): first the law that chooses, then the one that judges. Exactly 0 on the diagonal.
    low, high : ndarray or None
        Percentiles of the lost compute over the resamples, in which the laws at all k are refitted
        together.
    at_limit : ndarray of bool
        (K, K): whether the ends bound nothing, as a limit of the search kept too many resamples of
        either law from other exponents.
    level : float
        Of the intervals.
    """

    labels: tuple[Any, ...]
    laws: tuple[Law, ...]
    compute: Floats
    log_size_ratio: Floats
    excess: Floats
    lost_compute: Floats
    low: Floats | None
    high: Floats | None
    at_limit: NDArray[np.bool_]
    level: float

    def lost(self, i: int, j: int, m: int) -> Estimate:
        """The share of compute m that the allocation of law i loses under law j."""
        value = float(self.lost_compute[i, j, m])
        if i == j or self.low is None or self.high is None:
            return Estimate(value)
        ends = ("low", "high") if self.at_limit[i, j] else ()
        return Estimate(
            value, self.low[i, j, m], self.high[i, j, m], at_limit=ends, level=self.level
        )

    @cached_property
    def contradictions(self) -> tuple[tuple[int, float, float] | None, ...]:
        """For every compute the worst contradiction between laws of -log pass@k at any of the
        allocations, None without one.

        It is the index of the law that allocates, and k1 < k2 whose laws say there that more
        samples solve fewer problems: they tell no cost of that allocation. Laws by a name are of
        something else and take part as allocations alone.
        """
        judges = sorted(
            (k, law)
            for k, law in zip(self.labels, self.laws, strict=True)
            if not isinstance(k, str)
        )
        if len(judges) < 2 or any(law.E is None for _, law in judges):
            return (None,) * self.compute.size
        at = [
            (law.envelope.params(self.compute), law.envelope.tokens(self.compute))
            for law in self.laws
        ]
        y = np.stack(
            [[law.loss(params, tokens) for params, tokens in at] for _, law in judges]
        )  # judges, allocations, compute
        wrong = np.asarray(rises(y).any(axis=(0, 1)))
        excess = np.triu((y[None] - y[:, None]).transpose(3, 2, 0, 1), 1)
        worst: list[tuple[int, float, float] | None] = []
        for is_wrong, of_budget in zip(wrong, excess, strict=True):
            allocation, one, two = np.unravel_index(int(of_budget.argmax()), of_budget.shape)
            found = int(allocation), float(judges[one][0]), float(judges[two][0])
            worst.append(found if is_wrong else None)
        return tuple(worst)

    def refusals(self) -> dict[float, str]:
        """Why no cost is told at a compute, by compute, for those at which the laws contradict each
        other.
        """
        return {
            float(budget): (
                f"compute={budget:.6g}: the params+tokens laws at k={worst[1]:g} and "
                f"k={worst[2]:g} contradict each other at the "
                f"allocation that is optimal for {_name(self.labels[worst[0]])} (more samples "
                f"would solve fewer problems); no "
                "cost of an allocation there"
            )
            for budget, worst in zip(self.compute, self.contradictions, strict=True)
            if worst is not None
        }

    def rows(self) -> list[dict[str, Any]]:
        """A record for every ordered pair of different laws and every compute.

        lost_compute_lo, _hi and _open ("both" where the ends bound nothing, else None) only with
        intervals. contradicted_by: k1 and k2 whose laws contradict each other at an allocation of
        that compute, else None.
        """
        size = len(self.labels)
        return [
            self._row(i, j, m)
            for i in range(size)
            for j in range(size)
            for m in range(self.compute.size)
            if i != j
        ]

    def _row(self, i: int, j: int, m: int) -> dict[str, Any]:
        lost, worst = self.lost(i, j, m), self.contradictions[m]
        ends: dict[str, Any] = {}
        if lost.has_interval:
            ends = {"lost_compute_lo": lost.low, "lost_compute_hi": lost.high}
            ends["lost_compute_open"] = "both" if lost.at_limit else None
        return {
            "chosen": self.labels[i],
            "judged": self.labels[j],
            "compute": float(self.compute[m]),
            "size_ratio": float(np.exp(self.log_size_ratio[i, j, m])),
            "excess": float(self.excess[i, j, m]),
            "lost_compute": lost.value,
            **ends,
            "contradicted_by": None if worst is None else list(worst[1:]),
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"labels": list(self.labels), "compute": self.compute.tolist(), "rows": self.rows()}

    def tables(self) -> list[Table]:
        """A table a compute without contradictions, in parts where there are many laws: rows
        choose, columns judge.
        """
        what = "in %" if self.low is None else f"in % [{100 * self.level:g} %]"
        at_once = COLUMNS if self.low is None else WIDE_COLUMNS
        name = Column("name", "optimal for", align="left", of=lambda i: _name(self.labels[i]))
        tables = []
        for m, budget in enumerate(self.compute):
            if self.contradictions[m] is not None:
                continue
            for first in range(0, len(self.labels), at_once):
                judges = range(first, min(first + at_once, len(self.labels)))
                title = "" if first else f"Compute lost at C = {_short(budget)} FLOP, {what}"
                columns = [self._judge(j, m, last=j == judges[-1]) for j in judges]
                tables.append(Table([name, *columns], range(len(self.labels)), title))
        return tables

    def _judge(self, j: int, m: int, *, last: bool) -> Column:
        name = _name(self.labels[j])
        return Column(
            name,
            of=lambda i: self.lost(i, j, m),
            format=_Share(),
            show="all",
            interval=Interval(_Share()),
            align="left" if last else "right",
        )

    def __str__(self) -> str:
        from textwrap import fill

        from ...theory.typeset.table import WIDTH

        reasons = [fill(reason, WIDTH) for reason in self.refusals().values()]
        text = "\n\n".join([*reasons, *map(str, self.tables())])
        if self.low is not None and self.at_limit.any():
            share = f"over {50.0 * (1.0 - self.level):g} % of the refits"
            said = f"< and >: no ends, as {share} end at a limit of the search for an exponent"
            text += "\n" + fill(said, WIDTH)
        return text


def allocation_matrix(
    laws: Mapping[Any, Law | PassFit], compute: Any, *, level: float = 0.9
) -> AllocationMatrix:
    """What every law's optimal allocation costs under every other.

    Parameters
    ----------
    laws : mapping
        k, or a name such as "loss", to a params+tokens law with A and B, or to one fitted at k.
        Intervals are from the resamples of the fitted ones, where all of them have the same; the
        others count as known.
    compute : float or array_like
        (M,): budgets in FLOP, > 0.
    level : float
        Of the intervals.

    Raises
    ------
    ValueError
        Where there is no law, a law has no A and B, or a compute or the level is outside its
        domain.
    """
    if not laws:
        raise outside("laws", dict(laws), "at least one law, by its k or its name")
    budgets, level = budgets_of(compute), checked_level(level)
    fits: dict[Any, Any] = {label: law for label, law in laws.items() if hasattr(law, "kind")}
    for fit in fits.values():
        if fit.kind.name != "params-tokens":
            raise ValueError(f"law={fit.kind.name!r}: must be 'params-tokens'")
    plain: tuple[Any, ...] = tuple(
        fits[label].law_of(fits[label].coefficients) if label in fits else law
        for label, law in laws.items()
    )
    needed = [law.needed("A", "B") for law in plain]
    columns = {name: np.array([law[name] for law in needed]) for name in COEFFICIENTS}
    low = high = None
    common, of_fits = (
        paired(fit.draws for fit in fits.values())
        if fits and all(fit.has_intervals for fit in fits.values())
        else (np.empty(0, dtype=np.intp), [])
    )
    if len(common) > 1:
        drawn = {name: np.repeat(columns[name][None], len(common), axis=0) for name in COEFFICIENTS}
        for label, of_law in zip(fits, of_fits, strict=True):
            for name, values in zip(fits[label].kind.terms.coefficients, of_law.T, strict=True):
                if name in drawn:
                    drawn[name][:, list(laws).index(label)] = values
        low, high = percentiles(across_all(drawn, budgets, excess=False)["lost_compute"], level)
    doubt = np.array(
        [
            label in fits and fits[label].is_at_limit(level, *fits[label].kind.exponents)
            for label in laws
        ]
    )
    return AllocationMatrix(
        labels=tuple(laws),
        laws=plain,
        compute=budgets,
        **across_all(columns, budgets),
        low=low,
        high=high,
        at_limit=(doubt[:, None] | doubt[None, :]) & ~np.eye(len(doubt), dtype=bool),
        level=level,
    )


def _name(label: Any) -> str:
    return label if isinstance(label, str) else f"pass@{label:g}"


def _short(value: float) -> str:
    return f"{value:.4g}".replace("e+", "e")
