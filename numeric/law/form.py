"""The form of a law: its variables, its coefficients and the functions generated for it; and the two
forms that have a notation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

from .. import formulas
from ..arrays import formula

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...theory.envelope import Envelope
    from ..arrays import Positive, Real

__all__ = ["COMPUTE", "PARAMS_TOKENS", "Form", "power"]


@dataclass(frozen=True, kw_only=True)
class Form:
    """Everything about a law but the values of its coefficients."""

    kind: str  # "params-tokens", "compute" or "expression"
    loss: str  # where the form has a notation, with its coefficients in braces
    variables: tuple[str, ...]
    coefficients: tuple[str, ...]
    needed: tuple[str, ...]  # coefficients that a law of this form cannot be without
    functions: Any = field(compare=False)  # formulas by name
    #: What makes it anew in another process: its name here, or a function with its arguments.
    made: str | tuple[Any, ...] = field(compare=False)
    #: The name of the formula of R in a law E + K R^p, from its name in a law E + R.
    of_sum: Callable[[str], str] = field(default=str, compare=False)
    #: E, to which the law tends as its variables grow, from the coefficients; 1 where it falls to
    #: that, -1 where it rises.
    limit: Callable[[Mapping[str, Any]], Any] = field(default=lambda x: x["E"], compare=False)
    sign: int = 1
    #: The symbolic optimum of a user's own law, with its proofs.
    derived: Envelope | None = field(default=None, compare=False)

    def __reduce__(self) -> str | tuple[Any, ...]:
        return self.made


#: L = E + A N^-beta + B D^-gamma under C = 6 N D.
PARAMS_TOKENS = Form(
    kind="params-tokens",
    loss="{E} + {A} N^-{beta} + {B} D^-{gamma}",
    variables=("params", "tokens"),
    coefficients=("E", "A", "B", "beta", "gamma"),
    needed=("beta", "gamma"),
    functions=formulas,
    made="PARAMS_TOKENS",
)


@formula
def power(xp: Any, compute: Positive, log_C0: Real, alpha: Real) -> Any:
    """C0 C^-alpha from log C0."""
    return xp.exp(log_C0 - alpha * xp.log(compute))


@formula
def _reducible(xp: Any, compute: Positive, C0: Real, alpha: Real) -> Any:
    return power.body(xp, compute, xp.log(C0), alpha)


@formula
def _loss(xp: Any, compute: Positive, E: Real, C0: Real, alpha: Real) -> Any:
    return E + power.body(xp, compute, xp.log(C0), alpha)


@formula
def _exponent(xp: Any, alpha: Real) -> Any:
    return alpha


@formula
def _coefficient(xp: Any, C0: Real) -> Any:
    return C0


#: L = E + C0 C^-alpha: the envelope of a params+tokens law exactly, the losses at one D/N nearly.
#: It is its own envelope.
COMPUTE = Form(
    kind="compute",
    loss="{E} + {C0} C^-{alpha}",
    variables=("compute",),
    coefficients=("E", "C0", "alpha"),
    needed=("C0", "alpha"),
    functions=SimpleNamespace(
        loss=_loss,
        reducible_loss=_reducible,
        exponent=_exponent,
        coefficient=_coefficient,
        optimal_loss=_loss,
        optimal_reducible_loss=_reducible,
    ),
    made="COMPUTE",
)
