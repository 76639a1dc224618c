"""The base class of results that print as tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from .table import Table

__all__ = ["Shown"]


class Shown:
    """Base class of a result: text, LaTeX, HTML and frame follow from its `tables`.

    A subclass defines `tables`, and may override `__str__` if its text is more than its tables. It
    may be a frozen dataclass: this class has no fields.
    """

    __slots__ = ()

    def tables(self) -> Sequence[Table]:
        """The tables of the result, the main one first."""
        raise NotImplementedError(f"{type(self).__name__} defines no tables")

    def __str__(self) -> str:
        return "\n\n".join(table.text() for table in self.tables())

    def _repr_html_(self) -> str:
        return "\n".join(table.html() for table in self.tables())

    def to_latex(self) -> str:
        """The tables in LaTeX, for booktabs."""
        return "\n\n".join(table.latex() for table in self.tables())

    def to_frame(self) -> pd.DataFrame:
        """The main table as a pandas frame."""
        return self.tables()[0].to_frame()
