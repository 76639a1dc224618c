"""The same function of many arguments, one after the other or in several processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["in_order"]


def in_order(function: Callable[..., Any], arguments: Iterable[tuple[Any, ...]], jobs: int) -> Iterator[Any]:
    """The values in the order of the arguments, as they are done; more than one process needs joblib.

    Raises
    ------
    ValueError
        Where there is no joblib for several jobs.
    """
    if jobs == 1:
        yield from (function(*each) for each in arguments)
        return
    try:
        from joblib import Parallel, delayed
    except ImportError:
        raise ArgumentError("jobs", jobs, complaint="more than one needs joblib, which is not installed") from None
    yield from Parallel(n_jobs=jobs, return_as="generator")(delayed(function)(*each) for each in arguments)
