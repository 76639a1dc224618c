"""What follows from the laws of -log pass@k at several k together.

**Where they hold together.** pass@k does not fall with k. Laws y_k(C) = E + C0 C^-alpha fitted apart
break this wherever y rises from one k to the next. The difference of two such laws turns once
(isoflop.derivations.passk.crossing_of_two_k), so that bisection beside the turning point finds the
last crossing. Params+tokens laws stand for their envelopes; no prediction is made where laws
contradict each other.

**Envelopes.** The envelope of a params+tokens law is the best that any allocation reaches; models
that were trained off the optimum lie above it, so that a law fitted to compute alone estimates the
envelope times the penalty of their allocations (derivations compute_optimal_envelope,
misallocation_penalty).
"""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import positive_number
from ..fit.fitted import DEFAULT_LEVEL
from ..fit.resample import paired
from ..results import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..law import Law
    from .fit_at_k import PassFit
    from .laws import PassLaws

    Floats = NDArray[np.float64]

__all__ = ["contradicted", "envelopes", "holds_above", "lost_compute", "penalties", "predict"]

#: log C is searched between minus and plus this, 1e-300 to 1e300 FLOP; a crossing beyond counts as
#: 0 or as infinite.
FARTHEST = 300.0 * float(np.log(10.0))
#: Halvings of that interval, enough for neighbouring floats.
HALVINGS = 64
#: A rise of -log pass@k by this share of itself is rounding.
ROUNDING = 1e-12


# -- where laws hold together ----------------------------------------------------------------------


def last_crossings(E: ArrayLike, C0: ArrayLike, alpha: ArrayLike) -> Floats:
    """The compute in FLOP above which y does not rise from each k to the next.

    Parameters
    ----------
    E, C0, alpha : array_like
        (..., K): of compute laws at K values of k in ascending order; E >= 0, C0 and alpha > 0.

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
    (e1, e2), (c1, c2), (a1, a2) = (
        (values[..., :-1], values[..., 1:])
        for values in (np.asarray(each, dtype=np.float64) for each in (E, C0, alpha))
    )
    log_c1, log_c2 = np.log(c1), np.log(c2)
    with np.errstate(divide="ignore"):  # of the two floors only what they do not share
        above, below = np.log(np.maximum(e1 - e2, 0.0)), np.log(np.maximum(e2 - e1, 0.0))

    def rises(x: Floats) -> NDArray[np.bool_]:
        y1, y2 = np.logaddexp(above, log_c1 - a1 * x), np.logaddexp(below, log_c2 - a2 * x)
        return np.asarray(y1 < y2)

    turn, differ = np.zeros_like(a1), a1 != a2
    turn[differ] = formulas.log_turning_compute(
        C0_1=c1[differ], C0_2=c2[differ], alpha_1=a1[differ], alpha_2=a2[differ]
    )
    end = np.full_like(a1, FARTHEST)
    turn = np.clip(turn, -end, end)
    at_turn = rises(turn)
    low, high = np.where(at_turn, turn, -end), np.where(at_turn, end, turn)
    everywhere, at_the_end = ~rises(low), rises(end)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        wrong = rises(middle)
        low, high = np.where(wrong, middle, low), np.where(wrong, high, middle)
    return np.where(at_the_end, np.inf, np.where(everywhere, 0.0, np.exp(0.5 * (low + high))))


def holds_above(
    laws: PassLaws, level: float = DEFAULT_LEVEL
) -> tuple[Estimate, tuple[int, int] | None]:
    """C_x, the compute above which the laws at all k hold together, and the k that cross there.

    Of the gold law it is in 1/g; params+tokens laws stand for their envelopes. Where the best that
    any allocation of a compute reaches is worse at k2 > k1, the laws contradict each other at the
    allocation that is optimal for k1, where that for k2 is worse still. Above C_x they may, far from
    the optimum.

    Returns
    -------
    Estimate and tuple of int
        In FLOP, with percentiles of the resamples: 0 where the laws hold together everywhere, with
        no k; inf where they do at no large compute.
    """
    own = np.stack(
        [compute_law(fit, np.array([list(fit.coefficients.values())]))[:, 0] for fit in laws.fits]
    )
    crossings, drawn = last_crossings(*own.T), np.empty(0)
    common, of_fits = laws.paired()
    if len(common):
        columns = [compute_law(fit, draws) for fit, draws in zip(laws.fits, of_fits, strict=True)]
        drawn = last_crossings(*np.stack(columns, axis=-1)).max(axis=-1, initial=0.0)
    floor = float(crossings.max(initial=0.0))
    pairs = zip(pairwise(laws.ks), crossings, strict=True)
    at = next((pair for pair, crossing in pairs if crossing == floor > 0.0), None)
    return Estimate.of_draws(floor, drawn, level), at


def compute_law(fit: PassFit, coefficients: Floats) -> Floats:
    """E, C0 and alpha (3, R) for coefficients (R, p): of a law of one variable, or of the envelope
    of a params+tokens law.
    """
    if len(fit.kind.covariates) == 1:
        return coefficients.T
    E, A, B, beta, gamma = coefficients.T
    C0 = np.asarray(formulas.coefficient(A=A, B=B, beta=beta, gamma=gamma))
    return np.stack([E, C0, np.asarray(formulas.exponent(beta=beta, gamma=gamma))])


def contradicted(laws: PassLaws, covariates: Mapping[str, Any]) -> NDArray[np.bool_]:
    """(K - 1, M): where the laws say of a model that the samples of a k solve fewer problems than
    those of the k before.
    """
    y = np.stack([fit.predict(covariates) for fit in laws.fits])
    return np.asarray(y[1:] > y[:-1] * (1.0 + ROUNDING))


def predict(
    laws: PassLaws, covariates: Mapping[str, Any], *, level: float = DEFAULT_LEVEL
) -> list[dict[str, Any]]:
    """-log pass@k and pass@k at every k, for models with these covariates.

    Parameters
    ----------
    laws : PassLaws
    covariates : mapping of str to float or array_like
        What the law depends on: compute in FLOP, params and tokens, or gold in nats.
    level : float
        Of the intervals for a new model, which scatters about the law as the fitted ones do
        (`PassFit.interval_ahead`).

    Returns
    -------
    list of dict
        A row a model and k: the covariates, k, neg_log, lo, hi (of neg_log), pass_at_k.

    Raises
    ------
    ValueError
        Where a covariate is missing or outside its domain, or the laws at different k contradict
        each other there.
    """
    given = {
        name: np.atleast_1d(np.asarray(covariates[name], dtype=np.float64))
        for name in laws.kind.covariates
        if name in covariates
    }
    wrong = contradicted(laws, given)
    if wrong.any():
        model = int(np.argmax(wrong.any(axis=0)))
        step = int(np.argmax(wrong[:, model]))
        where = ", ".join(f"{name}={values[model]:.6g}" for name, values in given.items())
        raise ValueError(
            f"{where}: the laws at k={laws.ks[step]} and k={laws.ks[step + 1]} contradict each "
            f"other there (more samples would solve fewer problems); no prediction where they do"
        )
    columns = {fit.k: (fit.predict(given), *fit.interval_ahead(given, level)) for fit in laws.fits}
    return [
        {name: float(values[model]) for name, values in given.items()}
        | {"k": k, "neg_log": float(y[model]), "lo": float(low[model]), "hi": float(high[model])}
        | {"pass_at_k": float(np.exp(-y[model]))}
        for model in range(wrong.shape[1])
        for k, (y, low, high) in columns.items()
    ]


# -- envelopes and allocations ---------------------------------------------------------------------


def envelopes(
    joint: PassLaws, direct: PassLaws, *, level: float = DEFAULT_LEVEL
) -> list[dict[str, Any]]:
    """The exponent of the envelope beside that of the law fitted to compute, at every k that both
    have.

    Parameters
    ----------
    joint : PassLaws
        The params+tokens law.
    direct : PassLaws
        The compute law of the same models; with the same seed and number of resamples, differences
        have intervals.
    level : float
        Of the intervals.

    Returns
    -------
    list of dict
        k, `derived`, `fitted` and `difference` (Estimates of alpha; fitted less derived, both laws
        refitted to the same resamples) and `penalty`, one of the median over the models of
        (y - E0)/(y* - E0) at their own params and tokens, without an interval.

    Raises
    ------
    ValueError
        Where the laws are not these two, or share no k.
    """
    _of_kind(joint, "params-tokens")
    _of_kind(direct, "compute")
    shared = [k for k in joint.ks if k in direct.ks]
    if not shared:
        raise ValueError(
            f"k={joint.ks}: must share some with those of the compute law, {direct.ks}"
        )
    same = joint.weights.shape == direct.weights.shape and (joint.weights == direct.weights).all()
    rows = []
    for one, other in ((joint.at(k), direct.at(k)) for k in shared):
        law, differences = one.law_of(one.coefficients), np.empty(0)
        if same and len(one.drawn) and one.draws is not None and other.draws is not None:
            _, (of_joint, of_direct) = paired((one.draws, other.draws))
            differences = of_direct[:, 2] - compute_law(one, of_joint)[2]
        own = law.penalty(
            **{name: joint.covariates[name][one.used] for name in ("params", "tokens")}
        )
        alpha, of_draws = law.envelope.exponent, compute_law(one, one.drawn)[2]
        away = other.coefficients["alpha"] - alpha
        stopped = one.on_limit(one.drawn)[:, 3:].any(axis=1)
        options: Any = {"level": level, "undetermined": bool(one.undetermined)}
        rows.append(
            {
                "k": one.k,
                "derived": Estimate.of_draws(alpha, of_draws, on_limit=stopped, **options),
                "fitted": other.estimate("alpha", level),
                "difference": Estimate.of_draws(away, differences, **options),
                "penalty": Estimate(float(np.median(own.loss_penalty)), **options),
            }
        )
    return rows


def penalties(
    joint: PassLaws, ratios: Sequence[float], *, level: float = DEFAULT_LEVEL
) -> list[dict[str, Any]]:
    """What over- and undertraining cost at every k.

    Parameters
    ----------
    joint : PassLaws
        The params+tokens law.
    ratios : sequence of float
        Overtraining ratios (D/N)/(D*/N*) at the same compute, > 0.
    level : float
        Of the intervals, where there are resamples.

    Returns
    -------
    list of dict
        k, ratio, `loss_penalty`, an Estimate of (y - E0)/(y* - E0) of y = -log pass@k, and
        `effective_compute`, one of the share of the compute that the optimum needs for the same.
    """
    _of_kind(joint, "params-tokens")
    rows = []
    for fit in joint.fits:
        beta, gamma = (fit.kind.coefficients.index(name) for name in ("beta", "gamma"))
        stopped = fit.on_limit(fit.drawn)[:, [beta, gamma]].any(axis=1)
        for ratio in ratios:
            s = formulas.log_size_ratio_at_ratio(positive_number("ratio", ratio))
            row: dict[str, Any] = {"k": fit.k, "ratio": float(ratio)}
            for name, cost in (
                ("loss_penalty", formulas.penalty),
                ("effective_compute", formulas.effective_compute),
            ):
                own = cost(s, beta=fit.coefficients["beta"], gamma=fit.coefficients["gamma"])
                drawn = cost(s, beta=fit.drawn[:, beta], gamma=fit.drawn[:, gamma])
                row[name] = Estimate.of_draws(
                    float(own),
                    drawn,
                    level,
                    on_limit=stopped,
                    undetermined=bool(fit.undetermined),
                )
            rows.append(row)
    return rows


def lost_compute(laws: Mapping[Any, Law], compute: float) -> list[dict[str, Any]]:
    """What an allocation that is optimal for one law costs under another.

    Parameters
    ----------
    laws : mapping
        k, or a name such as "loss", to a params+tokens law with A and B.
    compute : float
        Budget in FLOP, > 0.

    Returns
    -------
    list of dict
        A row for each ordered pair of different laws: compute, `chosen`, `judged`, `size_ratio`
        (params over the optimal ones), `loss_penalty` and `lost_compute`, the share of the budget
        that the judge's optimum would save.

    Raises
    ------
    ValueError
        Where the envelopes of laws at several k contradict each other.
    """
    by_k = sorted(k for k, law in laws.items() if not isinstance(k, str) and law.E is not None)
    best = {k: laws[k].envelope.loss(compute) for k in by_k}
    for (k1, y1), (k2, y2) in pairwise(best.items()):
        if y2 > y1 * (1.0 + ROUNDING):
            raise ValueError(
                f"compute={compute:.6g}: the laws at k={k1} and k={k2} contradict each other at "
                f"their best allocations; no cost of an allocation there"
            )
    rows = []
    for one, other in permutations(laws, 2):
        n, d = (getattr(laws[one].envelope, of)(compute) for of in ("params", "tokens"))
        cost = laws[other].penalty(params=n, tokens=d)
        row: dict[str, Any] = {"compute": compute, "chosen": one, "judged": other}
        for name in ("size_ratio", "loss_penalty", "lost_compute"):
            row[name] = float(getattr(cost, name))
        rows.append(row)
    return rows


def _of_kind(laws: PassLaws, name: str) -> None:
    if laws.kind.name != name:
        raise ValueError(f"law={laws.kind.name!r}: must be {name!r}")
