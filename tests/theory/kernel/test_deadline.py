"""The limit on time: it interrupts, names itself, nests, and leaves nothing behind."""

import signal
import threading
from time import monotonic

import pytest
from sympy import Symbol, factor, symbols

from isoflop.theory.kernel import decide
from isoflop.theory.kernel.bounds import decide_bound
from isoflop.theory.kernel.deadline import OutOfTime, check, within

x, y, z, beta, gamma = symbols("x y z beta gamma", positive=True)
#: Far beyond a minute.
HEAVY = (
    sum(Symbol(f"x{i}", positive=True) ** Symbol(f"p{i % 7}", positive=True) for i in range(45)) + 1
) ** 30


def spin() -> None:
    while True:
        check()


def swallow() -> None:
    """Like code that catches every exception once."""
    try:
        while True:
            pass
    except Exception:
        pass
    while True:
        pass


def in_sympy() -> None:
    while True:
        factor((x**5 + y**3 + x * y + 1) ** 6 * (x - y + z) ** 5)


@pytest.mark.parametrize("work", [spin, swallow, in_sympy], ids=lambda work: work.__name__)
def test_work_is_interrupted(work) -> None:
    start = monotonic()
    with pytest.raises(OutOfTime, match=r"not decided within 0\.3 seconds"), within(0.3):
        work()
    assert monotonic() - start < 30


def decide_for_ever() -> None:
    while True:
        decide_bound(x**beta + y**gamma + HEAVY, ">=", 2 * x)
        decide((x + y) ** 12 * (x**beta + 1) ** 8, (x**beta + 1) ** 8 * (x + y) ** 12)


def test_a_decision_is_interrupted_and_can_be_repeated() -> None:
    before = decide(x**beta * x**gamma, x ** (beta + gamma))
    for seconds in (0.001, 0.01, 0.05):
        with pytest.raises(OutOfTime), within(seconds):
            decide_for_ever()
    assert decide(x**beta * x**gamma, x ** (beta + gamma)) == before
    assert decide_bound(x**2 + y**2, ">=", 2 * x * y).proved


def test_a_limit_is_positive_and_finite() -> None:
    for seconds in (0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="seconds="), within(seconds):
            pass


def test_the_shorter_of_two_limits_counts_and_the_outer_one_goes_on() -> None:
    """Afterwards signals are as before."""
    before = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with within(600.0):
        with pytest.raises(OutOfTime, match=r"0\.1 seconds"), within(0.1):
            spin()
        decide(x, y)

    def after_an_inner_one() -> None:
        with within(600.0):
            pass
        swallow()

    with pytest.raises(OutOfTime, match=r"0\.2 seconds"), within(0.2):
        after_an_inner_one()
    assert (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)) == before


def test_the_loops_look_at_the_clock_without_signals() -> None:
    """Another thread hears no signal."""
    outcome: list[object] = []

    def work() -> None:
        try:
            with within(0.2):
                while True:
                    decide((x + y**beta) ** 9 * (x**gamma + 1) ** 7, x)
        except OutOfTime as error:
            outcome.append(error.seconds)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert outcome == [0.2]
