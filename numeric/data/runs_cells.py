"""Cells of a column as numbers: what is spelt as one, what is missing, and what is no number."""

from __future__ import annotations

import math
import numbers as kinds
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from .numerals import OutOfRangeError, parse

#: Spellings of an empty cell, in lower case.
MISSING = frozenset(("", "na", "n/a", "nan", "none", "null", "nil", "-", "--", "<na>", "#n/a", "nat"))
BEYOND = "beyond the largest float, 1.8e308"
LONGEST_SHOWN = 60


def numbers(source: str, name: str, cells: Any, remedy: str = "") -> tuple[Any, dict[int, str]]:
    """The cells of a column as float64, with NaN where a cell is empty.

    Parameters
    ----------
    source, name : str
        Where the column comes from, and its name there.
    cells : ndarray
    remedy : str
        What to do about a column of text, for the message.

    Returns
    -------
    values : ndarray of float64
    reasons : dict of int to str
        By index, the numbers that no float comes near; infinite or 0 among the values.

    Raises
    ------
    ValueError
        For the first cell that is no number, naming source, row, column and cell.
    """
    if cells.dtype.kind in "iuf":
        with np.errstate(over="ignore"):
            return cells.astype(np.float64), {}
    values = np.empty(len(cells), dtype=np.float64)
    reasons: dict[int, str] = {}
    seen: dict[str, float] = {}
    for index, cell in enumerate(cells.tolist()):
        if isinstance(cell, str) and cell in seen:
            values[index] = seen[cell]
            continue
        try:
            values[index] = _number(cell)
        except OutOfRangeError as error:
            values[index] = math.inf if BEYOND in str(error) else 0.0
            reasons[index] = f"{shown(cell)} is {error}"
        except (TypeError, ValueError) as error:
            why = f"{source}, row {index + 1}, column {name!r}: {shown(cell)} is not a number"
            raise ValueError(f"{why} ({error}){remedy}") from None
        else:
            if isinstance(cell, str):
                seen[cell] = values[index]
    return values, reasons


def is_missing(cell: Any) -> bool:
    """Whether a cell holds nothing.

    >>> is_missing(None), is_missing(float("nan")), is_missing(" n/a "), is_missing(0.0)
    (True, True, True, False)
    """
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return cell is None or bool(isinstance(cell, (kinds.Real, Decimal)) and cell != cell)


def label(cell: Any) -> Any:
    """A cell that names something: a list or an object is a text, as it would be in CSV.

    >>> label("run 3"), label(["run", 3])
    ('run 3', "['run', 3]")
    """
    try:
        hash(cell)
    except TypeError:
        return str(cell)
    return cell


def _number(cell: Any) -> float:
    if cell is None:
        return math.nan
    if isinstance(cell, str):
        return _spelt(cell.strip())
    if isinstance(cell, (bool, np.bool_)):
        raise TypeError("a truth value")
    if not isinstance(cell, (kinds.Real, Decimal)):
        raise TypeError(f"a {type(cell).__name__}")
    try:
        return float(cell)
    except OverflowError:
        raise OutOfRangeError(BEYOND) from None


def _spelt(text: str) -> float:
    if text.lower() in MISSING:
        return math.nan
    if "," in text:
        raise ValueError("a comma may separate thousands or decimals: write 1234.5")
    return parse(text)


def counted(n: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{n} {noun}{'s' if n != 1 else ''}"


def shown(cell: Any) -> str:
    """A cell in a message, not too long.

    >>> shown("diverged"), shown(10**400)
    ("'diverged'", '1.00000e+400')
    """
    if isinstance(cell, int) and abs(cell) > 10**20:
        return f"{Decimal(cell):.5e}"
    text = repr(cell) if isinstance(cell, str) else str(cell)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def unusable(quantity: str, values: Any, reasons: Mapping[int, str]) -> dict[int, str]:
    """Why cells with a number in them are no positive finite number, by index."""
    bad = np.flatnonzero(~np.isnan(values) & ~((values > 0.0) & np.isfinite(values))).tolist()
    return {index: f"{quantity}: {reasons[index]}" if index in reasons else _why(quantity, float(values[index])) for index in bad}


def _why(quantity: str, value: float) -> str:
    if math.isinf(value):
        return f"{quantity}={value!r}: must be finite (the largest float is 1.8e308)"
    return f"{quantity}={value!r}: must be above 0"
