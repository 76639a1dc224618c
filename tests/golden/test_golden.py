"""What the commands print stays what it was: words and numbers of some seventy calls."""

import pytest
from tests.golden.calls import CALLS
from tests.golden.comparing import RESAMPLED, TOLERANCE, differences
from tests.golden.inputs import write_all
from tests.golden.renew import kept, printed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("golden")
    write_all(place)
    return place


@pytest.mark.parametrize("name", CALLS)
def test_output(name, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    tolerance = RESAMPLED if "--bootstrap" in CALLS[name] else TOLERANCE
    assert (
        list(differences(kept(name).read_text(encoding="utf-8"), printed(name, folder), tolerance))
        == []
    )


def test_nothing_is_kept_that_is_not_compared():
    assert {path.stem for path in kept("x").parent.iterdir()} == set(CALLS)


@pytest.mark.parametrize(
    ("kept", "now"),
    [
        ("a 1.2345 b", "a 1.2445 b"),
        ("a 1 b", "a 1 c"),
        ("a 1 b", "a 1 2 b"),
        ("87.65 %", "87.70 %"),
        ('{"a": 1}', '{"a": 1.0}'),
        ('{"excess": 6.4e-14}', '{"excess": 6.5e-14}'),
        ('{"a": 1.0}', '{"a": 1.00001}'),
        ('{"a": 1.0}', '{"b": 1.0}'),
        ('{"a": [1, 2]}', '{"a": [1]}'),
        ('{"a": true}', '{"a": 1}'),
        ('{"a": "x 1"}', '{"a": "y 1"}'),
        (
            '{"coefficients": {"B": 1.0}, "undetermined": ["B"]}',
            '{"coefficients": {}, "undetermined": ["B"]}',
        ),
        (
            '{"coefficients": {"B": 1.0, "E": 1.0}, "undetermined": ["B"]}',
            '{"coefficients": {"B": 1.0, "E": 2.0}, "undetermined": ["B"]}',
        ),
    ],
)
def test_a_change_is_seen(kept, now):
    assert list(differences(kept, now, TOLERANCE))


@pytest.mark.parametrize(
    ("kept", "now"),
    [
        ("a  1.2345\n---- b", "a 1.2345\n----------- b"),
        ('{"a": 1.0, "b": 2}', '{"b": 2, "a": 1.0000000001}'),
        (
            '{"coefficients": {"B": 1.0}, "undetermined": ["B"]}',
            '{"coefficients": {"B": 2.0}, "undetermined": ["B"]}',
        ),
    ],
)
def test_spaces_rules_and_roundings_are_none(kept, now):
    assert list(differences(kept, now, TOLERANCE)) == []
