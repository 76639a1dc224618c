"""A bootstrap on a cluster of Dask: joblib's configuration is all that it takes."""

import joblib
import numpy as np
import pytest
from tests.data import grid_runs

import isoflop


@pytest.mark.slow
def test_draws_from_a_cluster_are_those_of_one_process() -> None:
    distributed = pytest.importorskip("distributed")
    fitted = isoflop.fit(grid_runs(noise=0.003, seed=1))
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
    )
    with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        there = fitted.resampled(250, jobs=2).drawn
    here = fitted.resampled(250).drawn
    assert len(there.coefficients) == 250
    assert np.array_equal(there.coefficients, here.coefficients)
    assert np.array_equal(there.index, here.index)
