"""The theorems, one text each: setting, statement, steps with their reasons, source.

The folders sort them by subject; a theorem is called by the name of its file alone, as
`penalty/penalty_tails.md` is by `penalty_tails`. `theory/theorem/text.py` says what a text may hold.
"""

from __future__ import annotations

from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from isoflop.theory.theorem.derivation import Derivation
    from isoflop.theory.theorem.errata import Erratum

_TEXTS = {file.stem: file for place in __path__ for file in Path(place).glob("*/*.md")}
#: The folders, in the order of a book.
SUBJECTS = (
    "envelope",
    "penalty",
    "corners",
    "several_terms",
    "data",
    "accuracy",
    "passk",
    "papers",
)
NAMES = tuple(sorted(_TEXTS, key=lambda name: (SUBJECTS.index(_TEXTS[name].parent.name), name)))


def derivation(name: str) -> Derivation:
    """The theorem *name*; KeyError where there is none."""
    from isoflop.theory.settings import theorem

    return theorem(_TEXTS[name].read_text(encoding="utf-8"), name)


def errata(name: str) -> tuple[Erratum, ...]:
    """The slips and the remarks of the theorem *name*; KeyError where there is no such text."""
    from isoflop.theory.settings import errata

    return errata(_TEXTS[name].read_text(encoding="utf-8"))


def summary(name: str) -> str:
    """The theorem *name* in one line."""
    return _TEXTS[name].read_text(encoding="utf-8").splitlines()[1]
