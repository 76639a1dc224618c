r"""Counts of a known truth: models, their distributions of success rates, and how often they were
sampled.

A law for one k says nothing about another, and laws written down for every k contradict each other
somewhere (isoflop.derivations.passk.crossing_of_two_k). Here every model has a distribution of
success rates over problems, from which pass@k follows for all k: Beta(a, b) and a share of problems
that are never solved. `law_truth` has -log pass@k follow one of the three laws exactly at one k;
the other k follow from the Beta(a, b) of given concentration.

A problem's success rate is drawn once per model, and its samples are binomial.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import (
    nonnegative_number,
    number,
    outside,
    positive_array,
    positive_number,
    whole_number,
)
from ..fit.models import in_coordinates
from ..fit.power import PowerSum
from ..passk.beta import beta_neg_log_pass, beta_pass
from ..passk.kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..data.counts import Counts

    Floats = NDArray[np.float64]

__all__ = [
    "Adaptive",
    "Fixed",
    "ModelGrid",
    "SimulatedCounts",
    "SuccessRates",
    "grid",
    "law_truth",
    "law_values",
    "simulate",
]

#: Sizes and token counts of nine models with nine checkpoints each.
SIZES = (1.4e7, 7e7, 1.6e8, 4.1e8, 1e9, 1.4e9, 2.8e9, 6.9e9, 1.2e10)
TOKENS = (2e6, 6.4e7, 5.12e8, 2e9, 6e9, 2e10, 6e10, 2e11, 3e11)
FLOP_PER_PARAM_AND_TOKEN = 6.0
#: The success rate of `law_truth` is found to this in its logarithm.
CLOSE = 1e-14
MOST_STEPS = 200


# -- models ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ModelGrid:
    """Models: parameters, tokens, compute = 6 N D, and the gold reference's negative log likelihood
    (nats), (G,) each.
    """

    params: Floats
    tokens: Floats
    gold: Floats

    @property
    def compute(self) -> Floats:
        """C = 6 N D in FLOP."""
        return FLOP_PER_PARAM_AND_TOKEN * self.params * self.tokens

    @property
    def names(self) -> tuple[str, ...]:
        """A name a model."""
        return tuple(
            f"N{size:.3g}_D{tokens:.3g}"
            for size, tokens in zip(self.params, self.tokens, strict=True)
        )

    def __len__(self) -> int:
        return len(self.params)


def grid(
    params: Sequence[float] = SIZES,
    tokens: Sequence[float] = TOKENS,
    *,
    gold_floor: float = 0.0,
    gold_coefficient: float = 2e4,
    gold_exponent: float = 0.12,
    gold_scatter: float = 0.0,
    rng: np.random.Generator | int = 0,
) -> ModelGrid:
    """Every size with every token count; gold = Eg + Gg C^-ag e^(scatter z), z normal."""
    sizes, counts = positive_array("params", params), positive_array("tokens", tokens)
    size, count = (part.ravel() for part in np.meshgrid(sizes, counts, indexing="ij"))
    z = np.random.default_rng(rng).standard_normal(len(size))
    scatter = nonnegative_number("gold_scatter", gold_scatter) * z
    compute = FLOP_PER_PARAM_AND_TOKEN * size * count
    coefficient = positive_number("gold_coefficient", gold_coefficient)
    gold = gold_floor + coefficient * compute**-gold_exponent * np.exp(scatter)
    return ModelGrid(size, count, gold)


# -- distributions of success rates ----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SuccessRates:
    """Success rates of every model: Beta(a, b) over the problems, 0 for a share `atom` of them;
    `a`, `b` of shape (G,).
    """

    a: Floats
    b: Floats
    atom: float = 0.0

    def neg_log_pass_at_k(self, k: ArrayLike) -> Floats:
        """-log pass@k, (G, K) for K values of k."""
        return beta_neg_log_pass(self.a[:, None], self.b[:, None], np.atleast_1d(k), self.atom)

    def pass_at_k(self, k: ArrayLike) -> Floats:
        """pass@k, (G, K)."""
        return beta_pass(self.a[:, None], self.b[:, None], np.atleast_1d(k), self.atom)

    def drawn(self, problems: int, random: np.random.Generator) -> Floats:
        """A success rate a model and problem, (G, P)."""
        shape = (len(self.a), whole_number("problems", problems, 1))
        rates = random.beta(self.a[:, None], self.b[:, None], size=shape)
        return np.where(random.random(shape) < self.atom, 0.0, rates)


def law_truth(
    design: ModelGrid,
    law: str,
    coefficients: Mapping[str, float],
    *,
    k: float = 1,
    concentration: float = 2.0,
    atom: float = 0.0,
    scatter: float = 0.0,
    rng: np.random.Generator | int = 0,
) -> SuccessRates:
    """Success rates whose -log pass@k is a law times e^(scatter z), at one k.

    Parameters
    ----------
    design : ModelGrid
    law : {"compute", "params-tokens", "gold"}
    coefficients : mapping
        Of the law: E0, C0, alpha; or E0, N0, D0, beta, gamma; or xi0, K0, kappa.
    k : float
        Where the law holds, >= 1.
    concentration : float
        a + b > 0: success rates of different problems are alike where it is large.
    atom : float
        Share of problems never solved; -log pass@k must exceed -log(1 - atom) at every model.
    scatter : float
        Standard deviation of log(-log pass@k) about the law.
    rng : numpy Generator or seed
        Of z.

    Raises
    ------
    ValueError
        Where an argument is outside its domain.
    """
    wanted = law_values(design, law, coefficients)
    spread = nonnegative_number("scatter", scatter)
    wanted = wanted * np.exp(spread * np.random.default_rng(rng).standard_normal(len(design)))
    share = _share("atom", atom)
    above = wanted + np.log1p(-share)
    if (above <= 0.0).any():
        raise outside(
            "atom",
            share,
            f"below 1 - pass@k = {float(-np.expm1(-wanted.min())):.6g} of the best model",
        )
    total, draws = positive_number("concentration", concentration), number("k", k)
    if draws < 1.0:
        raise outside("k", k, "a number of at least 1")
    mean = _mean_rate(above, total, draws)
    return SuccessRates(total * mean, total * (1.0 - mean), share)


def law_values(design: ModelGrid, law: str, coefficients: Mapping[str, float]) -> Floats:
    """-log pass@k of a law at every model, (G,); coefficients by the names in
    `isoflop.numeric.passk.kinds`, all >= 0.
    """
    kind = kind_of(law)
    if set(coefficients) != set(kind.coefficients):
        raise outside(
            "coefficients",
            sorted(coefficients),
            f"{', '.join(kind.coefficients)} for the law {law}",
        )
    values = [nonnegative_number(name, coefficients[name]) for name in kind.coefficients]
    logs = kind.logs({name: getattr(design, name) for name in kind.covariates})
    theta = in_coordinates(kind.terms, np.array(values))
    return PowerSum(logs, kind.terms.irreducible).evaluate(theta[None])[0][0]


def _mean_rate(wanted: Floats, concentration: float, k: float) -> Floats:
    """The mean q of Beta(s q, s (1 - q)) at which -log pass@k is what is wanted: by bisection in
    logit q.
    """
    low, high = np.full(wanted.shape, -700.0), np.full(wanted.shape, 36.0)
    for _ in range(MOST_STEPS):
        middle = 0.5 * (low + high)
        a, b = concentration / (1.0 + np.exp(-middle)), concentration / (1.0 + np.exp(middle))
        too_low = beta_neg_log_pass(a, b, k) > wanted
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
        if (high - low).max() <= CLOSE * np.abs(middle).max():
            break
    found: Floats = 1.0 / (1.0 + np.exp(-0.5 * (low + high)))
    return found


# -- samples ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fixed:
    """Every problem is sampled `n` times."""

    n: int = 128

    def counts(self, rates: Floats, rng: np.random.Generator) -> tuple[Any, Any]:
        """Samples and correct ones of problems with these success rates."""
        samples = np.full(rates.shape, whole_number("n", self.n, 1))
        return samples, rng.binomial(samples, rates)


@dataclass(frozen=True)
class Adaptive:
    """A problem is sampled in batches until it is solved `solved` times or sampled `most` times: n
    depends on the outcome.
    """

    batch: int = 128
    solved: int = 1
    most: int = 10_112

    def counts(self, rates: Floats, rng: np.random.Generator) -> tuple[Any, Any]:
        """Samples and correct ones of problems with these success rates."""
        batch, solved, most = (
            whole_number("batch", self.batch, 1),
            whole_number("solved", self.solved, 1),
            whole_number("most", self.most, 1),
        )
        samples, correct = (
            np.zeros(rates.shape, dtype=np.int64),
            np.zeros(rates.shape, dtype=np.int64),
        )
        going = samples < most
        while going.any():
            drawn = np.minimum(batch, most - samples[going])
            correct[going] += rng.binomial(drawn, rates[going])
            samples[going] += drawn
            going = (samples < most) & (correct < solved)
        return samples, correct


@dataclass(frozen=True, eq=False)
class SimulatedCounts:
    """Simulated counts with the truth that they come from.

    Attributes
    ----------
    design : ModelGrid
    truth : SuccessRates
    rates : ndarray
        (G, P): the success rate of every problem.
    n, c : ndarray of int
        (G, P): samples and correct ones.
    """

    design: ModelGrid
    truth: SuccessRates
    rates: Floats
    n: Any
    c: Any

    def columns(self) -> dict[str, Any]:
        """A row a model and problem: its names, n_samples, n_correct, params, tokens, compute."""
        models, problems = self.n.shape
        names = np.array(self.design.names, dtype=object)
        return {
            "model": np.repeat(names, problems),
            "problem": np.tile(np.arange(problems), models),
            "n_samples": self.n.ravel(),
            "n_correct": self.c.ravel(),
            "params": np.repeat(self.design.params, problems),
            "tokens": np.repeat(self.design.tokens, problems),
            "compute": np.repeat(self.design.compute, problems),
        }

    def counts(self) -> Counts:
        """The same as `Counts.read` of `columns` and `gold` gives."""
        from ..data.counts import Counts

        models, problems = self.n.shape
        design = self.design
        return Counts(
            by=("model",),
            labels=tuple((name,) for name in design.names),
            group=np.repeat(np.arange(models), problems),
            problem=np.tile(np.arange(problems), models).astype(object),
            n=self.n.ravel(),
            c=self.c.ravel(),
            row=np.arange(1, models * problems + 1),
            covariates={
                "params": design.params,
                "tokens": design.tokens,
                "compute": design.compute,
                "gold": design.gold,
            },
            source="simulation",
        )


def simulate(
    design: ModelGrid,
    truth: SuccessRates,
    *,
    problems: int = 128,
    sampling: Any = None,
    rng: np.random.Generator | int = 0,
) -> SimulatedCounts:
    """Counts of a truth: success rates are drawn once per model and problem, then sampled.

    Parameters
    ----------
    design : ModelGrid
    truth : SuccessRates
        Of the same models.
    problems : int
    sampling : Fixed or Adaptive, optional
        What has a method `counts` like theirs; by default 128 samples a problem.
    rng : numpy Generator or seed

    Examples
    --------
    >>> design = grid()
    >>> truth = law_truth(design, "compute", {"E0": 0.2, "C0": 1e5, "alpha": 0.25})
    >>> simulate(design, truth, problems=16, rng=1).n.shape
    (81, 16)
    """
    if len(truth.a) != len(design):
        raise outside("truth", f"{len(truth.a)} models", f"of the design's {len(design)}")
    random = np.random.default_rng(rng)
    rates = truth.drawn(problems, random)
    n, c = (sampling or Fixed()).counts(rates, random)
    return SimulatedCounts(design, truth, rates, n, c)


def _share(name: str, value: Any) -> float:
    found = nonnegative_number(name, value)
    if found >= 1.0:
        raise outside(name, value, "a number of at least 0 and below 1")
    return found
