"""Law files: what is written reads back unchanged, and what is wrong with a file is said in one
line that names it.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.errors import LARGEST_EXPONENT, SMALLEST_EXPONENT
from isoflop.numeric.law import Law, law
from isoflop.numeric.law import file as lawfile
from isoflop.theory.data.notation import NOTATIONS
from isoflop.theory.data.published import names

COEFFICIENTS = st.floats(min_value=5e-324, allow_nan=False, allow_infinity=False)
EXPONENTS = st.floats(SMALLEST_EXPONENT, LARGEST_EXPONENT)
GOOD = {
    "notation": "schaeffer",
    "coefficients": {"E": 1.7, "A": 400.0, "B": 2000.0, "beta": 0.34, "gamma": 0.28},
}


def changed(**entries: Any) -> dict[str, Any]:
    return {**GOOD, **entries}


def with_coefficients(**entries: Any) -> dict[str, Any]:
    return changed(coefficients={**GOOD["coefficients"], **entries})  # type: ignore[dict-item]


@given(
    A=st.none() | COEFFICIENTS,
    B=st.none() | COEFFICIENTS,
    E=st.none() | st.just(0.0) | COEFFICIENTS,
    beta=EXPONENTS,
    gamma=EXPONENTS,
    name=st.text(),
    source=st.text(),
    notation=st.sampled_from(sorted(NOTATIONS)),
)
def test_every_law_comes_back_unchanged(notation: str, **fields: Any) -> None:
    written = Law(**fields)
    assert Law.from_json(written.to_json(notation)) == written
    assert lawfile.from_data(json.loads(json.dumps(written.as_dict(notation)))) == written


@pytest.mark.parametrize("name", names("params-tokens"))
def test_published_laws_come_back_unchanged(name: str, tmp_path: Path) -> None:
    written = law(name)
    for notation in NOTATIONS:
        path = tmp_path / f"{notation}.json"
        written.save(path, notation)
        assert Law.load(path) == written
        assert Law.load(str(path)).source == written.source


def test_the_file_names_its_notation() -> None:
    written = Law(A=1.0, B=2.0, beta=0.3, gamma=0.4, name="mine", source="my runs")
    assert json.loads(written.to_json()) == {
        "name": "mine",
        "notation": "schaeffer",
        "coefficients": {"E": None, "A": 1.0, "B": 2.0, "beta": 0.3, "gamma": 0.4},
        "source": "my runs",
    }
    assert json.loads(written.to_json("hoffmann"))["coefficients"] == {
        "E": None,
        "A": 1.0,
        "B": 2.0,
        "alpha": 0.3,
        "beta": 0.4,
    }
    assert written.to_json().endswith("}\n")


def test_what_may_be_left_out() -> None:
    bare = lawfile.from_data(
        {"notation": "hoffmann", "coefficients": {"alpha": 0.34, "beta": 0.28}}
    )
    assert bare == Law(beta=0.34, gamma=0.28)
    assert lawfile.from_data(with_coefficients(E=None)).E is None


def test_a_coefficient_may_come_with_its_uncertainty() -> None:
    """As a saved fit has it."""
    found = lawfile.from_data(with_coefficients(beta={"value": 0.34, "standard_error": 0.01}))
    assert isinstance(found, Law)
    assert found.beta == 0.34


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([1, 2], "must hold a JSON object with notation and coefficients"),
    "no notation": (
        {"coefficients": GOOD["coefficients"]},
        'names no notation; add "notation": "schaeffer"',
    ),
    "an unknown notation": (changed(notation="chinchilla"), "unknown notation='chinchilla'"),
    "a misspelt notation": (changed(notation="hofmann"), "did you mean hoffmann"),
    "a notation that is no text": (changed(notation=["schaeffer"]), "unknown notation="),
    "no coefficients": ({"notation": "schaeffer"}, "coefficients=None: must be an object"),
    "a list of coefficients": (
        changed(coefficients=[1.0]),
        "must be an object of names and numbers",
    ),
    "the other notation": (
        changed(coefficients={"A": 1.0, "B": 1.0, "alpha": 0.34, "beta": 0.28}),
        "alpha is the params exponent in the hoffmann notation: say notation='hoffmann'",
    ),
    "both notations": (with_coefficients(alpha=0.3), "coefficient 'alpha' is out of place"),
    "gamma in hoffmann": (changed(notation="hoffmann"), "coefficient 'gamma' is out of place"),
    "a misspelt coefficient": (
        with_coefficients(gama=0.3),
        "'gama' is out of place.*did you mean gamma",
    ),
    "a missing exponent": (
        changed(coefficients={"A": 1.0, "B": 1.0, "beta": 0.3}),
        "missing gamma: a law needs",
    ),
    "an exponent that is null": (
        with_coefficients(beta=None),
        "missing beta: a law needs both exponents",
    ),
    "an exponent of 0": (with_coefficients(beta=0), "beta=0: must be a positive number"),
    "a negative coefficient": (with_coefficients(A=-1), "A=-1: must be a positive finite number"),
    "a negative E": (with_coefficients(E=-0.1), "E=-0.1: must be a finite number of at least 0"),
    "a number as text": (with_coefficients(A="482"), "A='482': must be a positive finite number"),
    "a truth value": (with_coefficients(A=True), "A=True: must be a positive finite number"),
    "an object without value": (with_coefficients(A={"mean": 1.0}), "A={'mean': 1.0}: must be"),
    "a name that is no text": (changed(name=5), "name and source must be strings"),
    "a source that is no text": (changed(source={}), "name and source must be strings"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused(case: str, tmp_path: Path) -> None:
    data, message = WRONG[case]
    path = tmp_path / "law.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=message) as caught:
        Law.load(path)
    text = str(caught.value)
    assert text.startswith(f"law file '{path}': ")
    assert "\n" not in text


TEXTS: dict[str, tuple[str, str]] = {
    "nothing": ("", "is not JSON"),
    "no JSON": ("beta = 0.34", "is not JSON"),
    "not a number": (
        '{"notation": "schaeffer", "coefficients": {"beta": NaN, "gamma": 0.3}}',
        "beta=nan: must be",
    ),
    "infinite": (
        '{"notation": "schaeffer", "coefficients": {"beta": Infinity, "gamma": 0.3}}',
        "beta=inf: must be",
    ),
    "too large": (
        '{"notation": "schaeffer", "coefficients": {"beta": 1e999, "gamma": 0.3}}',
        "beta=inf: must be",
    ),
    "a huge integer": (
        f'{{"notation": "schaeffer", "coefficients": {{"beta": 1{"0" * 400}, "gamma": 0.3}}}}',
        "beta=a whole number of about",
    ),
    "a name twice": (
        '{"notation": "schaeffer", "coefficients": {"beta": 1, "beta": 2, "gamma": 3}}',
        "'beta' is given twice",
    ),
    "deep": ("[" * 100_000, "is nested too deeply"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_wrong_text_is_refused(case: str) -> None:
    text, message = TEXTS[case]
    with pytest.raises(ValueError, match=f"^law: .*{message}"):
        Law.from_json(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"law file '.*missing.json': cannot be read \(No such file or directory\)"
    ):
        Law.load(tmp_path / "missing.json")
    with pytest.raises(ValueError, match="cannot be read"):
        Law.load(tmp_path)
    binary = tmp_path / "law.json"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is not UTF-8 text"):
        Law.load(binary)
    with pytest.raises(ValueError, match=r"path='.*absent/law.json': cannot be written"):
        Law(beta=0.3, gamma=0.3).save(tmp_path / "absent" / "law.json")


def test_a_file_of_the_wrong_kind_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lawfile, "LARGEST_FILE", 1000)
    path = tmp_path / "runs.csv"
    path.write_text("x" * 1001)
    with pytest.raises(ValueError, match="is larger than 1000 characters"):
        Law.load(path)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "law.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8-sig")
    assert Law.load(path).beta == 0.34


def test_text_outside_ascii_survives(tmp_path: Path) -> None:
    written = Law(beta=0.3, gamma=0.3, name="Schätzung", source="Lauf № 3")
    written.save(tmp_path / "law.json")
    assert Law.load(tmp_path / "law.json") == written


@pytest.mark.parametrize("value", [1, True, 2.5, {"A": 1}])
def test_what_is_left_undetermined_is_a_list_of_names(value: object) -> None:
    data = {
        "notation": "schaeffer",
        "undetermined": value,
        "coefficients": {"beta": 0.3, "gamma": 0.3},
    }
    with pytest.raises(ValueError, match=r"undetermined=.*: must be a list of names"):
        lawfile.from_data(data)
