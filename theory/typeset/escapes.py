"""Text of files and users, escaped for a terminal or for LaTeX."""

from __future__ import annotations

import re

LATEX = {character: rf"\{character}" for character in "&%$#_{}"}
LATEX |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\n": " "}
#: A hyphen between two names in capitals or between two numbers, which LaTeX sets as a dash.
RANGE = re.compile(r"(?<=[A-Z]{2})-(?=[A-Z]{2})|(?<=\d)-(?=\d)")


def clean(text: str) -> str:
    """The text for a terminal, with unprintable characters escaped.

    >>> clean("a\\x1b[2J")
    'a\\\\x1b[2J'
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def latex_escaped(text: str) -> str:
    r"""The text for LaTeX: markup is escaped, and unprintable characters become blanks.

    >>> print(latex_escaped("50 % of A_1"))
    50 \% of A\_1
    """
    return "".join(LATEX.get(c, c if c.isprintable() else " ") for c in text)


def latex_words(text: str) -> str:
    r"""A sentence for LaTeX, escaped, with en dashes between two numbers and between two names in
    capitals.

    >>> print(latex_words("AM-GM, pages 74-109"))
    AM--GM, pages 74--109
    """
    return RANGE.sub("--", latex_escaped(text))
