"""The order of the modules: each imports only from those above it, at the top and inside functions."""

import ast
import re
from pathlib import Path

import pytest

import querykin

ROOT = Path(querykin.__file__).parent
ORDER = (
    "defaults",
    "installation",
    "errors",
    "version",
    "counted_nouns",
    "lazy_imports",
    "types",
    "registry",
    "progress",
    "build_policy",
    "validation",
    "untrusted_json",
    "secret_values",
    "compute",
    "distributed",
    "text",
    "storage",
    "vectors",
    "opensearch",
    "io",
    "corpus",
    "search",
    "cooccurrence",
    "querylog",
    "logs",
    "spelling",
    "weighting",
    "embeddings",
    "model_schemas",
    "model_files",
    "judgements",
    "measures",
    "evaluation",
    "learning",
    "index",
    "retrieval",
    "clustering",
    "settings_sections",
    "settings",
    "engine_elsewhere",
    "corpus_resources",
    "log_resources",
    "derived_data",
    "measure_catalog",
    "workspace_handle",
    "workspace_resources",
    "workspace_log",
    "workspace_indexes",
    "workspace_clusters",
    "workspace",
    "engine_setup",
    "matching",
    "integrity",
    "backup",
    "experiments",
    "demo",
    "integrations",
    "testing",
    "server",
    "cli",
    "__init__",
)
PRESENT = sorted(
    path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
)


def _imports(path):
    """The top-level modules of the package that a file imports, with the lines where it does."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}, line {node.lineno}: a relative import"
            # `from querykin import X` may take a module or a name of __init__.
            whole = node.module == "querykin"
            names = [f"querykin.{alias.name}" for alias in node.names] if whole else [node.module or ""]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "querykin":
                module = rest.partition(".")[0]
                yield node.lineno, module if module in PRESENT else "__init__"


def test_every_module_has_its_place_in_the_order():
    assert set(PRESENT) <= set(ORDER)


def test_the_architecture_page_shows_the_same_order():
    page = (Path(__file__).parent.parent / "ARCHITECTURE.md").read_text("utf-8")
    table = page.partition("## Packages")[2].partition("## ")[0]
    shown = [
        name for cell in re.findall(r"^\| (`.*?) \|", table, re.M) for name in re.findall(r"`(\w+)/?`", cell)
    ]
    assert shown == [name for name in ORDER if name != "__init__"]


@pytest.mark.parametrize("module", PRESENT)
def test_a_module_imports_only_from_those_above_it(module):
    folder = ROOT / module
    above = {*ORDER[: ORDER.index(module)], module}
    for path in sorted(folder.rglob("*.py")) if folder.is_dir() else [ROOT / f"{module}.py"]:
        wrong = [f"{path.name}, line {line}: {name}" for line, name in _imports(path) if name not in above]
        assert not wrong, f"{module} comes before what it imports: {wrong}"


def test_all_lists_the_exports_of_the_package():
    for name in querykin.__all__:
        assert getattr(querykin, name) is not None
    with pytest.raises(AttributeError, match="no attribute"):
        querykin.nothing  # noqa: B018
