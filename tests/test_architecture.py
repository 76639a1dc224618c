"""Who may import whom, and what the theory must not contain: read from the syntax tree, nothing is
imported.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import TopologicalSorter
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
    {"targets", "ray"},
    {"penalty"},
    {"passk"},
    {"accuracy"},
    {"settings"},
    {"derivations"},
    {"claim", "code", "verification"},
    {"verification_text"},
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
#: The folders at the top by their bare names, which nobody imports; ruff looks at the other files.
BARE = {"theory", "numeric", "derivations"}
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
PACKAGES = {name for name, path in FILES.items() if path.name == "__init__.py"}


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(FILES[name].read_text(encoding="utf-8"))


@cache
def imports_of(name: str) -> list[Import]:
    return list(imports(name, tree(name)))


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


def imports(name: str, part: ast.AST, at_once: bool = True) -> Iterator[Import]:
    """Every import in a part of a module except those for type checkers alone."""
    for node in ast.iter_child_nodes(part):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node = ast.Module(node.orelse, [])
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (Import(module, node.lineno, at_once) for module in _imported(name, node))
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from imports(name, node, at_once and not inside)


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


# -- what a module imports -----------------------------------------------------------------------


def against_the_layers(name: str, made: Import) -> bool:
    """A module imports from its own member of a layer, or from below; beside it in the theory, and
    on the numeric side from modules beside the folders. Figures may be drawn from anywhere.
    """
    here, there = place(name), place(made.module)
    if here is None or there in {None, here} or there[0] != here[0]:
        return False
    if there == ("numeric", "plot") and not made.at_once:
        return False
    rise = LEVELS.get(there, len(THEORY)) - LEVELS[here]
    folders = PACKAGES & {f"isoflop.numeric.{member}" for _, member in (here, there)}
    return rise > 0 or (rise == 0 and here[0] == "numeric" and bool(folders))


def foreign_to_the_kernel(name: str, made: Import) -> bool:
    """The kernel, which alone says "proved", knows SymPy, mpmath and itself."""
    kernel = ("theory", "kernel")
    return place(name) == kernel and made.library == "isoflop" and place(made.module) != kernel


def _is_lazy_frame(name: str, made: Import) -> bool:
    """A table makes a pandas frame only where one is asked for."""
    return place(name) in TABLES and made.module == "pandas" and not made.at_once


def foreign_to_theory(name: str, made: Import) -> bool:
    """Theory and derivations know neither arrays nor the numeric layer nor the command line."""
    if not name.startswith(("isoflop.theory", "isoflop.derivations")) or _is_lazy_frame(name, made):
        return False
    return made.library in ARRAYS or made.module.startswith(("isoflop.numeric", "isoflop.cli"))


RULES = (against_the_layers, foreign_to_the_kernel, foreign_to_theory)


@pytest.mark.parametrize("broken", RULES)
def test_imports(broken: Callable[[str, Import], bool]) -> None:
    assert [(name, x) for name in FILES for x in imports_of(name) if broken(name, x)] == []


def test_every_module_has_its_place() -> None:
    assert {"isoflop", "isoflop.__main__", "isoflop.derivations"} <= FILES.keys()
    assert {"isoflop.theory.kernel", "isoflop.cli", "isoflop.numeric.fit"} <= PACKAGES
    assert {place(name) for name in FILES} - {None} <= LEVELS.keys()


def test_no_file_is_in_a_circle_with_another() -> None:
    """Imports inside functions count; a package's lazy exports reach everything."""
    modules = FILES.keys() - PACKAGES
    graph = {name: {made.module for made in imports_of(name)} & modules for name in modules}
    TopologicalSorter(graph).prepare()  # names the files of a circle


# -- what it says --------------------------------------------------------------------------------


def relative_elsewhere(name: str, node: ast.AST) -> bool:
    """Imports are relative inside theory, numeric and cli, and nowhere else."""
    if isinstance(node, ast.Import):
        return any(alias.name.split(".")[0] in BARE for alias in node.names)
    if not isinstance(node, ast.ImportFrom):
        return False
    if name.startswith(("isoflop.theory", "isoflop.numeric", "isoflop.cli")):
        return not node.level and str(node.module).split(".")[0] in {"isoflop", *BARE}
    return node.level > 0 or str(node.module).split(".")[0] in BARE


def a_float_in_theory(name: str, node: ast.AST) -> bool:
    """Theory is exact: no float or complex literal, and ``float`` is called at its borders alone."""
    here = place(name)
    if here is None or here[0] != "theory" or here in TABLES:
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float | complex)
    calls = set() if here in CALL_FLOAT else {"float", "complex"}
    return isinstance(node, ast.Call) and ast.unparse(node.func) in calls


def evaluated_input(name: str, node: ast.AST) -> bool:
    """Text is parsed, never evaluated: SymPy's own readers evaluate it as Python, unless
    ``strict``.

    Only the numeric layer executes anything: the functions that it generates for a user's own law
    (``lambdify`` of an expression that was read, in symbols of its own), and conditions on columns,
    read and checked before pandas evaluates them.
    """
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func).split(".")[-1]
    if called == "sympify":
        return "strict=True" not in map(ast.unparse, node.keywords)
    allowed = {"exec", "lambdify"} if name.startswith("isoflop.numeric.") else set()
    allowed |= {"eval"} if name == CONDITIONS else set()
    return called in (EVALUATORS | {"exec"}) - allowed


def test_sources() -> None:
    rules = (relative_elsewhere, a_float_in_theory, evaluated_input)
    offences = [
        f"{broken.__name__}: {name}:{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]
        for name in FILES
        for node in ast.walk(tree(name))
        for broken in rules
        if broken(name, node)
    ]
    assert offences == []
