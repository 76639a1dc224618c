"""Calls of generated functions: on floats those of the scalar module, on arrays those of the array module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType
    from typing import Any, Protocol

    class Modules(Protocol):
        """Where the two modules of one law come from."""

        @property
        def scalar(self) -> ModuleType: ...

        @property
        def array(self) -> ModuleType: ...


class GeneratedModules:
    """The two modules of the default law, each imported at its first use."""

    @property
    def scalar(self) -> ModuleType:
        from ._generated import scalar

        return scalar

    @property
    def array(self) -> ModuleType:
        from ._generated import array

        return array


GENERATED = GeneratedModules()


def is_scalar(value: Any) -> bool:
    """Whether a value is a plain number or a double-double (NumPy's float64 scalar is a float)."""
    from ._wide import Wide

    return isinstance(value, (int, float, Wide)) and not isinstance(value, bool)


def evaluate(name: str, coefficients: Mapping[str, float], /, **variables: Any) -> Any:
    """The default law's function `name` at the variables, with those of the coefficients that it takes."""
    return evaluate_in(GENERATED, name, coefficients, **variables)


def evaluate_in(modules: Modules, name: str, coefficients: Mapping[str, float], /, **variables: Any) -> Any:
    """The same for the functions of any law."""
    scalars = all(is_scalar(value) for value in variables.values())
    function = getattr(modules.scalar if scalars else modules.array, name)
    code = getattr(function, "__wrapped__", function).__code__
    taken = code.co_varnames[: code.co_argcount]
    return function(**variables, **{key: value for key, value in coefficients.items() if key in taken})
