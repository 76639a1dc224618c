"""Which kind of fit the words of isoflop fit ask for, each with options of its own."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from .errors import UsageError, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: What the law is of; by default what the table holds.
OF = ("loss", "pass@k")
OVERTRAINING = "overtraining"
#: Options of fits to counts that other fits do not have, and columns that other tables do not have.
OF_COUNTS = ("--k", "--models", "--gold", "--method", "n_samples", "n_correct")


def command(words: Sequence[str]) -> str:
    """The module of a fit of runs, of counts of samples, or of the laws of over-training."""
    law, what = _after("--law", words), _after("--of", words)
    if law == OVERTRAINING:
        return "fit_overtraining"
    if what not in (None, *OF):
        raise UsageError(f"--of {shown(what)}: must be one of {', '.join(OF)}")
    if what == "pass@k" or (what is None and _names_counts(words)):
        return "fit_counts"
    if law is not None:
        other = "other laws of runs are a --model"
        raise UsageError(f"--law {shown(law)}: must be {OVERTRAINING}; {other}")
    return "fit"


def _after(option: str, words: Sequence[str]) -> str | None:
    """The value of an option, before the options of a command are known."""
    joined = [word.removeprefix(f"{option}=") for word in words if word.startswith(f"{option}=")]
    apart = [after for word, after in pairwise(words) if word == option]
    return next(iter([*joined, *apart]), None)


def _names_counts(words: Sequence[str]) -> bool:
    """Whether words name a table of counts, or options and columns that only these have."""
    from ..numeric.data.metrics import kind_of
    from ..numeric.data.table import table_of

    if any(word.partition("=")[0] in OF_COUNTS for word in words):
        return True
    for word in words:
        try:
            is_file = not word.startswith("-") and Path(word).is_file()
            if is_file and kind_of(table_of(word)) == "counts":
                return True
        except (OSError, ValueError):  # whoever reads the table will say what is wrong
            continue
    return False
