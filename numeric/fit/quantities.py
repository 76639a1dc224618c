"""What follows from the coefficients of a law, evaluated on arrays of them: alpha, C0, the optimum
at a compute, the penalty at a ratio.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import formulas
from ..errors import ArgumentError, outside, positive_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from .models import Expression, PowerTerms

    Floats = NDArray[np.float64]
    Columns = Mapping[str, Floats]

#: A name and the compute or the ratio that it is for, where there are several.
AT = "@"
#: Of a params+tokens law: name -> symbol, label, unit and formula, of the coefficients alone and
#: with a compute.
OF_LAW: dict[str, tuple[str, str, str, Any]] = {
    "alpha": ("alpha", "alpha", "", formulas.exponent),
    "C0": ("C0", "C0", "", formulas.coefficient),
    "params_share": ("w_N", "exponent of N*(C)", "", formulas.params_share),
    "tokens_share": ("w_D", "exponent of D*(C)", "", formulas.tokens_share),
}
AT_COMPUTE: dict[str, tuple[str, str, str, Any]] = {
    "N_star": ("N*", "N*", "params", formulas.optimal_params),
    "D_star": ("D*", "D*", "tokens", formulas.optimal_tokens),
    "tokens_per_param": ("D*/N*", "D*/N*", "tokens/param", formulas.optimal_tokens_per_param),
    "L_star": ("L*", "L*", "loss", formulas.optimal_loss),
    "R_star": ("R*", "R*", "loss", formulas.optimal_reducible_loss),
}


class Quantity(NamedTuple):
    """A number that follows from a law.

    Attributes
    ----------
    name : str
        A name of `Fit.estimate`; with "@" and the value where there are several computes or ratios.
    symbol, label, unit : str
        The same for a paper and for a reader.
    function : callable
        Takes arrays (K,) of the coefficients by name to an array (K,), infinite beyond the floats.
    at : tuple of (str, float)
        The compute or the ratio that it is for.
    """

    name: str
    symbol: str
    label: str
    unit: str
    function: Callable[[Columns], Floats]
    at: tuple[tuple[str, float], ...] = ()


def several(name: str, given: ArrayLike | None) -> tuple[float, ...]:
    """The computes or the ratios that are given, each once.

    Raises
    ------
    ValueError
        Where one of them is not positive and finite, or they are no row of numbers.
    """
    if given is None:
        return ()
    values: list[Any] = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    if not values:
        raise outside(name, given, "a number or a sequence of numbers")
    return tuple(dict.fromkeys(positive_number(name, value) for value in values))


def quantities(
    model: PowerTerms | Expression, computes: Sequence[float] = (), ratios: Sequence[float] = ()
) -> tuple[Quantity, ...]:
    """What follows from a law of a form, at every compute and ratio.

    Raises
    ------
    ValueError
        Where nothing of the law could be at a compute or at a ratio.
    """
    if model.name == "params-tokens":
        return tuple(_of_params_tokens(computes, ratios))
    if ratios:
        complaint = f"is for a params-tokens law; {model} has no penalty"
        raise ArgumentError("ratio", ratios[0], complaint=complaint)
    if model.name == "compute":
        return tuple(_of_compute(computes))
    if computes:
        complaint = f"is for a params-tokens or a compute law; the fit is of {model}"
        raise ArgumentError("compute", computes[0], complaint=complaint)
    return ()


def quantity_of(
    model: PowerTerms | Expression, name: str, compute: float | None, ratio: float | None
) -> Quantity:
    """The one of this name, or a ValueError."""
    known = quantities(model, several("compute", compute), several("ratio", ratio))
    for one in known:
        if one.name == name:
            return one
    names = ", ".join(dict.fromkeys((*model.coefficients, *(one.name for one in known))))
    more = " (more with compute and ratio)" if known and None in (compute, ratio) else ""
    raise outside("quantity", name, f"one of {names}{more}")


def _of_params_tokens(computes: Sequence[float], ratios: Sequence[float]) -> Iterator[Quantity]:
    for name, (symbol, label, unit, formula) in OF_LAW.items():
        yield Quantity(name, symbol, label, unit, partial(_evaluated, formula, {}))
    for C in computes:
        at = {"compute": C}
        for name, (symbol, label, unit, formula) in AT_COMPUTE.items():
            function, label = partial(_evaluated, formula, at), f"{label} at {spelt(C)} FLOP"
            yield Quantity(_named(name, computes, C), symbol, label, unit, function, (*at.items(),))
    for ratio in ratios:
        at = {"log_size_ratio": formulas.log_size_ratio_at_ratio(ratio)}
        function = partial(_evaluated, formulas.penalty, at)
        name, label = _named("penalty", ratios, ratio), f"penalty at ratio {spelt(ratio)}"
        yield Quantity(name, "P", label, "", function, (("ratio", ratio),))


def _of_compute(computes: Sequence[float]) -> Iterator[Quantity]:
    for C in computes:
        name, label = _named("loss", computes, C), f"L at {spelt(C)} FLOP"
        yield Quantity(name, "L", label, "loss", partial(_loss_at, C), (("compute", C),))


def _loss_at(compute: float, law: Columns) -> Floats:
    reducible = np.exp(np.log(law["C0"]) - law["alpha"] * np.log(compute))
    return np.asarray(law.get("E", 0.0) + reducible)


def _evaluated(formula: Any, at: Mapping[str, float], law: Columns) -> Floats:
    """A formula of the coefficients (K,) and of what else it takes, unchecked: infinite beyond the
    floats, as a draw may be.
    """
    given: dict[str, Any] = {"E": 0.0, **law, **at}
    with np.errstate(all="ignore"):
        found = formula.body(np, *(given[name] for name in formula.names))
    return np.array(np.broadcast_to(found, len(next(iter(law.values())))))


def spelt(value: float) -> str:
    """A number as short as it can be told from any other.

    >>> spelt(1e21), spelt(10.0), spelt(0.1234567)
    ('1e21', '10', '0.1234567')
    """
    short = f"{value:.6g}"
    return (short if float(short) == value else repr(value)).replace("e+", "e")


def _named(name: str, values: Sequence[float], value: float) -> str:
    return name if len(values) == 1 else f"{name}{AT}{spelt(value)}"
