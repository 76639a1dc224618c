"""Expansion of the macros of a LaTeX document."""

from __future__ import annotations

import re

from ..reader.tokens import ParseError

MACRO = re.compile(r"\\([A-Za-z@]+)\*?")
DEFINER = re.compile(r"(?:re|provide)?newcommand|providecommand|def|DeclareMathOperator")
#: The name and the number of arguments behind `\newcommand` or `\def`.
DEFINED = re.compile(r"\s*\{?\s*\\([A-Za-z@]+)\s*\}?\s*(?:\[(\d)\])?((?:#\d)*)\s*")
ARGUMENT = re.compile(r"\s*(\{|\\[A-Za-z]+|\S)")
BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
#: Commands of packages that do not change the meaning of a formula.
OF_PACKAGES = {"ensuremath": (1, "#1"), "boxed": (1, " #1 "), "xspace": (0, "")}
MOST_CHARACTERS, EACH = 2_000_000, 100


def expanded(text: str) -> str:
    """The text with its macros expanded, every line in its place; ParseError where this does not end.
    A macro with optional arguments, or with words between them, stays as it is typed.
    """
    macros, done, length = dict(OF_PACKAGES), [], 0
    while (found := MACRO.search(text)) is not None:
        name, start, stop, value = found[1], found.start(), found.end(), ""
        if DEFINER.fullmatch(name):
            stop = _define(text, name, stop, macros)
        elif name in macros:
            value, stop = _value(text, found.end(1), *macros[name])
            length += len(value) + EACH
            if length > MOST_CHARACTERS:
                raise ParseError(f"the macro \\{name} does not come to an end")
        else:
            start = stop
        done.append(text[:start])
        text = value + "\n" * text.count("\n", start, stop) + text[stop:]
    return "".join([*done, text])


def _define(text: str, word: str, at: int, macros: dict[str, tuple[int, str]]) -> int:
    """Add the macro that is defined here; return the end of its definition."""
    head = DEFINED.match(text, at)
    if head is None:
        return at
    name, number, parameters = head.groups()
    if word != "providecommand":
        macros.pop(name, None)
    if text[head.end() : head.end() + 1] != "{":
        return at
    stop = _end_of_group(text, head.end())
    body = text[head.end() + 1 : stop - 1].replace("\n", " ")
    body = rf"\operatorname{{{body}}}" if word == "DeclareMathOperator" else body
    macros.setdefault(name, (int(number or len(parameters) // 2), body))
    return stop


def _value(text: str, at: int, count: int, body: str) -> tuple[str, int]:
    """The text in place of a macro, and the end of its arguments."""
    given = [""]
    while len(given) <= count and (piece := ARGUMENT.match(text, at)) is not None:
        at = _end_of_group(text, piece.end() - 1) if piece[1] == "{" else piece.end()
        given.append(text[piece.end() : at - 1] if piece[1] == "{" else piece[1])
    value = re.sub(r"#(\d)", lambda m: given[int(m[1])] if int(m[1]) < len(given) else m[0], body)
    value = value.replace("\n", " ")
    return (f"{value} " if re.search(r"\\[A-Za-z]+\Z", value) else value), at


def _end_of_group(text: str, at: int) -> int:
    """The end of the group that opens here; ParseError where it is never closed."""
    depth = 0
    for found in BRACE.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    raise ParseError(f"a brace is never closed: {text[at : at + 30]!r}")
