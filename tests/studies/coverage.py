"""How often 90 % intervals hold the truth, on the design of the 240 Chinchilla runs: `python
tests/studies/coverage.py`.

Truth: the Huber fit's coefficients, with normal errors of the log loss as large as its residuals.
Every repetition draws losses, fits them by Huber's function and by least squares of the log, and
makes intervals of both kinds, by the covariance and by resamples, for alpha and for log N* at
5.76e23 FLOP.
"""

import argparse
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import running

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit import fit
from isoflop.numeric.fit.models import PARAMS_TOKENS
from isoflop.numeric.fit.quantities import quantities
from isoflop.numeric.law import Law

SEED = 20260
REPETITIONS = 2_000
RESAMPLES = 300
COMPUTE = 5.76e23
SIGMA = 0.0070
TRUTH = Law(E=1.81722, A=477.826, B=2143.417, beta=0.34731, gamma=0.36717)
KNOWN = {one.name: one for one in quantities(PARAMS_TOKENS, (COMPUTE,))}
QUANTITIES = {"alpha": KNOWN["alpha"], "log N*": KNOWN["N_star"]}
OBJECTIVES = ("huber-log", "least-squares-log")
COLUMNS = {name: np.array([value]) for name, value in TRUTH.numbers.items()}
#: What must be between 87 and 93 %.
REQUIRED = [
    f"{objective}, {kind}, {quantity}"
    for objective, kind in (
        ("huber-log", "percentile bootstrap"),
        ("least-squares-log", "percentile bootstrap"),
    )
    for quantity in QUANTITIES
]


def chinchilla(folder):
    """The 240 runs: those with a loss below the fifth largest."""
    runs = Runs.read(folder / "chinchilla" / "svg_extracted_data.csv")
    return runs.subset(runs.loss < np.sort(runs.loss)[-5])


def estimates(found, seed):
    """Every kind of interval of one fit: (kind, quantity) -> estimate."""
    kinds = {"percentile bootstrap": found.resampled(RESAMPLES, seed=seed), "sandwich": found}
    return {
        (kind, name): fitted.estimate(quantity.function, running.LEVEL)
        for kind, fitted in kinds.items()
        for name, quantity in QUANTITIES.items()
    }


def repetition(runs, seed):
    """Which intervals hold the truth, how wide they are, in one repetition."""
    random = np.random.default_rng([SEED, seed])
    loss = TRUTH.loss(runs.params, runs.tokens) * np.exp(SIGMA * random.normal(size=len(runs)))
    drawn = replace(runs, loss=loss)
    found = {}
    for objective in OBJECTIVES:
        fitted = fit(drawn, objective=objective)
        assert fitted.converged, (objective, seed)
        for (kind, name), estimate in estimates(fitted, seed).items():
            low = -np.inf if estimate.low is None else estimate.low
            high = np.inf if estimate.high is None else estimate.high
            entry = running.held(low, float(QUANTITIES[name].function(COLUMNS)[0]), high)
            if name == "log N*":
                entry["width"] = np.log(high / low)
            found[f"{objective}, {kind}, {name}"] = entry
    return found


def study(runs, repetitions, **how):
    """Coverage and median width of every kind of interval."""
    return running.coverage(
        running.outcomes(partial(repetition, runs), range(repetitions), unit="repetition", **how)
    )


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(description="Coverage of 90 % intervals.", allow_abbrev=False)
    parser.add_argument(
        "--runs", type=Path, default=os.environ.get("ISOFLOP_PUBLIC_RUNS") or "../shared/data"
    )
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    options = parser.parse_args()
    found = study(chinchilla(Path(options.runs)), options.repetitions, progress=True)
    found = found.assign(required=["87-93 %" if of in REQUIRED else "" for of in found.index])
    print(found.to_string())


if __name__ == "__main__":
    main()
