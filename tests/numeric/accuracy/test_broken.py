"""Broken laws as numbers: values and derivatives against many digits, and the two-term law at a
fixed ratio.
"""

import mpmath
import numpy as np
import pytest

from isoflop.numeric.accuracy.broken import Break, BrokenLaw
from isoflop.numeric.accuracy.broken_model import BrokenModel, from_coefficients, to_coefficients
from isoflop.numeric.law import Law

MP = mpmath.mp.clone()
MP.dps = 50

TWO = BrokenLaw(
    a=0.85,
    b=-40.0,
    c0=0.09,
    breaks=(
        Break(change=0.3, compute=1e19, width=0.4),
        Break(change=-0.2, compute=1e22, width=1.5),
    ),
)


def exact(law, compute):
    a, b, c0 = MP.mpf(law.a), MP.mpf(law.b), MP.mpf(law.c0)
    value, c = b * MP.mpf(compute) ** -c0, MP.mpf(compute)
    for part in law.breaks:
        f = MP.mpf(part.width)
        value *= (1 + (c / MP.mpf(part.compute)) ** (1 / f)) ** (-MP.mpf(part.change) * f)
    return a + value


@pytest.mark.parametrize("compute", [1e15, 1e19, 3e20, 1e22, 1e27])
def test_value(compute):
    assert float(TWO.accuracy(compute)) == pytest.approx(float(exact(TWO, compute)), rel=1e-13)


def test_shapes_and_coefficients():
    assert TWO.accuracy(np.full((2, 3), 1e20)).shape == (2, 3)
    assert BrokenLaw.from_coefficients(TWO.coefficients) == TWO


LAWS = [
    Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658),
    Law(E=1.69, A=406.4, B=410.7, beta=0.34, gamma=0.28),
    Law(E=0.0, A=3e4, B=50.0, beta=0.7, gamma=0.2),
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("ratio", [5.0, 20.0, 640.0])
def test_a_two_term_law_at_a_fixed_ratio(law, ratio):
    broken = BrokenLaw.of_ray(law, ratio)
    for compute in (1e15, 1e21, 1e27):
        n = MP.sqrt(MP.mpf(compute) / (6 * MP.mpf(ratio)))
        direct = (
            MP.mpf(law.E)
            + MP.mpf(law.A) * n ** -MP.mpf(law.beta)
            + MP.mpf(law.B) * (ratio * n) ** -MP.mpf(law.gamma)
        )
        assert float(broken.accuracy(compute)) == pytest.approx(float(direct), rel=1e-12)
    assert broken.product == pytest.approx(-1.0, abs=1e-12)
    assert broken.breaks[0].width > 0.0


def test_equal_exponents_have_no_break():
    law = Law(E=1.5, A=300.0, B=700.0, beta=0.3, gamma=0.3)
    broken = BrokenLaw.of_ray(law, 20.0)
    assert broken.breaks == ()
    n = (1e21 / 120.0) ** 0.5
    assert float(broken.accuracy(1e21)) == pytest.approx(
        1.5 + 300.0 * n**-0.3 + 700.0 * (20.0 * n) ** -0.3, rel=1e-13
    )


def test_outside_the_domain():
    with pytest.raises(ValueError, match=r"compute=-1\.0"):
        TWO.accuracy(-1.0)
    with pytest.raises(ValueError, match="E, A and B must have values"):
        BrokenLaw.of_ray(Law(beta=0.3, gamma=0.4), 20.0)


# The model that is fitted


@pytest.mark.parametrize("breaks", [1, 2, 3])
@pytest.mark.parametrize("in_logs", [False, True])
def test_derivatives_of_the_model(breaks, in_logs):
    random = np.random.default_rng(breaks)
    logs = np.linspace(40.0, 52.0, 9)
    model = BrokenModel(logs, 46.0, breaks)
    theta = np.array(
        [[0.8, -0.3, 0.1, *[0.2, 44.0, -0.5], *[-0.3, 47.0, 0.4], *[0.1, 50.0, 1.0]][: model.width]]
    )
    factors = random.normal(size=(1, 9))

    def value(i, point):
        a, height, c0, *rest = point
        log_value = -c0 * (MP.mpf(logs[i]) - 46)
        for first in range(0, len(rest), 3):
            c, place, log_f = rest[first : first + 3]
            f = MP.exp(log_f)
            log_value -= c * f * MP.log1p(MP.exp((MP.mpf(logs[i]) - place) / f))
        return a + height * MP.exp(log_value)

    values, jacobian = model.evaluate(theta)
    divisor = values.copy() if in_logs else None
    hessian = model.curvature(theta, factors, jacobian, jacobian.sum(axis=2), divisor)[0]
    point = [MP.mpf(x) for x in theta[0]]
    weights = factors[0] / (values[0] if in_logs else 1.0)
    for i in range(9):
        assert values[0, i] == pytest.approx(float(value(i, point)), rel=1e-13)
    for p in range(model.width):
        for i in (0, 4, 8):
            order = tuple(int(p == j) for j in range(model.width))
            reference = MP.diff(lambda *x, i=i: value(i, x), tuple(point), order)
            assert jacobian[0, p, i] == pytest.approx(float(reference), rel=1e-10, abs=1e-14)
        for q in range(p, model.width):
            order = tuple(int(p == j) + int(q == j) for j in range(model.width))
            total = sum(
                w * float(MP.diff(lambda *x, i=i: value(i, x), tuple(point), order))
                for i, w in enumerate(weights)
            )
            assert hessian[p, q] == pytest.approx(total, rel=1e-8, abs=1e-10)
            assert hessian[p, q] == pytest.approx(hessian[q, p], rel=1e-12)


def test_parameters_and_coefficients_invert_each_other():
    theta = np.array(
        [
            [0.8, -0.3, 0.1, 0.2, 44.0, -0.5, -0.3, 47.0, 0.4],
            [0.2, 0.3, -0.1, 0.2, 41.0, 0.5, 0.3, 42.0, 0.1],
        ]
    )
    assert from_coefficients(to_coefficients(theta, 46.0), 46.0) == pytest.approx(theta, rel=1e-12)
    exchanged = theta[:, [0, 1, 2, 6, 7, 8, 3, 4, 5]]
    assert np.array_equal(to_coefficients(exchanged, 46.0), to_coefficients(theta, 46.0))
