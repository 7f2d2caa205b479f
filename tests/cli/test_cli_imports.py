"""What short commands import: each package is a part of their processor time."""

import subprocess
import sys

import pytest

# Of packages and of our own parts: what only other commands need.
NOT_FOR_SUGGEST = (
    "fastapi",
    "http.client",
    "multiprocessing",
    "scipy.sparse",
    "sklearn",
    "statistics",
    "tantivy",
    "querykin.clustering",
    "querykin.cooccurrence.counts",
    "querykin.index.build",
    "querykin.io.documents",
    "querykin.logs.log",
    "querykin.model_schemas",
    "querykin.opensearch.connection",
    "querykin.querylog.query_mining",
    "querykin.retrieval.published_retriever",
    "querykin.server",
)
NOT_FOR_HELP = ("numpy", "numba", "pydantic", "rich", "querykin.workspace")


PROGRAM = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, sep="\\n", file=sys.stderr))
from querykin.cli import main
main()
"""


def _imported(querykin, *arguments):
    """The modules that are imported when the command ends."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, env=querykin.environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_nothing_that_computes_is_imported_for_version_and_help(querykin, option):
    assert not _imported(querykin, option) & set(NOT_FOR_HELP)


def test_a_command_does_not_import_the_others(querykin):
    modules = {name for name in _imported(querykin, "suggest", "--help") if name.startswith("querykin.cli.")}
    assert modules == {"querykin.cli.main", "querykin.cli.options", "querykin.cli.suggest"}


def test_a_suggestion_imports_what_it_needs(own):
    queries = own.write("queries.txt", "space rockets\nspace probes\napple pie\n")
    for command in (["repository", "add", queries], ["build", "--measures", "web-kernel"]):
        assert own(*command).code == 0
    modules = _imported(own, "suggest", "rockets in space", "--measure", "web-kernel")
    assert "querykin.workspace" in modules
    assert not modules & set(NOT_FOR_SUGGEST)
