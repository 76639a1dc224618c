"""Verify a derivation: every step of the envelope theorem, checked on independent paths.

Run: python examples/verify_the_envelope.py
"""

from isoflop.derivations import derivation


def main() -> None:
    """Print how each step of the envelope of L = E + A N^-beta + B D^-gamma under C = 6 N D is
    proved.
    """
    theorem = derivation("compute_optimal_envelope")
    print(theorem.title)
    print(f"{'step':24} {'exact path':18} {'64 points, 50 digits':22} {'intervals'}")
    verdicts = list(theorem.verify())
    for verdict in verdicts:
        intervals = (
            "" if verdict.interval is None else ("hold" if verdict.interval.passed else "FAIL")
        )
        points = "hold" if verdict.pointwise.passed else "FAIL"
        exact = f"{verdict.exact.answer.value} ({verdict.claim.argument.label})"
        print(f"{verdict.claim.name:20} {exact:26} {points:20} {intervals}")
    strengths = {verdict.strength for verdict in verdicts}
    print(f"status: {', '.join(sorted(strengths))}")


if __name__ == "__main__":
    main()
