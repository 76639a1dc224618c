"""The theorems, one file each: statement, assumptions, numbered steps with their reasons, source.

Every file has `derivation()`, which builds the theorem as data; its steps are claims that check themselves.
"""

from pkgutil import iter_modules

NAMES = tuple(sorted(module.name for module in iter_modules(__path__)))
