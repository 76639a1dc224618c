"""How often 90 % intervals hold the truth on small designs: `python
tests/studies/coverage_designs.py --repetitions 200`.

Four designs: 8 isoFLOP budgets of 9 runs, a grid of 8 x 6, a ladder of 4 x 4, and 20 training runs
of 10 checkpoints in groups. Every repetition draws a law, and errors that shrink with compute, 5 %
of them four times as large; runs of one group share an error. Intervals are those of alpha, and of
N* and L* at 10 times the largest compute, by the sandwich, and by the bootstrap where that is
asked for.
"""

import argparse
from functools import partial

import numpy as np
import running

from isoflop.numeric.fit import OBJECTIVES, fit
from isoflop.numeric.fit.models import PARAMS_TOKENS
from isoflop.numeric.fit.quantities import quantities
from isoflop.numeric.law import Law

SEED, BEYOND = 77, 10.0
NAMES = ("alpha", "N_star", "L_star")
DESIGNS = ("isoflop", "grid", "ladder", "grouped")


def drawn_law(random):
    """A law whose terms are 0.2 to 0.5 at 1e9 parameters and 2e10 tokens."""
    E, beta, gamma = (
        random.uniform(1.4, 2.1),
        random.uniform(0.25, 0.45),
        random.uniform(0.25, 0.45),
    )
    A, B = random.uniform(0.2, 0.5) * 1e9**beta, random.uniform(0.2, 0.5) * 2e10**gamma
    return Law(E=E, A=A, B=B, beta=beta, gamma=gamma)


def design(name, law, random):
    """Params, tokens and groups of a design; no groups but of the grouped one."""
    if name == "isoflop":
        shifts, budgets = np.exp(np.linspace(-1.3, 1.3, 9)), np.geomspace(6e18, 3e21, 8)
        best = [law.allocate(compute=float(c)) for c in budgets]
        return (
            np.ravel([o.params * shifts for o in best]),
            np.ravel([o.tokens / shifts for o in best]),
            None,
        )
    if name == "grouped":
        sizes = np.exp(random.uniform(np.log(5e7), np.log(5e9), 20))
        ends = sizes * np.exp(random.uniform(np.log(5.0), np.log(100.0), 20))
        return (
            np.repeat(sizes, 10),
            np.outer(ends, np.linspace(0.1, 1.0, 10)).ravel(),
            np.repeat(np.arange(20), 10),
        )
    grids = {"grid": ((5e7, 5e9, 8), (1e9, 1e11, 6)), "ladder": ((1e8, 3e9, 4), (2e9, 6e10, 4))}[
        name
    ]
    n, d = (axis.ravel() for axis in np.meshgrid(*(np.geomspace(*ends) for ends in grids)))
    return n, d, None


def repetition(name, seed, objective="huber-log", resamples=0):
    """Which intervals hold the truth; nothing where the fit is no result."""
    random = np.random.default_rng([SEED, seed, len(name)])
    law = drawn_law(random)
    n, d, group = design(name, law, random)
    compute, size = 6.0 * n * d, random.uniform(0.002, 0.008)
    spread = size * (compute / np.exp(np.log(compute).mean())) ** -random.uniform(0.0, 0.15)
    errors = (
        spread * random.standard_normal(len(n)) * np.where(random.random(len(n)) < 0.05, 4.0, 1.0)
    )
    runs = {"params": n, "tokens": d}
    if group is not None:
        errors = 0.5 * errors + size * random.standard_normal(20)[group]
        runs["group"] = group.astype(str)
    found = fit({**runs, "loss": law.loss(n, d) * np.exp(errors)}, objective=objective)
    if found.undetermined or not found.converged:
        return {}
    at = BEYOND * float(compute.max())
    asked = [one for one in quantities(PARAMS_TOKENS, (at,)) if one.name in NAMES]
    made = {} if found.drawn is None else {"sandwich": found}  # E = 0: there is none
    if resamples:
        made["bootstrap"] = found.resampled(resamples, seed=1)
    columns = {name: np.array([value]) for name, value in law.numbers.items()}
    intervals = {}
    for kind, fitted in made.items():
        for one in asked:
            estimate = fitted.estimate(one.function)
            held = running.held(estimate.low, float(one.function(columns)[0]), estimate.high)
            intervals[f"{kind} {one.name}"] = held
    return intervals


def study(name, repetitions, *, progress=False, **how):
    """Coverage of every kind of interval, of the repetitions with such an interval."""
    seeds, one = range(repetitions), partial(repetition, name, **how)
    return running.coverage(running.outcomes(one, seeds, progress=progress))


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(
        description="Coverage of 90 % intervals on small designs.", allow_abbrev=False
    )
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=0)
    parser.add_argument("--objective", choices=OBJECTIVES, default="huber-log")
    options = vars(parser.parse_args())
    for name in DESIGNS:
        print(name, study(name, progress=True, **options).to_string(), sep="\n")


if __name__ == "__main__":
    main()
