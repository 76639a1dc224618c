"""Random claims against the prover: `python tests/studies/claims.py --number 3000 --seed 1`.

Claims of every kind that can be typed, half of them true, half with one mistake; their truth is
known by construction and by a search with 60 digits that shares no code with the package. Prints
for each kind how many are proved, refuted, undecided and unreadable, and every claim that is
misjudged: false and proved, or true and refuted.
"""

import argparse
import sys
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pandas as pd
import running
from tests.theory.claiming import SHARES, RandomClaim, random_claims

from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel.deadline import OutOfTime, within
from isoflop.theory.reader.tokens import ParseError

NUMBER = 3_000
SECONDS = 60
ANSWERS = ("proved", "refuted", "undecided", "unreadable")


class Judged(NamedTuple):
    """A claim, the answer with its reasons, and the time it took."""

    claim: RandomClaim
    answer: str
    said: str
    seconds: float

    @property
    def misjudged(self) -> bool:
        return self.answer == ("refuted" if self.claim.truth else "proved")


def judge(claim: RandomClaim) -> Judged:
    start = perf_counter()
    try:
        with within(SECONDS):
            proof = prove(claim.text, **claim.options)
            answer, said = proof.answer.value, str(proof)
    except ParseError as error:
        answer, said = "unreadable", str(error)
    except OutOfTime as error:
        answer, said = "undecided", str(error)
    return Judged(claim, answer, said, perf_counter() - start)


def study(number, seed, *, kind="", **how):
    """The verdicts on so many claims, of the kinds that have this in their name."""
    shares = {name: share for name, share in SHARES.items() if kind in name}
    return running.outcomes(judge, islice(random_claims(seed, shares), number), unit="claim", **how)


def table(outcomes):
    """Counts for each kind and truth, and times."""
    rows = pd.DataFrame(
        [(row.claim.kind, row.claim.truth, row.answer) for row in outcomes],
        columns=["kind", "truth", "answer"],
    )
    counts = pd.crosstab([rows.kind, rows.truth], rows.answer, margins=True)
    wrong = sum(row.misjudged for row in outcomes)
    seconds = pd.Series([row.seconds for row in outcomes]).describe(percentiles=[0.5, 0.95])
    return f"{counts.to_string()}\nmisjudged: {wrong}\nseconds:\n{seconds.drop(['count', 'std'])}"


def listed(outcomes):
    """The claims, one block each, as they are typed."""
    return "\n\n".join(f"{row.claim}\n{row.said}" for row in outcomes)


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(
        description="Random claims against the prover.", allow_abbrev=False
    )
    parser.add_argument("--number", type=int, default=NUMBER)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", help="only claims whose kind has this in its name, such as bound")
    parser.add_argument("--list", choices=ANSWERS, help="print the claims with this answer as well")
    options = parser.parse_args()
    outcomes = study(options.number, options.seed, kind=options.kind or "", progress=True)
    print(table(outcomes))
    print(listed([row for row in outcomes if row.misjudged or row.answer == options.list]))


if __name__ == "__main__":
    main()
