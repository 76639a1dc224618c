r"""Whether runs at one ratio of tokens to params show the two-term law: the broken law with one
break, fitted to -log Q'.

.. math:: -\log Q' = E + A N^{-\beta} + B D^{-\gamma} \text{ at } D = t N \iff \text{one break with } c_1 f_1 = -1.

Three laws are fitted to the same runs by least squares of log(-log Q'): no break, E + C0 C^-alpha;
the two-term law; any break. F tests tell whether any break is closer than two terms, and whether
two terms are closer than no break. The place and width of a break are searched for, and a narrow
one follows the scatter of a few runs: so the first test counts all three coefficients of a break.
(Counting one, it rejects true two-term laws four times as often as it says.)
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..data.sample import SPREAD, Points, Sample, above_guessing, one_ratio
from ..data.scale import neg_log_accuracy
from ..errors import ArgumentError, positive_number
from ..fit.objective import Objective
from ..law import Law
from ..results import Estimate, checked_level, coverage_factor
from .broken import BrokenLaw
from .broken_fit import fit_broken
from .kind import MARGIN
from .power import POWER_KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .broken_fit import BrokenFit

    Floats = NDArray[np.float64]

__all__ = ["SPREAD", "RayBreak", "at_one_ratio", "ray_break"]

SQUARES = Objective(name="least-squares")
#: Root mean squares of log(-log Q') below this are none: no accuracy is measured to so many digits.
ROUNDING = 1e-6
#: c1 f1 this close to -2 is -2.
CLOSE = 1e-6
#: Coefficients of two terms and E, and of one break.
TWO_TERMS, ONE_BREAK = 5, 6
#: Coefficients that a break searches for, and that a second term adds.
SEARCHED, ADDED = 3, 2
#: Runs for each coefficient of a break with which there is a verdict.
FEWEST = 2
#: A law is rejected where p is below this.
DOUBT = 0.05
OF_BREAK = ("c1", "d1", "f1")
#: What to say where c1 f1 = -2 is possible.
TWIN = (
    "exponents of ratio 2:1 have two exact broken laws, of c1 f1 = -1 and of c1 f1 = -2 (t^2 + t + "
    "E = (t + 1/2)^2 + E - 1/4), "
    "and -2 with c0 + c1 = 0 is the two-term law as well"
)


@dataclass(frozen=True, kw_only=True)
class RayBreak:
    """The one-break law of -log Q' at one D/N, and whether it is a two-term law.

    Attributes
    ----------
    tokens_per_param : float
        Median D/N of the runs.
    lowest, highest : float
        Of D/N.
    n : int
        Runs.
    coefficients : dict
        a, b, c0, c1, d1, f1.
    open : tuple of str
        Those that the runs leave open.
    product : Estimate
        c1 f1, with its interval by the delta method, stretched to -1 where the two-term law is not
        rejected; no ends where c1, d1 or f1 is undetermined.
    rmse : dict
        Of log(-log Q'), by "no break", "two terms", "one break".
    p_two_terms, p_no_break : float or None
        Probabilities of an F at least as large where two terms, or no break, are the truth. None
        for an exact fit.
    beta, gamma : float or None
        The exponents of the two-term law closest to the runs, the larger first: at one ratio runs
        do not tell which is of params.
    verdict : str
        "two terms", "no two terms", "open", or "cannot tell": there are fewer than two runs for a
        coefficient, or two terms are rejected in favour of a break that the runs do not determine,
        which may be one that follows their scatter.
    """

    tokens_per_param: float
    lowest: float
    highest: float
    n: int
    coefficients: dict[str, float]
    open: tuple[str, ...]
    product: Estimate
    rmse: dict[str, float]
    p_two_terms: float | None
    p_no_break: float | None
    beta: float | None
    gamma: float | None
    verdict: str

    @property
    def is_near_twin(self) -> bool:
        """Whether c1 f1 = -2, the other exact broken law of exponents of ratio 2:1, is as
        compatible as -1.
        """
        low, high = (
            self.product.value if end is None else end
            for end in (self.product.low, self.product.high)
        )
        return low - CLOSE <= -2.0 <= high + CLOSE

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        data = {part.name: getattr(self, part.name) for part in fields(self)} | {
            "open": list(self.open)
        }
        return data | self.product.as_dict("product") | {"level": self.product.level}

    def __str__(self) -> str:
        product, within = self.product, "interval undetermined"
        if product.has_interval:
            within = f"{100 * (product.level or 0.0):g} % interval {product.low:.4g} to {product.high:.4g}"
        text = f"c1 f1 = {product.value:.5g} ({within}): {WORDS[self.verdict]}"
        if self.p_two_terms is not None and self.p_no_break is not None:
            text += (
                f"; F tests: two terms against one break, p = {self.p_two_terms:.2g}; "
                f"no break against two terms, p = {self.p_no_break:.2g}"
            )
        if self.verdict == "two terms" and self.beta is not None:
            text += f"; exponents {self.beta:.4g} and {self.gamma:.4g} (one ratio does not tell which is of params)"
        return text


WORDS = {
    "two terms": "the two-term law at a fixed ratio, c1 f1 = -1",
    "no two terms": "not the two-term law at a fixed ratio, c1 f1 = -1",
    "open": "open whether the two-term law, for a law without a break is as close",
    "cannot tell": "these runs cannot tell whether it is the two-term law",
}


def at_one_ratio(sample: Sample, ray: float | None = None) -> Sample | None:
    """The runs at a D/N, within a factor `SPREAD` of it; without one all the runs if these are at
    one, else None.

    Raises
    ------
    ValueError
        Where D/N is not known, or no run is at the ratio.
    """
    if ray is None:
        return None if one_ratio(sample.at) is None else sample
    logs = np.log(sample.at.column("tokens") / sample.at.column("params"))
    near = np.abs(logs - np.log(positive_number("ray", ray))) <= np.log(SPREAD)
    if not near.any():
        low, high = np.exp(logs.min()), np.exp(logs.max())
        complaint = f"no run of {sample.benchmark} is within a factor {SPREAD:g}; D/N is {low:.4g} to {high:.4g}"
        raise ArgumentError("ray", ray, complaint=complaint)
    return sample.subset(near)


def ray_break(sample: Sample, *, level: float = 0.9, margin: float = MARGIN) -> RayBreak:
    """Fit the one-break law to -log Q' of runs at one ratio of tokens to params.

    Parameters
    ----------
    sample : Sample
        Of runs at one D/N, see `at_one_ratio`.
    level : float
        Of the interval of c1 f1.
    margin : float
        Runs count where accuracy exceeds guessing by more than this.

    Raises
    ------
    ValueError
        Where compute takes too few values.

    Examples
    --------
    >>> params = np.geomspace(1e7, 1e11, 40)
    >>> y = 0.1 + 3e4 * params**-0.7 + 30.0 * (20.0 * params) ** -0.2
    >>> at = Points(params=params, tokens=20.0 * params, compute=120.0 * params**2)
    >>> runs = Sample(benchmark="made-up", accuracy=np.exp(-y), baseline=0.0, at=at)
    >>> ray_break(runs, margin=0.0).verdict
    'two terms'
    """
    nominal = checked_level(level)
    runs = sample.subset(above_guessing(sample.accuracy, sample.baseline, margin))
    compute, y = (
        runs.at.column("compute"),
        np.asarray(neg_log_accuracy(runs.accuracy, runs.baseline)),
    )
    ratios = runs.at.column("tokens") / runs.at.column("params")
    if len(np.unique(compute)) <= ONE_BREAK:
        raise ValueError(
            f"{len(np.unique(compute))} values of compute; a law with one break needs more than "
            f"{ONE_BREAK}"
        )
    t = float(np.median(ratios))
    law = _two_terms(runs, t)
    ray = _ray(law, t)
    fit = fit_broken(
        compute,
        y,
        objective=SQUARES,
        in_logs=True,
        asymptote=(0.0, np.inf),
        near=None if ray is None else ray.coefficients[None],
    )
    squares = {
        "no break": _squares(_no_break(runs), y),
        "one break": float((fit.residuals**2).sum()),
    }
    squares["two terms"] = (
        squares["no break"] if ray is None else _squares(np.asarray(ray.accuracy(compute)), y)
    )
    verdict, p_two, p_none = _verdict(squares, len(y))
    closest, (low, high, loose) = fit.law_of(fit.coefficients), _interval(fit, nominal)
    if ray is not None and squares["two terms"] < squares["one break"]:
        # Its break lies farther from the runs than a search for breaks goes.
        closest, low, high, loose = ray, None, None, OF_BREAK
    exact = p_two is None
    if not exact and (len(y) < FEWEST * ONE_BREAK or (verdict == "no two terms" and low is None)):
        verdict = "cannot tell"
    if low is not None and high is not None and verdict != "no two terms":
        low, high = min(low, -1.0), max(high, -1.0)
    return RayBreak(
        tokens_per_param=t,
        lowest=float(ratios.min()),
        highest=float(ratios.max()),
        n=len(y),
        coefficients=dict(
            zip(("a", "b", "c0", *OF_BREAK), map(float, closest.coefficients), strict=True)
        ),
        open=loose,
        product=Estimate(closest.product, low, high, level=nominal),
        rmse={name: float(np.sqrt(value / len(y))) for name, value in squares.items()},
        p_two_terms=p_two,
        p_no_break=p_none,
        beta=None if law is None else max(law.beta, law.gamma),
        gamma=None if law is None else min(law.beta, law.gamma),
        verdict=verdict,
    )


def _two_terms(runs: Sample, t: float) -> Law | None:
    """The two-term law closest to the runs, as if their D/N were exactly t; None where they
    determine none.
    """
    compute = runs.at.column("compute")
    at = Points(
        compute=compute,
        params=formulas.ray_params(compute, t),
        tokens=formulas.ray_tokens(compute, t),
    )
    kind = POWER_KINDS["params-tokens-ceiling"]
    try:
        found = kind.fit(
            Sample(benchmark=runs.benchmark, accuracy=runs.accuracy, baseline=runs.baseline, at=at)
        )
        return Law(name="ray", **dict[str, Any](found.coefficients))
    except ValueError:
        return None


def _ray(law: Law | None, t: float) -> BrokenLaw | None:
    """It as a law with one break; None where it has none, or one beyond the range of a float."""
    try:
        found = None if law is None else BrokenLaw.of_ray(law, t)
    except (OverflowError, ValueError):
        return None
    return found if found is not None and found.breaks else None


def _no_break(runs: Sample) -> Floats:
    """-log Q' by the law E + C0 C^-alpha closest to the runs."""
    kind = POWER_KINDS["compute-ceiling"]
    found = kind.fit(runs)
    return np.asarray(kind.neg_log(found.values[None], runs.at)[0])


def _squares(law: Floats, y: Floats) -> float:
    return float((np.log(law / y) ** 2).sum())


def _verdict(squares: dict[str, float], n: int) -> tuple[str, float | None, float | None]:
    """The verdict, and the p of two terms and of no break."""
    from scipy.special import fdtrc

    one, none = squares["one break"], squares["no break"]
    two = min(squares["two terms"], none)  # no break: two terms of which one is nothing
    exact = n * ROUNDING**2
    if min(one, two) <= exact:
        return (
            "open" if none <= exact else "two terms" if two <= exact else "no two terms",
            None,
            None,
        )
    best = min(one, two)
    p_two = float(
        fdtrc(SEARCHED, n - ONE_BREAK, (two - best) / SEARCHED / (best / (n - ONE_BREAK)))
    )
    p_none = float(
        fdtrc(ADDED, n - TWO_TERMS, max(none - two, 0.0) / ADDED / (two / (n - TWO_TERMS)))
    )
    if p_two < DOUBT:
        return "no two terms", p_two, p_none
    return "two terms" if p_none < DOUBT else "open", p_two, p_none


def _interval(fit: BrokenFit, level: float) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Of c1 f1, where neither is open, and what is: an asymptote of 0 is that of a law with E = 0."""
    loose = tuple(
        name
        for name in fit.undetermined
        if not (name == "a" and fit.at_bound[0] and fit.lower[0] == 0.0)
    )
    if not fit.converged or {*OF_BREAK} & {*loose}:
        return None, None, loose
    reach = coverage_factor(level) * fit.product_error
    product = fit.law_of(fit.coefficients).product
    return product - reach, product + reach, loose
