"""Which law: a published name, a law file, or coefficients in one of the two notations."""

from __future__ import annotations

import os

from ..theory.data.notation import DEFAULT, NOTATIONS, ROLES, Notation
from ..theory.data.notation import notation as find_notation
from .arguments import takes_one, takes_several
from .errors import UsageError, blamed, shown, typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..numeric.law import Law
    from .arguments import Group, Options, Parser

COEFFICIENTS = ("E", "A", "B", "alpha", "beta", "gamma")
CUSTOM = "custom"


def declare_law(parser: Parser, *, several: bool) -> None:
    """``--law``, ``--notation`` and the coefficients."""
    group = parser.add_argument_group("law")
    kinds = "a published law (see isoflop laws) or a JSON law file"
    takes_several(group, "--law", "LAW", f"{kinds}; several for a comparison" if several else kinds)
    takes_one(
        group, "--E", "NUMBER", "irreducible loss; without it the figures that need it are left out"
    )
    takes_one(group, "--A", "NUMBER", "coefficient of the params term A N^-beta")
    takes_one(group, "--B", "NUMBER", "coefficient of the tokens term B D^-gamma")
    takes_one(group, "--beta", "NUMBER", "exponent of params (hoffmann: exponent of tokens)")
    takes_one(group, "--gamma", "NUMBER", "exponent of tokens")
    takes_one(group, "--alpha", "NUMBER", "exponent of params, in the hoffmann notation")
    declare_notation(group)


def declare_notation(group: Group) -> None:
    """``--notation``."""
    spellings = "; ".join(f"{name}: {entry.title}" for name, entry in NOTATIONS.items())
    takes_one(group, "--notation", "NAME", f"{spellings}; default: {DEFAULT.name}")


def notation(options: Options) -> Notation:
    """The notation to read and print in."""
    return find_notation(options.chosen("--notation", tuple(NOTATIONS)))


def laws(options: Options, *, of_own: bool = False) -> list[Law]:
    """The laws that the options select, at least one, each under a name of its own; `of_own`: also
    laws of params and tokens that a user wrote, in their files.
    """
    coefficients = options.given(*(f"--{name}" for name in COEFFICIENTS))
    words = options.words("--law")
    if words is None and not coefficients:
        how = "name a published law (isoflop laws lists them) or a law file, or give coefficients"
        raise UsageError(f"--law is missing: {how}, {_usual(notation(options))}")
    if words is None:
        return [_from_coefficients(options)]
    if coefficients:
        own = ((name, str(options.one(name))) for name in coefficients)
        given = typed(("--law", " ".join(words)), *own)
        raise UsageError(f"{given}: must be a law or coefficients, not both")
    chosen = [_named(entry, "--law", of_own) for word in words for entry in _entries(word)]
    names = [law.name for law in chosen]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--law {shown(name)}: must be different laws, but two have this name")
    return chosen


def law_files(options: Options) -> list[str | None]:
    """For each of the laws that the options select the file that it is in, if it is in one that can
    be read again.
    """
    entries = [entry for word in options.words("--law") or () for entry in _entries(word)]
    found = [_is_path(entry) and os.path.isfile(entry) for entry in entries]  # noqa: PTH113
    return [entry if there else None for entry, there in zip(entries, found, strict=True)] or [None]


def law(options: Options) -> Law:
    """The one law that the options select."""
    chosen = laws(options)
    if len(chosen) > 1:
        names = " ".join(law.name for law in chosen)
        raise UsageError(f"--law {shown(names)}: must be one law, got {len(chosen)}")
    return chosen[0]


def require(laws: Sequence[Law], names: Sequence[str], purpose: str) -> None:
    """UsageError where a law has no value for a coefficient that the purpose needs."""
    for law in laws:
        missing = [name for name in names if getattr(law, name) is None]
        if not missing or law.form.derived is not None:
            continue
        need = f"{purpose} needs {'it' if len(missing) == 1 else 'them'}"
        if law.name == CUSTOM:
            raise UsageError(f"{' and '.join(f'--{name}' for name in missing)}: missing, {need}")
        raise UsageError(f"--law {shown(law.name)}: has no {' and '.join(missing)}, {need}")


def baselines(laws: Sequence[Law]) -> dict[str, float]:
    """Law -> accuracy of guessing, of the published laws of -log accuracy."""
    # They are of one paper; the register is read for these alone.
    if not any(law.name.startswith("krajewski2025") for law in laws):
        return {}
    from ..theory.data.published import LAWS

    known = {law.name: LAWS[law.name].random_baseline for law in laws if law.name in LAWS}
    return {name: float(value) for name, value in known.items() if value is not None}


# -- by name or file -------------------------------------------------------------------------------


def _is_path(word: str) -> bool:
    return word.endswith(".json") or os.sep in word or bool(os.altsep and os.altsep in word)


def _entries(word: str) -> list[str]:
    """The laws in one word. The name of a file may hold spaces, and where there is such a file,
    commas.
    """
    if _is_path(word):
        from pathlib import Path

        return [word] if Path(word).exists() else word.split(",")
    entries = word.replace(",", " ").split()
    return entries or [word]


def _named(entry: str, option: str, of_own: bool) -> Law:
    from ..numeric.law import Law, law
    from ..numeric.law.file import read as read_law

    try:
        if not _is_path(entry):
            read: Law = law(entry)
        else:
            read = read_law(entry)
            if not (of_own and read.form.variables == ("params", "tokens")):
                _require_built_in(read, f"{option} {shown(entry)}")
            if read.name == CUSTOM:
                own = {"source": read.source, "draws": read.draws, **read.numbers}
                read = Law(name=entry, form=read.form, **own)
    except RecursionError:
        raise UsageError(f"{option} {shown(entry)}: is nested too deeply for a law file") from None
    except ValueError as error:
        raise blamed(error, (option, entry)) from None
    return read


def _require_built_in(law: Law, given: str) -> None:
    """UsageError where the law is of another form."""
    if law.form.kind != "params-tokens":
        own = law.form.loss.replace("{", "").replace("}", "")
        raise UsageError(f"{given}: is L = {own}; a law E + A N^-beta + B D^-gamma is needed")


# -- by coefficients -------------------------------------------------------------------------------


def _usual(spelling: Notation) -> str:
    names = (spelling.params_coefficient, spelling.tokens_coefficient, *_exponents(spelling))
    return f"{' '.join(f'--{name}' for name in names)} [--{spelling.irreducible}]"


def _exponents(spelling: Notation) -> tuple[str, str]:
    return spelling.params_exponent, spelling.tokens_exponent


def _from_coefficients(options: Options) -> Law:
    from ..numeric.law import Law

    spelling = notation(options)
    own = spelling.names("params-tokens").values()
    for name in COEFFICIENTS:
        if f"--{name}" in options and name not in own:
            complaint = _home(name, spelling)
            raise UsageError(f"--{name} {shown(str(options.one(f'--{name}')))}: {complaint}")
    for name in _exponents(spelling):
        if f"--{name}" not in options:
            both = " and --".join(_exponents(spelling))
            raise UsageError(f"--{name} is missing: a law has the exponents --{both}")
    read = {spelling.irreducible: options.nonnegative}
    values = {name: read.get(name, options.positive)(f"--{name}") for name in own}
    given = {name: value for name, value in values.items() if value is not None}
    return Law.from_coefficients(given, notation=spelling, name=CUSTOM)


def _home(name: str, spelling: Notation) -> str:
    """In which notation a coefficient has this name, and its name in the one in use."""
    other, role = next(
        (other, role)
        for other in NOTATIONS.values()
        for role in ROLES
        if other is not spelling and name == getattr(other, role)
    )
    instead = f"add --notation {other.name}, or say --{getattr(spelling, role)}"
    return f"is the {ROLES[role]} of the {other.name} notation; {instead}"
