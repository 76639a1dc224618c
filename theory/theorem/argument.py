"""Arguments beside the exact ones of the kernel: what is granted, cited, or checked in numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import ClassVar

from ..kernel.answer import Decision, undecided
from ..kernel.rules import (
    CITED,
    NUMERICAL,
    UNDER_LEMMA,
    Argument,
    Stated,
    weakest,
)
from .words import Sentence


def with_those_within(argument: Argument) -> Iterator[Argument]:
    """The argument and every argument that it rests on."""
    yield argument
    if is_dataclass(argument):
        for field in fields(argument):
            inner = getattr(argument, field.name)
            if hasattr(inner, "establish"):
                yield from with_those_within(inner)


def is_of_the_package(argument: Argument) -> bool:
    """Whether this argument and those within are the package's own: what another class calls proved
    is its author's word.
    """
    return all(_is_ours(type(part)) for part in with_those_within(argument))


def _is_ours(kind: type) -> bool:
    """Whether the module that the class names is of the package and has this class."""
    module = sys.modules.get(kind.__module__)
    is_there = getattr(module, kind.__name__, None) is kind
    return kind.__module__.startswith("isoflop.") and is_there


def described(argument: Argument) -> str:
    """The label, with a word where what it says is not the package's."""
    return (
        argument.label
        if is_of_the_package(argument)
        else f"{argument.label}, not an argument of isoflop"
    )


def require_text(name: str, text: str) -> None:
    if not (isinstance(text, str) and text.strip()):
        raise ValueError(f"{name}={text!r}: must say something")


@dataclass(frozen=True)
class UnderLemma:
    """What follows by another argument once a lemma is granted; the lemma is stated, with its
    source, and not proved here.
    """

    lemma: str | Sentence
    source: str
    argument: Argument

    def __post_init__(self) -> None:
        for name in ("lemma", "source"):
            text = getattr(self, name)
            require_text(name, text.text if isinstance(text, Sentence) else text)

    @property
    def strength(self) -> str:
        return weakest((UNDER_LEMMA, self.argument.strength))

    @property
    def label(self) -> str:
        return f"{self.argument.label}, given the lemma"

    def establish(self, claim: Stated) -> Decision:
        return self.argument.establish(claim)


@dataclass(frozen=True)
class Numerically:
    """No exact argument: the claim rests on its numerical checks alone, and its status says so."""

    label: ClassVar[str] = "numerical check"
    strength: ClassVar[str] = NUMERICAL

    def establish(self, claim: Stated) -> Decision:
        return undecided("no exact argument is given")


@dataclass(frozen=True)
class Cited:
    """Taken from the literature; numerical checks apply where both sides can be evaluated."""

    source: str
    label: ClassVar[str] = "cited"
    strength: ClassVar[str] = CITED

    def __post_init__(self) -> None:
        require_text("source", self.source)

    def establish(self, claim: Stated) -> Decision:
        return undecided(f"cited from {self.source}")
