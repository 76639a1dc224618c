"""How a formula is evaluated: floats by `math`, NumPy arrays in chunks, other arrays by their own
library.
"""

from __future__ import annotations

import math
from functools import partial
from types import SimpleNamespace
from typing import Any, Generic, ParamSpec

from .errors import POSITIVE, REAL, number, outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Concatenate, TypeAlias

    #: A number, or an array of NumPy, JAX, PyTorch or another library of the array API standard.
    Real: TypeAlias = Any
    #: A `Real` whose values are positive and finite: a formula refuses others where it can see them.
    Positive: TypeAlias = Any

Arguments = ParamSpec("Arguments")
#: The number of elements evaluated at a time: their intermediate results fit in the cache.
CHUNK = 32768
#: Up to this |(b + g) s| the pair of exponentials is evaluated as a series; beyond it, cancellation
#: loses at most a factor of 32.
PAIR_RADIUS = 1 / 16
#: 1/(n + 2)!, enough terms for 17 digits within the radius, lowest order last (Horner).
PAIR_SERIES = tuple(1.0 / math.factorial(n + 2) for n in range(8, -1, -1))

#: The functions for floats, under the names that array libraries give them.
FLOATS = SimpleNamespace(
    __name__="math",
    exp=math.exp,
    expm1=math.expm1,
    log=math.log,
    log1p=math.log1p,
    sqrt=math.sqrt,
    abs=abs,
    where=lambda condition, value, otherwise: value if condition else otherwise,
)


# -- calling a formula ---------------------------------------------------------------------------


class ArrayFormula(Generic[Arguments]):
    """A function of numbers or arrays, in order or by name. Its body takes a namespace first.

    A result that is NaN for floats or NumPy arrays is a ValueError that names the formula, and so is
    an infinite one unless `may_be_infinite`. Arrays of other libraries are not looked at: they may
    be traced.
    """

    def __init__(
        self, body: Callable[Concatenate[Any, Arguments], Any], *, may_be_infinite: bool = False
    ) -> None:
        self.body: Callable[..., Any] = body
        self.may_be_infinite = may_be_infinite
        self.names = body.__code__.co_varnames[1 : body.__code__.co_argcount]
        kinds = [body.__annotations__[name] for name in self.names]
        self.domains = [POSITIVE if kind == "Positive" else REAL for kind in kinds]
        self.__name__, self.__doc__, self.__module__ = body.__name__, body.__doc__, body.__module__

    def __call__(self, *arguments: Arguments.args, **named: Arguments.kwargs) -> Any:
        values: Sequence[Real] = self._in_order(arguments, named) if named else arguments
        xp = namespace(*values)
        if xp is FLOATS:
            return self._of_floats(values)
        if xp.__name__ == "numpy":
            return self._of_numpy(values)
        if "torch" in xp.__name__:  # its functions take no plain numbers
            values = [xp.asarray(v, dtype=xp.float64) if is_number(v) else v for v in values]
        return self.body(xp, *values)

    def _in_order(self, arguments: tuple[Real, ...], named: dict[str, Real]) -> tuple[Real, ...]:
        missing = self.names[len(arguments) :]
        if set(named) != set(missing):
            raise TypeError(f"{self.__name__}: takes {', '.join(self.names)}")
        return (*arguments, *(named[name] for name in missing))

    def _of_floats(self, values: Sequence[Real]) -> float:
        floats = list(map(number, self.names, values, self.domains))
        try:
            result = self.body(FLOATS, *floats)
            if isinstance(result, float) and math.isfinite(result):
                return result
        except (OverflowError, ZeroDivisionError, ValueError):
            pass  # Python raises where IEEE 754 goes on with an infinity
        return float(self._of_numpy(floats))

    def _of_numpy(self, values: Sequence[Real]) -> Any:
        """The result for NumPy arrays, computed in float64 a chunk at a time."""
        import numpy as np

        arrays = [np.asarray(x) for x in map(real_values, self.names, values, self.domains)]
        try:
            result = np.empty(np.broadcast_shapes(*(a.shape for a in arrays)))
        except ValueError:
            shapes = ((x, a.shape) for x, a in zip(self.names, arrays, strict=True) if a.shape)
            listed = ", ".join(f"{name} of shape {shape}" for name, shape in shapes)
            raise ValueError(f"{listed}: must have shapes that broadcast") from None
        with np.errstate(all="ignore"):
            for part, chunk in _chunks(result, arrays):
                part[...] = self.body(np, *(a.astype("float64", copy=False)[()] for a in chunk))
        wrong = np.isnan(result) if self.may_be_infinite else ~np.isfinite(result)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            found = (float(np.broadcast_to(a, result.shape)[at]) for a in arrays)
            shown = ", ".join(f"{name}={x!r}" for name, x in zip(self.names, found, strict=True))
            why = "is not defined there" if np.isnan(result[at]) else "exceeds the largest float"
            raise ValueError(f"{self.__name__}({shown}): the result {why}")
        return result[()]


formula = ArrayFormula


def formula_or_inf(body: Callable[Concatenate[Any, Arguments], Any]) -> ArrayFormula[Arguments]:
    """A formula whose result may be infinite."""
    return ArrayFormula(body, may_be_infinite=True)


def _chunks(result: Any, arrays: Sequence[Any]) -> Iterator[tuple[Any, Sequence[Any]]]:
    """Parts of the result with the same parts of the arrays; the whole where an array has to be
    broadcast.
    """
    if result.size <= CHUNK or any(a.shape not in ((), result.shape) for a in arrays):
        yield result, arrays
        return
    target, flat = result.reshape(-1), [a.reshape(-1) if a.shape else a for a in arrays]
    for start in range(0, result.size, CHUNK):
        part = slice(start, start + CHUNK)
        yield target[part], [a[part] if a.shape else a for a in flat]


# -- numbers and arrays of any library -----------------------------------------------------------


def is_number(value: Any) -> bool:
    """Whether a value is a plain number (NumPy's float64 scalar is a float)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def namespace(*values: Any) -> Any:
    """`FLOATS` for plain numbers, else the namespace of the library of an array among the values."""
    if all(map(is_number, values)):
        return FLOATS
    for value in values:
        library = type(value).__module__.partition(".")[0]
        if library == "torch":
            from array_api_compat import array_namespace

            return array_namespace(value)
        if library != "numpy" and hasattr(value, "__array_namespace__"):
            return value.__array_namespace__()
    import numpy as np

    return np


def is_foreign(*values: Any) -> bool:
    """Whether an array of a library other than NumPy is among the values."""
    return namespace(*values).__name__ not in (FLOATS.__name__, "numpy")


def any_of(condition: Any) -> bool:
    """Whether a condition is seen to hold anywhere. Arrays of other libraries may be traced, so that
    the answer for them is False.
    """
    if isinstance(condition, bool):
        return condition
    return not is_foreign(condition) and bool(condition.any())


def larger(value: Any, other: Any) -> Any:
    """The larger of two numbers or arrays; where they are equal, it has the slope of the first."""
    return namespace(value, other).where(value < other, other, value)


def smaller(value: Any, other: Any) -> Any:
    """The smaller of two numbers or arrays; where they are equal, it has the slope of the first."""
    return namespace(value, other).where(value > other, other, value)


# -- functions that the formulas are written in --------------------------------------------------


def piecewise(xp: Any, arguments: tuple[Real, ...], *pieces: Any) -> Any:
    """The value of the first piece whose condition holds. Each piece is a pair of a condition and a
    function; the last is a function alone.

    For floats one piece is evaluated, and for NumPy arrays a conditional piece only where it applies.
    For other arrays every piece is evaluated everywhere, at 0 for the first argument where it does
    not apply: there it is finite, and so are its derivatives.
    """
    *conditional, otherwise = pieces
    if xp is FLOATS:
        return next((piece for holds, piece in conditional if holds), otherwise)(*arguments)
    if xp.__name__ == "numpy":
        shape, value = xp.broadcast_shapes(*map(xp.shape, arguments)), otherwise(*arguments)
        for holds, piece in reversed(conditional):
            if xp.any(holds):
                chosen, value = (
                    xp.broadcast_to(holds, shape),
                    xp.array(xp.broadcast_to(value, shape)),
                )
                parts = (xp.broadcast_to(a, shape)[chosen] if xp.ndim(a) else a for a in arguments)
                value[chosen] = piece(*parts)
        return value
    first, *others = arguments
    is_otherwise = True
    for holds, _ in conditional:
        is_otherwise = is_otherwise & ~holds
    value = otherwise(xp.where(is_otherwise, first, 0.0), *others)
    for holds, piece in reversed(conditional):
        value = xp.where(holds, piece(xp.where(holds, first, 0.0), *others), value)
    return value


def expm1_pair(xp: Any, b: Real, g: Real, s: Real) -> Any:
    """(exp(-b s) - 1)/b + (exp(g s) - 1)/g >= 0, also near s = 0, where the linear terms cancel."""
    near = ((b + g) * s) ** 2 < PAIR_RADIUS**2
    return piecewise(xp, (s, b, g), (near, _pair_near), partial(_pair_far, xp))


def _pair_near(s: Real, b: Real, g: Real) -> Any:
    """The pair's Taylor series: s^2 sum (g^(n+1) - (-b)^(n+1)) s^n/(n+2)!."""
    series, n = 0.0, len(PAIR_SERIES)
    for coefficient in PAIR_SERIES:
        series = series * s + coefficient * (g**n - (-b) ** n)
        n -= 1
    return series * s**2


def _pair_far(xp: Any, s: Real, b: Real, g: Real) -> Any:
    return xp.expm1(-b * s) / b + xp.expm1(g * s) / g


# -- domains of arguments ------------------------------------------------------------------------


def positive_values(name: str, value: Any) -> Any:
    """The value as a float, or as an array, that is positive and finite throughout.

    Arrays of other libraries than NumPy are returned as they are: they may be traced.
    """
    return real_values(name, value, POSITIVE)


def real_values(name: str, value: Any, domain: str = REAL) -> Any:
    """The value as a float, or as an array, that is finite throughout and in the domain."""
    if is_foreign(value):
        return value
    if is_number(value):
        return number(name, value, domain)
    array, least = real_array(name, value, domain), 0.0 if domain == POSITIVE else -math.inf
    if array.size and not (array.min() > least and array.max() < math.inf):
        import numpy as np

        wrong = ~((array > least) & (array < math.inf))
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        where = f"{name}[{', '.join(map(str, at))}]" if at else name
        raise outside(where, float(array[at]), domain)
    return array[()]


def positive_array(name: str, values: Any) -> Any:
    """The values as an array of float64 above 0."""
    import numpy as np

    return np.asarray(positive_values(name, values), dtype=np.float64)


def real_array(name: str, value: Any, domain: str = REAL) -> Any:
    """The value as a NumPy array of real numbers. Booleans, texts and masked arrays are refused."""
    import numpy as np

    refused = outside(name, value, f"{domain}, or an array of them")
    if hasattr(value, "filled"):
        raise refused
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise refused from None
    if array.dtype.kind == "O" and all(map(is_number, array.flat)):
        # Whole numbers that are too large for NumPy's integers.
        return np.array([number(name, x, domain) for x in array.flat]).reshape(array.shape)
    if array.dtype.kind not in "iuf":
        raise refused
    return array
