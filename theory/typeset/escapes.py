"""Text from a file or a user, made safe for where it is printed."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

LATEX = {character: rf"\{character}" for character in "&%$#_{}"}
LATEX |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\n": " "}
#: Between two names in capitals, and between two numbers.
RANGE = re.compile(r"(?<=[A-Z]{2})-(?=[A-Z]{2})|(?<=\d)-(?=\d)")


def clean(text: str) -> str:
    """For the terminal: what cannot be printed is escaped.

    >>> clean("a\\x1b[2J")
    'a\\\\x1b[2J'
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def latex_escaped(text: str) -> str:
    r"""For LaTeX: what it reads as markup is escaped, and what cannot be printed is a blank.

    >>> print(latex_escaped("50 % of A_1"))
    50 \% of A\_1
    """
    return "".join(LATEX.get(c, c if c.isprintable() else " ") for c in text)


def latex_words(text: str) -> str:
    r"""For a sentence in LaTeX: escaped, with an en dash between two numbers and between two names
    in capitals.

    >>> print(latex_words("AM-GM, pages 74-109"))
    AM--GM, pages 74--109
    """
    return RANGE.sub("--", latex_escaped(text))


def display_width(text: str) -> int:
    """Columns that the text takes in a terminal: a wide character takes two, a combining one none.

    >>> display_width("loss"), display_width("損失"), display_width("e\\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, width: int, align: str) -> str:
    """The text filled with blanks to a width in columns: "left" puts the text to the left."""
    blanks = " " * (width - display_width(text))
    return text + blanks if align == "left" else blanks + text
