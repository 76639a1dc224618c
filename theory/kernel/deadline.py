"""A time limit for decisions: `with within(seconds): decide(...)` raises `OutOfTime` at its end.

The end is noticed in two ways. The loops of the normal form, of its conversion and of the interval
evaluation call `check`, in every thread. SymPy's own simplifications and factorisations do not; a
timer signal interrupts them, which works in the main thread only, on systems that have the signal,
and only if nobody else uses it. Elsewhere a single call of SymPy runs to its end.

The signal may arrive anywhere. It is deferred inside mpmath, which would swallow the exception, and
inside SymPy's assumptions, where facts would be left half deduced; once the time is up, no result
leaves the block. An interrupted decision leaves nothing behind but SymPy's cache, which is cleared.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import isfinite
from time import monotonic
from typing import Any

from sympy.core.cache import clear_cache

#: The seconds from signal to signal.
TICK = 1 / 20
NOT_TO_BE_INTERRUPTED = ("mpmath", "sympy.core.facts")


class OutOfTime(Exception):
    """The time limit of `within` has passed; the message states the limit."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not decided within {seconds:g} second{'' if seconds == 1 else 's'}")
        self.seconds = seconds


@dataclass(frozen=True)
class _Deadline:
    at: float
    seconds: float


_current: ContextVar[_Deadline | None] = ContextVar("deadline", default=None)


def check() -> None:
    """Raise `OutOfTime` if the time limit has passed."""
    deadline = _current.get()
    if deadline is not None and monotonic() >= deadline.at:
        raise OutOfTime(deadline.seconds)


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Limit the block to so many seconds (None: no limit), within the limit of an enclosing block.

    Raises
    ------
    OutOfTime
        In the block, when the time is up.
    """
    if seconds is None:
        yield
        return
    if not (isfinite(seconds) and seconds > 0):
        raise ValueError(f"seconds={seconds!r}: must be positive and finite")
    outer, inner = _current.get(), _Deadline(monotonic() + seconds, seconds)
    deadline = inner if outer is None or inner.at < outer.at else outer
    token = _current.set(deadline)
    try:
        with _ticking():
            yield
        check()
    except Exception as error:
        if monotonic() < deadline.at:
            raise
        clear_cache()
        raise error if isinstance(error, OutOfTime) else OutOfTime(deadline.seconds) from error
    finally:
        _current.reset(token)


@contextmanager
def _ticking() -> Iterator[None]:
    """Check the clock at regular intervals, if signals are available and no outer block does so."""
    if not _can_use_signals():
        yield
        return
    before = signal.signal(signal.SIGALRM, _on_signal)
    signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # once more: the signal may have come just before the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _on_signal(number: int, frame: Any) -> None:
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(NOT_TO_BE_INTERRUPTED):
            return
        frame = frame.f_back
    check()


def _can_use_signals() -> bool:
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and hasattr(signal, "setitimer")):
        return False
    is_free = signal.getitimer(signal.ITIMER_REAL)[0] == 0
    return is_free and signal.getsignal(signal.SIGALRM) is not None
