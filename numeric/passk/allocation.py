"""What an allocation that is optimal for pass@k1, or for the loss, costs at pass@k2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import outside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..law import Law
    from .allocation_draws import LostBetween
    from .validity import Violation

    Floats = NDArray[np.float64]

__all__ = ["AllocationAcross", "AllocationMatrix", "allocation_across", "allocation_matrix", "compute_of_agreement"]

MEASURES = {
    "loss_penalty": formulas.penalty,
    "excess": formulas.excess,
    "effective_compute": formulas.effective_compute,
    "lost_compute": formulas.lost_compute,
}
COEFFICIENTS = ("A", "B", "beta", "gamma")
#: The name by which a law of loss takes part among laws of -log pass@k.
LOSS = "loss"
#: Columns of a table that fit beside each other.
COLUMNS, WIDE_COLUMNS = 7, 4


@dataclass(frozen=True, kw_only=True, eq=False)
class AllocationAcross:
    """One law's optimal allocation, judged by another law; a value for every compute.

    Attributes
    ----------
    chosen, judged : str
        Names of the law that allocates and of the one that judges.
    judged_is_passk : bool
        Whether the second is a law of -log pass@k, so that values of pass@k follow from it.
    compute : ndarray
        FLOP.
    params, tokens : ndarray
        The allocation: optimal for the first law.
    optimal_params, optimal_tokens : ndarray
        What is optimal for the second.
    size_ratio : ndarray
        r = params/optimal_params; its logarithm is `log_size_ratio`.
    loss_penalty, excess : ndarray
        P = (y - E)/(y* - E) under the second law, and P - 1 without cancellation.
    leading_excess : ndarray
        beta gamma (log r)^2/2: P - 1 to leading order.
    effective_compute, lost_compute : ndarray
        C_eff/C, the share of the compute that the second law's optimum needs for the same value; and 1 - C_eff/C.
    reducible, optimal_reducible : ndarray
        y - E and y* - E under the second law.
    value, optimal_value : ndarray or None
        y and y*; None where the second law has no E.
    """

    chosen: str
    judged: str
    judged_is_passk: bool
    compute: Floats
    params: Floats
    tokens: Floats
    optimal_params: Floats
    optimal_tokens: Floats
    log_size_ratio: Floats
    size_ratio: Floats
    loss_penalty: Floats
    excess: Floats
    leading_excess: Floats
    effective_compute: Floats
    lost_compute: Floats
    reducible: Floats
    optimal_reducible: Floats
    value: Floats | None
    optimal_value: Floats | None

    @property
    def pass_at_k(self) -> Floats | None:
        """pass@k of the allocation; None where y is no -log pass@k or has no E."""
        return np.exp(-self.value) if self.judged_is_passk and self.value is not None else None

    @property
    def optimal_pass_at_k(self) -> Floats | None:
        """pass@k of the second law's own optimum."""
        return np.exp(-self.optimal_value) if self.judged_is_passk and self.optimal_value is not None else None

    @property
    def lost_pass_at_k(self) -> Floats | None:
        """What the allocation loses of pass@k, without cancellation."""
        best = self.optimal_pass_at_k
        return None if best is None else best * -np.expm1(-self.optimal_reducible * self.excess)

    def rows(self) -> list[dict[str, Any]]:
        """A record for every compute."""
        columns = self._columns()
        return [
            {
                "chosen": self.chosen,
                "judged": self.judged,
                **{key: None if x is None else float(x[i]) for key, x in columns.items()},
            }
            for i in range(self.compute.size)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        columns = {key: None if x is None else x.tolist() for key, x in self._columns().items()}
        return {"chosen": self.chosen, "judged": self.judged, **columns}

    def _columns(self) -> dict[str, Floats | None]:
        left_out = ("chosen", "judged", "judged_is_passk")
        found = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in left_out}
        return found | {name: getattr(self, name) for name in ("pass_at_k", "optimal_pass_at_k", "lost_pass_at_k")}

    def __str__(self) -> str:
        from ..fit.text import table

        passes = self.judged_is_passk and self.value is not None
        columns = ["C (FLOP)", "N", "D", "N/N*", "P - 1", "lost compute"]
        columns += ["pass@k", "of at best"] if passes else ["y", "of at best"]
        seen, best = (self.pass_at_k, self.optimal_pass_at_k) if passes else (self.value, self.optimal_value)
        rows = []
        for i in range(self.compute.size):
            numbers = (self.compute, self.params, self.tokens, self.size_ratio, self.excess)
            cells = [_short(x[i]) for x in numbers] + [f"{self.lost_compute[i]:.3%}"]
            rows.append([*cells, *("-" if x is None else f"{x[i]:.6g}" for x in (seen, best))])
        return "\n".join([f"Optimal for {self.chosen}, judged by {self.judged}", *table(columns, rows)])


def allocation_across(
    chosen: Law,
    judged: Law,
    compute: Any,
    *,
    chosen_name: str = "",
    judged_name: str = "",
    judged_is_passk: bool = True,
) -> AllocationAcross:
    """What it costs under one law to allocate optimally for another.

    Parameters
    ----------
    chosen : Law
        The law that chooses params and tokens: of -log pass@k1, or of the loss. Needs A and B.
    judged : Law
        The law by which the result counts: of -log pass@k2, or of the loss. Needs A and B; without E no value of pass@k.
    compute : float or array_like
        Budgets C = 6 N D in FLOP, > 0, in one dimension.
    chosen_name, judged_name : str, optional
        For tables; by default the names of the laws.
    judged_is_passk : bool
        Whether the second law is one of -log pass@k.

    Returns
    -------
    AllocationAcross

    Raises
    ------
    ValueError
        Where a compute is outside its domain, or a law has no A and B.

    Notes
    -----
    r = (G_1/G_2) (C/6)^(w_N(1) - w_N(2)) and P = (gamma_2 r^-beta_2 + beta_2 r^gamma_2)/(beta_2 + gamma_2):
    isoflop.derivations.passk.allocation_across_k.

    Examples
    --------
    >>> from isoflop.numeric.law import Law
    >>> few, many = Law(A=40.0, B=90.0, beta=0.2, gamma=0.2), Law(A=400.0, B=900.0, beta=0.3, gamma=0.35)
    >>> found = allocation_across(few, many, 1e21)
    >>> round(float(found.size_ratio[0]), 3), round(float(found.excess[0]), 5)
    (0.097, 0.28831)
    """
    budgets = budgets_of(compute)
    first, second = chosen.needed("A", "B"), judged.needed("A", "B")
    s = formulas.log_size_ratio_across(compute=budgets, **_indexed(first, 1), **_indexed(second, 2))
    measures = {name: function(s, judged.beta, judged.gamma) for name, function in MEASURES.items()}
    best = judged.envelope.reducible_loss(budgets)
    optimal = None if judged.E is None else judged.envelope.loss(budgets)
    return AllocationAcross(
        chosen=chosen_name or chosen.name,
        judged=judged_name or judged.name,
        judged_is_passk=judged_is_passk,
        compute=budgets,
        params=chosen.envelope.params(budgets),
        tokens=chosen.envelope.tokens(budgets),
        optimal_params=judged.envelope.params(budgets),
        optimal_tokens=judged.envelope.tokens(budgets),
        log_size_ratio=s,
        size_ratio=formulas.size_ratio_at_log(s),
        leading_excess=formulas.leading_excess(log_size_ratio=s, beta=judged.beta, gamma=judged.gamma),
        optimal_reducible=best,
        reducible=best * measures["loss_penalty"],
        value=None if optimal is None else optimal + best * measures["excess"],
        optimal_value=optimal,
        **measures,
    )


def compute_of_agreement(first: Law, second: Law) -> float | None:
    """The compute at which two laws allocate alike; None where their exponents of N*(C) agree, so that the ratio never changes.

    Returns
    -------
    float or None
        FLOP; 0 or inf where it lies beyond the range of a float.
    """
    one, two = (law.needed("A", "B") for law in (first, second))
    if first.envelope.params_share == second.envelope.params_share:
        return None
    found = formulas.log_compute_of_agreement(**_indexed(one, 1), **_indexed(two, 2))
    with np.errstate(over="ignore", under="ignore"):
        return float(np.exp(found))


# -- all pairs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class AllocationMatrix:
    """Every law's allocation under every law.

    Attributes
    ----------
    labels : tuple
        The keys of the laws: values of k, or names such as "loss".
    compute : ndarray
        (M,), FLOP.
    log_size_ratio, excess, lost_compute : ndarray
        (K, K, M): first the law that chooses, then the one that judges. Exactly 0 on the diagonal.
    between : LostBetween or None
        Intervals of the lost compute, where the laws were fitted with resamples (`isoflop.numeric.passk.allocation_draws`).
    """

    labels: tuple[Any, ...]
    laws: tuple[Law, ...]
    compute: Floats
    log_size_ratio: Floats
    excess: Floats
    lost_compute: Floats
    between: LostBetween | None = None

    def pair(self, chosen: Any, judged: Any) -> AllocationAcross:
        """One pair in full."""
        i, j = (self._index(label) for label in (chosen, judged))
        names = {"chosen_name": _name(self.labels[i]), "judged_name": _name(self.labels[j])}
        is_passk = not isinstance(self.labels[j], str)
        return allocation_across(self.laws[i], self.laws[j], self.compute, **names, judged_is_passk=is_passk)

    @cached_property
    def contradictions(self) -> tuple[Violation | None, ...]:
        """For every compute the worst contradiction between laws of -log pass@k at any of the allocations, None without one.

        Laws that say at k2 > k1 that more samples solve fewer problems, at an allocation that is optimal for one of them, tell no
        cost of that allocation. Laws by a name are of something else and take part as allocations alone.
        """
        from .validity import violations_at

        judges = {label: law for label, law in zip(self.labels, self.laws, strict=True) if not isinstance(label, str)}
        if len(judges) < 2 or any(law.E is None for law in judges.values()):
            return (None,) * self.compute.size
        params, tokens = (
            np.stack([getattr(law.envelope, name)(self.compute) for law in self.laws]) for name in ("params", "tokens")
        )
        found = (violations_at(judges, params=params[:, m], tokens=tokens[:, m]) for m in range(self.compute.size))
        return tuple(max(each, key=lambda violation: violation.excess, default=None) for each in found)

    def refusals(self) -> dict[float, str]:
        """Why nothing is told at a compute, by compute, for those at which the laws contradict each other."""
        return {
            float(budget): self._refusal(float(budget), found)
            for budget, found in zip(self.compute, self.contradictions, strict=True)
            if found is not None
        }

    def _refusal(self, budget: float, found: Violation) -> str:
        return (
            f"compute={budget:.6g}: the params+tokens laws at k={found.k[0]:g} and k={found.k[1]:g} contradict each other at the "
            f"allocation that is optimal for {_name(self.labels[found.point])} (more samples would solve fewer problems); no "
            "cost of an allocation there"
        )

    def _index(self, label: Any) -> int:
        if label not in self.labels:
            raise outside("label", label, f"one of {', '.join(map(repr, self.labels))}")
        return self.labels.index(label)

    def rows(self) -> list[dict[str, Any]]:
        """A record for every ordered pair of different laws and every compute.

        lost_compute_lo, _hi and _open ("both" where the ends are none, else None) only with intervals. contradicted_by: k1 and
        k2 whose laws contradict each other at an allocation of that compute, else None.
        """
        worst = [None if found is None else list(found.k) for found in self.contradictions]
        return [
            {
                "chosen": one,
                "judged": two,
                "compute": float(self.compute[m]),
                "size_ratio": float(np.exp(self.log_size_ratio[i, j, m])),
                "excess": float(self.excess[i, j, m]),
                "lost_compute": float(self.lost_compute[i, j, m]),
                **self._ends(i, j, m),
                "contradicted_by": worst[m],
            }
            for i, one in enumerate(self.labels)
            for j, two in enumerate(self.labels)
            for m in range(self.compute.size)
            if i != j
        ]

    def _ends(self, i: int, j: int, m: int) -> dict[str, Any]:
        if self.between is None:
            return {}
        low, high = float(self.between.low[i, j, m]), float(self.between.high[i, j, m])
        return {"lost_compute_lo": low, "lost_compute_hi": high, "lost_compute_open": "both" if self.between.open[i, j] else None}

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"labels": list(self.labels), "compute": self.compute.tolist(), "rows": self.rows()}

    def __str__(self) -> str:
        from textwrap import wrap

        from ..fit.text import WIDTH, table

        parts, refused, between = [], self.refusals(), self.between
        at_once = COLUMNS if between is None else WIDE_COLUMNS
        what = "in %" if between is None else f"in % [{100 * between.level:g} %]"
        for m, budget in enumerate(self.compute):
            if float(budget) in refused:
                parts += ["", *wrap(refused[float(budget)], WIDTH)]
                continue
            parts += ["", f"Compute lost at C = {_short(budget)} FLOP, {what}"]
            for first in range(0, len(self.labels), at_once):
                judges = range(first, min(first + at_once, len(self.labels)))
                rows = [[_name(one), *(self._cell(i, j, m) for j in judges)] for i, one in enumerate(self.labels)]
                parts += [*([""] if first else []), *table(("optimal for", *(_name(self.labels[j]) for j in judges)), rows)]
        if between is not None and between.open.any():
            share = f"over {50.0 * (1.0 - between.level):g} % of the refits end at a limit of the search for an exponent"
            parts += wrap(f"< and >: no ends, as {share}", WIDTH)
        return "\n".join(parts[1:])

    def _cell(self, i: int, j: int, m: int) -> str:
        """Lost compute in %, with its interval where there is one; an end that is none is marked < or >."""
        lost = _percent(self.lost_compute[i, j, m])
        if self.between is None or i == j:
            return lost
        below, above = ("<", ">") if self.between.open[i, j] else ("", "")
        low, high = (_percent(end[i, j, m]) for end in (self.between.low, self.between.high))
        return f"{lost} [{below}{low}, {above}{high}]"


def allocation_matrix(laws: Mapping[Any, Law], compute: Any) -> AllocationMatrix:
    """What every law's optimal allocation costs under every other.

    Parameters
    ----------
    laws : mapping
        k, or a name such as "loss", to a params+tokens law with A and B.
    compute : float or array_like
        Budgets in FLOP, > 0.

    Raises
    ------
    ValueError
        Where there is no law, a law has no A and B, or a compute is outside its domain.
    """
    if not laws:
        raise outside("laws", dict(laws), "at least one law, by its k or its name")
    budgets = budgets_of(compute)
    needed = [law.needed("A", "B") for law in laws.values()]
    columns = {name: np.array([each[name] for each in needed]) for name in COEFFICIENTS}
    found: dict[str, Any] = dict(between_all(columns, budgets))
    return AllocationMatrix(labels=tuple(laws), laws=tuple(laws.values()), compute=budgets, **found)


def between_all(
    columns: Mapping[str, Floats], budgets: Floats, names: Sequence[str] = ("excess", "lost_compute")
) -> dict[str, Floats]:
    """log_size_ratio and the measures named (..., K, K, M) of all pairs of laws: A, B, beta and gamma, (..., K) each."""
    first = {f"{name}_1": columns[name][..., :, None, None] for name in COEFFICIENTS}
    second = {f"{name}_2": columns[name][..., None, :, None] for name in COEFFICIENTS}
    s = formulas.log_size_ratio_across(compute=budgets, **first, **second)
    judge = {name: second[f"{name}_2"] for name in ("beta", "gamma")}
    return {"log_size_ratio": s, **{name: getattr(formulas, name)(s, **judge) for name in names}}


# -- plumbing ----------------------------------------------------------------------------------------------------------


def _indexed(coefficients: Mapping[str, float], index: int) -> dict[str, float]:
    return {f"{name}_{index}": coefficients[name] for name in COEFFICIENTS}


def budgets_of(compute: Any) -> Floats:
    """Budgets (M,) in FLOP, or a ValueError."""
    try:
        values = np.atleast_1d(np.asarray(compute, dtype=np.float64))
    except (TypeError, ValueError):
        raise outside("compute", compute, "positive finite numbers") from None
    if values.ndim != 1 or not values.size:
        raise outside("compute", f"an array of shape {values.shape}", "a number or a list of numbers")
    bad = ~(np.isfinite(values) & (values > 0.0))
    if bad.any():
        raise outside("compute", float(values[bad][0]), "positive finite numbers")
    return values


def _name(label: Any) -> str:
    return label if isinstance(label, str) else f"pass@{label:g}"


def _percent(share: float) -> str:
    """A share in %, to two digits.

    >>> [_percent(share) for share in (0.0, 0.00123, 0.0456, 0.3255, 0.99999)]
    ['0', '0.12', '4.6', '33', '100']
    """
    return f"{100.0 * share:.0f}" if share >= 0.0995 else f"{100.0 * share:.2g}"


def _short(value: float) -> str:
    return f"{value:.4g}".replace("e+", "e")
