"""How often 90 % intervals hold the truth, on the design of the 240 Chinchilla runs: `python
tests/studies/coverage.py`.

Truth: the Huber fit's coefficients, with normal errors of the log loss as large as its residuals.
Every repetition draws losses, fits them by Huber's function and by least squares of the log, and
makes every kind of interval for alpha and for log N* at 5.76e23 FLOP. Prints the table and writes
it as JSON where a file is named.
"""

import argparse
import json
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from workers import workers

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit import fit
from isoflop.numeric.fit.derived import ALPHA, at_compute
from isoflop.numeric.law import Law

SEED = 20260
REPETITIONS = 2_000
RESAMPLES = 300
LEVEL = 0.9
COMPUTE = 5.76e23
SIGMA = 0.0070
TRUTH = Law(E=1.81722, A=477.826, B=2143.417, beta=0.34731, gamma=0.36717)
QUANTITIES = {"alpha": ALPHA, "log N*": at_compute(COMPUTE)[0]}
OBJECTIVES = ("huber-log", "least-squares-log")
#: What must be between 87 and 93 %.
REQUIRED = [
    (objective, kind, quantity)
    for objective, kind in (
        ("huber-log", "percentile bootstrap"),
        ("least-squares-log", "percentile bootstrap"),
        ("least-squares-log", "profile"),
    )
    for quantity in QUANTITIES
]


def chinchilla(folder):
    """The 240 runs: those with a loss below the fifth largest."""
    runs = Runs.read(folder / "chinchilla" / "svg_extracted_data.csv")
    return runs.subset(runs.loss < np.sort(runs.loss)[-5])


def ends(estimate):
    return estimate.low, estimate.high


def intervals(found, seed):
    """Every kind of interval of one fit: (kind, quantity) -> (low, high)."""
    made = {}
    bootstrap = found.bootstrap(RESAMPLES, seed=seed)
    residual = found.bootstrap(RESAMPLES, seed=seed, kind="residuals")
    for name, quantity in QUANTITIES.items():
        made["percentile bootstrap", name] = ends(bootstrap.estimate(quantity, LEVEL))
        made["residual bootstrap", name] = ends(residual.estimate(quantity, LEVEL))
    for kind in ("sandwich",) + (("classical",) if found.objective.is_square else ()):
        from isoflop.numeric.fit.derived import derived

        rows = derived(
            found.law,
            found.covariance(kind),
            found.model.coordinates,
            tuple(QUANTITIES.values()),
            LEVEL,
        )
        for name, row in zip(QUANTITIES, rows, strict=True):
            made[f"{kind} delta method", name] = (row.low, row.high)
    for name, quantity in QUANTITIES.items():
        if found.objective.is_square or name == "alpha":
            profile = found.profile(quantity, level=LEVEL)
            made["profile", name] = (
                -np.inf if profile.low is None else profile.low,
                np.inf if profile.high is None else profile.high,
            )
    return made


def repetition(runs, seed):
    """Which intervals hold the truth, how wide they are, in one repetition: (objective, kind,
    quantity) -> (held, width).
    """
    random = np.random.default_rng([SEED, seed])
    loss = TRUTH.loss(runs.params, runs.tokens) * np.exp(SIGMA * random.normal(size=len(runs)))
    drawn = replace(runs, loss=loss)
    found = {}
    for objective in OBJECTIVES:
        fitted = fit(drawn, objective=objective)
        assert fitted.converged, (objective, seed)
        for (kind, name), (low, high) in intervals(fitted, seed).items():
            truth = QUANTITIES[name].value(TRUTH)
            width = np.log(high / low) if name == "log N*" else high - low
            found[objective, kind, name] = (bool(low <= truth <= high), float(width))
    return found


def study(runs, repetitions, *, jobs=None, progress=False):
    """Coverage and median width: (objective, kind, quantity) -> (share, width), over the
    repetitions.
    """
    from tqdm import tqdm

    with workers(jobs) as pool:
        done = pool.map(partial(repetition, runs), range(repetitions), chunksize=5)
        rows = list(tqdm(done, total=repetitions, disable=not progress, unit="repetition"))
    return {
        key: (np.mean([row[key][0] for row in rows]), np.median([row[key][1] for row in rows]))
        for key in rows[0]
    }


def table(found, repetitions):
    """The table as text."""
    lines = [
        f"coverage of {LEVEL:.0%} intervals, {repetitions} repetitions (standard error "
        f"{np.sqrt(0.09 / repetitions):.2%})",
        "",
    ]
    lines.append(
        f"{'objective':<20}{'interval':<26}{'quantity':<10}{'coverage':>9}  {'median width':>12}  "
        f"required"
    )
    for (objective, kind, name), (share, width) in found.items():
        required = "87-93 %" if (objective, kind, name) in REQUIRED else ""
        lines.append(
            f"{objective:<20}{kind:<26}{name:<10}{share:>9.2%}  {width:>12.4g}  {required}".rstrip()
        )
    return "\n".join(lines)


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(description="Coverage of 90 % intervals.", allow_abbrev=False)
    parser.add_argument(
        "--runs", type=Path, default=os.environ.get("ISOFLOP_PUBLIC_RUNS") or "../shared/data"
    )
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = study(chinchilla(Path(options.runs)), options.repetitions, progress=True)
    print(table(found, options.repetitions))
    if options.json:
        rows = [
            dict(
                zip(
                    ("objective", "kind", "quantity", "coverage", "width"),
                    (*key, *value),
                    strict=True,
                )
            )
            for key, value in found.items()
        ]
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
