"""isoflop laws."""

import re

from isoflop.theory.data.published import names, published


def test_every_law_is_listed(call, data) -> None:
    listed = data("laws")["laws"]
    assert [law["name"] for law in listed] == list(names())
    out = call("laws").out
    assert max(map(len, out.splitlines())) <= 100
    for name in names():
        assert f"\n{name} " in out


def test_coefficients(data) -> None:
    (law,) = data("laws", "besiroglu2024")["laws"]
    assert law["notation"] == "schaeffer"
    assert law["notation_of_source"] == "hoffmann"
    assert law["coefficients"] == {
        "E": 1.8172,
        "A": 482.01,
        "B": 2085.43,
        "beta": 0.3478,
        "gamma": 0.3658,
    }
    assert law["decimals"] == published("besiroglu2024").coefficients
    (hoffmann,) = data("laws", "besiroglu2024", "--notation", "hoffmann")["laws"]
    assert hoffmann["notation"] == "hoffmann"
    assert hoffmann["coefficients"]["alpha"] == 0.3478
    assert hoffmann["coefficients"]["beta"] == 0.3658


def test_no_irreducible_term_is_null(call, data) -> None:
    (law,) = data("laws", "krajewski2025-arc-e")["laws"]
    assert law["coefficients"]["E"] is None
    assert "none" in call("laws", "krajewski2025-arc-e").out


def test_all_digits_in_the_details(call) -> None:
    assert "0.33917084" in call("laws", "hoffmann2022").out


def test_bibtex(call) -> None:
    everything = call("laws", "--format", "bibtex").out
    for key in ("hoffmann2022", "besiroglu2024", "krajewski2025"):
        assert everything.count(f"@misc{{{key},") == 1
    one = call("laws", "krajewski2025-arc-e", "krajewski2025-arc-c", "--format", "bibtex").out
    assert one.count("@misc{") == 1
    assert one.count("{") == one.count("}")


def test_accuracy_laws_in_hoffmann_letters(call) -> None:
    out = call("laws", "--notation", "hoffmann").out
    assert "y = E + A N^-alpha + B D^-beta" in out


def test_latex_cites_what_bibtex_lists(call) -> None:
    cited = re.findall(r"\\cite\{(\w+)\}", call("laws", "--format", "latex").out)
    entries = re.findall(r"^@\w+\{(\w+),", call("laws", "--format", "bibtex").out, re.MULTILINE)
    assert len(cited) == len(names())
    assert set(cited) == set(entries)
