"""The theorems, one file each: statement, assumptions, numbered steps with their reasons, source.

A theorem is a text, `penalty/penalty_tails.md`, or a Python file with `derivation()`, which builds it as data; either
way its steps are claims that check themselves. The folders sort them by subject; a theorem is called by its own name
alone.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from isoflop.theory.theorem.derivation import Derivation, Erratum, Remark

_HOME = {
    file.name: f"{__name__}.{folder.name}.{file.name}"
    for folder in iter_modules(__path__)
    for file in iter_modules([f"{place}/{folder.name}" for place in __path__])
}
_TEXTS = {file.stem: file for place in __path__ for file in Path(place).glob("*/*.md")}
NAMES = tuple(sorted((*_HOME, *_TEXTS)))


def theorem(name: str) -> ModuleType:
    """The module of a theorem that is a Python file; KeyError where there is none."""
    return import_module(_HOME[name])


def derivation(name: str) -> Derivation:
    """The theorem *name*; KeyError where there is none."""
    if name not in _TEXTS:
        built: Derivation = theorem(name).derivation()
        return built
    from isoflop.theory.theorem.text import load

    return load(_TEXTS[name])


def errata(name: str) -> tuple[tuple[Erratum, ...], tuple[Remark, ...]]:
    """The slips and the remarks of the theorem *name*; KeyError where there is no such text."""
    from isoflop.theory.theorem.text import errata

    return errata(_TEXTS[name])


def summary(name: str) -> str:
    """The theorem *name* in one line."""
    if name not in _TEXTS:
        return (theorem(name).__doc__ or "").partition("\n")[0]
    return _TEXTS[name].read_text(encoding="utf-8").splitlines()[1]
