"""How a formula is evaluated: floats by `math`, NumPy arrays in chunks, other arrays by their
library.
"""

from __future__ import annotations

import math
from functools import partial
from types import SimpleNamespace

from .errors import POSITIVE, REAL, number, outside, positive_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Concatenate, NoReturn, ParamSpec, Protocol, TypeAlias

    Arguments = ParamSpec("Arguments")

    class Proved(Protocol[Arguments]):
        """A proved formula: called with numbers or arrays, in order or by name."""

        names: tuple[str, ...]
        __name__: str

        def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Any: ...

    #: A number, or an array of NumPy, JAX, PyTorch or another library of the array API standard.
    Real: TypeAlias = Any
    #: The same with positive finite values alone: a formula refuses others where it can see them.
    Positive: TypeAlias = Any

#: Elements evaluated at a time: intermediate results of so many stay in the cache.
CHUNK = 32768
#: Up to this |x| the pair of exponentials is a series; beyond, it loses at most a factor of 32.
PAIR_RADIUS = 1 / 16
#: 1/(n + 2)!, enough terms for 17 digits within the radius, lowest order last (Horner).
PAIR_SERIES = tuple(1.0 / math.factorial(n + 2) for n in range(8, -1, -1))

#: The functions of floats under the names that array libraries give them.
FLOATS = SimpleNamespace(
    exp=math.exp,
    expm1=math.expm1,
    log=math.log,
    log1p=math.log1p,
    sqrt=math.sqrt,
    abs=abs,
    maximum=max,
    minimum=min,
    where=lambda condition, value, otherwise: value if condition else otherwise,
)


# -- calling a formula ---------------------------------------------------------------------------


def formula(body: Callable[Concatenate[Any, Arguments], Any]) -> Proved[Arguments]:
    """A function of numbers or arrays, from its body; the first argument of that is a namespace.

    An infinity or a NaN as the result for floats or NumPy arrays is a ValueError that names the
    formula. Arrays of other libraries are not looked at: they may be traced.
    """
    return _Call(body, may_be_infinite=False)


def formula_or_inf(body: Callable[Concatenate[Any, Arguments], Any]) -> Proved[Arguments]:
    """The same for a formula whose result may be infinite."""
    return _Call(body, may_be_infinite=True)


class _Call:
    """A formula that finds the namespace of its arguments, and checks those that are positive."""

    def __init__(self, body: Callable[..., Any], *, may_be_infinite: bool) -> None:
        self.body, self.may_be_infinite = body, may_be_infinite
        self.names = body.__code__.co_varnames[1 : body.__code__.co_argcount]
        kinds = body.__annotations__
        self.positive = tuple(i for i, x in enumerate(self.names) if kinds[x] == "Positive")
        self.checks = [
            partial(positive_number, name) if i in self.positive else float
            for i, name in enumerate(self.names)
        ]
        self.__name__, self.__doc__, self.__module__ = body.__name__, body.__doc__, body.__module__

    def __call__(self, *arguments: Real, **named: Real) -> Any:
        values = self._in_order(arguments, named) if named else arguments
        if all(map(is_number, values)):
            return self._of_floats([check(x) for check, x in zip(self.checks, values, strict=True)])
        xp = _namespace(values)
        if xp is not None:
            return self.body(xp, *_as_tensors(xp, values))
        return self._of_numpy(values)

    def _in_order(self, arguments: tuple[Real, ...], named: dict[str, Real]) -> tuple[Real, ...]:
        missing = self.names[len(arguments) :]
        if set(named) != set(missing):
            raise TypeError(f"{self.__name__}: takes {', '.join(self.names)}")
        return (*arguments, *(named[name] for name in missing))

    def _of_floats(self, values: list[float]) -> float:
        try:
            result = self.body(FLOATS, *values)
            if isinstance(result, float) and math.isfinite(result):
                return result
        except (OverflowError, ZeroDivisionError, ValueError):
            pass  # Python raises where IEEE 754 goes on with an infinity
        return float(self._of_numpy(tuple(values)))

    def _of_numpy(self, values: tuple[Real, ...]) -> Any:
        """In float64, a chunk at a time; float32 where every array is."""
        import numpy as np

        arrays = [
            real_array(name, value, POSITIVE) if i in self.positive else np.asarray(value)
            for i, (name, value) in enumerate(zip(self.names, values, strict=True))
        ]
        types = {a.dtype for a, value in zip(arrays, values, strict=True) if not is_number(value)}
        dtype = np.dtype(np.float32 if types == {np.dtype(np.float32)} else np.float64)
        shape = self._shape(np, arrays)
        result = np.empty(shape, dtype)
        with np.errstate(all="ignore"):
            if result.size > CHUNK and all(a.shape in ((), shape) for a in arrays):
                flat, target = [a.reshape(-1) if a.shape else a for a in arrays], result.reshape(-1)
                for start in range(0, result.size, CHUNK):
                    part = slice(start, start + CHUNK)
                    chunk = [a[part] if a.shape else a for a in flat]
                    if not self._fill(np, target[part], chunk):
                        self._explain(np, result, arrays)
            elif not self._fill(np, result, arrays):
                self._explain(np, result, arrays)
        return result[()]

    def _shape(self, np: Any, arrays: list[Any]) -> tuple[int, ...]:
        try:
            return np.broadcast_shapes(*(a.shape for a in arrays))
        except ValueError:
            shapes = {x: a.shape for x, a in zip(self.names, arrays, strict=True) if a.shape}
            listed = ", ".join(f"{name} of shape {shape}" for name, shape in shapes.items())
            raise ValueError(f"{listed}: must have shapes that broadcast") from None

    def _fill(self, np: Any, result: Any, arrays: list[Any]) -> bool:
        """The formula at the arrays; whether these, and the result, are what they may be."""
        values = list(map(_float64, arrays))
        for x in (values[i] for i in self.positive):
            if not (x.min(initial=math.inf) > 0.0 and x.max(initial=0.0) < math.inf):
                return False
        result[...] = self.body(np, *values)
        is_fine = ~np.isnan(result) if self.may_be_infinite else np.isfinite(result)
        return bool(is_fine.all())

    def _explain(self, np: Any, result: Any, arrays: list[Any]) -> NoReturn:
        """The error for the first argument, or the first result, that is none."""
        for i in self.positive:
            positive_values(self.names[i], _float64(arrays[i]))
        result[...] = self.body(np, *map(_float64, arrays))
        wrong = np.isnan(result) if self.may_be_infinite else ~np.isfinite(result)
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        values = (float(np.broadcast_to(a, result.shape)[at]) for a in arrays)
        shown = ", ".join(f"{name}={x!r}" for name, x in zip(self.names, values, strict=True))
        largest = np.finfo(result.dtype).max
        why = (
            "is not defined there"
            if np.isnan(result[at])
            else f"exceeds the largest float, {largest:.2g}"
        )
        raise ValueError(f"{self.__name__}({shown}): the result {why}")


def is_number(value: Any) -> bool:
    """Whether a value is a plain number (NumPy's float64 scalar is a float)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_foreign(value: Any) -> bool:
    """Whether a value is an array of a library other than NumPy."""
    return _namespace((value,)) is not None


def any_of(condition: Any) -> bool:
    """Whether a condition holds anywhere; of arrays that are traced, which do not say, it may."""
    if isinstance(condition, bool):
        return condition
    return True if is_foreign(condition) else bool(condition.any())


def least(value: Any) -> float:
    """A number itself, or the least element of an array."""
    return value if is_number(value) else float(value.min()) if value.size else math.inf


def greatest(value: Any) -> float:
    """A number itself, or the greatest element of an array."""
    return value if is_number(value) else float(value.max()) if value.size else -math.inf


def larger(value: Any, other: Any) -> Any:
    """The larger of two numbers or arrays."""
    xp = namespace(value, other)
    if xp is FLOATS or xp.__name__ == "numpy":
        return xp.maximum(value, other)
    return xp.where(value < other, other, value)


def smaller(value: Any, other: Any) -> Any:
    """The smaller of two numbers or arrays."""
    xp = namespace(value, other)
    if xp is FLOATS or xp.__name__ == "numpy":
        return xp.minimum(value, other)
    return xp.where(value > other, other, value)


def namespace(*values: Any) -> Any:
    """The functions for numbers or arrays."""
    if all(map(is_number, values)):
        return FLOATS
    import numpy as np

    return _namespace(values) or np


def _namespace(values: tuple[Real, ...]) -> Any:
    """The array namespace of the values; None for numbers and NumPy's arrays."""
    for value in values:
        library = type(value).__module__.partition(".")[0]
        if library == "torch":
            from array_api_compat import array_namespace

            return array_namespace(value)
        if library != "numpy" and hasattr(value, "__array_namespace__"):
            found = value.__array_namespace__()
            if found.__name__ != "numpy":  # a class of NumPy's arrays, defined elsewhere
                return found
    return None


def _as_tensors(xp: Any, values: tuple[Real, ...]) -> tuple[Real, ...]:
    """The values for a library whose functions take no plain numbers."""
    if "torch" not in xp.__name__:
        return values
    return tuple(xp.asarray(v, dtype=xp.float64) if is_number(v) else v for v in values)


def _float64(array: Any) -> Any:
    return array.astype("float64", copy=False)[()]


# -- functions that the formulas are written in --------------------------------------------------


def piecewise(xp: Any, arguments: tuple[Real, ...], *pieces: Any) -> Any:
    """The first piece whose condition holds; each but the last is a pair of condition and function.

    Floats take one piece; NumPy takes a rare one at the elements where it applies alone. Elsewhere
    every piece is evaluated, at 0 for the first argument where it does not apply: that is finite,
    and so are its derivatives.
    """
    *conditional, otherwise = pieces
    if xp is FLOATS:
        return next((piece for holds, piece in conditional if holds), otherwise)(*arguments)
    if xp.__name__ == "numpy":
        return _piecewise_in_numpy(xp, arguments, conditional, otherwise)
    first, *others = arguments
    none = True
    for holds, _ in conditional:
        none = none & ~holds
    value = otherwise(xp.where(none, first, 0.0), *others)
    for holds, piece in reversed(conditional):
        value = xp.where(holds, piece(xp.where(holds, first, 0.0), *others), value)
    return value


def _piecewise_in_numpy(np: Any, arguments: Any, conditional: Any, otherwise: Any) -> Any:
    shape = np.broadcast_shapes(*map(np.shape, arguments))
    value = otherwise(*arguments)
    for holds, piece in reversed(conditional):
        count, holds = np.count_nonzero(holds), np.broadcast_to(holds, shape)
        if count and count * 8 < holds.size:
            value = np.array(np.broadcast_to(value, shape))
            value[holds] = piece(
                *(np.broadcast_to(a, shape)[holds] if np.ndim(a) else a for a in arguments)
            )
        elif count:
            value = np.where(holds, piece(*arguments), value)
    return value


def expm1_pair(xp: Any, b: Real, g: Real, s: Real) -> Any:
    """(exp(-b s) - 1)/b + (exp(g s) - 1)/g >= 0, near s = 0 too, where what is linear cancels."""
    total = b + g
    near = (total * s) ** 2 < PAIR_RADIUS**2
    return piecewise(xp, (s, b, g), (near, partial(_pair_near, xp)), partial(_pair_far, xp))


def _pair_near(xp: Any, s: Real, b: Real, g: Real) -> Any:
    """Its Taylor series: s^2 sum (g^(n+1) - (-b)^(n+1)) s^n/(n+2)!."""
    series, n = 0.0, len(PAIR_SERIES)
    for coefficient in PAIR_SERIES:
        series = series * s + coefficient * (g**n - (-b) ** n)
        n -= 1
    return series * s**2


def _pair_far(xp: Any, s: Real, b: Real, g: Real) -> Any:
    return xp.expm1(-b * s) / b + xp.expm1(g * s) / g


# -- domains of arguments ------------------------------------------------------------------------


def for_formulas(name: str, value: Any) -> Any:
    """The value as a float that is positive and finite, or as an array of numbers, whose elements
    the formula that takes them under this name checks.
    """
    if is_foreign(value):
        return value
    if is_number(value):
        return positive_number(name, value)
    return real_array(name, value, POSITIVE)[()]


def positive_values(name: str, value: Any) -> Any:
    """The value as a float, or as an array, that is positive and finite throughout.

    Arrays of other libraries than NumPy are returned as they are: they may be traced.
    """
    return _values(name, value, POSITIVE, positive_number, lambda array: array > 0.0)


def real_values(name: str, value: Any) -> Any:
    """The same for finite values of either sign."""
    return _values(name, value, REAL, number, lambda array: array < math.inf)


def _values(name: str, value: Any, domain: str, of_number: Any, inside: Any) -> Any:
    if is_foreign(value):
        return value
    if is_number(value):
        return of_number(name, value)
    array = real_array(name, value, domain)
    low, high = (array.min(), array.max()) if array.size else (1.0, 1.0)
    if not (inside(low) and -math.inf < low and high < math.inf):
        import numpy as np

        at = tuple(int(i) for i in np.argwhere(~(np.isfinite(array) & inside(array)))[0])
        where = f"{name}[{', '.join(map(str, at))}]" if at else name
        raise outside(where, float(array[at]), domain)
    return array[()]


def real_array(name: str, value: Any, domain: str = REAL) -> Any:
    """The value as a NumPy array of real numbers; booleans, texts and masked arrays are none."""
    import numpy as np

    if hasattr(value, "filled"):
        raise ValueError(f"{name}: is a masked array; fill or compress it first")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: is no array of numbers ({error})") from None
    if array.dtype.kind == "O" and all(map(is_number, array.flat)):
        # Whole numbers beyond the widest of NumPy's.
        return np.array([number(name, x, domain) for x in array.flat]).reshape(array.shape)
    if array.dtype.kind not in "iuf":
        raise outside(name, value, f"{domain}, or an array of them")
    return array
