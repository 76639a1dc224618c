r"""The LaTeX front end of the grammar: formulas as papers typeset them, to the tokens that `parse`
reads.

Tokens
    Of kind "number", "name", "operator", "power" and "relation", each with its place. Braces become
    parentheses; spacing, sizes and frames go. Of kind "mark" is `evaluated`, with the values in
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NoReturn

from .latex_names import NameReader, spelt
from .latex_table import (
    ACCENT_COMMANDS,
    APPLIED,
    BARS,
    DEFINES,
    DELIMITERS,
    EXTREMA,
    FONTS,
    FRACTIONS,
    FRAMES,
    LABELS,
    MEASURE,
    PLAIN_LABEL,
    PROSE,
    PROSE_FONTS,
    RELATIONS,
    SIZES,
    SWITCHES,
    TIMES,
    UPRIGHT,
    WITH_ARGUMENTS,
    is_greek,
)
from .tokens import (
    AT,
    GREEK,
    LONGEST_TEXT,
    PRIME,
    ParseError,
    Token,
    in_parentheses,
    name_token,
    operator,
    power_of,
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
    return list(LatexReader(text).everything())


class LatexReader(NameReader):
    def __init__(self, text: str, start: int = 0, stop: int | None = None) -> None:
        super().__init__(text, start, stop)
        self.open_bars: list[int] = []
        self.faces: dict[str, str] = {}

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

    def item(self, before: Sequence[Token] = ()) -> list[Token]:
        """The tokens of the next piece with its arguments and decorations, `before` being those of
        its group that come first.
        """
        with self.deeper():
            return list(self._item(before))

    def _item(self, before: Sequence[Token]) -> Iterator[Token]:
        piece = self.take("a value")
        at, ends_a_value = piece.position, bool(before) and _ends_a_value(before[-1])
        if piece.kind == "number":
            number = Token("number", piece.text.replace("{,}", ""), at)
            if self.at(r"\%"):
                self.next += 1
                yield from in_parentheses(
                    [number, operator("/", at), Token("number", "100", at)], at
                )
            else:
                yield number
            self._refuse_unit()
        elif piece.kind == "letter":
            self.one_face(piece.text, "", at)
            yield from self.named(piece.text, at)
        elif piece.text[1:] in SIZES:
            yield from self.sized(piece, before)
        elif piece.text in BARS:
            yield from self.bar(piece, before)
        elif piece.kind == "command":
            yield from self.command(piece.text[1:], at)
        elif piece.text == "{":
            yield from self.braced(piece)
        elif piece.text == "^":
            yield Token("power", "^", at)
            yield from self.argument("an exponent")
        elif piece.text in "=<>" or (piece.text == ":" and self.ahead(0) == "="):
            yield self.relation(piece)
        elif piece.text in "+-*/()[],":
            yield operator(piece.text, at)
        elif piece.text == "_" and before and before[-1].text == ")":
            yield from self.evaluated(piece)
        elif piece.text == "!" and ends_a_value and self.ahead(0) != "!":
            yield Token("mark", "factorial", at)
        else:
            raise self.error("cannot read", piece.text, at)

    def relation(self, piece: Token) -> Token:
        is_joined = self.ahead(0) == "="
        self.next += is_joined
        text = "==" if piece.text in ":=" else piece.text + "=" * is_joined
        return Token("relation", text, piece.position + (piece.text == ":"))

    def _refuse_unit(self) -> None:
        """`20\\,\\text{tokens}` and `7\\mathrm{B}` have a unit, and no factor."""
        piece = self.peek()
        font = piece.text[1:] if piece is not None and piece.kind == "command" else ""
        if piece is None or font not in UPRIGHT - {"operatorname", "mathop"}:
            return
        start = self.next
        self.next += 1
        following = self.pieces[self.next : self.next + 1]
        if not (following and MEASURE.match(self.text, following[0].position)):
            word = self.word_in_font(font, piece.position)
            is_unit = word not in {"", "e", "min", "max", *APPLIED} and self.ahead(0) != "@"
            if is_unit:
                rest = f": a number is followed by {word!r}, which may be a unit; write \\cdot before a factor"
                raise self.error("cannot read", piece.text, piece.position, rest)
        self.next = start

    # -- groups ----------------------------------------------------------------------------------------------------

    def until(self, closing: str, opening: Token) -> list[Token]:
        """The tokens up to where a group closes; parentheses in parentheses are skipped."""
        tokens: list[Token] = []
        bars, self.open_bars = self.open_bars, []
        depth = 0
        while True:
            piece = self.peek()
            if piece is None:
                raise self.error("never closed:", opening.text, opening.position)
            if piece.text == closing and depth == 0:
                self.next += 1
                break
            if piece.text == r"\over" and closing == "}":
                self.next += 1
                at, below = piece.position, self.until("}", opening)
                quotient = operator("/", at)
                tokens = [*in_parentheses(tokens, at), quotient, *in_parentheses(below, at)]
                break
            if opening.text != "{":
                depth += (piece.text == opening.text) - (piece.text == closing)
            tokens += self.item(tokens)
        if self.open_bars:
            raise self.error("never closed:", "|", self.open_bars[-1])
        self.open_bars = bars
        return tokens

    def group(self, what: str) -> list[Token]:
        """The tokens of a group in braces, or of one piece."""
        piece = self.take(what)
        if piece.text == "{":
            return self.until("}", piece)
        self.next -= 1
        with self.deeper():
            return list(self.bare())

    def argument(self, what: str) -> list[Token]:
        """A group in braces, or one piece, as a parenthesised group."""
        piece = self.take(what)
        if piece.kind == "number" and len(piece.text) > 1 and "." not in piece.text:
            # \frac12 and x^12: one digit is the argument, the rest follows
            self.next -= 1
            self.pieces[self.next] = Token("number", piece.text[1:], piece.position + 1)
            inside = [Token("number", piece.text[0], piece.position)]
        elif piece.text == "-" and what == "an exponent" and self._is_one_piece():
            inside = [operator("-", piece.position), *self.group(what)]
        elif piece.text == "-":
            raise self.error("braces are expected around", piece.text, piece.position)
        else:
            self.next -= 1
            inside = self.group(what)
        return in_parentheses(inside, piece.position)

    def _is_one_piece(self) -> bool:
        """Whether what stands behind the sign of an exponent is a number, a letter or a group."""
        piece = self.peek()
        command = piece.text[1:] if piece is not None and piece.kind == "command" else ""
        is_simple = piece is not None and (piece.kind in ("number", "letter") or piece.text == "{")
        return is_simple or is_greek(command) or command in FRACTIONS

    def whole_argument(self, what: str) -> list[Token]:
        """An argument, where two digits are one number: `\\log_{10}`, but `\\log_10` is refused."""
        piece = self.peek()
        if piece is not None and piece.kind == "number" and len(piece.text) > 1:
            raise self.error("braces are expected around", piece.text, piece.position)
        return self.argument(what)

    def bare(self) -> Iterator[Token]:
        """One undecorated letter or command."""
        piece = self.take("a value")
        if piece.kind == "letter":
            self.one_face(piece.text, "", piece.position)
            yield name_token(piece.text, piece.position)
        elif piece.kind == "number":
            yield Token("number", piece.text, piece.position)
        elif piece.text in BARS - {"|"}:
            yield from self.bar(piece, ())
        elif piece.kind == "command":
            yield from self.command(piece.text[1:], piece.position)
        else:
            raise self.error("cannot read", piece.text, piece.position)

    def braced(self, opening: Token) -> Iterator[Token]:
        """A group in braces; a name alone in it may have ornaments behind it: `{N_c}^*`."""
        index = self.next - 1
        if (first := self.peek()) is not None and first.text[1:] in SWITCHES:
            closing = self.closing(index)
            word = self.text[first.position + len(first.text) : self.pieces[closing].position]
            word = word.strip()
            if not re.fullmatch(r"[A-Za-z]+", word):
                raise self.error("cannot read", first.text, first.position)
            self.next = closing + 1
            yield from self.named(word if len(word) == 1 else f'"{word}"', first.position)
            return
        inside = self.until("}", opening)
        if len(inside) == 1 and inside[0].kind == "name":
            yield from self.named(inside[0].text, inside[0].position)
        elif _is_one_group(inside) or any(token.kind == "relation" for token in inside):
            yield from inside
        else:
            yield from in_parentheses(inside, opening.position)

    # -- bars ------------------------------------------------------------------------------------------------------

    def sized(self, piece: Token, before: Sequence[Token]) -> Iterator[Token]:
        """A bar or an invisible delimiter behind `\\left`, `\\right`, `\\big`."""
        command = piece.text[1:]
        if command == "left" and self.ahead(0) == ".":
            yield from self.between_left_and_right(piece)
            return
        bar = self.take("a delimiter")
        if bar.text not in BARS:
            raise self.error("cannot read", piece.text, piece.position)
        way = {"left": "open", "right": "close"}.get(command) or (
            "open" if command[-1] == "l" else "close" if command[-1] == "r" else ""
        )
        yield from self.bar(bar, before, way)

    def between_left_and_right(self, piece: Token) -> Iterator[Token]:
        """`\\left. f \\right|_{r = 1}`."""
        self.next -= 1
        closing = self.matching_right()
        if closing is None:
            raise self.error("never closed:", piece.text, piece.position)
        self.next += 2
        inside: list[Token] = []
        while self.next < closing:
            inside += self.item(inside)
            if self.next < closing and self.is_space(self.pieces[self.next]):
                self.next += 1
        yield from in_parentheses(inside, piece.position)
        self.next += 2
        lower = self.peek()
        if lower is None or lower.text != "_":
            raise self.error("a value is expected below", r"\right|", piece.position)
        self.next += 1
        yield from self.evaluated(lower)

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
            yield operator(")", at)
        elif way == "close":
            raise self.error("never opened:", piece.text, at)
        else:
            self.open_bars.append(at)
            yield name_token("abs", at)
            yield operator("(", at)

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
        tokens = self.group("a value")
        yield Token("mark", "evaluated", lower.position)
        yield operator("[", lower.position)
        if [token.text for token in tokens] in (['"opt"'], ["*"]):
            tokens = [Token("mark", "*", lower.position)]
        for token in tokens:
            if token.kind == "relation" and token.text not in ("==", "->"):
                raise self.error("cannot read", token.text, token.position)
            yield operator("=", token.position) if token.kind == "relation" else token
        yield operator("]", lower.position)

    # -- commands --------------------------------------------------------------------------------------------------

    def command(self, name: str, at: int) -> Iterable[Token]:
        """The tokens of a command with its arguments."""
        if name == "varphi" and self.ahead(0) == "_" and self.ahead() in ("2", "{"):
            return self.named("phi", at)
        if name in RELATIONS:
            return [Token("relation", RELATIONS[name], at)]
        if name in DELIMITERS:
            return [operator(DELIMITERS[name], at)]
        if name in TIMES:
            return [operator("*", at)]
        if name in COMMANDS:
            return COMMANDS[name](self, name, at)
        if is_greek(name) or name == "ell":
            return self.named(name.removeprefix("var"), at)
        raise self.error("cannot read", rf"\{name}", at)

    def infinity(self, name: str, at: int) -> list[Token]:
        return [name_token("oo", at)]

    def colon(self, name: str, at: int) -> list[Token]:
        if self.ahead(0) != "=":
            raise self.error("cannot read", rf"\{name}", at)
        return [self.relation(Token("mark", ":", at))]

    def ambiguous_logarithm(self, name: str, at: int) -> list[Token]:
        rest = ": its base may be 2 or 10; write \\log_{10}"
        raise self.error("ambiguous", rf"\{name}", at, rest)

    def colour(self, name: str, at: int) -> list[Token]:
        self.raw("a colour")
        return []

    def fraction(self, name: str, at: int) -> list[Token]:
        above = self.argument("a numerator")
        return in_parentheses([*above, operator("/", at), *self.argument("a denominator")], at)

    def root(self, name: str, at: int) -> list[Token]:
        degree: list[Token] = [Token("number", "2", at)]
        piece = self.peek()
        if piece is not None and piece.text == "[":
            self.next += 1
            degree = self.until("]", piece)
        radicand = self.argument("a radicand")
        one_over = [Token("number", "1", at), operator("/", at), *in_parentheses(degree, at)]
        return in_parentheses([*radicand, *power_of(one_over, at)], at)

    def binomial(self, name: str, at: int) -> list[Token]:
        """n choose k, as a function of two values."""
        top, bottom = self.argument("a number"), self.argument("a number")
        return [name_token("binom", at), *in_parentheses([*top, operator(",", at), *bottom], at)]

    def with_brace(self, name: str, at: int) -> list[Token]:
        """What stands over or under a brace, without the label of that."""
        inside = self.argument("what is under the brace")
        if self.at("_", "^"):
            self.next += 1
            self.raw("a label")
        return inside

    def framed(self, name: str, at: int) -> list[Token]:
        """What stands in a frame, which may be a whole equation."""
        if name == "textcolor":
            self.raw("a colour")
        opening = self.take(rf"an argument of \{name}")
        if opening.text != "{":
            raise self.error("braces are expected behind", rf"\{name}", at)
        inside = self.until("}", opening)
        is_loose = any(token.kind == "relation" for token in inside) or len(inside) == 1
        return inside if is_loose else in_parentheses(inside, at)

    def labelled(self, name: str, at: int) -> Iterable[Token]:
        """A relation with something above it."""
        label = self.raw("a label")
        tokens = self.group("a relation")
        if len(tokens) != 1 or tokens[0].kind != "relation":
            raise self.error("cannot read", rf"\{name}", at)
        word = re.sub(r"\\(?:text|mathrm|textrm|rm|textit|mathsf|tiny|scriptsize)\b|[{}]", "", label)  # fmt: skip
        if word.strip().lower() not in DEFINES and not PLAIN_LABEL.fullmatch(label):
            rest = f": what {label!r} over a relation says is not understood"
            raise self.error("cannot read", rf"\{name}", at, rest)
        return [Token("relation", tokens[0].text, at)]

    def extremum(self, name: str, at: int) -> list[Token]:
        """`\\max(a, b)`; a least value over variables is refused."""
        piece = self.peek()
        if name.startswith("arg") or (piece is not None and piece.text == "_"):
            rest = ": a least or greatest value over variables is not read"
            raise self.error("cannot read", rf"\{name}", at, rest)
        if piece is None or piece.text not in ("(", "[", r"\{", r"\lbrace"):
            raise self.error("parentheses are expected behind", rf"\{name}", at)
        self.next += 1
        closing = {"(": ")", "[": "]"}.get(piece.text, r"\}")
        return [name_token(name, at), *in_parentheses(self.until(closing, piece), piece.position)]

    def series(self, name: str, at: int) -> NoReturn:
        raise self.error("cannot read", rf"\{name}", at, ": write out its terms")

    # -- functions -------------------------------------------------------------------------------------------------

    def function(self, written: str, at: int) -> list[Token]:
        """`\\log x`, `\\log(x)`, `\\log^2 x`, `\\log_{10} x`: without parentheses the argument is
        the next factor with its power.
        """
        name = APPLIED[written]
        base: list[Token] = []
        exponent: list[Token] = []
        while (piece := self.peek()) is not None and piece.text in ("^", "_"):
            if (piece.text == "_" and (written != "log" or base)) or (
                piece.text == "^" and exponent
            ):
                raise self.error("cannot read", piece.text, piece.position)
            self.next += 1
            if piece.text == "_":
                base = self.whole_argument("a base")
            else:
                exponent = self.whole_argument("an exponent")
        if len(exponent) == 4 and [t.text for t in exponent[1:3]] == ["-", "1"] and name != "log":
            rest = ": it may be the inverse function or 1 over the function"
            raise self.error("ambiguous", rf"\{written}^{{-1}}", at, rest)
        tokens = [name_token(name, at), *self.function_argument(name, at)]
        if base:
            tokens = in_parentheses([*tokens, operator("/", at), name_token("log", at), *base], at)
        if exponent:
            tokens = [*in_parentheses(tokens, at), Token("power", "^", at), *exponent]
        return tokens

    def function_argument(self, name: str, at: int) -> list[Token]:
        piece = self.peek()
        if piece is not None and (
            piece.text in ("(", "[", r"\{", r"\lbrace")
            or (piece.text == "{" and not self._group_goes_on())
        ):
            closing = {"(": ")", "[": "]", "{": "}"}.get(piece.text, r"\}")
            self.next += 1
            inside = in_parentheses(self.until(closing, piece), piece.position)
            after = self.peek()
            is_function = len(inside) == 3 and inside[1].text in WITH_ARGUMENTS
            is_call = is_function and piece.text == "{" and self.at("(", "[")
            if after is not None and (after.text == "^" or is_call):
                what = f"parentheses are expected around {name}(...) or its argument before"
                raise self.error(what, after.text, after.position)
            return inside
        return in_parentheses(self.only_factor(name), at)

    def _group_goes_on(self) -> bool:
        """Whether the group in braces at hand is decorated or raised."""
        after = self.pieces[self.closing(self.next) + 1 :][:1]
        return bool(after) and after[0].text in ("^", "_", "'")

    def only_factor(self, name: str) -> list[Token]:
        """The next factor with its power; in `\\log N^*(C)` with its arguments. What else may
        belong to it is refused.
        """
        first = self.peek()
        if first is not None and first.text in "+-":
            raise self.error("braces are expected around", first.text, first.position)
        tokens = self.item()
        last = tokens[-1]
        if self.at("^"):
            tokens += self.item()
        piece = self.peek()
        takes_arguments = last.kind == "name" and last.text in WITH_ARGUMENTS
        if piece is not None and piece.text == "(" and takes_arguments:
            self.next += 1
            tokens += in_parentheses(self.until(")", piece), piece.position)
            piece = self.peek()
        command = piece.text[1:] if piece is not None and piece.kind == "command" else ""
        goes_on = piece is not None and (
            piece.kind in ("letter", "number")
            or piece.text in ("(", "[", "{", r"\{", r"\left")
            or command in {*FONTS, *FRACTIONS, *ACCENT_COMMANDS, "ell", "sqrt"}
            or is_greek(command)
            or (piece.text == "/" and self.ahead().removeprefix("\\") not in APPLIED)
        )
        if piece is not None and goes_on:
            what = f"parentheses are expected around the argument of {name} before"
            raise self.error(what, piece.text, piece.position)
        return tokens

    def differential(self, name: str, at: int) -> list[Token]:
        """A `\\partial`; with an index, `\\partial_N L`, it is the operator d/dN."""
        partial = name_token("partial", at)
        if not self.at("_"):
            return [partial]
        self.next += 1
        variables = [token for token in self.group("a variable") if token.text != ","]
        if not variables or any(token.kind != "name" for token in variables):
            raise self.error("cannot read", r"\partial", at, ": letters are expected below it")
        order: list[Token] = []
        power = self.peek()
        if power is not None and power.text == "^":
            self.next += 1
            order = [Token("power", "^", at), *self.whole_argument("an order")[1:-1]]
            if len(variables) > 1:
                raise self.error("cannot read", "^", power.position)
        below = [token for variable in variables for token in (partial, variable)]
        if len(variables) > 1:
            order = [Token("power", "^", at), Token("number", str(len(variables)), at)]
        else:
            below += order
        return [partial, *order, operator("/", at), *in_parentheses(below, at)]

    # -- names -----------------------------------------------------------------------------------------------------

    def one_face(self, letters: str, face: str, at: int) -> None:
        """A formula that has a letter in two faces, as in `\\mathcal{N} = N`, means two
        quantities.
        """
        if self.faces.setdefault(letters, face) != face:
            rest = f": it stands in two faces, so that it means two quantities; only one {letters} can be read"
            raise ParseError.at(self.text, at, f"ambiguous {letters!r}", rest)

    def difference(self, name: str, at: int) -> Iterator[Token]:
        """`\\Delta C` is one quantity."""
        piece = self.peek()
        is_command = piece is not None and piece.kind == "command"
        letter = piece.text[1:].removeprefix("var") if piece is not None and is_command else ""
        if piece is not None and (piece.kind == "letter" or letter in GREEK):
            self.next += 1
            return self.named(f"Delta_{letter or piece.text}", at)
        if piece is not None and piece.text in ("_", "^"):
            return self.named("Delta", at)
        raise self.error("cannot read", r"\Delta", at, ": a letter is expected behind it")

    def in_a_font(self, name: str, at: int) -> Iterable[Token]:
        """A letter, a word or the name of a function in a font."""
        font = name.rstrip("*")
        opening = self.peek()
        measured = MEASURE.match(self.text, opening.position) if opening is not None else None
        if measured is not None:
            self.next = self.closing(self.next) + 1
            return self.at_samples(measured[1], at, measured[2])
        may_set_formulas = font not in ("text", "textrm", "operatorname")
        if opening is not None and opening.text == "{" and may_set_formulas:
            inside = self.pieces[self.next + 1 : self.closing(self.next)]
            if inside and inside[0].kind == "command" and inside[0].text[1:] not in FONTS:
                # \boldsymbol{\alpha}, \mathrm{\frac{1}{2}}: the font of a formula
                self.next += 1
                tokens = self.until("}", opening)
                if len(tokens) != 1 or tokens[0].kind != "name":
                    raise self.error("cannot read", rf"\{name}", at)
                if font not in UPRIGHT:
                    self.one_face(tokens[0].text, font, at)
                return self.named(tokens[0].text, at)
        word = self.word_in_font(name, at)
        plain = word.replace("_", "")
        if plain in APPLIED:
            return self.function(plain, at)
        if plain in EXTREMA:
            return self.extremum(plain, at)
        if len(word) == 1 and word.isalpha():
            self.one_face(word, "" if font in UPRIGHT else font, at)
            if word == "O" and font in ("mathcal", "mathscr"):
                self.faces.pop(word)
            return self.named(word, at)
        if word.isdigit():
            return [Token("number", word, at)]
        if not word:
            raise self.error("cannot read", rf"\{name}", at)
        words = word.lower().split("_")
        if set(words) & PROSE or (len(words) > 1 and font in PROSE_FONTS):
            raise self.error("cannot read", rf"\{name}", at, f": {word!r} is prose")
        if word in GREEK or not word[0].isalpha():
            raise self.error("cannot read", rf"\{name}", at, f": {word!r} is no name")
        return self.named(word if self.ahead(0) == "@" else f'"{word}"', at)

    def accented(self, name: str, at: int) -> Iterable[Token]:
        """`\\hat{N}_c`: another quantity than `N_c`."""
        accent = ACCENT_COMMANDS[name]
        tokens = self.group(rf"an argument of \{name}")
        if tokens and tokens[0].text.endswith(AT):
            return [name_token(f"{tokens[0].text.removesuffix(AT)}_{accent}{AT}", at), *tokens[1:]]
        if len(tokens) != 1 or tokens[0].kind != "name" or tokens[0].text == "oo":
            raise self.error("cannot read", rf"\{name}", at, ": an accent over more than a name")
        base = tokens[0].text
        if base == "L" and accent == "hat":
            self.faces.pop("L", None)
            self.one_face("L", accent, at)
        elif base == "L" and self.faces.get("L") == "":
            del self.faces["L"]
        return self.named(f"{base}_{accent}", at)

    def named(self, base: str, at: int) -> Iterator[Token]:
        """A symbol with its indices and ornaments; `e^{...}` is the exponential."""
        below: list[str] = []
        above: list[str] = []
        marks: list[str] = []
        exponent: list[Token] = []
        while (piece := self.peek()) is not None and not exponent:
            if piece.text == "_":
                self.next += 1
                below += self.index(marks)
            elif piece.text == "'":
                self.next += 1
                marks.append(PRIME)
            elif piece.text == "^" and self.ornament_follows():
                self.next += 1
                opening = self.superscript(above, marks)
                if opening is not None:
                    exponent = power_of(self.until("}", opening), at)
            elif piece.text == "@":
                self.next += 1
                yield from self.at_samples(spelt(base, below, above, marks), at)
                return
            else:
                break
        name = spelt(base, below, above, marks)
        if not exponent and name == "e" and self.at("^"):
            self.next += 1
            yield name_token("exp", at)
            yield from self.argument("an exponent")
            return
        yield name_token(name, at)
        yield from exponent

    def at_samples(self, measure: str, at: int, samples: str = "") -> Iterator[Token]:
        """`pass@k` and `pass@(k + 1)`: a function of the number of samples."""
        yield name_token(f"{measure}{AT}", at)
        if samples:
            kind = "number" if samples.isdigit() else "name"
            yield from in_parentheses([Token(kind, samples, at)], at)
        elif self.ahead(0) == "(":
            opening = self.take("what follows @")
            yield from in_parentheses(self.until(")", opening), opening.position)
        else:
            yield from self.argument("what follows @")


#: What reads each command that has arguments, or a meaning beside the signs of the table.
COMMANDS: dict[str, Callable[[LatexReader, str, int], Iterable[Token]]] = {
    **dict.fromkeys(APPLIED, LatexReader.function),
    **dict.fromkeys(EXTREMA, LatexReader.extremum),
    **dict.fromkeys(FRACTIONS, LatexReader.fraction),
    **dict.fromkeys(FRAMES, LatexReader.framed),
    **dict.fromkeys(LABELS, LatexReader.labelled),
    **dict.fromkeys([*FONTS, "operatorname*"], LatexReader.in_a_font),
    **dict.fromkeys(ACCENT_COMMANDS, LatexReader.accented),
    **dict.fromkeys(["sum", "prod"], LatexReader.series),
    **dict.fromkeys(["underbrace", "overbrace"], LatexReader.with_brace),
    **dict.fromkeys(["color", "colorbox"], LatexReader.colour),
    "Delta": LatexReader.difference,
    "partial": LatexReader.differential,
    "sqrt": LatexReader.root,
    "binom": LatexReader.binomial,
    "infty": LatexReader.infinity,
    "colon": LatexReader.colon,
    "lg": LatexReader.ambiguous_logarithm,
}


def _is_one_group(tokens: Sequence[Token]) -> bool:
    """Whether the first parenthesis closes at the end."""
    depth = 0
    for i, token in enumerate(tokens):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.text, 0)
        if depth == 0:
            return 0 < i == len(tokens) - 1
    return False


def _ends_a_value(token: Token) -> bool:
    """Whether a factorial sign may follow."""
    return token.kind in ("number", "name") or token.text == ")"


def _opens(before: Sequence[Token]) -> bool:
    """Whether a bar opens here, because a value cannot end."""
    return not before or before[-1].kind in ("relation", "power") or before[-1].text in "+-*/([,"
