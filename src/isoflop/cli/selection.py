"""Which law: a published name, a law file, or coefficients in one of the two notations."""

from __future__ import annotations

import os

from ..theory.data.notation import DEFAULT, NOTATIONS, ROLES, Notation
from ..theory.data.notation import notation as find_notation
from .arguments import takes
from .domains import nonnegative, one_of, positive
from .errors import UsageError, blamed, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..numeric.law import Law
    from .arguments import Group, Options, Parser

CUSTOM = "custom"


def declare_law(parser: Parser, *, several: bool) -> None:
    """``--law`` and ``--notation``."""
    group = parser.add_argument_group("law")
    kinds = "a published law (see isoflop laws), a JSON law file, or coefficients"
    more = "; several laws for a comparison" if several else ""
    takes(group, "--law", "LAW", f"{kinds}: {_usual(DEFAULT)}{more}", form="words")
    declare_notation(group)


def declare_notation(group: Group) -> None:
    """``--notation``."""
    spellings = "; ".join(f"{name}: {entry.title}" for name, entry in NOTATIONS.items())
    meaning = f"{spellings}; default: {DEFAULT.name}"
    takes(group, "--notation", "NAME", meaning, one_of(tuple(NOTATIONS)), value=DEFAULT.name)


def notation(options: Options) -> Notation:
    """The notation to read and print in."""
    return find_notation(options["--notation"])


def laws(options: Options, *, of_own: bool = False) -> list[Law]:
    """The laws that the options select, at least one, each under a name of its own; `of_own`: also
    laws of params and tokens that a user wrote, in their files.
    """
    words = options.words("--law")
    if not words:
        how = "name a published law (isoflop laws lists them) or a law file, or give coefficients"
        raise UsageError(f"--law is missing: {how}, {_usual(notation(options))}")
    entries = [entry for word in words for entry in _entries(word)]
    if any(map(_is_coefficient, entries)):
        return [_from_coefficients(entries, notation(options))]
    chosen = [_named(entry, of_own) for entry in entries]
    names = [law.name for law in chosen]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--law {shown(name)}: must be different laws, but two have this name")
    return chosen


def law(options: Options) -> Law:
    """The one law that the options select."""
    chosen = laws(options)
    if len(chosen) > 1:
        names = " ".join(law.name for law in chosen)
        raise UsageError(f"--law {shown(names)}: must be one law, got {len(chosen)}")
    return chosen[0]


def require(laws: Sequence[Law], options: Sequence[str]) -> None:
    """UsageError where a law has no value for a coefficient that one of the options needs."""
    names = [*(("A", "B") if options else ()), *(("E",) if "--loss" in options else ())]
    for law in laws:
        missing = [name for name in names if getattr(law, name) is None]
        if not missing or law.form.derived is not None:
            continue
        them = "it" if len(missing) == 1 else "them"
        need = f"{' and '.join(options)} {'needs' if len(options) == 1 else 'need'} {them}"
        subject = "--law" if law.name == CUSTOM else f"--law {shown(law.name)}"
        some = ", ".join(missing[:-1])
        missed = f"{some} and {missing[-1]}" if some else missing[-1]
        raise UsageError(f"{subject}: has no {missed}, {need}")


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


def _named(entry: str, of_own: bool) -> Law:
    from ..numeric.law import Law, law
    from ..numeric.law.file import read

    try:
        if not _is_path(entry):
            return law(entry)
        held = read(entry)
        if not (of_own and held.form.variables == ("params", "tokens")):
            _require_built_in(held, f"--law {shown(entry)}")
        if held.name != CUSTOM:
            return held
        own = {key: getattr(held, key) for key in ("form", "source", "draws", "ranges")}
        return Law(name=entry, **own, **held.numbers)
    except RecursionError:
        raise UsageError(f"--law {shown(entry)}: is nested too deeply for a law file") from None
    except ValueError as error:
        raise blamed(error, ("--law", entry)) from None


def _require_built_in(law: Law, given: str) -> None:
    """UsageError where the law is of another form."""
    if law.form.kind != "params-tokens":
        own = law.form.loss.replace("{", "").replace("}", "")
        raise UsageError(f"{given}: is L = {own}; a law E + A N^-beta + B D^-gamma is needed")


# -- by coefficients -------------------------------------------------------------------------------


def _is_coefficient(entry: str) -> bool:
    return "=" in entry and not _is_path(entry)


def _usual(spelling: Notation) -> str:
    """How coefficients are typed."""
    own = spelling.names("params-tokens").values()
    return " ".join(f"{name}=..." for name in own)


def _from_coefficients(entries: Sequence[str], spelling: Notation) -> Law:
    """The law of words such as `beta=0.34`."""
    from ..numeric.law import Law

    own = spelling.names("params-tokens").values()
    given: dict[str, float] = {}
    for entry in entries:
        name, equals, text = entry.partition("=")
        if not equals:
            what = "a law or coefficients, not both"
            raise UsageError(f"--law {shown(' '.join(entries))}: must be {what}")
        if name not in own:
            raise UsageError(f"--law {shown(entry)}: {_home(name, spelling)}")
        if name in given:
            raise UsageError(f"--law {shown(entry)}: gives {name} again")
        read = nonnegative if name == spelling.letters["irreducible"] else positive
        try:
            given[name] = read(text)
        except ValueError as error:
            raise UsageError(f"--law {name} {shown(text.strip())}: {error}") from None
    try:
        return Law.from_coefficients(given, notation=spelling, name=CUSTOM)
    except ValueError as error:
        raise blamed(error, ("--law", " ".join(entries))) from None


def _home(name: str, spelling: Notation) -> str:
    """In which notation a coefficient has this name, and its name in the one in use."""
    for other in NOTATIONS.values():
        for role in ROLES:
            if other is not spelling and name == other.letters[role]:
                instead = f"add --notation {other.name}, or say {spelling.letters[role]}=..."
                return f"is the {ROLES[role]} of the {other.name} notation; {instead}"
    return f"is no coefficient; they are {', '.join(spelling.names('params-tokens').values())}"
