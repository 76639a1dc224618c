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

__all__ = ["beyond", "from_data", "from_text", "law", "read"]

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
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ValueError(f"{where}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{where}: is no text in UTF-8") from None
    return from_text(text, where)


def from_text(text: str, where: str = "law") -> Law:
    """The law in the JSON text; `where` names the file in messages."""
    try:
        data = json.loads(text, object_pairs_hook=_without_duplicates)
    except RecursionError:
        raise ValueError(f"{where}: is nested too deeply") from None
    except ValueError as error:
        # At its very beginning there is no more to say.
        reason = f" ({str(error).partition(';')[0]})" if getattr(error, "pos", 1) else ""
        raise ValueError(f"{where}: is no JSON law file{reason}") from None
    try:
        return from_data(data)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def from_data(data: Any) -> Law:
    """The law in plain data.

    A coefficient is a number, or an object with its "value" (as a saved fit has).

    Raises
    ------
    ValueError
        Where the data are no law, or a fit that did not reach an optimum or leaves a coefficient
        undetermined.
    """
    if not isinstance(data, dict):
        raise ValueError("must hold a JSON object with notation and coefficients")
    if data.get("converged", True) is False:
        raise ValueError("is a fit that did not reach an optimum; must be one that did")
    if not isinstance(undetermined := data.get("undetermined"), list | str | None):
        raise ValueError(f"undetermined={undetermined!r}: must be a list of names")
    if undetermined:
        shown = undetermined if isinstance(undetermined, str) else ", ".join(map(str, undetermined))
        raise ValueError(
            f"is a fit to runs that leave {shown} undetermined; must be one that determines its "
            f"coefficients"
        )
    coefficients, name, source = (
        data.get(key, default)
        for key, default in (("coefficients", None), ("name", "custom"), ("source", ""))
    )
    if not isinstance(coefficients, dict):
        shown = f"coefficients={coefficients!r}"
        raise ValueError(f"{shown}: must be an object of names and numbers")
    if not isinstance(name, str) or not isinstance(source, str):
        raise ValueError("name and source must be strings")
    values = {
        key: value["value"] if isinstance(value, dict) and "value" in value else value
        for key, value in coefficients.items()
    }
    if "expression" in data:
        from .custom import law_from_expression

        try:
            given = {"variables": data["variables"], "budget": data["budget"]}
            return law_from_expression(
                data["expression"], values, name=name, source=source, **given
            )
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
        values,
        notation=data["notation"],
        form=form,
        name=name,
        source=source,
        draws=_draws(data["draws"], form.coefficients) if "draws" in data else None,
        ranges=_ranges(data["ranges"]) if data.get("ranges") else None,
    )


def _draws(data: Any, names: tuple[str, ...]) -> dict[str, list[float]]:
    """The draws of a saved fit, by coefficient."""
    try:
        draws = {name: list(map(float, column)) for name, column in data["coefficients"].items()}
        sound = {*draws} <= {*names} and len({len(column) for column in draws.values()}) == 1
        sound = sound and all(isfinite(value) for column in draws.values() for value in column)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        sound = False
    if not sound:
        raise ArgumentError("draws", complaint="must be the draws of a saved fit")
    return draws


def _ranges(data: Any) -> dict[str, tuple[float, float]]:
    """The least and the greatest params, tokens and compute of the runs of a saved fit."""
    try:
        return {name: (float(low), float(high)) for name, (low, high) in data.items()}
    except (AttributeError, OverflowError, TypeError, ValueError):
        complaint = "must be the least and the greatest value of params, tokens and compute"
        raise ArgumentError("ranges", complaint=complaint) from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; JSON itself would let the last of two entries of a name win in silence."""
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is given twice")
    return dict(pairs)


# -- how far beyond the runs of a fit --------------------------------------------------------------


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
