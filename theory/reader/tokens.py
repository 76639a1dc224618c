"""The tokens of a formula, the spelling of its names, and the error for what cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

LONGEST_TEXT = 4_000
DEEPEST_NESTING = 40
SMALL = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
CAPITAL = ("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega")  # fmt: skip
GREEK = frozenset(SMALL + CAPITAL)
ACCENTS = ("hat", "tilde", "bar")
STAR, PRIME = "star", "prime"
CLOSING = {"(": ")", "[": "]"}
#: The end of the name of a measure of several samples: `pass@k` is `pass_at(k)`.
AT = "_at"
#: The names of letters of the law with a star.
OPTIMA = {letter: f"{letter}_opt" for letter in "NDLR"}
#: The Greek letters of Unicode, with their variant forms.
GREEK_SIGNS = {
    **dict(zip("αβγδεζηθικλμνξπρστυφχψω", SMALL, strict=True)),
    **dict(zip("ΓΔΘΛΞΠΣΥΦΨΩ", CAPITAL, strict=True)),
    "ς": "sigma", "ϵ": "epsilon", "ϑ": "theta", "ϕ": "phi", "ℓ": "ell",
}  # fmt: skip
SIGNS = {"·": "*", "⋅": "*", "×": "*", "−": "-"}
#: Other spellings of relations; four are words.
RELATIONS = {
    "=": "==", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "~~": "approx", "≈": "approx", "∝": "propto",
    "=>": "implies", "⇒": "implies", "<=>": "iff", "⇔": "iff",
    **{word: word for word in ("propto", "approx", "implies", "iff")},
}  # fmt: skip
_GREEK = "".join(GREEK_SIGNS)
_SPELT = str.maketrans({**GREEK_SIGNS, "'": f"_{PRIME}"})
TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<measure>[A-Za-z]+)@(?P<samples>[A-Za-z]\w*|[0-9]+|(?=\())"
    rf"|(?P<name>(?:log1p(?![A-Za-z0-9_])|[A-Za-z]+|[{_GREEK}]|\"[A-Za-z]\w*\")"
    rf"[0-9]*(?:_(?:[A-Za-z0-9]+|[{_GREEK}]))*'*)"
    r"|(?P<relation><=>|=>|==|!=|<=|>=|->|~~|[=<>~≈∝⇒⇔≤≥≠→])"
    r"|(?P<power>\*\*|\^)|(?P<operator>[-+*/()\[\],·⋅×−])|(?P<mark>!)"
)


def quoted(text: str) -> str:
    """The text in quotes as it was typed, with single backslashes."""
    return repr(text).replace("\\\\", "\\")


class ParseError(ValueError):
    """An error in a text and its place; `complaint` is the message without the text and the place."""

    def __init__(
        self,
        complaint: str,
        *,
        text: str | None = None,
        position: int | None = None,
        rest: str = "",
    ) -> None:
        about = "" if text is None else f"{quoted(text)}: "
        place = "" if position is None else f" at position {position + 1}"
        super().__init__(f"{about}{complaint}{place}{rest}")
        self.complaint = complaint + rest

    @classmethod
    def at(cls, text: str, position: int, complaint: str, rest: str = "") -> ParseError:
        """The error of a complaint about a position of the text."""
        return cls(complaint, text=text, position=position, rest=rest)

    @classmethod
    def too_deep(cls, text: str) -> ParseError:
        return cls(f"nested deeper than {DEEPEST_NESTING} levels", text=f"{text[:40]}...")


@dataclass(frozen=True)
class Token:
    """A piece of a formula. Its kind is "number", "name", "operator", "power", "relation", "mark" for
    a sign behind a value (a factorial, a value at a point), or "group" for the parentheses that
    replace invisible braces of LaTeX.
    """

    kind: str
    text: str
    position: int


def joined(text: str) -> str:
    """A text whose names are joined with their indices, as LaTeX reads them: `x1` for `x_1` and `x_{1}`."""
    text = re.sub(r"_\{(\w+)\}", r"_\1", text)
    return re.sub(r"(?<![A-Za-z0-9_])([A-Za-z]+)_([0-9]+)(?![A-Za-z0-9])", r"\1\2", text)


def in_parentheses(tokens: Iterable[Token], at: int, kind: str = "operator") -> list[Token]:
    """The tokens between parentheses, visible ones unless the kind is "group"."""
    return [Token(kind, "(", at), *tokens, Token(kind, ")", at)]


def tokenize(text: str) -> list[Token]:
    """The tokens of a formula in plain text.

    Raises
    ------
    ParseError
        Naming what cannot be read and its position.
    """
    if len(text) > LONGEST_TEXT:
        raise ParseError(f"expression of {len(text)} characters: at most {LONGEST_TEXT} are read")
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = TOKEN.match(text, position)
        if match is None:
            raise ParseError.at(text, position, f"cannot read {text[position]!r}")
        kind, spelt = str(match.lastgroup), SIGNS.get(match.group(), match.group())
        if match["measure"]:
            tokens.append(Token("name", match["measure"] + AT, position))
            if samples := match["samples"]:
                number = Token("number" if samples.isdigit() else "name", samples, match.start(2))
                tokens += in_parentheses([number], number.position)
        elif spelt in RELATIONS or kind == "relation":
            tokens.append(Token("relation", RELATIONS.get(spelt, spelt), position))
        elif kind == "mark":
            tokens.append(Token("mark", "factorial", position))
        else:
            tokens.append(Token(kind, joined(spelt.translate(_SPELT)), position))
        position = match.end()
    return tokens


class Pieces:
    """The tokens of a text, and the place up to which they are read."""

    text: str
    tokens: list[Token]
    next: int

    def ahead(self, number: int = 0) -> Token:
        """The token a number of places ahead, or an empty one behind the end."""
        index = self.next + number
        return self.tokens[index] if index < len(self.tokens) else Token("", "", len(self.text))

    def peek(self, *texts: str) -> bool:
        """Whether the text of the next token is one of these."""
        return self.ahead().text in texts

    def take(self, what: str = "a value") -> Token:
        """The next token, which is passed; ParseError at the end, where `what` is expected."""
        if self.next >= len(self.tokens):
            raise ParseError(f"ends where {what} is expected", text=self.text)
        self.next += 1
        return self.tokens[self.next - 1]

    def refuse(self, at: Token, complaint: str = "cannot read {}", rest: str = "") -> NoReturn:
        """Raise a ParseError at a token, whose text replaces `{}` in the complaint."""
        is_one_sign = at.text == "==" and not self.text.startswith("==", at.position)
        typed = "=" if is_one_sign else at.text
        raise ParseError.at(self.text, at.position, complaint.format(repr(typed)), rest)
