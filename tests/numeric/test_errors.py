"""Errors that carry the argument, its value and its domain, or the file, the row and the column."""

import math
import pickle
from typing import Any

import numpy as np
import pytest

from isoflop.numeric import errors
from isoflop.numeric.errors import NO_VALUE, ArgumentError, TableError, number, whole_number

LEAST_TWO = "a whole number of at least 2"


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (errors.REAL, (math.nan, -math.inf, "2", None, True, np.bool_(1), 1j, [1.0])),
        (errors.POSITIVE, (0.0, -1.0, math.inf)),
        (errors.NONNEGATIVE, (-5e-324, math.inf)),
        (errors.EXPONENT, (1e200, 1e-200, 0.0)),
        (errors.UNIT_INTERVAL, (0.0, 1.0, -0.1, math.nan)),
        (LEAST_TWO, (1, 2.0, True)),
    ],
)
def test_a_value_outside_of_its_domain(domain: str, values: tuple[Any, ...]) -> None:
    for value in values:
        read: Any
        limit: Any
        read, limit = (number, domain) if domain != LEAST_TWO else (whole_number, 2)
        with pytest.raises(ArgumentError) as caught:
            read("size", value, limit)
        assert (caught.value.argument, caught.value.domain) == ("size", domain)
        assert caught.value.value is value
        assert str(caught.value) == f"size={value!r}: must be {domain}"
    with pytest.raises(ArgumentError, match=r"^size=1\.0+e\+5000: .*exceeds the largest float"):
        number("size", 10**5000)


def test_errors_survive_pickling() -> None:
    for error in (
        ArgumentError("level", 2.0, "above 0 and below 1"),
        ArgumentError("proxy", complaint="two-stage laws need one"),
        TableError("file 'a'", "is no number", rows=(3,), column="loss"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert again.value is NO_VALUE
