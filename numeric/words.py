"""Words in messages: things counted, names listed, values shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

MOST_LISTED = 12
LONGEST_SHOWN = 60


def counted(n: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{n} {noun}{'s' if n != 1 else ''}"


def listed(names: Iterable[str]) -> str:
    """Names in quotes; after the first twelve only how many more there are.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    quoted = [repr(name) for name in names]
    rest = len(quoted) - MOST_LISTED
    return ", ".join(quoted[:MOST_LISTED]) + (f" and {rest} more" if rest > 0 else "")


def shown(value: Any) -> str:
    """A value as text, shortened where it is long.

    >>> shown("diverged"), shown(10**400)
    ("'diverged'", '1.00000e+400')
    """
    if isinstance(value, int) and abs(value) > 10**20:
        from decimal import Decimal

        return f"{Decimal(value):.5e}"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def one_line(error: BaseException) -> str:
    """The message of another library's error, on one line."""
    return " ".join(str(error).split())[:200]
