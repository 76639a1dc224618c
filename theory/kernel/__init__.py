"""A decision procedure for power-law identities.

`decide(lhs, rhs)` answers **proved** (with the side conditions used), **refuted** (with a witness
point) or **undecided** (with the reason) for expressions built from symbols, rational functions of
them, powers whose exponents are rational functions, `exp` and `log`.

Modules: `field` (the coefficient field and its primes), `arithmetic` (sums of terms), `convert`
(SymPy to normal form), `evaluate` (rigorous evaluation at a point), `sample` (seeded rational
points), `points` (checks and counterexamples), `answer` (the answers), `decide` (which of them),
`boundary` (weak assumptions), `bounds` and `limits`, with the `search` for a proof of a bound.
"""

from .answer import Answer, Condition, Decision, Witness
from .arithmetic import OutsideScope
from .decide import decide, is_zero

__all__ = ["Answer", "Condition", "Decision", "OutsideScope", "Witness", "decide", "is_zero"]
