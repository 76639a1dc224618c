"""The errors of the package: what is wrong with which argument, or with which cell of which table."""

from __future__ import annotations

__all__ = ["NO_VALUE", "ArgumentError", "TableError"]

#: Where the complaint itself says the value.
NO_VALUE = ...


class ArgumentError(ValueError):
    """A value that an argument cannot have.

    Attributes
    ----------
    argument : str
        Its name in Python.
    value : object
        What was given; `NO_VALUE` where the complaint says it.
    domain : str
        What is allowed; "" where that is no set of values.
    complaint : str
        The message without the argument and its value.

    Examples
    --------
    >>> print(ArgumentError("level", 2.0, "above 0 and below 1"))
    level=2.0: must be above 0 and below 1
    """

    def __init__(
        self, argument: str, value: object = NO_VALUE, domain: str = "", complaint: str = ""
    ) -> None:
        self.argument, self.value, self.domain = argument, value, domain
        self.complaint = complaint or f"must be {domain}"

    @property
    def subject(self) -> str:
        """What the complaint is about."""
        return self.argument if self.value is NO_VALUE else f"{self.argument}={self.value!r}"

    def __str__(self) -> str:
        return f"{self.subject}: {self.complaint}"


class TableError(ArgumentError):
    """A table, a row or a cell that cannot be read; the message names the file, the row and the column.

    Attributes
    ----------
    rows : tuple of int
        The rows in question; the first row of data is 1.
    column : str or None
        The column in question.
    """

    def __init__(
        self,
        source: str,
        complaint: str = "",
        *,
        rows: tuple[int, ...] = (),
        column: str | None = None,
    ) -> None:
        super().__init__(source, complaint=complaint)
        self.rows, self.column = rows, column

    @property
    def subject(self) -> str:
        """The file, the rows and the column."""
        numbers = " and ".join(map(str, self.rows))
        rows = f", row{'s' if len(self.rows) > 1 else ''} {numbers}" if self.rows else ""
        return f"{self.argument}{rows}{'' if self.column is None else f', column {self.column!r}'}"
