"""The three laws of -log pass@k fitted at every k, with what follows from them.

The envelope of a params+tokens law is the best that any allocation reaches; models that were
trained off the optimum lie above it, so that a law fitted to compute alone estimates the envelope
times the penalty of their allocations (derivations compute_optimal_envelope, misallocation_penalty).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Interval, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Subheading, Table
from .. import formulas
from ..data.counts import Counts
from ..errors import outside, positive_number, whole_number
from ..fit.resample import LEAST_GROUPS, case_weights
from ..results import DEFAULT_LEVEL as LEVEL
from ..results import Estimate
from ..words import counted
from .curve import curve, stopped
from .fit_at_k import KINDS, PassFit, fit_at_k, kind_of
from .likelihood import evidence_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    from ..law import Law

    Floats = NDArray[np.float64]
    Rows = list[dict[str, Any]]

__all__ = ["METHODS", "PassLaws", "fit_passk", "last_crossings", "lost_compute"]

METHODS = LIKELIHOOD, SQUARES = "likelihood", "least-squares-log"
USUAL_K = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
#: The covariate by which models are drawn together.
SIZE = "params"
#: The law that has an envelope, and the one that is fitted to compute alone.
JOINT, DIRECT = "params-tokens", "compute"
#: The coefficients in the text: prefactors where there is one law; those that show intervals.
PREFACTORS, EXPONENTS = ("C0", "N0", "D0", "K0"), ("alpha", "beta", "gamma", "kappa")
WITH_INTERVALS = ("E0", "alpha", "kappa")
#: log C is searched between minus and plus this, 1e-300 to 1e300 FLOP (a crossing beyond counts as 0
#: or as infinite), by so many halvings, enough for neighbouring floats.
FARTHEST, HALVINGS = 300.0 * float(np.log(10.0)), 64
THREE, TWO = Significant(3), Interval(Significant(2))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassLaws(Shown):
    """Laws of -log pass@k fitted to the same models.

    Attributes
    ----------
    fits : dict of (str, int) to PassFit
        By law and k, both in order.
    failed : dict of (str, int) to str
        The reason why there is no fit.
    counts : dict of str to Counts
        The models that have the covariates of each law.
    cluster : dict of str to (str or None)
        For each law "params" where models of one size are drawn together, else None.
    method, resamples, seed, ratios, compute
        As in `fit_passk`.
    """

    fits: dict[tuple[str, int], PassFit]
    failed: dict[tuple[str, int], str]
    counts: dict[str, Counts]
    cluster: dict[str, str | None]
    method: str
    resamples: int
    seed: int
    ratios: tuple[float, ...]
    compute: tuple[float, ...]

    def of(self, law: str) -> dict[int, PassFit]:
        """The fits of a law by k."""
        return {k: fit for (name, k), fit in self.fits.items() if name == law}

    def at(self, k: int, law: str | None = None) -> PassFit:
        """The fit of a law, by default the first, at one k; a ValueError where there is none."""
        key = law or next(iter(self.counts)), k
        if key not in self.fits:
            why = self.failed.get(key, f"there are {', '.join(map(str, self.fits))}")
            raise ValueError(f"law={law!r}, k={k!r}: has no fit: {why}")
        return self.fits[key]

    def observed(self, law: str, k: int) -> DataFrame:
        """The unbiased estimates of the models that a law was fitted to."""
        return curve(self.counts[law], [k])

    @property
    def sound(self) -> bool:
        """Whether every law was fitted at every k, certified and determined."""
        return not self.failed and all(fit.is_sound for fit in self.fits.values())

    # -- what follows ------------------------------------------------------------------------------

    @cached_property
    def holds_above(self) -> dict[str, tuple[Estimate, tuple[int, int] | None]]:
        """For each law C_x, the compute in FLOP (gold law: 1/g) above which its laws at all k hold
        together, and the k that cross there: 0 and None where they do everywhere, inf where they do
        at no large compute. Laws at one k, or that leave a coefficient open, have none.
        """
        found = {}
        for name in self.counts:
            fits = self.of(name)
            if len(fits) < 2 or any(fit.undetermined for fit in fits.values()):
                continue
            rows, draws = [x.values[None] for x in fits.values()], [x.drawn for x in fits.values()]
            if all(draws):
                both = np.all([x.converged for x in draws if x], axis=0)
                rows = [np.vstack([y, x.rows[both]]) for x, y in zip(draws, rows, strict=True) if x]
            laws = [_compute_law(fit, y) for fit, y in zip(fits.values(), rows, strict=True)]
            crossings = last_crossings(*np.stack(laws, axis=-1))
            floor, *drawn = crossings.max(axis=-1).tolist()
            at = list(pairwise(fits))[int(crossings[0].argmax())] if floor > 0.0 else None
            found[name] = Estimate.of_draws(floor, drawn, LEVEL), at
        return found

    @cached_property
    def lost_compute(self) -> Rows:
        """The cost at one k of the optimum for another, at each compute of `compute`; see
        the function `lost_compute`.
        """
        joint = {k: fit.law for k, fit in self.of(JOINT).items() if fit.is_sound}
        return [row for budget in self.compute for row in lost_compute(joint, budget)]

    @cached_property
    def entries(self) -> Rows:
        """A row for each law and k, with numbers and Estimates: law, k, the coefficients, and what
        `docs/json.md` lists for `fit COUNTS`. `penalty` is the median over the models of (y - E0)/(y* -
        E0) at their params and tokens, `y_COMPUTE` has the interval of a new model.
        """
        rows = []
        for (law, k), fit in self.fits.items():
            found: dict[str, Any] = fit.estimates(LEVEL)
            found |= self._of_envelope(fit) if law == JOINT else {}
            found |= self._predicted(fit, found["E0"]) if law == DIRECT else {}
            ends = [f"{name}_{end}" for name, x in found.items() for end in x.at_limit]
            if law == JOINT:
                held, (E, C0, alpha) = fit.covariates, _compute_law(fit, fit.values)
                best = C0 * (6.0 * held["params"] * held["tokens"]) ** -alpha
                found["penalty"] = float(np.median((fit.solution.fitted - E) / best))
            failed = fit.draws.failed if fit.draws else 0
            found |= {"scatter": fit.scatter, **fit.numbers, "n_failed_resamples": failed}
            found |= {"converged": fit.converged, "undetermined": " ".join(fit.undetermined)}
            rows.append({"law": law, "k": k, **found, "at_limit": " ".join(ends)})
        return rows

    def _of_envelope(self, fit: PassFit) -> dict[str, Estimate]:
        """alpha of the envelope of a params+tokens law, and its penalties at the ratios."""
        options: Any = {"undetermined": bool(fit.undetermined)}
        values = fit.values[None]
        if fit.drawn is not None:
            values = np.concatenate([values, fit.drawn.coefficients])
            options["on_limit"] = fit.draws_on_limit[:, 3:].any(axis=1)
        draws = {"alpha": _compute_law(fit, values)[2]}
        for ratio in self.ratios:
            s, (beta, gamma) = formulas.log_size_ratio_at_ratio(ratio), values.T[3:]
            draws[f"penalty_{ratio:g}"] = formulas.penalty(s, beta=beta, gamma=gamma)
        found = draws.items()
        return {x: Estimate.of_draws(y[0], y[1:], LEVEL, **options) for x, y in found}

    def _predicted(self, fit: PassFit, floor: Estimate) -> dict[str, Estimate]:
        """Predictions of a compute law, whose upper end is at least that of an irreducible part that
        may be 0.
        """
        least, found = floor.high if floor.low == 0.0 and floor.high else 0.0, {}
        for budget in self.compute:
            band = fit.predict({"compute": budget}, LEVEL)
            value, low, high = (float(x[0]) for x in (band.value, *band.ends))
            found[f"y_{budget:g}"] = Estimate(value, low, max(high, least), level=LEVEL)
        return found

    # -- for a reader and for a file ---------------------------------------------------------------

    def rows(self) -> Rows:
        """`entries` as plain data: NAME_lo and NAME_hi are the ends of an interval."""
        found = []
        for row in self.entries:
            flat: dict[str, Any] = {}
            for name, x in row.items():
                ends = (name, f"{name}_lo", f"{name}_hi")
                flat |= x.as_dict(*ends) if isinstance(x, Estimate) else {name: x}
            found.append(flat)
        return found

    def to_frame(self) -> DataFrame:
        """The rows as a pandas frame."""
        from pandas import DataFrame

        return DataFrame(self.rows())

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the options of the fits, rows, holds_above, lost_compute, warnings."""
        how = ("method", "resamples", "seed", "cluster", "warnings", "lost_compute")
        found = {name: getattr(self, name) for name in how} | {"level": LEVEL, "rows": self.rows()}
        found["holds_above"] = {
            name: floor.as_dict("compute", "lo", "hi") | {"k": at}
            for name, (floor, at) in self.holds_above.items()
        }
        return found

    @property
    def warnings(self) -> list[str]:
        """Sentences that say what makes the laws doubtful."""
        found = [f"{law} at k = {k}: no fit: {why}" for (law, k), why in self.failed.items()]
        for (law, k), fit in self.fits.items():
            found += [] if fit.converged else [f"{law} at k = {k}: no certified minimum"]
        counts = next(iter(self.counts.values()))
        if max(k for _, k in self.fits) > (most := int(counts.n.max())):
            found.append(f"beyond k = {most}, the most samples, pass@k is the tail of the Beta law")
        if self.method == SQUARES:
            why = "estimates are too high, use the likelihood"
            found += [f"{text}: {why}" for text in stopped(counts)]
        return found

    def tables(self) -> list[Table]:
        """One table: every law over k, and where the laws of all k hold together."""
        rows: list[Any] = []
        names = dict.fromkeys(name for row in self.entries for name in ("E0", *row))
        for law in self.counts:
            entries = [row for row in self.entries if row["law"] == law]
            envelope = "; alpha is that of its envelope" if law == JOINT else ""
            size = counted(max(row["n_models"] for row in entries), "model")
            rows.append(Subheading(f"{law}: {KINDS[law]}, {size}{envelope}"))
            rows += [{**names, "E0": row.get("xi0"), **row} for row in entries]
        usual = ("E0", *(PREFACTORS if len(self.counts) == 1 else ()), *EXPONENTS)
        asked = [name for name in names if name.startswith(("penalty_", "y_"))]
        columns = [Column("k", align="left")]
        for name in (name for name in (*usual, *asked, "scatter") if name in names):
            show: Any = "all" if name in WITH_INTERVALS else "value"
            style: Any = {"format": THREE, "interval": TWO, "show": show}
            heading = "E0/xi0" if name == "E0" and "xi0" in names else name.replace("_", "\nat ")
            columns.append(Column(name, heading, **style))
        return [Table(columns, rows, "Laws of y = -log pass@k", self._notes())]

    def _notes(self) -> list[str]:
        """The verdict, the source of the intervals, the warnings, the cost of another k's optimum."""
        holds = []
        for name, (floor, at) in self.holds_above.items():
            ends = "" if floor.low is None else f" {TWO.text(floor.low, floor.high)}"
            best = " at the best allocation" if name == JOINT else ""
            where = f"above {'1/g' if name == 'gold' else 'C'} = {THREE.text(floor.value)}{ends}"
            cross = f"{where}{best}, where k = {at[0]} and {at[1]} cross" if at else "everywhere"
            holds.append(f"for {name} {cross}")
        notes = [f"The laws of all k hold together {'; '.join(holds)}."] if holds else []
        drawn = (f"values of {name}" if name else "models" for name in self.cluster.values())
        what = f"{self.resamples} resamples of {' or '.join(dict.fromkeys(drawn))}"
        how = f"{100 * LEVEL:g} % intervals by {what}" if self.resamples else "no intervals"
        failed = sum(row["n_failed_resamples"] for row in self.entries)
        how += f", {failed} refits not certified" if failed else ""
        notes += [f"By {self.method}; {how}.", *self.warnings]
        if self.lost_compute:
            worst = max(self.lost_compute, key=lambda row: row["lost_compute"])
            share = f"{100 * worst['lost_compute']:.2g} % of C = {worst['compute']:.4g}"
            best = f"the optimum for k = {worst['chosen']} costs at k = {worst['judged']}"
            notes.append(f"{share} is the most that the optimum of one k costs at another: {best}.")
        return notes

    def __repr__(self) -> str:
        return f"PassLaws({', '.join(self.counts)}; {len(self.fits)} fits, {self.method})"

    def plot(self) -> Figure:
        """The figure; see `isoflop.numeric.plot.passk_laws.plot_passk`."""
        from ..plot.passk_laws import plot_passk

        return plot_passk(self)


def _compute_law(fit: PassFit, coefficients: Floats) -> Floats:
    """E, C0 and alpha (3, ...) for coefficients (..., p); for a params+tokens law, of its envelope."""
    if fit.kind.name != JOINT:
        return coefficients.T
    E, A, B, beta, gamma = coefficients.T
    C0 = np.asarray(formulas.coefficient(A=A, B=B, beta=beta, gamma=gamma))
    return np.stack([E, C0, np.asarray(formulas.exponent(beta=beta, gamma=gamma))])


# -- across k --------------------------------------------------------------------------------------


def last_crossings(E: ArrayLike, C0: ArrayLike, alpha: ArrayLike) -> Floats:
    """The compute in FLOP above which y_k(C) = E + C0 C^-alpha does not rise from each k to the next,
    as laws fitted apart do though pass@k does not fall with k.

    The difference of two such laws turns once (isoflop.derivations.passk.crossing_of_two_k), so that
    bisection beside the turning point finds the last crossing.

    Parameters
    ----------
    E, C0, alpha : array_like
        (..., K): coefficients of compute laws at K values of k in ascending order; E >= 0, C0 and
        alpha > 0.

    Returns
    -------
    ndarray
        (..., K - 1): 0 where the laws of two neighbouring k hold together everywhere, inf where
        they do at no large compute. Where neighbours hold together all do.

    Examples
    --------
    >>> last_crossings([0.0, 0.0], [1e3, 1e5], [0.15, 0.25]).round(-15).tolist()
    [1e+20]
    """
    each = (np.asarray(values, dtype=np.float64) for values in (E, C0, alpha))
    (e1, e2), (c1, c2), (a1, a2) = ((values[..., :-1], values[..., 1:]) for values in each)
    with np.errstate(divide="ignore"):  # what the floors share cancels
        above, below = np.log(np.maximum(e1 - e2, 0.0)), np.log(np.maximum(e2 - e1, 0.0))

    def rises(x: Floats) -> NDArray[np.bool_]:
        y1 = np.logaddexp(above, np.log(c1) - a1 * x)
        return np.asarray(y1 < np.logaddexp(below, np.log(c2) - a2 * x))

    turn, differ, end = np.zeros_like(a1), a1 != a2, np.full_like(a1, FARTHEST)
    turn[differ] = formulas.log_turning_compute(
        C0_1=c1[differ], C0_2=c2[differ], alpha_1=a1[differ], alpha_2=a2[differ]
    )
    turn = np.clip(turn, -end, end)
    at_turn = rises(turn)
    low, high = np.where(at_turn, turn, -end), np.where(at_turn, end, turn)
    nowhere, at_the_end = ~rises(low), rises(end)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        wrong = rises(middle)
        low, high = np.where(wrong, middle, low), np.where(wrong, high, middle)
    return np.where(at_the_end, np.inf, np.where(nowhere, 0.0, np.exp(0.5 * (low + high))))


def lost_compute(laws: Mapping[int, Law], compute: float) -> list[dict[str, Any]]:
    """The cost at one k of an allocation that is optimal for another, by params+tokens laws by k, at
    a compute in FLOP.

    A row for each pair of different k, `chosen` and `judged`, with `size_ratio` (params over the
    optimal ones), `loss_penalty` and `lost_compute`, the share of the budget that the optimum for the
    judged k would save.
    """
    rows = []
    for chosen, judged in permutations(laws, 2):
        optimum = laws[chosen].envelope
        cost = laws[judged].penalty(params=optimum.params(compute), tokens=optimum.tokens(compute))
        row: dict[str, Any] = {"compute": compute, "chosen": chosen, "judged": judged}
        names = ("size_ratio", "loss_penalty", "lost_compute")
        rows.append(row | {name: float(getattr(cost, name)) for name in names})
    return rows


# -- the front door --------------------------------------------------------------------------------


def fit_passk(
    counts: Counts | Any,
    *,
    laws: str | Sequence[str] | None = None,
    k: Sequence[int] | None = None,
    method: str = LIKELIHOOD,
    resamples: int = 200,
    seed: int = 0,
    cluster: bool = True,
    ratios: Sequence[float] = (),
    compute: Sequence[float] = (),
    progress: bool = False,
) -> PassLaws:
    r"""Fit laws of -log pass@k at every k to the same models and the same resamples (Schaeffer et al.
    2025, arXiv 2509.24012).

    Parameters
    ----------
    counts : Counts
        Counts on one benchmark, with the covariates of the laws; or a table for `Counts.read`.
    laws : str or sequence of str, optional
        "compute", -log pass@k = E0(k) + C0(k) C^-alpha(k); "params-tokens", E0(k) + N0(k)
        N^-beta(k) + D0(k) D^-gamma(k); "gold", xi0(k) + K0(k) g^kappa(k), g being the mean -log
        probability of the gold reference solution in nats. By default all that the covariates allow.
    k : sequence of int, optional
        By default 1, 2, 5, 10, 20, ... up to 10,000 for the likelihood, up to the fewest samples of
        a problem for least squares.
    method : {"likelihood", "least-squares-log"}
        "likelihood": binomial counts over Beta-distributed success rates, models scattered
        lognormally in -log pass@k about the law; k may exceed the number of samples, a model may
        lack any success, sampling may have been adaptive. "least-squares-log": of log(-log pass@k)
        on the unbiased estimates; models where some problem has fewer than k samples, or without a
        success, cannot take part and are counted.
    resamples, seed : int
        Models are resampled, not problems: intervals are for other models on the same problems.
    cluster : bool
        Whether models of one size are drawn together, as checkpoints of one training run, where sizes
        repeat and there are four or more of them.
    ratios : sequence of float
        Overtraining ratios (D/N)/(D*/N*) at which the penalty is given for every k.
    compute : sequence of float
        Budgets (FLOP) for predictions, and for the cost at one k of the optimum for another.
    progress : bool
        Show a bar on the standard error.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, models are too few, or a covariate is missing.
    """
    from tqdm import tqdm

    if method not in METHODS:
        raise outside("method", method, f"one of {', '.join(METHODS)}")
    resamples, seed = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0)
    read = of_one_benchmark(counts)
    held, ks = read.covariates, ks_of(read, k, method)
    if laws is None:
        laws = [name for name, kind in KINDS.items() if {*kind.requires} <= {*held}]
    names = [laws] if isinstance(laws, str) else list(dict.fromkeys(laws)) or [DIRECT]
    for name in names:
        if absent := [need for need in kind_of(name).requires if need not in held]:
            lack = f"the law {name} needs {' and '.join(absent)} of the models"
            raise ValueError(f"{read.source}: {lack}; it has {', '.join(held) or 'no covariate'}")
    evidence = evidence_of(read, ks) if method == LIKELIHOOD else {}
    found = PassLaws(
        fits={},
        failed={},
        counts={},
        cluster={},
        method=method,
        resamples=resamples,
        seed=seed,
        ratios=tuple(positive_number("ratios", ratio) for ratio in ratios),
        compute=tuple(positive_number("compute", budget) for budget in compute),
    )
    for name in names:
        known = np.all([np.isfinite(held[need]) for need in KINDS[name].requires], axis=0)
        models, random = read.subset(known), np.random.default_rng(seed)
        found.counts[name] = models
        group = sizes_of(models) if cluster else None
        found.cluster[name] = None if group is None else SIZE
        weights = case_weights(group, len(models), resamples, random) if resamples else None
        shown = tqdm(ks, f"{name} law", unit="k", leave=False, disable=not progress)
        for each in shown:
            some = evidence[each].some(known) if evidence else None
            try:
                fit = fit_at_k(models, KINDS[name], each, some, weights, group)
                found.fits[name, each] = fit
            except ValueError as error:
                found.failed[name, each] = str(error)
        if not found.of(name):
            raise ValueError(f"{found.failed[name, ks[0]]}")
    return found


def of_one_benchmark(counts: Any) -> Counts:
    """The counts of a single benchmark, read where they are a table; a ValueError for several."""
    held = Counts.read(counts)
    columns = dict(zip(held.by, zip(*held.labels, strict=True), strict=True))
    found = sorted({*columns.get("benchmark", ())})
    if len(found) > 1:
        names = ", ".join(found[:6])
        which = f"choose one with where, as in benchmark == {found[0]!r}"
        raise ValueError(f"{held.source}: holds {len(found)} benchmarks ({names}); {which}")
    return held


def ks_of(counts: Counts, k: Sequence[int] | None, method: str = LIKELIHOOD) -> tuple[int, ...]:
    """The k that were given, checked, or the usual ones."""
    if k is None:
        most = USUAL_K[-1] if method == LIKELIHOOD else int(counts.n.min())
        return tuple(value for value in USUAL_K if value <= most)
    found = {whole_number("k", value, 1) for value in np.atleast_1d(np.asarray(k, dtype=object))}
    if not found:
        raise outside("k", k, "at least one whole number")
    return tuple(sorted(found))


def sizes_of(counts: Counts) -> Any:
    """The size of every model, (G,), by which models are drawn together; None where sizes do not
    repeat, or are too few to be drawn.
    """
    sizes = counts.covariates.get(SIZE, np.empty(0))
    return sizes.astype(str) if LEAST_GROUPS <= len(np.unique(sizes)) < len(counts) else None
