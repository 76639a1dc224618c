"""Who may import whom, and what the theory must not contain: read from the syntax tree, nothing is
imported.

Every rule is a function from a module's name and source to its offences, so that each is also shown
to fail on a short source that breaks it.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]

# From the bottom up. A folder counts as one member, but for those of its modules that are named.
THEORY = (
    {"data", "typeset.escapes", "typeset.numbers", "typeset.table", "typeset.shown"},
    {"kernel"},
    {"reader"},
    {"theorem"},
    {"typeset"},
    {"law", "budget"},
    {"claim.checker"},
    {"envelope"},
    {"penalty", "ray"},
    {"passk"},
    {"accuracy"},
    {"settings", "symbols"},
    {"derivations"},
    {"claim", "code", "verification"},
    {"__init__"},  # of the theory and of the whole package: their lazy exports reach everything
)
#: The modules of one layer may use each other, its folders may not.
NUMERIC = (
    {"errors", "words", "results", "_files", "repeat"},
    {"arrays"},
    {"formulas"},
    {"data"},
    {"law"},
    {"fit"},
    {"check", "passk", "accuracy"},
    {"hold_out"},
    {"simulate"},
    {"plot"},
    {"__init__"},
)
LEVELS = {
    (side, name): level
    for side, layers in (("theory", THEORY), ("numeric", NUMERIC))
    for level, names in enumerate(layers)
    for name in names
}
PLAIN_DATA = {("theory", name) for name in THEORY[0]}  # loads pandas where a frame is asked for
TABLES = PLAIN_DATA - {("theory", "data")}
CALL_FLOAT = {("theory", "code"), ("theory", "law")}  # print source; turn floats into decimals

ARRAYS = {"numpy", "scipy", "matplotlib", "pandas"}
SLOW_TO_LOAD = {"sympy", "mpmath", "scipy", "matplotlib", "pandas", "tqdm"}
EVALUATORS = {"eval", "parse_expr", "parse_latex", "lambdify"}
#: Reads and checks conditions on columns before pandas evaluates them.
CONDITIONS = "isoflop.numeric.data.where"


class Import(NamedTuple):
    """One imported module, and whether it is loaded when the importing module is."""

    module: str
    line: int
    at_once: bool

    @property
    def library(self) -> str:
        return self.module.split(".")[0]


def source_files() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    folders = {"isoflop": ROOT / "src" / "isoflop"}
    folders |= {f"isoflop.{name}": ROOT / name for name in ("theory", "numeric", "derivations")}
    found = {}
    for package, folder in folders.items():
        for path in sorted(folder.rglob("*.py")):
            inside = path.relative_to(folder)
            if package == "isoflop" and inside.parts[0] in ("theory", "numeric", "derivations"):
                continue  # reached through a link
            parts = [part for part in inside.with_suffix("").parts if part != "__init__"]
            found[".".join([package, *parts])] = path
    return found


FILES = source_files()
SOURCES = {name: path.read_text(encoding="utf-8") for name, path in FILES.items()}
PACKAGES = {name for name, path in FILES.items() if path.name == "__init__.py"}


def _for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _imported(name: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules that a statement names; ``from a import b`` may mean the module ``a.b``."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        here = name.split(".") if name in PACKAGES else name.split(".")[:-1]
        base = ".".join([*here[: len(here) - node.level + 1], *([base] if base else [])])
    modules = [
        module
        for module in (f"{base}.{alias.name}" for alias in node.names)
        if module in FILES or (base == "isoflop.theory" and place(module) in LEVELS)
    ]
    yield from modules
    if len(modules) < len(node.names):
        yield base


@cache
def imports(name: str, source: str) -> list[Import]:
    """Every import of a module except those for type checkers alone."""
    found: list[Import] = []

    def visit(node: ast.AST, at_once: bool) -> None:
        if isinstance(node, ast.If) and _for_type_checkers(node):
            for other in node.orelse:
                visit(other, at_once)
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.extend(Import(module, node.lineno, at_once) for module in _imported(name, node))
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for part in ast.iter_child_nodes(node):
            visit(part, at_once and not inside)

    visit(ast.parse(source), True)
    return found


def place(module: str) -> tuple[str, str] | None:
    """The side, theory or numeric, that a module is of, and its member of a layer there."""
    match module.split("."):
        case ["isoflop"]:
            return "theory", "__init__"
        case ["isoflop", "derivations", *_]:
            return "theory", "derivations"
        case ["isoflop", "theory", folder, member, *_] if (
            "theory",
            f"{folder}.{member}",
        ) in LEVELS:
            return "theory", f"{folder}.{member}"
        case ["isoflop", ("theory" | "numeric") as side, *rest]:
            return side, rest[0] if rest else "__init__"
    return None


# -- the rules -----------------------------------------------------------------------------------


def against_the_layers(name: str, source: str) -> list[str]:
    """A module imports from its own member of a layer, or from below; beside it in the theory, and
    on the numeric side from modules beside the folders. Figures may be drawn from anywhere.
    """
    here = place(name)
    if here is None:
        return []
    if here not in LEVELS:
        return [f"{name}: give {here} its place among the layers"]
    found = []
    for module, line, at_once in imports(name, source):
        there = place(module)
        if there in {None, here} or there[0] != here[0]:
            continue
        if there == ("numeric", "plot") and not at_once:
            continue
        folders = PACKAGES & {f"isoflop.numeric.{member}" for side, member in (here, there)}
        rise = LEVELS.get(there, len(THEORY)) - LEVELS[here]
        if rise > 0 or (rise == 0 and here[0] == "numeric" and folders):
            found.append(f"{name}:{line}: imports {module}")
    return found


def foreign_to_the_kernel(name: str, source: str) -> list[str]:
    """The kernel, which alone says "proved", knows SymPy, mpmath and itself."""
    kernel = ("theory", "kernel")
    return [
        f"{name}:{line}: imports {module}"
        for module, line, _ in imports(name, source)
        if place(name) == kernel and module.startswith("isoflop") and place(module) != kernel
    ]


def _is_lazy_frame(name: str, made: Import) -> bool:
    """A table makes a pandas frame only where one is asked for."""
    return place(name) in TABLES and made.module == "pandas" and not made.at_once


def foreign_to_theory(name: str, source: str) -> list[str]:
    """Theory and derivations know neither arrays nor the numeric layer nor the command line."""
    if not name.startswith(("isoflop.theory", "isoflop.derivations")):
        return []
    return [
        f"{name}:{made.line}: imports {made.module}"
        for made in imports(name, source)
        if not _is_lazy_frame(name, made)
        and (made.library in ARRAYS or made.module.startswith(("isoflop.numeric", "isoflop.cli")))
    ]


def _in_theory(module: str) -> bool:
    """Whether a module is one of theory proper, which loads SymPy."""
    there = place(module)
    return there is not None and there[0] == "theory" and there not in PLAIN_DATA


def heavy_plain_data(name: str, source: str) -> list[str]:
    """Plain data, and the lazy ``__init__`` of the theory, load nothing that loads SymPy."""
    if name != "isoflop.theory" and place(name) not in PLAIN_DATA:
        return []
    return [
        f"{name}:{made.line}: imports {made.module}"
        for made in imports(name, source)
        if (made.at_once or name != "isoflop.theory") and not _is_lazy_frame(name, made)
        if made.library in SLOW_TO_LOAD | ARRAYS or _in_theory(made.module)
    ]


def slow_at_start(name: str, source: str) -> list[str]:
    """The numeric layer loads at once NumPy and plain data alone; the package, its entry point and
    the front of the command line load the standard library.
    """
    is_numeric = name.startswith("isoflop.numeric")
    if not is_numeric and name not in {"isoflop", "isoflop.__main__", "isoflop.cli"}:
        return []
    slow = SLOW_TO_LOAD if is_numeric else SLOW_TO_LOAD | ARRAYS
    return [
        f"{name}:{made.line}: imports {made.module} at once"
        for made in imports(name, source)
        if made.at_once and (made.library in slow or (is_numeric and _in_theory(made.module)))
    ]


def wrong_kind_of_import(name: str, source: str) -> list[str]:
    """Nobody imports the three folders by their bare names; imports are relative inside theory,
    numeric and cli, and there alone.
    """
    inside = name.startswith(("isoflop.theory", "isoflop.numeric", "isoflop.cli"))
    found = [
        f"{name}:{line}: imports {module}"
        for module, line, _ in imports(name, source)
        if module.split(".")[0] in {"theory", "numeric", "derivations"}
    ]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            is_own = str(node.module).split(".")[0] == "isoflop"
            if (is_own and not node.level) if inside else node.level:
                found.append(f"{name}:{node.lineno}: {ast.unparse(node)}")
    return found


def floats_in_theory(name: str, source: str) -> list[str]:
    """Theory is exact: no float or complex literal, and ``float`` is called at its borders alone."""
    here = place(name)
    if here is None or here[0] != "theory" or here in TABLES:
        return []
    calls = set() if here in CALL_FLOAT else {"float", "complex"}
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        or (isinstance(node, ast.Call) and ast.unparse(node.func) in calls)
    ]


def evaluated_input(name: str, source: str) -> list[str]:
    """Text is parsed, never evaluated: SymPy's own readers evaluate it as Python, unless
    ``strict``.

    Only the numeric layer executes anything: the functions that it generates for a user's own law,
    and conditions on columns, read and checked before pandas evaluates them.
    """
    allowed = {"exec"} if name.startswith("isoflop.numeric.") else set()
    allowed |= {"eval"} if name == CONDITIONS else set()
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func).split(".")[-1]
            strict = any(ast.unparse(word) == "strict=True" for word in node.keywords)
            is_evaluation = called in EVALUATORS | {"exec"}
            if called not in allowed and (is_evaluation or (called == "sympify" and not strict)):
                found.append(f"{name}:{node.lineno}: calls {called}")
    return found


#: Sources that break a rule, as module: source, each with the rule.
BREAKING = (
    (against_the_layers, "theory.kernel.symbols: from isoflop.theory.law import LawForm"),
    (against_the_layers, "theory.typeset.words: def f(): from isoflop.theory import envelope"),
    (against_the_layers, "theory.theorem.claim: import isoflop"),
    (against_the_layers, "theory.typeset.table: from isoflop.theory.kernel import x"),
    (against_the_layers, "theory.unheard_of: "),
    (against_the_layers, "numeric.data.runs: from isoflop.numeric.fit.newton import x"),
    (against_the_layers, "numeric.passk.laws: from isoflop.numeric.accuracy.laws import x"),
    (against_the_layers, "numeric.unheard_of: "),
    (foreign_to_the_kernel, "theory.kernel.rules: from isoflop.theory.theorem.words import S"),
    (foreign_to_theory, "theory.theorem.claim: def draw(): import numpy as np"),
    (foreign_to_theory, "derivations.balance: from isoflop.numeric.law import law"),
    (heavy_plain_data, "theory.typeset.table: import pandas"),
    (heavy_plain_data, "theory.data.notation: from isoflop.theory.symbols import SYMBOLS"),
    (heavy_plain_data, "theory: from isoflop.theory.law import LawForm"),
    (slow_at_start, "numeric.law: from isoflop.theory import derive"),
    (slow_at_start, "numeric.law: if True: import scipy"),
    (slow_at_start, ": import numpy"),
    (wrong_kind_of_import, "numeric.law: from theory.law import LawForm"),
    (wrong_kind_of_import, "numeric.law: from isoflop.theory.law import LawForm"),
    (wrong_kind_of_import, "derivations.balance: from ..theory.law import LawForm"),
    (floats_in_theory, "derivations.balance: half = -0.5"),
    (floats_in_theory, "theory.theorem.claim: size = float(x)"),
    (evaluated_input, "cli.derive: budget = sympy.sympify(text)"),
    (evaluated_input, "cli.derive: budget = eval(text)"),
    (evaluated_input, "theory.code.codegen: exec(text, {})"),
)
#: Sources that keep to the exceptions of a rule.
ALLOWED = (
    (against_the_layers, "theory.law: if TYPE_CHECKING: from isoflop.theory.penalty import P"),
    (against_the_layers, "theory.envelope: from isoflop.theory import typeset"),
    (against_the_layers, "numeric.passk.laws: def f(): from isoflop.numeric.plot import panels"),
    (foreign_to_the_kernel, "theory.kernel.rules: from .field import CoefficientField"),
    (foreign_to_theory, "theory.typeset.table: def to_frame(): import pandas"),
    (heavy_plain_data, "theory: def __getattr__(name): from isoflop.theory import law"),
    (slow_at_start, "numeric.law: from isoflop.theory.data.published import law"),
    (slow_at_start, "numeric.law: def derive(): import sympy"),
    (floats_in_theory, "theory.code.codegen: text = repr(float(x))"),
    (evaluated_input, "theory.reader.parse: sympy.sympify(2, strict=True)"),
)


@pytest.mark.parametrize("rule", {rule: None for rule, _ in BREAKING}, ids=lambda x: x.__name__)
def test_rule_holds_everywhere_and_can_fail(rule: Callable[[str, str], list[str]]) -> None:
    for cases, offences in ((BREAKING, 1), (ALLOWED, 0)):
        for module, _, source in (text.partition(": ") for own, text in cases if own is rule):
            assert len(rule(f"isoflop.{module}".rstrip("."), source)) == offences, (module, source)
    assert [offence for name in FILES for offence in rule(name, SOURCES[name])] == []


def test_files_are_found() -> None:
    assert {"isoflop", "isoflop.__main__", "isoflop.derivations"} <= FILES.keys()
    assert {"isoflop.theory.kernel", "isoflop.cli", "isoflop.numeric.fit"} <= PACKAGES


def test_scripts_import_no_bare_folder() -> None:
    scripts = [path for folder in ("tests", "examples") for path in (ROOT / folder).rglob("*.py")]
    assert Path(__file__) in scripts
    offences = (wrong_kind_of_import(path.name, path.read_text("utf-8")) for path in scripts)
    assert [each for found in offences for each in found] == []


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Files that import each other in a circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_file_is_in_a_circle_with_another() -> None:
    """Imports inside functions count; a package's lazy exports reach everything."""
    assert cycle({"law": {"budget"}, "budget": {"law"}})
    graph = {
        name: {made.module for made in imports(name, SOURCES[name])} - PACKAGES
        for name in FILES.keys() - PACKAGES
    }
    assert cycle(graph) == []
