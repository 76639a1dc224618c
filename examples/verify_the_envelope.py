"""Verify a derivation: every step of the envelope theorem, checked on independent paths.

Run: python examples/verify_the_envelope.py
"""

from isoflop import derive


def main() -> None:
    """Derive the envelope of L = E + A N^-beta + B D^-gamma under C = 6 N D and print how each step
    is proved.
    """
    derivation = derive().derivation
    print(derivation.title)
    print(f"{'step':24} {'exact path':18} {'64 points, 50 digits':22} {'intervals'}")
    for verdict in derivation.verify():
        intervals = (
            "" if verdict.interval is None else ("hold" if verdict.interval.passed else "FAIL")
        )
        points = "hold" if verdict.pointwise.passed else "FAIL"
        exact = f"{verdict.exact.answer.value} ({verdict.claim.argument.label})"
        print(f"{verdict.claim.name:20} {exact:26} {points:20} {intervals}")
    print(f"status: {derivation.status}")


if __name__ == "__main__":
    main()
