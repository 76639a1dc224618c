"""One task repeated over many items: with a bar, in several processes, and with what is done where
Ctrl-C ends it.
"""

from __future__ import annotations

import threading
from collections.abc import Sized
from contextlib import contextmanager
from dataclasses import dataclass
from signal import SIGTERM, signal
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from warnings import catch_warnings

from ._progress import progress_bar
from .errors import process_count

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

__all__ = ["Repeated", "repeat"]

Value = TypeVar("Value")


@dataclass(frozen=True)
class Repeated(Generic[Value]):
    """The values of the items that were done, in the order of the items.

    Attributes
    ----------
    values : tuple
    interrupted : bool
        Whether Ctrl-C came before the last item was done.
    """

    values: tuple[Value, ...]
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def at_least_one(self) -> Repeated[Value]:
        """The same; the interrupt goes on where it came before the first value.

        Raises
        ------
        KeyboardInterrupt
        """
        if self.interrupted and not self.values:
            raise KeyboardInterrupt
        return self


def repeat(
    task: Callable[..., Value],
    items: Iterable[tuple[Any, ...]],
    *,
    jobs: int = 1,
    progress: bool = False,
    what: str = "",
    unit: str = "",
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

    Returns
    -------
    Repeated
    """
    jobs = process_count(jobs)
    if total is None and isinstance(items, Sized):
        total = len(items)
    values: list[Value] = []
    interrupted = False
    running = _running(task, items, jobs)
    bar = progress_bar(total, progress, what=what, unit=unit)
    try:
        for value in running:
            values.append(value)
            bar.update(1 if size is None else size(value))
    except KeyboardInterrupt:
        interrupted = True
    finally:
        with catch_warnings(action="ignore"):  # joblib warns of the calls that were left
            running.close()
        bar.close()
    return Repeated(tuple(values), interrupted)


def _running(
    task: Callable[..., Value], items: Iterable[tuple[Any, ...]], jobs: int
) -> Generator[Any, None, None]:
    if jobs == 1:
        for item in items:
            yield task(*item)
        return
    from joblib import Parallel, delayed

    with _silent_abort(), _ended_in_order():
        yield from Parallel(n_jobs=jobs, return_as="generator")(
            delayed(task)(*item) for item in items
        )


@contextmanager
def _silent_abort() -> Iterator[None]:
    """Keeps the traceback of joblib's manager thread from the standard error.

    Where joblib is stopped, the thread that hands out the calls may look up one that the stop has
    just removed from its dictionary, and dies of a `KeyError` after it has ended the processes.
    """
    report = threading.excepthook

    def report_others(error: threading.ExceptHookArgs) -> None:
        name = error.thread.name if error.thread else ""
        if not (name == "ExecutorManagerThread" and error.exc_type is KeyError):
            report(error)

    threading.excepthook = report_others
    try:
        yield
    finally:
        threading.excepthook = report


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Where this process is asked to end, it leaves the block, and so ends the others first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal(SIGTERM, end)
    try:
        yield
    finally:
        signal(SIGTERM, before)
