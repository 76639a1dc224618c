"""The three laws of -log pass@k at every k, with what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ...theory.typeset.numbers import Interval, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table
from ..errors import positive_number
from ..fit.fitted import DEFAULT_LEVEL
from ..results import Estimate, checked_level
from ..words import counted
from .across_k import contradicted, envelopes, holds_above, lost_compute, penalties, predict
from .curve import stopped
from .fit_at_k import flat
from .kinds import KINDS
from .laws import AUTO, Data, PassLaws, as_data, fit_passk

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ..data.counts import Counts

FOUR, THREE, TWO = Significant(4), Significant(3), Interval(Significant(2))
#: Of more coefficients, prefactors are shown without their intervals, which frame and JSON have.
MOST_WIDE = 3


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
    compute : tuple of float
        FLOP at which there are predictions and costs of allocations.
    planned : int
        Fits that were asked for: one for every law at every k.
    """

    laws: dict[str, PassLaws]
    level: float
    ratios: tuple[float, ...]
    compute: tuple[float, ...]
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

    # -- what follows ------------------------------------------------------------------------------

    @cached_property
    def holds_above(self) -> dict[str, tuple[Estimate, tuple[int, int] | None]]:
        """By law C_x, above which the laws at all k hold together, and the k that cross there; not
        for one k, nor where the models leave a coefficient open.
        """
        return {
            name: holds_above(laws, self.level)
            for name, laws in self.laws.items()
            if len(laws) > 1 and not any(fit.undetermined for fit in laws.fits)
        }

    @cached_property
    def envelopes(self) -> list[dict[str, Any]]:
        """Rows of `envelopes`, where both laws were fitted."""
        if not {"params-tokens", "compute"} <= set(self.laws):
            return []
        return envelopes(self.laws["params-tokens"], self.laws["compute"], level=self.level)

    @cached_property
    def penalties(self) -> list[dict[str, Any]]:
        """Rows of `penalties` at the ratios."""
        joint = self.laws.get("params-tokens")
        return [] if joint is None else penalties(joint, self.ratios, level=self.level)

    @property
    def predictions(self) -> list[dict[str, Any]]:
        """Rows of `predict` by the compute law, at each compute where it is not refused."""
        return self._ahead[0]

    @property
    def lost_compute(self) -> list[dict[str, Any]]:
        """Rows of `lost_compute` between the params+tokens laws, at each compute where neither is
        refused.
        """
        return self._ahead[1]

    @property
    def refused(self) -> list[dict[str, Any]]:
        """compute and reason, where laws contradict each other."""
        return self._ahead[2]

    @cached_property
    def _ahead(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
        direct, joint = self.laws.get("compute"), self.laws.get("params-tokens")
        predictions: list[dict[str, Any]] = []
        lost: list[dict[str, Any]] = []
        refused: list[dict[str, Any]] = []
        for budget in self.compute:
            try:
                if direct is not None:
                    predictions += predict(direct, {"compute": budget}, level=self.level)
                if joint is not None:
                    laws = {fit.k: fit.law for fit in joint.fits if fit.is_sound}
                    lost += lost_compute(laws, budget)
            except ValueError as error:
                refused.append({"compute": budget, "reason": str(error)})
        return predictions, lost, refused

    # -- for a reader and for a file ---------------------------------------------------------------

    def rows(self) -> list[dict[str, Any]]:
        """A row a law and k: the coefficients with the ends of their intervals, see `PassFit.row`."""
        return [
            {"law": name} | fit.row(self.level)
            for name, laws in self.laws.items()
            for fit in laws.fits
        ]

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def as_dict(self) -> dict[str, Any]:
        """Plain data: laws (a list with rows a k), envelopes, penalties, predictions, lost_compute,
        refused.
        """
        return {
            "level": self.level,
            "laws": [self._law_as_dict(name) for name in self.laws],
            "envelopes": list(map(_flat, self.envelopes)),
            "penalties": list(map(_flat, self.penalties)),
            "predictions": self.predictions,
            "lost_compute": self.lost_compute,
            "refused": self.refused,
        }

    def _law_as_dict(self, name: str) -> dict[str, Any]:
        laws = self.laws[name]
        floor, at = self.holds_above.get(name, (None, None))
        return {
            "law": name,
            "formula": laws.kind.formula,
            "method": laws.method,
            "resamples": laws.resamples,
            "seed": laws.seed,
            "cluster": laws.cluster,
            "n_without_covariates": laws.n_without_covariates,
            "failed": {str(k): why for k, why in laws.failed.items()},
            "rows": [fit.row(self.level) for fit in laws.fits],
            "holds_above": None if floor is None else flat("compute", floor) | {"k": at},
            "warnings": warnings(laws),
        }

    def tables(self) -> list[Table]:
        """Every law over k, then envelopes, costs, predictions and what allocations lose."""
        found = [self._coefficients(name) for name in self.laws]
        of_others = (
            (
                self.envelopes,
                _ENVELOPES,
                "Envelope of the params+tokens law beside the compute law",
            ),
            (self.penalties, _PENALTIES, "Cost of over- and undertraining"),
            (self.predictions, _PREDICTIONS, "Predictions of the compute law"),
            (self.lost_compute, _LOST, "Allocations that are optimal for another k"),
        )
        return found + [Table(columns, rows, title) for rows, columns, title in of_others if rows]

    def __str__(self) -> str:
        text = super().__str__()
        return "\n\n".join([text, *(fill(f"refused: {row['reason']}") for row in self.refused)])

    def _coefficients(self, name: str) -> Table:
        laws, kind = self.laws[name], self.laws[name].kind
        columns = [Column("k", align="left")]
        for coefficient in kind.coefficients:
            wide = len(kind.coefficients) > MOST_WIDE and coefficient in kind.prefactors
            columns.append(
                Column(
                    coefficient,
                    of=partial(_estimate, coefficient=coefficient, level=self.level),
                    format=THREE,
                    interval=TWO,
                    show="value" if wide else "all",
                )
            )
        columns += [Column("scatter", format=THREE), Column("size", "models", align="left")]
        notes = [self._drawn(laws), *(f"k = {k}: no fit: {why}" for k, why in laws.failed.items())]
        notes += [f"k = {fit.k}: no certified minimum" for fit in laws.fits if not fit.converged]
        notes += [*warnings(laws), *self._together(name)]
        return Table(columns, laws.fits, f"-log pass@k = {kind.formula}  ({name})", notes)

    def _drawn(self, laws: PassLaws) -> str:
        what = "models" if laws.cluster is None else f"values of {laws.cluster} with their models"
        by = f"{100 * self.level:g} % intervals by {laws.resamples} resamples of {what}"
        lost = sum(fit.n_failed for fit in laws.fits)
        failed = f", {lost} refits not certified" if lost else ""
        limited = any(fit.is_limited(self.level) for fit in laws.fits)
        limit = f"; one of {laws.kind.floor} from 0 ends at the limit of its profile"
        sure = f"{by}{failed}{limit if limited else ''}" if laws.resamples else "no intervals"
        return f"By {laws.method}; {sure}."

    def _together(self, name: str) -> list[str]:
        if name not in self.holds_above:
            return []
        (floor, at), laws = self.holds_above[name], self.laws[name]
        unit = {"gold": "1/g of", "compute": "C ="}.get(name, "the best allocation of C =")
        where = f"above {unit} {THREE.text(floor.value)}"
        if floor.low is not None and floor.high is not None:
            where += f" {TWO.text(floor.low, floor.high)}"
        where += "" if at is None else f", where k = {at[0]} and {at[1]} cross"
        held = {covariate: laws.covariates[covariate] for covariate in laws.kind.covariates}
        wrong = int(contradicted(laws, held).any(axis=0).sum())
        odd = f"; they contradict each other at {counted(wrong, 'model')}" if wrong else ""
        return [f"The laws of all k hold together {where if at else 'everywhere'}{odd}."]


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with each estimate as its value and ends."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        found |= flat(name, value) if isinstance(value, Estimate) else {name: value}
    return found


def _fitting(key: str, heading: str = "") -> Column:
    return Column(key, heading, format=FOUR, show="all", interval=Interval(THREE))


_K = Column("k", align="left")
_COMPUTE = Column("compute", align="left", of=lambda row: f"{row['compute']:.4g}")
_ENVELOPES = [
    _K,
    _fitting("derived", "alpha derived"),
    _fitting("fitted", "alpha fitted"),
    _fitting("difference"),
    Column("penalty", "median penalty\nof the models", format=FOUR),
]
_PENALTIES = [
    _K,
    Column("ratio", "(D/N)/(D*/N*)", format=THREE),
    _fitting("loss_penalty", "(y - E0)/(y* - E0)"),
    _fitting("effective_compute", "effective compute"),
]
_PREDICTIONS = [
    _COMPUTE,
    Column("k"),
    Column("neg_log", "-log pass@k", format=THREE),
    Column("interval", "for a new model", of=lambda row: TWO.text(row["lo"], row["hi"])),
    Column("pass_at_k", "pass@k", format=THREE, align="left"),
]
_LOST = [
    _COMPUTE,
    Column("chosen", "optimal for k ="),
    Column("judged", "judged at k ="),
    Column("size_ratio", "N/N*", format=THREE),
    Column("loss_penalty", "(y - E0)/(y* - E0)", format=THREE),
    Column("lost_compute", "share of\ncompute lost", format=THREE),
]


def warnings(laws: PassLaws) -> list[str]:
    """What makes laws of these counts doubtful, a sentence each."""
    counts, found = laws.data.counts, []
    if laws.ks[-1] > (most := int(counts.n.max())):
        found.append(f"Beyond k = {most}, the most samples, pass@k is the tail of the Beta law.")
    if laws.method != "likelihood":
        found += [
            f"{said}: estimates are too high, use the likelihood." for said in stopped(counts)
        ]
    return found


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
    compute: Sequence[float] = (),
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
    compute : sequence of float
        FLOP for predictions of the compute law, and for what an allocation that is optimal for one
        k costs at another.

    Returns
    -------
    PassStudy

    Raises
    ------
    ValueError
        As `fit_passk`.
    """
    data = as_data(counts, k, method)
    held = data.counts.covariates
    usual = [name for name, kind in KINDS.items() if set(kind.covariates) <= set(held)]
    names = usual if laws is None else list(dict.fromkeys(laws))
    if not names:
        raise ValueError(
            f"{data.counts.source}: has neither compute nor params and tokens nor gold of the "
            f"models; a law needs one of them"
        )
    at = tuple(positive_number("ratios", ratio) for ratio in ratios)
    budgets = tuple(positive_number("compute", budget) for budget in compute)
    level = checked_level(level)
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
    planned = len(names) * len(data.ks)
    return PassStudy(laws=found, level=level, ratios=at, compute=budgets, planned=planned)


def _estimate(fit: Any, coefficient: str, level: float) -> Any:
    return fit.estimate(coefficient, level)
