"""How often 90 % intervals of the laws of -log pass@k hold the truth: `python
tests/studies/passk_coverage.py`.

Truth: one of the three laws at one k, about which models scatter lognormally, each with its own
Beta-distributed success rates. Every repetition draws counts and fits the law. Do the percentile
intervals over resamples of models hold the coefficients, does the prediction interval hold a new
model: its pass@k, or for least squares, whose scatter has that of estimates in it, the estimate
from samples like those of the others? Two truths: "moderate", 54 models that are all solved, and
"many unsolved", 81 of which about half have no success, as on a hard benchmark: there a of Beta(a, b)
is the same for all models, so that their problems differ in difficulty alike.
"""

import argparse
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import running
from tests.data import law_truth, law_values, noisy

from isoflop.numeric.passk import Counts, curve, fit_passk
from isoflop.numeric.passk.likelihood import beta_neg_log_pass
from isoflop.numeric.simulate.counts import grid, simulate

SEED, REPETITIONS, RESAMPLES = 20261, 200, 200
SIZES = (1.4e7, 7e7, 1.6e8, 4.1e8, 1e9, 1.4e9, 2.8e9, 6.9e9, 1.2e10)
TOKENS = (2e9, 6e9, 2e10, 6e10, 2e11, 3e11)
DESIGN = grid(SIZES, TOKENS, gold_scatter=0.1, rng=1)
#: A new model, of the middle of the design.
NEW, NEW_MODEL = grid((1e9,), (3e10,)), "a new model"
N0, D0 = 1.5 * min(SIZES) ** 0.35, 1.5 * min(TOKENS) ** 0.4
COEFFICIENTS: Any = {
    "moderate": {
        "compute": {"E0": 0.2, "C0": 3.0 * float(DESIGN.compute.min()) ** 0.2, "alpha": 0.2},
        "params-tokens": {"E0": 0.2, "N0": N0, "D0": D0, "beta": 0.35, "gamma": 0.4},
        "gold": {"xi0": 0.2, "K0": 3.0 * float(DESIGN.gold.max()) ** -1.5, "kappa": 1.5},
    },
    "many unsolved": {
        "compute": {"E0": 3.0, "C0": 9e5, "alpha": 0.26},
        "params-tokens": {"E0": 3.0, "N0": 8e3, "D0": 2.5e4, "beta": 0.5, "gamma": 0.4},
    },
}
SHAPE = 0.3  # a of Beta(a, b) at "many unsolved"
LAWS = [*COEFFICIENTS["moderate"]]
#: Models, scatter about the law, problems.
SETTINGS = {"moderate": (DESIGN, 0.15, 64), "many unsolved": (grid(), 0.26, 128)}
SQUARES, LIKELIHOOD = "least-squares-log", "likelihood"


@dataclass(frozen=True)
class Case:
    """What is drawn and how it is fitted; `concentration`: a + b of the success rates Beta(a, b), at
    "moderate".
    """

    law: str
    method: str
    setting: str = "moderate"
    k: int = 10
    samples: int = 64
    batch: int | None = None
    concentration: float = 2.0


CASES = [
    *(Case(law, how) for law in COEFFICIENTS["moderate"] for how in (SQUARES, LIKELIHOOD)),
    Case("compute", LIKELIHOOD, "moderate", 1000, 512, 32, 50.0),
    Case("compute", SQUARES, "many unsolved", 1, 128),
    Case("compute", LIKELIHOOD, "many unsolved", 1, 128),
    Case("params-tokens", SQUARES, "many unsolved", 1, 128),
    Case("params-tokens", LIKELIHOOD, "many unsolved", 1, 128),
]


def truth_of(case, models, scatter, random):
    """Success rates of models whose -log pass@k follows the law at the case's k."""
    coefficients = COEFFICIENTS[case.setting][case.law]
    if case.setting == "moderate":
        how = {"k": case.k, "concentration": case.concentration, "scatter": scatter}
        return law_truth(models, case.law, coefficients, rng=random, **how)
    neg_log = noisy(law_values(models, case.law, coefficients), scatter, random)
    return models.assign(a=SHAPE, b=SHAPE * np.expm1(neg_log))  # a/(a + b) = e^-y, which is pass@1


def repetition(case, seed, resamples=RESAMPLES):
    """What one repetition finds: quantity -> whether the interval holds it, its width, estimate and
    truth.
    """
    design, scatter, problems = SETTINGS[case.setting]
    coefficients = COEFFICIENTS[case.setting][case.law]
    random = np.random.default_rng([SEED, LAWS.index(case.law), case.k, seed])

    def counts_of(models):
        truth = truth_of(case, models, scatter, random)
        options: Any = {"samples": case.samples, "batch": case.batch, "rng": random}
        return truth, Counts.read(simulate(truth, problems=problems, **options))

    options: Any = {"method": case.method, "resamples": resamples, "seed": seed, "cluster": False}
    fit = fit_passk(counts_of(design)[1], laws=case.law, k=[case.k], **options).at(case.k)
    found = {}
    for name, value in coefficients.items():
        one = fit.estimate(name, running.LEVEL)
        if one.has_interval:  # none where the models leave the coefficient undetermined
            found[name] = running.held(one.low, value, one.high, estimate=one.value, true=value)
    truth, counts = counts_of(NEW)
    new = beta_neg_log_pass(truth.a, truth.b, case.k).item()
    new = curve(counts, [case.k]).neg_log.item() if case.method == SQUARES else new
    band = fit.predict({name: getattr(NEW, name) for name in fit.kind.requires}, running.LEVEL)
    (low,), (high,) = band.ends
    entry = running.held(low, new, high, estimate=band.value.item(), true=new)
    return found | {NEW_MODEL: {**entry, "width": float(np.log(high / low))}}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage of intervals of the laws of pass@k.")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--jobs", type=int)
    given = parser.parse_args()
    for case in CASES:
        one = partial(repetition, case)
        found = running.study(one, given.repetitions, jobs=given.jobs, progress=True)
        print(case, found.to_string(), sep="\n", flush=True)
