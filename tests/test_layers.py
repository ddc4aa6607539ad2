"""Imports point downwards only, and `import linework` stays light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "linework"

# From bottom to top. A layer may import itself and what stands on the lines above it;
# layers on one line may not import each other.
LAYERS = [
    ["data", "progress"],
    ["engine"],
    ["stats"],
    ["losses"],
    ["folds"],
    ["solvers"],
    ["candidates"],
    ["estimator", "labels", "dichotomies", "priors"],
    ["classifier", "design"],
    ["regression", "likelihood", "discriminant"],
    ["multiclass"],
    ["imbalance"],
    ["extreme"],
    ["inference"],
    ["selection"],
    ["evaluate"],
    ["persist"],
    ["report"],
    ["exports"],
    ["app"],
    ["cli"],
    ["__init__"],
    ["__main__"],
]
HEIGHT = {layer: height for height, line in enumerate(LAYERS) for layer in line}

# What `import linework` must not load: each costs a user up to a second, and few need all of them.
HEAVY = {"numba", "pandas", "polars", "pyarrow", "matplotlib", "dask", "rich"}


def layer_of(module: str) -> str:
    """`linework.solvers.newton` is in the layer `solvers`, `linework` itself in `__init__`."""
    return [*module.split("."), "__init__"][1]


def is_kernels(module: str) -> bool:
    return module.endswith("_kernels")


def imports(tree: ast.Module, package: str) -> Iterator[tuple[str, int, bool]]:
    """Every imported module as (absolute name, line, whether importing this one imports it)."""

    def visit(node: ast.AST, eager: bool) -> Iterator[tuple[str, int, bool]]:
        match node:
            case ast.Import(names):
                for alias in names:
                    yield alias.name, node.lineno, eager
            case ast.ImportFrom(module, names, level):
                source = resolve_name("." * level + (module or ""), package)
                # `from . import stats` and `from .solvers import newton_kernels` name a module only
                # in the last place; of most imports that is a function or a class.
                layers = HEIGHT if source == "linework" else ()
                inner = [a.name for a in names if a.name in layers or is_kernels(a.name)]
                yield from ((f"{source}.{name}", node.lineno, eager) for name in inner)
                if len(inner) < len(names):
                    yield source, node.lineno, eager
            case ast.If(test=ast.Name("TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                for child in node.body:
                    yield from visit(child, False)
                for child in node.orelse:
                    yield from visit(child, eager)
            case _:
                inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                for child in ast.iter_child_nodes(node):
                    yield from visit(child, eager and not inside)

    yield from visit(tree, True)


def violations(module: str, text: str, *, is_package: bool = False) -> list[str]:
    """What is wrong with the imports of one module, a sentence each."""
    here = layer_of(module)
    if here not in HEIGHT:
        return [
            f"{module} is in no known layer: "
            f"add {here!r} to LAYERS in tests/test_layers.py, at the height where it belongs."
        ]
    found = []
    package = module if is_package else module.rpartition(".")[0]
    for target, line, eager in imports(ast.parse(text), package):
        place = f"{module}, line {line}:"
        root = target.split(".")[0]
        there = layer_of(target)
        if root == "linework" and there not in HEIGHT:
            found.append(f"{place} imports {target}, which is in no known layer.")
        elif root == "linework" and there != here and HEIGHT[there] >= HEIGHT[here]:
            side = "above" if HEIGHT[there] > HEIGHT[here] else "beside"
            found.append(f"{place} imports {target}, and {there!r} stands {side} {here!r}.")
        if root in {"dask", "distributed"} and here != "engine":
            found.append(f"{place} imports {target}; only the engine may know of Dask.")
        if root in HEAVY and eager and not (root == "numba" and is_kernels(module)):
            found.append(
                f"{place} imports {target} at once; import it in the function that needs it."
            )
        if root == "linework" and is_kernels(target) and eager and not is_kernels(module):
            found.append(f"{place} imports {target} at once, and Numba with it.")
    return found


def loaded_by(statement: str) -> set[str]:
    """Which of the heavy packages a fresh interpreter holds after one statement.

    scikit-learn itself loads pandas, and with it pyarrow, where it finds pandas, and rich. So the
    two are hidden here, as for a user who has none; `violations` sees our own imports of them.
    """
    code = f"""
import sys
sys.modules["pandas"] = sys.modules["rich"] = None
{statement}
print(*(name for name, module in sys.modules.items() if module))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return HEAVY & set(run.stdout.split())


def test_imports_point_downwards() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    assert files, f"there are no modules in {PACKAGE}"
    found = []
    for file in files:
        is_package = file.name == "__init__.py"
        path = file.parent if is_package else file.with_suffix("")
        module = ".".join(path.relative_to(PACKAGE.parent).parts)
        found += violations(module, file.read_text(encoding="utf-8"), is_package=is_package)
    assert not found, "\n" + "\n".join(found)


def test_import_is_light() -> None:
    assert loaded_by("from linework import *") == set()


def test_loaded_by_sees_what_is_loaded() -> None:
    assert "pyarrow" in loaded_by("import pyarrow")


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    [
        ("linework.stats", "import linework.solvers", "'solvers' stands above 'stats'"),
        ("linework.stats", "from linework.solvers.newton import x", "'solvers' stands above"),
        ("linework.stats", "from . import solvers", "'solvers' stands above 'stats'"),
        ("linework.stats", "from linework import Ridge", "'__init__' stands above 'stats'"),
        ("linework.data.blocks", "from ..engine import x", "'engine' stands above 'data'"),
        ("linework.stats", "def f():\n    import linework.cli", "'cli' stands above 'stats'"),
        ("linework.likelihood", "from .regression import x", "'regression' stands beside"),
        ("linework.stats", "import linework.utils", "linework.utils, which is in no known layer"),
        ("linework.utils", "", "add 'utils' to LAYERS"),
        ("linework.data.sources", "def f():\n    import dask.array", "only the engine"),
        ("linework.losses", "from numba import njit", "in the function that needs it"),
        ("linework.losses", "class A:\n    import numba", "in the function that needs it"),
        ("linework.data", "try:\n    import pandas\nexcept ImportError: ...", "that needs it"),
        ("linework.engine", "import dask", "in the function that needs it"),
        ("linework.solvers.newton", "from . import newton_kernels", "and Numba with it"),
        ("linework.solvers.newton", "from .newton_kernels import f", "and Numba with it"),
    ],
)
def test_violation_is_reported(module: str, text: str, complaint: str) -> None:
    [sentence] = violations(module, text)
    assert complaint in sentence


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("linework.solvers.newton", "from linework.stats import Moments\nimport scipy.linalg"),
        ("linework.solvers.newton", "from .cholesky import solve"),
        ("linework.solvers.newton", "def f():\n    from .newton_kernels import g"),
        ("linework.solvers.newton_kernels", "import numba\nfrom .other_kernels import g"),
        ("linework.solvers.newton", "if TYPE_CHECKING:\n    from numba.core import types"),
        ("linework.engine", "def f():\n    import dask"),
        ("linework.cli", "from . import regression, report"),
    ],
)
def test_downward_import_is_allowed(module: str, text: str) -> None:
    assert violations(module, text) == []


def test_relative_import_in_a_package_starts_at_the_package() -> None:
    assert violations("linework.solvers", "from .newton import x", is_package=True) == []
    assert violations("linework", "from .regression import Ridge", is_package=True) == []
