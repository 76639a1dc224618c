"""The tokens of a formula that a user types, how its names are spelt, and what is said where it cannot be
read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

LONGEST_TEXT = 4_000
DEEPEST_NESTING = 40
GREEK = frozenset(
    [
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
        "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
        "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
    ]
)  # fmt: skip
ACCENTS = ("hat", "tilde", "bar", "check", "breve", "dot", "ddot", "vec", "acute", "grave", "mathring", "underline")  # fmt: skip
STAR, PRIME = "star", "prime"
#: How the name of a measure of several samples ends: `pass@k` is `pass_at(k)`.
AT = "_at"
#: What a star on a letter of the law is.
OPTIMA = {letter: f"{letter}_opt" for letter in "NDLR"}
#: Greek letters as Unicode has them, and signs beside those of ASCII.
GREEK_SIGNS = {
    chr(0x3B1 + n): name
    for n, name in enumerate(
        [
            "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
            "xi", "", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
        ]
    )
    if name
}  # fmt: skip
GREEK_SIGNS |= {
    s.upper(): g.capitalize() for s, g in GREEK_SIGNS.items() if g.capitalize() in GREEK
}
GREEK_SIGNS |= {"\u03f5": "epsilon", "\u03d1": "theta", "\u03d5": "phi", "\u2113": "ell"}
SIGNS = {
    "\u2264": "<=", "\u2265": ">=", "\u2260": "!=", "\u2192": "->", "\u00b7": "*", "\u22c5": "*",
    "\u00d7": "*", "\u2212": "-",
}  # fmt: skip
_GREEK = "".join(GREEK_SIGNS)
TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<measure>[A-Za-z]+@)|(?P<name>"
    rf"(?:log1p(?![A-Za-z0-9_])|[A-Za-z]+|[{_GREEK}]|\"[A-Za-z]\w*\")"
    rf"[0-9]*(?:_(?:[A-Za-z0-9]+|[{_GREEK}]))*'*)"
    r"|(?P<relation><=>|=>|==|!=|<=|>=|->|~~|[=<>~\u2248\u221d\u21d2\u21d4\u2264\u2265\u2260\u2192])"
    r"|(?P<power>\*\*|\^)|(?P<operator>[-+*/()\[\],\u00b7\u22c5\u00d7\u2212])"
)


def quoted(text: str) -> str:
    """The text in quotes as it was typed, with single backslashes."""
    return repr(text).replace("\\\\", "\\")


class ParseError(ValueError):
    """What could not be read, and where.

    Attributes
    ----------
    text : str or None
        What could not be read.
    complaint : str
        The message without the text that it is about.
    position : int or None
        Of the offending piece in the text.
    """

    def __init__(
        self,
        complaint: str,
        *,
        text: str | None = None,
        position: int | None = None,
        message: str = "",
    ) -> None:
        super().__init__(message or (complaint if text is None else f"{quoted(text)}: {complaint}"))
        self.text, self.complaint, self.position = text, complaint, position

    @classmethod
    def at_end(cls, text: str, what: str) -> ParseError:
        """The text is over too soon."""
        return cls(f"ends where {what} is expected", text=text, position=len(text))

    @classmethod
    def at(cls, text: str, position: int, what: str, rest: str = "") -> ParseError:
        """`what` stands at a position of the text."""
        message = f"{quoted(text)}: {what} at position {position + 1}{rest}"
        return cls(f"{what}{rest}", text=text, position=position, message=message)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    position: int


def tokenize(text: str) -> list[Token]:
    if len(text) > LONGEST_TEXT:
        raise ParseError(f"expression of {len(text)} characters: at most {LONGEST_TEXT} are read")
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = TOKEN.match(text, position)
        if match is None and text[position] == "!":
            tokens.append(Token("mark", "factorial", position))
            position += 1
            continue
        if match is None:
            rest = ": LaTeX is read with --latex (latex=True)" if text[position] == "\\" else ""
            raise ParseError.at(text, position, f"cannot read {text[position]!r}", rest)
        spelt = SIGNS.get(match.group(), match.group()).replace("'", f"_{PRIME}")
        spelt = "".join(GREEK_SIGNS.get(sign, sign) for sign in spelt)
        kind = str(match.lastgroup)
        token = Token(kind, spelt, position)
        if tokens and tokens[-1].kind == "measure":
            tokens[-1] = Token("name", tokens[-1].text.replace("@", AT), tokens[-1].position)
            if kind in ("name", "number"):
                brackets = (Token("operator", mark, position) for mark in "()")
                tokens += [next(brackets), token, *brackets]
            elif spelt == "(":
                tokens.append(token)
            else:
                raise ParseError.at(text, position, f"cannot read {spelt!r} behind @")
        else:
            tokens.append(token)
        position = match.end()
    if tokens and tokens[-1].kind == "measure":
        raise ParseError.at_end(text, "a number of samples")
    return tokens


# -- tokens that a reader puts in ------------------------------------------------------------


def name_token(text: str, at: int) -> Token:
    return Token("name", text, at)


def operator(text: str, at: int) -> Token:
    return Token("operator", text, at)


def in_parentheses(tokens: Iterable[Token], at: int) -> list[Token]:
    return [operator("(", at), *tokens, operator(")", at)]


def power_of(exponent: Iterable[Token], at: int) -> list[Token]:
    return [Token("power", "^", at), *in_parentheses(exponent, at)]
