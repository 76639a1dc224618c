"""Sentences about a law in plain text, in the letters of a notation or of another law."""

from __future__ import annotations

import re

from ..data.notation import Notation
from ..envelope import Envelope
from .equations import abbreviated
from .layout import EXPONENTS, OPTIMAL

#: A name; not the article before a word, nor the first word of a quotation.
WORD = re.compile(r"(?!A [a-z]{2})(?<!\")[A-Za-z]\w*")


def in_letters_of(prose: str, envelope: Envelope) -> str:
    """A sentence about the law in N, D, A, B, beta and gamma, in the letters of another law."""
    words = {"alpha": abbreviated(envelope).exponent}
    if len(envelope.form.terms) == 2:
        params, tokens = envelope.form.terms
        words |= {"N": params.variable, "A": params.coefficient, "beta": params.exponent}
        words |= {"D": tokens.variable, "B": tokens.coefficient, "gamma": tokens.exponent}
    names = {
        word: symbol.name
        for word, symbol in words.items()
        if symbol.is_Symbol and symbol.name != word
    }
    return WORD.sub(lambda match: names.get(match[0], match[0]), prose) if names else prose


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
