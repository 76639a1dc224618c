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

from tests.mutation.mutants import FALSE, PATHS, TRUE, UNDEFINED, counts, kinds, score_named

from isoflop.derivations import NAMES
from isoflop.numeric.repeat import repeat

LONGEST_ENTRY = 150


def report(scores):
    """Counts by path and by kind of change, and what is of interest one by one."""
    of = counts(scores)
    lines = [
        f"{len(scores)} mutants of {of['claims']} claims in {of['derivations']} derivations: "
        f"{of[FALSE]} false, {of[TRUE]} still true, {of[UNDEFINED]} undefined",
        "",
        f"{'path alone':<20}{'false mutants':>15}{'objects':>10}{'survivors':>11}",
        *(
            f"{p:<20}{of[p]['false']:>15}{of[p]['objects']:>10}{of[p]['survivors']:>11}"
            for p in PATHS
        ),
        "",
        f"{'kind of change':<20}{'false':>15}{'true':>10}{'undefined':>11}",
        *(
            f"{kind:<20}{false:>15}{true:>10}{undefined:>11}"
            for kind, (false, true, undefined) in kinds(scores).items()
        ),
    ]
    lines += listed(
        "Survivors: false, and a path does not object", [s for s in scores if s.survived]
    )
    lines += listed("True, yet a path names a point against it", [s for s in scores if s.wronged])
    lines += listed(
        "Still true, by decimal arithmetic",
        [s for s in scores if s.truth == TRUE and not s.wronged],
    )
    if of["without_false"]:
        lines += ["", f"without a false mutant: {', '.join(of['without_false'])}"]
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
