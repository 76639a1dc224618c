r"""LaTeX as a paper sets it: expressions, align blocks, theorems with their proofs, tables.

The order of terms and factors is that of `isoflop.theory.text`; symbolic powers stay on the line
(``A N^{-\beta}``), and the letters are those of the chosen notation. The fragments need the packages amsmath,
amsthm (with an environment ``theorem``) and booktabs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sympy import Add, Expr, Function, Mul, Rational, Symbol, ceiling, exp, log
from sympy.printing.latex import LatexPrinter

from isoflop.theory.claim import RELATIONS, ByLeadingTerm, Claim, Derivation
from isoflop.theory.envelope import Envelope
from isoflop.theory.notation import DEFAULT, Notation
from isoflop.theory.notation import notation as find_notation
from isoflop.theory.parse import ParseError, parse
from isoflop.theory.penalty import Misallocation
from isoflop.theory.symbols import QUANTITIES
from isoflop.theory.text import (
    HALF,
    OPTIMAL,
    Conventional,
    Equation,
    Section,
    abbreviated,
    check_spelling,
    decimal_text,
    envelope_lines,
    in_letters_of,
    is_decimal,
    is_negative,
    law_lines,
    misallocation_sections,
    ordered_terms,
    quotient,
    side_conditions,
)

__all__ = ["envelope_latex", "misallocation_latex", "penalty_table_latex", "render", "theorem_latex"]

SIGNS = {"~": r"\sim", "->": r"\to", ">": ">", "=": "=", "!=": r"\ne", **RELATIONS}
#: Points for an equation in an align block and in a list (article, 10pt), and what its end may add to them.
TEXT_WIDTH, ITEM_WIDTH, SLACK = 330, 300, 15
SIZES = (("", 10), (r"\small", 9), (r"\footnotesize", 8), (r"\scriptsize", 7))
NAMES = {"alpha_C": r"\alpha_C", "C_eff": r"C_{\mathrm{eff}}", "Delta C": r"\Delta C", "infinity": r"\infty"}

#: Brackets around something of the height of a letter.
UNSTRETCHED = re.compile(r"\\left\(((?:(?!\\left|\\right|\\frac|\\sqrt|\^|[()]).)*)\\right\)")


#: An exponent that is wider than this on the line, in points, is set as a fraction.
WIDEST_INLINE_EXPONENT = 72

# -- expressions ---------------------------------------------------------------------------------------------


class PaperPrinter(Conventional, LatexPrinter):
    """A SymPy LaTeX printer of its own: nothing global is changed.

    Parameters
    ----------
    spelling : Notation
    arguments : bool
        Print N*(C) rather than N*; an argument other than C is always printed.
    """

    def __init__(self, spelling: Notation, *, arguments: bool = False) -> None:
        super().__init__()
        self.spelling = spelling
        self.arguments = arguments
        self.small = False
        self.inline = False

    def doprint(self, expr: Expr) -> str:
        return snug(super().doprint(expr))

    def bracket(self, text: str) -> str:
        return rf"\left({text}\right)"

    def fraction(self, above: list[Expr], below: list[Expr], *, alone: bool) -> str:
        if self.inline and alone:
            over = self.product(above)
            over = self.bracket(over) if len(above) == 1 and isinstance(above[0], Add) else over
            return f"{over}/{self._on_the_line(below)}"
        if self.small and alone and len(below) == 1 and not any(isinstance(f, Add) for f in (*above, *below)):
            return f"{self._inner(above)}/{self._inner(below)}"
        return rf"\frac{{{self._inner(above)}}}{{{self._inner(below)}}}"

    def _on_the_line(self, factors: list[Expr]) -> str:
        text = self.product(factors)
        return self.bracket(text) if len(factors) > 1 or isinstance(factors[0], Add) else text

    def _inner(self, factors: list[Expr]) -> str:
        """Numerator or denominator: a fraction inside is set on the line."""
        return self._small(lambda: self.product(factors))

    def _small(self, printed: Callable[[], str]) -> str:
        before, self.small = self.small, True
        try:
            return printed()
        finally:
            self.small = before

    def raised(self, base: str, exponent: Expr) -> str:
        on_the_line = self._exponent(exponent, inline=True)
        short = width(on_the_line) <= WIDEST_INLINE_EXPONENT
        return f"{base}^{{{on_the_line if short else self._exponent(exponent, inline=False)}}}"

    def _exponent(self, exponent: Expr, *, inline: bool) -> str:
        before, self.inline = self.inline, inline
        try:
            return self._small(lambda: self._print(exponent))
        finally:
            self.inline = before

    def root(self, inside: Expr) -> str:
        return rf"\sqrt{{{self._print(inside)}}}"

    def needs_bracket(self, base: Expr) -> bool:
        return super().needs_bracket(base) or ("^" in self._print(base)) or self._print(base).endswith(")")

    def separator(self, left: str, right: str) -> str:
        return r" \cdot " if left[-1].isdigit() and right[0].isdigit() else " "

    def _print_Symbol(self, expr: Symbol, style: str = "plain") -> str:
        return symbol_latex(expr.name, self.spelling) or super()._print_Symbol(expr, style)

    def _print_Integer(self, expr: Rational) -> str:
        return str(expr)

    def _print_Rational(self, expr: Rational) -> str:
        if is_decimal(expr):
            return decimal_text(expr)
        sign = "-" if expr.is_negative else ""
        return sign + self.fraction([Rational(abs(expr.p))], [Rational(expr.q)], alone=True)

    def _print_AppliedUndef(self, expr: Expr) -> str:
        name, arguments = str(expr.func), ", ".join(map(self._print, expr.args))
        if not name.endswith(OPTIMAL):
            return name + self.bracket(arguments)
        label = optimum_latex(name.removesuffix(OPTIMAL), self.spelling)
        return label + self.bracket(arguments) if self.arguments or arguments != "C" else label

    def _print_acosh(self, expr: Expr, exp: str | None = None) -> str:
        return rf"\operatorname{{arcosh}}\left({self._print(expr.args[0])}\right)"

    def _print_log(self, expr: Expr, exp: str | None = None) -> str:
        argument = self._print(expr.args[0])
        return rf"\log {argument}" if expr.args[0].is_Symbol else rf"\log\left({argument}\right)"

    def _print_ExpBase(self, expr: Expr, exp: str | None = None) -> str:
        argument = expr.args[0]
        if isinstance(argument, Add) or argument.atoms(Function):
            return rf"\exp\left({self._print(argument)}\right)"
        return self.raised("e", argument)


def snug(latex: str) -> str:
    """Plain brackets around what is no taller than a letter."""
    return UNSTRETCHED.sub(r"(\1)", latex)


def render(expr: Expr, notation: str | Notation = DEFAULT) -> str:
    r"""The expression in LaTeX, as a paper sets it.

    Parameters
    ----------
    expr : sympy.Expr
        In the symbols of the package; others are printed as SymPy prints them.
    notation : {"schaeffer", "hoffmann"}

    Examples
    --------
    >>> from isoflop.theory.envelope import derive
    >>> print(render(derive().form.loss))
    E + A N^{-\beta} + B D^{-\gamma}
    >>> print(render(derive().exponent, "hoffmann"))
    \frac{\alpha \beta}{\alpha + \beta}
    """
    return PaperPrinter(find_notation(notation), arguments=True).doprint(expr)


def symbol_latex(name: str, spelling: Notation) -> str | None:
    """LaTeX of a symbol of the theory by its canonical name; None for any other."""
    stem, _, index = name.partition("_")
    if stem in ("w", "k") and index:
        inner = symbol_latex(index, spelling) or index
        return f"{stem}_{inner}" if len(inner) == 1 else f"{stem}_{{{inner}}}"
    if index == "crit":
        return rf"{symbol_latex(stem, spelling) or stem}_{{\mathrm{{crit}}}}"
    if name in NAMES:
        return NAMES[name]
    known = spelling.symbol_names()
    return known[name] if name in known else QUANTITIES[name].latex if name in QUANTITIES else None


def optimum_latex(name: str, spelling: Notation) -> str:
    """The label of a compute-optimal value: as the notation marks N, so every other variable."""
    known = spelling.symbol_names()
    if name + OPTIMAL in known:
        return known[name + OPTIMAL]
    letter = PaperPrinter(spelling).doprint(Symbol(name))
    mark = known["N" + OPTIMAL].removeprefix(known["N"])
    return f"{{{letter}}}{mark}" if mark[0] in letter else f"{letter}{mark}"


# -- sentences -----------------------------------------------------------------------------------------------

ESCAPES = {character: rf"\{character}" for character in "&%$#_{}"}
ESCAPES |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
FUNCTIONS = {"log": r"\log", "dlog": r"d\log", "exp": r"\exp", "lambda": r"\lambda", "phi2": r"\varphi_2"}
FUNCTIONS |= {name: rf"\operatorname{{{name}}}" for name in ("expm1", "log1p")}
NEEDS_NEIGHBOUR = frozenset({"a", "d", "infinity"})
INFIX = frozenset({"+", "-", "=", "->", "<", ">", "<=", ">=", "~"})
GREEK = re.compile(r"\\(alpha|beta|gamma)(?![A-Za-z])")
STARRED = re.compile(r"\b([NDLRC])\^(?:\{\*\}|\*|\\star|\\ast)")
FORMULA = re.compile(
    r"(?P<optimum>[A-Za-z]\*(?![\w*]))|(?P<name>log1p|[A-Za-z]+(?:_[A-Za-z0-9]+)*\d*)|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<power>\^|\*\*)|(?P<relation>->|>=|<=|!=|==)|(?P<other>.)"
)


def respelled_latex(text: str, spelling: Notation) -> str:
    """LaTeX written in the canonical letters, in the letters of the notation."""
    letters = GREEK.sub(lambda match: spelling.latex(match[1]), text)
    return STARRED.sub(lambda match: optimum_latex(match[1], spelling), letters)


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
        bare = word.rstrip(".,;:")
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
    """Plain text for LaTeX, with an en dash between two names in capitals (AM--GM)."""
    plain = "".join(ESCAPES.get(character, character) for character in text)
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
    return name != "I" and (known or bool(re.fullmatch(r"d[A-Z]|[A-Za-z]_\w+", name)))


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
        apart = re.search(r"\\[A-Za-z]+$", text) and part[:1].isalpha()
        text += f" {part}" if apart else part
    return text


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
    stem, _, index = text.partition("_")
    return f"{stem}_{index}" if len(index) == 1 else f"{stem}_{{{index}}}" if index else stem


# -- align blocks --------------------------------------------------------------------------------------------


def envelope_latex(envelope: Envelope, *, notation: str | Notation = DEFAULT, environment: str = "align") -> str:
    r"""Law, budget, optimum, exponent, shares, coefficient and loss on the envelope as an align block.

    Parameters
    ----------
    envelope : Envelope
    notation : {"schaeffer", "hoffmann"}
    environment : {"align", "align*"}

    Raises
    ------
    ValueError
        Where the notation would rename the law's own letters.
    """
    spelling = find_notation(notation)
    check_spelling(envelope, spelling)
    return _align([("", [*law_lines(envelope), *envelope_lines(envelope, spelling)])], spelling, environment)


def misallocation_latex(m: Misallocation, *, notation: str | Notation = DEFAULT, environment: str = "align") -> str:
    r"""The penalty in r and rho, its excess, expansions, tails; effective compute, overhead, critical sizes.

    Parameters and errors as in `envelope_latex`.
    """
    spelling = find_notation(notation)
    check_spelling(m.envelope, spelling)
    return _align(misallocation_sections(m), spelling, environment)


def _align(sections: Sequence[Section], spelling: Notation, environment: str) -> str:
    if environment not in ("align", "align*"):
        raise ValueError(f"environment={environment!r}: must be align or align*")
    printed = [
        (heading, [[_equation_latex(equation, spelling) for equation in line] for line in lines]) for heading, lines in sections
    ]
    column = max(width(line[0][0]) for _, lines in printed for line in lines)
    parts: list[str] = []
    for heading, lines in printed:
        rows = [_row(line, TEXT_WIDTH - column, environment == "align") for line in lines]
        intertext = rf"  \intertext{{{sentence_latex(heading, spelling)}:}}" + "\n" if heading else ""
        parts.append(intertext + ", \\\\\n".join(f"  {row}" for row in rows) + ".\n")
    separator = "" if all(heading for heading, _ in printed) else "\\\\\n"
    return f"\\begin{{{environment}}}\n{separator.join(parts)}\\end{{{environment}}}"


def _row(line: Sequence[tuple[str, list[str]]], room: int, numbered: bool) -> str:
    """The equations of one line next to each other, or one that is too wide on several lines."""
    (label, first), *others = line
    beside = [f"{left} {' '.join(right)}" for left, right in others]
    text = r", \qquad ".join([f"{label} &{' '.join(first)}", *beside])
    if others or width(" ".join(first)) <= room:
        return text
    rows = _filled(first, room)
    end = r" \notag" if numbered else ""
    return f"{label} &" + f"{end} \\\\\n  &\\quad ".join(rows)


def _equation_latex(equation: Equation, spelling: Notation) -> tuple[str, list[str]]:
    """The left side, and the rest from its relation on, in pieces between which a line may be broken."""
    label, printer = PaperPrinter(spelling, arguments=True), PaperPrinter(spelling)
    sign = SIGNS[equation.relation]
    sides = [_pieces(side, printer) for side in equation.sides[1:]]
    pieces = [piece for start, *more in sides for piece in (f"{sign} {start}", *more)]
    if equation.remainder is not None:
        pieces.append(f"+ O{printer.bracket(printer.doprint(equation.remainder))}")
    if equation.condition is not None:
        left, relation, right = equation.condition
        text = f"{printer.doprint(left)} {SIGNS[relation]} {printer.doprint(right)}"
        pieces[-1] += rf" \quad {snug(printer.bracket(text))}"
    return label.doprint(equation.label), pieces


# -- theorem and proof ---------------------------------------------------------------------------------------


def theorem_latex(subject: Derivation | Envelope | Misallocation, *, notation: str | Notation = DEFAULT) -> str:
    r"""A theorem with its numbered proof, in the environments ``theorem`` and ``proof`` of amsthm.

    Parameters
    ----------
    subject : Derivation, Envelope or Misallocation
        An envelope or a misallocation is set in the names N*, alpha, C_0 and w_N; the steps of any other
        derivation as they are.
    notation : {"schaeffer", "hoffmann"}

    Notes
    -----
    Every step is proved again for the print; one that is not proved says so.
    """
    spelling = find_notation(notation)
    if isinstance(subject, Derivation):
        derivation, brief, statement = subject, subject.steps, _stated(subject, spelling)
    else:
        envelope = subject.envelope if isinstance(subject, Misallocation) else subject
        check_spelling(envelope, spelling)
        derivation = _in_own_letters(subject, envelope)
        named = abbreviated(envelope)
        shortened = Misallocation(named) if isinstance(subject, Misallocation) else named
        brief = tuple(shortened.claims[step.name] for step in derivation.steps)
        statement = _theorem_of(subject, spelling)
    names = frozenset().union(*(step.symbols for step in derivation.steps))
    assumptions = ", and ".join(sentence_latex(text, spelling, symbols=names) for text in derivation.assumptions)
    label = "thm:" + derivation.name.replace("_", "-")
    head = [
        rf"\begin{{theorem}}[{sentence_latex(derivation.title, spelling)}]\label{{{label}}}",
        f"Let {assumptions}.",
        statement,
        r"\end{theorem}",
    ]
    return "\n".join([*head, *_proof(derivation, brief, spelling)])


def _in_own_letters(subject: Envelope | Misallocation, envelope: Envelope) -> Derivation:
    """The derivation with its sentences in the letters of the law."""
    derivation, given = subject.derivation, envelope.derivation.assumptions
    added = (in_letters_of(text, envelope) for text in derivation.assumptions[len(given) :])
    steps = (replace(step, reason=in_letters_of(step.reason, envelope)) for step in derivation.steps)
    return replace(derivation, assumptions=(*given, *added), steps=tuple(steps))


def _stated(derivation: Derivation, spelling: Notation) -> str:
    return f"Then\n\\[\n  {respelled_latex(derivation.statement, spelling)}.\n\\]"


def _theorem_of(subject: Envelope | Misallocation, spelling: Notation) -> str:
    if isinstance(subject, Misallocation):
        sections = misallocation_sections(subject)
        ratios, penalty, *others = sections[0][1][:5]
        return f"Then, with\n{_align([('', [ratios, *sections[-1][1], penalty, *others])], spelling, 'align*')}"
    extremum = "minimum" if subject.form.direction > 0 else "maximum"
    return (
        f"Then at every compute $C$ the loss has exactly one {extremum}, at\n"
        f"{_align([('', envelope_lines(subject, spelling))], spelling, 'align*')}"
    )


def _proof(derivation: Derivation, brief: Sequence[Claim], spelling: Notation) -> list[str]:
    items: list[str] = []
    methods: dict[str, list[int]] = {}
    for number, (step, named) in enumerate(zip(derivation.steps, brief, strict=True), start=1):
        decision = step.prove()
        reason = sentence_latex(step.reason, spelling, symbols=step.symbols)
        if decision.proved:
            methods.setdefault(step.argument.label, []).append(number)
        else:
            reason += rf" \emph{{Not proved: {escaped(decision.reason)}.}}"
        shown = _shown(step, named)
        if shown is None and not step.statement:
            items.append(rf"  \item {reason}")
            continue
        reason = reason[:-1] + ":" if reason.endswith(".") else reason
        conditions = side_conditions(step, decision, named)
        items += [rf"  \item {reason}", _display(step, shown or (step.lhs, step.rhs), conditions, spelling)]
    checks = "; ".join(f"{_numbers(steps)} by {escaped(label)}" for label, steps in methods.items())
    opening = f"Each step was decided by an exact procedure: {checks}." if checks else "No step is proved."
    return [r"\begin{proof}", opening, r"\begin{enumerate}", *items, r"\end{enumerate}", r"\end{proof}"]


def _numbers(steps: Sequence[int]) -> str:
    """1--4, 6"""
    runs: list[list[int]] = []
    for step in steps:
        if runs and step == runs[-1][-1] + 1:
            runs[-1].append(step)
        else:
            runs.append([step])
    texts = [f"{run[0]}--{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return ("step " if len(steps) == 1 else "steps ") + ", ".join(texts)


def _shown(step: Claim, named: Claim) -> tuple[Expr, Expr] | None:
    """The sides by name where that leaves something to see, else in full; None where both read the same."""
    pairs = [(named.lhs, named.rhs), (named.lhs, step.rhs), (step.lhs, named.rhs), (step.lhs, step.rhs)]
    telling = [(left, right) for left, right in pairs if left.together() != right.together()]
    return next(iter(telling or [(left, right) for left, right in pairs if left != right]), None)


def _display(step: Claim, sides: tuple[Expr, Expr], conditions: Sequence[tuple[Expr, str]], spelling: Notation) -> str:
    printer = PaperPrinter(spelling)
    if step.statement:
        return f"  \\[\n    {respelled_latex(step.statement, spelling)}.\n  \\]"
    notes = [rf"{printer.doprint(expression)} {SIGNS[relation]} 0" for expression, relation in conditions]
    if isinstance(step.argument, ByLeadingTerm):
        limit = r"\infty" if step.argument.limit == "oo" else step.argument.limit
        notes = [rf"{printer.doprint(step.argument.variable)} \to {limit}"]
    note = snug(printer.bracket(", ".join(notes))) if notes else ""
    left, right = (_pieces(side, printer) for side in sides)
    right[0] = f"{SIGNS[step.relation]} {right[0]}"
    rows = _packed(left, right, note, ITEM_WIDTH)
    if len(rows) == 1:
        display = f"  \\[\n    {rows[0]}.\n  \\]"
    else:
        body = " \\\\\n    ".join(rows)
        display = f"  \\begin{{multline*}}\n    {body}.\n  \\end{{multline*}}"
    widest = max(map(width, rows))
    size = next((name for name, scale in SIZES if widest * scale <= 10 * (ITEM_WIDTH + SLACK)), SIZES[-1][0])
    return f"  {{{size}\n{display}}}" if size else display


def _pieces(side: Expr, printer: PaperPrinter) -> list[str]:
    """The parts of one side between which a line may be broken: its terms, and the factors of a wide term."""
    first, *rest = ordered_terms(side) if isinstance(side, Add) else [side]
    pieces = _factors(first, printer)
    for term in rest:
        start, *more = _factors(-term if is_negative(term) else term, printer)
        pieces += [f"{'-' if is_negative(term) else '+'} {start}", *more]
    return pieces


def _factors(term: Expr, printer: PaperPrinter) -> list[str]:
    """One term, or the pieces of one that is too wide: its factors, its argument, the terms in its brackets."""
    text = printer.doprint(term)
    if width(text) <= ITEM_WIDTH:
        return [snug(printer.bracket(text)) if isinstance(term, Add) else text]
    if isinstance(term, Add):
        return _bracketed("", term, printer)
    if isinstance(term, exp | log):
        return _bracketed(rf"\{term.func.__name__}", term.args[0], printer)
    if not isinstance(term, Mul):
        return [text]
    parts = quotient(term)
    groups = [[printer.fraction(parts.numerator, parts.denominator, alone=False)]] if parts.denominator else []
    groups += [_factors(factor, printer) for factor in (parts.tail if groups else parts.numerator)]
    (first, *more), *others = groups
    pieces = [f"-{first}" if parts.negative else first, *more]
    for start, *rest in others:
        pieces += [rf"\times {start}", *rest]
    return pieces


def _bracketed(name: str, inside: Expr, printer: PaperPrinter) -> list[str]:
    """A bracket that may be broken between the terms inside."""
    first, *rest = _pieces(inside, printer)
    *before, last = [rf"{name}\biggl({first}", *rest]
    return [*before, rf"{last}\biggr)"]


def _packed(left: Sequence[str], right: Sequence[str], note: str, room: int) -> list[str]:
    """One row if everything fits; else the sides on rows of their own, and the note where it fits."""
    whole = " ".join([*left, *right])
    noted = rf"{whole} \qquad {note}" if note else whole
    if width(noted) <= room:
        return [noted]
    rows = [whole] if width(whole) <= room else _filled(left, room) + _filled(right, room)
    if note and width(rf"{rows[-1]} \qquad {note}") <= room:
        rows[-1] += rf" \qquad {note}"
        return rows
    return [*rows, note] if note else rows


def _filled(pieces: Sequence[str], room: int) -> list[str]:
    """Rows of pieces; the last piece may go a little beyond, so that it does not stand alone."""
    rows = [pieces[0]]
    for k, piece in enumerate(pieces[1:], start=2):
        longer = f"{rows[-1]} {piece}"
        if width(longer) <= room + SLACK * (k == len(pieces)):
            rows[-1] = longer
        else:
            rows.append(piece)
    return rows


OPERATORS = frozenset("+-=<>") | frozenset(SIGNS.values()) | {r"\times"}
WIDTHS = {
    r"\qquad": 20,
    r"\quad": 10,
    r"\log": 15,
    r"\exp": 17,
    r"\max": 17,
    r"\left": 4,
    r"\right": 4,
    r"\biggl": 5,
    r"\biggr": 5,
    ",": 5,
    "(": 4,
    ")": 4,
}


#: Scale of display, text, script and scriptscript style.
STYLES = (Rational(1), Rational(1), Rational(7, 10), HALF)


def width(latex: str, style: int = 0) -> int:
    """About how many points wide LaTeX is in a 10pt display; exponents and inner fractions are small."""
    total, position = Rational(0), 0
    while position < len(latex):
        match = TOKEN.match(latex, position)
        assert match is not None
        token, position = match[0], match.end()
        if token == r"\frac":
            above, position = _group(latex, position)
            below, position = _group(latex, position)
            total += max(width(above, style + 1), width(below, style + 1)) + 3
        elif token in "^_":
            inner, position = _group(latex, position)
            total += width(inner, max(style, 1) + 1) + 1
        elif token in (r"\operatorname", r"\mathrm"):
            inner, position = _group(latex, position)
            total += (5 * len(inner) + 1) * STYLES[min(style, 3)]
        else:
            total += _token_width(token) * STYLES[min(style, 3)]
    return int(ceiling(total))


TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def _token_width(token: str) -> int:
    if token in WIDTHS:
        return WIDTHS[token]
    if token in OPERATORS:
        return 13
    if token.isspace() or token in "{}":
        return 0
    return 8 if token.isupper() else 6


def _group(text: str, start: int) -> tuple[str, int]:
    """The braced group (or single token) at `start`, and where it ends."""
    if text[start : start + 1] != "{":
        return text[start : start + 1], start + 1
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == "{") - (text[position] == "}")
        if depth == 0:
            return text[start + 1 : position], position + 1
    return text[start + 1 :], len(text)


# -- tables --------------------------------------------------------------------------------------------------

GIVEN = ("ratio", "size_ratio")
CENTRED = ("loss_penalty", "effective_compute")


def penalty_table_latex(
    rows: Iterable[Mapping[str, Any]],
    *,
    notation: str | Notation = DEFAULT,
    digits: int = 4,
    caption: str = "",
    label: str = "",
) -> str:
    r"""A booktabs table of penalties, decimal points under each other.

    Parameters
    ----------
    rows : iterable of mappings
        With ``ratio``, ``size_ratio``, ``loss_penalty``, ``effective_compute``, ``compute_overhead`` and
        optionally ``law`` and ``excess`` (P - 1, used where P itself has lost its digits). None prints as a
        dash: out of reach.
    digits : int
        Significant digits of what was computed; the two ratios are printed as they are, at most to `digits`.
    caption, label : str
        LaTeX of the caption and the label; with either the table floats.

    Raises
    ------
    ValueError
        For no rows, a row without one of the columns, or a number that is not finite.
    """
    spelling = find_notation(notation)
    table = [dict(row) for row in rows]
    if not table:
        raise ValueError("rows=[]: a table needs at least one row")
    if digits < 1:
        raise ValueError(f"digits={digits}: must be at least 1")
    best = optimum_latex("N", spelling)
    headings = {
        "ratio": r"$\rho$",
        "size_ratio": f"$N/{best}$",
        "loss_penalty": "$P$",
        "effective_compute": r"$C_{\mathrm{eff}}/C$",
        "compute_overhead": r"$\Delta C/C$",
    }
    titles = " & ".join(rf"\multicolumn{{2}}{{c}}{{{heading}}}" for heading in headings.values())
    lines = [rf"\begin{{tabular}}{{@{{}}{'r@{}l' * len(headings)}@{{}}}}", r"\toprule", titles + r" \\"]
    previous: object = None
    for i, row in enumerate(table):
        law = row.get("law")
        if i == 0 or law != previous:
            lines.append(r"\midrule")
            if law is not None:
                lines.append(rf"\multicolumn{{{2 * len(headings)}}}{{@{{}}l}}{{{escaped(str(law))}}} \\")
        lines.append(" & ".join(_cell(row, column, digits, i) for column in headings) + r" \\")
        previous = law
    lines += [r"\bottomrule", r"\end{tabular}"]
    if not (caption or label):
        return "\n".join(lines)
    top = [r"\begin{table}", r"\centering", *([rf"\caption{{{caption}}}"] if caption else [])]
    top += [rf"\label{{{label}}}"] if label else []
    return "\n".join([*top, *lines, r"\end{table}"])


def _cell(row: Mapping[str, Any], column: str, digits: int, i: int) -> str:
    """Two table cells: what stands before the decimal point, and the rest."""
    if column not in row:
        raise ValueError(f"rows[{i}]: has no {column!r}; it has {', '.join(map(str, row))}")
    value = row[column]
    if value is None:
        return r"\multicolumn{2}{c}{---}"
    if column in CENTRED:
        away = row.get("excess", value - 1) if column == "loss_penalty" else value - 1
        if away and abs(away) * 1000 < 1:
            sign = "-" if away < 0 else "+"
            return f"$1$&${{}} {sign} {number_latex(abs(away), digits)}$"
    text = number_latex(value, digits, trimmed=column in GIVEN)
    whole = re.match(r"-?\d+", text)
    assert whole is not None
    behind = text[whole.end() :]
    return f"${whole[0]}$&" + (f"${{}}{behind.replace('.', '{.}', 1)}$" if behind else "")


def number_latex(value: Any, digits: int = 4, *, trimmed: bool = False) -> str:
    r"""A number to that many significant digits, with ``\times 10^{n}`` where that is shorter.

    Raises
    ------
    ValueError
        Where the value is not finite.

    Examples
    --------
    >>> print(number_latex(1.0305909), number_latex(3.2e-7), number_latex("0.50", trimmed=True))
    1.031 3.200 \times 10^{-7} 0.5
    """
    exact = Decimal(str(value)) if not isinstance(value, Decimal) else value
    if not exact.is_finite():
        raise ValueError(f"value={value}: must be finite")
    if exact == 0:
        return "0"
    mantissa, _, power = f"{exact:.{digits - 1}e}".partition("e")
    exponent = int(power)
    if trimmed and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    if not -3 <= exponent < max(digits, 4):
        power_of_ten = f"10^{{{exponent}}}"
        return power_of_ten if mantissa == "1" and trimmed else rf"{mantissa} \times {power_of_ten}"
    shown = len(mantissa.lstrip("-").replace(".", ""))
    return f"{Decimal(mantissa).scaleb(exponent):.{max(shown - 1 - exponent, 0)}f}"
