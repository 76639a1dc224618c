"""How often 90 % intervals of the laws of -log pass@k hold the truth: `python tests/studies/passk_coverage.py`.

Truth: one of the three laws at one k, about which models scatter lognormally; 54 models, nine sizes with six token counts each.
Every model has its own success rates, Beta with that pass@k, one a problem, and every problem is sampled a fixed number of times
(both methods) or in batches until it is solved (the likelihood; then n < k). Every repetition draws counts and fits the law. Do
the percentile intervals over resamples of models hold the coefficients, does the prediction interval of the law hold a new model:
its pass@k, or for least squares, whose scatter has that of estimates in it, the estimate from samples like those of the others?
Prints the table and writes it as JSON where a file is named.
"""

import argparse
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from workers import workers

from isoflop.numeric.passk.curve import curve
from isoflop.numeric.passk.kinds import KINDS
from isoflop.numeric.passk.laws import fit_passk
from isoflop.numeric.passk.simulate import Adaptive, Fixed, grid, law_truth, simulate

SEED = 20261
REPETITIONS = 300
RESAMPLES = 200
LEVEL = 0.9
SIZES = (1.4e7, 7e7, 1.6e8, 4.1e8, 1e9, 1.4e9, 2.8e9, 6.9e9, 1.2e10)
TOKENS = (2e9, 6e9, 2e10, 6e10, 2e11, 3e11)
DESIGN = grid(SIZES, TOKENS, gold_scatter=0.1, rng=1)
#: A new model, of the middle of the design.
NEW = grid((1e9,), (3e10,))
SCATTER, PROBLEMS = 0.15, 64
#: -log pass@k from about 3.2 nats at the smallest model to about 0.4 at the largest; an irreducible part of 0.2.
TRUTHS = {
    "compute": {"E0": 0.2, "C0": 3.0 * float(DESIGN.compute.min()) ** 0.2, "alpha": 0.2},
    "params-tokens": {"E0": 0.2, "N0": 1.5 * min(SIZES) ** 0.35, "D0": 1.5 * min(TOKENS) ** 0.4, "beta": 0.35, "gamma": 0.4},
    "gold": {"xi0": 0.2, "K0": 3.0 * float(DESIGN.gold.max()) ** -1.5, "kappa": 1.5},
}


@dataclass(frozen=True)
class Case:
    """What is drawn and how it is fitted."""

    name: str
    law: str
    method: str
    k: int
    sampling: Fixed | Adaptive
    concentration: float


#: The last number is a + b of the success rates Beta(a, b). At k = 1000 with a + b = 2 nearly every problem would be solved
#: always or never; with 50 the shapes a are from 0.01 to 0.4, and samples short of k tell something.
SAMPLINGS = (
    ("fixed n", "least-squares-log", 10, Fixed(64), 2.0),
    ("fixed n", "likelihood", 10, Fixed(64), 2.0),
    ("until solved, n < k", "likelihood", 1000, Adaptive(32, 1, 512), 50.0),
)
CASES = [Case(name, law, method, k, how, total) for name, method, k, how, total in SAMPLINGS for law in KINDS]


def repetition(case, seed):
    """Which intervals hold the truth, and how wide they are, in one repetition: quantity -> (held, width)."""
    random = np.random.default_rng([SEED, list(KINDS).index(case.law), case.k, seed])
    coefficients = TRUTHS[case.law]
    truth = law_truth(DESIGN, case.law, coefficients, k=case.k, concentration=case.concentration, scatter=SCATTER, rng=random)
    counts = simulate(DESIGN, truth, problems=PROBLEMS, sampling=case.sampling, rng=random).counts()
    (fit,) = fit_passk(counts, law=case.law, k=[case.k], method=case.method, resamples=RESAMPLES, seed=seed).fits
    found = {}
    for name, value in zip(fit.kind.coefficients, coefficients.values(), strict=True):
        low, high = fit.interval(name, LEVEL)
        found[name] = (bool(low <= value <= high), high - low)
    new = _new_model(case, random)
    ahead = {"compute": NEW.compute, "params": NEW.params, "tokens": NEW.tokens, "gold": NEW.gold}
    (low,), (high,) = fit.predict(ahead).interval(LEVEL)
    found["a new model"] = (bool(low <= new <= high), float(np.log(high / low)))
    return found


def _new_model(case, random):
    """-log pass@k of one more model: the truth, or for least squares its estimate."""
    truth = law_truth(NEW, case.law, TRUTHS[case.law], k=case.k, concentration=case.concentration, scatter=SCATTER, rng=random)
    if case.method == "likelihood":
        return truth.neg_log_pass_at_k(case.k).item()
    counts = simulate(NEW, truth, problems=PROBLEMS, sampling=case.sampling, rng=random).counts()
    return curve(counts, [case.k]).neg_log.item()


def study(case, repetitions, *, jobs=None, progress=False):
    """Coverage and median width: (case, quantity) -> (share, width), over the repetitions."""
    from tqdm import tqdm

    with workers(jobs) as pool:
        done = pool.map(partial(repetition, case), range(repetitions), chunksize=2)
        rows = list(tqdm(done, total=repetitions, disable=not progress, unit="repetition", desc=f"{case.law}, {case.method}"))
    held = {name: [row[name] for row in rows] for name in rows[0]}
    return {(case, name): (np.mean(values, axis=0)[0], np.median(values, axis=0)[1]) for name, values in held.items()}


def error(repetitions):
    """Binomial standard error of a coverage of the nominal level."""
    return float(np.sqrt(LEVEL * (1.0 - LEVEL) / repetitions))


HEAD = f"{'law':<16}{'method':<20}{'samples':<22}{'k':>5}  {'quantity':<14}{'coverage':>9}{'median width':>14}"


def table(found):
    """The rows of the table."""
    return "\n".join(
        f"{case.law:<16}{case.method:<20}{case.name:<22}{case.k:>5}  {name:<14}{share:>9.1%}{width:>14.4g}"
        for (case, name), (share, width) in found.items()
    )


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(description="Coverage of 90 % intervals of the laws of pass@k.", allow_abbrev=False)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--law", choices=KINDS)
    parser.add_argument("--method", choices=("least-squares-log", "likelihood"))
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cases = [case for case in CASES if options.law in (None, case.law) and options.method in (None, case.method)]
    print(
        f"coverage of {LEVEL:.0%} intervals, {options.repetitions} repetitions (error {error(options.repetitions):.1%})\n\n{HEAD}"
    )
    found: dict = {}
    for case in cases:
        done = study(case, options.repetitions, jobs=options.jobs, progress=True)
        print(table(done), flush=True)
        found |= done
    if options.json:
        names = ("law", "method", "samples", "k", "quantity", "coverage", "width")
        rows = [
            dict(zip(names, (case.law, case.method, case.name, case.k, name, share, width), strict=True))
            for (case, name), (share, width) in found.items()
        ]
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
