r"""LaTeX as the tokens of plain text: formulas as papers typeset them.

Braces become parentheses that no reader sees, of kind "group"; spacing, sizes and frames go.

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
from collections.abc import Callable, Iterator, Sequence

from .tokens import (
    ACCENTS,
    AT,
    DEEPEST_NESTING,
    GREEK,
    GREEK_SIGNS,
    LONGEST_TEXT,
    OPTIMA,
    PRIME,
    STAR,
    ParseError,
    Pieces,
    Token,
    grouped,
    in_parentheses,
    name_token,
    operator,
    tokenize,
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
SIGNS = {"=": "==", "==": "==", ":=": "==", "<": "<", ">": ">", "<=": "<=", ">=": ">=", "!=": "!="}
OPERATORS = {
    **{mark: mark for mark in "+-*/()[],"},
    r"\cdot": "*", r"\times": "*", r"\ast": "*", r"\{": "(", r"\}": ")", r"\lbrace": "(", r"\rbrace": ")",
    r"\lbrack": "[", r"\rbrack": "]", r"\lparen": "(", r"\rparen": ")",
}  # fmt: skip
CLOSING = {"(": ")", "[": "]", r"\{": r"\}", r"\lbrace": r"\rbrace"}
APPLIED = {
    "log": "log", "ln": "log", "exp": "exp", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "arcosh": "acosh", "arccosh": "acosh", "acosh": "acosh", "arsinh": "asinh", "arcsinh": "asinh",
    "asinh": "asinh", "artanh": "atanh", "arctanh": "atanh", "atanh": "atanh", "log1p": "log1p", "expm1": "expm1",
}  # fmt: skip
#: Names of the law that take arguments.
WITH_ARGUMENTS = frozenset([*OPTIMA.values(), "L", "R", "T_N", "T_D", "P", "L_hat"])
STARS = ("*", r"\star", r"\ast")
FRACTIONS = ("frac", "tfrac", "dfrac", "cfrac", "nicefrac", "sfrac")
#: Fonts of words, and of these the ones that may set prose; other fonts make another letter of a letter.
UPRIGHT = ("mathrm", "mathit", "text", "textrm", "textit", "textnormal", "mbox", "operatorname", "mathop")  # fmt: skip
OF_PROSE = ("text", "textrm", "textnormal", "mbox")
FONTS = (
    *UPRIGHT, "mathcal", "mathbf", "mathsf", "textsf", "textbf", "texttt", "mathtt", "boldsymbol", "bm", "mathfrak",
    "mathscr", "textsc",
)  # fmt: skip
ACCENT_COMMANDS = {**dict(zip(ACCENTS, ACCENTS, strict=True)), "widehat": "hat", "widetilde": "tilde", "overline": "bar"}  # fmt: skip
#: What an index may be beside letters, numbers and text.
INDEX_SYMBOLS = {
    **{name: name for name in (*GREEK, "ell", "max", "min", "setminus", "emptyset", "dagger", "parallel", "perp")},
    "infty": "inf", "backslash": "setminus", "star": "*", "ast": "*", "prime": "'",
}  # fmt: skip
#: Words that are prose, so that they are no names.
PROSE = re.compile(
    r"(?i)and|or|if|for|where|with|when|as|at|is|otherwise|else|such|that|subject|const(ant)?s?|so|hence|thus|then|all|"
    r"any|iff|given|let"
)

_FONT = "|".join(FONTS)
_SPACES = (
    "displaystyle|textstyle|scriptstyle|quad|qquad|nonumber|notag|limits|nolimits|enspace|thinspace|medspace|"
    "thickspace|strut|mathstrut|negthinspace|relax|xspace|allowbreak|nobreak|therefore"
)
IGNORED = re.compile(
    rf"\s+|%[^\n]*|[~&]|(?<![\^_])\{{\s*\}}|\\[,;:! \\>]|\\(?:{_SPACES})(?![A-Za-z])"
    r"|\\(?:tag|hspace|vspace|mspace|label|[hv]?phantom|color)\*?\s*\{[^{}]*\}"
)
SIZED = re.compile(
    r"\\(?:mathopen|mathclose|left|right|middle|[bB]igg?(?P<side>[lrm])?)(?![A-Za-z])\s*"
    r"(?P<mark>[.|]|\\[lr]?vert(?![A-Za-z]))?"
)
PIECE = re.compile(
    rf"(?P<greek>[{''.join(GREEK_SIGNS)}])|(?P<command>\\(?:operatorname\*|[A-Za-z]+|.))"
    r"|(?P<number>[0-9]+(?:\{,\}[0-9]{3})*\.?[0-9]*|\.[0-9]+)"
    r"|(?P<letter>[A-Za-z])|(?P<mark>[:=<>]=|(?<=\s)!=|[-+*/^_(){}\[\]=<>@,;|!'.:?])",
    re.DOTALL,
)
#: A superscript that is no exponent; `^{(1)}`; a measure of samples in a font; words in a font.
ORNAMENT = re.compile(
    r"\^\s*\{?\s*(?:\*|'|\\(?:star|ast|prime|dagger|min|max)(?![A-Za-z])"
    rf"|(?:\\(?:{_FONT}|rm)\s*\{{?\s*)?opt(?![A-Za-z])|\\(?:{_FONT})\s*\{{\s*(?!e\s*\}})[A-Za-z][^{{}}]*\}})"
)
LABEL_ABOVE = re.compile(r"\^\s*\{\s*\(\s*[A-Za-z0-9]\s*\)\s*\}")
MEASURE = re.compile(r"\{\s*([A-Za-z]+)\s*@\s*([A-Za-z]|[0-9]*)\s*\}")
WORDS = re.compile(r"[A-Za-z0-9]+")
FONT_GROUP = re.compile(rf"\\(?:{_FONT})\s*\{{((?:[A-Za-z0-9\s.,\-–~&/:]|\\[,;:! ])*)\}}")
#: What over a relation makes it a definition, or says nothing.
DEFINES = re.compile(
    r"(?i)(by )?def(\.|ine|inition)?|\\triangle|\\delta|\(?[0-9ivx]+\)?|\([a-z*]\)|!"
)


def tokenize_latex(text: str) -> list[Token]:
    """The tokens of a formula in LaTeX.

    Raises
    ------
    ParseError
        Naming what cannot be read and its position.
    """
    if len(text) > LONGEST_TEXT:
        raise ParseError(f"formula of {len(text)} characters: at most {LONGEST_TEXT} are read")
    return _Latex(text).everything()


def tokens_of(text: str, *, latex: bool) -> list[Token]:
    """The tokens of a formula in LaTeX or in plain text."""
    return tokenize_latex(text) if latex else tokenize(text)


def spelt(base: str, indices: Sequence[str], marks: Sequence[str]) -> str:
    """The name of a symbol with its indices and its marks, primes and stars."""
    if STAR in marks and base in OPTIMA and not indices and PRIME not in marks:
        return OPTIMA[base]
    name, primes = base, [PRIME] * marks.count(PRIME)
    for part in (*indices, *primes, *[STAR] * (STAR in marks)):
        at_once = part.isdigit() and "_" not in name and not name[-1].isdigit()
        name += part if at_once else f"_{part}"
    return name


class _Latex(Pieces):
    """Reads the pieces of a formula: commands, letters, numbers and marks."""

    def __init__(self, text: str) -> None:
        self.text, self.next, self.depth = text, 0, 0
        self.wide: list[int] = []  # where a \quad stands
        self.tokens = list(self._scan())
        self.bars: list[Token] = []
        self.faces: dict[str, str] = {}

    def _scan(self) -> Iterator[Token]:
        position = 0
        while position < len(self.text):
            if ignored := IGNORED.match(self.text, position):
                self.wide += [position] if ignored[0] in (r"\quad", r"\qquad") else []
                position = ignored.end()
                continue
            if sized := SIZED.match(self.text, position):
                side = {"l": r"\left", "r": r"\right"}.get(sized["side"] or sized[0][1], "")
                if mark := sized["mark"]:
                    yield Token("mark", side + ("." if mark == "." else "|"), position)
                position = sized.end()
                continue
            match = PIECE.match(self.text, position)
            if match is None:
                raise ParseError.at(self.text, position, f"cannot read {self.text[position]!r}")
            if match["greek"]:
                yield Token("command", "\\" + GREEK_SIGNS[match[0]], position)
            else:
                yield Token(str(match.lastgroup), match[0], position)
            position = match.end()

    # -- pieces ----------------------------------------------------------------------------------

    def raw(self, what: str) -> str:
        """The source of a group in braces or of one piece, with its argument, unread."""
        first = self.take(what)
        if first.text[1:] in FONTS and self.peek("{"):
            return f"{first.text}{{{self.raw(what)}}}"
        depth = int(first.text == "{")
        while depth:
            piece = self.take("a closing brace").text
            depth += (piece == "{") - (piece == "}")
        last = self.tokens[self.next - 1].position
        return self.text[first.position + 1 : last].strip() if first.text == "{" else first.text

    def everything(self) -> list[Token]:
        tokens = self.until(Token("", "", 0), "")
        relations = [token.position for token in tokens if token.kind == "relation"]
        for at in self.wide:  # `a = b \quad c = d` is no product of b and c
            before = [token for token in tokens if token.position < at][-1:]
            after = [token for token in tokens if token.position > at][:1]
            ends = [t.kind == "relation" or t.text in "+-*/," for t in (*before, *after)]
            if ends == [False, False] and relations and relations[0] < at < relations[-1]:
                raise ParseError.at(self.text, at, r"two claims stand beside '\quad'")
        return tokens

    def item(self, before: Sequence[Token] = ()) -> list[Token]:
        """The tokens of the next piece with its arguments and ornaments, `before` being those of its
        group that come first.
        """
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            raise ParseError.too_deep(self.text)
        tokens = self._item(self.take(), before)
        self.depth -= 1
        return tokens

    def _item(self, piece: Token, before: Sequence[Token]) -> list[Token]:
        at, text = piece.position, piece.text
        ends = bool(before) and (before[-1].kind in ("number", "name") or before[-1].text == ")")
        if text in (".", ",", ";") and (not self.ahead().kind or (text != "," and self.peek("}"))):
            return []
        if text in OPERATORS:
            return [operator(OPERATORS[text], at)]
        if text in SIGNS:
            return [Token("relation", SIGNS[text], at + (text == ":="))]
        if piece.kind == "number":
            return self.number(piece)
        if piece.kind == "letter":
            self.one_face(text, "", at)
            return self.named(text, at)
        if text in ("|", r"\left|", r"\right|", r"\vert", r"\lvert", r"\rvert"):
            return self.bar(piece, before)
        if piece.kind == "command":
            return self.command(piece)
        if text == "{":
            return self.braced(piece)
        if text == r"\left.":
            return self.between(piece)
        if text == "^":
            return [Token("power", "^", at), *self.argument("an exponent")]
        if text == "_" and before and before[-1].text == ")":
            return self.places("evaluated", at)
        if text != "!" or not ends or self.text[at + 1 : at + 2] in ("!", "="):
            self.refuse(piece)
        return [Token("mark", "factorial", at)]

    def command(self, piece: Token) -> list[Token]:
        name, at = piece.text[1:], piece.position
        if name in RELATIONS:
            return [Token("relation", RELATIONS[name], at)]
        if name in COMMANDS:
            return COMMANDS[name](self, piece)
        name = name.removeprefix("var")
        if name not in GREEK and name != "ell":
            self.refuse(piece)
        return self.named(name, at)

    def number(self, piece: Token) -> list[Token]:
        """A number; `20\\,\\text{tokens}` and `7\\mathrm{B}` have a unit, and no factor."""
        tokens = [Token("number", piece.text.replace("{,}", ""), piece.position)]
        if self.peek(r"\%"):
            self.take()
            hundred = Token("number", "100", piece.position)
            tokens = grouped([*tokens, operator("/", piece.position), hundred], piece.position)
        font, opening, letter, closing = (self.ahead(i) for i in range(4))
        is_word = font.text[1:] in UPRIGHT and letter.kind == "letter" and letter.text != "e"
        if is_word and (opening.text, closing.text) == ("{", "}"):
            rest = f": {letter.text!r} behind a number may be a unit; write \\cdot before a factor"
            self.refuse(font, rest=rest)
        return tokens

    # -- groups ----------------------------------------------------------------------------------

    def until(self, opening: Token, *closing: str) -> list[Token]:
        """The tokens up to where a group closes; parentheses in parentheses are skipped."""
        tokens: list[Token] = []
        bars, self.bars, depth = self.bars, [], 0
        while depth or not self.peek(*closing):
            piece, at = self.ahead(), self.ahead().position
            if not piece.kind:
                self.refuse(opening, "never closed: {}")
            if opening.text in CLOSING:
                depth += (piece.text == opening.text) - (piece.text in closing)
            if piece.text == r"\over" and opening.text == "{":
                self.take()
                tokens = [*grouped(tokens, at), operator("/", at)]
                tokens += grouped(self.until(opening, "}"), at)
                self.next -= 1
            else:
                tokens += self.item(tokens)
        self.next += 1
        if self.bars:
            self.refuse(self.bars[-1], "never closed: {}")
        self.bars = bars
        return tokens

    def bracket(self) -> list[Token]:
        """A bracket that a reader sees."""
        opening = self.take()
        return in_parentheses(self.until(opening, CLOSING[opening.text]), opening.position)

    def group(self, what: str) -> list[Token]:
        """The tokens of a group in braces, or of one letter, number or command."""
        piece, name = self.take(what), self.ahead(-1).text[1:].removeprefix("var")
        if piece.text == "{":
            return self.until(piece, "}")
        if piece.kind == "letter" or name in GREEK - {"Delta"}:
            return [name_token(name or piece.text, piece.position)]
        if piece.kind == "number":
            return [piece]
        if piece.kind != "command":
            self.refuse(piece)
        self.next -= 1
        return self.item()

    def argument(self, what: str) -> list[Token]:
        """A group in braces, or one piece, as a group: `\\frac12` and `x^12` take one digit."""
        piece, after = self.ahead(), self.ahead(1)
        if piece.kind == "number" and len(piece.text) > 1 and "." not in piece.text:
            self.tokens[self.next] = Token("number", piece.text[1:], piece.position + 1)
            return grouped([Token("number", piece.text[0], piece.position)], piece.position)
        if piece.text != "-":
            return grouped(self.group(what), piece.position)
        self.take()
        is_one = after.kind in ("number", "letter") or after.text == "{"
        is_one |= after.text[1:].removeprefix("var") in (*GREEK, *FRACTIONS)
        if what != "an exponent" or not is_one:
            self.refuse(piece, "braces are expected around {}")
        return grouped([operator("-", piece.position), *self.group(what)], piece.position)

    def whole_argument(self, what: str) -> list[Token]:
        """An argument, where two digits are one number: `\\log_{10}`, but `\\log_10` is refused."""
        if self.ahead().kind == "number" and len(self.ahead().text) > 1:
            self.refuse(self.ahead(), "braces are expected around {}")
        return self.argument(what)

    def braced(self, opening: Token) -> list[Token]:
        """A group in braces; a name alone in it may have ornaments behind it: `{N_c}^*`."""
        inside = self.until(opening, "}")
        if len(inside) == 1 and inside[0].kind == "name":
            return self.named(inside[0].text, inside[0].position)
        depths, depth = [], 0
        for token in inside:
            depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
            depths.append(depth)
        is_one_group = depths.count(0) == 1 and depths[-1] == 0 and len(inside) > 1
        is_loose = is_one_group or any(token.kind == "relation" for token in inside)
        return inside if is_loose else grouped(inside, opening.position)

    # -- bars ------------------------------------------------------------------------------------

    def between(self, opening: Token) -> list[Token]:
        """`\\left. f \\right|_{r = 1}`."""
        tokens = grouped(self.until(opening, r"\right|", r"\right."), opening.position)
        if self.ahead(-1).text == r"\right.":
            return tokens
        if self.take("a value below the bar").text != "_":
            self.refuse(opening, "a value is expected below the bar of {}")
        return [*tokens, *self.places("evaluated", self.ahead().position)]

    def bar(self, piece: Token, before: Sequence[Token]) -> list[Token]:
        """An absolute value, or the bar before what a value is taken at."""
        if self.peek("_") and not self.bars:
            self.take()
            return self.places("bar", piece.position)
        is_left, is_right = (piece.text in (rf"\{x}|", rf"\{x[0]}vert") for x in ("left", "right"))
        last = before[-1] if before else operator("(", 0)
        may_open = last.kind in ("relation", "power") or last.text in "+-*/([,"
        if self.bars and not is_left and (is_right or not may_open):
            self.bars.pop()
            return [operator(")", piece.position)]
        if is_right:
            self.refuse(piece, "never opened: {}")
        self.bars.append(piece)
        return [name_token("abs", piece.position), operator("(", piece.position)]

    def places(self, mark: str, at: int) -> list[Token]:
        """What stands below the bar: `_{N = N^*, D = D^*}`, `_{N^*}`, `_D`, `_{\\text{opt}}`, `_*`."""
        start = self.next
        if self.raw("a value") in ("*", r"\star", r"\text{opt}", r"\mathrm{opt}"):
            tokens = [Token("mark", "*", at)]
        else:
            self.next = start
            tokens = self.group("a value")
        if [token.text for token in tokens[:1] + tokens[-1:]] == ["(", ")"]:
            tokens = tokens[1:-1]  # `_{(N^*, D^*)}`
        for i, token in enumerate(tokens):
            if token.kind == "relation":
                if token.text not in ("==", "->"):
                    self.refuse(token)
                tokens[i] = operator("=", token.position)
        return [Token("mark", mark, at), *in_parentheses(tokens, at)]

    # -- commands --------------------------------------------------------------------------------

    def infinity(self, piece: Token) -> list[Token]:
        return [name_token("oo", piece.position)]

    def fraction(self, piece: Token) -> list[Token]:
        earlier = self.ahead(-3) if self.next > 2 else operator("", 0)
        is_part = earlier.kind == "number" or earlier.text in ("^", "_", r"\frac", r"\tfrac")
        before = piece if self.next < 2 or is_part else self.ahead(-2)
        above, below = self.argument("a numerator"), self.argument("a denominator")
        tokens = [*above, operator("/", piece.position), *below]
        if before.kind == "number" and {t.kind for t in (*above[1:-1], *below[1:-1])} == {"number"}:
            self.refuse(
                before, "ambiguous {}", ": a fraction behind a number may be a sum or a product"
            )
        is_derivative = {above[1].text, below[1].text} <= {"d", "partial"}
        return tokens if is_derivative and len(below) > 3 else grouped(tokens, piece.position)

    def root(self, piece: Token) -> list[Token]:
        degree, at = [Token("number", "2", piece.position)], piece.position
        if self.peek("["):
            degree = self.bracket()
        radicand = self.argument("a radicand")
        one_over = [Token("number", "1", at), operator("/", at), *grouped(degree, at)]
        return grouped([*radicand, Token("power", "^", at), *grouped(one_over, at)], at)

    def binomial(self, piece: Token) -> list[Token]:
        """n choose k, as a function of two values."""
        top, bottom = self.argument("a number"), self.argument("a number")
        both = [*top, operator(",", piece.position), *bottom]
        return [name_token("binom", piece.position), *in_parentheses(both, piece.position)]

    def with_brace(self, piece: Token) -> list[Token]:
        """What stands over or under a brace, without the label of that."""
        inside = self.argument("what is under the brace")
        if self.peek("_", "^"):
            self.take()
            self.raw("a label")
        return inside

    def framed(self, piece: Token) -> list[Token]:
        """What stands in a frame, which may be a whole equation."""
        if piece.text == r"\textcolor":
            self.raw("a colour")
        if not self.peek("{"):
            self.refuse(piece, "braces are expected behind {}")
        return self.braced(self.take())

    def labelled(self, piece: Token) -> list[Token]:
        """A relation with something above it."""
        label = self.raw("a label")
        if self.peek("{"):
            self.tokens[self.next : self.next + 3] = self.tokens[self.next + 1 : self.next + 2]
        tokens = self.item()
        if [token.kind for token in tokens] != ["relation"]:
            self.refuse(piece)
        word = re.sub(rf"\\(?:{_FONT}|rm)(?![A-Za-z])|[{{}}]", "", label).strip()
        if not DEFINES.fullmatch(word):
            self.refuse(piece, rest=f": what {label!r} over a relation says is not understood")
        return [Token("relation", tokens[0].text, piece.position)]

    def extremum(self, piece: Token) -> list[Token]:
        """`\\max(a, b)`; a least value over variables is refused."""
        if piece.text.startswith(r"\arg") or self.peek("_"):
            self.refuse(piece, rest=": a least or greatest value over variables is not read")
        if self.ahead().text not in CLOSING:
            self.refuse(piece, "parentheses are expected behind {}")
        return [name_token(piece.text[1:], piece.position)]

    def differential(self, piece: Token) -> list[Token]:
        """A `\\partial`; with an index, `\\partial_N L`, it is the operator d/dN."""
        at, partial = piece.position, name_token("partial", piece.position)
        if not self.peek("_"):
            return [partial]
        self.take()
        variables = [token for token in self.group("a variable") if token.text != ","]
        if not variables or any(token.kind != "name" for token in variables):
            self.refuse(piece, rest=": letters are expected below it")
        order = self.item() if self.peek("^") and len(variables) == 1 else []
        below = [token for variable in variables for token in (partial, variable)]
        above = order or [Token("power", "^", at), Token("number", str(len(variables)), at)]
        return [partial, *above, operator("/", at), *grouped([*below, *order], at)]

    # -- functions -------------------------------------------------------------------------------

    def function(self, piece: Token) -> list[Token]:
        """`\\log x`, `\\log(x)`, `\\log^2 x`, `\\log_{10} x`: without parentheses the argument is
        the next factor with its power.
        """
        at, name = piece.position, APPLIED[piece.text[1:]]
        scripts: dict[str, list[Token]] = {}
        while self.peek("^", "_"):
            mark = self.take()
            if mark.text in scripts or (mark.text == "_" and piece.text != r"\log"):
                self.refuse(mark)
            scripts[mark.text] = self.whole_argument("a base or an exponent")
        exponent, base = scripts.get("^", []), scripts.get("_", [])
        if [token.text for token in exponent] == ["(", "-", "1", ")"] and name != "log":
            rest = ": it may be the inverse function or 1 over the function"
            self.refuse(piece, "ambiguous {}", rest)
        tokens = [name_token(name, at), *self.function_argument(name)]
        if base:
            tokens = grouped([*tokens, operator("/", at), name_token("log", at), *base], at)
        return [*grouped(tokens, at), Token("power", "^", at), *exponent] if exponent else tokens

    def function_argument(self, name: str) -> list[Token]:
        """A bracket, or the next factor with its power, in `\\log N^*(C)` with its arguments; what
        else may belong to it is refused.
        """
        opening = self.ahead()
        if opening.text in CLOSING:
            tokens = self.bracket()
            is_unclear = self.peek("^")
        elif opening.text in ("+", "-"):
            self.refuse(opening, "braces are expected around {}")
        else:
            tokens = self.item()
            if self.peek("^"):
                tokens += self.item()
            elif self.peek("(") and tokens[-1].text in WITH_ARGUMENTS and opening.text != "{":
                tokens += self.bracket()
            tokens = in_parentheses(tokens, opening.position)
            after, command = self.ahead(), self.ahead().text[1:]
            begins = command in VALUES or command.removeprefix("var") in GREEK
            divides = after.text == "/" and self.ahead(1).text[1:] not in APPLIED
            is_letter = after.kind in ("letter", "number") or after.text in {"{", *CLOSING}
            is_unclear = begins or divides or is_letter
        if is_unclear:
            what = f"parentheses are expected around the argument of {name} before {{}}"
            self.refuse(self.ahead(), what)
        return tokens

    # -- names -----------------------------------------------------------------------------------

    def one_face(self, letters: str, face: str, at: int) -> None:
        """A formula that has a letter in two faces, as in `\\mathcal{N} = N`, means two
        quantities.
        """
        if self.faces.setdefault(letters, face) != face:
            rest = ": it stands in two faces, so that it means two quantities"
            raise ParseError.at(self.text, at, f"ambiguous {letters!r}", rest)

    def difference(self, piece: Token) -> list[Token]:
        """`\\Delta C` is one quantity."""
        letter = self.ahead().text.removeprefix("\\").removeprefix("var")
        if self.ahead().kind == "letter" or letter in GREEK:
            self.take()
            return self.named(f"Delta_{letter}", piece.position)
        if not self.peek("_", "^"):
            self.refuse(piece, rest=": a letter is expected behind it")
        return self.named("Delta", piece.position)

    def in_a_font(self, piece: Token) -> list[Token]:
        """A letter, a word or the name of a function in a font."""
        at, font, start = piece.position, piece.text[1:].rstrip("*"), self.next
        measured = MEASURE.match(self.text, self.ahead().position)
        source = self.raw(f"an argument of {piece.text}")
        if measured is not None:
            return self.at_samples(measured[1], at, measured[2])
        word = re.sub(r"\\[,;:! ]|\s", "", source)
        if word in COMMANDS and word not in FONTS:
            return COMMANDS[word](self, Token("command", "\\" + word, at))
        if re.fullmatch(r"\d+(?:\.\d+)?", word):
            return [Token("number", word, at)]
        face = "" if font in UPRIGHT or word == "O" else font
        if re.fullmatch(r"[A-Za-z]", word):
            self.one_face(word, face, at)
            return self.named(word, at)
        whole = self.text[at : self.ahead(-1).position + 1]
        is_prose = PROSE.fullmatch(word) or (font in OF_PROSE and re.search(r"\{\s|\s\}$", whole))
        is_word = re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", source) and word not in GREEK
        if is_word and not is_prose:
            return self.named(word if self.peek("@") else f'"{word}"', at)
        if source[:1] != "\\" or font in ("text", "textrm", "operatorname"):
            self.refuse(piece, rest=f": {source!r} is prose, and no factor")
        self.next = start  # \boldsymbol{\alpha}
        (name, *more) = self.group("a name")
        if name.kind != "name" or more:
            self.refuse(piece)
        self.one_face(name.text, face, at)
        return self.named(name.text, at)

    def accented(self, piece: Token) -> list[Token]:
        """`\\hat{N}_c`: another quantity than `N_c`."""
        accent, faces = ACCENT_COMMANDS[piece.text[1:]], dict(self.faces)
        name, *more = self.group(f"an argument of {piece.text}") or [piece]
        if name.text.endswith(AT):
            return [name_token(f"{name.text.removesuffix(AT)}_{accent}{AT}", piece.position), *more]
        if name.kind != "name" or name.text == "oo" or more:
            self.refuse(piece, rest=": an accent over more than a name")
        if name.text == "L":  # the law is fitted, so that it is L with a hat, or without one
            self.faces = faces
            self.one_face("L", accent if accent == "hat" else "", piece.position)
        return self.named(f"{name.text}_{accent}", piece.position)

    def named(self, base: str, at: int) -> list[Token]:
        """A symbol with its indices and ornaments; `e^{...}` is the exponential."""
        below: list[str] = []
        above: list[str] = []
        marks: list[str] = []
        exponent: list[Token] = []
        while not exponent:
            piece = self.ahead()
            if piece.text == "^" and (label := LABEL_ABOVE.match(self.text, piece.position)):
                rest = ": it may be a label or an exponent"
                self.refuse(Token("mark", label[0], piece.position), "ambiguous {}", rest)
            if piece.text == "'":
                self.take()
                marks.append(PRIME)
            elif piece.text == "_":
                self.take()
                below += self.parts(marks)
            elif piece.text == "^" and ORNAMENT.match(self.text, piece.position):
                self.take()
                if self.ahead(1).text in STARS and self.ahead(2).text not in ("}", ","):
                    opening, _ = self.take(), self.take()
                    marks.append(STAR)
                    exponent = [Token("power", "^", at), *grouped(self.until(opening, "}"), at)]
                else:
                    above += self.parts(marks)
            elif piece.text == "@":
                self.take()
                return self.at_samples(spelt(base, [*below, *above], marks), at)
            else:
                break
        name = spelt(base, [*below, *above], marks)
        if name == "e" and self.peek("^"):
            self.take()
            return [name_token("exp", at), *self.argument("an exponent")]
        return [name_token(name, at), *exponent]

    def parts(self, marks: list[str]) -> list[str]:
        """The parts of a subscript, or of an ornament; its stars and primes are noted in `marks`."""
        at, source = self.ahead().position, self.raw("a subscript")
        if source in ("+", "-"):
            return ["plus" if source == "+" else "minus"]
        rest, fonts = source.replace("_", ""), 1
        while fonts:
            rest, fonts = FONT_GROUP.subn(lambda m: f",{'_'.join(WORDS.findall(m[1]))},", rest)
        rest = re.sub(r"\\(?:rm|it|bf|sf|tt)(?![A-Za-z])|\\[,;:! ]|[{}~]", " ", rest)
        rest = re.sub(
            r"\\(?:var)?([A-Za-z]+)|[*']", lambda m: f",{INDEX_SYMBOLS.get(m[1], m[0])},", rest
        )
        rest = re.sub(r"\s", "", rest).translate({ord(x): name for x, name in GREEK_SIGNS.items()})
        found = [part for part in rest.split(",") if part]
        marks += [STAR if part == "*" else PRIME for part in found if part in ("*", "'")]
        parts = [part for part in found if part not in ("*", "'")]
        reserved = {*ACCENTS, STAR, PRIME}
        if not found or any(
            not re.fullmatch(r"\w+", part) or reserved & {*part.split("_")} for part in parts
        ):
            raise ParseError.at(self.text, at, f"cannot read the subscript {source!r}")
        return parts

    def at_samples(self, measure: str, at: int, samples: str = "") -> list[Token]:
        """`pass@k` and `pass@(k + 1)`: a function of the number of samples."""
        name = name_token(f"{measure}{AT}", at)
        if self.peek("(") and not samples:
            return [name, *self.bracket()]
        number = [Token("number" if samples.isdigit() else "name", samples, at)]
        return [name, *in_parentheses(number if samples else self.group("a number"), at)]


#: What reads each command that has arguments, or a meaning beside the signs of the tables.
COMMANDS: dict[str, Callable[[_Latex, Token], list[Token]]] = {
    **dict.fromkeys(APPLIED, _Latex.function),
    **dict.fromkeys(["min", "max", "arg", "argmin", "argmax"], _Latex.extremum),
    **dict.fromkeys(FRACTIONS, _Latex.fraction),
    **dict.fromkeys(["boxed", "fbox", "ensuremath", "mathrel", "textcolor"], _Latex.framed),
    **dict.fromkeys(["overset", "stackrel"], _Latex.labelled),
    **dict.fromkeys([*FONTS, "operatorname*"], _Latex.in_a_font),
    **dict.fromkeys(ACCENT_COMMANDS, _Latex.accented),
    **dict.fromkeys(["underbrace", "overbrace"], _Latex.with_brace),
    "Delta": _Latex.difference,
    "partial": _Latex.differential,
    "sqrt": _Latex.root,
    "binom": _Latex.binomial,
    "infty": _Latex.infinity,
}
#: Commands that begin a value.
VALUES = {*FONTS, *FRACTIONS, *ACCENT_COMMANDS, "ell", "sqrt"}
