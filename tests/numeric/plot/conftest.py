"""What every test of figures leaves behind: nothing."""

import matplotlib as mpl
import pytest
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def _nothing_left_behind():
    """No figure of pyplot, no change of the settings, no interactive backend."""
    pyplot.close("all")  # of tests elsewhere
    before = dict(mpl.rcParams)
    yield
    left = pyplot.get_fignums()
    pyplot.close("all")
    assert left == []
    assert dict(mpl.rcParams) == before
