"""The fit against a thorough search on random problems: `python tests/studies/optimum.py`.

For each of 1,000 seeded problems (laws, designs, noise and objectives over wide ranges) the fit
without start values, and the best that SciPy finds from many starts. Prints how often the fit is
the best known optimum, how often it is reported as converged, and whether one that is worse ever
is.
"""

import argparse
from typing import NamedTuple

import running
from random_problems import problem
from reference import Search

from isoflop.numeric.fit import fit

PROBLEMS = 1_000
#: Objectives that differ by a smaller share are the same: SciPy's search stops about there.
SAME = 1e-6
#: Below this the objective is rounding errors.
ROUNDING = 1e-24


class Outcome(NamedTuple):
    """The objective of the fit, whether it is said to be a minimum, that of the search, and what the
    problem was.
    """

    seed: int
    value: float
    converged: bool
    searched: float
    what: str

    @property
    def worse(self):
        return self.value > self.searched * (1.0 + SAME) + ROUNDING

    @property
    def better(self):
        return self.searched > self.value * (1.0 + SAME) + ROUNDING


def outcome(seed):
    """Fit and search."""
    drawn = problem(seed)
    runs = {"params": drawn.params, "tokens": drawn.tokens, "loss": drawn.loss}
    found = fit(runs, objective=drawn.objective)
    searched, _ = Search(drawn, seed).best()
    what = f"{drawn.objective.name}, {len(drawn.loss)} runs, {drawn.design}, {drawn.noise}"
    return Outcome(seed, found.objective_value, found.converged, searched, what)


def study(seeds, **how):
    """The outcomes for some seeds."""
    return running.outcomes(outcome, seeds, **how)


def report(outcomes):
    """The counts, and every problem where something is amiss."""
    worse = [row for row in outcomes if row.worse]
    lines = [
        f"{len(outcomes)} problems",
        f"  best known optimum            {len(outcomes) - len(worse)}",
        f"  reported as converged         {sum(row.converged for row in outcomes)}",
        f"  worse but reported converged  {sum(row.converged for row in worse)}",
        f"  better than the search        {sum(row.better for row in outcomes)}",
    ]
    for row in outcomes:
        if row.worse or not row.converged:
            state = "converged" if row.converged else "not converged"
            found = f"{row.value!r}, search {row.searched!r}, {state}"
            lines.append(f"  seed {row.seed}: {row.what}: {found}")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Fits against a search.", allow_abbrev=False)
    parser.add_argument("--problems", type=int, default=PROBLEMS)
    print(report(study(range(parser.parse_args().problems), progress=True)))
