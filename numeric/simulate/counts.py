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
from ..passk.beta import beta_neg_log_pass, beta_pass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
#: The laws of -log pass@k: coefficients, and the value at models of a `ModelGrid` d.
LAWS: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "compute": (("E0", "C0", "alpha"), lambda d, E, G, a: E + G * d.compute**-a),
    "params-tokens": (
        ("E0", "N0", "D0", "beta", "gamma"),
        lambda d, E, A, B, b, g: E + A * d.params**-b + B * d.tokens**-g,
    ),
    "gold": (("xi0", "K0", "kappa"), lambda d, E, K, kappa: E + K * d.gold**kappa),
}


# -- models ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ModelGrid:
    """Models: parameters, tokens, compute = 6 N D in FLOP, and the gold reference's negative log
    likelihood (nats), (G,) each.
    """

    params: Floats
    tokens: Floats
    gold: Floats

    @property
    def compute(self) -> Floats:
        """C = 6 N D in FLOP."""
        return 6.0 * self.params * self.tokens

    @property
    def names(self) -> tuple[str, ...]:
        """A name a model."""
        pairs = zip(self.params, self.tokens, strict=True)
        return tuple(f"N{size:.3g}_D{tokens:.3g}" for size, tokens in pairs)

    def __len__(self) -> int:
        return len(self.params)


def grid(
    params: Sequence[float] = SIZES,
    tokens: Sequence[float] = TOKENS,
    *,
    gold: tuple[float, float, float] = (0.0, 2e4, 0.12),
    gold_scatter: float = 0.0,
    rng: np.random.Generator | int = 0,
) -> ModelGrid:
    """Every size with every token count; gold = Eg + Gg C^-ag e^(scatter z), z normal.

    `gold`: Eg, Gg and ag.
    """
    sizes, counts = positive_array("params", params), positive_array("tokens", tokens)
    size, count = (part.ravel() for part in np.meshgrid(sizes, counts, indexing="ij"))
    z = np.random.default_rng(rng).standard_normal(len(size))
    floor, coefficient, exponent = gold
    reducible = coefficient * (6.0 * size * count) ** -exponent
    scatter = nonnegative_number("gold_scatter", gold_scatter) * z
    return ModelGrid(size, count, floor + reducible * np.exp(scatter))


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
    z = np.random.default_rng(rng).standard_normal(len(design))
    wanted = wanted * np.exp(nonnegative_number("scatter", scatter) * z)
    if not 0.0 <= (share := nonnegative_number("atom", atom)) < 1.0:
        raise outside("atom", atom, "a number of at least 0 and below 1")
    above = wanted + np.log1p(-share)
    if (above <= 0.0).any():
        domain = f"below 1 - pass@k = {float(-np.expm1(-wanted.min())):.6g} of the best model"
        raise outside("atom", share, domain)
    total, draws = positive_number("concentration", concentration), number("k", k)
    if draws < 1.0:
        raise outside("k", k, "a number of at least 1")
    mean = _mean_rate(above, total, draws)
    return SuccessRates(total * mean, total * (1.0 - mean), share)


def law_values(design: ModelGrid, law: str, coefficients: Mapping[str, float]) -> Floats:
    """-log pass@k of one of `LAWS` at every model, (G,); coefficients by name, all >= 0."""
    if law not in LAWS:
        raise outside("law", law, f"one of {', '.join(LAWS)}")
    names, value = LAWS[law]
    if {*coefficients} != {*names}:
        raise outside("coefficients", sorted(coefficients), f"{', '.join(names)} for the law {law}")
    values: Floats = value(design, *(nonnegative_number(n, coefficients[n]) for n in names))
    return values


def _mean_rate(wanted: Floats, concentration: float, k: float) -> Floats:
    """The mean q of Beta(s q, s (1 - q)) at which -log pass@k is what is wanted: by bisection in
    logit q, to 1e-14 of it.
    """
    low, high = np.full(wanted.shape, -700.0), np.full(wanted.shape, 36.0)
    for _ in range(200):
        middle = 0.5 * (low + high)
        a, b = concentration / (1.0 + np.exp(-middle)), concentration / (1.0 + np.exp(middle))
        too_low = beta_neg_log_pass(a, b, k) > wanted
        low, high = np.where(too_low, middle, low), np.where(too_low, high, middle)
        if (high - low).max() <= 1e-14 * np.abs(middle).max():
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
            whole_number(name, getattr(self, name), 1) for name in ("batch", "solved", "most")
        )
        samples, correct = (np.zeros(rates.shape, dtype=np.int64) for _ in range(2))
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
        """A row a model and problem: its names, n_samples, n_correct, params, tokens, compute, gold."""
        models, problems = self.n.shape
        known = {
            name: getattr(self.design, name) for name in ("params", "tokens", "compute", "gold")
        }
        return {
            "model": np.repeat(np.array(self.design.names, dtype=object), problems),
            "problem": np.tile(np.arange(problems), models),
            "n_samples": self.n.ravel(),
            "n_correct": self.c.ravel(),
            **{name: np.repeat(values, problems) for name, values in known.items()},
        }

    def counts(self) -> Counts:
        """What `Counts.read` makes of `columns`."""
        from ..data.counts import Counts

        return Counts.read(self.columns())


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
