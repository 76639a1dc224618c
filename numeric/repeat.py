"""One task repeated over many items, with a progress bar and in several processes; Ctrl-C keeps the
values that are done.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sized
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

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
    size: Callable[[Value], int] = lambda _: 1,
) -> Repeated[Value]:
    """Call `task(*item)` for every item, until Ctrl-C comes; a KeyboardInterrupt where it comes before
    the first value. The values are the same for every number of jobs if each item carries its own
    random numbers or its own seed.

    Parameters
    ----------
    task : callable
        A function of a module where there are several jobs: it is sent to other processes.
    items : iterable of tuple
        The arguments of each call, taken one by one as processes become free.
    jobs : int
        The number of processes; negative numbers count from all processors. Several are run by
        joblib, so that ``joblib.parallel_config(backend="dask")`` moves them to other machines.
    progress, what, unit, total, size
        Whether to show a bar on the standard error; its label, its unit, its end, by default the
        number of items, and how far a value moves it.
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
                bar.update(size(value))
        except KeyboardInterrupt:
            if not values:
                raise
            return Repeated(tuple(values), interrupted=True)
        finally:
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

    wanted = True
    calls = (delayed(task)(*item) for item in takewhile(lambda _: wanted, items))
    running = Parallel(n_jobs=jobs, return_as="generator")(calls)
    try:
        for value in running:  # noqa: UP028 (`yield from` would close it)
            yield value
    finally:  # let the calls that have begun end: closing joblib's generator kills its processes, which may fail
        wanted = False
        with suppress(Exception, KeyboardInterrupt):
            deque(running, maxlen=0)
