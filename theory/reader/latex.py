r"""LaTeX formulas read as the tokens of plain text.

Most commands stand for a sign or a name of plain text (`PLAIN`); a command that changes the structure
of a formula is read by a method of its own (`COMMANDS`). Braces become parentheses of kind "group",
which no reader sees; spacing, sizes and frames are dropped; any other command is refused.

Names
    A name is a letter, a Greek letter by its name, or a word in double quotes (`\text{FLOPs}` is
    `"FLOPs"`), followed, each behind an underscore, by its accents, indices, primes and stars in this
    order: `\alpha_N` is `alpha_N`, `N_{\text{eff}}` is `N_eff`, `R_D^*` is `R_D_star`, `D'` is
    `D_prime`, `\hat{N}_c` is `N_hat_c`, `\Delta C` is `Delta_C`. An index that is a number has no
    underscore: `C_0` is `C0`. A star on N, D, L or R alone, and `opt` on any letter, is `_opt`:
    `N^*(C)` is `N_opt` at C.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from .tokens import (
    ACCENTS,
    AT,
    CLOSING,
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
    in_parentheses,
    tokenize,
)

#: The LaTeX spellings of the signs of plain text, by kind of token.
SPELT = {
    "relation": {
        "<=": r"<= ≤ \le \leq \leqslant \leqq", ">=": r">= ≥ \ge \geq \geqslant \geqq", "<": r"< \lt", ">": r"> \gt",
        "!=": r"!= ≠ \ne \neq", "==": r"= == := ≔ \equiv \triangleq \coloneqq", "->": r"→ \to \rightarrow \longrightarrow",
        "~": r"\sim", "propto": r"∝ \propto", "approx": r"≈ \approx \simeq", "implies": r"⇒ \implies \Rightarrow \Longrightarrow",
        "iff": r"⇔ \iff \Leftrightarrow \Longleftrightarrow",
    },
    "operator": {
        **{sign: sign for sign in "+-/,"}, "*": r"* \cdot \times \ast", "[": r"[ \lbrack", "]": r"] \rbrack",
        "(": r"( \{ \lbrace \lparen", ")": r") \} \rbrace \rparen",
    },
    "name": {"oo": r"\infty", "partial": r"\partial", "min": r"\min", "max": r"\max"},
}  # fmt: skip
PLAIN = {
    typed: (kind, sign)
    for kind, signs in SPELT.items()
    for sign, spellings in signs.items()
    for typed in spellings.split()
}
FUNCTIONS = {name: name for name in ("log", "exp", "sinh", "cosh", "tanh", "log1p", "expm1")} | {"ln": "log"}  # fmt: skip
#: Opening and closing brackets that a reader sees.
BRACKETS = {**CLOSING, r"\{": r"\}", r"\lbrace": r"\rbrace"}
#: Names of the law that take arguments, also behind the name of a function.
WITH_ARGUMENTS = frozenset([*OPTIMA.values(), "L", "R", "T_N", "T_D", "P", "L_hat"])
WIDE = (r"\quad", r"\qquad")
FRACTIONS = ("frac", "tfrac", "dfrac")
#: Fonts that may set prose; with them those that set words. Other fonts make another letter of a letter.
OF_PROSE = ("text", "textrm", "mbox")
UPRIGHT = (*OF_PROSE, "mathrm", "mathit", "operatorname")
FONTS = (*UPRIGHT, "mathcal", "mathbf", "mathsf", "boldsymbol", "bm")
ACCENT_COMMANDS = {**{name: name for name in ACCENTS}, "widehat": "hat", "widetilde": "tilde", "overline": "bar"}  # fmt: skip
#: Commands within an index, and their names.
INDEX_SYMBOLS = {
    **{name: name for name in (*GREEK, "ell", "max", "min")},
    "infty": "inf", "star": "*", "ast": "*", "prime": "'",
}  # fmt: skip
STARS = ("*", r"\star", r"\ast")
#: Words of prose, which are no names.
PROSE = re.compile(
    r"(?i)and|or|if|for|where|with|when|as|at|is|otherwise|else|such|that|subject|const(ant)?s?|so|hence|thus|then|all|"
    r"any|iff|given|let"
)
_FONT = "|".join(FONTS)
PIECE = re.compile(
    # spaces, remarks, frames and sizes
    r"(?P<ignored>\s+|%[^\n]*|[~&]|(?<![\^_])\{\s*\}|\\[,;:! \\>]"
    r"|\\(?:displaystyle|textstyle|scriptstyle|nonumber|notag|limits|nolimits|xspace)(?![A-Za-z])"
    r"|\\(?:tag|vspace|label|color|textcolor)\*?\s*\{[^{}]*\}"
    r"|\\(?:boxed|ensuremath|mathrel)\s*(?=\{)"
    r"|\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])(?!\s*[.|]))"
    r"|(?P<bar>\\(?:left|right)\s*[.|])"
    rf"|(?P<greek>[{''.join(GREEK_SIGNS)}])|(?P<command>\\(?:[A-Za-z]+|.))"
    r"|(?P<number>[0-9]+(?:\{,\}[0-9]{3})*\.?[0-9]*|\.[0-9]+)"
    r"|(?P<letter>[A-Za-z])|(?P<mark>[:=<>]=|(?<=\s)!=|[-+*/^_(){}\[\]=<>≤≥≠≔→∝≈⇒⇔@,;|!'.:?])",
    re.DOTALL,
)
#: A superscript that is no exponent.
ORNAMENT = re.compile(
    r"\^\s*\{?\s*(?:\*|'|\\(?:star|ast|prime|min|max)(?![A-Za-z])"
    rf"|(?:\\(?:{_FONT}|rm)\s*\{{?\s*)?opt(?![A-Za-z])|\\(?:{_FONT})\s*\{{\s*(?!e\s*\}})[A-Za-z][^{{}}]*\}})"
)
UNBRACED = re.compile(r"_(opt|max|min|eff|val|tot)(?![A-Za-z])")
LABEL_ABOVE = re.compile(r"\^\s*\{\s*\(\s*[A-Za-z0-9]\s*\)\s*\}")
WORDS = re.compile(rf"\\(?:{_FONT}|rm)\s*\{{((?:[A-Za-z0-9\s.,\-–~&/:]|\\[,;:! ])*)\}}")


def tokenize_latex(text: str) -> list[Token]:
    """The tokens of a formula in LaTeX.

    Raises
    ------
    ParseError
        Naming what cannot be read and its position.
    """
    if len(text) > LONGEST_TEXT:
        raise ParseError(f"formula of {len(text)} characters: at most {LONGEST_TEXT} are read")
    return _Latex(text).until(Token("", "", 0), "")


def tokens_of(text: str, *, latex: bool) -> list[Token]:
    """The tokens of a formula in LaTeX or in plain text."""
    return tokenize_latex(text) if latex else tokenize(text)


def spelt(base: str, indices: Sequence[str], marks: Sequence[str]) -> str:
    """The name of a symbol with its indices and its marks, which are primes and stars."""
    if STAR in marks and base in OPTIMA and not indices and PRIME not in marks:
        return OPTIMA[base]
    name, primes = base, [PRIME] * marks.count(PRIME)
    for part in (*indices, *primes, *[STAR] * (STAR in marks)):
        at_once = part.isdigit() and "_" not in name and not name[-1].isdigit()
        name += part if at_once else f"_{part}"
    return name


def grouped(tokens: Sequence[Token], at: int) -> list[Token]:
    """The tokens between parentheses that no reader sees."""
    return in_parentheses(tokens, at, "group")


class _Latex(Pieces):
    """A reader of the pieces of a formula: commands, letters with Greek ones, numbers and marks."""

    def __init__(self, text: str) -> None:
        self.text, self.next, self.depth = text, 0, 0
        self.tokens = list(self._scan())

    def _scan(self) -> Iterator[Token]:
        at = 0
        while at < len(self.text):
            match = PIECE.match(self.text, at)
            if match is None:
                raise ParseError.at(self.text, at, f"cannot read {self.text[at]!r}")
            kind, text = str(match.lastgroup), match[0]
            name = GREEK_SIGNS.get(text) or text.removeprefix("\\").removeprefix("var")
            if kind == "greek" or (kind == "command" and name in {*GREEK, "ell"} - {"Delta"}):
                yield Token("letter", name, at)
            elif kind == "bar":
                yield Token("mark", "".join(text.split()), at)
            elif kind != "ignored":
                yield Token(kind, text, at)
            at = match.end()

    # -- pieces and groups -----------------------------------------------------------------------

    def raw(self, what: str) -> str:
        """The source text of the next group in braces, or of the next piece with its argument."""
        first = self.take(what)
        if first.text[1:] in FONTS and self.peek("{"):
            return f"{first.text}{{{self.raw(what)}}}"
        depth = int(first.text == "{")
        while depth:
            piece = self.take("a closing brace").text
            depth += (piece == "{") - (piece == "}")
        last = self.tokens[self.next - 1].position
        return self.text[first.position + 1 : last] if first.text == "{" else first.text

    def until(self, opening: Token, *closing: str) -> list[Token]:
        """The tokens up to the end of a group; brackets of the same kind may be nested in it."""
        tokens: list[Token] = []
        depth = 0
        while depth or not self.peek(*closing):
            piece = self.ahead()
            if not piece.kind:
                self.refuse(opening, "never closed: {}")
            if opening.text in BRACKETS:
                depth += (piece.text == opening.text) - (piece.text in closing)
            tokens += self.item(tokens)
        self.next += 1
        return tokens

    def bracket(self) -> list[Token]:
        """The tokens of a bracket that a reader sees."""
        opening = self.take()
        return in_parentheses(self.until(opening, BRACKETS[opening.text]), opening.position)

    def argument(self, what: str) -> list[Token]:
        """The tokens of an argument, a group in braces or one piece: `\\frac12` and `x^12` take one
        digit, and `x^-2` a sign as well.
        """
        piece, at = self.take(what), self.ahead(-1).position
        if piece.text == "{":
            return grouped(self.until(piece, "}"), at)
        if piece.kind == "number":
            first = piece.text if "." in piece.text else piece.text[0]
            if first != piece.text:
                self.next -= 1
                self.tokens[self.next] = Token("number", piece.text[1:], at + 1)
            return grouped([Token("number", first, at)], at)
        if piece.kind == "letter":
            return grouped([Token("name", piece.text, at)], at)
        is_sign = piece.text == "-" and what == "an exponent"
        if is_sign and (self.ahead().kind in ("number", "letter") or self.peek("{")):
            return grouped([Token("operator", "-", at), *self.argument(what)], at)
        if piece.kind != "command":
            self.refuse(piece)
        self.next -= 1
        return grouped(self.item(), at)

    def item(self, before: Sequence[Token] = ()) -> list[Token]:
        """The tokens of the next piece with its arguments and ornaments; `before` are the tokens of
        its group in front of it.
        """
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            raise ParseError.too_deep(self.text)
        tokens = self._item(self.take(), before)
        self.depth -= 1
        return tokens

    def _item(self, piece: Token, before: Sequence[Token]) -> list[Token]:
        at, text, last = piece.position, piece.text, before[-1] if before else piece
        if text in (".", ",", ";") and (not self.ahead().kind or (text != "," and self.peek("}"))):
            return []
        if text in WIDE:
            is_separated = not before or last.kind == "relation" or last.text == ","
            is_between = not is_separated and self.ahead().text not in ("", "}", *PLAIN)
            return [Token("operator", ",", at)] if is_between else []
        if text in PLAIN:
            return [Token(*PLAIN[text], at + (text == ":="))]
        if piece.kind == "number":
            return [Token("number", text.replace("{,}", ""), at)]
        if piece.kind == "letter":
            return self.named(text, at)
        if piece.kind == "command" and text[1:] in COMMANDS:
            tokens = COMMANDS[text[1:]](self, piece)
            if last.kind == "number":
                self._refuse_behind_number(piece, tokens)
            return tokens
        if text == "{":
            return self.braced(piece)
        if text == r"\left.":
            return self.between(piece)
        if text in ("|", r"\left|"):
            inside = self.until(piece, text.replace("left", "right"))
            return [Token("name", "abs", at), *in_parentheses(inside, at)]
        if text == "^":
            return [Token("power", "^", at), *self.argument("an exponent")]
        is_value = bool(before) and (last.kind in ("number", "name") or last.text == ")")
        if text != "!" or not is_value or self.text[at + 1 : at + 2] in ("!", "="):
            self.refuse(piece)
        return [Token("mark", "factorial", at)]

    def _refuse_behind_number(self, piece: Token, tokens: list[Token]) -> None:
        """Refuse `2\\tfrac12`, which may be a sum, and `7\\mathrm{B}`, which may have a unit."""
        kinds = {token.kind for token in tokens if token.text not in ("(", "/", ")")}
        is_mixed = piece.text[1:] in FRACTIONS and kinds == {"number"}
        is_unit = piece.text[1:] in UPRIGHT and [len(t.text) for t in tokens] == [1]
        if is_mixed or is_unit:
            rest = " behind a number: it may be a unit or a sum; write \\cdot before a factor"
            self.refuse(piece, "ambiguous {}", rest)

    def braced(self, opening: Token) -> list[Token]:
        """The tokens of a group in braces. A name alone in it may have ornaments behind it,
        `{N_c}^*`, and braces around a bracket are dropped.
        """
        inside = self.until(opening, "}")
        if [token.kind for token in inside] == ["relation"]:  # `x{=}1`
            return inside
        if [token.kind for token in inside] == ["name"]:
            return self.named(inside[0].text, inside[0].position)
        steps = ((token.text in CLOSING) - (token.text in CLOSING.values()) for token in inside)
        depths = list(accumulate(steps))
        is_bracket = len(depths) > 1 and depths.count(0) == 1 and depths[-1] == 0
        return inside if is_bracket else grouped(inside, opening.position)

    def between(self, opening: Token) -> list[Token]:
        """The tokens of `\\left. f \\right|_{N = N^*, D = D^*}`."""
        tokens = grouped(self.until(opening, r"\right|"), opening.position)
        if self.take("a value below the bar").text != "_":
            self.refuse(opening)
        places = self.argument("a value")[1:-1]
        if [places[0].text, places[-1].text] == ["(", ")"]:
            places = places[1:-1]
        places = [Token("operator", "=", t.position) if t.text == "==" else t for t in places]
        return [*tokens, Token("mark", "evaluated", opening.position), *in_parentheses(places, 0)]

    # -- commands --------------------------------------------------------------------------------

    def fraction(self, piece: Token) -> list[Token]:
        above, below = self.argument("a numerator"), self.argument("a denominator")
        tokens = [*above, Token("operator", "/", piece.position), *below]
        is_derivative = {above[1].text, below[1].text} <= {"d", "partial"} and len(below) > 3
        return tokens if is_derivative else grouped(tokens, piece.position)

    def root(self, piece: Token) -> list[Token]:
        at = piece.position
        degree = self.bracket() if self.peek("[") else [Token("number", "2", at)]
        one_over = [Token("number", "1", at), Token("operator", "/", at), *degree]
        radicand = self.argument("a radicand")
        return grouped([*radicand, Token("power", "^", at), *grouped(one_over, at)], at)

    def binomial(self, piece: Token) -> list[Token]:
        """The tokens of a binomial coefficient, a function of two arguments."""
        at, top, bottom = piece.position, self.argument("a number"), self.argument("a number")
        return [
            Token("name", "binom", at),
            *in_parentheses([*top, Token("operator", ",", at), *bottom], at),
        ]

    # -- functions -------------------------------------------------------------------------------

    def function(self, piece: Token) -> list[Token]:
        """The tokens of `\\log x`, `\\log(x)`, `\\log^2 x` or `\\log_{10} x`; without parentheses the
        argument is the next factor with its power.
        """
        at, name, power = piece.position, FUNCTIONS[piece.text[1:]], list[Token]()
        if piece.text == r"\log" and self.peek("_"):
            mark = self.take()
            name += "".join(token.text for token in self.argument("a base")).strip("()")
            if name not in ("log2", "log10"):
                self.refuse(mark, "the base of a logarithm is 2 or {{10}}, not {}")
        if self.peek("^"):
            self.take()
            power = [Token("power", "^", at), *self.argument("an exponent")]
            if [token.text for token in power[2:-1]] == ["-", "1"]:
                rest = ": it may be the inverse function or 1 over the function"
                self.refuse(piece, "ambiguous {}", rest)
        tokens = [Token("name", name, at), *self.function_argument(name)]
        return [*grouped(tokens, at), *power] if power else tokens

    def function_argument(self, name: str) -> list[Token]:
        """The argument of a function: a bracket, or the next factor with its power, in
        `\\log N^*(C)` with its arguments. Anything behind it that may belong to it is refused.
        """
        opening = self.ahead()
        if opening.text in BRACKETS:
            tokens = self.bracket()
            is_clear = not self.peek("^")
        else:
            tokens = self.item()
            if self.peek("(") and tokens[-1].text in WITH_ARGUMENTS and opening.text != "{":
                tokens += self.bracket()
            if self.peek("^"):
                tokens += self.item()
            tokens, after = in_parentheses(tokens, opening.position), self.ahead()
            is_over = after.text == "/" and self.ahead(1).text[1:] in FUNCTIONS
            begins = after.kind in ("letter", "number") or after.text[1:] in VALUES
            is_clear = is_over or not (begins or after.text in {"{", "/", *BRACKETS})
            is_clear &= opening.text not in ("+", "-")
        if not is_clear:
            what = f"parentheses are expected around the argument of {name} before {{}}"
            self.refuse(self.ahead(), what)
        return tokens

    # -- names -----------------------------------------------------------------------------------

    def difference(self, piece: Token) -> list[Token]:
        """The tokens of `\\Delta C`, which is one quantity."""
        if self.take("a letter").kind != "letter":
            self.refuse(piece)
        return self.named(f"Delta_{self.ahead(-1).text}", piece.position)

    def in_a_font(self, piece: Token) -> list[Token]:
        """The tokens of a letter, a word or the name of a function in a font."""
        at, font, start = piece.position, piece.text[1:], self.next
        word = self.raw(f"an argument of {piece.text}")
        if word in COMMANDS and word not in FONTS:
            return COMMANDS[word](self, Token("command", "\\" + word, at))
        if re.fullmatch(r"\d+(?:\.\d+)?", word):
            return [Token("number", word, at)]
        if re.fullmatch(r"[A-Za-z]", word):
            is_upright = font in UPRIGHT or word in ("L", "O")  # the loss, and an order
            return self.named(word if is_upright else f"{word}_{font}", at)
        if re.fullmatch(r"[A-Za-z]+@", word):
            return self.at_samples(word[:-1], at)
        is_word = re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", word) and word not in GREEK
        if is_word and not PROSE.fullmatch(word):
            return self.named(word if self.peek("@") else f'"{word}"', at)
        if word[:1] != "\\" or font in (*OF_PROSE, "operatorname"):
            self.refuse(piece)
        self.next = start
        return self.marked(piece)  # \boldsymbol{\alpha}

    def marked(self, piece: Token) -> list[Token]:
        """The tokens of a name with an accent: `\\hat{N}_c` is another quantity than `N_c`."""
        mark = ACCENT_COMMANDS.get(piece.text[1:], piece.text[1:])
        inside = self.argument(f"an argument of {piece.text}")[1:-1]
        if [token.kind for token in inside] != ["name"] or inside[0].text == "oo":
            self.refuse(piece, rest=": it is read over a name alone")
        return self.named(f"{inside[0].text}_{mark}", piece.position)

    def named(self, base: str, at: int) -> list[Token]:
        """The tokens of a symbol with its indices and ornaments; `e^{...}` is the exponential."""
        below: list[str] = []
        above: list[str] = []
        marks: list[str] = []
        while self.peek("'", "_", "^"):
            piece = self.ahead()
            if piece.text == "^" and (label := LABEL_ABOVE.match(self.text, piece.position)):
                rest = ": it may be a label or an exponent"
                self.refuse(Token("mark", label[0], piece.position), "ambiguous {}", rest)
            if word := UNBRACED.match(self.text, piece.position):
                rest = f": write {base}_{{{word[1]}}} for a word below"
                self.refuse(Token("mark", word[0], piece.position), "ambiguous {}", rest)
            if (more := self._behind_star()) is not None:
                return [Token("name", spelt(base, [*below, *above], [*marks, STAR]), at), *more]
            if piece.text == "^" and not ORNAMENT.match(self.text, piece.position):
                break
            self.take()
            if piece.text == "'":
                marks.append(PRIME)
            else:
                (below if piece.text == "_" else above).extend(self.parts(marks))
        name = spelt(base, [*below, *above], marks)
        if self.peek("@"):
            self.take()
            return self.at_samples(name, at)
        if name == "e" and self.peek("^"):
            self.take()
            tokens = [Token("name", "exp", at), *self.argument("an exponent")]
            if self.peek("^"):
                self.refuse(self.ahead())
            return tokens
        return [Token("name", name, at)]

    def _behind_star(self) -> list[Token] | None:
        """The tokens of the exponent in `N^{*-\\beta}`; None for another ornament. `N^{*\\beta}`, whose
        star may have an index beside it, is refused.
        """
        sign, opening, star, after = map(self.ahead, range(4))
        if [sign.text, opening.text] != ["^", "{"] or star.text not in STARS:
            return None
        if after.kind in ("letter", "number"):
            rest = ": write (x^*)^y for a power"
            self.refuse(after, "ambiguous {} behind a star", rest)
        if after.text != "-":
            return None
        self.next += 3
        power = grouped(self.until(opening, "}"), sign.position)
        return [Token("power", "^", sign.position), *power]

    def parts(self, marks: list[str]) -> list[str]:
        """The parts of a subscript or of an ornament; its stars and primes are added to `marks`."""
        at, source = self.ahead().position, self.raw("a subscript")
        words = WORDS.sub(
            lambda m: f",{'_'.join(re.findall('[A-Za-z0-9]+', m[1]))},", source.replace("_", "")
        )
        plain = re.sub(r"\\(?:rm|it|bf|sf|tt)(?![A-Za-z])|\\[,;:! ]|[{}~\s]", "", words)
        plain = re.sub(
            r"\\(?:var)?([A-Za-z]+)|[*']", lambda m: f",{INDEX_SYMBOLS.get(m[1], m[0])},", plain
        )
        plain = plain.translate({ord(x): name for x, name in GREEK_SIGNS.items()})
        found = [part for part in plain.split(",") if part]
        marks += [STAR if part == "*" else PRIME for part in found if part in ("*", "'")]
        parts = [part for part in found if part not in ("*", "'")]
        taken = {*ACCENTS, STAR, PRIME} & {x for part in parts for x in part.split("_")}
        if (
            not found
            or taken
            or found.count("*") > 1
            or not all(re.fullmatch(r"\w+", part) for part in parts)
        ):
            raise ParseError.at(self.text, at, f"cannot read the subscript {source!r}")
        return parts

    def at_samples(self, measure: str, at: int) -> list[Token]:
        """The tokens of `pass@k` or `pass@(k + 1)`, a function of the number of samples."""
        inside = self.bracket() if self.peek("(") else self.argument("a number")
        return [Token("name", f"{measure}{AT}", at), *in_parentheses(inside[1:-1], at)]


#: The methods that read the commands with arguments.
COMMANDS: dict[str, Callable[[_Latex, Token], list[Token]]] = {
    **dict.fromkeys(FUNCTIONS, _Latex.function),
    **dict.fromkeys(FRACTIONS, _Latex.fraction),
    **dict.fromkeys(FONTS, _Latex.in_a_font),
    **dict.fromkeys(ACCENT_COMMANDS, _Latex.marked),
    "Delta": _Latex.difference,
    "sqrt": _Latex.root,
    "binom": _Latex.binomial,
}
#: Commands that begin a value.
VALUES = {*FONTS, *FRACTIONS, *ACCENT_COMMANDS, "Delta", "sqrt"}
