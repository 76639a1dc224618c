"""The theorems, one file each: statement, assumptions, numbered steps with their reasons, source.

Every file has `derivation()`, which builds the theorem as data; its steps are claims that check themselves.
The folders sort them by subject; a theorem is called by its own name alone.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

_HOME = {
    file.name: f"{__name__}.{folder.name}.{file.name}"
    for folder in iter_modules(__path__)
    for file in iter_modules([f"{place}/{folder.name}" for place in __path__])
}
NAMES = tuple(sorted(_HOME))


def theorem(name: str) -> ModuleType:
    """The module of the theorem *name*; KeyError where there is none."""
    return import_module(_HOME[name])
