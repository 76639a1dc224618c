"""Who may import whom, and what the theory must not contain: read from the syntax tree, nothing is
imported.

Every rule is a function from a module's name and source to the list of its offences, so that each
is also shown to fail on a short source that breaks it.
"""

import ast
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]

# A folder counts as one member, except for those of its modules that are named on their own.
LAYERS = (
    {"kernel"},
    {"reader"},
    {"theorem"},
    {"typeset"},
    {"law", "budget"},
    {"claim.checker", "claim.definitions"},
    {"envelope"},
    {"penalty", "ray"},
    {"passk", "identifiability", "broken"},
    {"accuracy"},
    {"settings", "symbols"},
    {"derivations"},
    {"claim", "code", "verification"},
    {"__init__"},  # of the theory and of the whole package: their lazy exports reach everything
)
# Numbers and tables of every result: they format floats, and load pandas only where a frame is
# asked for.
TABLES = {"typeset.escapes", "typeset.numbers", "typeset.table", "typeset.shown"}
PLAIN_DATA = {"data"} | TABLES
CALL_FLOAT = {
    "code",  # prints Python source, so it rounds exact numbers
    "law",  # turns the floats of a user's expression into the decimals that they print as
}
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names} | dict.fromkeys(
    PLAIN_DATA, -1
)

#: What may say "proved", and what looks for limits and points at which a claim fails.
OF_ALGEBRA = "field arithmetic convert functions factorials interval steps sample answer decide boundary deadline"
OF_PROOF = "rules bounds search signs path terms"
TRUSTED = {f"isoflop.theory.kernel.{name}" for name in OF_ALGEBRA.split()} | {
    f"isoflop.theory.kernel.{name}" for name in OF_PROOF.split()
}
KERNEL = TRUSTED | {
    f"isoflop.theory.kernel.{name}" for name in ("limits", "points", "counterexample")
}

# Of the numeric layer, by folder; the modules of one layer may use each other, its folders may not.
NUMERIC = (
    {"errors", "words", "results", "_files", "_progress", "repeat"},
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
NUMERIC_LEVEL = {name: level for level, names in enumerate(NUMERIC) for name in names}
#: What still goes against it; the list may only become shorter.
STILL: frozenset[str] = frozenset()

ARRAYS = {"numpy", "scipy", "matplotlib", "pandas"}
SLOW_TO_LOAD = {"sympy", "mpmath", "scipy", "matplotlib", "pandas", "tqdm"}
EVALUATORS = {"eval", "parse_expr", "parse_latex", "lambdify"}


class Import(NamedTuple):
    """One imported module, and whether it is loaded when the importing module is."""

    module: str
    line: int
    at_once: bool


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


def _for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in {
        getattr(part, "id", getattr(part, "attr", None)) for part in ast.walk(node.test)
    }


def _imported(name: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules that a statement names; ``from a import b`` may mean the module ``a.b``."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        here = name.split(".") if name in PACKAGES else name.split(".")[:-1]
        base = ".".join([*here[: len(here) - node.level + 1], *([base] if base else [])])
    inner = {f"{base}.{alias.name}": alias.name for alias in node.names}
    modules = [
        path
        for path, name in inner.items()
        if path in FILES or (base == "isoflop.theory" and name in LEVEL)
    ]
    yield from modules
    if len(modules) < len(inner):
        yield base


def imports(name: str, source: str) -> list[Import]:
    """Every import of a module except those for type checkers alone."""
    found: list[Import] = []

    def visit(node: ast.AST, at_once: bool) -> None:
        if _for_type_checkers(node):
            assert isinstance(node, ast.If)
            for other in node.orelse:
                visit(other, at_once)
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.extend(Import(module, node.lineno, at_once) for module in _imported(name, node))
        for part in ast.iter_child_nodes(node):
            visit(
                part,
                at_once
                and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda),
            )

    visit(ast.parse(source), True)
    return found


def unit(module: str) -> str | None:
    """The layer's member that a module of the theory belongs to: itself where it is named, else its
    folder.
    """
    match module.split("."):
        case ["isoflop"] | ["isoflop", "theory"]:
            return "__init__"
        case ["isoflop", "derivations", *_]:
            return "derivations"
        case ["isoflop", "theory", folder, member, *_] if f"{folder}.{member}" in LEVEL:
            return f"{folder}.{member}"
        case ["isoflop", "theory", member, *_]:
            return member
    return None


def numeric_unit(module: str) -> str | None:
    """The folder, or the module beside the folders, of the numeric layer."""
    match module.split("."):
        case ["isoflop", "numeric"]:
            return "__init__"
        case ["isoflop", "numeric", member, *_]:
            return member
    return None


def against_the_numeric_layers(name: str, source: str) -> list[str]:
    """A member of the numeric layer imports from its own folder, from modules beside it, or from
    below.
    """
    here = numeric_unit(name)
    if here is None:
        return []
    if here not in NUMERIC_LEVEL:
        return [f"{name}: give numeric.{here} its place in NUMERIC"]
    found = []
    for module, _, at_once in imports(name, source):
        there = numeric_unit(module)
        if there in {None, here} or (there == "plot" and not at_once):
            continue
        level = NUMERIC_LEVEL.get(str(there), len(NUMERIC))
        folders = {f"isoflop.numeric.{member}" in PACKAGES for member in (here, str(there))}
        if level > NUMERIC_LEVEL[here] or (level == NUMERIC_LEVEL[here] and True in folders):
            found.append(f"{name} must not import {module}")
    return found


def against_the_layers(name: str, source: str) -> list[str]:
    """A member of the theory imports from its own layer or below; plain data only plain data."""
    here = unit(name)
    if here is None:
        return []
    if here not in LEVEL:
        return [f"{name}: give theory.{here} its place in LAYERS"]
    found = []
    for module, line, _ in imports(name, source):
        there = unit(module)
        if there in {None, here}:
            continue
        if LEVEL.get(str(there), len(LAYERS)) > LEVEL[here]:
            found.append(f"{name}:{line}: {here} must not import {there}")
    return found


def foreign_to_the_kernel(name: str, source: str) -> list[str]:
    """The kernel knows SymPy, mpmath and itself."""
    if name not in KERNEL:
        return []
    return [
        f"{name}:{line}: imports {module}"
        for module, line, _ in imports(name, source)
        if module.startswith("isoflop") and module not in KERNEL
    ]


def foreign_to_theory(name: str, source: str) -> list[str]:
    """Theory and derivations know neither arrays nor the numeric layer nor the command line."""
    if not name.startswith(("isoflop.theory", "isoflop.derivations")):
        return []
    return [
        f"{name}:{line}: imports {module}"
        for module, line, at_once in imports(name, source)
        if not _is_lazy_frame(name, module, at_once)
        and (
            module.split(".")[0] in ARRAYS or module.startswith(("isoflop.numeric", "isoflop.cli"))
        )
    ]


def _is_lazy_frame(name: str, module: str, at_once: bool) -> bool:
    """A table makes a pandas frame only where one is asked for."""
    return unit(name) in TABLES and module == "pandas" and not at_once


def heavy_plain_data(name: str, source: str) -> list[str]:
    """Plain data, and the lazy ``__init__`` of the theory, load nothing that loads SymPy."""
    if name != "isoflop.theory" and unit(name) not in PLAIN_DATA:
        return []
    return [
        f"{name}:{line}: imports {module}"
        for module, line, at_once in imports(name, source)
        if (at_once or name != "isoflop.theory")
        and not _is_lazy_frame(name, module, at_once)
        and (
            module.split(".")[0] in SLOW_TO_LOAD | ARRAYS or unit(module) not in PLAIN_DATA | {None}
        )
    ]


def slow_numeric(name: str, source: str) -> list[str]:
    """The numeric layer loads at once neither SymPy nor SciPy, Matplotlib, pandas, nor what loads
    them.
    """
    if not name.startswith("isoflop.numeric"):
        return []
    return [
        f"{name}:{line}: imports {module} at once"
        for module, line, at_once in imports(name, source)
        if at_once
        and (module.split(".")[0] in SLOW_TO_LOAD or unit(module) not in PLAIN_DATA | {None})
    ]


def slow_entry(name: str, source: str) -> list[str]:
    """The package, its entry point and the front of the command line load the standard library
    alone.
    """
    if name not in {"isoflop", "isoflop.__main__", "isoflop.cli"}:
        return []
    return [
        f"{name}:{line}: imports {module} at once"
        for module, line, at_once in imports(name, source)
        if at_once and module.split(".")[0] in SLOW_TO_LOAD | ARRAYS
    ]


def bare_imports(name: str, source: str) -> list[str]:
    """Nobody imports the three folders by their bare names; relative imports are for theory,
    numeric, cli alone.
    """
    bare = [
        f"{name}:{line}: imports {module}"
        for module, line, _ in imports(name, source)
        if module.split(".")[0] in {"theory", "numeric", "derivations"}
    ]
    inside = name.startswith(("isoflop.theory", "isoflop.numeric", "isoflop.cli"))
    wrong = [
        f"{name}:{node.lineno}: {'an absolute' if inside else 'a relative'} import"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        and (
            not node.level and str(node.module).split(".")[0] == "isoflop" if inside else node.level
        )
    ]
    return bare + wrong


def floats_in_theory(name: str, source: str) -> list[str]:
    """Theory is exact: no float or complex literal, and ``float`` is called at its borders alone."""
    if unit(name) in {None} | TABLES:
        return []
    calls = set() if unit(name) in CALL_FLOAT else {"float", "complex"}
    tree = ast.walk(ast.parse(source))
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for node in tree
        if (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in calls
        )
    ]


CONDITIONS = "isoflop.numeric.data.where"


def evaluated_input(name: str, source: str) -> list[str]:
    """Text is parsed, never evaluated: SymPy's own readers evaluate it as Python, unless
    ``strict``.

    Only the numeric layer executes anything: the functions that it generates for a user's own law,
    and conditions on columns, read and checked before pandas evaluates them.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = (
            node.func.attr
            if isinstance(node.func, ast.Attribute)
            else getattr(node.func, "id", None)
        )
        strict = any(
            word.arg == "strict" and ast.unparse(word.value) == "True" for word in node.keywords
        )
        executes = called == "exec" and not name.startswith("isoflop.numeric.")
        if called == "eval" and name == CONDITIONS:
            continue
        if called in EVALUATORS or executes or (called == "sympify" and not strict):
            found.append(f"{name}:{node.lineno}: calls {called}")
    return found


Rule = Callable[[str, str], list[str]]
RULES: tuple[Rule, ...] = (
    against_the_layers,
    against_the_numeric_layers,
    foreign_to_the_kernel,
    foreign_to_theory,
    heavy_plain_data,
    slow_numeric,
    slow_entry,
    bare_imports,
    floats_in_theory,
    evaluated_input,
)

OFFENCES: tuple[tuple[Rule, str, str], ...] = (
    (
        against_the_layers,
        "isoflop.theory.kernel.symbols",
        "from isoflop.theory.law import LawForm",
    ),
    (against_the_layers, "isoflop.theory.kernel.field", "import isoflop.theory.theorem.claim"),
    (
        against_the_layers,
        "isoflop.theory.theorem.claim",
        "def check():\n    from isoflop.theory import envelope",
    ),
    (
        against_the_layers,
        "isoflop.theory.envelope",
        "from isoflop.theory.penalty import misallocation",
    ),
    (
        against_the_layers,
        "isoflop.theory.penalty",
        "from isoflop.derivations.balance import balance",
    ),
    (
        against_the_layers,
        "isoflop.theory.typeset.words",
        "def text():\n    from isoflop.theory.envelope import derive",
    ),
    (against_the_layers, "isoflop.theory.unheard_of", ""),
    (against_the_layers, "isoflop.theory.typeset.table", "from isoflop.theory.kernel import x"),
    (heavy_plain_data, "isoflop.theory.typeset.table", "import pandas"),
    (against_the_layers, "isoflop.theory.law", "from isoflop.theory.unheard_of import x"),
    (
        against_the_numeric_layers,
        "isoflop.numeric.data.runs",
        "from isoflop.numeric.fit.newton import x",
    ),
    (
        against_the_numeric_layers,
        "isoflop.numeric.passk.laws",
        "def f():\n    from isoflop.numeric.accuracy.laws import x",
    ),
    (against_the_numeric_layers, "isoflop.numeric.unheard_of", ""),
    (foreign_to_the_kernel, "isoflop.theory.kernel.rules", "from .words import Sentence"),
    (foreign_to_theory, "isoflop.theory.theorem.claim", "def draw():\n    import numpy as np"),
    (foreign_to_theory, "isoflop.derivations.balance", "from isoflop.numeric.law import law"),
    (against_the_layers, "isoflop.theory.theorem.claim", "from isoflop.theory import derive"),
    (against_the_layers, "isoflop.theory.theorem.claim", "import isoflop"),
    (heavy_plain_data, "isoflop.theory.data.published", "def table():\n    import sympy"),
    (
        heavy_plain_data,
        "isoflop.theory.data.notation",
        "from isoflop.theory.symbols import SYMBOLS",
    ),
    (heavy_plain_data, "isoflop.theory", "from isoflop.theory.law import LawForm"),
    (slow_numeric, "isoflop.numeric.law", "import sympy"),
    (
        slow_numeric,
        "isoflop.numeric.law",
        "try:\n    from scipy import optimize\nexcept ImportError:\n    pass",
    ),
    (slow_numeric, "isoflop.numeric.law", "class Law:\n    import pandas"),
    (slow_numeric, "isoflop.numeric.law", "from isoflop.theory import envelope"),
    (slow_numeric, "isoflop.numeric.law", "from isoflop.theory import derive"),
    (slow_entry, "isoflop", "import numpy"),
    (slow_entry, "isoflop.cli", "from tqdm import tqdm"),
    (bare_imports, "isoflop.numeric.law", "from theory.law import LawForm"),
    (bare_imports, "isoflop.numeric.law", "from isoflop.theory.law import LawForm"),
    (bare_imports, "isoflop.derivations.balance", "from ..theory.law import LawForm"),
    (floats_in_theory, "isoflop.theory.theorem.claim", "TOLERANCE = 1e-9"),
    (floats_in_theory, "isoflop.derivations.balance", "half = -0.5"),
    (floats_in_theory, "isoflop.theory.theorem.claim", "size = float(x)"),
    (evaluated_input, "isoflop.cli.derive", "budget = sympy.sympify(text)"),
    (evaluated_input, "isoflop.cli.derive", "budget = eval(text)"),
    (evaluated_input, "isoflop.theory.code.codegen", "exec(text, {})"),
    (
        evaluated_input,
        "isoflop.theory.reader.parse",
        "tree = sympy.parsing.sympy_parser.parse_expr(text)",
    ),
)

ALLOWED: tuple[tuple[Rule, str, str], ...] = (
    (
        against_the_layers,
        "isoflop.theory.theorem.claim",
        "from isoflop.theory.kernel import decide\nimport sympy",
    ),
    (
        against_the_layers,
        "isoflop.theory.kernel.field",
        "from isoflop.theory.kernel import decide",
    ),
    (
        against_the_layers,
        "isoflop.theory.law",
        "if TYPE_CHECKING:\n    from isoflop.theory.penalty import P",
    ),
    (
        against_the_layers,
        "isoflop.theory.envelope",
        "def text():\n    from isoflop.theory import typeset",
    ),
    (
        heavy_plain_data,
        "isoflop.theory",
        "def __getattr__(name):\n    from isoflop.theory import law",
    ),
    (
        against_the_numeric_layers,
        "isoflop.numeric.fit.newton",
        "from isoflop.numeric.law import Law",
    ),
    (
        against_the_numeric_layers,
        "isoflop.numeric.passk.laws",
        "def f():\n    from isoflop.numeric.plot import panels",
    ),
    (
        slow_numeric,
        "isoflop.numeric.law",
        "import numpy\nfrom isoflop.theory.data.published import published",
    ),
    (slow_numeric, "isoflop.numeric.law", "def derive():\n    import sympy"),
    (slow_numeric, "isoflop.numeric.check.runs", "from isoflop.theory.typeset.table import Table"),
    (foreign_to_theory, "isoflop.theory.typeset.table", "def to_frame():\n    import pandas"),
    (
        slow_numeric,
        "isoflop.numeric.law",
        "import typing\nif typing.TYPE_CHECKING:\n    import sympy",
    ),
    (floats_in_theory, "isoflop.theory.code.codegen", "text = repr(float(x))"),
    (
        floats_in_theory,
        "isoflop.theory.reader.parse",
        "if isinstance(x, float):\n    raise ValueError('1.5')",
    ),
    (evaluated_input, "isoflop.theory.reader.parse", "sympy.sympify(2, strict=True)"),
)


def _label(value: object) -> str | None:
    return getattr(value, "__name__", None)


@pytest.mark.parametrize("rule", RULES, ids=_label)
def test_rule_holds_everywhere(rule: Rule) -> None:
    offences = {
        offence
        for name, path in FILES.items()
        for offence in rule(name, path.read_text(encoding="utf-8"))
    }
    assert sorted(offences - STILL) == []


def test_the_list_of_exceptions_shrinks() -> None:
    offences = {
        offence
        for name, path in FILES.items()
        for offence in against_the_numeric_layers(name, path.read_text(encoding="utf-8"))
    }
    assert sorted(STILL - offences) == []


@pytest.mark.parametrize(("rule", "name", "source"), OFFENCES, ids=_label)
def test_rule_can_fail(rule: Rule, name: str, source: str) -> None:
    assert len(rule(name, source)) == 1


@pytest.mark.parametrize(("rule", "name", "source"), ALLOWED, ids=_label)
def test_rule_allows(rule: Rule, name: str, source: str) -> None:
    assert rule(name, source) == []


def test_every_rule_is_shown_to_fail() -> None:
    assert {rule for rule, _, _ in OFFENCES} == set(RULES)


def test_files_are_found() -> None:
    assert {
        "isoflop",
        "isoflop.__main__",
        "isoflop.theory",
        "isoflop.numeric",
        "isoflop.derivations",
    } <= FILES.keys()
    assert {"isoflop.theory.kernel", "isoflop.cli", "isoflop.numeric.fit"} <= PACKAGES


def test_scripts_import_no_bare_folder() -> None:
    scripts = [path for folder in ("tests", "examples") for path in (ROOT / folder).rglob("*.py")]
    assert Path(__file__) in scripts
    assert [
        offence
        for path in scripts
        for offence in bare_imports(path.name, path.read_text(encoding="utf-8"))
    ] == []


def test_modules_form_no_cycle() -> None:
    """Members of one layer may use each other, as long as the imports at load time have an order."""
    graph = {
        name: {
            module
            for module, _, at_once in imports(name, path.read_text(encoding="utf-8"))
            if at_once
        }
        for name, path in FILES.items()
    }
    assert list(TopologicalSorter(graph).static_order())


def test_a_cycle_would_be_found() -> None:
    from graphlib import CycleError

    with pytest.raises(CycleError):
        list(TopologicalSorter({"law": {"budget"}, "budget": {"law"}}).static_order())
