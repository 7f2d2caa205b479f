"""SECURITY.md names a test for every promise; and nothing that is read is run as code."""

import ast
import re
from pathlib import Path

import pytest

import querykin

ROOT = Path(__file__).parent.parent
SOURCES = Path(querykin.__file__).parent
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "SECURITY.md").read_text("utf-8"))
# Between processes that the program starts itself: a workspace as tasks carry it, never a file.
UNPICKLING = {"workspace_handle.py"}
RUNS_CODE = {"eval", "exec", "compile", "__import__"}


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[f"{path}::{name}" for path, name in NAMED])
def test_every_named_test_exists(path, name):
    assert (ROOT / path).is_file()
    if name:
        assert f"def {name}(" in (ROOT / path).read_text("utf-8")


def test_every_promise_has_a_test():
    table = (
        (ROOT / "SECURITY.md").read_text("utf-8").partition("| promise | held by |")[2].partition("\n\n")[0]
    )
    rows = table.strip().splitlines()[1:]
    assert len(rows) > 10
    assert all("`tests/" in row for row in rows)


def _calls(path):
    """The names of functions that a file calls, with their keyword arguments."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            arguments = {each.arg: ast.unparse(each.value) for each in node.keywords}
            yield ast.unparse(node.func), arguments


def test_nothing_that_is_read_is_run_as_code():
    for path in sorted(SOURCES.rglob("*.py")):
        for name, arguments in _calls(path):
            where = f"{path.relative_to(SOURCES)}: {name}"
            assert name not in RUNS_CODE, where
            assert arguments.get("shell", "False") == "False", where
            assert arguments.get("allow_pickle", "False") == "False", where
            if re.search(r"\b(pickle|joblib|marshal|shelve|dill|cloudpickle)\.(load|loads|open)$", name):
                assert path.name in UNPICKLING, where


def test_only_the_handle_of_tasks_imports_pickle():
    pattern = r"^\s*(?:import|from) (?:pickle|joblib|marshal|shelve|dill|cloudpickle)\b"
    found = {path.name for path in SOURCES.rglob("*.py") if re.search(pattern, path.read_text("utf-8"), re.M)}
    assert found == UNPICKLING
