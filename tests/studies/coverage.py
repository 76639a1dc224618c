"""How often 90 % intervals hold the truth: `python tests/studies/coverage.py --repetitions 200`.

Five designs: the 240 Chinchilla runs, 8 isoFLOP budgets of 9 runs, a grid of 8 x 6, a ladder of
4 x 4, and 20 training runs of 10 checkpoints in groups. On the first the truth is the Huber fit,
with normal errors as large as its residuals. On the others every repetition draws a law, and errors
that shrink with compute, 5 % of them four times as large; runs of one group share an error.
Intervals are those of alpha, and of N* and L* beyond the runs, by the covariance and, where that is
asked for, by resamples.
"""

import argparse
import os
from functools import partial
from pathlib import Path

import numpy as np
import running
from tests.data import grid, power_law

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit import OBJECTIVES, fit
from isoflop.numeric.law import Law

ASKED = {
    "alpha": lambda law, at: law.envelope.exponent,
    "N_star": lambda law, at: law.N_opt(at),
    "L_star": lambda law, at: law.L_opt(at),
}
DESIGNS = ("isoflop", "grid", "ladder", "grouped")
CHINCHILLA = {"E": 1.81722, "A": 477.826, "B": 2143.417, "beta": 0.34731, "gamma": 0.36717}
#: Of the log losses, and the compute of Chinchilla: 5.76e23 FLOP.
SIGMA, COMPUTE, BEYOND = 0.0070, 5.76e23, 10.0
RESAMPLES = 300


def chinchilla(folder, seed):
    """The 240 runs with a loss below the fifth largest, their errors drawn anew; the law that they
    are of, and the compute that is asked for.
    """
    read = Runs.read(folder / "chinchilla" / "svg_extracted_data.csv")
    runs = read.subset(read.loss < np.sort(read.loss)[-5])
    errors = SIGMA * np.random.default_rng([20260, seed]).normal(size=len(runs))
    loss = power_law(runs.params, runs.tokens, **CHINCHILLA) * np.exp(errors)
    return {"params": runs.params, "tokens": runs.tokens, "loss": loss}, CHINCHILLA, COMPUTE


def drawn_law(random):
    """A law whose terms are 0.2 to 0.5 at 1e9 parameters and 2e10 tokens."""
    E, beta, gamma = (random.uniform(*ends) for ends in ((1.4, 2.1), (0.25, 0.45), (0.25, 0.45)))
    A, B = random.uniform(0.2, 0.5) * 1e9**beta, random.uniform(0.2, 0.5) * 2e10**gamma
    return {"E": E, "A": A, "B": B, "beta": beta, "gamma": gamma}


def design(name, law, random):
    """Params, tokens and groups of a design; no groups but of the grouped one."""
    if name == "isoflop":
        shifts, compute = grid(np.exp(np.linspace(-1.3, 1.3, 9)), np.geomspace(6e18, 3e21, 8))
        params = shifts * Law(**law).envelope.params(compute)
        return params, compute / (6.0 * params), None
    if name == "grouped":
        sizes = np.exp(random.uniform(np.log(5e7), np.log(5e9), 20))
        ends = sizes * np.exp(random.uniform(np.log(5.0), np.log(100.0), 20))
        tokens = np.outer(ends, np.linspace(0.1, 1.0, 10)).ravel()
        return np.repeat(sizes, 10), tokens, np.repeat(np.arange(20), 10)
    first, second = {
        "grid": ((5e7, 5e9, 8), (1e9, 1e11, 6)),
        "ladder": ((1e8, 3e9, 4), (2e9, 6e10, 4)),
    }[name]
    return *grid(np.geomspace(*first), np.geomspace(*second)), None


def simulated(name, seed):
    """Runs of a design, the law that they are of, and ten times their largest compute."""
    random = np.random.default_rng([77, seed, len(name)])
    law = drawn_law(random)
    n, d, group = design(name, law, random)
    compute, size = 6.0 * n * d, random.uniform(0.002, 0.008)
    spread = size * (compute / np.exp(np.log(compute).mean())) ** -random.uniform(0.0, 0.15)
    wide = np.where(random.random(len(n)) < 0.05, 4.0, 1.0)
    errors, runs = spread * random.standard_normal(len(n)) * wide, {"params": n, "tokens": d}
    if group is not None:
        errors = 0.5 * errors + size * random.standard_normal(20)[group]
        runs["group"] = group.astype(str)
    loss = power_law(n, d, **law) * np.exp(errors)
    return {**runs, "loss": loss}, law, BEYOND * float(compute.max())


def repetition(draw, seed, objectives=("huber-log",), resamples=0):
    """Which intervals hold the truth, by objective, kind and quantity; nothing of a fit that is no
    result.
    """
    runs, law, at = draw(seed)
    true, intervals = Law(**law), {}
    for objective in objectives:
        found = fit(runs, objective=objective)
        if not found.is_sound:
            continue
        made = {} if found.drawn is None else {"sandwich": found}  # E = 0: there is none
        if resamples:
            made["bootstrap"] = found.resampled(resamples, seed=seed)
        for kind, fitted in made.items():
            for name, of in ASKED.items():
                estimate, truth = fitted.law.estimate(partial(of, at=at)), float(of(true, at))
                held = running.held(estimate.low, truth, estimate.high)
                intervals[f"{objective}, {kind}, {name}"] = held
    return intervals


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage of 90 % intervals.", allow_abbrev=False)
    folder = os.environ.get("ISOFLOP_PUBLIC_RUNS") or "../shared/data"
    parser.add_argument("--runs", type=Path, default=folder)
    parser.add_argument("--repetitions", type=int, default=2_000)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    parser.add_argument("--objectives", nargs="+", choices=OBJECTIVES, default=OBJECTIVES[:1])
    asked = vars(parser.parse_args())
    draws = {"chinchilla": partial(chinchilla, asked.pop("runs"))}
    number = asked.pop("repetitions")
    for name, draw in (draws | {name: partial(simulated, name) for name in DESIGNS}).items():
        one = partial(repetition, draw, **asked)
        print(name, running.study(one, number, progress=True).to_string(), sep="\n")
