"""Two outputs compared: the words between the numbers exactly, the numbers to a tolerance."""

import json
import re
from collections.abc import Iterator
from typing import Any

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
#: Of numbers whose last digits another processor, BLAS or release of SciPy may print otherwise.
TOLERANCE = 1e-6
#: Of what hinges on resamples: a refit ends where its own certificate allows, not at the same bits.
RESAMPLED = 1e-4
#: Below this a number is rounding alone (residuals of exact laws, differences of equal values).
NOTHING = 1e-9
#: What a clock says.
TIMES, SECONDS = {"cpu_seconds", "seconds"}, re.compile(r"[\d.]+ s\b")


def words_and_numbers(text: str) -> tuple[str, list[float]]:
    """The text with a mark for every number, whitespace and rules folded; and the numbers."""
    text = SECONDS.sub("", text)
    numbers = [float(number) for number in NUMBER.findall(text)]
    words = re.sub(r"[-=]{3,}", "---", NUMBER.sub("#", text))
    return " ".join(words.split()), numbers


def differences(kept: str, now: str, tolerance: float) -> Iterator[str]:
    """What differs in words, then in numbers."""
    if kept.startswith(("{", "[")) and now.startswith(("{", "[")):
        (was, end), (become, now_end) = (json.JSONDecoder().raw_decode(text) for text in (kept, now))
        yield from _of_json(was, become, "", tolerance)
        kept, now = kept[end:], now[now_end:]  # the exit status, and what went to the standard error
    kept_words, kept_numbers = words_and_numbers(kept)
    now_words, now_numbers = words_and_numbers(now)
    if kept_words != now_words:
        before, after = kept_words.split(), now_words.split()
        place = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
        yield f"words: {' '.join(before[place : place + 8])!r} is {' '.join(after[place : place + 8])!r}"
    elif len(kept_numbers) == len(now_numbers):
        for a, b in zip(kept_numbers, now_numbers, strict=True):
            # a printed digit may round to either side
            if not _close(a, b, max(tolerance, 1e-3)):
                yield f"number: {a!r} is {b!r}"


def _of_json(kept: Any, now: Any, place: str, tolerance: float) -> Iterator[str]:
    if isinstance(kept, dict) and isinstance(now, dict):
        for key in kept.keys() - now.keys():
            yield f"key: {place}.{key} is gone"
        for key in now.keys() - kept.keys():
            yield f"key: {place}.{key} is new"
        for key in kept.keys() & now.keys() - TIMES:
            yield from _of_json(kept[key], now[key], f"{place}.{key}", tolerance)
    elif isinstance(kept, list) and isinstance(now, list):
        if len(kept) != len(now):
            yield f"length: {place}: {len(kept)} is {len(now)}"
        for i, (a, b) in enumerate(zip(kept, now, strict=False)):
            yield from _of_json(a, b, f"{place}[{i}]", tolerance)
    elif isinstance(kept, str) and isinstance(now, str):
        yield from (f"text: {place}: {part}" for part in differences(kept, now, tolerance))
    elif isinstance(kept, bool) or isinstance(now, bool) or not _numbers(kept, now):
        if (type(kept), kept) != (type(now), now):
            yield f"value: {place}: {kept!r} is {now!r}"
    elif not _close(kept, now, tolerance):
        yield f"number: {place}: {kept!r} is {now!r}"


def _numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _close(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance * max(abs(a), abs(b)) + NOTHING
