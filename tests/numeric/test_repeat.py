"""Repeating: the order, other processes, and what is kept where Ctrl-C comes."""

import pytest

from isoflop.numeric.repeat import repeat


def square(x):
    return x * x


def numbers(count):
    return [(i,) for i in range(count)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_values_are_in_the_order_of_the_items(jobs):
    done = repeat(square, numbers(7), jobs=jobs)
    assert done == ((0, 1, 4, 9, 16, 25, 36), False)


def test_an_interrupt_keeps_what_is_done():
    def task(stop, x):
        if x == stop:
            raise KeyboardInterrupt
        return x

    done = repeat(task, [(3, i) for i in range(10)], progress=True)
    assert done == ((0, 1, 2), True)
    with pytest.raises(KeyboardInterrupt):
        repeat(task, [(0, i) for i in range(10)])


def test_an_interrupt_while_other_processes_work():
    def interrupt(value):
        if value == 4:
            raise KeyboardInterrupt
        return 1

    assert repeat(square, numbers(50), jobs=2, size=interrupt) == ((0, 1, 4), True)


@pytest.mark.parametrize("jobs", [0, 1.5, True])
def test_bad_jobs(jobs):
    with pytest.raises(ValueError, match=r"^jobs="):
        repeat(square, numbers(3), jobs=jobs)
