"""Random claims against the prover: `python tests/studies/claims.py --number 3000 --seed 1`.

Claims of every kind that can be typed, half of them true, half with one mistake; their truth is
known by construction and by a search with 60 digits that shares no code with the package. Prints
for each kind how many are proved, refuted, undecided and unreadable, and every claim that is
misjudged: false and proved, or true and refuted.
"""

import argparse
from itertools import islice
from time import perf_counter
from typing import NamedTuple

import pandas as pd
import running
from tests.theory.claiming import SHARES, RandomClaim, random_claims

from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel.deadline import OutOfTime, within
from isoflop.theory.reader.tokens import ParseError

SECONDS = 60
ANSWERS = ("proved", "refuted", "undecided", "unreadable")


class Judged(NamedTuple):
    """A claim, the answer with its reasons, and the time it took."""

    claim: RandomClaim
    answer: str
    reasons: str
    seconds: float

    @property
    def misjudged(self) -> bool:
        return self.answer == ("refuted" if self.claim.truth else "proved")


def judge(claim: RandomClaim) -> Judged:
    start = perf_counter()
    try:
        with within(SECONDS):
            proof = prove(claim.text, **claim.options)
            answer, reasons = proof.answer.value, str(proof)
    except ParseError as error:
        answer, reasons = "unreadable", str(error)
    except OutOfTime as error:
        answer, reasons = "undecided", str(error)
    return Judged(claim, answer, reasons, perf_counter() - start)


def drawn(number, seed, kind=""):
    """Random claims, of the kinds that have this in their name."""
    shares = {name: share for name, share in SHARES.items() if kind in name}
    return islice(random_claims(seed, shares), number)


def study(number, seed, *, kind="", **how):
    """The verdicts on random claims."""
    return running.outcomes(judge, drawn(number, seed, kind), unit="claim", **how)


def table(outcomes):
    """Counts for each kind and truth, and times."""
    rows = [(row.claim.kind, row.claim.truth, row.answer, row.seconds) for row in outcomes]
    frame = pd.DataFrame(rows, columns=["kind", "truth", "answer", "seconds"])
    counts = pd.crosstab([frame.kind, frame.truth], frame.answer, margins=True)
    wrong = sum(row.misjudged for row in outcomes)
    seconds = frame.seconds.describe(percentiles=[0.5, 0.95]).drop(["count", "std"])
    return f"{counts.to_string()}\nmisjudged: {wrong}\nseconds:\n{seconds}"


def listed(outcomes):
    """The claims, one block each, as they are typed."""
    return "\n\n".join(f"{row.claim}\n{row.reasons}" for row in outcomes)


def main():
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(description="Random claims.", allow_abbrev=False)
    parser.add_argument("--number", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", default="", help="only kinds with this in their name: bound")
    parser.add_argument("--list", choices=ANSWERS, help="print the claims with this answer as well")
    given = parser.parse_args()
    outcomes = study(given.number, given.seed, kind=given.kind, progress=True)
    print(table(outcomes))
    print(listed([row for row in outcomes if row.misjudged or row.answer == given.list]))


if __name__ == "__main__":
    main()
