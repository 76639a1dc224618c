"""How often the fit of a broken power law finds the law that was drawn, by the sharpness of its
breaks and the noise.

Run: python tests/studies/bnsl_recovery.py [PROBLEMS]

A law with one or two breaks is drawn, with 40 to 60 runs over 4 to 6 decades of compute, and
fitted. It is found where the curve is within 1 % at every run; its breaks are found where each is
within 0.1 decades as well. Widths are f of the law, in natural logarithms of compute: a break of
width f takes about 4 f to go from one exponent to the next. Those of Krajewski et al. 2025 (arXiv
2512.08894, Table 10) are 1.9 to 6.7.

Found with its breaks (the curve within 1 %), of 60 problems each:

| breaks | width f | noise 0 | noise 2e-4 | noise 2e-3 |
| --- | --- | --- | --- | --- |
| 1 | 0.1 to 0.4 | 60 (60) | 60 (60) | 50 (52) |
| 1 | 0.4 to 1.5 | 60 (60) | 55 (60) | 28 (49) |
| 1 | 1.9 to 6.7 | 60 (60) | 13 (60) | 1 (47) |
| 2 | 0.1 to 0.4 | 59 (60) | 59 (60) | 37 (51) |
| 2 | 0.4 to 1.5 | 58 (60) | 46 (60) | 9 (52) |
| 2 | 1.9 to 6.7 | 9 (60) | 0 (60) | 0 (52) |

The curve is what the runs tell; where breaks are wide, or noise is large, many sets of breaks have
the same curve.
"""

import sys
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import running

from isoflop.numeric.accuracy.laws import LAWS
from isoflop.numeric.data.sample import Points, Sample

DECADE = np.log(10.0)
#: Widths f, and standard deviations of the noise in accuracy.
WIDTHS, NOISES = ((0.1, 0.4), (0.4, 1.5), (1.9, 6.7)), (0.0, 2e-4, 2e-3)
BREAKS, PROBLEMS = (1, 2), 60
CURVE, PLACE = 0.01, 0.1


class Problem(NamedTuple):
    """Compute and true accuracy (n,), and the computes of the breaks."""

    compute: np.ndarray
    accuracy: np.ndarray
    places: np.ndarray


class Outcome(NamedTuple):
    """Whether the curve was found, and whether its breaks were as well."""

    curve: bool
    breaks: bool


def curve(logs, asymptote, height, c0, breaks):
    """The law at log C, written out: `breaks` are (c, log d, f)."""
    falls = [c * f * np.logaddexp(0.0, (logs - place) / f) for c, place, f in breaks]
    return asymptote + height * np.exp(-c0 * logs - sum(falls))


def drawn(random, breaks, widths):
    """Accuracy rises from a lower or towards an upper asymptote; a draw that shows no break is
    drawn again.

    Exponents differ by at least 0.25 from segment to segment, breaks lie well inside and well
    apart, at every break the accuracy is at least a tenth as far from the asymptote as anywhere,
    and it spans at least 0.15.
    """
    while True:
        runs, decades, first = (
            int(random.integers(40, 61)),
            random.uniform(4.0, 6.0),
            random.uniform(17.0, 19.0),
        )
        share = (
            np.sort(random.uniform(size=runs))
            if random.random() < 0.5
            else np.linspace(0.0, 1.0, runs)
        )
        logs = (first + decades * share) * DECADE
        shares = (
            [random.uniform(0.3, 0.7)]
            if breaks == 1
            else [random.uniform(0.2, 0.35), random.uniform(0.65, 0.8)]
        )
        places = (first + decades * np.array(shares)) * DECADE
        exponents = random.uniform(0.02, 0.8, breaks + 1)
        rising = random.random() < 0.5
        asymptote = random.uniform(0.0, 0.5) if rising else random.uniform(0.75, 1.0)
        end = (
            random.uniform(asymptote + 0.2, 0.98)
            if rising
            else random.uniform(0.2, asymptote - 0.2)
        )
        f = np.exp(random.uniform(*np.log(widths), breaks))
        if np.abs(np.diff(exponents)).min() < 0.25:
            continue
        signed, middle = (-exponents if rising else exponents), logs.mean()
        shape = curve(
            logs - middle,
            0.0,
            1.0,
            signed[0],
            list(zip(np.diff(signed), places - middle, f, strict=True)),
        )
        accuracy = asymptote + (end - asymptote) * shape / shape.max()
        far = np.abs(accuracy - asymptote)
        if np.ptp(accuracy) >= 0.15 and (np.interp(places, logs, far) >= 0.1 * far.max()).all():
            return Problem(np.exp(logs), accuracy, np.exp(places))


def outcome(seed, breaks, widths, noise):
    """One problem: the same law for every noise."""
    random = np.random.default_rng([breaks, seed])
    truth = drawn(random, breaks, widths)
    observed = truth.accuracy + noise * random.standard_normal(len(truth.compute))
    sample = Sample(
        benchmark="drawn", accuracy=observed, baseline=0.0, at=Points(compute=truth.compute)
    )
    kind = LAWS["bnsl" if breaks == 1 else "bnsl-2"]
    found = kind.fit(sample)
    fitted = kind.accuracy(found.values[None], sample.at, np.zeros(1))[0]
    near = bool(np.abs(fitted / truth.accuracy - 1.0).max() <= CURVE)
    placed = bool(np.abs(np.log(found.values[4::3] / truth.places)).max() <= PLACE * DECADE)
    return Outcome(near, near and placed)


def study(problems=PROBLEMS, *, breaks=BREAKS, widths=WIDTHS, noises=NOISES, **how):
    """(breaks, widths, noise) -> outcomes."""
    return {
        (count, width, noise): running.outcomes(
            partial(outcome, breaks=count, widths=width, noise=noise), range(problems), **how
        )
        for count in breaks
        for width in widths
        for noise in noises
    }


def table(found):
    """A row a number of breaks and range of widths: found whole (the curve alone), for every
    noise.
    """
    cells = {
        key: f"{sum(each.breaks for each in cell)} ({sum(each.curve for each in cell)})"
        for key, cell in found.items()
    }
    index = pd.MultiIndex.from_tuples(
        [(breaks, f"{low:g} to {high:g}", noise) for breaks, (low, high), noise in cells],
        names=["breaks", "width f", "noise"],
    )
    problems = len(next(iter(found.values())))
    head = f"Found with its breaks (the curve within {100 * CURVE:g} %), of {problems} problems"
    return f"{head}\n{pd.Series([*cells.values()], index).unstack(sort=False).to_string()}"


if __name__ == "__main__":
    print(table(study(int(sys.argv[1]) if len(sys.argv) > 1 else PROBLEMS)))
