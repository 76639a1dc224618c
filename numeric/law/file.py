"""Laws by name and in files. A file is JSON that names its notation, so that exponents cannot be mixed
up.
"""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import ArgumentError, number, outside
from .form import COMPUTE, PARAMS_TOKENS
from .scaling_law import Law

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from typing import Any

__all__ = ["beyond", "from_data", "law"]

#: Runs farther than this factor beyond those of a fit are warned of.
FAR = 10.0
#: How the entries of a file are read that may be left out, or whose values are no single number.
READERS: dict[str, Callable[[Any], Any]] = {
    "name": lambda given: given + "",
    "source": lambda given: given + "",
    "coefficients": lambda given: {
        name: value["value"] if isinstance(value, dict) else value for name, value in given.items()
    },
    "ranges": lambda given: {
        name: (number(name, low), number(name, high)) for name, (low, high) in given.items()
    },
    "draws": lambda given: {
        name: [number(name, value) for value in column]
        for name, column in given["coefficients"].items()
    },
}


def law(name: str | PathLike[str]) -> Law:
    """A published params+tokens law by name, or the law in a file, whatever its form.

    Parameters
    ----------
    name : str or path
        A name that `laws()` lists, e.g. "besiroglu2024", or "chinchilla"; or the path of a law file
        or of a saved fit, e.g. "fit.json".

    Raises
    ------
    ValueError
        Where there is no such law or file, or it is a published compute law.

    Examples
    --------
    >>> round(law("besiroglu2024").envelope.tokens_per_param(5.76e23), 1)
    18.4
    """
    from ...theory.data.published import find, unknown

    if not isinstance(name, str) and not hasattr(name, "__fspath__"):
        raise outside("name", name, "the name of a published law or the path of a law file")
    entry = find(name)
    if entry is None and (not isinstance(name, str) or "." in name or "/" in name):
        return _of_file(name)
    if entry is None:
        raise ArgumentError("name", name, complaint=unknown(name))
    if entry.kind != "params-tokens":
        complaint = f"is a {entry.kind} law; a params+tokens law is needed"
        raise ArgumentError("name", name, complaint=complaint)
    # A coefficient without digits is that of an irreducible term, which the published form lacks.
    values: dict[str, Any] = {x: float(digits or 0.0) for x, digits in entry.coefficients.items()}
    return Law(**values, name=entry.name, source=entry.source.citation)


def _of_file(path: str | PathLike[str]) -> Law:
    """The law in a file. Every refusal names the file, and the key where there is one."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        return from_data(json.loads(text))
    except OSError as error:
        complaint = f"cannot be read ({error.strerror})"
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        complaint = "is not a law file in JSON"
    except ValueError as error:
        complaint = str(error)
    raise ValueError(f"law file {str(path)!r}: {complaint}")


def from_data(data: Any) -> Law:
    """The law in plain data, or in those of a saved fit that converged and is determined. A
    coefficient is a number, or an object with its "value".
    """
    if not isinstance(data, dict):
        raise outside("data", data, "an object")
    _refuse_unusable(data)
    is_own = "expression" in data
    needed = ("expression", "variables", "budget") if is_own else ("notation",)
    if missing := [key for key in ("coefficients", *needed) if key not in data]:
        raise ArgumentError(missing[0], complaint="is missing: the file of a law must hold it")
    entries: dict[str, Any] = {}
    for key in READERS.keys() & data.keys():
        try:
            entries[key] = READERS[key](data[key])
        except (AttributeError, KeyError, TypeError, ValueError):
            complaint = "cannot be read as the entry of a law file or of a saved fit"
            raise ArgumentError(key, complaint=complaint) from None
    coefficients = entries.pop("coefficients")
    if is_own:
        from .custom import law_from_expression

        entries |= {key: data[key] for key in ("variables", "budget")}
        return law_from_expression(data["expression"], coefficients, **entries)
    form = COMPUTE if "C0" in coefficients else PARAMS_TOKENS
    return Law.from_coefficients(coefficients, notation=data["notation"], form=form, **entries)


def _refuse_unusable(data: dict[str, Any]) -> None:
    """A ValueError for a saved fit that is not a law of params and tokens."""
    if data.get("converged", True) is not True:
        raise ArgumentError("converged", complaint="this fit did not reach an optimum")
    if open_names := data.get("undetermined", []):
        named = ", ".join(map(str, open_names)) if isinstance(open_names, list) else open_names
        complaint = f"the runs of this fit leave {named} open"
        raise ArgumentError("undetermined", complaint=complaint)
    if data.get("model", "params-tokens") != "params-tokens":
        needed = "a fit of the model params-tokens is needed"
        raise ValueError(f"holds a fit of L = {data.get('law')}; {needed}")


def beyond(known: Mapping[str, tuple[float, float]], **values: float) -> str:
    """How far values lie outside of ranges, in words; empty where none does by more than a factor of
    10.
    """
    parts = []
    for name, value in values.items():
        low, high = known.get(name, (value, value))
        if value > FAR * high:
            parts.append(f"{name} {value / high:.3g} times the largest ({high:.3g})")
        elif value * FAR < low:
            parts.append(f"{name} {low / value:.3g} times below the smallest ({low:.3g})")
    return ", ".join(parts)
