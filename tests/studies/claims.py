"""Random claims against the prover: `python tests/studies/claims.py --number 3000 --seed 1`.

Claims of every kind that can be typed, half of them true, half with one mistake; their truth is
known by construction and by a search with 60 digits that shares no code with the package. Prints
for each kind how many are proved, refuted, undecided and unreadable, and every claim that is
misjudged: false and proved, true and refuted, or empty and decided.
"""

import argparse
import sys
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.theory.claiming import SHARES, RandomClaim, random_claims
from tqdm import tqdm
from workers import workers

from isoflop.theory.algebra.deadline import OutOfTime, within
from isoflop.theory.algebra.tokens import ParseError
from isoflop.theory.budget import Budget
from isoflop.theory.verdicts.prove import prove

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
        wrong = {True: ("refuted",), False: ("proved",), None: ("proved", "refuted")}
        return self.answer in wrong[self.claim.truth]


def judge(claim: RandomClaim) -> Judged:
    start = perf_counter()
    try:
        with within(SECONDS):
            budget = Budget.parse(claim.budget) if claim.budget is not None else None
            proof = prove(claim.text, budget=budget, **claim.options)
            answer, said = proof.answer.value, str(proof)
    except ParseError as error:
        answer, said = "unreadable", str(error)
    except OutOfTime as error:
        answer, said = "undecided", str(error)
    return Judged(claim, answer, said, perf_counter() - start)


def study(number, seed, *, kind="", jobs=None, progress=False):
    """The verdicts on so many claims, of the kinds that have this in their name."""
    shares = {name: share for name, share in SHARES.items() if kind in name}
    claims = list(
        tqdm(
            islice(random_claims(seed, shares), number),
            total=number,
            disable=not progress,
            unit="claim made",
        )
    )
    with workers(jobs) as pool:
        return list(
            tqdm(
                pool.map(judge, claims, chunksize=8),
                total=number,
                disable=not progress,
                unit="claim",
            )
        )


def table(outcomes):
    """Counts for each kind and truth, and times."""
    lines = [
        f"{'kind':<18}{'truth':<7}{'n':>6}"
        + "".join(f"{a:>12}" for a in ANSWERS)
        + f"{'misjudged':>12}"
    ]
    groups = [("ALL", truth) for truth in (True, False, None)] + [
        (kind, truth) for kind in SHARES for truth in (True, False, None)
    ]
    for kind, truth in groups:
        rows = [
            row for row in outcomes if row.claim.truth is truth and kind in ("ALL", row.claim.kind)
        ]
        if rows:
            counts = "".join(f"{sum(row.answer == a for row in rows):>12}" for a in ANSWERS)
            said = {True: "true", False: "false", None: "empty"}[truth]
            lines.append(
                f"{kind:<18}{said:<7}{len(rows):>6}{counts}{sum(row.misjudged for row in rows):>12}"
            )
    times = sorted(row.seconds for row in outcomes)
    lines.append(
        f"seconds: median {median(times):.3f}, 95 % {times[int(0.95 * len(times))]:.2f}, longest "
        f"{times[-1]:.1f}"
    )
    return "\n".join(lines)


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
    print(f"misjudged: {sum(row.misjudged for row in outcomes)}")
    print(listed([row for row in outcomes if row.misjudged or row.answer == options.list]))


if __name__ == "__main__":
    main()
