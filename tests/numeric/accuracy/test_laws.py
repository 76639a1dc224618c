"""The laws by name: what each is, and that each can do what every law must."""

import numpy as np
import pytest

from isoflop.numeric.accuracy.laws import LAWS, law_named
from isoflop.numeric.data.sample import Points, Sample
from isoflop.numeric.fit.fitted import Fitted

QUANTITIES = {"params", "tokens", "compute", "proxy", "k"}


@pytest.fixture(scope="module")
def runs():
    """Runs of which everything is known, with accuracy rising in compute and k."""
    random = np.random.default_rng(2)
    compute, k = (
        each.ravel()
        for each in np.meshgrid(np.geomspace(1e19, 1e23, 14), (1.0, 10.0), indexing="ij")
    )
    params = np.sqrt(compute / 6.0 / 10 ** random.uniform(1.0, 2.0, len(k)))
    log_y = 6.0 - 0.13 * np.log(compute) + 0.9 * np.log(k) - 0.024 * np.log(compute) * np.log(k)
    log_y = log_y + 0.03 * random.standard_normal(len(k))
    at = Points(
        params=params,
        tokens=compute / 6.0 / params,
        compute=compute,
        k=k,
        proxy=1.6 + 800.0 * compute**-0.15,
    )
    return Sample(
        benchmark="task",
        accuracy=np.exp(-np.exp(log_y)),
        baseline=0.0,
        at=at,
        index=np.arange(len(k)),
    )


@pytest.mark.parametrize("name", LAWS)
def test_every_law_fits_refits_and_predicts(name, runs) -> None:
    kind = law_named(name)
    assert kind.name == name
    assert kind.expression
    assert {*kind.requires} | {*kind.asks} <= QUANTITIES
    assert {*kind.asks} >= {*kind.requires} - {"proxy"}
    part = runs if "k" in kind.requires else runs.subset(runs.at.k == 1.0)
    p = len(kind.coefficients)
    found = kind.fit(part)
    assert found.values.shape == (p,)
    assert np.isfinite(found.values).all()
    assert set(found.undetermined) <= set(kind.coefficients)
    assert found.names == kind.coefficients
    for each in (found, *found.parts):
        assert isinstance(each, Fitted)
        assert each.limits.shape == (len(each.names), 2)
        assert bool(each.reason) != each.converged
        assert len(each.tables()[0]) >= len(each.names)
    random = np.random.default_rng(0)
    weights = random.multinomial(len(part), np.full(len(part), 1.0 / len(part)), size=3).astype(
        float
    )
    again = found.refit(weights=weights, baselines=np.zeros(3))
    assert (again.coefficients.shape, again.converged.shape, again.converged.dtype) == (
        (3, p),
        (3,),
        np.dtype(bool),
    )
    asked = Points(**{quantity: getattr(part.at, quantity) for quantity in kind.asks})
    values = kind.accuracy(np.stack([found.values] * 2), asked, np.zeros(2))
    assert values.shape == (2, len(part))
    assert (values[0] == values[1]).all()
    assert np.sqrt(np.mean((values[0] - part.accuracy) ** 2)) < 0.05


def test_margins() -> None:
    direct = ("compute", "compute-ceiling", "params-tokens", "params-tokens-ceiling", "bilinear")
    assert {law_named(name).margin for name in direct} == {0.05}
    assert law_named("compute").margin == 0.05
    assert law_named("compute", margin=0.02).margin == 0.02
    assert law_named("bnsl").margin == 0.0
    assert law_named("bnsl", margin=0.1).margin == 0.1
    assert law_named("bilinear", margin=0.0).margin == 0.0
    # A logistic link levels off at guessing, a line does not.
    assert law_named("two-stage-logistic").margin is None
    assert law_named("two-stage-linear").margin == 0.05
    assert law_named("two-stage-logistic", margin=0.1).margin == 0.1


@pytest.mark.parametrize(
    ("name", "said"),
    [("compte", "did you mean"), ("bnsl-4", "bnsl-3"), ("", "must be"), ("loss", "must be")],
)
def test_unknown_laws(name, said) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        law_named(name)
    assert str(caught.value).startswith(f"law={name!r}: must be one of {', '.join(LAWS)}")
