"""The study of broken power laws, whole (slow) and in part."""

from typing import Any

import bnsl_recovery
import pytest

SHARP, MODERATE, PUBLISHED = bnsl_recovery.WIDTHS


def test_sharp_breaks_without_noise_in_part():
    found = bnsl_recovery.study(3, widths=(SHARP,), noises=(0.0,), jobs=1)
    assert all(each.breaks for outcomes in found.values() for each in outcomes)
    assert bnsl_recovery.table(found).endswith("3 (3)")


@pytest.mark.slow
def test_how_often_breaks_are_found(capsys):
    """60 problems a cell: the standard error of a share of 0.95 is 0.03."""
    cells = {SHARP: (0.0, 2e-4), MODERATE: (0.0,), PUBLISHED: (2e-4,)}
    found: dict[Any, Any] = {}
    for widths, noises in cells.items():
        found |= bnsl_recovery.study(widths=(widths,), noises=noises)
    with capsys.disabled():
        print("\n" + bnsl_recovery.table(found))
    curves, shares = (
        {key: sum(each[part] for each in cell) / len(cell) for key, cell in found.items()}
        for part in (0, 1)
    )
    for breaks in bnsl_recovery.BREAKS:
        assert min(shares[breaks, SHARP, noise] for noise in cells[SHARP]) >= 0.95
        assert shares[breaks, MODERATE, 0.0] >= 0.9
        # Where the breaks are as wide as the published ones the curve is found and its breaks are
        # not.
        assert curves[breaks, PUBLISHED, 2e-4] >= 0.95
        assert shares[breaks, PUBLISHED, 2e-4] <= 0.5
