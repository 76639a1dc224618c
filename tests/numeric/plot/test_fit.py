"""Figures of fits: what is drawn, where."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.data import grid_runs

from isoflop.numeric.fit import fit
from isoflop.numeric.plot.fit import draw_residuals, plot_fit

RUNS = grid_runs(6, noise=0.004, seed=4)


def points(ax):
    """The positions of the runs."""
    return ax.collections[-1].get_offsets()


def test_the_runs_the_profiles_the_envelope_and_the_residuals() -> None:
    fitted = fit(RUNS)
    law, residuals, _ = plot_fit(fitted).axes  # the third is the bar of computes
    assert [ax.get_xlabel() for ax in (law, residuals)] == [r"params $N$"] * 2
    assert {ax.get_xscale() for ax in (law, residuals)} == {"log"}
    assert np.allclose(points(law), np.column_stack([fitted.runs.params, fitted.runs.loss]))
    *profiles, envelope = (np.asarray(line.get_data()) for line in law.get_lines())
    assert len(profiles) == 7
    # The least point of every profile lies on the envelope, as far as its grid tells.
    for params, loss in profiles:
        place = int(np.argmin(loss))
        if 0 < place < len(loss) - 1:
            best = np.interp(np.log(params[place]), np.log(envelope[0]), envelope[1])
            assert loss[place] == pytest.approx(best, rel=1e-3)
    # As everywhere in figures and text a run above the law stands above 0.
    assert np.allclose(points(residuals)[:, 1], np.log(fitted.runs.loss / fitted.solution.fitted))
    assert residuals.get_ylabel() == r"$\log$ observed $-\,\log$ law"


def test_an_outlier_does_not_squash_the_others() -> None:
    loss, ax = RUNS["loss"].copy(), Figure().subplots()
    loss[7] = 40.0
    found = fit(RUNS | {"loss": loss})
    draw_residuals(found, ax)
    assert ax.get_ylim()[1] < 0.1 < found.residuals[7]
    assert ax.texts[0].get_text() == f"1 of {len(loss)} runs beyond this range"
