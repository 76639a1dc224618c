"""A decision procedure for power-law identities.

`decide(lhs, rhs)` answers **proved** (with the side conditions used), **refuted** (with a witness
point) or **undecided** (with the reason) for expressions built from symbols, rational functions of
them, powers whose exponents are rational functions, `exp` and `log`.

Modules: `field` (the coefficient field and its primes), `arithmetic` (sums of terms), `convert`
(SymPy to normal form), `interval` (rigorous evaluation at a point), `sample` (seeded rational
points), `answer` (the three answers), `decide` (which of them), `boundary` (weak assumptions).
"""

from .answer import Answer, Condition, Decision, Witness
from .arithmetic import OutsideScope
from .decide import decide, is_zero

__all__ = ["Answer", "Condition", "Decision", "OutsideScope", "Witness", "decide", "is_zero"]
