"""Formulas in plain text, as laws print them, in LaTeX: no algebra, letter by letter."""

from __future__ import annotations

import re

__all__ = ["formula_latex"]

_TOKEN = re.compile(r"[A-Za-z]\w*'?|\d+(?:\.\d+)?|\^|[()]|\s+|.")
GREEK = {"alpha", "beta", "gamma", "epsilon", "delta", "eta"}
UPRIGHT = {"log": r"\log", "exp": r"\exp"}
NAMES = {"log_A": r"\log A", "decay": r"\delta"}


def formula_latex(text: str) -> str:
    r"""A law's plain formula, or the name of a coefficient, in LaTeX's mathematics.

    >>> formula_latex("-log Q' = E + C0 C^-alpha")
    "-\\log Q' = E + C_{0} C^{-\\alpha}"
    >>> formula_latex("(1 + (C/d1)^(1/f1))^(-c1 f1)")
    '(1 + (C/d_{1})^{1/f_{1}})^{-c_{1} f_{1}}'
    """
    tokens = _TOKEN.findall(text)
    return _tex(tokens, [])


def _tex(tokens: list[str], done: list[str]) -> str:
    while tokens:
        token = tokens.pop(0)
        done.append(f"^{{{_exponent(tokens)}}}" if token == "^" else _letter(token))
    return "".join(done)


def _exponent(tokens: list[str]) -> str:
    """What stands behind ^: a sign and a name or number, or all that is in parentheses, without
    them.
    """
    if tokens[:1] != ["("]:
        taken = [tokens.pop(0)]
        if taken == ["-"]:
            taken.append(tokens.pop(0))
        return _tex(taken, [])
    depth, inside = 0, []
    while True:
        token = tokens.pop(0)
        depth += {"(": 1, ")": -1}.get(token, 0)
        inside.append(token)
        if not depth:
            return _tex(inside[1:-1], [])


def _letter(token: str) -> str:
    if token in NAMES or token in UPRIGHT:
        return NAMES.get(token) or UPRIGHT[token]
    name, number = re.fullmatch(r"(.*?)_?(\d*)", token, re.DOTALL).groups()  # type: ignore[union-attr]
    if not name or not name[0].isalpha():
        return token
    letter = (
        rf"\{name}"
        if name in GREEK
        else name
        if len(name.rstrip("'")) == 1
        else rf"\mathit{{{name}}}"
    )
    return f"{letter}_{{{number}}}" if number else letter
