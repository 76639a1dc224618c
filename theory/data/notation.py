"""The two spellings of a scaling law, and the conversion between them.

The same greek letter names different exponents in the literature: Schaeffer et al. (arXiv
2509.24012) write ``beta`` and ``gamma`` for the exponents of params and tokens and ``alpha`` for
that of compute; Hoffmann et al. (arXiv 2203.15556) write ``alpha`` and ``beta`` for params and
tokens and ``a``, ``b`` for the exponents of the allocation, N* ~ C^a and D* ~ C^b. They give the
exponent of the envelope no name; ``alpha_C`` is this package's. The coefficients E, A, B are
Hoffmann's in both. The package itself uses the schaeffer spelling, called canonical here, and converts
what it reads and prints. (A budget kappa N^a D^d uses the letter ``a``: print it in schaeffer.)
"""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import TypeVar

    Value = TypeVar("Value")

__all__ = [
    "DEFAULT",
    "HOFFMANN",
    "KINDS",
    "NOTATIONS",
    "ROLES",
    "SCHAEFFER",
    "Notation",
    "close_matches",
    "notation",
]

#: The roles of the coefficients of a law, in the order of a notation's letters.
ROLES = {
    "irreducible": "irreducible loss",
    "params_coefficient": "params coefficient",
    "tokens_coefficient": "tokens coefficient",
    "params_exponent": "params exponent",
    "tokens_exponent": "tokens exponent",
    "compute_coefficient": "compute coefficient",
    "compute_exponent": "compute exponent",
    "params_allocation": "allocation exponent of params",
    "tokens_allocation": "allocation exponent of tokens",
}
_ROLES = tuple(ROLES)
#: The roles of the coefficients of each kind of law.
KINDS = {"params-tokens": _ROLES[:5], "compute": (_ROLES[0], *_ROLES[5:7])}


@dataclass(frozen=True, repr=False)
class Notation:
    r"""A spelling of the coefficients.

    `letters` has the plain name of every role of :data:`ROLES`; `symbols` has the LaTeX of every
    quantity by its canonical name.

    Examples
    --------
    >>> notation("hoffmann").letters["params_exponent"]
    'alpha'
    >>> notation("hoffmann").to_canonical({"A": "482", "B": "2085", "alpha": ".348", "beta": ".366"})
    {'A': '482', 'B': '2085', 'beta': '.348', 'gamma': '.366'}
    >>> print(notation("hoffmann").latex("gamma"), notation("hoffmann").latex("N_opt"))
    \beta N_{\mathrm{opt}}
    """

    name: str
    title: str
    source: str
    letters: Mapping[str, str] = field(compare=False)
    symbols: Mapping[str, str] = field(compare=False)

    def __repr__(self) -> str:
        return f"notation({self.name!r})"

    def names(self, kind: str | None = None) -> dict[str, str]:
        """Canonical name -> name in this notation, of the coefficients of a law of this kind or of
        every role.

        Substitute the names all at once: ``beta`` is a name in both notations, for different
        things.
        """
        return {SCHAEFFER.letters[role]: self.letters[role] for role in roles_of(kind)}

    def latex(self, name: str) -> str:
        """LaTeX of a quantity by its canonical name, such as ``beta``, ``N``, ``N_opt`` or ``rho``."""
        return self.symbols[name]

    def to_canonical(
        self, coefficients: Mapping[str, Value], *, kind: str = "params-tokens"
    ) -> dict[str, Value]:
        """The coefficients under their canonical names, in canonical order; the values are passed
        on as they are.

        Parameters
        ----------
        coefficients : mapping
            Names in this notation -> values; some may be missing.
        kind : {"params-tokens", "compute"}
            The kind of law, which fixes the names to expect.

        Raises
        ------
        ValueError
            If a name is unknown or belongs to another notation.
        """
        return _translated(coefficients, self, SCHAEFFER, kind)

    def from_canonical(
        self, coefficients: Mapping[str, Value], *, kind: str = "params-tokens"
    ) -> dict[str, Value]:
        """The inverse of :meth:`to_canonical`: the coefficients under their names in this notation."""
        return _translated(coefficients, SCHAEFFER, self, kind)


def _letters(names: str) -> dict[str, str]:
    return dict(zip(ROLES, names.split(), strict=True))


def _symbols(optimum: str, **letters: str) -> dict[str, str]:
    """The LaTeX of quantities by name: common letters, those of the notation, and the optima."""
    common = {name: name for name in ("E", "A", "B", "N", "D", "C", "L", "r")}
    optima = {f"{name}_opt": f"{name}{optimum}" for name in "NDL"}
    return common | {"C0": "C_0", "rho": r"\rho"} | letters | optima


SCHAEFFER = Notation(
    "schaeffer",
    "beta on params, gamma on tokens, alpha on compute (Schaeffer et al. 2025)",
    "Schaeffer et al. 2025",
    _letters("E A B beta gamma C0 alpha w_N w_D"),
    _symbols("^{*}", beta=r"\beta", gamma=r"\gamma", alpha=r"\alpha", w_N="w_N", w_D="w_D"),
)
HOFFMANN = Notation(
    "hoffmann",
    "alpha on params, beta on tokens (Hoffmann et al. 2022); alpha_C on compute",
    "Hoffmann et al. 2022",
    _letters("E A B alpha beta C0 alpha_C a b"),
    _symbols(
        r"_{\mathrm{opt}}", beta=r"\alpha", gamma=r"\beta", alpha=r"\alpha_C", w_N="a", w_D="b"
    ),
)

#: Every notation by name.
NOTATIONS = {SCHAEFFER.name: SCHAEFFER, HOFFMANN.name: HOFFMANN}
#: The notation in which names are read and printed by default.
DEFAULT = SCHAEFFER


def notation(name: str | Notation = DEFAULT) -> Notation:
    """The notation of that name; a notation is returned as it is.

    Raises
    ------
    ValueError
        If there is no notation of that name.
    """
    if isinstance(name, Notation):
        return name
    if isinstance(name, str) and name in NOTATIONS:
        return NOTATIONS[name]
    raise ValueError(f"unknown notation={name!r}; {_choose_from(name, NOTATIONS)}")


def close_matches(name: object, choices: Iterable[str]) -> str:
    """A clause that suggests the choices that look like ``name``; empty if none does.

    >>> close_matches("hofman", ["schaeffer", "hoffmann"])
    ' (did you mean hoffmann?)'
    """
    import difflib  # only a mistake pays for this import

    lowered = {choice.lower(): choice for choice in choices}
    found = difflib.get_close_matches(str(name).lower(), lowered)
    return f" (did you mean {' or '.join(lowered[match] for match in found)}?)" if found else ""


def _choose_from(name: object, choices: Collection[str]) -> str:
    return f"choose from {', '.join(choices)}{close_matches(name, choices)}"


def roles_of(kind: str | None = None) -> tuple[str, ...]:
    """The roles of the coefficients of a kind of law, or all; ValueError if there is no such kind."""
    if kind is None:
        return _ROLES
    if kind not in KINDS:
        raise ValueError(f"unknown kind={kind!r}; {_choose_from(kind, KINDS)}")
    return KINDS[kind]


def _translated(
    coefficients: Mapping[str, Value], source: Notation, target: Notation, kind: str
) -> dict[str, Value]:
    if not hasattr(coefficients, "keys"):
        raise ValueError(f"coefficients must map names to values, got {coefficients!r}")
    role_of = {source.letters[role]: role for role in roles_of(kind)}
    expected = f"a {kind} law in the {source.name} notation has {', '.join(role_of)}"
    for name in coefficients:
        if name not in role_of:
            hint = _other_meaning(name, source, kind) or close_matches(name, role_of)
            raise ValueError(f"coefficient {name!r} is out of place: {expected}{hint}")
    return {
        target.letters[role]: coefficients[x] for x, role in role_of.items() if x in coefficients
    }


def _other_meaning(name: object, source: Notation, kind: str) -> str:
    """A clause that says in which other notation the name belongs to such a law; empty if in none."""
    for other in NOTATIONS.values():
        for role in roles_of(kind):
            if other is not source and other.letters[role] == name:
                meaning = f"the {ROLES[role]} in the {other.name} notation"
                return f"; {name} is {meaning}: say notation={other.name!r}"
    return ""
