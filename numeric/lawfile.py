"""Law files: a law as JSON, with its notation named so that exponents cannot be mixed up."""

from __future__ import annotations

import json

from isoflop.theory.notation import notation as find_notation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from isoflop.numeric.law import Law
    from isoflop.theory.notation import Notation

LARGEST_FILE = 10_000_000


def to_data(law: Law, notation: str | Notation = "schaeffer") -> dict[str, Any]:
    """Plain data: name, notation, coefficients, source."""
    return {
        "name": law.name,
        "notation": find_notation(notation).name,
        "coefficients": law.coefficients(notation),
        "source": law.source,
    }


def to_text(law: Law, notation: str | Notation = "schaeffer") -> str:
    """JSON text; floats are written so that they read back unchanged."""
    return json.dumps(to_data(law, notation), indent=2, allow_nan=False) + "\n"


def from_data(data: Any, where: str = "law") -> Law:
    """The law in the plain data; `where` names the file in messages.

    A coefficient is a number, or an object with its "value" (as a saved fit has).
    """
    from isoflop.numeric.law import Law

    if not isinstance(data, dict):
        raise ValueError(f"{where}: must hold a JSON object with notation and coefficients")
    if "notation" not in data:
        raise ValueError(f"{where}: names no notation; add \"notation\": \"schaeffer\" (beta, gamma) or \"hoffmann\" (alpha, beta)")
    coefficients = data.get("coefficients")
    if not isinstance(coefficients, dict):
        raise ValueError(f"{where}: coefficients={coefficients!r}: must be an object of names and numbers")
    values = {key: value["value"] if isinstance(value, dict) and "value" in value else value for key, value in coefficients.items()}
    name, source = data.get("name", "custom"), data.get("source", "")
    if not isinstance(name, str) or not isinstance(source, str):
        raise ValueError(f"{where}: name and source must be strings")
    try:
        return Law.from_coefficients(values, notation=data["notation"], name=name, source=source, partial=True)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def from_text(text: str, where: str = "law") -> Law:
    """The law in the JSON text."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{where}: is not JSON ({error})") from None
    return from_data(data, where)


def write(law: Law, path: str | PathLike[str], notation: str | Notation = "schaeffer") -> None:
    """Write a law file."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(to_text(law, notation))
    except OSError as error:
        raise ValueError(f"path={str(path)!r}: cannot be written ({error.strerror})") from None


def read(path: str | PathLike[str]) -> Law:
    """Read a law file."""
    where = f"law file {str(path)!r}"
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"{where}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ValueError(f"{where}: is not UTF-8 text") from None
    if len(text) > LARGEST_FILE:
        raise ValueError(f"{where}: is larger than {LARGEST_FILE} characters")
    return from_text(text, where)
