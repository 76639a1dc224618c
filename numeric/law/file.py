"""Laws by name and in files: a law as JSON, with its notation named so that exponents cannot be
mixed up.
"""

from __future__ import annotations

import json
from itertools import chain
from math import isfinite
from pathlib import Path

from ..errors import ArgumentError, outside
from .form import COMPUTE, PARAMS_TOKENS
from .scaling_law import Law

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

__all__ = ["beyond", "from_data", "law", "read"]

#: What lies farther beyond the runs of a fit than by this factor is said to.
FAR = 10.0


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
        return read(name)
    if entry is None:
        raise ArgumentError("law", name, complaint=unknown(name))
    if entry.kind != "params-tokens":
        complaint = f"is a {entry.kind} law; a params+tokens law is needed"
        raise ArgumentError("law", name, complaint=complaint)
    # No digits: the published form has no irreducible term.
    values: dict[str, Any] = {x: float(digits or 0.0) for x, digits in entry.coefficients.items()}
    return Law(**values, name=entry.name, source=entry.source.citation)


def read(path: str | PathLike[str]) -> Law:
    """The law of a file."""
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
    if not isinstance(data, dict) or not isinstance(data.get("coefficients"), dict):
        raise ValueError('must be an object with "notation" and an object of "coefficients"')
    if data.get("converged", True) is False:
        raise ValueError("is a fit that did not reach an optimum; must be one that did")
    if undetermined := data.get("undetermined"):
        names = undetermined if isinstance(undetermined, list) else [undetermined]
        raise ValueError(f"is a fit to runs that leave {', '.join(map(str, names))} undetermined")
    values = {
        key: value["value"] if isinstance(value, dict) and "value" in value else value
        for key, value in data["coefficients"].items()
    }
    about: dict[str, Any] = {key: data[key] for key in ("name", "source") if key in data}
    if not all(isinstance(text, str) for text in about.values()):
        raise ValueError("name and source must be strings")
    if "expression" in data:
        from .custom import law_from_expression

        try:
            given = {"variables": data["variables"], "budget": data["budget"]}
            return law_from_expression(data["expression"], values, **given, **about)
        except (KeyError, TypeError) as error:
            raise ValueError(str(error)) from None
    if data.get("model", "params-tokens") != "params-tokens":
        wanted = "must be one of E + A N^-beta + B D^-gamma"
        raise ValueError(f"is a fit of L = {data.get('law')}; {wanted}")
    if "notation" not in data:
        choices = '"schaeffer" (beta, gamma) or "hoffmann" (alpha, beta)'
        raise ValueError(f'names no notation; add "notation": {choices}')
    form = COMPUTE if "C0" in values else PARAMS_TOKENS
    return Law.from_coefficients(
        values, notation=data["notation"], form=form, **about, **_of_runs(data, form.coefficients)
    )


def _of_runs(data: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The draws of the coefficients and the ranges of the runs in the file of a fit."""
    try:
        ranges = {x: (float(low), float(high)) for x, (low, high) in data.get("ranges", {}).items()}
        columns = data.get("draws", {"coefficients": {}})["coefficients"]
        draws = {name: list(map(float, column)) for name, column in columns.items()}
        if not {*draws} <= {*names} or len({*map(len, draws.values())}) > 1:
            raise ValueError
        if not all(map(isfinite, chain(*draws.values()))):
            raise ValueError
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        raise ArgumentError("draws, ranges", complaint="must be those of a saved fit") from None
    return {"ranges": ranges or None, "draws": draws or None}


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; JSON itself would let the last of two entries of a name win in silence."""
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{twice[0]!r} is given twice")
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
