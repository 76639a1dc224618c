"""Evidence of some of the models is what there would be without the others."""

from math import exp

import numpy as np
import pytest

from isoflop.numeric.passk import likelihood
from isoflop.numeric.passk.likelihood import AtK, Surface
from isoflop.numeric.passk.shapes import Shapes


@pytest.fixture(scope="module")
def models():
    """Thirty with shapes about one line, then ten with other ones, of which two have no success."""
    random = np.random.default_rng(7)
    found = []
    for g, u in enumerate(random.uniform(-1.0, 1.2, size=40)):
        a = exp((-0.9 if g < 30 else 1.2) - 0.5 * u + 0.5 * random.standard_normal())
        b = a * (exp(exp(u)) - 1.0) * (1e9 if g > 37 else 1.0)
        found.append(
            (
                np.full(60, 20 if g else 12),
                random.binomial(20 if g else 12, random.beta(a, b, size=60)),
            )
        )
    return found


@pytest.fixture(scope="module")
def surface(models):
    return Surface.of(models)


@pytest.mark.parametrize("k", [5, 300])
@pytest.mark.parametrize("chosen", [range(30), range(1, 40, 2), [0, 3, 30, 38, 39], [38, 39]])
def test_others_leave_no_trace(models, surface, k, chosen):
    found, alone = (
        AtK.of(surface, k).evidence(list(chosen)),
        Surface.of([models[g] for g in chosen]).at(k),
    )
    assert found.usual.mean == pytest.approx(alone.usual.mean, rel=1e-6, abs=1e-6)
    assert found.nodes == pytest.approx(alone.nodes, abs=1e-9)
    assert found.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-6)
    assert found.flat.tolist() == alone.flat.tolist()


def test_what_is_usual_is_learnt_from_those_that_are_chosen(surface):
    at = AtK.of(surface, 300)
    every, some = at.evidence(), at.evidence(range(30))
    assert np.isfinite(some.usual.deviation)
    assert some.usual.span[1] <= every.usual.span[1]
    assert np.abs(some.moments()[0] - every.some(range(30)).moments()[0]).max() > 0.01
    assert at.evidence(range(likelihood.LEAST_MODELS - 1)).usual == Shapes()
    assert at.evidence(range(30), learn=False).usual == Shapes()


def test_samples_of_those_that_are_chosen_count(surface):
    at = AtK.of(surface, 15)  # the first model has 12 samples a problem, the others 20
    assert at.evidence(range(1, 30)).usual == Shapes()
    assert np.isfinite(at.evidence(range(30)).usual.deviation)


@pytest.mark.parametrize("k", [1, 300])
def test_the_table_is_the_surface(surface, k):
    at, random = AtK.of(surface, k), np.random.default_rng(1)
    nodes = at.nodes[:, :1] + (at.nodes[:, -1:] - at.nodes[:, :1]) * np.sort(
        random.uniform(size=(40, 9)), axis=1
    )
    direct = surface.looked(surface.inverse(k), nodes)
    likely = direct > direct.max(axis=(1, 2), keepdims=True) - 10.0
    assert np.abs(at.looked(nodes) - direct)[likely].max() < 5e-3
