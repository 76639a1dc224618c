"""The law that a command is given: a published name, a law file, or coefficients in a notation."""

from __future__ import annotations

from ..theory.data.notation import DEFAULT, NOTATIONS, Notation
from ..theory.data.notation import notation as find_notation
from ..theory.typeset.escapes import clean
from ..theory.typeset.numbers import Shortest
from .arguments import add, is_path, number, one_of
from .output import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from ..numeric.law import Law
    from ..theory.budget import Budget
    from .arguments import Group, Parser

CUSTOM = "custom"


def add_law(parser: Parser, *, several: bool) -> None:
    """``--law`` and ``--notation``."""
    group = parser.add_argument_group("law")
    kinds = "a published law (see isoflop laws), a JSON law file, or coefficients"
    more = "; several laws for a comparison" if several else ""
    add(group, "--law", "LAW", f"{kinds}: {_usual(DEFAULT)}{more}", nargs="+")
    add_notation(group)


def add_notation(group: Group) -> None:
    """``--notation``."""
    spellings = "; ".join(f"{name}: {entry.title}" for name, entry in NOTATIONS.items())
    meaning = f"{spellings}; default: {DEFAULT.name}"
    add(group, "--notation", "NAME", meaning, one_of([*NOTATIONS]))


def notation(args: Namespace) -> Notation:
    """The notation to read and print in."""
    return find_notation(args.notation or DEFAULT.name)


def budget(args: Namespace) -> Budget | None:
    """The budget of ``--budget``; None without that option."""
    from ..theory.budget import Budget

    try:
        return None if args.budget is None else Budget.parse(args.budget)
    except ValueError as error:
        complaint = getattr(error, "complaint", error)
        raise ValueError(f"--budget {shown(args.budget)}: {complaint}") from None


def laws(args: Namespace, *, any_form: bool = False) -> list[Law]:
    """The laws that the options select, at least one, each with a name of its own. With `any_form`
    also laws of params and tokens in another form, which a user wrote and saved.
    """
    if not args.law:
        hint = "name a published law (isoflop laws lists them) or a law file, or give coefficients"
        raise ValueError(f"--law is missing: {hint}, --law {_usual(notation(args))}")
    entries = [entry for word in args.law for entry in _entries(word)]
    if any("=" in entry and not is_path(entry) for entry in entries):
        return [_from_coefficients(entries, notation(args))]
    chosen = [_named(entry, any_form) for entry in entries]
    names = [law.name for law in chosen]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"--law {shown(name)}: must be different laws, but two have this name")
    return chosen


def law(args: Namespace) -> Law:
    """The one law that the options select."""
    chosen = laws(args)
    if len(chosen) > 1:
        names = " ".join(law.name for law in chosen)
        raise ValueError(f"--law {shown(names)}: must be one law, got {len(chosen)}")
    return chosen[0]


def law_line(law: Law, spelling: Notation) -> str:
    """The name and the coefficients of a law on one line."""
    values = law.coefficients(spelling)
    figures = (f"{name} = {Shortest(6).text(x)}" for name, x in values.items() if x is not None)
    return f"{clean(law.name)}: {', '.join(figures)}"


def _entries(word: str) -> list[str]:
    """The laws in one word. The name of a file may hold spaces, and commas where that file exists."""
    if is_path(word):
        from os.path import exists

        return [word] if exists(word) else word.split(",")  # noqa: PTH110
    return word.replace(",", " ").split() or [word]


def _named(entry: str, any_form: bool) -> Law:
    """The law of a published name or of a file; a law without a name is called by its file."""
    from ..numeric.errors import ArgumentError
    from ..numeric.law import Law
    from ..numeric.law import law as find

    try:
        found = find(entry)
    except ArgumentError as error:
        raise ValueError(f"--law {shown(entry)}: {error.complaint}") from None
    form = found.form
    if form.kind != "params-tokens" and not (any_form and form.variables == ("params", "tokens")):
        formula = form.loss.replace("{", "").replace("}", "")
        needed = "this takes a law E + A N^-beta + B D^-gamma"
        raise ValueError(f"--law {shown(entry)}: the file holds L = {formula}; {needed}")
    if found.name != CUSTOM:
        return found
    fields = {key: getattr(found, key) for key in ("form", "source", "draws", "ranges")}
    return Law(name=entry, **fields, **found.numbers)


def _usual(spelling: Notation) -> str:
    """How the coefficients of a law are typed, as a hint."""
    return " ".join(f"{name}=..." for name in spelling.names("params-tokens").values())


def _from_coefficients(entries: Sequence[str], spelling: Notation) -> Law:
    """The law of coefficients typed as `beta=0.34`."""
    from ..numeric.law import Law

    given: dict[str, float] = {}
    for entry in entries:
        name, equals, text = entry.partition("=")
        if not equals:
            typed = shown(" ".join(entries))
            raise ValueError(f"--law {typed}: must be a law or coefficients, not both")
        if name in given:
            raise ValueError(f"--law {shown(entry)}: gives {name} again")
        try:
            given[name] = number(text)
        except ValueError as error:
            raise ValueError(f"--law {name} {shown(text)}: must be a number ({error})") from None
    try:
        return Law.from_coefficients(given, notation=spelling, name=CUSTOM)
    except ValueError as error:
        raise ValueError(f"--law {shown(' '.join(entries))}: {error}") from None
