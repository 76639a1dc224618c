"""Verify a derivation: every step of the envelope theorem, checked on two independent paths.

Run: python examples/verify_the_envelope.py
"""

from isoflop.derivations import derivation


def main() -> None:
    """Print how each step of the envelope of L = E + A N^-beta + B D^-gamma under C = 6 N D is
    proved.
    """
    theorem = derivation("compute_optimal_envelope")
    print(theorem.title)
    print(f"{'step':20} {'exact path':26} points, 50 digits")
    verdicts = list(theorem.verify())
    for verdict in verdicts:
        points = f"{verdict.pointwise.points} {'hold' if verdict.pointwise.passed else 'FAIL'}"
        exact = f"{verdict.exact.answer.value} ({verdict.step.argument.label})"
        print(f"{verdict.step.name:20} {exact:26} {points}")
    strengths = {verdict.strength for verdict in verdicts}
    print(f"status: {', '.join(sorted(strengths))}")


if __name__ == "__main__":
    main()
