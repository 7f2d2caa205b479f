"""A workspace with something of everything, and a backup of it."""

import shutil

import pytest

from querykin import Workspace
from querykin.backup import back_up
from querykin.clustering.hand_changes import HandChange
from querykin.clustering.keyword_lists import SourceFile
from querykin.model_files import Model
from querykin.querylog.counted_queries import CountedQueries
from querykin.server.judgement_store import JudgementStore
from saved import MEASURE
from topics import DOCUMENTS, QUERIES


@pytest.fixture(scope="session")
def stock(tmp_path_factory):
    """A workspace with something of everything."""
    workspace = Workspace.open(tmp_path_factory.mktemp("stock") / "workspace")
    workspace.corpus.add(DOCUMENTS[:30])
    workspace.repository.add([(query, 1) for query in QUERIES])
    workspace = workspace.reopen()
    workspace.build(MEASURE)
    workspace.models.write(Model("tweak", "mine", {"features": ["bias"], "weights": [0.5], "results": 30}))
    workspace.hand_changes.add(HandChange(QUERIES[0], QUERIES[1]))
    file = workspace.path.parent / "list.csv"
    file.write_text("query\ngarden hose\nrake\n")
    queries = CountedQueries.collect([("garden hose", 1), ("rake", 1)])
    listed = workspace.keyword_lists.add("list.csv", queries, SourceFile(file))
    workspace.beside(listed.folder).build(MEASURE)
    JudgementStore(workspace.path).record("garden hose", "rake", 2.0, "ann", "free")
    (workspace.path / "notes.txt").write_text("not ours")
    return workspace


@pytest.fixture
def own(stock, tmp_path):
    """A copy of the workspace to change."""
    shutil.copytree(stock.path, tmp_path / "own")
    return Workspace.open(tmp_path / "own")


@pytest.fixture(scope="session")
def saved(stock, tmp_path_factory):
    """A backup of the workspace."""
    target = tmp_path_factory.mktemp("backup") / "saved.tar.zst"
    back_up(stock, target)
    return target
