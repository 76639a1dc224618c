"""A result that shows itself by its tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from .table import Table

__all__ = ["Shown"]


class Shown:
    """Base of a result: `tables` describes it once, and text, LaTeX, HTML and frame follow.

    A subclass defines `tables`, where the import of a module that writes them may stand inside. It
    may define `__str__` anew where its text is more than its tables. A frozen dataclass can derive
    from it; it has no fields.
    """

    __slots__ = ()

    def tables(self) -> Sequence[Table]:
        """The tables of the result, the main one first."""
        raise NotImplementedError(f"{type(self).__name__} describes no tables")

    def __str__(self) -> str:
        return "\n\n".join(table.text() for table in self.tables())

    def _repr_html_(self) -> str:
        return "\n".join(table.html() for table in self.tables())

    def to_latex(self, caption: str = "", label: str = "") -> str:
        """LaTeX of the tables, for booktabs; the caption and the label are those of the first."""
        first, *others = self.tables()
        return "\n\n".join([first.latex(caption, label), *(table.latex() for table in others)])

    def to_frame(self) -> pd.DataFrame:
        """The main table as a pandas frame."""
        return self.tables()[0].to_frame()
