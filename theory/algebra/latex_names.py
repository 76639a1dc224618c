r"""The pieces of a formula in LaTeX one after another, and the indices, ornaments and words of its names:
`N_{\text{eff}}`, `R_D^*`, `\mathrm{opt}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .latex_table import (
    BARS,
    FONTS,
    INDEX_SYMBOLS,
    PIECE,
    PROSE_FONTS,
    SIZES,
    SPACES,
    STARRED,
    STARS,
    SWITCHES,
    WITH_WIDTH,
    is_greek,
)
from .tokens import ACCENTS, DEEPEST_NESTING, GREEK_SIGNS, OPTIMA, PRIME, STAR, ParseError, Token

#: A word above a name.
WORD_ABOVE = re.compile(
    r"(?:\\(?:mathrm|text|textrm|operatorname|mathit|rm|textit)\s*\{?\s*)?opt(?![A-Za-z])"
    r"|\\(?:mathrm|text|textrm|textit|mathsf|texttt)\s*\{\s*(?!e\s*\})[A-Za-z][^{}]*\}"
)
#: `^{(1)}`.
LABEL_ABOVE = re.compile(r"\{\s*\(\s*[A-Za-z0-9]\s*\)\s*\}")
NOT_OF_A_WORD = re.compile(r"[^A-Za-z0-9\s.,\-\u2010-\u2013~&/:]|\\(?![,;:! ])")


class Pieces:
    """The pieces of a part of the text: commands, letters, numbers and marks."""

    def __init__(self, text: str, start: int = 0, stop: int | None = None) -> None:
        self.text = text
        self.pieces = list(self._pieces(start, len(text) if stop is None else stop))
        self.next = 0
        self.depth = 0

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
            kind = "command" if match["greek"] else str(match.lastgroup)
            yield Token(kind, "\\" + GREEK_SIGNS[text] if match["greek"] else text, position)
            position += len(text)

    def error(self, what: str, piece: str, position: int, rest: str = "") -> ParseError:
        return ParseError.at(self.text, position, f"{what} {piece!r}", rest)

    def peek(self) -> Token | None:
        self._skip_ignored()
        return self.pieces[self.next] if self.next < len(self.pieces) else None

    def at(self, *texts: str) -> bool:
        """Whether the next piece is one of these."""
        piece = self.peek()
        return piece is not None and piece.text in texts

    def ahead(self, number: int = 1) -> str:
        """The text of a later piece."""
        at = self.next + number
        return self.pieces[at].text if at < len(self.pieces) else ""

    def take(self, what: str) -> Token:
        piece = self.peek()
        if piece is None:
            raise ParseError.at_end(self.text, what)
        self.next += 1
        return piece

    def raw(self, what: str) -> str:
        """The source of a group in braces, or of one piece, unread."""
        piece = self.take(what)
        if piece.text != "{":
            return piece.text
        closing = self.closing(self.next - 1)
        self.next = closing + 1
        return self.text[piece.position + 1 : self.pieces[closing].position].strip()

    def closing(self, opening: int) -> int:
        """The index of the brace that closes one."""
        index = self._match(opening, "{", "}")
        if index is None:
            piece = self.pieces[opening]
            raise self.error("never closed:", piece.text, piece.position)
        return index

    def matching_right(self) -> int | None:
        """The index of the `\\right` of the `\\left` at hand."""
        return self._match(self.next, r"\left", r"\right")

    def _match(self, start: int, opens: str, closes: str) -> int | None:
        depth = 0
        for index in range(start, len(self.pieces)):
            depth += {opens: 1, closes: -1}.get(self.pieces[index].text, 0)
            if depth == 0:
                return index
        return None

    def _skip_ignored(self) -> None:
        while self.next < len(self.pieces):
            piece, after = self.pieces[self.next], self.ahead()
            command = piece.text[1:] if piece.kind == "command" else ""
            if command == "left" and after == "." and self._is_evaluation():
                return
            if command in ("left", "right", "middle") and after == ".":
                self.next += 2
            elif command in SIZES and after not in BARS:
                self.next += 1
            elif command in WITH_WIDTH:
                self.next += 1
                if self.ahead(0) == "{":
                    self.next = self.closing(self.next) + 1
            elif self.is_space(piece):
                self.next += 1
            elif piece.text == "{" and after == "}":
                self.next += 2
            else:
                return

    @staticmethod
    def is_space(piece: Token) -> bool:
        is_command = piece.kind == "command" and piece.text[1:] in SPACES
        return is_command or piece.text in ("~", "&")

    def _is_evaluation(self) -> bool:
        """Whether `\\left.` belongs to a `\\right|`."""
        right = self.matching_right()
        after = self.pieces[right + 1 :][:1] if right is not None else []
        return bool(after) and after[0].text in BARS - {r"\lvert"}

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


class NameReader(Pieces):
    """The parts of names."""

    def ornament_follows(self) -> bool:
        """Whether the superscript at hand is an ornament (a star, a prime, `opt`, a word), or
        begins with a star, and is no exponent.
        """
        if self.ahead(0) != "^":
            return False
        inside = (piece for piece in self.pieces[self.next + 1 :] if piece.text != "{")
        first = next(inside, None)
        if first is None:
            return False
        if first.text in STARS or first.text in (r"\prime", r"\dagger", r"\min", r"\max", "'"):
            return True
        if WORD_ABOVE.match(self.text, first.position):
            return True
        label = LABEL_ABOVE.match(self.text, first.position - 1)
        if label is not None:
            rest = ": it may be a label or an exponent"
            raise self.error("ambiguous", label.group(), first.position - 1, rest)
        return False

    def superscript(self, above: list[str], marks: list[str]) -> Token | None:
        """Note the ornaments of a superscript; what stands behind a star in it is an exponent, whose
        opening brace is the answer.
        """
        piece = self.take("a superscript")
        if piece.text != "{":
            above += self.label_part(piece, marks)
            return None
        while (inner := self.take("a closing brace")).text != "}":
            if marks and inner.text not in STARS and inner.text not in ("'", r"\prime", "{", ","):
                is_opt = inner.kind == "letter" and self.text.startswith("opt", inner.position)
                if not is_opt:
                    self.next -= 1
                    return piece
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
        if piece.kind not in ("letter", "number"):
            return self.label_part(piece, marks)
        run = piece.text
        while self.next < len(self.pieces) and self.pieces[self.next].kind in ("letter", "number"):
            run += self.pieces[self.next].text
            self.next += 1
        self._refuse_reserved(run, piece)
        return [self._whole_number(run, piece)]

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
                words = self.word_in_font(command, piece.position)
            self._refuse_reserved(words, piece)
            return [words] if words else []
        if command in INDEX_SYMBOLS or is_greek(command):
            other = {"backslash": "setminus", "infty": "inf"}
            return [other.get(command, command.removeprefix("var"))]
        if piece.kind in ("letter", "number"):
            return [self._whole_number(piece.text, piece)]
        if piece.text in ("+", "-"):
            return ["plus" if piece.text == "+" else "minus"]
        if piece.text in ("{", "_"):
            self.next -= piece.text == "{"
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

    def word_in_font(self, font: str, at: int) -> str:
        """The words inside `\\mathrm{...}` and the like, joined by underscores."""
        piece = self.take(rf"an argument of \{font}")
        if piece.text != "{":
            return "_".join(self._unmarked(piece))
        closing = self._match(self.next - 1, "{", "}")
        inside = self.pieces[self.next : closing]
        if any(inner.kind == "command" and inner.text[1:] in FONTS for inner in inside):
            parts: list[str] = []
            with self.deeper():
                while (inner := self.take("a closing brace")).text != "}":
                    parts += self._unmarked(inner)
            return "".join(parts)
        if closing is None:
            raise ParseError.at_end(self.text, "a closing brace")
        self.next = closing + 1
        source = self.text[piece.position + 1 : self.pieces[closing].position]
        if font in PROSE_FONTS and re.search(r"^[\s~]+[A-Za-z]|[A-Za-z][\s~]+$", source):
            rest = f": {source.strip(' ~')!r} is prose, and no factor"
            raise self.error("cannot read", rf"\{font}", at, rest)
        source = re.sub(r"\\([A-Za-z]+)", lambda m: m[1] if m[1] in INDEX_SYMBOLS else m[0], source)
        bad = NOT_OF_A_WORD.search(re.sub(r"\\[,;:! &]", " ", source))
        if bad is not None:
            raise self.error("cannot read", bad.group(), piece.position + 1 + bad.start())
        if re.fullmatch(r"\s*[0-9]+\.[0-9]+\s*", source):
            raise self.error("cannot read", source.strip(), piece.position + 1)
        source = re.sub(r"\\[,;:! ]", "" if font.startswith("operatorname") else " ", source)
        return "_".join(re.findall(r"[A-Za-z0-9]+", source))

    def _unmarked(self, piece: Token) -> list[str]:
        """The parts of a label that has neither stars nor primes."""
        marks: list[str] = []
        parts = self.label_part(piece, marks)
        if marks:
            raise self.error("cannot read", piece.text, piece.position)
        return parts


def spelt(base: str, below: Sequence[str], above: Sequence[str], marks: Sequence[str]) -> str:
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
