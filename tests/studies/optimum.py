"""The fit against a thorough search on random problems: `python tests/studies/optimum.py`.

For each of 1,000 seeded problems (laws, designs, noise and objectives over wide ranges) the fit
without start values, and the best that SciPy finds from many starts. Prints how often the fit is
the best known optimum, how often it is reported as converged, and whether one that is worse ever
is.
"""

import argparse

import pandas as pd
import running
from random_problems import problem
from reference import Search

from isoflop.numeric.fit import fit

PROBLEMS = 1_000
#: Objectives that differ by a smaller share are the same: SciPy's search stops about there.
SAME = 1e-6
#: Below this the objective is rounding errors.
ROUNDING = 1e-24


def outcome(seed):
    """A row for a problem: the objectives of the fit and of the search, how they compare, whether the
    fit is said to be a minimum, and what the problem was.
    """
    drawn = problem(seed)
    runs = {"params": drawn.params, "tokens": drawn.tokens, "loss": drawn.loss}
    found = fit(runs, objective=drawn.objective)
    value, searched = found.objective_value, Search(drawn, seed).best()[0]
    row = {"converged": found.converged, "value": value, "searched": searched}
    row |= {"worse": value > searched * (1.0 + SAME) + ROUNDING}
    row |= {"better": searched > value * (1.0 + SAME) + ROUNDING, "seed": seed}
    what = f"{drawn.objective.name}, {len(drawn.loss)} runs, {drawn.design}, {drawn.noise}"
    return row | {"what": what}


def study(seeds, **how):
    """The outcomes for some seeds."""
    return pd.DataFrame(running.outcomes(outcome, seeds, **how))


def report(found):
    """The counts, and every problem where something is amiss."""
    amiss = found[found.worse | ~found.converged]
    return (
        f"{len(found)} problems\n"
        f"  best known optimum            {(~found.worse).sum()}\n"
        f"  reported as converged         {found.converged.sum()}\n"
        f"  worse but reported converged  {(found.worse & found.converged).sum()}\n"
        f"  better than the search        {found.better.sum()}\n"
        f"{amiss.to_string() if len(amiss) else ''}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Fits against a search.", allow_abbrev=False)
    parser.add_argument("--problems", type=int, default=PROBLEMS)
    print(report(study(range(parser.parse_args().problems), progress=True)))
