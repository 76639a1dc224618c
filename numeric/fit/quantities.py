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
    function: Callable[..., Floats]
    at: tuple[tuple[str, float], ...] = ()


def _evaluated(formula: Any, law: Columns, **at: float) -> Floats:
    """A formula of the coefficients (K,) and of what else it takes, unchecked: infinite beyond the
    floats, as a draw may be.
    """
    given: dict[str, Any] = {"E": 0.0, **law, **at}
    with np.errstate(all="ignore"):
        found = formula.body(np, *(given[name] for name in formula.names))
    return np.array(np.broadcast_to(found, len(next(iter(law.values())))))


def _penalty(law: Columns, ratio: float) -> Floats:
    log_size_ratio = formulas.log_size_ratio_at_ratio(ratio)
    return _evaluated(formulas.penalty, law, log_size_ratio=log_size_ratio)


def _loss(law: Columns, compute: float) -> Floats:
    reducible = np.exp(np.log(law["C0"]) - law["alpha"] * np.log(compute))
    return np.asarray(law.get("E", 0.0) + reducible)


def _of(name: str, symbol: str, label: str, unit: str, formula: Any) -> Quantity:
    return Quantity(name, symbol, label, unit, partial(_evaluated, formula))


#: Of a params+tokens law alone, at a compute and at a ratio; of a compute law at a compute.
OF_LAW = (
    _of("alpha", "alpha", "alpha", "", formulas.exponent),
    _of("C0", "C0", "C0", "", formulas.coefficient),
    _of("params_share", "w_N", "exponent of N*(C)", "", formulas.params_share),
    _of("tokens_share", "w_D", "exponent of D*(C)", "", formulas.tokens_share),
)
OPTIMA = (
    _of("N_star", "N*", "N*", "params", formulas.optimal_params),
    _of("D_star", "D*", "D*", "tokens", formulas.optimal_tokens),
    _of("tokens_per_param", "D*/N*", "D*/N*", "tokens/param", formulas.optimal_tokens_per_param),
    _of("L_star", "L*", "L*", "loss", formulas.optimal_loss),
    _of("R_star", "R*", "R*", "loss", formulas.optimal_reducible_loss),
)
PENALTY = Quantity("penalty", "P", "penalty", "", _penalty)
LOSS = Quantity("loss", "L", "L", "loss", _loss)


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
        optima, penalties = _at("compute", computes, OPTIMA), _at("ratio", ratios, (PENALTY,))
        return (*OF_LAW, *optima, *penalties)
    if ratios:
        complaint = f"is for a params-tokens law; {model} has no penalty"
        raise ArgumentError("ratio", ratios[0], complaint=complaint)
    if model.name == "compute":
        return tuple(_at("compute", computes, (LOSS,)))
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


def _at(what: str, values: Sequence[float], of: Sequence[Quantity]) -> Iterator[Quantity]:
    """Quantities at every compute or ratio."""
    for value in values:
        where = f"{spelt(value)} FLOP" if what == "compute" else f"ratio {spelt(value)}"
        for one in of:
            yield one._replace(
                name=one.name if len(values) == 1 else f"{one.name}{AT}{spelt(value)}",
                label=f"{one.label} at {where}",
                function=partial(one.function, **{what: value}),
                at=((what, value),),
            )


def spelt(value: float) -> str:
    """A number as short as it can be told from any other.

    >>> spelt(1e21), spelt(10.0), spelt(0.1234567)
    ('1e21', '10', '0.1234567')
    """
    short = f"{value:.6g}"
    return (short if float(short) == value else repr(value)).replace("e+", "e")
