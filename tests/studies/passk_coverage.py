"""How often 90 % intervals of the laws of -log pass@k hold the truth: `python
tests/studies/passk_coverage.py`.

Truth: one of the three laws at one k, about which models scatter lognormally. Every model has its
own success rates, Beta with that pass@k, one a problem. Every repetition draws counts and fits the
law. Do the percentile intervals over resamples of models hold the coefficients, does the prediction
interval of the law hold a new model: its pass@k, or for least squares, whose scatter has that of
estimates in it, the estimate from samples like those of the others?

Two truths. "moderate": 54 models, nine sizes with six token counts each, -log pass@k from about 3.2
down to 0.4 nats, so that all models are solved. "many unsolved": 81 models down to 2 million
tokens, -log pass@k from about 200 down to 4.4 nats, so that about half of the models have no
success, as on a hard benchmark.

Ways to sample and to fit: a fixed number of samples (least squares, likelihood); every other model
sampled fewer than k times (least squares leaves these out); in batches until a problem is solved,
so that n < k depends on the outcome (likelihood); the same where three problems in ten are given up
after the first batch (likelihood).
"""

import argparse
from dataclasses import dataclass
from functools import partial

import numpy as np
import running

from isoflop.numeric.passk.curve import curve
from isoflop.numeric.passk.kinds import KINDS
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.simulate.counts import (
    Adaptive,
    Fixed,
    ModelGrid,
    SuccessRates,
    grid,
    law_truth,
    law_values,
    simulate,
)

SEED = 20261
REPETITIONS = 200
RESAMPLES = 200
SIZES = (1.4e7, 7e7, 1.6e8, 4.1e8, 1e9, 1.4e9, 2.8e9, 6.9e9, 1.2e10)
TOKENS = (2e9, 6e9, 2e10, 6e10, 2e11, 3e11)
DESIGN = grid(SIZES, TOKENS, gold_scatter=0.1, rng=1)
#: A new model, of the middle of the design.
NEW = grid((1e9,), (3e10,))
NEW_MODEL = "a new model"
#: -log pass@k from about 3.2 nats at the smallest model to about 0.4 at the largest; an irreducible
#: part of 0.2.
MODERATE = {
    "compute": {"E0": 0.2, "C0": 3.0 * float(DESIGN.compute.min()) ** 0.2, "alpha": 0.2},
    "params-tokens": {
        "E0": 0.2,
        "N0": 1.5 * min(SIZES) ** 0.35,
        "D0": 1.5 * min(TOKENS) ** 0.4,
        "beta": 0.35,
        "gamma": 0.4,
    },
    "gold": {"xi0": 0.2, "K0": 3.0 * float(DESIGN.gold.max()) ** -1.5, "kappa": 1.5},
}
#: From about 200 nats to 4.4: cheap models have one success in e^200 samples, which is none.
UNSOLVED = {
    "compute": {"E0": 3.0, "C0": 9e5, "alpha": 0.26},
    "params-tokens": {"E0": 3.0, "N0": 8e3, "D0": 2.5e4, "beta": 0.5, "gamma": 0.4},
}
#: Of Beta(a, b) at "many unsolved": a is the same for all models, so that their problems differ in
#: difficulty alike.
SHAPE = 0.3


@dataclass(frozen=True)
class Setting:
    """A truth: models, coefficients by law, the scatter of models about the law, and how many
    problems there are.
    """

    name: str
    models: ModelGrid
    coefficients: dict
    scatter: float
    problems: int


SETTINGS = {
    "moderate": Setting("moderate", DESIGN, MODERATE, 0.15, 64),
    "many unsolved": Setting("many unsolved", grid(), UNSOLVED, 0.26, 128),
}


@dataclass(frozen=True)
class EveryOther:
    """Models are sampled `few` and `many` times in turn, whatever their success."""

    few: int
    many: int

    def counts(self, rates, rng):
        """Samples and correct ones of problems with these success rates."""
        often = np.where(np.arange(len(rates)) % 2, self.few, self.many)
        samples = np.broadcast_to(often[:, None], rates.shape).copy()
        return samples, rng.binomial(samples, rates)


@dataclass(frozen=True)
class GivenUp:
    """Every problem by one of two schemes, the second with chance `share`."""

    one: Adaptive
    other: Fixed
    share: float

    def counts(self, rates, rng):
        """Samples and correct ones of problems with these success rates."""
        chosen = rng.random(rates.shape) < self.share
        (n, c), (m, d) = self.one.counts(rates, rng), self.other.counts(rates, rng)
        return np.where(chosen, m, n), np.where(chosen, d, c)


@dataclass(frozen=True)
class Case:
    """What is drawn and how it is fitted."""

    name: str
    law: str
    method: str
    k: int
    sampling: Fixed | Adaptive | GivenUp | EveryOther
    concentration: float
    setting: str = "moderate"


SQUARES, LIKELIHOOD = "least-squares-log", "likelihood"
UNTIL_SOLVED = Adaptive(32, 1, 512)
#: The last number is a + b of the success rates Beta(a, b). At k = 1000 with a + b = 2 nearly every
#: problem would be solved always or never; with 50 the shapes a are from 0.01 to 0.4, and samples
#: short of k tell something.
SAMPLINGS = (
    ("fixed n", SQUARES, 10, Fixed(64), 2.0),
    ("fixed n", LIKELIHOOD, 10, Fixed(64), 2.0),
    ("every other n < k", SQUARES, 100, EveryOther(64, 512), 50.0),
    ("until solved, n < k", LIKELIHOOD, 1000, UNTIL_SOLVED, 50.0),
)
#: Until solved, but three problems in ten are given up after the first batch, as where a budget
#: runs out.
GIVEN_UP = GivenUp(Adaptive(32, 1, 2048), Fixed(32), 0.3)
CASES = [
    *(
        Case(name, law, method, k, how, total)
        for name, method, k, how, total in SAMPLINGS
        for law in KINDS
    ),
    *(
        Case("fixed n", law, method, 1, Fixed(128), 0.0, "many unsolved")
        for law in UNSOLVED
        for method in (SQUARES, LIKELIHOOD)
    ),
    *(Case("solved or given up", "compute", LIKELIHOOD, k, GIVEN_UP, 50.0) for k in (100, 1000)),
]


def truth_of(case, models, random):
    """Success rates of models whose -log pass@k follows the law at the case's k."""
    setting = SETTINGS[case.setting]
    coefficients = setting.coefficients[case.law]
    if case.concentration:
        total = case.concentration
        return law_truth(
            models,
            case.law,
            coefficients,
            k=case.k,
            concentration=total,
            scatter=setting.scatter,
            rng=random,
        )
    scatter = np.exp(setting.scatter * random.standard_normal(len(models)))
    neg_log = law_values(models, case.law, coefficients) * scatter
    shape = np.full(len(models), SHAPE)
    return SuccessRates(shape, shape * np.expm1(neg_log))  # a/(a + b) = e^-y, which is pass@1


def repetition(case, seed):
    """What one repetition finds: quantity -> whether the interval holds it, its width, estimate and
    truth.
    """
    setting = SETTINGS[case.setting]
    random = np.random.default_rng([SEED, list(KINDS).index(case.law), case.k, seed])
    truth = truth_of(case, setting.models, random)
    simulated = simulate(
        setting.models, truth, problems=setting.problems, sampling=case.sampling, rng=random
    )
    fit = fitted(case, simulated, seed)
    found = {}
    for name, value in setting.coefficients[case.law].items():
        one = fit.estimate(name, running.LEVEL)
        found[name] = running.held(one.low, value, one.high, estimate=one.value, true=value)
    new, at = _new_model(case, random), {name: getattr(NEW, name) for name in fit.kind.covariates}
    (low,), (high,) = fit.interval_ahead(at, running.LEVEL)
    entry = running.held(low, new, high, estimate=fit.predict(at).item(), true=new)
    return found | {NEW_MODEL: {**entry, "width": float(np.log(high / low))}}


def fitted(case, simulated, seed):
    """The law fitted to the counts."""
    options = {"method": case.method, "resamples": RESAMPLES, "seed": seed, "cluster": None}
    return fit_passk(simulated.counts(), law=case.law, k=[case.k], **options).fits[0]


def _new_model(case, random):
    """-log pass@k of one more model: the truth, or for least squares its estimate."""
    truth = truth_of(case, NEW, random)
    if case.method == LIKELIHOOD:
        return truth.neg_log_pass_at_k(case.k).item()
    setting = SETTINGS[case.setting]
    counts = simulate(
        NEW, truth, problems=setting.problems, sampling=case.sampling, rng=random
    ).counts()
    return curve(counts, [case.k]).neg_log.item()


def unsolved_share(case, seed=0):
    """Share of the models without a success in one repetition."""
    setting, random = SETTINGS[case.setting], np.random.default_rng([SEED, seed])
    truth = truth_of(case, setting.models, random)
    _, correct = case.sampling.counts(truth.drawn(setting.problems, random), random)
    return float(np.mean(correct.sum(axis=1) == 0))


def study(case, repetitions, **how):
    """Coverage, median width, estimate and truth of every quantity."""
    one, seeds = partial(repetition, case), range(repetitions)
    return running.coverage(running.outcomes(one, seeds, unit="repetition", **how))


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(
        description="Coverage of 90 % intervals of the laws of pass@k.", allow_abbrev=False
    )
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--law", choices=KINDS)
    parser.add_argument("--method", choices=(SQUARES, LIKELIHOOD))
    parser.add_argument("--truth", choices=SETTINGS)
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    chosen = {"law": options.law, "method": options.method, "setting": options.truth}
    for case in CASES:
        if all(value in (None, getattr(case, name)) for name, value in chosen.items()):
            found = study(case, options.repetitions, jobs=options.jobs, progress=True)
            print(case, found.to_string(), sep="\n", flush=True)


if __name__ == "__main__":
    main()
