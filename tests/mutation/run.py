"""How sound the checks of the theorems are: `python tests/mutation/run.py [NAME ...]`.

Every claim is changed in small ways: symbols swapped, an exponent's sign, a factor too few or too
many, off by one, a term doubled, a bound's direction. Each path of checking must object to every
false one, alone. Exit status 1 where one does not.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pandas import crosstab
from tests.mutation.mutants import FALSE, TRUE, score_named, table

from isoflop.derivations import NAMES
from isoflop.numeric.repeat import repeat

LONGEST_ENTRY = 150


def report(scores):
    """Counts by path and by kind of change, and what is of interest one by one."""
    every = table(scores)
    mutants = every.drop_duplicates("mutant")
    false = every[every["truth"] == FALSE].groupby("path")["objects"].agg(["size", "sum"])
    false.columns = ["false mutants", "objects"]
    without = set(every["derivation"]) - set(every["derivation"][every["truth"] == FALSE])
    lines = [
        f"{len(mutants)} mutants in {mutants['derivation'].nunique()} derivations",
        false.to_string(),
        crosstab(mutants["kind"], mutants["truth"], margins=True).to_string(),
        f"without a false mutant: {', '.join(sorted(without)) or 'none'}",
    ]
    lines += listed(
        "Survivors: false, and a path does not object", [s for s in scores if s.survived]
    )
    lines += listed("True, yet a path names a point against it", [s for s in scores if s.wronged])
    lines += listed(
        "Still true, by decimal arithmetic",
        [s for s in scores if s.truth == TRUE and not s.wronged],
    )
    return "\n".join(lines)


def listed(heading, scores):
    """A line for each of these mutants."""
    if not scores:
        return []
    return [
        "",
        f"{heading} ({len(scores)})",
        *(f"  {s.derivation}, {s.step}, {s.kind}: {described(s)}" for s in scores),
    ]


def described(score):
    """The claim, and for a survivor where it is false and what the paths said."""
    claim = (
        score.claim if len(score.claim) <= LONGEST_ENTRY else f"{score.claim[:LONGEST_ENTRY]} ..."
    )
    words = (f"{path}: {score.words[path]}" for path in score.survived)
    return "; ".join([claim, *([f"false at {score.evidence}", *words] if score.survived else [])])


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(
        description="Mutants of the theorems' claims.", allow_abbrev=False
    )
    parser.add_argument(
        "names", nargs="*", default=NAMES, metavar="NAME", help="theorems; default: all"
    )
    parser.add_argument(
        "--per-claim",
        type=int,
        help="at most so many mutants of a claim; default: one of each kind",
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    score = partial(score_named, seed=options.seed, per_claim=options.per_claim)
    names = [(name,) for name in options.names]
    done = repeat(score, names, jobs=2, progress=True, unit="theorem")
    scores = [s for found in done.values for s in found]
    print(report(scores))
    return int(any(s.survived for s in scores))


if __name__ == "__main__":
    sys.exit(main())
