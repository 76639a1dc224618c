"""The three laws of -log pass@k fitted for every k at once, with resamples that are the same for
all k.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.runs import Runs
from ..errors import outside, whole_number
from ..fit.fit import Fit, fit_form
from ..fit.models import Design
from ..fit.objective import Objective
from ..fit.resample import LEAST_GROUPS, case_weights, paired, refits_of
from ..fit.solve import Solution
from ..repeat import repeat
from .curve import curve
from .fit_at_k import PassFit
from .kinds import PassKind, kind_of
from .likelihood import Surface
from .marginal import FIRST_TAU, Marginal, fit_marginal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ..data.counts import Counts
    from .curve import Curve
    from .likelihood import Evidence

    Floats = NDArray[np.float64]

METHODS = ("likelihood", "least-squares-log")
SQUARES = Objective(name="least-squares-log")
#: What models are drawn together by: the covariate that "auto" is, where its values repeat.
AUTO, SIZE = "auto", "params"


@dataclass(frozen=True, eq=False, repr=False)
class Data:
    """Counts with all that fits of any law and any k share.

    Attributes
    ----------
    counts : Counts
    ks : tuple of int
    known : tuple of Evidence, optional
        The evidence, where it is known from elsewhere.
    curve : Curve
        Of the counts at these k.
    evidence : tuple of Evidence
        What the counts say of -log pass@k, for every k.
    """

    counts: Counts
    ks: tuple[int, ...]
    known: tuple[Evidence, ...] | None = None

    @cached_property
    def solved(self) -> NDArray[np.bool_]:
        """(G,): the models with a correct sample."""
        return np.bincount(self.counts.group, self.counts.c, len(self.counts)) > 0

    @cached_property
    def failing(self) -> NDArray[np.bool_]:
        """(G,): the models with a wrong sample."""
        wrong = self.counts.n - self.counts.c
        return np.bincount(self.counts.group, wrong, len(self.counts)) > 0

    @cached_property
    def curve(self) -> Curve:
        """The unbiased estimates."""
        return curve(self.counts, self.ks)

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """The likelihoods of log(-log pass@k)."""
        if self.known is not None:
            return self.known
        surface = Surface.of([self.counts.per_group(g) for g in range(len(self.counts))])
        return tuple(surface.at(k) for k in self.ks)

    def some(self, chosen: NDArray[np.bool_]) -> Data:
        """Of some of the models; what is known of each is not computed again."""
        known = vars(self).get("evidence", self.known)
        some = None if known is None else tuple(each.some(chosen) for each in known)
        return Data(self.counts.subset(np.flatnonzero(chosen)), self.ks, some)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassLaws:
    """One law fitted at every k.

    Attributes
    ----------
    kind : PassKind
    method : {"likelihood", "least-squares-log"}
    data : Data
        The models that have what the law depends on.
    fits : tuple of PassFit
        One a k.
    failed : dict of int to str
        k -> why there is no fit there.
    n_without_covariates : int
        Models left out because they lack what the law depends on.
    weights : ndarray
        (R, G): how often each resample draws each model; the same for all k.
    seed, resamples : int
        Of the bootstrap over models; 0 resamples for none.
    cluster : str or None
        The covariate whose values are drawn rather than models.
    interrupted : bool
        Whether Ctrl-C left the later k undone.
    """

    kind: PassKind
    method: str
    data: Data
    fits: tuple[PassFit, ...]
    failed: dict[int, str]
    n_without_covariates: int
    weights: Floats
    seed: int
    resamples: int
    cluster: str | None
    interrupted: bool

    @property
    def ks(self) -> tuple[int, ...]:
        """The k that have a fit."""
        return tuple(fit.k for fit in self.fits)

    def __len__(self) -> int:
        return len(self.fits)

    def at(self, k: int) -> PassFit:
        """The fit at one k, or a ValueError."""
        for fit in self.fits:
            if fit.k == k:
                return fit
        why = f": {self.failed[k]}" if k in self.failed else ""
        raise ValueError(
            f"k={k!r}: must be one of {', '.join(map(str, self.ks)) or 'none'}, the k that were "
            f"fitted{why}"
        )

    def values(self, name: str) -> Floats:
        """A coefficient at every k, (K,)."""
        self.kind.index(name)
        return np.array([fit.coefficients[name] for fit in self.fits])

    def paired(self) -> tuple[NDArray[np.intp], list[Floats]]:
        """The resamples that are certified at every k, and the coefficients (R, p) there of each k;
        none where there are no resamples or, at some k, no models left to tell errors.
        """
        if any(fit.draws is None or not len(fit.drawn) for fit in self.fits):
            return np.empty(0, dtype=np.intp), [fit.drawn[:0] for fit in self.fits]
        return paired(fit.draws for fit in self.fits if fit.draws is not None)

    @property
    def covariates(self) -> dict[str, Floats]:
        """What the models have, (G,) each."""
        return self.data.counts.covariates

    def __repr__(self) -> str:
        span = f"k = {self.ks[0]} to {self.ks[-1]}" if self.fits else "no k"
        return f"<PassLaws {self.kind.name}, {span}, {self.method}, {self.resamples} resamples>"


def fit_passk(
    counts: Counts | Data | Any,
    *,
    law: str = "compute",
    k: Sequence[int] | None = None,
    method: str = "likelihood",
    resamples: int = 0,
    seed: int = 0,
    cluster: str | None = AUTO,
    progress: bool = False,
) -> PassLaws:
    r"""One of the three laws at every k.

    Parameters
    ----------
    counts : Counts
        Of one benchmark, with the covariates that the law depends on; or a table that has both, as
        `Counts.read` takes.
    law : {"compute", "params-tokens", "gold"}
        -log pass@k = E0(k) + C0(k) C^-alpha(k), E0(k) + N0(k) N^-beta(k) + D0(k) D^-gamma(k), or
        xi0(k) + K0(k) g^kappa(k), where g is the mean -log probability of the gold reference
        solution in nats.
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
        Of the models, for intervals.
    seed : int
    cluster : str, optional
        A covariate: models with the same value of it are drawn together, as where checkpoints of
        one training run share its size. At least four values. By default "auto": params where sizes
        repeat and there are four or more, else models one by one. None: one by one.
    progress : bool
        Show a bar on the standard error.

    Returns
    -------
    PassLaws
        Of the k that were done where it is interrupted by Ctrl-C.

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
    kind = kind_of(law)
    if method not in METHODS:
        raise ValueError(f"method={method!r}: must be one of {', '.join(METHODS)}")
    resamples, seed = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0)
    data = as_data(counts, k, method)
    chosen, without = with_covariates(data, kind)
    size = len(chosen.counts)
    random = np.random.default_rng(seed)
    drawn, group = clusters(chosen.counts, cluster)
    weights = case_weights(group, size, resamples, random) if resamples else np.empty((0, size))
    failed: dict[int, str] = {}

    def fitted(index: int) -> PassFit | None:
        try:
            return replace(fit_at_k(chosen, kind, index, method, weights), clusters=group)
        except ValueError as error:
            failed[data.ks[index]] = str(error).removeprefix(f"k={data.ks[index]}: ")
            return None

    items = [(index,) for index in range(len(data.ks))]
    done = repeat(fitted, items, progress=progress, what=f"{kind.name} law", unit="k")
    fits = [fit for fit in done.values if fit is not None]
    if done.interrupted and not fits:
        raise KeyboardInterrupt
    if not fits:
        first, why = next(iter(failed.items()))
        raise ValueError(f"k={first}: {why}")
    return PassLaws(
        kind=kind,
        method=method,
        data=chosen,
        fits=tuple(fits),
        failed=failed,
        n_without_covariates=without,
        weights=weights,
        seed=seed,
        cluster=drawn,
        resamples=resamples,
        interrupted=done.interrupted,
    )


def as_data(counts: Any, k: Sequence[int] | None, method: str) -> Data:
    """The counts of one benchmark at the k that are asked for; a table is read."""
    from ..data.counts import Counts

    if not isinstance(counts, Data):
        read = counts if isinstance(counts, Counts) else Counts.read(counts)
        counts = Data(read, ks_of(read, k, method))
    held: Counts = counts.counts
    if "benchmark" in held.by:
        found = sorted({label[held.by.index("benchmark")] for label in held.labels})
        if len(found) > 1:
            raise ValueError(
                f"{held.source}: holds {len(found)} benchmarks ({', '.join(found[:6])}); choose "
                f"one with where, as in benchmark == {found[0]!r}"
            )
    return counts


def ks_of(counts: Counts, k: Sequence[int] | None, method: str = "likelihood") -> tuple[int, ...]:
    """The k that are asked for, checked, or the usual ones."""
    if k is None:
        most = 10_000 if method == "likelihood" else int(counts.n.min())
        return tuple(
            j * 10**power for power in range(5) for j in (1, 2, 5) if j * 10**power <= most
        )
    found = [whole_number("k", value, 1) for value in np.atleast_1d(np.asarray(k, dtype=object))]
    if not found:
        raise outside("k", k, "at least one whole number")
    return tuple(sorted(set(found)))


def clusters(counts: Counts, cluster: str | None) -> tuple[str | None, NDArray[np.object_] | None]:
    """What models are drawn together by: the covariate, and its value at every model; None where
    they are drawn one by one.

    "auto" is params, where sizes repeat and there are enough of them.

    Raises
    ------
    ValueError
        Where the models do not have the covariate, or too few values of it to be resampled.
    """
    held = counts.covariates
    if cluster == AUTO:
        repeat = SIZE in held and LEAST_GROUPS <= len(np.unique(held[SIZE])) < len(counts)
        cluster = SIZE if repeat else None
    if cluster is None:
        return None, None
    if cluster not in held:
        raise ValueError(
            f"cluster={cluster!r}: must be one of {', '.join(held) or 'no covariate'}, which the "
            f"models have"
        )
    if (number := len(np.unique(held[cluster]))) < LEAST_GROUPS:
        raise ValueError(
            f"cluster={cluster!r}: has {number} values; must have at least {LEAST_GROUPS} to be "
            f"resampled"
        )
    return cluster, np.array([repr(float(value)) for value in held[cluster]], dtype=object)


def with_covariates(data: Data, kind: PassKind) -> tuple[Data, int]:
    """The models that have what a law depends on, and how many have not."""
    held = data.counts.covariates
    if absent := [name for name in kind.covariates if name not in held]:
        raise ValueError(
            f"{data.counts.source}: no {' and no '.join(absent)} of the models; the law "
            f"{kind.name} needs {' and '.join(kind.covariates)}"
        )
    known = np.all([np.isfinite(held[name]) for name in kind.covariates], axis=0)
    if known.all():
        return data, 0
    return data.some(known), int((~known).sum())


def fit_at_k(data: Data, kind: PassKind, index: int, method: str, weights: Floats) -> PassFit:
    """The law at the k of this index; weights (R, G): how often each resample draws each model.

    Raises
    ------
    ValueError
        Where models are too few.
    """
    fitted = _by_likelihood if method == "likelihood" else _by_squares
    fit = fitted(data, kind, index)
    if not len(weights):
        return fit
    return fit.with_draws(refits_of(fit, [{"weights": weights[:, fit.used]}], len(weights)))


def _by_squares(data: Data, kind: PassKind, index: int) -> PassFit:
    k, estimate = data.ks[index], data.curve
    complete = estimate.complete[:, index]
    solved = estimate.pass_at_k[:, index] > 0.0
    if (certain := complete & solved & (estimate.neg_log[:, index] <= 0.0)).any():
        name = data.counts.names[int(certain.argmax())]
        raise ValueError(
            f"k={k}: pass@k of {name} is 1, so that log(-log pass@k) has no value; use "
            f"method='likelihood'"
        )
    used = complete & solved
    refused, without = int((~complete).sum()), int((complete & ~solved).sum())
    others = f"{refused} with problems of fewer than k samples, {without} without a success"
    _enough(k, int(used.sum()), kind, others)
    fit = fit_form(_runs(kind, data, used, estimate.neg_log[used, index]), kind.terms, SQUARES)
    spare = max(1, len(fit.runs) - int(fit.free.sum()))
    return PassFit(
        kind=kind,
        k=k,
        method=METHODS[1],
        fit=fit,
        used=used,
        scatter=float(np.sqrt(fit.objective_value / spare)),
        n_without=without,
        n_refused=refused,
    )


def _by_likelihood(data: Data, kind: PassKind, index: int) -> PassFit:
    k, evidence, size = data.ks[index], data.evidence[index], len(data.counts)
    unsolved, solved_all = int((~data.solved).sum()), int((~data.failing).sum())
    others = f"{unsolved} without a success, {solved_all} without a failure"
    _enough(k, size - unsolved - solved_all, kind, others)
    used = np.ones(size, dtype=bool)
    design = Design.of(kind.terms, _runs(kind, data, used, np.exp(evidence.most_likely)))
    found = fit_marginal(design, evidence, _starts(design, evidence), tau=FIRST_TAU)
    best = int(np.argmin(found.value))
    tau = float(found.tau[best])
    mu = np.log(design.model.evaluate(found.theta[best : best + 1])[0])
    expected = mu[0] - Marginal(evidence, tau).moments(mu)[1][0]
    solution = Solution(
        theta=found.theta[best],
        value=float(found.value[best]),
        converged=bool(found.done[best]),
        starts=len(found.value),
        others=np.empty((0, design.model.width)),
    )
    runs = _runs(kind, data, used, np.exp(expected))
    fit = Fit(model=kind.terms, objective=SQUARES, runs=runs, design=design, solution=solution)
    return PassFit(
        kind=kind,
        k=k,
        method=METHODS[0],
        fit=fit,
        evidence=evidence,
        used=used,
        scatter=tau,
        n_unsolved=unsolved,
    )


def _starts(design: Design, evidence: Evidence) -> Floats:
    """Parameters (K, p) to begin from: the local minima of a scan over the exponents, for what the
    counts alone say of u.
    """
    guess = np.exp(evidence.least_likely_pass)
    return np.asarray(design.model.starts(guess, 1.0 / guess**2, design.lower, design.upper))


def _runs(kind: PassKind, data: Data, used: NDArray[np.bool_], neg_log: Floats) -> Runs:
    """The models as runs of the fit layer, whose loss is -log pass@k."""
    held = {name: np.asarray(values)[used] for name, values in data.counts.covariates.items()}
    variables: dict[str, Any] = {"params": None, "tokens": None, "compute": None} | kind.variables(
        held
    )
    return Runs(
        **variables,
        loss=neg_log,
        row=np.flatnonzero(used) + 1,
        source=data.counts.source,
        n_rows=len(used),
    )


def _enough(k: int, count: int, kind: PassKind, others: str) -> None:
    least = len(kind.coefficients)
    if count < least:
        raise ValueError(
            f"k={k}: {count} models have an estimate of -log pass@k ({others}); must be at least "
            f"{least} for the {least} coefficients of {kind.formula}"
        )
