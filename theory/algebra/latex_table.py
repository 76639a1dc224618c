"""What the commands and marks of LaTeX mean in a formula: the vocabulary of its reader."""

from __future__ import annotations

import re

from .tokens import ACCENTS, GREEK, GREEK_SIGNS, OPTIMA

RELATIONS = {
    "le": "<=", "leq": "<=", "leqslant": "<=", "leqq": "<=", "lt": "<",
    "ge": ">=", "geq": ">=", "geqslant": ">=", "geqq": ">=", "gt": ">",
    "equiv": "==", "triangleq": "==", "coloneqq": "==", "ne": "!=", "neq": "!=",
    "to": "->", "rightarrow": "->", "longrightarrow": "->", "sim": "~",
    "propto": "propto", "approx": "approx", "simeq": "approx",
    "implies": "implies", "Rightarrow": "implies", "Longrightarrow": "implies",
    "iff": "iff", "Leftrightarrow": "iff", "Longleftrightarrow": "iff",
}  # fmt: skip
APPLIED = {
    "log": "log", "ln": "log", "exp": "exp", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "arcosh": "acosh", "arccosh": "acosh", "acosh": "acosh",
    "arsinh": "asinh", "arcsinh": "asinh", "asinh": "asinh",
    "artanh": "atanh", "arctanh": "atanh", "atanh": "atanh", "log1p": "log1p", "expm1": "expm1",
}  # fmt: skip
EXTREMA = frozenset(["min", "max", "arg", "argmin", "argmax"])
FRACTIONS = frozenset(["frac", "tfrac", "dfrac", "cfrac", "nicefrac", "sfrac"])
TIMES = frozenset(["cdot", "times", "ast"])
#: Names of the law that take arguments.
WITH_ARGUMENTS = frozenset([*OPTIMA.values(), "L", "R", "T_N", "T_D", "P", "L_hat"])

SPACES = frozenset(
    [
        *("displaystyle", "textstyle", "scriptstyle", "quad", "qquad", "nonumber", "notag"),
        *("limits", "nolimits", "enspace", "thinspace", "medspace", "thickspace", "strut"),
        *("mathstrut", "negthinspace", "relax", "xspace", "allowbreak", "nobreak", "therefore"),
        *(",", ";", ":", "!", " ", "\\", ">"),
    ]
)
#: Commands that may have a star of their own, and those whose argument is no part of the formula.
STARRED = frozenset(["operatorname", "hspace", "vspace", "tag"])
WITH_WIDTH = frozenset(
    [
        *("tag", "tag*", "hspace", "hspace*", "vspace", "vspace*", "mspace", "label"),
        *("phantom", "hphantom", "vphantom"),
    ]
)
SIZES = frozenset(
    [
        *("left", "right", "middle", "bigm", "Bigm", "mathopen", "mathclose"),
        *(size + side for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r")),
    ]
)
BARS = frozenset(["|", r"\vert", r"\lvert", r"\rvert"])
#: Frames around a formula, and labels above and below one.
FRAMES = frozenset(["boxed", "fbox", "ensuremath", "mathrel", "mathbin", "textcolor"])
LABELS = frozenset(["overset", "stackrel"])
DELIMITERS = {
    "lbrace": "(", "rbrace": ")", "{": "(", "}": ")",
    "lbrack": "[", "rbrack": "]", "lparen": "(", "rparen": ")",
}  # fmt: skip

#: Fonts that set the letter itself, and those that make another letter of it.
UPRIGHT = frozenset(
    ["mathrm", "mathit", "text", "textrm", "textit", "textnormal", "operatorname", "mathop"]
)
FONTS = UPRIGHT | {
    *("mathcal", "mathbf", "mathsf", "textsf", "textbf", "texttt", "mathtt", "boldsymbol", "bm"),
    *("mathfrak", "mathscr", "textsc"),
}
#: Fonts up to the end of a group.
SWITCHES = frozenset(["rm", "it", "bf", "sf", "tt"])
#: Commands for words between formulas, if these have spaces around them.
PROSE_FONTS = ("text", "textrm", "textnormal", "mbox")
ACCENT_COMMANDS = {
    **{accent: accent for accent in ACCENTS},
    "widehat": "hat", "widetilde": "tilde", "overline": "bar",
}  # fmt: skip
STARS = frozenset(["*", r"\star", r"\ast"])
#: What an index may be beside letters, numbers and text.
INDEX_SYMBOLS = GREEK | {
    *("ell", "infty", "max", "min", "setminus", "backslash", "emptyset", "dagger", "parallel"),
    "perp",
}
#: Words that are prose, so that they are no names.
PROSE = frozenset(
    [
        *("and", "or", "if", "for", "where", "with", "when", "as", "at", "is", "otherwise", "else"),
        *("such", "that", "subject", "const", "constant", "constants", "so", "hence", "thus"),
        *("then", "all", "any", "iff", "const.", "given", "let"),
    ]
)
#: Labels over a relation that make it a definition, and those that say nothing.
DEFINES = frozenset(
    ["def", "def.", "definition", r"\triangle", r"\delta", "define", "by def", "by definition"]
)
PLAIN_LABEL = re.compile(
    r"\\(?:text|textrm|mathrm)\{[^{}]*\}|\(?[0-9ivx]+\)?|\([a-z*]\)|!|\\eqref\{[^{}]*\}"
)
#: A measure at a number of samples inside of a font: `\\text{pass@}k`, `\\mathrm{pass@k}`.
MEASURE = re.compile(r"\{\s*([A-Za-z]+)\s*@\s*([A-Za-z]|[0-9]*)\s*\}")

PIECE = re.compile(
    rf"(?P<greek>[{''.join(GREEK_SIGNS)}])|"
    r"(?P<command>\\(?:[A-Za-z]+\*?|.))|(?P<number>(?:[0-9]+(?:\{,\}[0-9]{3})*\.?[0-9]*|\.[0-9]+))"
    r"|(?P<letter>[A-Za-z])|(?P<mark>[-+*/^_(){}\[\]=<>@&,;|!'.~:?])",
    re.DOTALL,
)


def is_greek(command: str) -> bool:
    """Whether a command is a Greek letter, perhaps in its other form: `varepsilon`."""
    return command.removeprefix("var") in GREEK
