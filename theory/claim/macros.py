"""The macros of a LaTeX document, put in."""

from __future__ import annotations

import re

from ..reader.tokens import ParseError

MACRO = re.compile(r"\\([A-Za-z@]+)\*?")
DEFINER = re.compile(r"(?:re|provide)?newcommand|providecommand|def|gdef|DeclareMathOperator")
DEFINED = re.compile(
    r"\s*\{?\s*\\([A-Za-z@]+)\s*\}?\s*(?:\[(\d)\])?\s*(?:\[([^\]]*)\])?((?:#\d)*)\s*=?\s*"
)
OPTION = re.compile(r"\s*\[([^\]]*)\]")
MOST_EXPANSIONS, MOST_CHARACTERS = 20_000, 2_000_000
#: How many arguments, the first one's default, and the body.
Macro = tuple[int, str | None, str]


def expanded(text: str) -> str:
    """The text with its macros put in, every line in its place.

    Raises
    ------
    ParseError
        Where they do not come to an end.
    """
    macros: dict[str, Macro] = {"ensuremath": (1, None, "#1"), "xspace": (0, None, "")}
    done, count, length = [], 0, 0
    while (found := MACRO.search(text)) is not None:
        name, start, stop, value = found[1], found.start(), found.end(), ""
        if DEFINER.fullmatch(name):
            stop = _define(text, name, stop, macros)
        elif name in macros:
            value, stop = _value(text, found.end(1), *macros[name])
            count, length = count + 1, length + len(value)
            if count > MOST_EXPANSIONS or length > MOST_CHARACTERS:
                raise ParseError(f"the macro \\{name} does not come to an end")
        else:
            start = stop
        done.append(text[:start])
        text = value + "\n" * text.count("\n", start, stop) + text[stop:]
    return "".join([*done, text])


def _define(text: str, word: str, at: int, macros: dict[str, Macro]) -> int:
    """Note the macro that is defined here; where the definition ends."""
    head = DEFINED.match(text, at)
    if head is None:
        return at
    name, number, default, parameters = head.groups()
    if text[head.end() : head.end() + 1] != "{":  # with arguments that words delimit
        macros.pop(name, None)
        return at
    stop = end_of_group(text, head.end())
    body = text[head.end() + 1 : stop - 1].replace("\n", " ")
    body = rf"\operatorname{{{body}}}" if word == "DeclareMathOperator" else body
    if word != "providecommand" or name not in macros:
        macros[name] = (int(number or len(parameters) // 2), default, body)
    return stop


def _value(text: str, at: int, count: int, default: str | None, body: str) -> tuple[str, int]:
    """What stands in place of a macro, and where its arguments end."""
    given = [] if default is None else [default]
    if given and (option := OPTION.match(text, at)) is not None:
        given, at = [option[1]], option.end()
    while len(given) < count:
        at += len(text[at:]) - len(text[at:].lstrip())
        name, is_group = MACRO.match(text, at), text[at : at + 1] == "{"
        stop = end_of_group(text, at) if is_group else name.end() if name else at + 1
        given.append(text[at + is_group : stop - is_group])
        at = stop
    value = re.sub(r"#(\d)", lambda m: given[int(m[1]) - 1] if int(m[1]) <= count else m[0], body)
    value = value.replace("\n", " ")
    return (f"{value} " if re.search(r"\\[A-Za-z]+\Z", value) else value), at


def end_of_group(text: str, at: int) -> int:
    """Behind the group that opens here; ParseError where it is never closed."""
    depth = 0
    for k in range(at, len(text)):
        if text[k] in "{}" and text[k - 1] != "\\":
            depth += 1 if text[k] == "{" else -1
            if depth == 0:
                return k + 1
    raise ParseError(f"a brace is never closed: {text[at : at + 30]!r}")
