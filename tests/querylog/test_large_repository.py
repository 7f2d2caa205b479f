"""No Python object for each query of a large repository: texts, keys and counts are arrays."""

import sys
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from querykin import Workspace
from querykin.querylog import repository

QUERIES = 100_000
ALLOWED = QUERIES // 2  # blocks of Python objects; batches of queries are strings for a while


@contextmanager
def few_objects(what):
    """Sample the number of allocated blocks while something is done; fail where it depends on the queries."""
    before, most, done = sys.getallocatedblocks(), 0, Event()

    def sample():
        nonlocal most
        while not done.wait(0.001):
            most = max(most, sys.getallocatedblocks() - before)

    thread = Thread(target=sample)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    assert most < ALLOWED, f"{what}: {most:,} objects for {QUERIES:,} queries"


def query(number):
    """All queries have a word in common, so that many score the same and the texts decide."""
    return f"shoes {number % 500} size{number // 500} {number}"


@pytest.fixture(scope="module", autouse=True)
def small_batches():
    """Queries are strings a few at a time, so that those of all batches would be many more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repository, "_BATCH", 2000)
        yield


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    opened = Workspace.open(tmp_path_factory.mktemp("large"))
    opened.repository.add(["compile", "everything"])
    opened.build("overlap")
    opened.suggest("compiled", 3, "overlap", filter="none")
    opened.repository.remove(["compile", "everything"])
    with few_objects("add"):
        opened.repository.add((query(n), 1 + n % 3) for n in range(QUERIES))
    opened.build("overlap")
    return opened.reopen()


def test_opening_and_looking_up_queries(workspace):
    with few_objects("open"):
        opened = workspace.reopen().repository
        assert opened.ids_of([query(7), query(8).upper(), "blue"])[2] == -1
        assert len(opened) == QUERIES
        assert opened.totals().asked == opened.counts.sum()


def test_adding_known_and_new_queries(workspace):
    opened = workspace.reopen().repository
    with few_objects("add again"):
        change = opened.add(
            ((query(n), 1) for n in range(QUERIES - 10, QUERIES + 10)), source="b", dry_run=True
        )
    assert (change.added, change.replaced) == (10, 10)


def test_reading_all_queries(workspace):
    with few_objects("read"):
        assert sum(len(text) > 0 for text in workspace.repository.all_queries()) == QUERIES


def test_listing_the_most_frequent_queries(workspace):
    with few_objects("list"):
        assert next(workspace.repository.by_count()).count == 3


def test_planning_a_build_and_searching(workspace):
    opened = workspace.reopen()
    with few_objects("plan"):
        assert not len(opened.plan("overlap").todo)
        assert not len(opened.index("overlap").missing(opened.repository))
    opened.suggest(query(78), 3, "overlap", filter="none")  # loads what only many ties need
    with few_objects("search"):
        found = opened.suggest(query(77), 3, "overlap", filter="none")
    assert found.suggestions[0].query == query(77)
