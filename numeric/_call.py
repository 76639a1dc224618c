"""Calls of the generated functions: on floats the scalar module, on arrays the array module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SCALARS = (int, float)


def is_scalar(value: Any) -> bool:
    """Whether a value is a plain number or a double-double (NumPy's float64 scalar is a float)."""
    from isoflop.numeric._wide import Wide

    return isinstance(value, (*SCALARS, Wide)) and not isinstance(value, bool)


def evaluate(name: str, coefficients: Mapping[str, float], /, **variables: Any) -> Any:
    """The generated function `name` at the variables, with those of the coefficients that it takes."""
    if all(is_scalar(value) for value in variables.values()):
        from isoflop.numeric._generated import scalar as module

        function = getattr(module, name)
        code = function.__wrapped__.__code__
    else:
        from isoflop.numeric._generated import array as module  # type: ignore[no-redef]

        function = getattr(module, name)
        code = getattr(function, "__wrapped__", function).__code__
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return function(**variables, **{key: value for key, value in coefficients.items() if key in taken})
