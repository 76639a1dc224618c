"""What every study does: problems in processes of one thread each, and a table of the outcomes.

Importing this puts the tests on the path of a study that runs as a script.
"""

import sys
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

sys.path.append(str(Path(__file__).resolve().parents[2]))

#: The nominal level of every interval.
LEVEL = 0.9


def outcomes(function, problems, *, jobs=None, progress=False, unit="problem"):
    """The outcomes of the problems, in their order."""
    problems = list(problems)
    with parallel_config("loky", n_jobs=jobs or -1, inner_max_num_threads=1):
        found = Parallel(return_as="generator")(delayed(function)(each) for each in problems)
        return list(tqdm(found, total=len(problems), disable=not progress, unit=unit))


def coverage(found):
    """A row a kind of interval, from a dictionary a repetition: kind -> what is known of it.

    `held`: whether the interval holds the truth; of all other numbers the median is taken.
    """
    rows = [{"of": of, **row} for each in found for of, row in each.items()]
    groups = pd.DataFrame(rows).groupby("of", sort=False)
    table = groups.median()
    table["held"] = groups["held"].mean()
    return table.assign(repetitions=groups.size())


def study(repetition, number, **how):
    """The coverage of the intervals of repetitions, functions of a seed, that have such an interval."""
    return coverage(outcomes(repetition, range(number), unit="repetition", **how))


def held(low, truth, high, **more):
    """The entry of an interval."""
    return {"held": float(low <= truth <= high), "width": high - low, **more}
