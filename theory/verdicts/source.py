"""A LaTeX document as one text: inputs followed, macros expanded, comments and what is set verbatim
left blank; and of every character the place in the files from which it came.

Only what changes the text of formulas is carried out: `\\newcommand`, `\\def`, `\\let`,
`\\DeclareMathOperator`, `\\newenvironment`, `\\input`, switches made by `\\newif`. A definition holds
to the end of its group. What is not a definition of this document stays as it is written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..reader.tokens import ParseError
from .document import Layout

BEGIN, END = "% isoflop: begin", "% isoflop: end"
HEADER = re.compile(r"%+\s*isoflop:(?P<renames>[^\n]*)")
MOST_EXPANSIONS = 100_000
LONGEST = 20_000_000
DEEPEST = 100
MOST_FILES = 500

CONTROL = re.compile(r"\\(?:[A-Za-z]+\*?|.)", re.DOTALL)
INTERNAL = re.compile(r"\\(?:[A-Za-z@]+\*?|.)", re.DOTALL)  # between \makeatletter and \makeatother
SPECIAL = re.compile(r"[\\%{}]")
VERBATIM = ("verbatim", "Verbatim", "lstlisting", "minted", "comment", "filecontents", "alltt")
CONDITIONAL = re.compile(r"\\(?P<name>if[A-Za-z@]*|else|fi)(?![A-Za-z@])")
#: Commands of TeX whose name begins with "if" and which open no conditional.
NO_CONDITIONALS = ("iff", "ifthenelse", "ifstrempty", "ifblank")
DEFINING = ("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand")
TRANSPARENT = ("ensuremath", "protect", "xspace", "long", "global", "relax", "leavevmode")
LATER = re.compile(r"#(?P<number>[1-9])")
FONT_OF_ONE_GROUP = re.compile(
    r"\\(?:mathrm|mathit|mathcal|mathbf|mathsf|mathbb|text|textrm|textit|operatorname|boldsymbol|bm)"
    r"\s*(?:\{[^{}]*\}|[A-Za-z])|\\[A-Za-z]+|[A-Za-z]"
)


@dataclass(frozen=True)
class File:
    """One file of the document; its characters are counted from `first` on."""

    name: str
    text: str
    first: int


@dataclass(frozen=True)
class Inclusion:
    """Where a file is included: the command `\\input{...}` in a file, and the file."""

    within: File
    start: int
    stop: int
    file: File


@dataclass(frozen=True)
class Place:
    """Line and column, both from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Text:
    """Characters, each with the span of the files from which it came."""

    characters: str
    firsts: Sequence[int]
    lasts: Sequence[int]

    def __getitem__(self, part: slice) -> Text:
        return Text(self.characters[part], self.firsts[part], self.lasts[part])


@dataclass(frozen=True)
class Macro:
    """What a control sequence stands for: a body with `#1`, `#2`, of which the first may have a
    default.
    """

    body: str
    arguments: int = 0
    default: str | None = None
    is_final: bool = False  # whether what it stands for is no macro itself, after \let


@dataclass(frozen=True)
class TexSource:
    """The document as it is read.

    Attributes
    ----------
    text : str
        As it reads once all macros are expanded.
    files : tuple of File
    missing : tuple of str
        Files that are named by `\\input` and cannot be read, each with its place.
    renames : tuple of str
        What the header `% isoflop: N_* = N_opt, k = kappa` says.
    not_expanded : tuple of str
        Macros whose definition is not understood.
    inclusions : tuple of Inclusion
    """

    text: str
    files: tuple[File, ...]
    firsts: Sequence[int] = field(repr=False)
    lasts: Sequence[int] = field(repr=False)
    missing: tuple[str, ...] = ()
    renames: tuple[str, ...] = ()
    not_expanded: tuple[str, ...] = ()
    inclusions: tuple[Inclusion, ...] = ()

    @cached_property
    def layout(self) -> Layout:
        """Its parts."""
        return Layout(self.text)

    def place(self, position: int) -> Place:
        """Where the character at a position of the text stands."""
        file, at = self.in_file(position)
        return place(file, at)

    def in_file(self, position: int) -> tuple[File, int]:
        """The file that holds a character of the text, and the position in it."""
        return self._located(self.firsts[position] if position < len(self.firsts) else None)

    def end_in_file(self, position: int) -> tuple[File, int]:
        """Where what became the character at a position is over."""
        return self._located(self.lasts[position] if position < len(self.lasts) else None)

    def _located(self, where: int | None) -> tuple[File, int]:
        if where is None:
            return self.files[0], len(self.files[0].text)
        file = self.files[bisect_right([file.first for file in self.files], where) - 1]
        return file, where - file.first


def place(file: File, position: int) -> Place:
    """Line and column of a position of a file."""
    before = file.text[:position]
    return Place(file.name, before.count("\n") + 1, position - before.rfind("\n"))


def read_source(
    text: str,
    name: str = "",
    *,
    read: Callable[[str], str] | None = None,
    markers: Sequence[str] = (BEGIN, END),
) -> TexSource:
    """The document whose main file has this text.

    Parameters
    ----------
    text : str
    name : str
        Of the main file.
    read : function, optional
        The text of a file that `\\input` names; raises OSError or UnicodeDecodeError where there is
        none. Without it no file is read.
    markers : sequence of str
        Comments that stay.

    Raises
    ------
    ParseError
        Where the macros of the document do not come to an end.
    """
    return _Expansion(text, name, read, markers).source()


class _Expansion:
    def __init__(
        self, text: str, name: str, read: Callable[[str], str] | None, markers: Sequence[str]
    ) -> None:
        self.read, self.markers = read, markers
        self.files: list[File] = []
        self.macros: dict[str, Macro] = {}
        self.environments: dict[str, tuple[Macro, Macro]] = {}
        self.switches: dict[str, bool] = {}
        self.groups: list[dict[str, Macro | None]] = []
        self.missing: list[str] = []
        self.inclusions: list[Inclusion] = []
        self.renames: list[str] = []
        self.not_expanded: dict[str, None] = {}
        self.control = CONTROL
        self.characters: list[str] = []
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.expansions = 0
        self.frames: list[tuple[Text, int]] = [(self.added(name, text), 0)]

    def added(self, name: str, text: str) -> Text:
        first = self.files[-1].first + len(self.files[-1].text) + 1 if self.files else 0
        self.files.append(File(name, text, first))
        return Text(text, range(first, first + len(text)), range(first + 1, first + len(text) + 1))

    def source(self) -> TexSource:
        while self.frames:
            self.step()
        return TexSource(
            "".join(self.characters),
            tuple(self.files),
            self.firsts,
            self.lasts,
            tuple(self.missing),
            tuple(self.renames),
            tuple(self.not_expanded),
            tuple(self.inclusions),
        )

    # -- reading on ----------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Copy up to the next character that means something, and carry it out."""
        text, at = self.frames[-1]
        match = SPECIAL.search(text.characters, at)
        stop = match.start() if match is not None else len(text.characters)
        self.emit(text[at:stop])
        if match is None:
            self.frames.pop()
        elif match.group() == "%":
            self.comment(text, stop)
        elif match.group() == "\\":
            self.command(text, stop)
        else:
            if match.group() == "{":
                self.groups.append({})
            else:
                self.close_group()
            self.go_on(text, stop, stop + 1)

    def emit(self, text: Text) -> None:
        if not text.characters:
            return
        last = self.characters[-1] if self.characters else ""
        glued = text.characters[0].isalpha() and re.search(r"(?<!\\)\\[A-Za-z]+\Z", last)
        if glued and self.lasts and self.lasts[-1] != text.firsts[0]:
            self.characters.append(" ")  # the end of a control word
            self.firsts.append(text.firsts[0])
            self.lasts.append(text.firsts[0])
        self.characters.append(text.characters)
        self.firsts.extend(text.firsts)
        self.lasts.extend(text.lasts)
        if len(self.firsts) > LONGEST:
            raise ParseError(
                f"the document is longer than {LONGEST} characters once its macros are expanded"
            )

    def blank(self, text: Text) -> None:
        """Keep the lines and nothing that stands in them."""
        self.emit(Text(re.sub(r"[^\n]", " ", text.characters), text.firsts, text.lasts))

    def go_on(self, text: Text, start: int, stop: int, *, blank: bool = False) -> None:
        """Copy a part of the current text, or blank it out, and continue behind it."""
        (self.blank if blank else self.emit)(text[start:stop])
        self.frames[-1] = (text, stop)

    def comment(self, text: Text, at: int) -> None:
        stop = text.characters.find("\n", at)
        stop = len(text.characters) if stop < 0 else stop
        line = text.characters[at:stop]
        marker = next((m for m in self.markers if m.startswith("%") and line.startswith(m)), None)
        header = HEADER.match(line)
        if marker is not None:
            self.go_on(text, at, at + len(marker))
            self.go_on(text, at + len(marker), stop, blank=True)
            return
        if header is not None and re.search(r":=|=", header["renames"]):
            self.renames += [part.strip() for part in split_renames(header["renames"])]
        self.go_on(text, at, stop, blank=True)

    # -- commands ------------------------------------------------------------------------------------------------------

    def command(self, text: Text, at: int) -> None:
        match = self.control.match(text.characters, at)
        if match is None:  # a backslash at the very end
            self.go_on(text, at, at + 1)
            return
        name, stop = match.group()[1:], match.end()
        bare = name.rstrip("*") if len(name) > 1 else name
        if bare in self.macros:
            self.expand(text, at, at + 1 + len(bare), bare)
        elif bare in DEFINING or bare == "DeclareMathOperator":
            self.define(text, at, stop, bare, starred=name != bare)
        elif bare in ("def", "gdef", "edef", "xdef"):
            self.define_plainly(text, at, stop, bare)
        elif bare == "let":
            self.let(text, at, stop)
        elif bare in ("newenvironment", "renewenvironment"):
            self.define_environment(text, at, stop)
        elif bare in ("begin", "end"):
            self.environment(text, at, stop, bare)
        elif bare in ("input", "include", "subfile"):
            self.input(text, at, stop)
        elif bare in ("makeatletter", "makeatother"):
            self.control = INTERNAL if bare == "makeatletter" else CONTROL
            self.go_on(text, at, stop, blank=True)
        elif bare == "begingroup" or bare == "bgroup":
            self.groups.append({})
            self.go_on(text, at, stop, blank=True)
        elif bare == "endgroup" or bare == "egroup":
            self.close_group()
            self.go_on(text, at, stop, blank=True)
        elif bare == "verb" or bare == "lstinline":
            self.verb(text, at, stop)
        elif bare == "newif":
            self.new_switch(text, at, stop)
        elif bare.startswith("if") or bare in ("else", "fi"):
            self.conditional(text, at, stop, bare)
        elif self.is_setting(bare):
            self.go_on(text, at, stop, blank=True)
        elif bare == "endinput":
            self.frames.pop()
        elif bare in TRANSPARENT:
            self.go_on(text, at, stop, blank=True)
        else:
            self.go_on(text, at, stop)

    def expand(self, text: Text, at: int, stop: int, name: str) -> None:
        self.expansions += 1
        macro = self.macros[name]
        if self.expansions > MOST_EXPANSIONS or len(self.frames) > DEEPEST:
            line = self.place_of(text, at)
            raise ParseError(f"the macro \\{name} in line {line} does not come to an end")
        given: list[Text] = []
        position = stop
        if macro.default is not None:
            found = _bracketed(text.characters, position)
            if found is None:
                given.append(self.standing(macro.default, text, at, stop))
            else:
                given.append(text[found[0] : found[1]])
                position = found[1] + 1
        while len(given) < macro.arguments:
            span = _argument(text.characters, position)
            if span is None:  # too few arguments: nothing that can be read
                self.not_expanded[f"\\{name}"] = None
                self.go_on(text, at, stop)
                return
            first, last, position = span
            given.append(text[first:last])
        first, last = text.firsts[at], text.lasts[position - 1]
        body = _joined(_without_braces(macro.body, text.characters[:at]), given, first, last)
        self.frames[-1] = (text, position)
        if macro.is_final:
            self.emit(body)
        else:
            self.frames.append((body, 0))

    def standing(self, characters: str, text: Text, at: int, stop: int) -> Text:
        """Characters that all came from one place."""
        n = len(characters)
        return Text(characters, [text.firsts[at]] * n, [text.lasts[stop - 1]] * n)

    def place_of(self, text: Text, at: int) -> int:
        where = text.firsts[at]
        file = next(file for file in reversed(self.files) if file.first <= where)
        return place(file, where - file.first).line

    # -- definitions ---------------------------------------------------------------------------------------------------

    def define(self, text: Text, at: int, stop: int, kind: str, *, starred: bool) -> None:
        """`\\newcommand{\\x}[2][default]{body}` and its like."""
        characters = text.characters
        named = _argument(characters, stop)
        name = characters[named[0] : named[1]].strip() if named is not None else ""
        if named is None or not re.fullmatch(r"\\(?:[A-Za-z@]+|.)", name):
            self.go_on(text, at, stop)
            return
        position, arguments, default = named[2], 0, None
        if kind != "DeclareMathOperator":
            if (count := _bracketed(characters, position)) is not None:
                number = characters[count[0] : count[1]].strip()
                arguments, position = int(number) if number.isdigit() else 0, count[1] + 1
            if arguments and (first := _bracketed(characters, position)) is not None:
                default, position = characters[first[0] : first[1]], first[1] + 1
        body = _argument(characters, position)
        if body is None:
            self.go_on(text, at, stop)
            return
        words = _without_comments(characters[body[0] : body[1]])
        if kind == "DeclareMathOperator":
            words = rf"\operatorname{'*' if starred else ''}{{{words}}}"
        if kind != "providecommand" or name[1:] not in self.macros:
            self.set(name[1:], Macro(words, arguments, default))
        self.go_on(text, at, body[2], blank=True)

    def define_plainly(self, text: Text, at: int, stop: int, kind: str) -> None:
        """`\\def\\x#1#2{body}`; arguments with delimiters are not understood."""
        characters = text.characters
        head = re.compile(r"\s*\\([A-Za-z@]+|.)\s*([^{}\\]*)(?=\{)").match(characters, stop)
        body = _argument(characters, head.end()) if head is not None else None
        if head is None or body is None:
            self.go_on(text, at, stop)
            return
        arguments = head[2].count("#")
        if head[2].replace(" ", "") == "".join(f"#{n + 1}" for n in range(arguments)):
            words = _without_comments(characters[body[0] : body[1]])
            self.set(head[1], Macro(words, arguments), everywhere=kind in ("gdef", "xdef"))
        else:
            self.not_expanded[f"\\{head[1]}"] = None
        self.go_on(text, at, body[2], blank=True)

    def let(self, text: Text, at: int, stop: int) -> None:
        pattern = r"\s*\\([A-Za-z@]+|.)\s*=?\s*(\\(?:[A-Za-z@]+|.)|[^\s\\])"
        match = re.compile(pattern).match(text.characters, stop)
        if match is None:
            self.go_on(text, at, stop)
            return
        meant = match[2].removeprefix("\\") if match[2].startswith("\\") else ""
        self.set(match[1], self.macros.get(meant, Macro(match[2], is_final=True)))
        self.go_on(text, at, match.end(), blank=True)

    def set(self, name: str, macro: Macro, *, everywhere: bool = False) -> None:
        if self.groups and not everywhere:
            self.groups[-1].setdefault(name, self.macros.get(name))
        self.macros[name] = macro

    def close_group(self) -> None:
        for name, before in (self.groups.pop() if self.groups else {}).items():
            if before is None:
                self.macros.pop(name, None)
            else:
                self.macros[name] = before

    def define_environment(self, text: Text, at: int, stop: int) -> None:
        characters = text.characters
        named = _argument(characters, stop)
        position = named[2] if named is not None else stop
        count = _bracketed(characters, position)
        arguments = characters[count[0] : count[1]].strip() if count is not None else "0"
        position = count[1] + 1 if count is not None else position
        default = _bracketed(characters, position) if count is not None else None
        position = default[1] + 1 if default is not None else position
        before = _argument(characters, position)
        after = _argument(characters, before[2]) if before is not None else None
        if named is None or before is None or after is None or not arguments.isdigit():
            self.go_on(text, at, stop)
            return
        opening = Macro(
            _without_comments(characters[before[0] : before[1]]),
            int(arguments),
            None if default is None else characters[default[0] : default[1]],
        )
        closing = Macro(_without_comments(characters[after[0] : after[1]]))
        self.environments[characters[named[0] : named[1]]] = opening, closing
        self.go_on(text, at, after[2], blank=True)

    # -- environments, files and conditionals --------------------------------------------------------------------------

    def environment(self, text: Text, at: int, stop: int, side: str) -> None:
        named = _argument(text.characters, stop)
        if named is None:
            self.go_on(text, at, stop)
            return
        name, after = text.characters[named[0] : named[1]], named[2]
        if name.rstrip("*") in VERBATIM and side == "begin":
            closing = text.characters.find(rf"\end{{{name}}}", after)
            closing = len(text.characters) if closing < 0 else closing + len(rf"\end{{{name}}}")
            self.go_on(text, at, closing, blank=True)
            return
        if name in self.environments:
            opening, closing_macro = self.environments[name]
            own = f"{side} {name}"
            self.macros[own] = opening if side == "begin" else closing_macro
            self.expand(text, at, after, own)
            return
        if side == "begin":
            self.groups.append({})
        else:
            self.close_group()
        if name == "document":
            self.groups.clear()
        self.go_on(text, at, after)

    def input(self, text: Text, at: int, stop: int) -> None:
        pattern = r"\s*(?:\{(?P<braced>[^{}]*)\}|(?P<bare>[^\s{}\\%]+))"
        match = re.compile(pattern).match(text.characters, stop)
        if match is None:
            self.go_on(text, at, stop)
            return
        name = (match["braced"] or match["bare"] or "").strip()
        self.go_on(text, at, match.end(), blank=True)
        where, end = text.firsts[at], text.lasts[match.end() - 1]
        within = next(file for file in reversed(self.files) if file.first <= where)
        content = self.content(name)
        if content is None or content[1] in self.around(within):
            self.missing.append(f"{name} (line {self.place_of(text, at)})")
            return
        self.frames.append((self.added(*content), 0))
        start, stop = where - within.first, end - within.first
        self.inclusions.append(Inclusion(within, start, stop, self.files[-1]))

    def around(self, file: File) -> Iterator[str]:
        """The texts of the file and of those that include it: the same again would have no end."""
        yield file.text
        for inclusion in self.inclusions:
            if inclusion.file == file:
                yield from self.around(inclusion.within)

    def content(self, name: str) -> tuple[str, str] | None:
        if self.read is None or not name or len(self.files) >= MOST_FILES:
            return None
        for candidate in (name, f"{name}.tex") if "." in name else (f"{name}.tex", name):
            try:
                return candidate, self.read(candidate)
            except (OSError, ValueError):
                continue
        return None

    def verb(self, text: Text, at: int, stop: int) -> None:
        delimiter = text.characters[stop : stop + 1]
        closing = text.characters.find({"{": "}"}.get(delimiter, delimiter), stop + 1)
        last = closing + 1 if delimiter and closing >= 0 else stop
        self.go_on(text, at, last, blank=True)

    def new_switch(self, text: Text, at: int, stop: int) -> None:
        match = re.compile(r"\s*\\if([A-Za-z@]+)").match(text.characters, stop)
        if match is not None:
            self.switches[match[1]] = False
        self.go_on(text, at, match.end() if match is not None else stop, blank=True)

    def is_setting(self, name: str) -> bool:
        """Carry out `\\drafttrue`, where `\\newif\\ifdraft` was said."""
        for value in ("true", "false"):
            if name.endswith(value) and name.removesuffix(value) in self.switches:
                self.switches[name.removesuffix(value)] = value == "true"
                return True
        return False

    def conditional(self, text: Text, at: int, stop: int, name: str) -> None:
        """Leave out the branch that is not set, where the condition is known."""
        known = {"iffalse": False, "iftrue": True} | {
            f"if{switch}": value for switch, value in self.switches.items()
        }
        if name == "else":  # of a branch that was read: the other one is not
            self.go_on(text, at, _branch_end(text.characters, stop, or_else=False), blank=True)
        elif name == "fi" or known.get(name) is True:
            self.go_on(text, at, stop, blank=True)
        elif known.get(name) is False:
            self.go_on(text, at, _branch_end(text.characters, stop, or_else=True), blank=True)
        else:
            self.go_on(text, at, stop)


def split_renames(text: str) -> list[str]:
    """`N_* = N_opt, k = kappa` part by part; commas in parentheses or braces belong to a part."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character in ",;" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part for part in parts if part.strip()]


def _branch_end(characters: str, start: int, *, or_else: bool) -> int:
    """Behind the `\\fi`, or the `\\else` where that counts, of the conditional that is open here."""
    depth = 0
    for match in CONDITIONAL.finditer(characters, start):
        name = match["name"]
        if name == "fi":
            if depth == 0:
                return match.end()
            depth -= 1
        elif name == "else":
            if depth == 0 and or_else:
                return match.end()
        elif name not in NO_CONDITIONALS:
            depth += 1
    return len(characters)


def _argument(characters: str, position: int) -> tuple[int, int, int] | None:
    """Where the argument that begins here has its contents, and where it ends: a group in braces,
    a control sequence, or one character.
    """
    match = re.compile(r"(?:\s|%[^\n]*\n)*").match(characters, position)
    start = match.end() if match is not None else position
    if start >= len(characters) or characters[start] == "}":
        return None
    if characters[start] != "{":
        control = CONTROL.match(characters, start)
        stop = control.end() if control is not None else start + 1
        return start, stop, stop
    closed = group_end(characters, start)
    return None if closed is None else (start + 1, closed - 1, closed)


def group_end(characters: str, start: int) -> int | None:
    """Behind the brace that closes the one at `start`."""
    depth, position = 0, start
    while position < len(characters):
        character = characters[position]
        if character == "\\":
            position += 1
        elif character == "%":
            line = characters.find("\n", position)
            position = len(characters) if line < 0 else line
        else:
            depth += (character == "{") - (character == "}")
            if depth == 0:
                return position + 1
        position += 1
    return None


def _bracketed(characters: str, position: int) -> tuple[int, int] | None:
    """Where the optional argument that begins here has its contents."""
    match = re.compile(r"\s*\[").match(characters, position)
    if match is None:
        return None
    depth = 0
    for stop in range(match.end(), len(characters)):
        character = characters[stop]
        depth += (character == "{") - (character == "}")
        if character == "]" and depth == 0:
            return match.end(), stop
    return None


def _without_comments(body: str) -> str:
    return re.sub(r"(?<!\\)%[^\n]*\n?[ \t]*", "", body).strip()


def _without_braces(body: str, before: str) -> str:
    """`{\\mathcal{L}}` without its outer braces, so that an index may follow; they stay where the
    whole is an exponent, an index or an argument.
    """
    while body.startswith("{") and group_end(body, 0) == len(body):
        inner = body[1:-1].strip()
        is_argument = re.search(r"(?:[_^]|\\[A-Za-z]+)\s*\Z", before[-40:]) is not None
        single = re.fullmatch(r"\\[A-Za-z]+|[A-Za-z]", inner) is not None
        if not (single or (FONT_OF_ONE_GROUP.fullmatch(inner) and not is_argument)):
            nested = inner.startswith("{") and group_end(inner, 0) == len(inner)
            if not nested:
                return body
        body = inner
    return body


def _joined(body: str, given: Sequence[Text], first: int, last: int) -> Text:
    """The body of a macro with its arguments in their places."""
    characters, firsts, lasts, start = "", list[int](), list[int](), 0

    def add(part: str) -> None:
        nonlocal characters
        characters += part
        firsts.extend([first] * len(part))
        lasts.extend([last] * len(part))

    for match in LATER.finditer(body):
        add(body[start : match.start()])
        start = match.end()
        index = int(match["number"]) - 1
        argument = given[index] if index < len(given) else Text("", (), ())
        if argument.characters[:1].isalpha() and re.search(r"\\[A-Za-z]+\Z", characters):
            add(" ")
        characters += argument.characters
        firsts.extend(argument.firsts)
        lasts.extend(argument.lasts)
        if re.search(r"\\[A-Za-z]+\Z", argument.characters) and body[start : start + 1].isalpha():
            add(" ")
    add(body[start:])
    return Text(characters, firsts, lasts)
