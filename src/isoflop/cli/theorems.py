"""Theorems by the names that a user types."""

from __future__ import annotations

from .arguments import POSITIONAL
from .errors import UsageError, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SHORT_NAMES", "known"]

#: The two that are asked for most.
SHORT_NAMES = {"envelope": "compute_optimal_envelope", "penalty": "misallocation_penalty"}


def known(wanted: Sequence[str], others: Sequence[str] = (), also: str = "") -> tuple[str, ...]:
    """The names in full, each once; `others` are known as well, and `also` says what else would do.

    Raises
    ------
    UsageError
        Where a name is not known.
    """
    from ..derivations import NAMES
    from ..theory.data.notation import close_matches

    names = [SHORT_NAMES.get(word, word) for word in wanted]
    for name in names:
        if name not in NAMES and name not in others:
            hint = close_matches(name, (*SHORT_NAMES, *NAMES, *others))
            raise UsageError(
                f"{POSITIONAL} {shown(name)}: is none of the {len(NAMES)} theorems{also}"
                f"{hint or '; isoflop latex --list names them'}"
            )
    return tuple(dict.fromkeys(names))
