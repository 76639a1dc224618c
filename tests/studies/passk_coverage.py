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
"""

import argparse
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import running
from tests.data import law_truth, law_values

from isoflop.numeric.data.counts import Counts
from isoflop.numeric.passk.beta import beta_neg_log_pass
from isoflop.numeric.passk.curve import curve
from isoflop.numeric.passk.kinds import KINDS
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.simulate.counts import grid, simulate

SEED, REPETITIONS, RESAMPLES = 20261, 200, 200
SIZES = (1.4e7, 7e7, 1.6e8, 4.1e8, 1e9, 1.4e9, 2.8e9, 6.9e9, 1.2e10)
TOKENS = (2e9, 6e9, 2e10, 6e10, 2e11, 3e11)
DESIGN = grid(SIZES, TOKENS, gold_scatter=0.1, rng=1)
#: A new model, of the middle of the design.
NEW, NEW_MODEL = grid((1e9,), (3e10,)), "a new model"
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

    models: Any
    coefficients: dict
    scatter: float
    problems: int


SETTINGS = {
    "moderate": Setting(DESIGN, MODERATE, 0.15, 64),
    "many unsolved": Setting(grid(), UNSOLVED, 0.26, 128),
}


@dataclass(frozen=True)
class Case:
    """What is drawn and how it is fitted; `concentration`: a + b of the success rates Beta(a, b)."""

    name: str
    law: str
    method: str
    k: int
    sampling: dict
    concentration: float
    setting: str = "moderate"


SQUARES, LIKELIHOOD = "least-squares-log", "likelihood"
#: At k = 1000 with a + b = 2 nearly every problem would be solved always or never; with 50 the
#: shapes a are from 0.01 to 0.4, and samples short of k, drawn until a problem is solved, tell
#: something.
SAMPLINGS = (
    ("fixed n", SQUARES, 10, {"samples": 64}, 2.0),
    ("fixed n", LIKELIHOOD, 10, {"samples": 64}, 2.0),
    ("until solved, n < k", LIKELIHOOD, 1000, {"samples": 512, "batch": 32}, 50.0),
)
CASES = [
    Case(name, law, method, k, how, total)
    for name, method, k, how, total in SAMPLINGS
    for law in KINDS
]
CASES += [
    Case("fixed n", law, method, 1, {"samples": 128}, 0.0, "many unsolved")
    for law in UNSOLVED
    for method in (SQUARES, LIKELIHOOD)
]


def truth_of(case, models, random):
    """Success rates of models whose -log pass@k follows the law at the case's k."""
    setting = SETTINGS[case.setting]
    coefficients, scatter = setting.coefficients[case.law], setting.scatter
    if case.concentration:
        how = {"k": case.k, "concentration": case.concentration, "scatter": scatter}
        return law_truth(models, case.law, coefficients, rng=random, **how)
    noise = np.exp(scatter * random.standard_normal(len(models)))
    neg_log = law_values(models, case.law, coefficients) * noise
    return models.assign(a=SHAPE, b=SHAPE * np.expm1(neg_log))  # a/(a + b) = e^-y, which is pass@1


def repetition(case, seed):
    """What one repetition finds: quantity -> whether the interval holds it, its width, estimate and
    truth.
    """
    setting = SETTINGS[case.setting]
    random = np.random.default_rng([SEED, list(KINDS).index(case.law), case.k, seed])
    how = {"problems": setting.problems, **case.sampling, "rng": random}
    truth = truth_of(case, setting.models, random)
    counts = Counts.read(simulate(truth, **how))
    options = {"method": case.method, "resamples": RESAMPLES, "seed": seed, "cluster": None}
    fit = fit_passk(counts, laws=case.law, k=[case.k], **options).at(case.k)
    found = {}
    for name, value in setting.coefficients[case.law].items():
        one = fit.estimate(name, running.LEVEL)
        found[name] = running.held(one.low, value, one.high, estimate=one.value, true=value)
    truth = truth_of(case, NEW, random)
    new = beta_neg_log_pass(truth.a, truth.b, case.k).item()
    if case.method == SQUARES:
        new = curve(Counts.read(simulate(truth, **how)), [case.k]).neg_log.item()
    at = {name: getattr(NEW, name) for name in fit.kind.covariates}
    (low,), (high,) = fit.interval_ahead(at, running.LEVEL)
    entry = running.held(low, new, high, estimate=fit.predict(at).item(), true=new)
    return found | {NEW_MODEL: {**entry, "width": float(np.log(high / low))}}


def study(case, repetitions, **how):
    """Coverage, median width, estimate and truth of every quantity."""
    one, seeds = partial(repetition, case), range(repetitions)
    return running.coverage(running.outcomes(one, seeds, unit="repetition", **how))


def main():
    """Run the study from the command line."""
    about = "Coverage of 90 % intervals of the laws of pass@k."
    parser = argparse.ArgumentParser(description=about, allow_abbrev=False)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--law", choices=KINDS)
    parser.add_argument("--method", choices=(SQUARES, LIKELIHOOD))
    parser.add_argument("--setting", choices=SETTINGS)
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    for case in CASES:
        names = ("law", "method", "setting")
        if all(getattr(options, name) in (None, getattr(case, name)) for name in names):
            found = study(case, options.repetitions, jobs=options.jobs, progress=True)
            print(case, found.to_string(), sep="\n", flush=True)


if __name__ == "__main__":
    main()
