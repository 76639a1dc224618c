"""Repeating: the order, other processes, and what is kept where Ctrl-C comes."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from isoflop.numeric.repeat import repeat


def square(x):
    return x * x


def numbers(count):
    return [(i,) for i in range(count)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_values_are_in_the_order_of_the_items(jobs):
    done = repeat(square, numbers(7), jobs=jobs)
    assert done.values == (0, 1, 4, 9, 16, 25, 36)
    assert not done.interrupted


def interrupted_at(stop):
    def task(x):
        if x == stop:
            raise KeyboardInterrupt
        return x

    return task


def test_an_interrupt_keeps_what_is_done():
    done = repeat(interrupted_at(3), numbers(10), progress=True)
    assert done.values == (0, 1, 2)
    assert done.interrupted
    assert done.at_least_one() is done


def test_an_interrupt_before_the_first_value():
    done = repeat(interrupted_at(0), numbers(10))
    assert done.values == ()
    with pytest.raises(KeyboardInterrupt):
        done.at_least_one()


def test_an_interrupt_while_other_processes_work():
    def interrupt(value):
        if value == 4:
            raise KeyboardInterrupt
        return 1

    done = repeat(square, numbers(50), jobs=2, size=interrupt)
    assert done.values == (0, 1, 4)
    assert done.interrupted


def test_an_abort_of_the_thread_that_hands_out_calls_is_silent():
    """What joblib's manager thread does now and then where it is stopped; others are reported."""

    def fail():
        raise KeyError(42)

    def stop(value):
        for name in ("ExecutorManagerThread", "another"):
            thread = threading.Thread(target=fail, name=name)
            thread.start()
            thread.join()
        raise KeyboardInterrupt

    reported: list[str] = []
    before = threading.excepthook
    threading.excepthook = lambda error: reported.append(str(error.thread and error.thread.name))
    try:
        repeat(square, numbers(9), jobs=2, size=stop)
    finally:
        threading.excepthook = before
    assert reported == ["another"]


@pytest.mark.parametrize("jobs", [0, 1.5, True])
def test_bad_jobs(jobs):
    with pytest.raises(ValueError, match=r"^jobs="):
        repeat(square, numbers(3), jobs=jobs)


def test_no_process_outlives_the_one_that_is_asked_to_end():
    code = """
import os, time
from isoflop.numeric.repeat import repeat
def pid(seconds):
    time.sleep(seconds)
    return os.getpid()
if __name__ == "__main__":
    repeat(pid, [(0.5,)] * 4 + [(600.0,)] * 2, jobs=2, size=lambda value: print(value, flush=True) or 1)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    workers = {int(process.stdout.readline()) for _ in range(4)}
    process.terminate()
    assert process.wait(60) == 128 + signal.SIGTERM
    process.stdout.close()
    for _ in range(300):  # they would sleep for 600 s
        if not any(map(runs, workers)):
            return
        time.sleep(0.1)
    pytest.fail("a worker still runs")


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
