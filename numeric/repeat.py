"""One task repeated over many items, with a progress bar and in several processes; Ctrl-C keeps the
values that are done.
"""

from __future__ import annotations

import threading
from collections.abc import Sized
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from warnings import catch_warnings

from .errors import outside

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

__all__ = ["Repeated", "repeat"]

Value = TypeVar("Value")


class Repeated(NamedTuple, Generic[Value]):
    """The values of the items that were done, in the order of the items, and whether Ctrl-C stopped the
    rest.
    """

    values: tuple[Value, ...]
    interrupted: bool = False


def repeat(
    task: Callable[..., Value],
    items: Iterable[tuple[Any, ...]],
    *,
    jobs: int = 1,
    progress: bool = False,
    what: str = "",
    unit: str = "it",
    total: int | None = None,
    size: Callable[[Value], int] | None = None,
) -> Repeated[Value]:
    """Call `task(*item)` for every item, until Ctrl-C comes.

    The values are the same for every number of jobs if each item carries its own random numbers or
    its own seed.

    Parameters
    ----------
    task : callable
        A function of a module where there are several jobs: it is sent to other processes.
    items : iterable of tuple
        The arguments of each call. They are taken one by one, as processes become free.
    jobs : int
        The number of processes. Several are run by joblib, so that
        ``joblib.parallel_config(backend="dask")`` moves them to other machines; negative numbers
        count from all processors.
    progress : bool
        Show a bar on the standard error.
    what, unit : str
        The label of the bar and its unit.
    total : int, optional
        The end of the bar; by default the number of items where they have a length.
    size : callable, optional
        How far a value moves the bar; by default 1.

    Raises
    ------
    ValueError
        For a number of jobs that is not a whole number, or 0.
    KeyboardInterrupt
        Where Ctrl-C comes before the first value.
    """
    from tqdm import tqdm

    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0:
        raise outside("jobs", jobs, "a whole number other than 0")
    if total is None and isinstance(items, Sized):
        total = len(items)
    values: list[Value] = []
    running = _running(task, items, jobs)
    with tqdm(total=total, desc=what, unit=unit, leave=False, disable=not progress) as bar:
        try:
            for value in running:
                values.append(value)
                bar.update(1 if size is None else size(value))
        except KeyboardInterrupt:
            if not values:
                raise
            return Repeated(tuple(values), interrupted=True)
        finally:
            with catch_warnings(action="ignore"):  # joblib warns of calls that were not made
                running.close()
    return Repeated(tuple(values))


def _running(
    task: Callable[..., Value], items: Iterable[tuple[Any, ...]], jobs: int
) -> Generator[Any, None, None]:
    if jobs == 1:
        for item in items:
            yield task(*item)
        return
    from joblib import Parallel, delayed

    report = threading.excepthook

    def report_others(error: threading.ExceptHookArgs) -> None:
        # When joblib is stopped, its thread that hands out calls may look up a call that the stop
        # has just removed; it then dies with a KeyError, after it has ended the processes.
        name = error.thread.name if error.thread else ""
        if not (name == "ExecutorManagerThread" and error.exc_type is KeyError):
            report(error)

    threading.excepthook = report_others
    try:
        yield from Parallel(n_jobs=jobs, return_as="generator")(
            delayed(task)(*item) for item in items
        )
    finally:
        threading.excepthook = report
