"""Laws by name and in files: a law as JSON, with its notation named so that exponents cannot be
mixed up.
"""

from __future__ import annotations

import json
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
    values: dict[str, Any] = {
        name: digits and float(digits) for name, digits in entry.coefficients.items()
    }
    values["E"] = values["E"] or 0.0  # where the published form has no irreducible term
    return Law(**values, name=entry.name, source=entry.source.citation)


def read(path: str | PathLike[str]) -> Law:
    """The law of a file."""
    where = f"law file {str(path)!r}"
    try:
        data = json.loads(
            Path(path).read_text(encoding="utf-8-sig"), object_pairs_hook=_without_duplicates
        )
    except OSError as error:
        raise ValueError(f"{where}: cannot be read ({error.strerror})") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(f"{where}: is no JSON law file") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    try:
        return from_data(data)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def from_data(data: Any) -> Law:
    """The law in plain data, or of a saved fit that reached an optimum and determines it; a
    coefficient is a number, or an object with its "value".
    """
    if not isinstance(data, dict) or not isinstance(coefficients := data.get("coefficients"), dict):
        raise ValueError('must be an object with "notation" and an object of "coefficients"')
    if data.get("converged", True) is False:
        raise ValueError("is a fit that did not reach an optimum; must be one that did")
    if undetermined := data.get("undetermined"):
        names = undetermined if isinstance(undetermined, list) else [undetermined]
        raise ValueError(f"is a fit to runs that leave {', '.join(map(str, names))} undetermined")
    about: dict[str, Any] = {key: data[key] for key in ("name", "source") if key in data}
    if not all(isinstance(text, str) for text in about.values()):
        raise ValueError("name and source must be strings")
    values = {
        key: value["value"] if isinstance(value, dict) and "value" in value else value
        for key, value in coefficients.items()
    }
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
    found: dict[str, Any] = {}
    try:
        if data.get("ranges"):
            pairs = data["ranges"].items()
            found["ranges"] = {name: (float(low), float(high)) for name, (low, high) in pairs}
        if "draws" in data:
            draws = {x: list(map(float, y)) for x, y in data["draws"]["coefficients"].items()}
            is_whole = {*draws} <= {*names} and len({*map(len, draws.values())}) == 1
            if not is_whole or not all(isfinite(x) for column in draws.values() for x in column):
                raise ValueError
            found["draws"] = draws
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        raise ArgumentError("draws, ranges", complaint="must be those of a saved fit") from None
    return found


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
