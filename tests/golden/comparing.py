"""Two outputs compared: the words between the numbers exactly, the numbers to a tolerance."""

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from math import isclose
from typing import Any

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
#: Of numbers whose last digits another processor, BLAS or release of SciPy may print otherwise.
TOLERANCE = 1e-6
#: Of what hinges on resamples: a refit ends where its own certificate allows, not at the same bits.
RESAMPLED = 1e-4
#: What is rounding alone: certificates, and what fits that did not converge leave behind.
ROUNDING = re.compile(r"certificate|decrement|failures|converged")
NOTHING = 1e-9
#: What hinges on rounding where the rows leave a coefficient of the fit undetermined.
OF_THE_FIT = {"converged", "predicted", "lo", "hi", "inside"}
OF_THE_FIT |= {"relative_error", "relative_error_pass"}
#: What a clock says.
TIMES, SECONDS = {"cpu_seconds", "seconds"}, re.compile(r"\([\d.]+ s\)|[\d.]+ s of CPU")


def words_and_numbers(text: str) -> tuple[str, list[str]]:
    """The text with a mark for every number, whitespace and rules folded; and the numbers."""
    text = SECONDS.sub("", text)
    words = re.sub(r"[-=]{3,}", "---", NUMBER.sub("#", text))
    return " ".join(words.split()), NUMBER.findall(text)


def differences(kept: str, now: str, tolerance: float) -> Iterator[str]:
    """What differs in words and in numbers."""
    if kept.startswith("law,k,cutoff,"):
        kept, now = map(_records_of_csv, (kept, now))
    if kept.startswith(("{", "[")) and now.startswith(("{", "[")):
        (was, end), (become, now_end) = (
            json.JSONDecoder().raw_decode(text) for text in (kept, now)
        )
        yield from _of_json(was, become, "", tolerance)
        kept, now = (
            kept[end:],
            now[now_end:],
        )  # the exit status, and what went to the standard error
    (kept_words, kept_numbers), (now_words, now_numbers) = map(words_and_numbers, (kept, now))
    if kept_words != now_words:
        pairs = zip_longest(kept_words.split(), now_words.split())
        place = next(i for i, (a, b) in enumerate(pairs) if a != b)
        before, after = (
            " ".join(words.split()[place : place + 8]) for words in (kept_words, now_words)
        )
        yield f"words: {before!r} is {after!r}"
    if len(kept_numbers) != len(now_numbers):
        yield f"numbers: {len(kept_numbers)} are {len(now_numbers)}"
    elif wrong := [
        f"{a} is {b}"
        for a, b in zip(kept_numbers, now_numbers, strict=True)
        if abs(float(a) - float(b)) > last_digit(a) + tolerance * abs(float(a))
    ]:
        yield f"numbers: {'; '.join(wrong)}"


def last_digit(number: str) -> float:
    """One unit of the last printed digit: a value may round to either side."""
    mantissa, _, power = number.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    return 1.001 * 10.0 ** (int(power or 0) - places) if places or power else 0.0


def _records_of_csv(text: str) -> str:
    return json.dumps(list(csv.DictReader(io.StringIO(text))))


def _settled(record: dict[str, Any]) -> dict[str, Any]:
    """The record, of a fit that leaves coefficients undetermined without what hinges on these."""
    gone = OF_THE_FIT if record.get("undetermined") else set()
    return {name: value for name, value in record.items() if name not in gone}


def _determined(coefficients: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """The coefficients, without the values of those that the record itself calls undetermined."""
    undetermined = record.get("undetermined", ())
    return {
        name: "undetermined" if name in undetermined else value
        for name, value in coefficients.items()
    }


def _of_json(kept: Any, now: Any, place: str, tolerance: float) -> Iterator[str]:
    if isinstance(kept, dict) and isinstance(now, dict):
        kept, now = _settled(kept), _settled(now)
        yield from (f"key: {place}.{key} is gone" for key in kept.keys() - now.keys())
        yield from (f"key: {place}.{key} is new" for key in now.keys() - kept.keys())
        for key in kept.keys() & now.keys() - TIMES:
            was, become = kept[key], now[key]
            if key == "coefficients" and isinstance(was, dict) and isinstance(become, dict):
                was, become = _determined(was, kept), _determined(become, now)
            yield from _of_json(was, become, f"{place}.{key}", tolerance)
    elif isinstance(kept, list) and isinstance(now, list):
        if len(kept) != len(now):
            yield f"length: {place}: {len(kept)} is {len(now)}"
        for i, (a, b) in enumerate(zip(kept, now, strict=False)):
            yield from _of_json(a, b, f"{place}[{i}]", tolerance)
    elif isinstance(kept, str) and isinstance(now, str):
        yield from (f"text: {place}: {part}" for part in differences(kept, now, tolerance))
    elif isinstance(kept, float) and isinstance(now, float):
        floor = NOTHING if ROUNDING.search(place) else 0.0
        if kept != now and not isclose(kept, now, rel_tol=tolerance, abs_tol=floor):
            yield f"number: {place}: {kept!r} is {now!r}"
    elif (type(kept), kept) != (type(now), now):
        yield f"value: {place}: {kept!r} is {now!r}"
