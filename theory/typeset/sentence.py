r"""Sentences with their formulas set: ``R* = C0 C^-alpha`` becomes ``$R^{*} = C_0 C^{-\alpha}$``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sympy import Symbol
from sympy.core.alphabets import greeks

from ..algebra.parse import ParseError, parse
from ..data.notation import DEFAULT, SCHAEFFER, Notation
from ..data.notation import notation as find_notation
from ..symbols import QUANTITIES
from .printer import SIGNS, UPRIGHT_INDICES, optimum_latex, render, symbol_latex

ESCAPES = {character: rf"\{character}" for character in "&%$#_{}"}
ESCAPES |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
FUNCTIONS = {
    name: rf"\{name}"
    for name in ("log", "exp", "sinh", "cosh", "tanh", "min", "max", "sum", "prod")
}
FUNCTIONS |= {
    name: rf"\operatorname{{{name}}}" for name in ("expm1", "log1p", "softplus", "Var", "Cov")
}
FUNCTIONS |= {
    "dlog": r"d\log",
    "phi2": r"\varphi_2",
    "arcosh": r"\operatorname{arcosh}",
    "sqrt": r"\sqrt",
}
GREEK = frozenset(greeks) - {"lamda", "omicron"} | {"lambda"}
GREEK |= {"Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"}
#: The letters of a law, in which notations and papers differ.
LETTERS = ("E", "A", "B", "C0", "N", "D", "C", "L", "alpha", "beta", "gamma", "r", "rho")
#: What follows a letter and never an article.
LINKING = frozenset(
    (
        "and",
        "or",
        "of",
        "for",
        "in",
        "is",
        "are",
        "at",
        "by",
        "to",
        "with",
        "from",
        "as",
        "on",
        "than",
        "if",
        "that",
    )
)
#: Words of the language as well: functions only in front of what they are applied to.
ALSO_WORDS = frozenset({"log", "min", "max", "sum", "Var", "Cov"})
INFIX = frozenset({"+", "-", "+-", "=", "->", "<", ">", "<=", ">=", "!=", "~"})
#: What a written formula names upright stays as it is.
WORDS = re.compile(r"\\(?:text|mathrm|operatorname|mathbb|mathcal|begin|end)\{[^{}]*\}")
LETTER = re.compile(
    rf"(?P<word>{WORDS.pattern})|(?P<starred>(?:\b|(?<=\bd))[A-Za-z]\^(?:\{{\*(?P<power>[^{{}}]*)\}}|\*|\\star|\\ast))"
    r"|(?P<letter>C_0|C_\{0\}|\\[A-Za-z]+|[A-Za-z])(?P<index>_)?"
)
GREEK_NAME = "|".join(sorted(GREEK, key=len, reverse=True))
NAME = r"[A-Za-z]+\d*(?:_[A-Za-z0-9]+)*"
DIFFERENTIAL = re.compile(rf"d((?:[A-Z]|{GREEK_NAME})(?:_\w+)?)")
INDEXED = re.compile(
    rf"(?P<stem>[A-Za-z]|{GREEK_NAME}|sum|prod)(?P<number>\d*)(?:_(?P<index>\w+))?"
)
#: The name of a derivation or of something else in code, or a word in quotation marks.
CODE = re.compile(
    r"(?P<before>\(?)(?:(?P<snake>[a-z][a-z0-9]+(?:_[a-z0-9]+)+)|\"(?P<quoted>\w+)\")(?P<after>\)?)"
)
#: A letter and the rest of a compound: k-th, chi-squared.
COMPOUND = re.compile(rf"([B-HJ-Zb-z]|{GREEK_NAME})((?:-[a-z]{{2,}})+)")
DOTS = "..."
FORMULA = re.compile(
    rf"(?P<chance>(?:pass|fail)@)|(?P<per>(?<=/)d[a-z](?![\w']))|(?P<name>log1p|{NAME})(?P<mark>\*(?![\w*]))?(?P<primes>'*(?![a-z]))"
    r"|(?P<number>\d+(?:\.\d+)?(?:e\d+)?)|(?P<power>\^|\*\*)|(?P<index>_(?=\())|(?P<dots>\.\.\.?)"
    r"|(?P<relation>->|>=|<=|!=|==|\+-)|(?P<prime>'+(?![a-z]))|(?P<other>.)"
)
EXPONENT = re.compile(rf"[-+]?(?:(?:\d+(?:\.\d+)?)?{NAME}\*?'*|\d+(?:\.\d+)?)")
BRACKETS = {"(": ")", "[": "]"}


@dataclass(frozen=True)
class Letters:
    """How a sentence's names are written, and which there are.

    Parameters
    ----------
    spelling : Notation
    known : mapping
        Name -> symbol, of the theory and of the formulas beside the sentence.
    own : frozenset of str
        The names of the formulas beside the sentence.
    """

    spelling: Notation
    known: Mapping[str, Symbol]
    own: frozenset[str]


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
            return (
                f"{{{optimal}}}"
                if text[match.end() : match.end() + 1] == "_" and "_" in optimal
                else optimal
            )
        letter, index = match["letter"].replace("{0}", "0"), match["index"] or ""
        if letter not in letters or (index and letter == SCHAEFFER.latex("alpha")):
            return match[0]
        written = spelling.latex(letters[letter])
        if "_" in written and re.search(r"(?:\\[dt]?frac\w?|[\^_])$", text[: match.start()]):
            written = f"{{{written}}}"
        return apart(written + index, text[match.end() : match.end() + 1])

    return LETTER.sub(exchanged, text)


def sentence_latex(
    sentence: str, notation: str | Notation = DEFAULT, *, symbols: Iterable[Symbol] = ()
) -> str:
    r"""A sentence with its formulas set: ``R* = C0 C^-alpha`` becomes ``$R^{*} = C_0
    C^{-\alpha}$``.

    Parameters
    ----------
    sentence : str
        Plain text; with a dollar sign it is LaTeX already, and only its letters are exchanged. A
        word in quotation marks is code, whose letters are nobody's to exchange.
    notation : {"schaeffer", "hoffmann"}
    symbols : iterable of sympy.Symbol
        Names of formulas besides those of the theory.
    """
    spelling = find_notation(notation)
    if "$" in sentence:
        return respelled_latex(sentence, spelling)
    own = {symbol.name: symbol for symbol in symbols}
    letters = Letters(
        spelling,
        {name: quantity.symbol for name, quantity in QUANTITIES.items()} | own,
        frozenset(own),
    )
    pieces: list[str] = []
    formula: list[str] = []

    def close(end: str = "") -> None:
        if formula:
            pieces.append(_inline(" ".join(formula), letters) + end)
        formula.clear()

    words = re.sub(r"\b(\d+) x (\d+)\b", r"\1x\2", sentence).split()
    for k, word in enumerate(words):
        bare = _without_stop(word, formula)
        before = words[k - 1] if k else "."
        if _is_formula(
            bare, before, words[k + 1 :] if bare == word else (), bool(formula), letters
        ):
            formula.append(bare)
            if bare != word:
                close(word[len(bare) :])
        else:
            close()
            pieces.append(_word_latex(word, letters))
    close()
    return " ".join(pieces)


def escaped(text: str) -> str:
    """Plain text for LaTeX, with an en dash between two names in capitals (AM--GM), and blanks for
    what cannot be printed.
    """
    printable = (
        character if character.isprintable() or character == "\n" else " " for character in text
    )
    plain = "".join(ESCAPES.get(character, character) for character in printable)
    return re.sub(r"\b([A-Z]{2,})-([A-Z]{2,})\b", r"\1--\2", plain)


# -- words -----------------------------------------------------------------------------------------------------


def _without_stop(word: str, formula: Sequence[str]) -> str:
    """The word without its punctuation or its genitive, but for a comma inside a bracket of the
    formula that it continues.
    """
    if word == ":":
        return word
    if dots := re.fullmatch(r"(\.\.\.?)[,;:]?", word):
        return dots[1]
    bare = re.sub(r"'s$", "", word.rstrip(".,;:"))
    inside = sum((c in "([") - (c in ")]") for c in " ".join([*formula, bare])) > 0
    return word if inside and word in (f"{bare},", f"{bare};") else bare


def _word_latex(word: str, letters: Letters) -> str:
    """A word of the language: with the letter of a compound in mathematics, and names of code in
    typewriter.
    """
    if word.startswith(DOTS):
        return r"\ldots{}" + escaped(word.removeprefix(DOTS))
    bare = word.rstrip(".,;:")
    end = word[len(bare) :]
    if compound := COMPOUND.fullmatch(bare):
        return _inline(compound[1], letters) + compound[2] + end
    if code := CODE.fullmatch(bare):
        return rf"{code['before']}\texttt{{{escaped(code['snake'] or code['quoted'])}}}{code['after']}{end}"
    if times := re.fullmatch(r"(\d+)x(\d+)", bare):
        return rf"${times[1]} \times {times[2]}${end}"
    return escaped(word)


def _is_formula(
    word: str, before: str, after: Sequence[str], begun: bool, letters: Letters
) -> bool:
    """Whether all names of a word are mathematical, and it is no word of the language by chance.

    `after` are the words up to the end of the sentence, none behind punctuation; `begun` says
    whether the word in front belongs to a formula.
    """
    if re.search(r"^$|[a-z]\.[a-z]|^\d+x\d+$", word) or _is_compound_of_words(word):
        return False
    tokens = [match for match in FORMULA.finditer(word) if match[0] not in "()[]|"]
    names = [match["name"] for match in tokens if match["name"]]
    if any(match.lastgroup == "other" and match[0] not in "+-=<>~/*!,;:" for match in tokens):
        return False
    if not all(name in letters.known or _is_mathematical(name) for name in names):
        return False
    following = after[0].rstrip(".,;:") if after else ""
    applied = bool(following) and _is_formula(following, word, after[1:], True, letters)
    if word == ":":
        return begun and applied
    signs = len(tokens) > len(names) or any(match["mark"] or match["primes"] for match in tokens)
    match names:
        case []:
            if tokens and tokens[0]["dots"] and len(tokens) == 1:
                return begun and (before in INFIX or len(word) == 2)
            factor = (
                bool(re.fullmatch(r"\d+", word))
                and applied
                and bool(re.match(r"[A-Za-z]", following))
            )
            signed = bool(re.search(r"[-+=<>~/^*@]", word)) and not re.fullmatch(r"[-/]+", word)
            signed = signed or (applied and bool(re.fullmatch(r"[(\[]\d+,", word)))
            return (
                begun
                or following in INFIX
                or signed
                or (factor and not _may_be_an_article(following))
            )
        case ["A" | "a" as letter] if word == letter:
            if following in INFIX or following in LINKING or not after:
                return True
            if letter == "a":
                return applied and (begun or "a" in letters.own)
            return begun or not before.endswith((".", ":", "?")) or (applied and len(following) > 1)
        case [name] if before == "Appendix" and not signs:
            return False
        case ["infinity"] if not signs:
            return begun
        case ["delta" | "Delta"] if not signs:
            return following != "method"
        case [name] if name in ALSO_WORDS and not signs:
            return applied and name not in ("min", "max") and (name != "sum" or begun)
    return not any(
        re.search(rf"\b{name}(?![(_])", word)
        for name in {"min", "max", "sum", "Var", "Cov"} & set(names)
    )


def _is_compound_of_words(word: str) -> bool:
    """log-log"""
    parts = word.split("-")
    return len(parts) > 1 and ALSO_WORDS.issuperset(parts)


def _may_be_an_article(word: str) -> bool:
    return word in ("a", "A")


def _is_mathematical(name: str) -> bool:
    known = name in FUNCTIONS or name in GREEK or name == "infinity"
    return name != "I" and (known or bool(DIFFERENTIAL.fullmatch(name) or INDEXED.fullmatch(name)))


# -- formulas --------------------------------------------------------------------------------------------------


def _inline(text: str, letters: Letters) -> str:
    """The formula between dollar signs, and outside them a bracket of the sentence's that it begins
    or ends with.
    """
    before, formula, behind = _without_loose_brackets(text)
    end = formula[len(formula.rstrip(",;")) :] + behind
    return f"{before}${formula_latex(formula.rstrip(',;'), letters.spelling, letters.known)}${end}"


def _without_loose_brackets(text: str) -> tuple[str, str, str]:
    """What opens in front and never closes, the rest, and what closes behind and never opened."""
    opened: list[int] = []
    loose: list[int] = []
    for position, character in enumerate(text):
        if character in BRACKETS:
            opened.append(position)
        elif character in BRACKETS.values():
            if opened:
                opened.pop()
            else:
                loose.append(position)
    begin, end = 0, len(text)
    while begin in opened:
        begin += 1
    while end - 1 in loose:
        end -= 1
    return text[:begin], text[begin:end], text[end:]


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
        if match["power"]:
            exponent, position = _exponent_of(text, position)
            parts.append(f"^{{{_signs(exponent, spelling)}}}")
        elif match["index"]:
            index, position = _bracketed(text, position)
            parts.append(f"_{{{_signs(index, spelling)}}}")
        elif match["name"] == "sqrt" and text[position : position + 1] == "(":
            inside, position = _bracketed(text, position)
            parts.append(rf"\sqrt{{{_signs(inside, spelling)}}}")
        else:
            multiplied = match["chance"] and re.search(
                r"(?<![A-Za-z\\])\w *$|[)}] *$", "".join(parts)
            )
            parts.append((r"\," if multiplied else "") + _sign(match, spelling))
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
    """The exponent that begins at `start`, without the brackets around all of it, and where it
    ends.
    """
    if text[start : start + 1] == "(":
        return _bracketed(text, start)
    if text[start : start + 2] in ("-(", "+("):
        inside, end = _bracketed(text, start + 1)
        return f"{text[start]}({inside})", end
    match = EXPONENT.match(text, start)
    return (match[0], match.end()) if match else ("", start)


def _bracketed(text: str, start: int) -> tuple[str, int]:
    """What stands in the brackets that open at `start`, and where they end."""
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if depth == 0:
            return text[start + 1 : position], position + 1
    return text[start + 1 :], len(text)


def _sign(match: re.Match[str], spelling: Notation) -> str:
    text = match[0]
    match match.lastgroup:
        case "chance":
            return rf"\mathrm{{{text[:-1]}}}@"
        case "name" | "mark" | "primes":
            return _name(match["name"], bool(match["mark"]), spelling) + (match["primes"] or "")
        case "number":
            return _number(text)
        case "dots":
            return r"\dots "
        case "relation":
            return r"\pm " if text == "+-" else SIGNS[text]
        case "other" if text in "~<>":
            return SIGNS.get(text, text)
        case "other" if text == "*":
            return r"\cdot "
        case "other" if text in ESCAPES:
            return ESCAPES[text]
    return text


def _number(text: str) -> str:
    mantissa, e, power = text.partition("e")
    if not e:
        return text
    return f"10^{{{power}}}" if mantissa == "1" else rf"{mantissa} \cdot 10^{{{power}}}"


def _name(text: str, starred: bool, spelling: Notation) -> str:
    """A name; with a star the compute-optimal value."""
    if (
        text not in GREEK
        and text not in FUNCTIONS
        and (differential := DIFFERENTIAL.fullmatch(text))
    ):
        return _run_together(["d", _name(differential[1], starred, spelling)])
    if starred:
        return (
            optimum_latex(text, spelling)
            if len(text) == 1
            else f"{_name(text, False, spelling)}^{{*}}"
        )
    if text in FUNCTIONS:
        return FUNCTIONS[text]
    if (known := symbol_latex(text, spelling)) is not None:
        return known
    indexed = INDEXED.fullmatch(text)
    if indexed is None:
        return text
    stem = indexed["stem"]
    written = (stem in LETTERS and stem != "alpha" and spelling.latex(stem)) or (
        rf"\{stem}" if len(stem) > 1 else stem
    )
    parts = [indexed["number"], *(indexed["index"] or "").split("_")]
    index = ",".join(_index(part, spelling) for part in parts if part)
    return (
        f"{written}_{{{index}}}" if len(index) > 1 else f"{written}_{index}" if index else written
    )


def _index(text: str, spelling: Notation) -> str:
    """An index of a name: upright where it is a word."""
    if letter := re.fullmatch(r"([A-Za-z])(\d+)", text):
        return f"{letter[1]}_{letter[2]}"
    if text in UPRIGHT_INDICES or text == "min":
        return UPRIGHT_INDICES.get(text, r"\min")
    if len(text) > 1 and text.isalpha():
        return rf"\{text}" if text in GREEK else rf"\mathrm{{{text}}}"
    return spelling.latex(text) if text in ("N", "D") else text
