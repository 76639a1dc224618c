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


def known(wanted: Sequence[str], *, also: str = "", hints: Sequence[str] = ()) -> tuple[str, ...]:
    """The names in full, each once; `also` says what else would do, and `hints` may be meant.

    Raises
    ------
    UsageError
        Where a name is not known.
    """
    from ..derivations import NAMES
    from ..theory.data.notation import close_matches

    names = [SHORT_NAMES.get(word, word) for word in wanted]
    for name in names:
        if name not in NAMES:
            hint = close_matches(name, (*SHORT_NAMES, *NAMES, *hints))
            raise UsageError(
                f"{POSITIONAL} {shown(name)}: is none of the {len(NAMES)} theorems{also}"
                f"{hint or '; isoflop latex --list names them'}"
            )
    return tuple(dict.fromkeys(names))
