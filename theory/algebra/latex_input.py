"""The LaTeX front end of the grammar: formulas as papers typeset them, to the tokens that `parse`
reads.

Fractions, roots, delimiters, accents and spacing become plain tokens; decorated symbols become
names: `N^{*}`, `N^\\star`, `N_{\\mathrm{opt}}` and `N^*(C)` are all `N_opt`, `\\mathcal{E}_0` is
`E0`, `\\mathrm{pass}@k` is `pass_at_k`. What is not known is named, with its place; so is a
logarithm whose argument could end in two places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from .parse import DEEPEST_NESTING, LONGEST_TEXT, ParseError, Token

GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "phi",
    "varphi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Lambda",
    "Phi",
    "Psi",
    "Omega",
]
FUNCTIONS = {"log": "log", "ln": "log", "exp": "exp"}
RELATIONS = {"le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "equiv": "==", "to": "->",
             "rightarrow": "->", "longrightarrow": "->", "sim": "~", "triangleq": "==", "coloneqq": "==",
             "ne": "!=", "neq": "!=", "propto": "propto", "approx": "approx", "implies": "implies", "Rightarrow": "implies",
             "Longrightarrow": "implies", "iff": "iff", "Leftrightarrow": "iff", "Longleftrightarrow": "iff"}  # fmt: skip
FRACTIONS = {"frac", "tfrac", "dfrac", "cfrac"}
APPLIED = {
    "N_opt",
    "D_opt",
    "L_opt",
    "R_opt",
    "L",
    "R",
    "T_N",
    "T_D",
    "P",
}  # names that take arguments
TIMES = {"cdot", "times", "ast"}
IGNORED = {
    "left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "bigg", "Bigg", "biggl", "biggr", "displaystyle",
    "textstyle", "quad", "qquad", "nonumber", "notag", "limits", "nolimits", "middle", "hspace", "enspace", "thinspace",
}  # fmt: skip
FONTS = {"mathrm", "mathit", "mathcal", "mathbf", "mathsf", "mathbb", "text", "textrm", "textit", "operatorname", "boldsymbol",
         "rm", "bm", "mathfrak", "mathscr"}  # fmt: skip
UPRIGHT = {
    "mathrm",
    "mathit",
    "text",
    "textrm",
    "textit",
    "operatorname",
    "rm",
}  # what these set is the letter itself
ACCENTS = {
    "hat",
    "tilde",
    "bar",
    "widehat",
    "widetilde",
    "overline",
    "underline",
    "check",
    "breve",
    "dot",
    "ddot",
    "vec",
}
STARS = {"*", "star", "ast", "opt", "{*}"}
DELIMITERS = {
    "lbrace": "(",
    "rbrace": ")",
    "{": "(",
    "}": ")",
    "lbrack": "[",
    "rbrack": "]",
    "lparen": "(",
    "rparen": ")",
}

PIECE = re.compile(
    r"(?P<command>\\(?:[A-Za-z]+|.))|(?P<number>(?:[0-9]+(?:\{,\}[0-9]{3})*\.?[0-9]*|\.[0-9]+))"
    r"|(?P<letter>[A-Za-z])|(?P<mark>[-+*/^_(){}\[\]=<>@&,;|!'.~:])",
    re.DOTALL,
)


def tokenize_latex(text: str) -> list[Token]:
    """The tokens of a formula in LaTeX; relations come out as tokens of kind "relation".

    Raises
    ------
    ParseError
        Naming what cannot be read and its position.
    """
    if len(text) > LONGEST_TEXT:
        raise ParseError(f"formula of {len(text)} characters: at most {LONGEST_TEXT} are read")
    return list(_Translator(text).everything())


class _Translator:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces = list(self._pieces())
        self.next = 0
        self.open_bars = 0
        self.depth = 0
        self.faces: dict[str, str] = {}

    def _pieces(self) -> Iterator[Token]:
        position = 0
        while position < len(self.text):
            if self.text[position].isspace():
                position += 1
                continue
            if self.text[position] == "%":
                position = (self.text + "\n").index("\n", position)
                continue
            match = PIECE.match(self.text, position)
            if match is None:
                raise self.error("cannot read", self.text[position], position)
            yield Token(str(match.lastgroup), match.group(), position)
            position = match.end()

    def error(self, what: str, piece: str, position: int) -> ParseError:
        return ParseError.at(self.text, position, f"{what} {piece!r}")

    # -- reading ---------------------------------------------------------------------------------------------------

    def peek(self) -> Token | None:
        self._skip_ignored()
        return self.pieces[self.next] if self.next < len(self.pieces) else None

    def _skip_ignored(self) -> None:
        while self.next < len(self.pieces):
            piece = self.pieces[self.next]
            command = piece.text[1:] if piece.kind == "command" else ""
            after = self.pieces[self.next + 1] if self.next + 1 < len(self.pieces) else None
            if command in ("left", "right", "middle") and after is not None and after.text == ".":
                self.next += 2
            elif (
                command in IGNORED
                or (command and command in ",;:! \\>")
                or piece.text in ("~", "&")
            ):
                self.next += 1
            else:
                return

    def take(self, what: str) -> Token:
        piece = self.peek()
        if piece is None:
            raise ParseError.at_end(self.text, what)
        self.next += 1
        return piece

    def everything(self) -> Iterator[Token]:
        while (piece := self.peek()) is not None:
            if piece.text in (".", ",", ";") and self.next == len(self.pieces) - 1:
                return
            if piece.text == "}":
                raise self.error("unexpected", piece.text, piece.position)
            yield from self.item()

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level down, where there is room."""
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            complaint = f"nested deeper than {DEEPEST_NESTING} levels"
            raise ParseError(
                complaint, text=self.text, message=f"{self.text[:40]!r}...: {complaint}"
            )
        yield
        self.depth -= 1

    def item(self) -> Iterator[Token]:
        """The tokens of the next piece with its arguments and decorations."""
        with self.deeper():
            yield from self.any_item()

    def any_item(self) -> Iterator[Token]:
        piece = self.take("a value")
        at = piece.position
        if piece.kind == "number":
            yield Token("number", piece.text.replace("{,}", ""), at)
        elif piece.kind == "letter":
            self.one_face(piece.text, "", at)
            yield from self.named(piece.text, at)
        elif piece.kind == "command":
            yield from self.command(piece)
        elif piece.text == "{":
            yield Token("operator", "(", at)
            yield from self.until("}", piece)
            yield Token("operator", ")", at)
        elif piece.text == "^":
            yield Token("power", "^", at)
            yield from self.argument("an exponent")
        elif piece.text == "|":
            yield from self.bar(at)
        elif piece.text in "=<>":
            yield from self.relation(piece)
        elif piece.text in "+-*/()[],":
            yield Token("operator", piece.text, at)
        else:
            raise self.error("cannot read", piece.text, at)

    def relation(self, piece: Token) -> Iterator[Token]:
        following = self.pieces[self.next].text if self.next < len(self.pieces) else ""
        if piece.text in "<>" and following == "=":
            self.next += 1
            yield Token("relation", piece.text + "=", piece.position)
        elif piece.text == "=":
            self.next += following == "="
            yield Token("relation", "==", piece.position)
        else:
            yield Token("relation", piece.text, piece.position)

    def bar(self, at: int) -> Iterator[Token]:
        if self.open_bars:
            self.open_bars -= 1
            yield Token("operator", ")", at)
        else:
            self.open_bars += 1
            yield Token("name", "abs", at)
            yield Token("operator", "(", at)

    def until(self, closing: str, opening: Token) -> Iterator[Token]:
        while True:
            piece = self.peek()
            if piece is None:
                raise self.error("never closed:", opening.text, opening.position)
            if piece.text == closing:
                self.next += 1
                return
            yield from self.item()

    def argument(self, what: str) -> Iterator[Token]:
        """A group in braces, or one piece, as a parenthesised group."""
        piece = self.take(what)
        yield Token("operator", "(", piece.position)
        if piece.text == "{":
            yield from self.until("}", piece)
        elif piece.kind == "number" and len(piece.text) > 1 and "." not in piece.text:
            # \frac12 and x^12: one digit is the argument, the rest follows
            yield Token("number", piece.text[0], piece.position)
            self.next -= 1
            self.pieces[self.next] = Token("number", piece.text[1:], piece.position + 1)
        elif piece.text == "-":
            raise self.error("braces are expected around", piece.text, piece.position)
        else:
            self.next -= 1
            with self.deeper():
                yield from self.bare()
        yield Token("operator", ")", piece.position)

    def bare(self) -> Iterator[Token]:
        """One undecorated letter or command."""
        piece = self.take("a value")
        if piece.kind == "letter":
            self.one_face(piece.text, "", piece.position)
            yield Token("name", piece.text, piece.position)
        elif piece.kind == "number":
            yield Token("number", piece.text, piece.position)
        elif piece.kind == "command":
            yield from self.command(piece)
        else:
            raise self.error("cannot read", piece.text, piece.position)

    # -- commands --------------------------------------------------------------------------------------------------

    def command(self, piece: Token) -> Iterator[Token]:
        name, at = piece.text[1:], piece.position
        if name == "Delta" and (letter := self.peek()) is not None and letter.kind == "letter":
            self.next += 1
            yield from self.named(f"Delta_{letter.text}", at)
        elif name in GREEK:
            yield from self.named(name.removeprefix("var"), at)
        elif name == "partial":
            yield Token("name", name, at)
        elif name in FUNCTIONS:
            yield from self.function(FUNCTIONS[name], at)
        elif name in FRACTIONS:
            yield Token("operator", "(", at)
            yield from self.argument("a numerator")
            yield Token("operator", "/", at)
            yield from self.argument("a denominator")
            yield Token("operator", ")", at)
        elif name == "sqrt":
            yield from self.root(at)
        elif name in FONTS:
            letters = self.plain_text(piece)
            self.one_face(letters, "" if name in UPRIGHT else name, at)
            yield from self.named(letters, at)
        elif name in ACCENTS:
            letters = self.plain_text(piece)
            if letters != "L":
                rest = f": {letters} with an accent is another quantity than {letters}"
                raise ParseError.at(self.text, at, f"cannot read {piece.text!r}", rest)
            self.one_face(letters, name, at)  # a loss that is fitted or predicted is the law itself
            yield from self.named(letters, at)
        elif name in TIMES:
            yield Token("operator", "*", at)
        elif name in RELATIONS:
            yield Token("relation", RELATIONS[name], at)
        elif name in DELIMITERS:
            yield Token("operator", DELIMITERS[name], at)
        elif name in ("lvert", "rvert", "vert"):
            yield from self.bar(at)
        elif name == "infty":
            yield Token("name", "oo", at)
        elif name in ("ell", "max", "min"):
            yield from self.named(name, at)
        else:
            raise self.error("cannot read", piece.text, at)

    def one_face(self, letters: str, face: str, at: int) -> None:
        """A formula that has a letter in two faces, as in `\\mathcal{N} = N` or `\\hat L = L`,
        means two quantities.
        """
        if self.faces.setdefault(letters, face) != face:
            rest = f": it stands in two faces, so that it means two quantities; only one {letters} can be read"
            raise ParseError.at(self.text, at, f"ambiguous {letters!r}", rest)

    def root(self, at: int) -> Iterator[Token]:
        degree: list[Token] = [Token("number", "2", at)]
        piece = self.peek()
        if piece is not None and piece.text == "[":
            self.next += 1
            degree = list(self.until("]", piece))
        yield Token("operator", "(", at)
        yield from self.argument("a radicand")
        yield Token("power", "^", at)
        yield Token("operator", "(", at)
        yield Token("number", "1", at)
        yield Token("operator", "/", at)
        yield Token("operator", "(", at)
        yield from degree
        for _ in range(3):
            yield Token("operator", ")", at)

    def function(self, name: str, at: int) -> Iterator[Token]:
        """`\\log x`, `\\log(x)`, `\\log^2 x`: without parentheses the argument is the next factor
        with its power.
        """
        exponent: list[Token] = []
        piece = self.peek()
        if piece is not None and piece.text == "^":
            self.next += 1
            exponent = list(self.argument("an exponent"))
            yield Token("operator", "(", at)
        yield Token("name", name, at)
        piece = self.peek()
        opens = piece is not None and (piece.text in "([" or piece.text in ("\\{", "\\lbrace"))
        if opens and piece is not None:
            closing = {"(": ")", "[": "]"}.get(piece.text, "\\}")
            self.next += 1
            yield Token("operator", "(", piece.position)
            yield from self.balanced(closing, piece)
            yield Token("operator", ")", piece.position)
        else:
            yield Token("operator", "(", at)
            yield from self.only_factor(name)
            yield Token("operator", ")", at)
        if exponent:
            yield Token("operator", ")", at)
            yield Token("power", "^", at)
            yield from exponent

    def only_factor(self, name: str) -> Iterator[Token]:
        """The next factor with its power; in `\\log N^*(C)` with its arguments. What else may
        belong to it is refused.
        """
        *before, last = self.item()
        yield from (*before, last)
        piece = self.peek()
        if piece is not None and piece.text == "^":
            yield from self.item()
            piece = self.peek()
        if piece is not None and piece.text == "(" and last.kind == "name" and last.text in APPLIED:
            self.next += 1
            yield Token("operator", "(", piece.position)
            yield from self.balanced(")", piece)
            yield Token("operator", ")", piece.position)
            piece = self.peek()
        command = piece.text[1:] if piece is not None and piece.kind == "command" else ""
        after = (
            self.pieces[self.next + 1].text[1:]
            if piece is not None and self.next + 1 < len(self.pieces)
            else ""
        )
        if piece is not None and piece.text == "/" and after not in FUNCTIONS:
            raise self.error(
                f"parentheses are expected around the argument of {name} before",
                piece.text,
                piece.position,
            )
        if piece is not None and (
            piece.kind in ("letter", "number")
            or piece.text in "([{"
            or command in {*GREEK, *FONTS, *FRACTIONS}
        ):
            raise self.error(
                f"parentheses are expected around the argument of {name} before",
                piece.text,
                piece.position,
            )

    def balanced(self, closing: str, opening: Token) -> Iterator[Token]:
        depth = 0
        while True:
            piece = self.peek()
            if piece is None:
                raise self.error("never closed:", opening.text, opening.position)
            if piece.text == closing and depth == 0:
                self.next += 1
                return
            depth += piece.text == opening.text
            depth -= piece.text == closing
            yield from self.item()

    # -- names -----------------------------------------------------------------------------------------------------

    def named(self, base: str, at: int) -> Iterator[Token]:
        """A symbol with its subscript and star; `e^{...}` is the exponential."""
        name = base
        while (piece := self.peek()) is not None:
            if piece.text == "_" or (piece.text == "^" and self.star_follows()):
                self.next += 1
                name = _joined(name, self.label())
            elif piece.text == "@":
                self.next += 1
                name = f"{name}_at_{self.label()}"
            else:
                break
        if name == "e" and piece is not None and piece.text == "^":
            self.next += 1
            yield Token("name", "exp", at)
            yield from self.argument("an exponent")
            return
        yield Token("name", name, at)

    def star_follows(self) -> bool:
        """Whether the superscript at hand is an ornament (a star, `opt`) and no exponent."""
        rest = [piece.text for piece in self.pieces[self.next + 1 : self.next + 12]]
        flat = "".join(rest)
        return bool(
            re.match(
                r"\{?(?:\*|\\star|\\ast|(?:\\(?:mathrm|text|textrm|operatorname)\{)?opt)\}*", flat
            )
        )

    def label(self) -> str:
        """The text of a subscript or an ornament."""
        piece = self.take("a subscript")
        if piece.text == "{":
            parts = []
            while (inner := self.take("a closing brace")).text != "}":
                parts.append(self.label_part(inner))
            return "".join(parts)
        return self.label_part(piece)

    def label_part(self, piece: Token) -> str:
        if piece.text in ("*", "\\star", "\\ast"):
            return "opt"
        if piece.kind == "command" and piece.text[1:] in FONTS:
            with self.deeper():
                return self.plain_text(piece)
        if piece.kind == "command" and piece.text[1:].isalpha():
            return piece.text[1:]
        if piece.kind in ("letter", "number"):
            return piece.text
        if piece.text == "{":
            self.next -= 1
            with self.deeper():
                return self.label()
        raise self.error("cannot read the subscript", piece.text, piece.position)

    def plain_text(self, command: Token) -> str:
        """The letters inside `\\mathrm{...}` and the like."""
        piece = self.take(f"an argument of {command.text}")
        if piece.text != "{":
            return self.label_part(piece)
        parts = []
        while (inner := self.take("a closing brace")).text != "}":
            if inner.kind == "command" and inner.text[1:] in GREEK:
                parts.append(inner.text[1:])
            elif inner.kind in ("letter", "number"):
                parts.append(inner.text)
            elif inner.kind == "command" and inner.text[1:] in FONTS:
                with self.deeper():
                    parts.append(self.plain_text(inner))
            elif inner.text != "-":
                raise self.error("cannot read", inner.text, inner.position)
        return "".join(parts)


def _joined(name: str, label: str) -> str:
    return name + label if label.isdigit() else f"{name}_{label}"
