r"""The derived envelope against the compute laws that the same runs allow: the frontier, isoFLOP
minima and runs at a fixed ratio, each compared with what the theory predicts for it.

Exponents trade off against E, and with few budgets many triples E, C0, alpha give one curve. So the
verdict rests on the relative difference in loss over the compute of the runs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from math import ceil, exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Interval, Percent, Places, Shortest, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table
from .. import formulas
from ..errors import positive_number, whole_number
from ..fit.fit import fit
from ..fit.page import source
from ..fit.resample import LEAST_GROUPS
from ..law.file import beyond
from ..results import DEFAULT_LEVEL as LEVEL
from ..results import Estimate, percentiles
from ..words import counted
from . import approaches
from .lack_of_fit import lack_of_fit
from .paired import banded, is_sound, resample

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from pandas import DataFrame

    from ..fit import Fit
    from ..law import Law
    from .approaches import RunsBudget
    from .lack_of_fit import LackOfFit

    Floats = NDArray[np.float64]

#: The largest relative difference in loss, and the largest difference of exponents of N*(C), that
#: count as agreement.
TOLERANCE, SAME_EXPONENT = 0.01, 0.01
#: The fewest resamples, and the fewest usable ones beyond the quantile of a band: three bands that
#: hold together in 90 % of the cases take 61.
LEAST_RESAMPLES, LEAST_BEYOND = 61, 2
#: With fewer runs beyond the coefficients of the joint law its residuals do not show the noise, and
#: the curves cannot be judged.
LEAST_SPARE = 15
NO_OPTIMUM = "the law that fits best has lost a term, and its optimum: vary params and tokens apart"
CONSISTENT, INCONSISTENT, CANNOT_TELL = "consistent", "inconsistent", "cannot tell"


def _in_per_cent(row: dict[str, Any]) -> Estimate | None:
    found = row["difference"]
    return found and Estimate(*(100.0 * part for part in (found.value, found.low, found.high)))


SIZE, PER_CENT = Significant(3), Places(1, sign=True)
ALPHA: Any = {"format": Places(4), "interval": Interval(Places(3), "[{},{}]")}
REACH: Any = {"format": PER_CENT, "interval": Interval(PER_CENT, "[{},{}]"), "of": _in_per_cent}
COLUMNS = (
    *(
        Column(name, keys=(name, f"{name}_lo", f"{name}_hi"), only="data")
        for name in ("alpha", "difference", "excess")
    ),
    *(
        Column(name, only="data")
        for name in ("approach", "tokens_per_param", "E", "C0", "params_exponent", "reason")
    ),
    Column("name", "approach", align="left", only="page"),
    Column("n_runs", "runs"),
    Column("alpha", show="all", only="page", missing="", **ALPHA),
    Column("params", "N*", format=SIZE, missing=""),
    Column("tokens", "D*", format=SIZE, missing=""),
    Column("loss", "L*", format=Places(4), missing=""),
    Column("difference", "difference, %", show="all", only="page", missing="", **REACH),
    Column("verdict", align="left"),
)
EMPTY: dict[str, Any] = dict.fromkeys(column.key for column in COLUMNS)
MEANINGS = (
    "alpha: exponent of the compute law, with its interval; N*, D*, L*: optimal params, tokens and "
    "loss at the compute of the first line, of a fixed D/N the loss of its runs",
    "difference, %: of the approach's curve from the one that the params+tokens law predicts "
    "for it (its envelope; at a fixed D/N its ray), relative to the loss, where it is largest over "
    "the compute of the runs, and how far its simultaneous band reaches there and elsewhere",
    "verdict: of a row consistent where the band lies within the tolerance, inconsistent where it "
    "lies outside somewhere, else cannot tell; of all inconsistent where a row is or the law does "
    "not fit its runs, else consistent where a row is, else cannot tell",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Check(Shown):
    """The derived envelope beside every compute law that the runs allow.

    Attributes
    ----------
    fit : Fit
        Of the params+tokens law.
    spent, budget : ndarray, RunsBudget
        The compute of the runs (n,), FLOP, and its law in params and tokens.
    compute : float
        The compute at which the table has N*, D* and L*, FLOP.
    rows : list of dict
        A row for the law and for each approach; `to_frame` is their table.
    curves : dict of str to DataFrame
        By approach: compute, the predicted loss there, the relative difference of the approach's
        curve from it, and lo and hi of its simultaneous band.
    budgets : DataFrame
        The optimum by each isoFLOP profile: compute (the geometric mean of its runs, FLOP), n_runs,
        params_lo, params_hi; corrected_params, corrected_tokens and corrected_loss of the vertex
        without its bias. NaN where there is no minimum within the sizes.
    lack_of_fit : LackOfFit or None
        The test whether the law fits its runs; None for too few runs or groups, or a law that they
        leave undetermined.
    tolerance : float
        The largest relative difference in loss that counts as agreement.
    resamples : dict of str to int
        How many were `asked` for, and how many without a joint law (`lost`); their `seed`.
    """

    fit: Fit
    spent: Floats
    budget: RunsBudget
    compute: float
    rows: list[dict[str, Any]]
    curves: dict[str, DataFrame]
    budgets: DataFrame
    lack_of_fit: LackOfFit | None
    tolerance: float
    resamples: dict[str, int]

    def optimum(self, compute: Any) -> tuple[Any, Any, Any]:
        """N*, D* and L* of the law at a compute, FLOP, a number or an array."""
        law = self.budget.law(**self.fit.coefficients)
        sizes = self.budget.unscaled(law.N_opt(compute), law.D_opt(compute))
        return (*sizes, law.L_opt(compute))

    @cached_property
    def judged(self) -> tuple[str, str]:
        """The verdict and its reason: from the fit, else the lack of fit, else the rows."""
        misfit = self.lack_of_fit
        agreeing = [row["name"] for row in self.rows if row["verdict"] == CONSISTENT]
        if not self.fit.converged:
            return CANNOT_TELL, "the params-tokens fit is not certified to be a minimum"
        if misfit is not None and misfit.matters(self.tolerance):
            because = f"the law does not fit its runs (p = {misfit.p_value:.3g}): {misfit}"
            return INCONSISTENT, because
        if because := self._reasons(INCONSISTENT):
            return INCONSISTENT, because
        fits = "" if misfit is None else f"the law fits its runs (p = {misfit.p_value:.2g})"
        if not agreeing:
            return CANNOT_TELL, "; ".join(filter(None, [self._reasons(CANNOT_TELL), fits]))
        within = f"within {100.0 * self.tolerance:.3g} % of what the law predicts"
        return CONSISTENT, f"{' and '.join(agreeing)} {within}{fits and f', and {fits}'}"

    def _reasons(self, verdict: str) -> str:
        """The reasons of the rows with this verdict, each once; empty where no row has it."""
        found: dict[str, list[str]] = {}
        for row in self.rows[1:]:
            if row["verdict"] == verdict:
                found.setdefault(row["reason"], []).append(row["name"])
        return "; ".join(f"{' and '.join(names)}: {reason}" for reason, names in found.items())

    @property
    def verdict(self) -> str:
        """ "consistent", "inconsistent" or "cannot tell"."""
        return self.judged[0]

    @property
    def sentence(self) -> str:
        """The verdict and its reason."""
        return f"verdict: {': '.join(self.judged)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know apart from the verdict."""
        derived, frontier, minima, _ = self.rows
        excess, found = minima["excess"], list[str]()
        if self.verdict != CANNOT_TELL and (unknown := self._reasons(CANNOT_TELL)):
            found.append(f"cannot tell: {unknown}")
        if frontier["C0"] is not None and frontier["params"] is None:
            found.append(
                "no N* of the frontier: most of its runs are the smallest or the largest of those at "
                "their compute"
            )
        if excess and excess.excludes(0.0) and abs(excess.value) > SAME_EXPONENT:
            own, by_law = minima["params_exponent"], derived["params_exponent"]
            found.append(
                f"N*(C) through the isoFLOP minima grows as C^{own:.3f}, by the law as "
                f"C^{by_law:.3f}: they differ beyond chance"
            )
        found += self.fit.warnings
        if self.budget != approaches.SIX_ND:
            found.append(f"the compute of the runs is not 6ND: the budget is {self.budget}")
        if lost := self.resamples["lost"]:
            asked = self.resamples["asked"]
            found.append(f"{lost} of {asked} resamples left out: their joint law did not converge")
        ends = float(self.spent.min()), float(self.spent.max())
        if far := beyond({"compute": ends}, compute=self.compute):
            found.append(f"N*, D* and L* at {self.compute:.3g} FLOP are far beyond the runs: {far}")
        if dropped := len(self.fit.runs.dropped):
            found.append(f"{counted(dropped, 'row')} dropped")
        return tuple(found)

    def __repr__(self) -> str:
        runs = self.fit.runs
        return f"<Check of {counted(len(runs), 'run')} of {runs.source}: {self.verdict}>"

    def tables(self) -> tuple[Table, ...]:
        """The table, with the verdict and at most three notes below it."""
        title = (
            f"{counted(len(self.fit.runs), 'run')}; N*, D* and L* at "
            f"{Shortest(2).text(self.compute)} FLOP; {100.0 * LEVEL:.3g} % intervals"
        )
        notes = [f"note: {note}" for note in self.notes]
        if left := len(notes[3:]):
            notes[2] += f" (and {left} more in JSON)"
        return (Table(COLUMNS, self.rows, title=title, notes=(self.sentence, *notes[:3])),)

    def to_frame(self) -> DataFrame:
        """The table by approach: "params+tokens" for the law itself, then "frontier", "isoflop" and
        "fixed-ratio".

        E, C0 and alpha of the compute law, without the effect of selecting runs on alpha; params,
        tokens, loss: N*, D*, L*; params_exponent of N*(C), and excess: its difference from the
        derived one, with an interval that excludes 0 exactly where this is beyond chance;
        difference: the largest relative one from the predicted curve, with the reach of its band.
        """
        return super().to_frame().set_index("approach")

    def explained(self) -> str:
        """The text with the meaning of its columns."""
        (table,) = self.tables()
        return table.changed(notes=(*table.notes, *MEANINGS)).text()

    def plot(self) -> Figure:
        """The figure of `isoflop.numeric.plot.check.plot_check_runs`."""
        from ..plot.check import plot_check_runs

        return plot_check_runs(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        misfit, runs, budgets = self.lack_of_fit, self.fit.runs, self.budgets
        model = self.fit.solution.model
        return {
            "kind": "runs",
            "law": model.law(self.fit.coefficients, source=source(self.fit)).as_dict(),
            "budget": self.budget._asdict(),
            "compute": self.compute,
            "approaches": self.tables()[0].records(),
            "curves": {name: curve.to_dict("list") for name, curve in self.curves.items()},
            "budgets": budgets.astype(object).where(budgets.notna(), None).to_dict("records"),
            "lack_of_fit": misfit and {**asdict(misfit), "matters": misfit.matters(self.tolerance)},
            **{name: getattr(self, name) for name in ("verdict", "sentence", "tolerance")},
            "level": LEVEL,
            "notes": list(self.notes),
            "resamples": self.resamples,
            "n_runs": len(runs),
            "dropped": [{"row": int(entry.row), "reason": entry.reason} for entry in runs.dropped],
        }


def check(
    runs: Any,
    *,
    draws: int = 1000,
    seed: int = 0,
    tolerance: float = TOLERANCE,
    compute: float | None = None,
    progress: bool = False,
) -> Check:
    """Fit the params+tokens law, derive its envelope, and compare it with every compute law that the
    runs allow.

    Parameters
    ----------
    runs : Runs, or anything that `Runs.read` accepts
        Runs with params, tokens and loss. If they have a `group`, residuals are drawn from one group
        for another; with fewer than four groups the verdict is "cannot tell".
    draws, seed : int
        The number of resamples, at least 61, and their seed, at least 0.
    tolerance : float
        The largest relative difference in loss that counts as agreement; > 0.
    compute : float, optional
        The compute at which N*, D* and L* are given, FLOP, > 0; by default the largest of the runs.
    progress : bool
        Show a progress bar on the standard error.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the law cannot be fitted to the runs.

    Notes
    -----
    The points of an approach, `isoflop.numeric.check.approaches`, and the laws of every resample,
    `isoflop.numeric.check.paired`, are compared by bands that are simultaneous over the compute and,
    by Bonferroni's inequality, over the approaches; the residuals of the law are tested by
    `isoflop.numeric.check.lack_of_fit`. If the table has a compute that is not 6ND, the budget is the
    power law kappa N^a D^d through it.

    Examples
    --------
    >>> from isoflop.numeric.simulate.losses import simulate_losses
    >>> check(simulate_losses(seed=2024), draws=100).verdict
    'consistent'
    """
    from pandas import DataFrame

    draws, seed = whole_number("draws", draws, LEAST_RESAMPLES), whole_number("seed", seed, 0)
    tolerance = positive_number("tolerance", tolerance)

    fitted = fit(runs)
    read = fitted.runs
    spent = formulas.compute(read.params, read.tokens) if read.compute is None else read.compute
    at = float(spent.max()) if compute is None else positive_number("compute", compute)
    if not is_sound(fitted.solution.values[None])[0]:
        raise ValueError(f"{read.source}: {NO_OPTIMUM}")
    budget = approaches.RunsBudget.of(read.params, read.tokens, spent)
    law = budget.law(**fitted.coefficients)
    sizes = budget.scaled(read.params, read.tokens)
    rows = approaches.Rows(*sizes, spent, read.loss)
    profiles, left = approaches.find_profiles(rows), ", ".join(fitted.undetermined)
    unfit = f"the runs leave {left} of the params-tokens law undetermined" if left else ""
    unfit = _too_few_runs(fitted) or unfit
    found = [approaches.find_frontier(rows), approaches.find_minima(profiles, law)]
    found.append(approaches.find_ray(rows, budget, law))
    if unfit:
        found = [each._replace(n_runs=0, reason=unfit) for each in found]
    able = [each for each in found if not each.reason]
    estimates, lost = dict[str, DataFrame](), 0
    if able:
        predicted = law.loss(rows.params, rows.tokens)
        estimates, lost = resample(fitted, budget, predicted, able, draws, seed, progress=progress)

    derived = _derived(fitted, budget, law, at)
    table, curves = [EMPTY | derived], dict[str, DataFrame]()
    band_level = 1.0 - (1.0 - LEVEL) / max(1, len(able))
    for each in found:
        row = EMPTY | {x: y for x, y in each._asdict().items() if x in EMPTY}
        table.append(row := row | {"verdict": CANNOT_TELL})
        if not each.reason:
            name, here = each.approach, each.estimate(rows.loss[None], law)
            resampled = estimates[name].query("valid")
            row["reason"] = _too_few(here, resampled, band_level)
            if not row["reason"]:
                row |= _numbers(here, resampled, budget, at)
                curves[name] = banded(each.compute, here, resampled, band_level)
                row |= _judged(curves[name], tolerance)
    misfit = None
    if not left:
        misfit = lack_of_fit(read, spent, fitted.solution.model.law(fitted.coefficients), seed=seed)
    return Check(
        fit=fitted,
        spent=spent,
        budget=budget,
        compute=at,
        rows=table,
        curves=curves,
        budgets=profiles.table(law, budget),
        lack_of_fit=misfit,
        tolerance=tolerance,
        resamples={"asked": draws, "lost": lost, "seed": seed},
    )


def _derived(fitted: Fit, budget: RunsBudget, law: Law, at: float) -> dict[str, Any]:
    """The row of the params+tokens law, without an optimum if the runs leave the law undetermined."""
    row = {"approach": "params+tokens", "name": "params+tokens", "n_runs": len(fitted.runs)}
    row |= {"verdict": "", "E": law.E}
    row["alpha"] = fitted.estimate(
        lambda own: formulas.exponent(own["beta"] / budget.a, own["gamma"] / budget.d), LEVEL
    )
    if not fitted.undetermined:
        row["params"], row["tokens"] = budget.unscaled(law.N_opt(at), law.D_opt(at))
        row |= {"C0": law.envelope.coefficient, "loss": law.L_opt(at)}
        row["params_exponent"] = law.envelope.params_share / budget.a
    return row


def _too_few_runs(fitted: Fit) -> str:
    """Why the residuals of a fit do not show the noise of its runs; empty if they do."""
    spare, group = fitted.solution.spare, fitted.runs.group
    groups = LEAST_GROUPS if group is None else len({*group.tolist()})
    if spare < LEAST_SPARE:
        runs = counted(len(fitted.runs), "run")
        return f"{runs} leave {spare} beyond the coefficients of the law; takes {LEAST_SPARE}"
    if groups < LEAST_GROUPS:
        few = counted(groups, "group")
        return f"the runs come in {few}; noise cannot be told from fewer than {LEAST_GROUPS} groups"
    return ""


def _too_few(here: DataFrame, resampled: DataFrame, band_level: float) -> str:
    """Why the compute laws through the points of an approach cannot be judged; empty if they can."""
    usable, needed = len(resampled), ceil(LEAST_BEYOND / (1.0 - band_level))
    few = f"{usable}: a band at {100.0 * band_level:.3g} % takes {needed}"
    if not here.valid[0]:
        return "the compute law through its points did not converge"
    return f"too few resamples gave a compute law, {few}" if usable < needed else ""


def _judged(curve: DataFrame, tolerance: float) -> dict[str, Any]:
    """The largest difference of a curve, the verdict and its reason: consistent if the band lies
    within the tolerance of 0 throughout, inconsistent if it lies outside anywhere.
    """
    compute, value, low, high = (curve[x].to_numpy() for x in ("compute", "difference", "lo", "hi"))
    beyond, reach = np.maximum(low, -high), np.maximum(-low, high)
    share, signed = Percent(places=2).text, Percent(places=2, sign=True).text
    at = int((beyond if beyond.max() > tolerance else reach).argmax())
    place, within = f"{Shortest(2).text(compute[at])} FLOP", f"tolerance of {100 * tolerance:.3g} %"
    ends, verdict, reason = f"[{signed(low[at])}, {signed(high[at])}]", CONSISTENT, ""
    if beyond.max() > tolerance:
        verdict, where = INCONSISTENT, f"{ends} at {place}, outside the {within}"
        reason = f"the difference is {signed(value[at])} {where}"
    elif reach.max() > tolerance:
        verdict, where = CANNOT_TELL, f"{share(reach[at])} at {place}, beyond the {within}"
        reason = f"the band reaches {where}"
    most = float(value[np.abs(value).argmax()])
    found = Estimate(most, float(low.min()), float(high.max()))
    return {"difference": found, "verdict": verdict, "reason": reason}


def _numbers(
    here: DataFrame, resampled: DataFrame, budget: RunsBudget, at: float
) -> dict[str, Any]:
    """The compute law of an approach, N*, D* and L* at a compute, and the exponent of N*(C), from the
    estimates for the losses of the runs and for the resamples.
    """
    own = here.iloc[0]
    numbers = {"E": own.E, "C0": exp(own.log_C0)}
    numbers["loss"] = own.E + exp(own.log_C0 - own.alpha * log(at))
    alphas, by_selection = resampled.alpha, resampled.alpha - resampled.alpha_predicted
    alpha = own.alpha - by_selection.median()
    low, high = percentiles(alphas - alphas.median(), LEVEL)
    numbers["alpha"] = Estimate(alpha, float(alpha + low), float(alpha + high))
    if np.isfinite(own.exponent):
        size = exp(own.level + own.exponent * log(at))
        numbers["params"], numbers["tokens"] = budget.unscaled(size, at / (6.0 * size))
        excess = (own.exponent - own.share) / budget.a
        by_chance = (resampled.exponent - resampled.share) / budget.a
        middle, (low, high) = by_chance.median(), percentiles(by_chance, LEVEL)
        # The interval excludes 0 exactly where the difference is beyond chance.
        numbers["excess"] = Estimate(excess - middle, float(excess - high), float(excess - low))
        numbers["params_exponent"] = own.exponent / budget.a - middle
    return numbers
