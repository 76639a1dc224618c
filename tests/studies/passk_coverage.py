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
after the first batch (likelihood, and the "convention": problems with n < k count as solved,
whatever their outcome, then least squares).

Prints the tables, and writes their rows as JSON where a file is named.
"""

import argparse
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import running

import isoflop
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


SQUARES, LIKELIHOOD, CONVENTION = "least-squares-log", "likelihood", "convention"
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
#: What the convention makes of the exponent while the likelihood does not need it. Up to the first
#: batch no problem has n < k.
CONVENTIONS = (
    (CONVENTION, 32),
    (CONVENTION, 100),
    (CONVENTION, 1000),
    (LIKELIHOOD, 100),
    (LIKELIHOOD, 1000),
)
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
    *(
        Case("solved or given up", "compute", method, k, GIVEN_UP, 50.0)
        for method, k in CONVENTIONS
    ),
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
    estimates, intervals, fit = fitted(case, simulated, seed)
    found = {
        name: running.held(*_around(value, intervals[name]), estimate=estimates[name], true=value)
        for name, value in setting.coefficients[case.law].items()
    }
    if fit is not None:
        new = _new_model(case, random)
        ahead = fit.prediction({name: getattr(NEW, name) for name in fit.kind.covariates})
        (low,), (high,) = ahead.interval(running.LEVEL)
        entry = running.held(low, new, high, estimate=ahead.neg_log.item(), true=new)
        found[NEW_MODEL] = {**entry, "width": float(np.log(high / low))}
    return found


def _around(value, interval):
    low, high = interval
    return low, value, high


def fitted(case, simulated, seed):
    """Estimates and intervals by coefficient, and the fit, which the convention has none of."""
    counts = simulated.counts()
    if case.method == CONVENTION:
        return (*by_convention(counts, case.k, seed), None)
    (fit,) = fit_passk(
        counts,
        law=case.law,
        k=[case.k],
        method=case.method,
        resamples=RESAMPLES,
        seed=seed,
        cluster=None,
    ).fits
    return (
        fit.coefficients,
        {name: fit.interval(name, running.LEVEL) for name in fit.kind.coefficients},
        fit,
    )


def by_convention(counts, k, seed):
    """The compute law by least squares where problems of fewer than k samples count as solved;
    models at exactly 1 drop out.
    """
    passed = curve(counts, [k], refused="solved").pass_at_k[:, 0]
    usable = (passed > 0.0) & (passed < 1.0)
    columns = {"compute": counts.covariates["compute"][usable], "loss": -np.log(passed[usable])}
    fit = isoflop.fit(columns, model="compute", objective=SQUARES)
    estimates = fit.bootstrap(RESAMPLES, seed=seed).estimates(running.LEVEL)
    intervals = {name: (one.low, one.high) for name, one in estimates.items()}
    names = dict(zip(KINDS["compute"].coefficients, fit.coefficients, strict=True))
    return {own: fit.coefficients[name] for own, name in names.items()}, {
        own: intervals[name] for own, name in names.items()
    }


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


def rows_of(case, found):
    """A row a quantity, with what was drawn and how it was fitted."""
    how = {"law": case.law, "truth": case.setting, "method": case.method, "samples": case.name}
    table = found.rename(columns={"held": "coverage"}).rename_axis("quantity").reset_index()
    return [{**how, "k": case.k, **row} for row in table.to_dict("records")]


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(
        description="Coverage of 90 % intervals of the laws of pass@k.", allow_abbrev=False
    )
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--law", choices=KINDS)
    parser.add_argument("--method", choices=(SQUARES, LIKELIHOOD, CONVENTION))
    parser.add_argument("--truth", choices=SETTINGS)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--json", type=Path, help="a file for the rows")
    options = parser.parse_args()
    rows: list[dict] = []
    chosen = {"law": options.law, "method": options.method, "setting": options.truth}
    for case in CASES:
        if all(value in (None, getattr(case, name)) for name, value in chosen.items()):
            found = study(case, options.repetitions, jobs=options.jobs, progress=True)
            print(case, found.to_string(), sep="\n", flush=True)
            rows += rows_of(case, found)
            if options.json:
                content = {"level": running.LEVEL, "rows": rows}
                options.json.write_text(json.dumps(content, indent=1))


if __name__ == "__main__":
    main()
