r"""The LaTeX front end of the grammar: formulas as papers typeset them, to the tokens that `parse`
reads.

Tokens
    Of kind "number", "name", "operator", "power" and "relation", each with its place. Braces become
    parentheses; spacing, sizes and frames go. Of kind "mark" are `minimum` and `argmin`, with what
    is varied and under which budget in brackets behind them, and `evaluated`, with the values in
    brackets: `\left. f \right|_{r = 1}`. What cannot be read is an error with its place.

Relations
    `==` (`=`, `\equiv`, and what defines: `:=`, `\coloneqq`, `\triangleq`, `\overset{def}{=}`),
    `!=`, `<`, `<=`, `>`, `>=`, `->`, `~`, `propto`, `approx` (also `\simeq`), `implies` and `iff`.

Names
    A letter, a Greek letter by its name, or a word in double quotes (`\text{FLOPs}` is `"FLOPs"`),
    then, joined by underscores, its accents, indices, primes and stars in this order: `\alpha_N` is
    `alpha_N`, `N_{\text{eff}}` is `N_eff`, `R_D^*` is `R_D_star`, `D'` is `D_prime`, `\hat{N}_c` is
    `N_hat_c`, `\Delta C` is `Delta_C`; an index that is a number follows at once, `C_0` is `C0`. A
    star on N, D, L or R alone, and `opt` on any letter, is `_opt`: `N^*(C)` is `N_opt` at C.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .parse import (
    ACCENTS,
    AT,
    DEEPEST_NESTING,
    FUNCTIONS,
    GREEK,
    LONGEST_TEXT,
    OPTIMA,
    STAR,
    ParseError,
    Token,
)

RELATIONS = {
    "le": "<=", "leq": "<=", "leqslant": "<=", "leqq": "<=", "lt": "<",
    "ge": ">=", "geq": ">=", "geqslant": ">=", "geqq": ">=", "gt": ">",
    "equiv": "==", "triangleq": "==", "coloneqq": "==", "ne": "!=", "neq": "!=",
    "to": "->", "rightarrow": "->", "longrightarrow": "->", "sim": "~",
    "propto": "propto", "approx": "approx", "simeq": "approx",
    "implies": "implies", "Rightarrow": "implies", "Longrightarrow": "implies",
    "iff": "iff", "Leftrightarrow": "iff", "Longleftrightarrow": "iff",
}  # fmt: skip
APPLIED = {"log": "log", "ln": "log", "exp": "exp", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
           "arcosh": "acosh", "arccosh": "acosh", "acosh": "acosh", "arsinh": "asinh", "arcsinh": "asinh",
           "asinh": "asinh", "artanh": "atanh", "arctanh": "atanh", "atanh": "atanh",
           "log1p": "log1p", "expm1": "expm1"}  # fmt: skip
#: Commands for words between formulas, if these have spaces around them.
PROSE_FONTS = (r"\text", r"\textrm", r"\textnormal", r"\mbox")
FRACTIONS = {"frac", "tfrac", "dfrac", "cfrac", "nicefrac", "sfrac"}
#: Names of the law that take arguments.
WITH_ARGUMENTS = {*OPTIMA.values(), "L", "R", "T_N", "T_D", "P", "L_hat"}
TIMES = {"cdot", "times", "ast"}
SPACES = {
    "displaystyle", "textstyle", "scriptstyle", "quad", "qquad", "nonumber", "notag", "limits", "nolimits", "enspace",
    "thinspace", "medspace", "thickspace", "strut", "mathstrut", "negthinspace", "relax", "allowbreak", "nobreak",
    "therefore",
}  # fmt: skip
STARRED = {"operatorname", "hspace", "vspace", "tag"}  # commands that may have a star of their own
WITH_WIDTH = {
    "tag*",
    "hspace",
    "vspace",
    "phantom",
    "hphantom",
    "vphantom",
    "label",
    "tag",
    "mspace",
}
SIZES = {
    "left", "right", "middle", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "bigg", "Bigg", "biggl", "biggr", "Biggl",
    "Biggr", "bigm", "Bigm", "mathopen", "mathclose",
}  # fmt: skip
UPRIGHT = {
    "mathrm",
    "mathit",
    "text",
    "textrm",
    "textit",
    "textnormal",
    "operatorname",
    "mathop",
}  # what these set is the letter itself
SWITCHES = {"rm", "it", "bf", "sf", "tt"}  # fonts up to the end of a group
FONTS = {*UPRIGHT, "mathcal", "mathbf", "mathsf", "textsf", "textbf", "texttt", "mathtt", "boldsymbol", "bm",
         "mathfrak", "mathscr", "textsc"}  # fmt: skip
ACCENT_COMMANDS = {"widehat": "hat", "widetilde": "tilde", "overline": "bar", "underline": "underline"} | {
    accent: accent for accent in ACCENTS
}  # fmt: skip
STARS = {"*", r"\star", r"\ast"}
PRIME = "prime"
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
#: What an index may be beside letters, numbers and text.
INDEX_SYMBOLS = {*GREEK, "ell", "infty", "max", "min", "setminus", "backslash", "emptyset", "dagger", "parallel", "perp"}  # fmt: skip
#: Words that are prose, so that they are no names.
PROSE = {
    "and", "or", "if", "for", "where", "with", "when", "as", "at", "is", "otherwise", "else", "such", "that", "subject",
    "const", "constant", "constants", "so", "hence", "thus", "then", "all", "any", "iff", "const.", "given", "let",
}  # fmt: skip
#: Labels over a relation that make it a definition.
DEFINES = {"def", "def.", "definition", r"\triangle", r"\Delta", "define", "by def", "by definition"}  # fmt: skip
PLAIN_LABEL = re.compile(
    r"\\(?:text|textrm|mathrm)\{[^{}]*\}|\(?[0-9ivx]+\)?|\([a-z*]\)|!|\\eqref\{[^{}]*\}"
)
SUBJECT_TO = re.compile(
    r":|;|\||\\mid(?![A-Za-z])|\\colon(?![A-Za-z])|\\\\|\\(?:text|mathrm|textrm|mbox)\{\s*(?:s\.\s?t\.|subject\s+to|such\s+that|with|given)\s*"
    r"|s\.t\."
)
#: A measure at a number of samples inside of a font: `\\text{pass@}k`, `\\mathrm{pass@k}`.
MEASURE = re.compile(r"\{\s*([A-Za-z]+)\s*@\s*([A-Za-z]|[0-9]*)\s*\}")
LONGEST_SUM = 50
#: Indices in which no letter is an index of its own.
WORDS_OF_THREE = {
    "min",
    "max",
    "fit",
    "bin",
    "opt",
    "eff",
    "inf",
    "tot",
    "new",
    "old",
    "ref",
    "avg",
}

PIECE = re.compile(
    r"(?P<command>\\(?:[A-Za-z]+\*?|.))|(?P<number>(?:[0-9]+(?:\{,\}[0-9]{3})*\.?[0-9]*|\.[0-9]+))"
    r"|(?P<letter>[A-Za-z])|(?P<mark>[-+*/^_(){}\[\]=<>@&,;|!'.~:?])",
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
    def __init__(self, text: str, start: int = 0, stop: int | None = None) -> None:
        self.text = text
        self.pieces = list(self._pieces(start, len(text) if stop is None else stop))
        self.next = 0
        self.open_bars: list[int] = []
        self.depth = 0
        self.faces: dict[str, str] = {}

    def _pieces(self, position: int, stop: int) -> Iterator[Token]:
        while position < stop:
            if self.text[position].isspace():
                position += 1
                continue
            if self.text[position] == "%":
                position = (self.text + "\n").index("\n", position)
                continue
            match = PIECE.match(self.text, position, stop)
            if match is None:
                raise self.error("cannot read", self.text[position], position)
            text = match.group()
            if match["command"] and text[-1] == "*" and len(text) > 2 and text[1:-1] not in STARRED:
                text = text[:-1]
            yield Token(str(match.lastgroup), text, position)
            position += len(text)

    def error(self, what: str, piece: str, position: int, rest: str = "") -> ParseError:
        return ParseError.at(self.text, position, f"{what} {piece!r}", rest)

    # -- reading ---------------------------------------------------------------------------------------------------

    def peek(self) -> Token | None:
        self._skip_ignored()
        return self.pieces[self.next] if self.next < len(self.pieces) else None

    def ahead(self, number: int = 1) -> str:
        """The text of a later piece."""
        at = self.next + number
        return self.pieces[at].text if at < len(self.pieces) else ""

    def _skip_ignored(self) -> None:
        while self.next < len(self.pieces):
            piece = self.pieces[self.next]
            command = piece.text[1:] if piece.kind == "command" else ""
            after = self.ahead()
            if command == "left" and after == "." and self._is_evaluation():
                return
            if command in ("left", "right", "middle") and after == ".":
                self.next += 2
            elif command in SIZES and after not in ("|", r"\vert", r"\lvert", r"\rvert"):
                self.next += 1
            elif command in WITH_WIDTH or command in ("hspace*", "vspace*"):
                self.next += 1
                self._skip_group()
            elif (
                command in SPACES
                or (command and command in ",;:! \\>")
                or piece.text in ("~", "&")
                or (piece.text == "{" and after == "}")
            ):
                self.next += 1 + (piece.text == "{")
            else:
                return

    def _skip_group(self) -> None:
        if self.next < len(self.pieces) and self.pieces[self.next].text == "{":
            self.next = self._closing(self.next) + 1

    def _closing(self, opening: int) -> int:
        """The index of the brace that closes one."""
        depth = 0
        for index in range(opening, len(self.pieces)):
            depth += {"{": 1, "}": -1}.get(self.pieces[index].text, 0)
            if depth == 0:
                return index
        piece = self.pieces[opening]
        raise self.error("never closed:", piece.text, piece.position)

    def _matching_right(self) -> int | None:
        """The index of the `\\right` of the `\\left` at hand."""
        depth = 0
        for index in range(self.next, len(self.pieces)):
            depth += {r"\left": 1, r"\right": -1}.get(self.pieces[index].text, 0)
            if depth == 0:
                return index
        return None

    def _is_evaluation(self) -> bool:
        """Whether `\\left.` belongs to a `\\right|`."""
        right = self._matching_right()
        after = self.pieces[right + 1 :][:1] if right is not None else []
        return bool(after) and after[0].text in ("|", r"\vert", r"\rvert")

    def take(self, what: str) -> Token:
        piece = self.peek()
        if piece is None:
            raise ParseError.at_end(self.text, what)
        self.next += 1
        return piece

    def everything(self) -> Iterator[Token]:
        tokens: list[Token] = []
        while (piece := self.peek()) is not None:
            if piece.text in (".", ",", ";") and self.next == len(self.pieces) - 1:
                break
            if piece.text == "}":
                raise self.error("unexpected", piece.text, piece.position)
            tokens += self.item(tokens)
        if self.open_bars:
            raise self.error("never closed:", "|", self.open_bars[-1])
        self._refuse_two_claims(tokens)
        yield from tokens

    def _refuse_two_claims(self, tokens: Sequence[Token]) -> None:
        """`a = b \\quad c = d` are two claims, and no product of b and c."""
        relations = [token.position for token in tokens if token.kind == "relation"]
        for piece in self.pieces:
            at = piece.position
            if piece.text not in (r"\quad", r"\qquad") or not relations:
                continue
            before = [token for token in tokens if token.position < at][-1:]
            after = [token for token in tokens if token.position > at][:1]
            joined = any(t.kind == "relation" or t.text in "+-*/," for t in (*before, *after))
            if before and after and not joined and relations[0] < at < relations[-1]:
                raise self.error("two claims stand beside", piece.text, at)

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

    def item(self, before: Sequence[Token] = ()) -> list[Token]:
        """The tokens of the next piece with its arguments and decorations, `before` being those of
        its group that come first.
        """
        with self.deeper():
            return list(self.any_item(before))

    def any_item(self, before: Sequence[Token]) -> Iterator[Token]:
        piece = self.take("a value")
        at = piece.position
        if piece.kind == "number":
            yield Token("number", piece.text.replace("{,}", ""), at)
            self._refuse_unit()
        elif piece.kind == "letter":
            self.one_face(piece.text, "", at)
            yield from self.named(piece.text, at)
        elif piece.text in (r"\left", r"\right", r"\middle") or piece.text[1:] in SIZES:
            yield from self.sized(piece, before)
        elif piece.kind == "command":
            yield from self.command(piece, before)
        elif piece.text == "{":
            yield from self.braced(piece)
        elif piece.text == "^":
            yield Token("power", "^", at)
            yield from self.argument("an exponent")
        elif piece.text == "|":
            yield from self.bar(piece, before)
        elif piece.text in "=<>" or (piece.text == ":" and self.ahead(0) == "="):
            yield from self.relation(piece)
        elif piece.text in "+-*/()[],":
            yield Token("operator", piece.text, at)
        elif piece.text == "_" and before and before[-1].text == ")":
            yield from self.evaluated(piece)
        elif (
            piece.text == "!" and before and self.ends_a_value(before[-1]) and self.ahead(0) != "!"
        ):
            yield Token("mark", "factorial", at)
        else:
            raise self.error("cannot read", piece.text, at)

    @staticmethod
    def ends_a_value(token: Token) -> bool:
        """Whether a factorial sign may follow."""
        return token.kind in ("number", "name") or token.text == ")"

    def relation(self, piece: Token) -> Iterator[Token]:
        following = self.pieces[self.next].text if self.next < len(self.pieces) else ""
        if piece.text == ":":
            self.next += 1
            yield Token("relation", "==", piece.position + 1)
        elif piece.text in "<>" and following == "=":
            self.next += 1
            yield Token("relation", piece.text + "=", piece.position)
        elif piece.text == "=":
            self.next += following == "="
            yield Token("relation", "==", piece.position)
        else:
            yield Token("relation", piece.text, piece.position)

    def _refuse_unit(self) -> None:
        """`20\\,\\text{tokens}` and `7\\mathrm{B}` have a unit, and no factor."""
        piece = self.peek()
        command = piece.text[1:] if piece is not None and piece.kind == "command" else ""
        if piece is not None and command in UPRIGHT - {"operatorname", "mathop"}:
            start, position = self.next, piece.position
            self.next += 1
            following = self.pieces[self.next : self.next + 1]
            is_measure = bool(following and MEASURE.match(self.text, following[0].position))
            word = "" if is_measure else self._label_of_font(piece)
            is_measure = is_measure or self.ahead(0) == "@"
            self.next = start
            if word and not is_measure and word != "e" and word not in {*APPLIED, "min", "max"}:
                rest = f": a number is followed by {word!r}, which may be a unit; write \\cdot before a factor"
                raise self.error("cannot read", piece.text, position, rest)

    # -- groups ----------------------------------------------------------------------------------------------------

    def sized(self, piece: Token, before: Sequence[Token]) -> Iterator[Token]:
        """A bar or an invisible delimiter behind `\\left`, `\\right`, `\\big`."""
        command = piece.text[1:]
        if command == "left" and self.ahead(0) == ".":
            self.next -= 1
            closing = self._matching_right()
            if closing is None:
                raise self.error("never closed:", piece.text, piece.position)
            self.next += 2
            yield Token("operator", "(", piece.position)
            inside: list[Token] = []
            while self.next < closing:
                inside += self.item(inside)
                self._skip_ignored_but_right()
            yield from inside
            yield Token("operator", ")", piece.position)
            self.next += 2
            lower = self.peek()
            if lower is None or lower.text != "_":
                raise self.error("a value is expected below", r"\right|", piece.position)
            self.next += 1
            yield from self.evaluated(lower)
            return
        bar = self.take("a delimiter")
        if bar.text not in ("|", r"\vert", r"\lvert", r"\rvert"):
            raise self.error("cannot read", piece.text, piece.position)
        way = {"left": "open", "right": "close"}.get(command) or (
            "open" if command[-1] == "l" else "close" if command[-1] == "r" else ""
        )
        yield from self.bar(bar, before, way)

    def _skip_ignored_but_right(self) -> None:
        while self.ahead(0) != r"\right" and self.next < len(self.pieces):
            start = self.next
            piece = self.pieces[self.next]
            command = piece.text[1:] if piece.kind == "command" else ""
            if command in SPACES or (command and command in ",;:! \\>") or piece.text in ("~", "&"):
                self.next += 1
            if self.next == start:
                return

    def bar(self, piece: Token, before: Sequence[Token], way: str = "") -> Iterator[Token]:
        """An absolute value, or the bar before what a value is taken at."""
        at = piece.position
        way = way or {r"\lvert": "open", r"\rvert": "close"}.get(piece.text, "")
        following = self.peek()
        if following is not None and following.text == "_" and not self.open_bars:
            self.next += 1
            self._refuse_unclear_extent(before, piece)
            yield from self.evaluated(following)
        elif self.open_bars and way != "open" and (way or not _opens(before)):
            self.open_bars.pop()
            yield Token("operator", ")", at)
        elif way == "close":
            raise self.error("never opened:", piece.text, at)
        else:
            self.open_bars.append(at)
            yield Token("name", "abs", at)
            yield Token("operator", "(", at)

    def _refuse_unclear_extent(self, before: Sequence[Token], piece: Token) -> None:
        """`f |_{r=1}` is read where f is one group in parentheses, or a fraction, alone in its
        term.
        """
        depth = start = 0
        for start in range(len(before) - 1, -1, -1):
            depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(before[start].text, 0)
            if depth == 0:
                break
        applied = start > 0 and before[start - 1].text in WITH_ARGUMENTS
        start -= applied
        alone = start == 0 or before[start - 1].text in {"+", "-", "(", "[", ","} | {
            token.text for token in before if token.kind == "relation"
        }
        if not before or before[-1].text not in (")", "]") or depth or not alone:
            rest = ": what is evaluated is expected in parentheses, or between \\left. and \\right|"
            raise self.error("ambiguous", piece.text, piece.position, rest)

    def evaluated(self, lower: Token) -> Iterator[Token]:
        """What stands below the bar: `_{N = N^*, D = D^*}`, `_{N^*}`, `_D`."""
        tokens = self.group_tokens("a value")
        yield Token("mark", "evaluated", lower.position)
        yield Token("operator", "[", lower.position)
        if [token.text for token in tokens] in (['"opt"'], ["*"]):
            tokens = [Token("mark", "*", lower.position)]
        for token in tokens:
            if token.kind == "relation" and token.text not in ("==", "->"):
                raise self.error("cannot read", token.text, token.position)
            is_relation = token.kind == "relation"
            yield Token("operator", "=", token.position) if is_relation else token
        yield Token("operator", "]", lower.position)

    def group_tokens(self, what: str) -> list[Token]:
        """The tokens of a group in braces, or of one piece."""
        piece = self.take(what)
        if piece.text == "{":
            return list(self.until("}", piece))
        self.next -= 1
        with self.deeper():
            return list(self.bare())

    def braced(self, opening: Token) -> Iterator[Token]:
        """A group in braces; a name alone in it may have ornaments behind it: `{N_c}^*`."""
        index = self.next - 1
        if (first := self.peek()) is not None and first.text[1:] in SWITCHES:
            closing = self._closing(index)
            word = self.text[first.position + len(first.text) : self.pieces[closing].position]
            if not re.fullmatch(r"\s*[A-Za-z]+\s*", word):
                raise self.error("cannot read", first.text, first.position)
            self.next = closing + 1
            name = word.strip() if len(word.strip()) == 1 else f'"{word.strip()}"'
            yield from self.named(name, first.position)
            return
        inside = list(self.until("}", opening))
        if len(inside) == 1 and inside[0].kind == "name":
            piece = self.peek()
            if piece is not None and (piece.text in "_'" or self.ornament_follows()):
                yield from self.named(inside[0].text, inside[0].position)
                return
        yield Token("operator", "(", opening.position)
        yield from inside
        yield Token("operator", ")", opening.position)

    def until(self, closing: str, opening: Token) -> Iterator[Token]:
        tokens: list[Token] = []
        bars, self.open_bars = self.open_bars, []
        while True:
            piece = self.peek()
            if piece is None:
                raise self.error("never closed:", opening.text, opening.position)
            if piece.text == closing:
                self.next += 1
                break
            if piece.text == r"\over" and closing == "}":
                self.next += 1
                below = list(self.until("}", opening))
                at = piece.position
                tokens = [
                    Token("operator", "(", at), *tokens, Token("operator", ")", at), Token("operator", "/", at),
                    Token("operator", "(", at), *below, Token("operator", ")", at),
                ]  # fmt: skip
                break
            tokens += self.item(tokens)
        if self.open_bars:
            raise self.error("never closed:", "|", self.open_bars[-1])
        self.open_bars = bars
        yield from tokens

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
            yield from self.command(piece, ())
        else:
            raise self.error("cannot read", piece.text, piece.position)

    # -- commands --------------------------------------------------------------------------------------------------

    def command(self, piece: Token, before: Sequence[Token]) -> Iterator[Token]:
        name, at = piece.text[1:], piece.position
        if name == "Delta":
            yield from self.difference(at)
        elif name == "varphi" and self.ahead(0) == "_" and self.ahead() in ("2", "{"):
            yield from self.named("phi", at)
        elif name in GREEK or name.removeprefix("var") in GREEK:
            yield from self.named(name.removeprefix("var"), at)
        elif name == "partial":
            yield from self.differential(at)
        elif name in APPLIED:
            yield from self.function(name, at)
        elif name in FRACTIONS:
            yield Token("operator", "(", at)
            yield from self.argument("a numerator")
            yield Token("operator", "/", at)
            yield from self.argument("a denominator")
            yield Token("operator", ")", at)
        elif name == "sqrt":
            yield from self.root(at)
        elif name in FONTS or name == "operatorname*":
            yield from self.in_a_font(piece)
        elif name in ACCENT_COMMANDS:
            yield from self.accented(piece)
        elif name in TIMES:
            yield Token("operator", "*", at)
        elif name in RELATIONS:
            yield Token("relation", RELATIONS[name], at)
        elif name == "colon" and self.ahead(0) == "=":
            yield from self.relation(Token("mark", ":", at))
        elif name in DELIMITERS:
            yield Token("operator", DELIMITERS[name], at)
        elif name in ("lvert", "rvert", "vert"):
            yield from self.bar(piece, before)
        elif name == "infty":
            yield Token("name", "oo", at)
        elif name == "ell":
            yield from self.named(name, at)
        elif name in ("max", "min", "arg", "argmin"):
            yield from self.extremum(name, at)
        elif name in ("sum", "prod"):
            yield from self.series(name, at)
        elif name in ("underbrace", "overbrace"):
            yield from self.argument("what is under the brace")
            label = self.peek()
            if label is not None and label.text in ("_", "^"):
                self.next += 1
                self.raw("a label")
        elif name in ("boxed", "fbox", "ensuremath", "mathrel", "mathbin", "textcolor"):
            yield from self.framed(piece)
        elif name in ("overset", "stackrel", "underset"):
            yield from self.labelled(name, at)
        elif name == "binom":
            yield from self.binomial(at)
        elif name in ("color", "colorbox"):
            self.raw("a colour")
        elif name == "lg":
            rest = ": its base may be 2 or 10; write \\log_{10}"
            raise self.error("ambiguous", piece.text, at, rest)
        else:
            raise self.error("cannot read", piece.text, at)

    def raw(self, what: str) -> str:
        """The source of a group in braces, or of one piece, unread."""
        piece = self.take(what)
        if piece.text != "{":
            return piece.text
        opening = self.next - 1
        closing = self._closing(opening)
        self.next = closing + 1
        return self.text[piece.position + 1 : self.pieces[closing].position].strip()

    def framed(self, piece: Token) -> Iterator[Token]:
        """What stands in a frame, which may be a whole equation."""
        if piece.text == r"\textcolor":
            self.raw("a colour")
        opening = self.take(f"an argument of {piece.text}")
        if opening.text != "{":
            raise self.error("braces are expected behind", piece.text, piece.position)
        inside = list(self.until("}", opening))
        loose = any(token.kind == "relation" for token in inside) or len(inside) == 1
        yield from (
            inside
            if loose
            else (
                Token("operator", "(", piece.position),
                *inside,
                Token("operator", ")", piece.position),
            )
        )

    def labelled(self, name: str, at: int) -> Iterator[Token]:
        """A relation with something above it, or `min` with its variables below."""
        label = self.raw("a label")
        if name == "underset":
            below = self.pieces[self.next - 1].position
            inside = _Translator(self.text, at + len(r"\underset"), below + 1)
            body = self.raw("an operator")
            found = re.fullmatch(r"(?:\\operatorname\*?\{)?\\?(arg)?(?:\\[,! ]|\s)*\\?(min|max)\}?", body)  # fmt: skip
            if found is None:
                raise self.error("cannot read", r"\underset", at)
            yield from self.optimum_of((found[1] or "") + found[2], at, inside)
            return
        inside_tokens = self.group_tokens("a relation")
        word = re.sub(
            r"\\(?:text|mathrm|textrm|rm|textit|mathsf|tiny|scriptsize)\b|[{}]", "", label
        )
        defines = (
            word.strip().lower() in {mark.lower() for mark in DEFINES} or word.strip() in DEFINES
        )
        if len(inside_tokens) != 1 or inside_tokens[0].kind != "relation":
            raise self.error("cannot read", rf"\{name}", at)
        if not defines and not PLAIN_LABEL.fullmatch(label):
            rest = f": what {label!r} over a relation says is not understood"
            raise self.error("cannot read", rf"\{name}", at, rest)
        yield Token("relation", inside_tokens[0].text, at)

    def binomial(self, at: int) -> Iterator[Token]:
        """n choose k, as a function of two values."""
        top, bottom = list(self.argument("a number")), list(self.argument("a number"))
        yield Token("name", "binom", at)
        yield Token("operator", "(", at)
        yield from top
        yield Token("operator", ",", at)
        yield from bottom
        yield Token("operator", ")", at)

    def one_face(self, letters: str, face: str, at: int) -> None:
        """A formula that has a letter in two faces, as in `\\mathcal{N} = N`, means two
        quantities.
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

    # -- functions -------------------------------------------------------------------------------------------------

    def function(self, written: str, at: int) -> Iterator[Token]:
        """`\\log x`, `\\log(x)`, `\\log^2 x`, `\\log_{10} x`: without parentheses the argument is
        the next factor with its power.
        """
        name = APPLIED[written]
        base: list[Token] = []
        exponent: list[Token] = []
        while (piece := self.peek()) is not None and piece.text in ("^", "_"):
            if piece.text == "_" and (written != "log" or base):
                raise self.error("cannot read", piece.text, piece.position)
            if piece.text == "^" and exponent:
                raise self.error("cannot read", piece.text, piece.position)
            self.next += 1
            if piece.text == "_":
                base = self.whole_argument("a base")
            else:
                exponent = self.whole_argument("an exponent")
        if len(exponent) == 4 and [t.text for t in exponent[1:3]] == ["-", "1"] and name != "log":
            rest = ": it may be the inverse function or 1 over the function"
            raise self.error("ambiguous", rf"\{written}^{{-1}}", at, rest)
        if exponent:
            yield Token("operator", "(", at)
        if base:
            yield Token("operator", "(", at)
        yield Token("name", name, at)
        yield from self.function_argument(name, at)
        if base:
            yield Token("operator", "/", at)
            yield Token("name", "log", at)
            yield from base
            yield Token("operator", ")", at)
        if exponent:
            yield Token("operator", ")", at)
            yield Token("power", "^", at)
            yield from exponent

    def whole_argument(self, what: str) -> list[Token]:
        """An argument, where two digits are one number: `\\log_{10}`, but `\\log_10` is refused."""
        piece = self.peek()
        if piece is not None and piece.kind == "number" and len(piece.text) > 1:
            raise self.error("braces are expected around", piece.text, piece.position)
        return list(self.argument(what))

    def function_argument(self, name: str, at: int) -> Iterator[Token]:
        piece = self.peek()
        opens = piece is not None and (
            piece.text in ("(", "[", "{") or piece.text in ("\\{", "\\lbrace")
        )
        if opens and piece is not None and not (piece.text == "{" and self._group_goes_on()):
            closing = {"(": ")", "[": "]", "{": "}"}.get(piece.text, "\\}")
            self.next += 1
            yield Token("operator", "(", piece.position)
            yield from (self.until if piece.text == "{" else self.balanced)(closing, piece)
            yield Token("operator", ")", piece.position)
            after = self.peek()
            if after is not None and after.text == "^":
                raise self.error(
                    f"parentheses are expected around {name}(...) or its argument before",
                    after.text,
                    after.position,
                )
        else:
            yield Token("operator", "(", at)
            yield from self.only_factor(name)
            yield Token("operator", ")", at)

    def _group_goes_on(self) -> bool:
        """Whether the group in braces at hand is decorated or raised."""
        after = self.pieces[self._closing(self.next) + 1 :][:1]
        return bool(after) and after[0].text in ("^", "_", "'")

    def only_factor(self, name: str) -> Iterator[Token]:
        """The next factor with its power; in `\\log N^*(C)` with its arguments. What else may
        belong to it is refused.
        """
        first = self.peek()
        if first is not None and first.text in "+-":
            raise self.error("braces are expected around", first.text, first.position)
        *before, last = self.item()
        yield from (*before, last)
        piece = self.peek()
        if piece is not None and piece.text == "^":
            yield from self.item()
            piece = self.peek()
        if (
            piece is not None
            and piece.text == "("
            and last.kind == "name"
            and last.text in WITH_ARGUMENTS
        ):
            self.next += 1
            yield Token("operator", "(", piece.position)
            yield from self.balanced(")", piece)
            yield Token("operator", ")", piece.position)
            piece = self.peek()
        command = piece.text[1:] if piece is not None and piece.kind == "command" else ""
        after = self.ahead().removeprefix("\\")
        goes_on = piece is not None and (
            piece.kind in ("letter", "number")
            or piece.text in ("(", "[", "{", r"\{", r"\left")
            or command in {*GREEK, *FONTS, *FRACTIONS, *ACCENT_COMMANDS, "ell", "sqrt"}
            or command.removeprefix("var") in GREEK
            or (piece.text == "/" and after not in APPLIED)
        )
        if piece is not None and goes_on:
            raise self.error(
                f"parentheses are expected around the argument of {name} before",
                piece.text,
                piece.position,
            )

    def balanced(self, closing: str, opening: Token) -> Iterator[Token]:
        depth = 0
        tokens: list[Token] = []
        while True:
            piece = self.peek()
            if piece is None:
                raise self.error("never closed:", opening.text, opening.position)
            if piece.text == closing and depth == 0:
                self.next += 1
                yield from tokens
                return
            depth += piece.text == opening.text
            depth -= piece.text == closing
            tokens += self.item(tokens)

    def differential(self, at: int) -> Iterator[Token]:
        """A `\\partial`; with an index, `\\partial_N L`, it is the operator d/dN."""
        piece = self.peek()
        if piece is None or piece.text != "_":
            yield Token("name", "partial", at)
            return
        self.next += 1
        variables = [token for token in self.group_tokens("a variable") if token.text != ","]
        if not variables or any(token.kind != "name" for token in variables):
            raise self.error("cannot read", r"\partial", at, ": letters are expected below it")
        power = self.peek()
        order: list[Token] = []
        if power is not None and power.text == "^":
            self.next += 1
            order = self.whole_argument("an order")
            if len(variables) > 1:
                raise self.error("cannot read", "^", power.position)
        times = [Token("power", "^", at)]
        yield Token("name", "partial", at)
        if len(variables) > 1:
            yield from (*times, Token("number", str(len(variables)), at))
        elif order:
            yield from (*times, *order[1:-1])
        yield Token("operator", "/", at)
        yield Token("operator", "(", at)
        for variable in variables:
            yield from (Token("name", "partial", at), variable)
        if order:
            yield from (*times, *order[1:-1])
        yield Token("operator", ")", at)

    # -- optima and sums ---------------------------------------------------------------------------------------------

    def extremum(self, name: str, at: int) -> Iterator[Token]:
        """`\\max(a, b)`; `\\min_{N, D} L(N, D)`; `\\arg\\min_{N, D : 6ND = C} L(N, D)`."""
        if name == "arg":
            operator = self.take("min")
            if operator.text not in (r"\min", r"\max"):
                raise self.error("cannot read", r"\arg", at)
            name = "arg" + operator.text[1:]
        piece = self.peek()
        if piece is not None and piece.text == "_":
            self.next += 1
            opening = self.pieces[self.next] if self.next < len(self.pieces) else piece
            self.raw("a variable")
            inside = _Translator(
                self.text,
                opening.position,
                self.pieces[self.next - 1].position + len(self.pieces[self.next - 1].text),
            )
            yield from self.optimum_of(name, at, inside)
        elif name in ("argmin", "argmax"):
            raise self.error("variables are expected below", rf"\{name}", at)
        else:
            if piece is None or piece.text not in ("(", "[", r"\{", r"\lbrace"):
                raise self.error("parentheses are expected behind", rf"\{name}", at)
            closing = {"(": ")", "[": "]"}.get(piece.text, r"\}")
            self.next += 1
            yield Token("name", name, at)
            yield Token("operator", "(", piece.position)
            yield from self.balanced(closing, piece)
            yield Token("operator", ")", piece.position)

    def optimum_of(self, name: str, at: int, below: _Translator) -> Iterator[Token]:
        """What is varied, and under which budget, and the one factor that is minimised."""
        if name not in ("min", "argmin"):
            raise self.error("cannot read", rf"\{name}", at, ": only a least loss has a meaning")
        start, stop = (
            below.pieces[0].position,
            below.pieces[-1].position + len(below.pieces[-1].text),
        )
        source = self.text[start:stop]
        split = SUBJECT_TO.search(source)
        middle = start + split.start() if split is not None else stop
        opened = source.startswith("{")
        substack = re.match(r"\{\s*\\substack\s*\{", source)
        inner = start + (substack.end() if substack is not None else opened)
        variables = _Translator(self.text, inner, middle if split is not None else stop - opened)
        yield Token("mark", "argmin" if name == "argmin" else "minimum", at)
        yield Token("operator", "[", at)
        yield from variables.everything()
        if split is not None:
            yield Token("mark", "under", middle)
            yield from self._constraint(start + split.end(), stop - opened - (substack is not None))
        yield Token("operator", "]", at)
        yield Token("operator", "(", at)
        yield from self._objective(name)
        yield Token("operator", ")", at)

    def _constraint(self, start: int, stop: int) -> Iterator[Token]:
        """`6ND = C`, also `\\text{s.t. FLOPs}(N, D) = C`, in which the budget is named alone."""
        if self.text[start:stop].count("}") > self.text[start:stop].count("{"):
            start, word = (
                self.text.index("}", start) + 1,
                self.text[start : self.text.index("}", start)],
            )
            if word.strip():
                yield Token("name", f'"{word.strip()}"', start)
        for token in _Translator(self.text, start, stop).everything():
            is_relation = token.kind == "relation"
            yield Token("mark", token.text, token.position) if is_relation else token

    def _objective(self, name: str) -> Iterator[Token]:
        tokens: list[Token] = []
        depth = 0
        while (piece := self.peek()) is not None:
            closes = piece.text in (")", "]", "}", r"\}") and depth == 0
            if closes or self._is_relation(piece) or (piece.text == "," and depth == 0):
                break
            if piece.text in ("+", "-") and depth == 0:
                rest = f": parentheses are expected around what \\{name} is of"
                raise self.error("ambiguous", piece.text, piece.position, rest)
            depth += piece.text in ("(", "[", r"\{")
            depth -= piece.text in (")", "]", r"\}")
            tokens += self.item(tokens)
        if not tokens:
            raise ParseError.at_end(self.text, "what is minimised")
        yield from tokens

    @staticmethod
    def _is_relation(piece: Token) -> bool:
        return piece.text in ("=", "<", ">", ":") or (
            piece.kind == "command"
            and piece.text[1:] in {*RELATIONS, "overset", "stackrel", "colon"}
        )

    def series(self, name: str, at: int) -> Iterator[Token]:
        """A sum or a product over an index with numbers for bounds, written out."""
        bounds: dict[str, str] = {}
        while (piece := self.peek()) is not None and piece.text in ("_", "^") and len(bounds) < 2:
            self.next += 1
            bounds[piece.text] = self.raw("a bound")
        lower = re.fullmatch(r"([a-zA-Z])\s*=\s*([0-9]+)", bounds.get("_", ""))
        upper = re.fullmatch(r"[0-9]+", bounds.get("^", ""))
        both = re.fullmatch(
            r"([a-zA-Z])\s*\\in\s*\\\{\s*([0-9]+(?:\s*,\s*[0-9]+)*)\s*\\\}", bounds.get("_", "")
        )
        if lower is not None and upper is not None:
            index = lower[1]
            count = int(upper[0]) - int(lower[2]) + 1
            if not 0 < count <= LONGEST_SUM:
                raise self.error(
                    "cannot read",
                    rf"\{name}",
                    at,
                    f": of {count} terms; 1 to {LONGEST_SUM} are read",
                )
            values = [str(value) for value in range(int(lower[2]), int(upper[0]) + 1)]
        elif both is not None and "^" not in bounds:
            index, values = both[1], [value.strip() for value in both[2].split(",")]
        else:
            rest = ": its bounds are no numbers; write out its terms"
            raise self.error("cannot read", rf"\{name}", at, rest)
        body = self.term(index, name)
        for token in body:
            for part in token.text.split("_")[1:] if token.kind == "name" else ():
                if index in part and 1 < len(part) < 4 and part not in WORDS_OF_THREE:
                    rest = (
                        f": whether {part!r} holds the index {index} is not clear; write {index},j"
                    )
                    raise self.error("ambiguous", token.text, token.position, rest)
        if index in FUNCTIONS or any(token.text == index == "e" for token in body):
            raise self.error("cannot read", rf"\{name}", at, f": {index} is no index")
        yield Token("operator", "(", at)
        for number, value in enumerate(values):
            if number:
                yield Token("operator", "+" if name == "sum" else "*", at)
            yield Token("operator", "(", at)
            for token in body:
                yield from _at_index(token, index, value)
            yield Token("operator", ")", at)
        yield Token("operator", ")", at)

    def term(self, index: str, name: str) -> list[Token]:
        """The factors up to the next sign, relation or end of the group; what comes behind must not
        have the index.
        """
        tokens: list[Token] = []
        depth = 0
        while (piece := self.peek()) is not None:
            closes = depth == 0 and (
                piece.text in (")", "]", "}", r"\}") or (piece.text == "|" and self.open_bars)
            )
            if closes or self._is_relation(piece) or (depth == 0 and piece.text in (",", ";")):
                break
            if depth == 0 and piece.text in ("+", "-") and tokens:
                break
            depth += piece.text in ("(", "[", r"\{")
            depth -= piece.text in (")", "]", r"\}")
            tokens += self.item(tokens)
        if not tokens:
            raise ParseError.at_end(self.text, f"a term of the {name}")
        start, faces = self.next, dict(self.faces)
        rest: list[Token] = []
        depth = 0
        while (piece := self.peek()) is not None and not self._is_relation(piece):
            depth += piece.text in ("(", "[", r"\{")
            depth -= piece.text in (")", "]", r"\}")
            if depth < 0 or piece.text == "}" or (piece.text == "|" and self.open_bars):
                break
            rest += self.item(rest)
        if any(_has_index(token, index) for token in rest):
            later = next(token for token in rest if _has_index(token, index))
            complaint = f": parentheses are expected around the terms of the {name}"
            raise self.error("ambiguous", later.text, later.position, complaint)
        self.next, self.faces = start, faces
        return tokens

    # -- names -----------------------------------------------------------------------------------------------------

    def difference(self, at: int) -> Iterator[Token]:
        """`\\Delta C` is one quantity."""
        piece = self.peek()
        greek = (
            piece.text[1:].removeprefix("var")
            if piece is not None and piece.kind == "command"
            else ""
        )
        if piece is not None and (piece.kind == "letter" or greek in GREEK):
            self.next += 1
            yield from self.named(f"Delta_{greek or piece.text}", at)
        elif piece is not None and piece.text in ("_", "^"):
            yield from self.named("Delta", at)
        else:
            rest = ": a letter is expected behind it"
            raise self.error("cannot read", r"\Delta", at, rest)

    def in_a_font(self, piece: Token) -> Iterator[Token]:
        """A letter, a word or the name of a function in a font."""
        at, font = piece.position, piece.text[1:].rstrip("*")
        opening = self.peek()
        measured = MEASURE.match(self.text, opening.position) if opening is not None else None
        if measured is not None:
            self.next = self._closing(self.next) + 1
            yield from self.at_samples(measured[1], at, measured[2])
            return
        if (
            opening is not None
            and opening.text == "{"
            and font not in ("text", "textrm", "operatorname")
        ):
            inside = self.pieces[self.next + 1 : self._closing(self.next)]
            if inside and inside[0].kind == "command" and inside[0].text[1:] not in FONTS:
                # \boldsymbol{\alpha}, \mathrm{\frac{1}{2}}: the font of a formula
                self.next += 1
                tokens = list(self.until("}", opening))
                if len(tokens) == 1 and tokens[0].kind == "name":
                    if font not in UPRIGHT:
                        self.one_face(tokens[0].text, font, at)
                    yield from self.named(tokens[0].text, at)
                    return
                raise self.error("cannot read", piece.text, at)
        word = self._label_of_font(piece)
        plain = word.replace("_", "")
        if not word:
            raise self.error("cannot read", piece.text, at)
        if plain in APPLIED:
            yield from self.function(plain, at)
        elif plain in ("min", "max", "argmin", "argmax", "arg"):
            yield from self.extremum(plain, at)
        elif len(word) == 1 and word.isalpha():
            self.one_face(word, "" if font in UPRIGHT else font, at)
            if word == "O" and font in ("mathcal", "mathscr"):
                self.faces.pop(word)
            yield from self.named(word, at)
        elif word.isdigit():
            yield Token("number", word, at)
        elif set(word.lower().split("_")) & PROSE:
            raise self.error("cannot read", piece.text, at, f": {word!r} is prose")
        elif word in GREEK or not word[0].isalpha():
            raise self.error("cannot read", piece.text, at, f": {word!r} is no name")
        elif self.ahead(0) == "@":
            yield from self.named(word, at)
        else:
            yield from self.named(f'"{word}"', at)

    def accented(self, piece: Token) -> Iterator[Token]:
        """`\\hat{N}_c`: another quantity than `N_c`."""
        at, accent = piece.position, ACCENT_COMMANDS[piece.text[1:]]
        tokens = self.group_tokens(f"an argument of {piece.text}")
        if tokens and tokens[0].text.endswith(AT):
            measure = tokens[0].text.removesuffix(AT)
            yield Token("name", f"{measure}_{accent}{AT}", at)
            yield from tokens[1:]
            return
        if len(tokens) != 1 or tokens[0].kind != "name" or tokens[0].text == "oo":
            raise self.error("cannot read", piece.text, at, ": an accent over more than a name")
        name = tokens[0].text
        if name == "L" and accent == "hat":
            self.faces.pop("L", None)
            self.one_face("L", accent, at)
        elif name == "L" and self.faces.get("L") == "":
            del self.faces["L"]
        yield from self.named(f"{name}_{accent}", at)

    def named(self, base: str, at: int) -> Iterator[Token]:
        """A symbol with its indices and ornaments; `e^{...}` is the exponential."""
        below: list[str] = []
        above: list[str] = []
        marks: list[str] = []
        exponent: list[Token] | None = None
        while (piece := self.peek()) is not None:
            if piece.text == "_":
                self.next += 1
                below += self.index(marks)
            elif piece.text == "'":
                self.next += 1
                marks.append(PRIME)
            elif piece.text == "^" and self.ornament_follows():
                self.next += 1
                exponent = self.superscript(above, marks)
                if exponent is not None:
                    break
            elif piece.text == "@":
                self.next += 1
                yield from self.at_samples(_spelt(base, below, above, marks), at)
                return
            else:
                break
        name = _spelt(base, below, above, marks)
        if exponent is None and name == "e" and piece is not None and piece.text == "^":
            self.next += 1
            yield Token("name", "exp", at)
            yield from self.argument("an exponent")
            return
        yield Token("name", name, at)
        if exponent is not None:
            yield from (Token("power", "^", at), Token("operator", "(", at), *exponent)
            yield Token("operator", ")", at)

    def at_samples(self, measure: str, at: int, samples: str = "") -> Iterator[Token]:
        """`pass@k` and `pass@(k + 1)`: a function of the number of samples."""
        yield Token("name", f"{measure}{AT}", at)
        if samples:
            kind = "number" if samples.isdigit() else "name"
            yield from (Token("operator", "(", at), Token(kind, samples, at))
            yield Token("operator", ")", at)
        elif self.ahead(0) == "(":
            opening = self.take("what follows @")
            yield Token("operator", "(", opening.position)
            yield from self.until(")", opening)
            yield Token("operator", ")", opening.position)
        else:
            yield from self.argument("what follows @")

    def ornament_follows(self) -> bool:
        """Whether the superscript at hand is an ornament (a star, a prime, `opt`, a word), or
        begins with a star, and is no exponent.
        """
        if self.ahead(0) != "^":
            return False
        start = self.next + 1
        while start < len(self.pieces) and self.pieces[start].text == "{":
            start += 1
        if start >= len(self.pieces):
            return False
        first = self.pieces[start]
        if first.text in STARS or first.text in (r"\prime", r"\dagger", r"\min", r"\max", "'"):
            return True
        word = re.match(
            r"(?:\\(?:mathrm|text|textrm|operatorname|mathit|rm|textit)\s*\{?\s*)?opt(?![A-Za-z])",
            self.text[first.position :],
        )
        if word is not None:
            return True
        font = re.match(
            r"\\(?:mathrm|text|textrm|textit|mathsf|texttt)\s*\{\s*([A-Za-z][^{}]*)\}",
            self.text[first.position :],
        )
        if font is not None and (len(font[1].strip()) > 1 or font[1].strip() != "e"):
            return True
        label = re.match(r"\{\s*\(\s*[A-Za-z0-9]\s*\)\s*\}", self.text[first.position - 1 :])
        if label is not None:
            rest = ": it may be a label or an exponent"
            raise self.error("ambiguous", label.group(), first.position - 1, rest)
        return False

    def superscript(self, above: list[str], marks: list[str]) -> list[Token] | None:
        """Note the ornaments of a superscript; what stands behind a star in it is an exponent."""
        piece = self.take("a superscript")
        if piece.text != "{":
            above += self.label_part(piece, marks)
            return None
        while (inner := self.take("a closing brace")).text != "}":
            if marks and inner.text not in STARS and inner.text not in ("'", r"\prime", "{"):
                known = (
                    inner.kind == "letter"
                    and self.text[inner.position : inner.position + 3] == "opt"
                )
                if inner.text != "," and not known:
                    self.next -= 1
                    return list(self.until("}", piece))
            if inner.text != "," and inner.text[1:] not in SWITCHES:
                above += self.run_of_letters(inner, marks)
        return None

    def index(self, marks: list[str]) -> list[str]:
        """The parts of a subscript; its stars and primes are noted in `marks`."""
        piece = self.take("a subscript")
        if piece.text != "{":
            return self.label_part(piece, marks)
        parts: list[str] = []
        joined = True
        while (inner := self.take("a closing brace")).text != "}":
            if inner.text == ",":
                joined = True
            if inner.text == "," or inner.text[1:] in SWITCHES:
                continue
            if inner.text in ("+", "-") and (parts or self.ahead(0) != "}"):
                raise self.error("cannot read the subscript", inner.text, inner.position)
            more = self.run_of_letters(inner, marks)
            if parts and not joined and more and inner.kind != "command":
                parts[-1] += more.pop(0)
            parts += more
            joined = not parts or inner.kind == "command"
        return parts

    def run_of_letters(self, piece: Token, marks: list[str]) -> list[str]:
        if piece.kind in ("letter", "number"):
            run = piece.text
            while self.next < len(self.pieces) and self.pieces[self.next].kind in (
                "letter",
                "number",
            ):
                run += self.pieces[self.next].text
                self.next += 1
            self._refuse_reserved(run, piece)
            return [self._whole_number(run, piece)]
        return self.label_part(piece, marks)

    def label_part(self, piece: Token, marks: list[str]) -> list[str]:
        command = piece.text[1:] if piece.kind == "command" else ""
        if piece.text in STARS:
            marks.append(STAR)
            return []
        if piece.text in ("'", r"\prime"):
            marks.append(PRIME)
            return []
        if command in FONTS:
            with self.deeper():
                words = self._label_of_font(piece)
            self._refuse_reserved(words, piece)
            return [words] if words else []
        if command in INDEX_SYMBOLS or command.removeprefix("var") in GREEK:
            return [
                {"backslash": "setminus", "infty": "inf"}.get(command, command.removeprefix("var"))
            ]
        if piece.kind in ("letter", "number"):
            return [self._whole_number(piece.text, piece)]
        if piece.text in ("+", "-"):
            return ["plus" if piece.text == "+" else "minus"]
        if piece.text == "{":
            self.next -= 1
            with self.deeper():
                return self.index(marks)
        if piece.text == "_":
            with self.deeper():
                return self.index(marks)
        raise self.error("cannot read the subscript", piece.text, piece.position)

    def _whole_number(self, text: str, piece: Token) -> str:
        if "." in text or "," in text:
            raise self.error("cannot read the subscript", piece.text, piece.position)
        return text

    def _refuse_reserved(self, words: str, piece: Token) -> None:
        """An index that spells an accent or a star would be taken for it."""
        for word in words.split("_"):
            if word in {*ACCENTS, STAR, PRIME}:
                raise self.error("cannot read the subscript", word, piece.position)

    def _label_of_font(self, command: Token) -> str:
        """The words inside `\\mathrm{...}` and the like, joined by underscores."""
        piece = self.take(f"an argument of {command.text}")
        if piece.text != "{":
            marks: list[str] = []
            parts = self.label_part(piece, marks)
            if marks:
                raise self.error("cannot read", piece.text, piece.position)
            return "_".join(parts)
        opening = self.next - 1
        inside = self.pieces[opening : self._end_of(opening)]
        if any(inner.kind == "command" and inner.text[1:] in FONTS for inner in inside):
            with self.deeper():
                return self._nested_fonts()
        closing = self._closing(opening) if self._is_closed(opening) else None
        if closing is None:
            raise ParseError.at_end(self.text, "a closing brace")
        source = self.text[piece.position + 1 : self.pieces[closing].position]
        self.next = closing + 1
        if command.text in PROSE_FONTS and re.search(r"^[\s~]+[A-Za-z]|[A-Za-z][\s~]+$", source):
            rest = f": {source.strip(' ~')!r} is prose, and no factor"
            raise self.error("cannot read", command.text, command.position, rest)
        source = re.sub(r"\\([A-Za-z]+)", lambda m: m[1] if m[1] in INDEX_SYMBOLS else m[0], source)
        bad = re.search(r"[^A-Za-z0-9\s.,\-\u2010-\u2013~&/:]|\\(?![,;:! ])", re.sub(r"\\[,;:! &]", " ", source))  # fmt: skip
        if bad is not None:
            raise self.error("cannot read", bad.group(), piece.position + 1 + bad.start())
        if re.fullmatch(r"\s*[0-9]+\.[0-9]+\s*", source):
            raise self.error("cannot read", source.strip(), piece.position + 1)
        source = re.sub(r"\\[,;:! ]", "" if command.text.startswith(r"\operatorname") else " ", source)  # fmt: skip
        return "_".join(re.findall(r"[A-Za-z0-9]+", source))

    def _nested_fonts(self) -> str:
        """`\\mathrm{\\text{...}}`."""
        parts = []
        while (inner := self.take("a closing brace")).text != "}":
            marks: list[str] = []
            parts += self.label_part(inner, marks)
            if marks:
                raise self.error("cannot read", inner.text, inner.position)
        return "".join(parts)

    def _is_closed(self, opening: int) -> bool:
        depth = 0
        for piece in self.pieces[opening:]:
            depth += {"{": 1, "}": -1}.get(piece.text, 0)
            if depth == 0:
                return True
        return False

    def _end_of(self, opening: int) -> int:
        return self._closing(opening) if self._is_closed(opening) else len(self.pieces)


def _spelt(base: str, below: Sequence[str], above: Sequence[str], marks: Sequence[str]) -> str:
    """The name of a symbol with its indices and ornaments."""
    indices = [*below, *above]
    primes = [mark for mark in marks if mark == PRIME]
    starred = STAR in marks
    if starred and not indices and not primes and base in OPTIMA:
        return OPTIMA[base]
    name = base
    for part in (*indices, *primes, *([STAR] if starred else [])):
        at_once = part.isdigit() and "_" not in name and not name[-1].isdigit()
        name = name + part if at_once else f"{name}_{part}"
    return name


def _opens(before: Sequence[Token]) -> bool:
    """Whether a bar opens here, because a value cannot end."""
    return not before or before[-1].kind in ("relation", "power") or before[-1].text in "+-*/([,"


def _has_index(token: Token, index: str) -> bool:
    return token.kind == "name" and index in token.text.split("_")


def _at_index(token: Token, index: str, value: str) -> list[Token]:
    """The token at one value of an index: `x_i` is x1, and i itself the number."""
    base, *parts = token.text.split("_")
    if token.text == index:
        at = token.position
        return [Token("operator", "(", at), Token("number", value, at), Token("operator", ")", at)]
    if token.kind != "name" or index not in parts:
        return [token]
    spelt = _spelt(base, [value if part == index else part for part in parts], (), ())
    return [Token("name", spelt, token.position)]
