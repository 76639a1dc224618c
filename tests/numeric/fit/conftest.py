"""The public runs that many fits are tested on."""

from pathlib import Path

import pytest

from isoflop.numeric.data.runs import Runs


@pytest.fixture(scope="session")
def chinchilla(public_runs: Path) -> Runs:
    """All 245 points of Hoffmann et al. 2022 (arXiv 2203.15556), as read off by Besiroglu et al.
    2024 (arXiv 2404.10102).
    """
    runs = Runs.read(public_runs / "chinchilla" / "svg_extracted_data.csv")
    assert len(runs) == 245
    return runs


@pytest.fixture(scope="session")
def chinchilla_240(chinchilla: Runs) -> Runs:
    """Without the five largest losses, as Besiroglu et al. fit them."""
    fifth = sorted(chinchilla.loss)[-5]
    return chinchilla.subset(chinchilla.loss < fifth)
