"""One task repeated over many items: with a bar, in several processes, and with what is done where
Ctrl-C ends it.
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
    """The values of the items that were done, in the order of the items, and whether Ctrl-C came
    before the last was.
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
    """`task(*item)` for every item, as far as Ctrl-C allows.

    The values are the same for every number of jobs if each item carries its own random numbers or
    its own seed.

    Parameters
    ----------
    task : callable
        With several jobs it and the items are sent to other processes, so that it should be a
        function of a module.
    items : iterable of tuple
        The arguments of each call. They are taken one by one, as processes become free.
    jobs : int
        Processes. More than one are run by joblib, so that
        ``joblib.parallel_config(backend="dask")`` takes them to other machines; negative numbers
        count from all processors.
    progress : bool
        Show a bar on the standard error.
    what, unit : str
        What the bar says.
    total : int, optional
        What the bar counts up to; by default the number of items where these have a length.
    size : callable, optional
        How far a value moves the bar, in this process when it is done; by default 1.

    Raises
    ------
    ValueError
        For a number of jobs that is none.
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
            with catch_warnings(action="ignore"):  # joblib warns of the calls that were left
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
        # Where joblib is stopped, the thread that hands out the calls may look up one that the stop
        # has just removed from its dictionary, and dies after it has ended the processes.
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
