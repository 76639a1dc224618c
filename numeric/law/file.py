"""Law files: a law as JSON, with its notation named so that exponents cannot be mixed up."""

from __future__ import annotations

import json
from math import isfinite

from ...theory.data.notation import notation as find_notation
from ..errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any, TypeAlias

    from ...theory.data.notation import Notation
    from .compute import ComputeLaw
    from .custom import CustomLaw
    from .params_tokens import Law

    AnyLaw: TypeAlias = Law | ComputeLaw | CustomLaw

LARGEST_FILE = 10_000_000
NAMES = ("E", "A", "B", "beta", "gamma")


def to_data(law: Law, notation: str | Notation = "schaeffer") -> dict[str, Any]:
    """Plain data: name, notation, coefficients, source; of a law from data its draws, in the default
    notation.
    """
    draws = {} if law.draws is None else {"draws": {"coefficients": law.draws}}
    return {
        "name": law.name,
        "notation": find_notation(notation).name,
        "coefficients": law.coefficients(notation),
        "source": law.source,
        **draws,
    }


def from_data(data: Any, where: str = "law") -> AnyLaw:
    """The law in the plain data, of whichever form; `where` names the file in messages.

    A coefficient is a number, or an object with its "value" (as a saved fit has). A saved fit of
    another form, or one that did not reach an optimum, is refused.
    """
    from .params_tokens import Law

    if not isinstance(data, dict):
        raise ValueError(f"{where}: must hold a JSON object with notation and coefficients")
    if "expression" in data:
        from .custom import CustomLaw

        try:
            return CustomLaw.from_data(data)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{where}: {error}") from None
    if data.get("model", "params-tokens") != "params-tokens":
        raise ValueError(
            f"{where}: is a fit of L = {data.get('law')}; must be one of E + A N^-beta + B D^-gamma"
        )
    if data.get("converged", True) is False:
        raise ValueError(f"{where}: is a fit that did not reach an optimum; must be one that did")
    open_ones = data.get("undetermined")
    if not isinstance(open_ones, (list, str, type(None))):
        raise ValueError(f"{where}: undetermined={open_ones!r}: must be a list of names")
    if open_ones:
        left = open_ones if isinstance(open_ones, str) else ", ".join(map(str, open_ones))
        raise ValueError(
            f"{where}: is a fit to runs that leave {left} undetermined; must be one that "
            f"determines its coefficients"
        )
    if "notation" not in data:
        choices = '"schaeffer" (beta, gamma) or "hoffmann" (alpha, beta)'
        raise ValueError(f'{where}: names no notation; add "notation": {choices}')
    coefficients = data.get("coefficients")
    if not isinstance(coefficients, dict):
        raise ValueError(
            f"{where}: coefficients={coefficients!r}: must be an object of names and numbers"
        )
    values = {key: _plain(value) for key, value in coefficients.items()}
    name, source = data.get("name", "custom"), data.get("source", "")
    if not isinstance(name, str) or not isinstance(source, str):
        raise ValueError(f"{where}: name and source must be strings")
    try:
        if "C0" in values:
            from .compute import ComputeLaw

            known = find_notation(data["notation"]).to_canonical(
                values, kind="compute", partial=True
            )
            return ComputeLaw(**known, name=name, source=source)
        draws = _draws(data["draws"]) if "draws" in data else None
        return Law.from_coefficients(
            values,
            notation=data["notation"],
            name=name,
            source=source,
            partial=True,
            draws=draws,
        )
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _draws(data: Any) -> dict[str, list[float]]:
    """The draws of a saved fit, by coefficient."""
    try:
        draws = {name: list(map(float, column)) for name, column in data["coefficients"].items()}
        sound = {*draws} <= {*NAMES} and len({len(column) for column in draws.values()}) == 1
        sound = sound and all(isfinite(value) for column in draws.values() for value in column)
    except (AttributeError, KeyError, TypeError, ValueError):
        sound = False
    if not sound:
        raise ArgumentError("draws", "...", complaint="must be the draws of a saved fit")
    return draws


def _plain(value: Any) -> Any:
    """The number of a coefficient that comes with its uncertainty; any other value as it is."""
    return value["value"] if isinstance(value, dict) and "value" in value else value


def from_text(text: str, where: str = "law") -> AnyLaw:
    """The law in the JSON text."""
    try:
        data = json.loads(text, object_pairs_hook=_without_duplicates)
    except RecursionError:
        raise ValueError(f"{where}: is nested too deeply") from None
    except ValueError as error:
        raise ValueError(
            f"{where}: is not JSON that can be read ({str(error).partition(';')[0]})"
        ) from None
    return from_data(data, where)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; JSON itself would let the last of two entries of a name win in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(
            f"{next(name for name in names if names.count(name) > 1)!r} is given twice"
        )
    return found


def write(data: dict[str, Any], path: str | PathLike[str]) -> None:
    """Write a law file; floats read back unchanged."""
    from .._files import write as write_file

    try:
        write_file(path, text_of(data).encode())
    except OSError as error:
        raise ArgumentError(
            "path", str(path), complaint=f"cannot be written ({error.strerror})"
        ) from None


def text_of(data: dict[str, Any]) -> str:
    """The text of a law file."""
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def read(path: str | PathLike[str]) -> AnyLaw:
    """Read a law file."""
    where = f"law file {str(path)!r}"
    try:
        with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123
            text = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"{where}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{where}: is not UTF-8 text") from None
    if len(text) > LARGEST_FILE:
        raise ValueError(f"{where}: is larger than {LARGEST_FILE} characters")
    return from_text(text, where)


#: What lies farther beyond the runs of a fit than by this factor is said to.
FAR = 10.0


def ranges(path: str | PathLike[str]) -> dict[str, tuple[float, float]]:
    """The ranges of params, tokens and compute of the runs of a saved fit; empty for a law without
    runs, or an older file.
    """
    with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123
        found = json.load(file).get("ranges") or {}
    return {name: (float(low), float(high)) for name, (low, high) in found.items()}


def beyond(known: dict[str, tuple[float, float]], **values: float) -> str:
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
