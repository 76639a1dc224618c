"""How sound the checks of the theorems are: `python tests/mutation/run.py [NAME ...]`.

Every claim is changed in small ways: symbols swapped, an exponent's sign, a factor too few or too
many, off by one, a term doubled, a bound's direction. Each path of checking must object to every
false one, alone. Exit status 1 where one does not.
"""

import argparse
import sys
from collections import Counter
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.mutation.mutants import FALSE, PATHS, score_named

from isoflop.derivations import NAMES
from isoflop.numeric.repeat import repeat


def report(scores):
    """Counts by truth, kind and path, and the mutants that a path lets pass or wrongs."""
    false = [s for s in scores if s.truth == FALSE]
    lines = [
        f"{len(scores)} mutants in {len({s.derivation for s in scores})} theorems",
        f"by truth: {dict(Counter(s.truth for s in scores))}",
        f"false ones by kind: {dict(Counter(s.kind for s in false))}",
    ]
    for path in PATHS:
        asked = [s.objects[path] for s in false if path in s.objects]
        lines.append(f"{path}: objects to {sum(asked)} of {len(asked)} false ones")
    lines += [
        f"{s.derivation}, {s.step}, {s.kind}: {s.claim}; {s.truth}: {s.evidence}; "
        + "; ".join(f"{path}: {s.words[path]}" for path in s.survived + s.wronged)
        for s in scores
        if s.survived or s.wronged
    ]
    return "\n".join(lines)


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0], allow_abbrev=False)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME", help="default: all")
    parser.add_argument("--per-claim", type=int, help="at most so many mutants of a claim")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    each = partial(score_named, seed=options.seed, per_claim=options.per_claim)
    names = [(name,) for name in options.names]
    done = repeat(each, names, jobs=2, progress=True, unit="theorem")
    scores = [s for found in done.values for s in found]
    print(report(scores))
    return int(any(s.survived for s in scores))


if __name__ == "__main__":
    sys.exit(main())
