"""A run: any two of params, tokens, compute and tokens per param tell it, or one of them with the
loss that it is to reach.
"""

from __future__ import annotations

from ..arrays import any_of, is_foreign, is_number, positive_values
from ..errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..arrays import Forms
    from .penalty import PairLaw

__all__ = ["LOSSES", "OF_A_RUN", "PAIRS", "ShortNames", "run_of"]

#: What tells a run.
OF_A_RUN = ("params", "tokens", "compute", "tokens_per_param")
LOSSES = ("loss", "reducible_loss")
TOLD = "any two of params, tokens, compute and tokens_per_param, or one of them with a loss"

#: Params and tokens from two of these, by the formulas of a law.
PAIRS: dict[tuple[str, str], Callable[[Forms, Any, Any], tuple[Any, Any]]] = {
    ("params", "tokens"): lambda _, N, D: (N, D),
    ("params", "compute"): lambda law, N, C: (N, law.tokens_given_params(C, N)),
    ("params", "tokens_per_param"): lambda _, N, t: (N, N * t),
    ("tokens", "compute"): lambda law, D, C: (law.params_given_tokens(C, D), D),
    ("tokens", "tokens_per_param"): lambda _, D, t: (D / t, D),
    ("compute", "tokens_per_param"): lambda law, C, t: (law.ray_params(C, t), law.ray_tokens(C, t)),
    ("params", "reducible_loss"): lambda law, N, R: (N, law.tokens_for_reducible_loss(R, N)),
    ("tokens", "reducible_loss"): lambda law, D, R: (law.params_for_reducible_loss(R, D), D),
    ("tokens_per_param", "reducible_loss"): lambda law, t, R: _on_ray(law, t, R),
}


def run_of(law: PairLaw, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """Params and tokens of a run.

    Parameters
    ----------
    law : Law or CustomLaw
    given : mapping of str to float or array_like
        Two of `OF_A_RUN`, or one of them and one of `LOSSES`.

    Raises
    ------
    ValueError
        Where other things are given, one is outside its domain, or the loss cannot be reached.
        With a compute and a loss as well: two runs have that loss at that compute, or none.
    """
    names = sorted(given, key=(*OF_A_RUN, *LOSSES).index)
    pair = tuple("reducible_loss" if name in LOSSES else name for name in names)
    if pair == ("compute", "reducible_loss"):
        both = "two runs have this loss at this compute; give params, tokens or tokens per param"
        raise ArgumentError(names[1], given[names[1]], complaint=both)
    if pair not in PAIRS:
        raise ArgumentError(", ".join(names) or "run", complaint=f"must be {TOLD}")
    values = [
        law.inner_sum_for(name, given[name])
        if name in LOSSES
        else positive_values(name, given[name])
        for name in names
    ]
    if names[1] in LOSSES and names[0] != "tokens_per_param":
        smallest = getattr(law.forms, f"smallest_{names[0]}")(values[1])
        if not is_foreign(smallest) and any_of(smallest >= values[0]):
            other = "tokens" if names[0] == "params" else "params"
            raise ArgumentError(
                names[1],
                given[names[1]],
                complaint=f"cannot be reached at {names[0]}={given[names[0]]!r}, whatever the {other}",
            )
    return PAIRS[pair](law.forms, *values)


def _on_ray(law: Forms, tokens_per_param: Any, reducible: Any) -> tuple[Any, Any]:
    """The run of these tokens per param that has this reducible loss, which falls in params."""
    if not (is_number(tokens_per_param) and is_number(reducible)):
        import numpy as np

        params, tokens = np.vectorize(lambda t, R: _on_ray(law, t, R))(tokens_per_param, reducible)
        return params, tokens
    from math import exp, log

    from scipy.optimize import brentq

    def least(target: float) -> float:
        """The params at which the larger of the two terms has this value."""
        size = law.smallest_params(target), law.smallest_tokens(target) / tokens_per_param
        return log(max(size))

    def excess(log_params: float) -> float:
        params = exp(log_params)
        terms = law.params_term(params) + law.tokens_term(tokens_per_param * params)
        return float(log(terms / reducible))

    params = exp(brentq(excess, least(reducible), least(reducible / 2.0), xtol=1e-15, rtol=1e-15))
    return params, tokens_per_param * params


class ShortNames:
    """A law called like the function that it is, and its optimum by the letters of papers."""

    def __call__(self: Any, params: Any, tokens: Any) -> Any:
        """L(N, D), as `loss`."""
        return self.loss(params, tokens)

    def N_opt(self: Any, compute: Any) -> Any:
        """N*(C), as `envelope.params`."""
        return self.envelope.params(compute)

    def D_opt(self: Any, compute: Any) -> Any:
        """D*(C), as `envelope.tokens`."""
        return self.envelope.tokens(compute)

    def L_opt(self: Any, compute: Any) -> Any:
        """L*(C), as `envelope.loss`."""
        return self.envelope.loss(compute)
