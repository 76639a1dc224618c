"""The three laws of -log pass@k fitted at every k, with what follows from them.

The envelope of a params+tokens law is the best that any allocation reaches; models that were
trained off the optimum lie above it, so that a law fitted to compute alone estimates the envelope
times the penalty of their allocations (derivations compute_optimal_envelope, misallocation_penalty).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.shown import Shown
from .. import formulas
from .._progress import progress_bar
from ..errors import outside, positive_number, whole_number
from ..fit.resample import LEAST_GROUPS, case_weights
from ..results import Estimate, checked_level
from .across_k import last_crossings, lost_compute, require_falling
from .curve import stopped
from .fit_at_k import LEVEL, METHODS, Models, PassFit, fit_at_k
from .kinds import KINDS, PassKind, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ...theory.typeset.table import Table
    from ..data.counts import Counts

    Floats = NDArray[np.float64]
    Rows = list[dict[str, Any]]

__all__ = ["AUTO", "PassLaw", "PassLaws", "fit_passk"]

#: What models are drawn together by: the covariate that "auto" is, where its values repeat.
AUTO, SIZE = "auto", "params"


@dataclass(frozen=True, eq=False, kw_only=True)
class PassLaw:
    """One law at every k.

    Attributes
    ----------
    kind : PassKind
    models : Models
        Those that have what the law depends on.
    n_without_covariates : int
        How many have not.
    fits : tuple of PassFit
        One a k.
    failed : dict of int to str
        k -> why there is no fit there.
    cluster : str or None
        The covariate whose values are drawn rather than models.
    """

    kind: PassKind
    models: Models
    n_without_covariates: int
    fits: tuple[PassFit, ...]
    failed: dict[int, str]
    cluster: str | None

    @property
    def ks(self) -> tuple[int, ...]:
        """The k that have a fit."""
        return tuple(fit.k for fit in self.fits)

    def at(self, k: int) -> PassFit:
        """The fit at one k, or a ValueError."""
        for fit in self.fits:
            if fit.k == k:
                return fit
        why = f": {self.failed[k]}" if k in self.failed else ""
        fitted = ", ".join(map(str, self.ks))
        raise ValueError(f"k={k!r}: must be one of {fitted}, the k that were fitted{why}")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassLaws(Shown):
    """Laws of -log pass@k fitted to the same models.

    Attributes
    ----------
    laws : dict of str to PassLaw
        By name.
    method : {"likelihood", "least-squares-log"}
    resamples, seed : int
        Of the bootstrap over models, which draws the same models for all laws and k.
    level : float
        Of all intervals.
    ratios : tuple of float
        Overtraining ratios at which the penalty is given.
    compute : tuple of float
        FLOP at which there are predictions and costs of allocations.
    """

    laws: dict[str, PassLaw]
    method: str
    resamples: int
    seed: int
    level: float
    ratios: tuple[float, ...]
    compute: tuple[float, ...]

    def at(self, k: int, law: str | None = None) -> PassFit:
        """The fit at one k of a law, by default of the only one."""
        if law is None and len(self.laws) == 1:
            law = next(iter(self.laws))
        if law not in self.laws:
            raise outside("law", law, f"one of {', '.join(self.laws)}")
        return self.laws[law].at(k)

    @property
    def sound(self) -> bool:
        """Whether every k has a fit that is certified and determined."""
        laws = self.laws.values()
        return all(not law.failed and all(fit.is_sound for fit in law.fits) for law in laws)

    # -- what follows ------------------------------------------------------------------------------

    @cached_property
    def holds_above(self) -> dict[str, tuple[Estimate, tuple[int, int] | None]]:
        """By law C_x, the compute in FLOP above which the laws at all k hold together (of the gold
        law in 1/g), and the k that cross there: 0 and None where they do everywhere, inf where they
        do at no large compute. Not for one k, nor where a coefficient is left open.
        """
        found = {}
        for name, law in self.laws.items():
            fits = law.fits
            if len(fits) < 2 or any(fit.undetermined for fit in fits):
                continue
            own = [_compute_law(fit, fit.values[None])[:, 0] for fit in fits]
            crossings, drawn = last_crossings(*np.stack(own, axis=-1)), np.empty(0)
            refits = np.stack([fit.refits for fit in fits])
            if refits.size and all(fit.spare > 0 for fit in fits):
                certified = refits[:, np.isfinite(refits).all(axis=(0, 2))]
                every = [_compute_law(fit, own) for fit, own in zip(fits, certified, strict=True)]
                drawn = last_crossings(*np.stack(every, axis=-1)).max(axis=-1, initial=0.0)
            floor = float(crossings.max(initial=0.0))
            pairs = zip(pairwise(law.ks), crossings, strict=True)
            at = next((pair for pair, crossing in pairs if crossing == floor > 0.0), None)
            found[name] = Estimate.of_draws(floor, drawn, self.level), at
        return found

    @cached_property
    def envelopes(self) -> Rows:
        """A row for every k that both laws have: k, `derived`, `fitted` and `difference` (Estimates
        of alpha: of the params+tokens law's envelope, of the compute law, and fitted less derived,
        both refitted to the same resamples), and `penalty`, one of the median over the models of
        (y - E0)/(y* - E0) at their own params and tokens, without an interval.
        """
        joint, direct = (self.laws.get(name) for name in ("params-tokens", "compute"))
        if joint is None or direct is None:
            return []
        rows = []
        for one in (fit for fit in joint.fits if fit.k in direct.ks):
            other, alpha = direct.at(one.k), self._envelope_exponent(one)
            drawn = np.empty(0)
            if one.refits.shape[0] and joint.models.counts.names == direct.models.counts.names:
                drawn = other.refits[:, 2] - _compute_law(one, one.refits)[2]
            drawn = drawn[np.isfinite(drawn)] if min(one.spare, other.spare) > 0 else drawn[:0]
            away = other.coefficients["alpha"] - alpha.value
            held = joint.models.counts.covariates
            own = {name: held[name][one.used] for name in ("params", "tokens")}
            cost = float(
                np.median(one.fit.model.law(one.fit.coefficients).penalty(**own).loss_penalty)
            )
            is_open: Any = {"level": self.level, "undetermined": bool(one.undetermined)}
            rows.append(
                {
                    "k": one.k,
                    "derived": alpha,
                    "fitted": other.estimate("alpha", self.level),
                    "difference": Estimate.of_draws(away, drawn, **is_open),
                    "penalty": Estimate(cost, **is_open),
                }
            )
        return rows

    def _envelope_exponent(self, fit: PassFit) -> Estimate:
        """alpha of the envelope of a params+tokens law."""
        value = formulas.exponent(beta=fit.coefficients["beta"], gamma=fit.coefficients["gamma"])
        return self._following(fit, float(value), _compute_law(fit, fit.drawn)[2])

    def _following(self, fit: PassFit, value: float, drawn: Any) -> Estimate:
        """What follows from the exponents of a params+tokens law."""
        stopped_at = fit.fit.solution.design.on_limit(fit.drawn)[:, 3:].any(axis=1)
        options: Any = {"on_limit": stopped_at, "undetermined": bool(fit.undetermined)}
        return Estimate.of_draws(value, drawn, self.level, **options)

    @cached_property
    def penalties(self) -> Rows:
        """What over- and undertraining cost: k, ratio, and `loss_penalty`, an Estimate of
        (y - E0)/(y* - E0) of y = -log pass@k.
        """
        rows = []
        for fit in self.laws["params-tokens"].fits if "params-tokens" in self.laws else ():
            own = np.concatenate([fit.values[None], fit.drawn])
            for ratio in self.ratios:
                s = formulas.log_size_ratio_at_ratio(ratio)
                cost = formulas.penalty(s, beta=own[:, 3], gamma=own[:, 4])
                penalty = self._following(fit, float(cost[0]), cost[1:])
                rows.append({"k": fit.k, "ratio": ratio, "loss_penalty": penalty})
        return rows

    @cached_property
    def ahead(self) -> dict[str, Rows]:
        """What is asked for at each compute: `predictions` of -log pass@k by the compute law
        (compute, k, neg_log, lo and hi for a new model, pass_at_k), rows of `lost_compute` between
        the params+tokens laws, and as `refused` (compute, reason) where the laws of several k
        contradict each other.
        """
        direct, joint = (self.laws.get(name) for name in ("compute", "params-tokens"))
        found: dict[str, Rows] = {"predictions": [], "lost_compute": [], "refused": []}
        for budget in self.compute:
            at, own = {"compute": budget}, list[dict[str, Any]]()
            for fit in () if direct is None else direct.fits:
                (y,), ((low,), (high,)) = fit.predict(at), fit.interval_ahead(at, self.level)
                ends = {"neg_log": float(y), "lo": float(low), "hi": float(high)}
                own.append({**at, "k": fit.k, **ends, "pass_at_k": float(np.exp(-y))})
            try:
                require_falling({row["k"]: row["neg_log"] for row in own}, f"compute={budget:.6g}")
                found["predictions"] += own
                if joint is not None:
                    laws = {fit.k: fit.law for fit in joint.fits if fit.is_sound}
                    found["lost_compute"] += lost_compute(laws, budget)
            except ValueError as error:
                found["refused"].append({**at, "reason": str(error)})
        return found

    # -- for a reader and for a file ---------------------------------------------------------------

    def entries(self, law: PassLaw) -> Rows:
        """A row a k: the coefficients, of a params+tokens law alpha of its envelope and the
        penalties, of a compute law the predictions; Estimates, and how the fit went.
        """
        rows = []
        for fit in law.fits:
            row: dict[str, Any] = {"law": law.kind.name, "k": fit.k, **fit.estimates(self.level)}
            if law.kind.name == "params-tokens":
                row["alpha"] = self._envelope_exponent(fit)
                own = (each for each in self.penalties if each["k"] == fit.k)
                row |= {f"penalty_{x['ratio']:g}": x["loss_penalty"] for x in own}
            if law.kind.name == "compute":
                ahead = (each for each in self.ahead["predictions"] if each["k"] == fit.k)
                for x in ahead:
                    row[f"y_{x['compute']:g}"] = Estimate(x["neg_log"], x["lo"], x["hi"])
            for name in ("scatter", "n_models", "n_unsolved", "n_without", "n_refused"):
                row[name] = fit.size if name == "n_models" else getattr(fit, name)
            row |= {"converged": fit.converged, "undetermined": " ".join(fit.undetermined)}
            rows.append(row | {"n_failed_resamples": fit.n_failed})
        return rows

    def rows(self) -> Rows:
        """Plain data, a row a law and k; NAME_lo and NAME_hi are the ends of an interval, NAME_open
        says which of them, or the value, a limit of the search and not the models has set.
        """
        return [_flat(row) for law in self.laws.values() for row in self.entries(law)]

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def as_dict(self) -> dict[str, Any]:
        """Plain data: how laws were fitted, laws (a list with rows a k), envelopes, penalties,
        predictions, lost_compute, refused, warnings.
        """
        laws = []
        for name, law in self.laws.items():
            floor, at = self.holds_above.get(name, (None, None))
            above = None if floor is None else _flat({"compute": floor}) | {"k": at}
            about: dict[str, Any] = {
                "law": name,
                "formula": law.kind.formula,
                "cluster": law.cluster,
            }
            about |= {"n_without_covariates": law.n_without_covariates}
            about |= {"failed": {str(k): why for k, why in law.failed.items()}}
            rows = [_flat(row) for row in self.entries(law)]
            laws.append(about | {"rows": rows, "holds_above": above})
        how = {name: getattr(self, name) for name in ("method", "resamples", "seed", "level")}
        return {
            **how,
            "laws": laws,
            "envelopes": list(map(_flat, self.envelopes)),
            "penalties": list(map(_flat, self.penalties)),
            **self.ahead,
            "warnings": self.warnings,
        }

    @property
    def warnings(self) -> list[str]:
        """What makes the laws doubtful, a sentence each."""
        laws = self.laws.values()
        found = [f"k = {k}: no fit: {why}" for law in laws for k, why in law.failed.items()]
        for fit in (fit for law in laws for fit in law.fits if not fit.converged):
            found.append(f"{fit.kind.name} at k = {fit.k}: no certified minimum")
        counts, ks = next(iter(laws)).models.counts, [k for law in laws for k in law.ks]
        if max(ks) > (most := int(counts.n.max())):
            found.append(f"beyond k = {most}, the most samples, pass@k is the tail of the Beta law")
        if self.method != METHODS[0]:
            why = "estimates are too high, use the likelihood"
            found += [f"{text}: {why}" for text in stopped(counts)]
        return found + [f"refused: {row['reason']}" for row in self.ahead["refused"]]

    def tables(self) -> list[Table]:
        """One table: every law over k, and where the laws of all k hold together."""
        from .page import tables_of

        return tables_of(self)

    def plot(self) -> Figure:
        """The figure; see `isoflop.numeric.plot.passk_laws.plot_passk`."""
        from ..plot.passk_laws import plot_passk

        return plot_passk(self)

    def __repr__(self) -> str:
        names = ", ".join(f"{name} at {len(law.fits)} k" for name, law in self.laws.items())
        return f"<PassLaws: {names}; {self.method}, {self.resamples} resamples>"


def _compute_law(fit: PassFit, coefficients: Floats) -> Floats:
    """E, C0 and alpha (3, R) for coefficients (R, p): of a law of one variable, or of the envelope
    of a params+tokens law.
    """
    if len(fit.kind.covariates) == 1:
        return coefficients.T
    E, A, B, beta, gamma = coefficients.T
    C0 = np.asarray(formulas.coefficient(A=A, B=B, beta=beta, gamma=gamma))
    return np.stack([E, C0, np.asarray(formulas.exponent(beta=beta, gamma=gamma))])


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with each estimate as its value, its ends, and which of them a limit has set."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Estimate):
            found |= {name: value.value, f"{name}_lo": value.low, f"{name}_hi": value.high}
            found[f"{name}_open"] = " ".join(value.at_limit)
        else:
            found[name] = value
    return found


# -- the front door --------------------------------------------------------------------------------


def fit_passk(
    counts: Counts | Models | Any,
    *,
    laws: str | Sequence[str] | None = None,
    k: Sequence[int] | None = None,
    method: str = METHODS[0],
    resamples: int = 200,
    seed: int = 0,
    cluster: str | None = AUTO,
    level: float = LEVEL,
    ratios: Sequence[float] = (),
    compute: Sequence[float] = (),
    progress: bool = False,
) -> PassLaws:
    r"""Laws of -log pass@k at every k, on the same models and the same resamples, with what follows
    from them.

    Parameters
    ----------
    counts : Counts
        Of one benchmark, with the covariates that the laws depend on; or a table that has both, as
        `Counts.read` takes.
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
    resamples : int
        Of the models, for intervals; 0 for none.
    seed : int
    cluster : str, optional
        A covariate: models with the same value of it are drawn together, as where checkpoints of
        one training run share its size. At least four values. By default "auto": params where sizes
        repeat and there are four or more, else models one by one. None: one by one.
    level : float
        Of the intervals.
    ratios : sequence of float
        Overtraining ratios (D/N)/(D*/N*) at which the penalty is given for every k.
    compute : sequence of float
        FLOP for predictions of the compute law, and for what an allocation that is optimal for one
        k costs at another.
    progress : bool
        Show a bar on the standard error.

    Returns
    -------
    PassLaws

    Raises
    ------
    ValueError
        Where an argument is outside its domain, models are too few, or a covariate is missing.

    Notes
    -----
    Laws: Schaeffer et al. 2025, arXiv 2509.24012. A resample draws models, not problems: intervals
    are for other models on the same problems. Checkpoints of one training run are not independent;
    `cluster` keeps them together.
    """
    if method not in METHODS:
        raise outside("method", method, f"one of {', '.join(METHODS)}")
    resamples, seed = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0)
    level = checked_level(level)
    at = tuple(positive_number("ratios", ratio) for ratio in ratios)
    budgets = tuple(positive_number("compute", budget) for budget in compute)
    models = models_of(counts, k, method)
    held, source = models.counts.covariates, models.counts.source
    if laws is None:
        laws = [name for name, kind in KINDS.items() if set(kind.covariates) <= set(held)]
    names = [laws] if isinstance(laws, str) else list(dict.fromkeys(laws))
    if not names:
        have = "has neither compute nor params and tokens nor gold of the models"
        raise ValueError(f"{source}: {have}; a law needs one of them")
    kinds = [kind_of(name) for name in names]
    if method == METHODS[0]:
        _ = models.evidence  # once for all laws
    found = {}
    for kind in kinds:
        if absent := [name for name in kind.covariates if name not in held]:
            needs = f"the law {kind.name} needs {' and '.join(kind.covariates)}"
            raise ValueError(f"{source}: no {' and no '.join(absent)} of the models; {needs}")
        known = np.all([np.isfinite(held[name]) for name in kind.covariates], axis=0)
        chosen = models if known.all() else models.some(known)
        random, size = np.random.default_rng(seed), len(chosen.counts)
        drawn, group = clusters(chosen.counts, cluster)
        weights = case_weights(group, size, resamples, random) if resamples else np.empty((0, size))
        fits, failed = [], {}
        bar = progress_bar(len(models.ks), progress, what=f"{kind.name} law", unit="k")
        for index, each in enumerate(models.ks):
            try:
                fit = fit_at_k(chosen, kind, index, method, weights)
                fits.append(replace(fit, clusters=group))
            except ValueError as error:
                failed[each] = str(error).removeprefix(f"k={each}: ")
            bar.update(1)
        bar.close()
        if not fits:
            first, why = next(iter(failed.items()))
            raise ValueError(f"k={first}: {why}")
        found[kind.name] = PassLaw(
            kind=kind,
            models=chosen,
            n_without_covariates=len(models.counts) - size,
            fits=tuple(fits),
            failed=failed,
            cluster=drawn,
        )
    return PassLaws(
        laws=found,
        method=method,
        resamples=resamples,
        seed=seed,
        level=level,
        ratios=at,
        compute=budgets,
    )


def models_of(counts: Any, k: Sequence[int] | None, method: str) -> Models:
    """The counts of one benchmark at the k that are asked for, or the usual ones; a table is read."""
    from ..data.counts import Counts

    if isinstance(counts, Models):
        return counts
    held = counts if isinstance(counts, Counts) else Counts.read(counts)
    if "benchmark" in held.by:
        found = sorted({label[held.by.index("benchmark")] for label in held.labels})
        if len(found) > 1:
            which = (
                f"{', '.join(found[:6])}); choose one with where, as in benchmark == {found[0]!r}"
            )
            raise ValueError(f"{held.source}: holds {len(found)} benchmarks ({which}")
    return Models(held, ks_of(held, k, method))


def ks_of(counts: Counts, k: Sequence[int] | None, method: str = METHODS[0]) -> tuple[int, ...]:
    """The k that are asked for, checked, or the usual ones."""
    if k is None:
        most = 10_000 if method == METHODS[0] else int(counts.n.min())
        usual = (j * 10**power for power in range(5) for j in (1, 2, 5))
        return tuple(value for value in usual if value <= most)
    found = [whole_number("k", value, 1) for value in np.atleast_1d(np.asarray(k, dtype=object))]
    if not found:
        raise outside("k", k, "at least one whole number")
    return tuple(sorted(set(found)))


def clusters(counts: Counts, cluster: str | None) -> tuple[str | None, NDArray[np.object_] | None]:
    """What models are drawn together by: the covariate, and its value at every model; None where
    they are drawn one by one. "auto" is params, where sizes repeat and there are enough of them.

    Raises
    ------
    ValueError
        Where the models do not have the covariate, or too few values of it to be resampled.
    """
    held = counts.covariates
    if cluster == AUTO:
        repeats = SIZE in held and LEAST_GROUPS <= len(np.unique(held[SIZE])) < len(counts)
        cluster = SIZE if repeats else None
    if cluster is None:
        return None, None
    if cluster not in held:
        which = f"{', '.join(held) or 'no covariate'}, which the models have"
        raise outside("cluster", cluster, f"one of {which}")
    if (number := len(np.unique(held[cluster]))) < LEAST_GROUPS:
        few = f"has {number} values; must have at least {LEAST_GROUPS} to be resampled"
        raise ValueError(f"cluster={cluster!r}: {few}")
    return cluster, np.array([repr(float(value)) for value in held[cluster]], dtype=object)
