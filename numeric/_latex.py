"""Text from a file or a user in LaTeX."""

from __future__ import annotations

__all__ = ["escaped"]


def escaped(text: str) -> str:
    """The text with what LaTeX reads as markup escaped, and blanks for what cannot be printed."""
    from ..theory.typeset.sentence import escaped

    return str(escaped(text.replace("\n", " ")))
