"""Sentences about a law in plain text, in the letters of a notation or of another law."""

from __future__ import annotations

import re

from ..data.notation import Notation
from .layout import EXPONENTS, OPTIMAL

#: A name; not the article before a word, nor the first word of a quotation.
WORD = re.compile(r"(?!A [a-z]{2})(?<!\")[A-Za-z]\w*")


def respell(prose: str, spelling: Notation) -> str:
    """A sentence in plain text with its Greek names and optima in the notation; a word in quotation
    marks is left alone.
    """
    names = {
        f"{d}{old}": f"{d}{new}"
        for old, new in spelling.names().items()
        if old in EXPONENTS
        for d in ("", "d")
    }
    words = WORD.sub(lambda match: names.get(match[0], match[0]), prose)
    if "*" in spelling.latex("N_opt"):
        return words
    return re.sub(r"\b(d?[NDLRC])\*(?![\w*])", rf"\1{OPTIMAL}", words)
