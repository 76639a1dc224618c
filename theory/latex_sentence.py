r"""Sentences with their formulas set: ``R* = C0 C^-alpha`` becomes ``$R^{*} = C_0 C^{-\alpha}$``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from sympy import Symbol

from isoflop.theory.latex_printer import SIGNS, optimum_latex, render, symbol_latex
from isoflop.theory.notation import DEFAULT, SCHAEFFER, Notation
from isoflop.theory.notation import notation as find_notation
from isoflop.theory.parse import ParseError, parse
from isoflop.theory.symbols import QUANTITIES

ESCAPES = {character: rf"\{character}" for character in "&%$#_{}"}
ESCAPES |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
FUNCTIONS = {"log": r"\log", "dlog": r"d\log", "exp": r"\exp", "lambda": r"\lambda", "Gamma": r"\Gamma", "phi2": r"\varphi_2"}
FUNCTIONS |= {name: rf"\operatorname{{{name}}}" for name in ("expm1", "log1p")}
#: The letters of a law, in which notations and papers differ.
LETTERS = ("E", "A", "B", "C0", "N", "D", "C", "L", "alpha", "beta", "gamma", "r", "rho")
NEEDS_NEIGHBOUR = frozenset({"a", "d", "infinity"})
INFIX = frozenset({"+", "-", "=", "->", "<", ">", "<=", ">=", "~"})
#: What a written formula names upright stays as it is.
WORDS = re.compile(r"\\(?:text|mathrm|operatorname|mathbb|mathcal|begin|end)\{[^{}]*\}")
LETTER = re.compile(
    rf"(?P<word>{WORDS.pattern})|(?P<starred>\b[NDLRC]\^(?:\{{\*(?P<power>[^{{}}]*)\}}|\*|\\star|\\ast))"
    r"|(?P<letter>C_0|C_\{0\}|\\[A-Za-z]+|[A-Za-z])(?P<index>_)?"
)
DIFFERENTIAL, INDEXED = re.compile("d[A-Z]"), re.compile(r"([A-Za-z]|alpha|beta|gamma|tau|xi|nu|mu|pi|kappa)_\w+")
PASS_AT_K = re.compile(r"(pass|fail)@(\([^()]*\)|[A-Za-z0-9_^]+)")
DOTS = "..."
FORMULA = re.compile(
    r"(?P<optimum>[A-Za-z]\*(?![\w*]))|(?P<name>log1p|[A-Za-z]+(?:_[A-Za-z0-9]+)*\d*)|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<power>\^|\*\*)|(?P<dots>\.\.\.)|(?P<relation>->|>=|<=|!=|==)|(?P<other>.)"
)


def respelled_latex(text: str, spelling: Notation) -> str:
    """LaTeX written in the canonical letters, in the letters of the notation."""
    letters = {SCHAEFFER.latex(name): name for name in LETTERS}

    def exchanged(match: re.Match[str]) -> str:
        if match["word"]:
            return match[0]
        if match["starred"]:
            optimal = optimum_latex(match["starred"][0], spelling)
            if match["power"]:
                return f"({optimal})^{{{respelled_latex(match['power'], spelling)}}}"
            return f"{{{optimal}}}" if text[match.end() : match.end() + 1] == "_" and "_" in optimal else optimal
        letter, index = match["letter"].replace("{0}", "0"), match["index"] or ""
        if letter not in letters or (index and letter == SCHAEFFER.latex("alpha")):
            return match[0]
        name = letters[letter]
        return apart(spelling.latex(name) + index, text[match.end() : match.end() + 1])

    return LETTER.sub(exchanged, text)


def sentence_latex(sentence: str, notation: str | Notation = DEFAULT, *, symbols: Iterable[Symbol] = ()) -> str:
    r"""A sentence with its formulas set: ``R* = C0 C^-alpha`` becomes ``$R^{*} = C_0 C^{-\alpha}$``.

    Parameters
    ----------
    sentence : str
        Plain text; with a dollar sign it is LaTeX already, and only its letters are exchanged.
    notation : {"schaeffer", "hoffmann"}
    symbols : iterable of sympy.Symbol
        Names of formulas besides those of the theory.
    """
    spelling = find_notation(notation)
    if "$" in sentence:
        return respelled_latex(sentence, spelling)
    table = {name: quantity.symbol for name, quantity in QUANTITIES.items()} | {s.name: s for s in symbols}
    pieces: list[str] = []
    formula: list[str] = []
    words = sentence.split()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        bare = DOTS if word.startswith(DOTS) else word.rstrip(".,;:")
        if _is_formula(bare, following, bool(formula), table):
            formula.append(bare)
            if bare == word:
                continue
            pieces.append(_inline(formula, spelling, table) + word[len(bare) :])
        else:
            pieces += [_inline(formula, spelling, table)] if formula else []
            pieces.append(escaped(word))
        formula = []
    return " ".join([*pieces, _inline(formula, spelling, table)] if formula else pieces)


def escaped(text: str) -> str:
    """Plain text for LaTeX, with an en dash between two names in capitals (AM--GM), and blanks for what cannot be printed."""
    printable = (character if character.isprintable() or character == "\n" else " " for character in text)
    plain = "".join(ESCAPES.get(character, character) for character in printable)
    return re.sub(r"\b([A-Z]{2,})-([A-Z]{2,})\b", r"\1--\2", plain)


def _is_formula(word: str, following: str, begun: bool, table: Mapping[str, Symbol]) -> bool:
    """Whether all names of a word are mathematical, and it is no word of the language by chance.

    `begun` says whether the word in front belongs to a formula.
    """
    if re.search(r"'|[a-z]\.[a-z]", word):
        return False
    tokens = [match for match in FORMULA.finditer(word) if match[0] not in "()[]"]
    names = [match[0] for match in tokens if match.lastgroup in ("name", "optimum")]
    if not all(name in table or _is_mathematical(name) for name in names):
        return False
    signs = len(tokens) > len(names)
    match names:
        case []:
            return begun or following in INFIX or bool(re.search(r"[-+=<>~/^*]", word))
        case ["A"] if not signs:
            return begun or not re.fullmatch(r"[a-z]{2,}[.,;:]?", following)
        case [name] if not signs and name in NEEDS_NEIGHBOUR:
            return begun
        case ["log" | "exp"] if not signs:
            return begun or _is_formula(following.rstrip(".,;:"), "", True, table)
    return True


def _is_mathematical(name: str) -> bool:
    known = name in FUNCTIONS or name == "infinity" or len(name.rstrip("*")) == 1
    return name != "I" and (known or bool(DIFFERENTIAL.fullmatch(name) or INDEXED.fullmatch(name)))


def _inline(words: Sequence[str], spelling: Notation, table: Mapping[str, Symbol]) -> str:
    return f"${formula_latex(' '.join(words), spelling, table)}$"


def formula_latex(text: str, spelling: Notation, table: Mapping[str, Symbol]) -> str:
    """A formula in plain text: parsed where it is written as code, else set sign by sign."""
    if re.search(r"\*\*|\w\*\w", text):
        try:
            return " = ".join(render(parse(side, table), spelling) for side in text.split("="))
        except ParseError:
            pass
    return _signs(text, spelling)


def _signs(text: str, spelling: Notation) -> str:
    parts: list[str] = []
    position = 0
    while position < len(text):
        match = FORMULA.match(text, position)
        assert match is not None
        position = match.end()
        if match.lastgroup == "power":
            exponent, position = _exponent_of(text, position)
            parts.append(f"^{{{_signs(exponent, spelling)}}}")
        else:
            parts.append(_sign(match, spelling))
    return _run_together(parts).strip()


def _run_together(parts: Sequence[str]) -> str:
    """Concatenated, with a space where a letter would otherwise lengthen a command's name."""
    text = ""
    for part in parts:
        text = apart(text, part[:1]) + part
    return text


def apart(text: str, following: str) -> str:
    """The text, with a space behind a command whose name the following letter would lengthen."""
    return f"{text} " if following.isalpha() and re.search(r"\\[A-Za-z]+$", text) else text


def _exponent_of(text: str, start: int) -> tuple[str, int]:
    """The exponent that begins at `start`, without its brackets, and where it ends."""
    if text[start : start + 1] != "(":
        match = re.compile(r"-?\w+").match(text, start)
        return (match[0], match.end()) if match else ("", start)
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if depth == 0:
            return text[start + 1 : position], position + 1
    return text[start + 1 :], len(text)


def _sign(match: re.Match[str], spelling: Notation) -> str:
    text = match[0]
    match match.lastgroup:
        case "optimum":
            return optimum_latex(text[0], spelling)
        case "name":
            return _name(text, spelling)
        case "dots":
            return r"\dots"
        case "relation":
            return SIGNS[text]
        case "other" if text in "~<>":
            return SIGNS.get(text, text)
        case "other" if text == "*":
            return r"\cdot "
        case "other" if text in ESCAPES:
            return ESCAPES[text]
    return text


def _name(text: str, spelling: Notation) -> str:
    if text in FUNCTIONS:
        return FUNCTIONS[text]
    known = symbol_latex(text, spelling)
    if known is not None:
        return known
    if DIFFERENTIAL.fullmatch(text):
        return "d" + _name(text[1:], spelling)
    stem, _, index = text.partition("_")
    stem = rf"\{stem}" if len(stem) > 1 and index else stem
    return f"{stem}_{index}" if len(index) == 1 else f"{stem}_{{{index}}}" if index else stem
