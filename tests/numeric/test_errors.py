"""Errors that carry the argument, its value and its domain, or the file, the row and the column."""

import pickle
from typing import Any

import pytest

from isoflop.numeric import errors
from isoflop.numeric.data.counts import Counts
from isoflop.numeric.data.evaluations import Evaluations
from isoflop.numeric.data.runs import Runs
from isoflop.numeric.errors import NO_VALUE, ArgumentError, TableError

RUNS = {"N": [1e8, 1e9], "D": [2e9, 2e10], "loss": [3.0, 2.5]}
COUNTS = {"model": ["a", "b"], "problem": [1, 1], "n": [10, 10], "c": [1, 2]}
SCORES = {"N": [1e8, 1e9], "D": [2e9, 2e10], "acc_piqa": [0.3, 0.5]}


@pytest.mark.parametrize(
    ("function", "value", "domain"),
    [
        (errors.number, "x", "a finite number"),
        (errors.positive_number, -1.0, errors.POSITIVE),
        (errors.nonnegative_number, -1.0, errors.NONNEGATIVE),
        (errors.exponent_number, 1e200, errors.EXPONENT),
        (
            lambda name, value: errors.whole_number(name, value, 2),
            1,
            "a whole number of at least 2",
        ),
    ],
)
def test_checks_of_domains(function: Any, value: Any, domain: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        function("size", value)
    assert (caught.value.argument, caught.value.value, caught.value.domain) == (
        "size",
        value,
        domain,
    )
    assert str(caught.value) == f"size={value!r}: must be {domain}"


@pytest.mark.parametrize(
    ("read", "argument", "value"),
    [
        (lambda: Runs.read(RUNS, where="loss <"), "where", "loss <"),
        (lambda: Runs.read(RUNS, where="lost < 3"), "where", "lost < 3"),
        (lambda: Runs.read(RUNS, columns={"size": "N"}), "columns", {"size": "N"}),
        (lambda: Runs.read(RUNS, columns={"params": "M"}), "columns", {"params": "M"}),
        (lambda: Counts.read(COUNTS, by="size"), "by", "size"),
        (lambda: Counts.read(COUNTS, columns={"c": "right"}), "columns", {"c": "right"}),
        (lambda: Evaluations.read(SCORES).only(["sciq"]), "benchmark", "sciq"),
        (lambda: Evaluations.read(SCORES).proxy("c4"), "proxy", "c4"),
    ],
)
def test_readers_name_the_argument(read: Any, argument: str, value: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        read()
    assert (caught.value.argument, caught.value.value) == (argument, value)
    assert str(caught.value) == f"{argument}={value!r}: {caught.value.complaint}"


@pytest.mark.parametrize(
    ("read", "rows", "column"),
    [
        (lambda: Runs.read(RUNS | {"loss": [3.0, "high"]}), (2,), "loss"),
        (lambda: Runs.read({"N": [1e8]}), (), None),
        (lambda: Counts.read(COUNTS | {"c": [1, 11]}), (2,), "c"),
        (lambda: Counts.read(COUNTS | {"model": ["a", "a"]}), (1, 2), None),
        (lambda: Evaluations.read(SCORES | {"acc_piqa": [0.3, 1.5]}), (2,), "acc_piqa"),
    ],
)
def test_readers_name_rows_and_columns(
    read: Any, rows: tuple[int, ...], column: str | None
) -> None:
    with pytest.raises(TableError) as caught:
        read()
    assert (caught.value.argument, caught.value.rows, caught.value.column) == ("data", rows, column)
    assert str(caught.value).startswith("data")


def test_errors_survive_pickling() -> None:
    for error in (
        ArgumentError("level", 2.0, "above 0 and below 1"),
        ArgumentError("proxy", complaint="two-stage laws need one"),
        TableError("file 'a'", "is no number", rows=(3,), column="loss"),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert (
        pickle.loads(pickle.dumps(ArgumentError("proxy", complaint="is needed"))).value is NO_VALUE
    )
