"""What follows from the coefficients of a law, evaluated on arrays of them: alpha, C0, the optimum at
a compute, the penalty at a ratio.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import ArgumentError, outside, positive_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..arrays import Proved

    Floats = NDArray[np.float64]
    Columns = Mapping[str, Floats]

#: A name and the compute or the ratio that it is for, where there are several.
AT = "@"


@dataclass(frozen=True)
class Quantity:
    """A number that follows from the coefficients of a law.

    Attributes
    ----------
    name : str
        alpha, C0, params_share, tokens_share, N_star, D_star, tokens_per_param, L_star, R_star,
        penalty, or loss; with "@" and the value where there are several computes or ratios.
    label, unit : str
        The same for a reader.
    function : callable
        Takes arrays (K,) of the coefficients by name to an array (K,).
    needs : tuple of str
        The coefficients that it depends on.
    at : tuple of (str, float)
        The compute or the ratio that it is for.
    """

    name: str
    label: str
    unit: str
    function: Callable[[Columns], Floats]
    needs: tuple[str, ...]
    at: tuple[tuple[str, float], ...] = ()

    def __call__(self, columns: Columns) -> Floats:
        """The quantity (K,) of many laws; inf where one exceeds the largest float."""
        given = {name: columns[name] for name in self.needs}
        try:
            return self.function(given)
        except ValueError:
            rows = (
                {name: x[k : k + 1] for name, x in given.items()} for k in range(_length(given))
            )
            return np.array([_or_infinite(self.function, row) for row in rows])


def several(name: str, given: ArrayLike | None) -> tuple[float, ...]:
    """The computes or the ratios that are given, each once.

    Raises
    ------
    ValueError
        Where one of them is not positive and finite, or they are no row of numbers.
    """
    if given is None or (isinstance(given, tuple) and not given):
        return ()
    values: list[Any] = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    if not values:
        raise outside(name, given, "a number or a sequence of numbers")
    return tuple(dict.fromkeys(positive_number(name, value) for value in values))


def quantities(
    model: Any, computes: Sequence[float] = (), ratios: Sequence[float] = ()
) -> tuple[Quantity, ...]:
    """What follows from a law of a form, at every compute and ratio.

    Parameters
    ----------
    model : PowerTerms or Expression
        Of a params+tokens law follow alpha, C0, the exponents of N*(C) and D*(C), the optimum at
        each compute and the penalty at each ratio; of a compute law alpha, C0, and the loss at each
        compute.
    computes, ratios : sequence of float
        FLOP, > 0; and 1, > 0.

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
        return tuple(_of_compute(computes, irreducible=model.irreducible))
    if computes:
        complaint = f"is for a params-tokens or a compute law; the fit is of {model}"
        raise ArgumentError("compute", computes[0], complaint=complaint)
    return ()


def _of_params_tokens(computes: Sequence[float], ratios: Sequence[float]) -> Iterator[Quantity]:
    exponents, terms = ("beta", "gamma"), ("A", "B", "beta", "gamma")

    def proved(function: Proved[...], needs: tuple[str, ...], **at: float) -> Any:
        return {"function": partial(_evaluated, function, at), "needs": needs}

    yield Quantity("alpha", "alpha", "1", **proved(formulas.exponent, exponents))
    yield Quantity("C0", "C0", "loss * FLOP^alpha", **proved(formulas.coefficient, terms))
    for name, letter, share in (
        ("params_share", "N", formulas.params_share),
        ("tokens_share", "D", formulas.tokens_share),
    ):
        yield Quantity(name, f"exponent of {letter}*(C)", "1", **proved(share, exponents))
    for compute in computes:
        for name, symbol, unit, function in (
            ("N_star", "N*", "params", formulas.optimal_params),
            ("D_star", "D*", "tokens", formulas.optimal_tokens),
            (
                "tokens_per_param",
                "D*/N*",
                "tokens per parameter",
                formulas.optimal_tokens_per_param,
            ),
            ("L_star", "L*", "loss", formulas.optimal_loss),
            ("R_star", "R*", "loss", formulas.optimal_reducible_loss),
        ):
            needs = ("E", *terms) if name == "L_star" else terms
            found = proved(function, needs, compute=compute)
            label = f"{symbol} at {spelt(compute)} FLOP"
            at = (("compute", compute),)
            yield Quantity(_named(name, compute, computes), label, unit, **found, at=at)
    for ratio in ratios:
        size = formulas.log_size_ratio_at_ratio(ratio)
        found = proved(formulas.penalty, exponents, log_size_ratio=size)
        label = f"penalty at ratio {spelt(ratio)}"
        name, at = _named("penalty", ratio, ratios), (("ratio", ratio),)
        yield Quantity(name, label, "1", **found, at=at)


def _of_compute(computes: Sequence[float], *, irreducible: bool) -> Iterator[Quantity]:
    yield Quantity("alpha", "alpha", "1", lambda law: law["alpha"], ("alpha",))
    yield Quantity("C0", "C0", "loss * FLOP^alpha", lambda law: law["C0"], ("C0",))
    for compute in computes:

        def loss(law: Columns, log_compute: float = float(np.log(compute))) -> Floats:
            reducible = np.exp(np.log(law["C0"]) - law["alpha"] * log_compute)
            return np.asarray(law.get("E", 0.0) + reducible)

        needs = (*(("E",) if irreducible else ()), "C0", "alpha")
        name, label = _named("loss", compute, computes), f"L at {spelt(compute)} FLOP"
        yield Quantity(name, label, "loss", loss, needs, (("compute", compute),))


def spelt(value: float) -> str:
    """A number as short as it can be told from any other.

    >>> spelt(1e21), spelt(10.0), spelt(0.1234567)
    ('1e21', '10', '0.1234567')
    """
    short = f"{value:.6g}"
    return (short if float(short) == value else repr(value)).replace("e+", "e")


def _named(name: str, value: float, values: Sequence[float]) -> str:
    return name if len(values) == 1 else f"{name}{AT}{spelt(value)}"


def _evaluated(function: Proved[...], at: Mapping[str, float], columns: Columns) -> Floats:
    """A formula of those of the coefficients and of the other arguments that it takes."""
    given: dict[str, Any] = {**columns, **at}
    found = function(**{name: given[name] for name in function.names if name in given})
    return np.array(np.broadcast_to(found, _length(columns)))


def _length(columns: Columns) -> int:
    return len(next(iter(columns.values())))


def _or_infinite(function: Callable[[Columns], Floats], row: Columns) -> float:
    try:
        return float(function(row)[0])
    except ValueError as error:
        if "exceeds the largest float" not in str(error):
            raise
        return inf
