"""The table of kernels has all of them, with the types and the commands that call them."""

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import querykin
from querykin.compute.kernel_table import kernels, parse_type, type_entry

ROOT = Path(querykin.__file__).parent
# What each command compiles on a new machine. A kernel more is a second or so that every user waits.
COMPILED = {
    "corpus add": 15,
    "repository add": 2,
    "build": 40,
    "suggest": 26,
    "similarity": 32,
    "search": 7,
    "serve": 42,
    "demo": 49,
}


# Compiled when they are called: by publish, removals, merges of large indexes and tantivy's candidates only.
NOT_LISTED = {
    "corpus.vocabulary._forms",
    "index.posting_writer._copy_postings",
    "index.posting_writer._count",
    "index.posting_writer._sort_lists",
    "index.provenance.rearrange",
    "retrieval.row_terms._to_text",
    "spelling.edit_distance.edit_distance",
}


def _functions(decorator):
    """The functions with a decorator: their names in the table, and their definitions."""
    for path in ROOT.rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and decorator in {
                ast.unparse(d) for d in node.decorator_list
            }:
                yield f"{module}.{node.name}", node


def test_every_kernel_is_in_the_table_or_called_by_other_kernels():
    compiled = dict(_functions("njit"))
    definitions = [*compiled.values(), *dict(_functions("njit_inlined")).values()]
    nodes = (node for definition in definitions for node in ast.walk(definition))
    called = {node.id for node in nodes if isinstance(node, ast.Name)}
    listed = {each.name for each in kernels()}
    alone = {name for name in compiled if name.rpartition(".")[2] not in called}
    assert listed <= set(compiled)
    assert alone - listed == NOT_LISTED


def test_what_kernels_inline_is_not_called_from_python():
    """It has no cache: each process would compile it, and with it load all of numba's compiler."""
    inlined = dict(_functions("njit_inlined"))
    for path in ROOT.rglob("*.py"):
        module, tree = (
            ".".join(path.relative_to(ROOT).with_suffix("").parts),
            ast.parse(path.read_text("utf-8")),
        )
        known = {name.rpartition(".")[2] for name in inlined if name.startswith(f"{module}.")}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                source = (node.module or "").removeprefix("querykin.")
                known |= {each.name for each in node.names if f"{source}.{each.name}" in inlined}
        assert not known & set(_called_from_python(tree)), path


def _called_from_python(node):
    """The names of the functions that a module calls outside of its kernels."""
    if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(d) for d in node.decorator_list):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield node.func.id
    for child in ast.iter_child_nodes(node):
        yield from _called_from_python(child)


def test_types_are_written_and_read_back():
    for kernel in kernels():
        assert [type_entry(parse_type(entry)) for entry in kernel.types] == list(kernel.types)


def test_the_commands_compile_as_many_kernels_as_they_should():
    assert Counter(command for kernel in kernels() for command in kernel.commands) == COMPILED


def test_the_commands_call_what_the_table_says():
    """After a change of a kernel, write the table: the head of tests/kernel_calls.py has the command."""
    folders = [str(ROOT.parents[1] / "tests"), str(ROOT.parents[1])]
    done = subprocess.run(
        [sys.executable, "-m", "kernel_calls", "--check"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
