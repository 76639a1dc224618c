"""Laws by name and in files: a law as JSON, with its notation named so that exponents cannot be
mixed up.
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

#: What lies farther beyond the runs of a fit than by this factor is said to.
FAR = 10.0
#: What the file of a fit has under these keys where the fit is a law.
OF_A_FIT = {"converged": True, "undetermined": [], "model": "params-tokens"}
#: How the entries of a file are read that may be left out, or hold what is no number.
READING: dict[str, Callable[[Any], Any]] = {
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
    """A published params+tokens law by name, or the law of a file, of whichever form that is.

    Parameters
    ----------
    name : str or path
        As `laws()` lists them, e.g. "besiroglu2024", or "chinchilla"; or a law file, or a saved
        "fit.json".

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
        raise outside("law", name, "a name or the path of a law file")
    entry = find(name)
    if entry is None and (not isinstance(name, str) or "." in name or "/" in name):
        return _of_file(name)
    if entry is None:
        raise ArgumentError("law", name, complaint=unknown(name))
    if entry.kind != "params-tokens":
        complaint = f"is a {entry.kind} law; a params+tokens law is needed"
        raise ArgumentError("law", name, complaint=complaint)
    # No digits: the published form has no irreducible term.
    values: dict[str, Any] = {x: float(digits or 0.0) for x, digits in entry.coefficients.items()}
    return Law(**values, name=entry.name, source=entry.source.citation)


def _of_file(path: str | PathLike[str]) -> Law:
    """The law of a file; every refusal names the file, and the key where there is one."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        return from_data(json.loads(text, object_pairs_hook=_without_duplicates))
    except OSError as error:
        complaint = f"cannot be read ({error.strerror})"
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        complaint = "is no JSON law file"
    except ValueError as error:
        complaint = str(error)
    raise ValueError(f"law file {str(path)!r}: {complaint}")


def from_data(data: Any) -> Law:
    """The law in plain data, or of a saved fit that reached an optimum and determines it; a
    coefficient is a number, or an object with its "value".
    """
    if not isinstance(data, dict):
        raise outside("data", data, "an object")
    for key, wanted in OF_A_FIT.items():
        if data.get(key, wanted) != wanted:
            raise outside(
                key, data[key], f"{wanted!r}, as of a fit that reached an optimum and determines it"
            )
    is_own = "expression" in data
    needed = ("expression", "variables", "budget") if is_own else ("notation",)
    if missing := [key for key in ("coefficients", *needed) if key not in data]:
        raise ArgumentError(missing[0], complaint="is missing in the file of a law")
    held: dict[str, Any] = {}
    for key in READING.keys() & data.keys():
        try:
            held[key] = READING[key](data[key])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ArgumentError(key, complaint="is not that of a law, or of a saved fit") from None
    values = held.pop("coefficients")
    if is_own:
        from .custom import law_from_expression

        own = {key: data[key] for key in ("variables", "budget")}
        return law_from_expression(data["expression"], values, **own, **held)
    form = COMPUTE if "C0" in values else PARAMS_TOKENS
    return Law.from_coefficients(values, notation=data["notation"], form=form, **held)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; JSON itself would let the last of two entries of a name win in silence."""
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ArgumentError(twice[0], complaint="is given twice")
    return dict(pairs)


def beyond(known: Mapping[str, tuple[float, float]], **values: float) -> str:
    """How far values lie outside of ranges, in words; nothing where none does so by more than a
    factor of 10.
    """
    words = []
    for name, value in values.items():
        low, high = known.get(name, (value, value))
        if value > FAR * high:
            words.append(f"{name} {value / high:.3g} times the largest ({high:.3g})")
        elif value * FAR < low:
            words.append(f"{name} {low / value:.3g} times below the smallest ({low:.3g})")
    return ", ".join(words)
