"""Random claims against the prover: `python tests/studies/claims.py --number 3000 --seed 1`.

Claims of every kind that can be typed, half of them true, half with one mistake; their truth is
known by construction and by a search with 60 digits that shares no code with the package. Prints
for each kind how many are proved, refuted, undecided and unreadable, and every claim that is
misjudged: false and proved, or true and refuted.
"""

import argparse
from itertools import islice
from time import perf_counter

import pandas as pd
import running
from tests.theory.claiming import SHARES, random_claims

from isoflop.theory.claim.prove import prove
from isoflop.theory.kernel.deadline import OutOfTime, within
from isoflop.theory.reader.tokens import ParseError

SECONDS = 60
ANSWERS = ("proved", "refuted", "undecided", "unreadable")


def judge(claim):
    """A row for a claim: the answer with its reasons, whether it is wrong, and the time it took."""
    start = perf_counter()
    try:
        with within(SECONDS):
            proof = prove(claim.text, **claim.options)
            answer, reasons = proof.answer.value, str(proof)
    except ParseError as error:
        answer, reasons = "unreadable", str(error)
    except OutOfTime as error:
        answer, reasons = "undecided", str(error)
    row = {"kind": claim.kind, "truth": claim.truth, "answer": answer}
    row |= {"misjudged": answer == ("refuted" if claim.truth else "proved")}
    return row | {"seconds": perf_counter() - start, "text": f"{claim}\n{reasons}\n"}


def drawn(number, seed, kind=""):
    """Random claims, of the kinds that have this in their name."""
    shares = {name: share for name, share in SHARES.items() if kind in name}
    return islice(random_claims(seed, shares), number)


def study(number, seed, *, kind="", **how):
    """The verdicts on random claims."""
    return pd.DataFrame(running.outcomes(judge, drawn(number, seed, kind), unit="claim", **how))


def table(found):
    """Counts for each kind and truth, and times."""
    counts = pd.crosstab([found.kind, found.truth], found.answer, margins=True)
    seconds = found.seconds.describe(percentiles=[0.5, 0.95]).drop(["count", "std"])
    return f"{counts.to_string()}\nmisjudged: {found.misjudged.sum()}\nseconds:\n{seconds}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Random claims.", allow_abbrev=False)
    parser.add_argument("--number", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", default="", help="only kinds with this in their name: bound")
    parser.add_argument("--list", choices=ANSWERS, help="print the claims with this answer as well")
    given = parser.parse_args()
    found = study(given.number, given.seed, kind=given.kind, progress=True)
    print(table(found), *found.text[found.misjudged | (found.answer == given.list)], sep="\n")
