"""Which law: a published name, a law file, or coefficients in one of the two notations."""

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
    """The budget of ``--budget``, where it is given."""
    from ..theory.budget import Budget

    try:
        return None if args.budget is None else Budget.parse(args.budget)
    except ValueError as error:
        complaint = getattr(error, "complaint", error)
        raise ValueError(f"--budget {shown(args.budget)}: {complaint}") from None


def laws(args: Namespace, *, of_own: bool = False) -> list[Law]:
    """The laws that the options select, at least one, each under a name of its own; `of_own`: also
    laws of params and tokens that a user wrote, in their files.
    """
    if not args.law:
        how = "name a published law (isoflop laws lists them) or a law file, or give coefficients"
        raise ValueError(f"--law is missing: {how}, --law {_usual(notation(args))}")
    entries = [entry for word in args.law for entry in _entries(word)]
    if any("=" in entry and not is_path(entry) for entry in entries):
        return [_from_coefficients(entries, notation(args))]
    chosen = [_named(entry, of_own) for entry in entries]
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
    """Name and coefficients of a law on a line."""
    values = law.coefficients(spelling)
    figures = (f"{name} = {Shortest(6).text(x)}" for name, x in values.items() if x is not None)
    return f"{clean(law.name)}: {', '.join(figures)}"


def _entries(word: str) -> list[str]:
    """The laws in one word. The name of a file may hold spaces, and where there is such a file,
    commas.
    """
    if is_path(word):
        from os.path import exists

        return [word] if exists(word) else word.split(",")  # noqa: PTH110
    return word.replace(",", " ").split() or [word]


def _named(entry: str, of_own: bool) -> Law:
    from ..numeric.law import Law
    from ..numeric.law import law as find

    held = find(entry)
    is_pair = held.form.variables == ("params", "tokens")
    if held.form.kind != "params-tokens" and not (of_own and is_pair):
        form = held.form.loss.replace("{", "").replace("}", "")
        needed = "a law E + A N^-beta + B D^-gamma is needed"
        raise ValueError(f"--law {shown(entry)}: is L = {form}; {needed}")
    if held.name != CUSTOM:
        return held
    own = {key: getattr(held, key) for key in ("form", "source", "draws", "ranges")}
    return Law(name=entry, **own, **held.numbers)


def _usual(spelling: Notation) -> str:
    """How coefficients are typed."""
    return " ".join(f"{name}=..." for name in spelling.names("params-tokens").values())


def _from_coefficients(entries: Sequence[str], spelling: Notation) -> Law:
    """The law of words such as `beta=0.34`."""
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
