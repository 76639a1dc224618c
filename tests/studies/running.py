"""What every study does: problems in processes of one thread each, and a table of the outcomes.

As many threads as processors in every process would wait for one another. Importing this puts the
tests on the path of a study that runs as a script.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import pandas as pd
from tqdm import tqdm

sys.path.append(str(Path(__file__).resolve().parents[2]))

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: The nominal level of every interval.
LEVEL = 0.9


@contextmanager
def one_thread():
    """New processes, which read the number of threads when they load NumPy, have one."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def outcomes(function, problems, *, jobs=None, progress=False, unit="problem"):
    """The outcomes of the problems, in their order."""
    problems = list(problems)
    context = get_context("spawn")
    with one_thread(), ProcessPoolExecutor(jobs or os.cpu_count(), mp_context=context) as pool:
        done = pool.map(function, problems, chunksize=4)
        return list(tqdm(done, total=len(problems), disable=not progress, unit=unit))


def coverage(repetitions):
    """A row a kind of interval, from a dictionary a repetition: kind -> what is known of it.

    `held`: whether the interval holds the truth; of all other numbers the median is taken.
    """
    rows = [{"of": of, **row} for found in repetitions for of, row in found.items()]
    groups = pd.DataFrame(rows).groupby("of", sort=False)
    table = groups.median()
    table["held"] = groups["held"].mean()
    return table.assign(repetitions=groups.size())


def held(low, truth, high, **more):
    """The entry of an interval."""
    return {"held": float(low <= truth <= high), "width": high - low, **more}
