"""A progress bar on the standard error, or none."""

from __future__ import annotations

from typing import Any


class _NoBar:
    def update(self, count: int) -> None:
        """Nothing to show."""

    def close(self) -> None:
        """Nothing to close."""


def progress_bar(total: int | None, progress: bool, *, what: str, unit: str) -> Any:
    """A bar with `update(count)` and `close()`; where no progress is wanted, one that shows
    nothing.
    """
    if not progress:
        return _NoBar()
    from tqdm import tqdm

    return tqdm(total=total, desc=what, unit=unit, leave=False)
