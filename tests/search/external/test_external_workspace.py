"""A workspace on an engine elsewhere, from Python: what is asked, learned, and left alone."""

import pytest

from querykin import Workspace
from querykin.build_policy import BuildPolicy
from querykin.engine_setup import engine_sections, initialize
from querykin.errors import WorkspaceError
from querykin.integrity import corrupted_files, unknown_files
from search_server import search_server


@pytest.fixture
def server():
    with search_server() as running:
        yield running


@pytest.fixture
def workspace(server, tmp_path) -> Workspace:
    given = {"url": server.api, "private_hosts": ["localhost"]}
    return initialize(str(tmp_path / "workspace"), engine_sections("mediawiki", given, language="en"))


def test_texts_are_asked_together_and_once(workspace, server):
    workspace.ask(["nasa", "umpire", "apple pie", "nasa"])
    version = workspace.corpus.statistics.version
    workspace.similarity("nasa", "umpire", "web-kernel")
    workspace.similarity("umpire", "apple pie", "web-kernel")
    assert sorted(server.queries) == ["apple pie", "nasa", "umpire"]
    assert workspace.corpus.statistics.version == version


def test_measures_without_a_corpus_ask_nothing(workspace, server):
    assert workspace.similarity("red apple", "apple", "jaccard") == 0.5
    assert server.requests == []


def test_frequencies_do_not_depend_on_the_order_of_texts(server, tmp_path):
    counts = []
    for number, texts in enumerate((["nasa", "orbit", "pie"], ["pie", "nasa", "orbit"])):
        given = {"url": server.api, "private_hosts": ["localhost"]}
        opened = initialize(str(tmp_path / str(number)), engine_sections("mediawiki", given, language="en"))
        opened.ask(texts)
        statistics, vocabulary = opened.corpus.statistics, opened.corpus.vocabulary
        counts.append({vocabulary.word(word): int(df) for word, df in enumerate(statistics.df) if df})
    assert counts[0] == counts[1]


def test_an_engine_that_finds_nothing_is_named(workspace):
    with pytest.raises(WorkspaceError, match="is empty, since the search engine has found nothing yet"):
        workspace.similarity("qwxzy", "zzyzx", "web-kernel")


def test_words_of_a_new_query_count_and_statistics_stay(workspace):
    workspace.repository.add([("nasa", 3), ("apple pie", 1)])
    workspace.build("web-kernel")
    version = workspace.corpus.statistics.version
    found = workspace.suggest("baseball umpire", measure="web-kernel")
    assert found.covered
    assert workspace.corpus.statistics.version == version


def test_what_may_not_build_asks_but_learns_nothing(workspace, server):
    workspace.repository.add([("nasa", 3), ("apple pie", 1)])
    workspace.build("web-kernel")
    generation, asked = workspace.corpus.generation, len(server.requests)
    service = workspace.reopen(BuildPolicy.REFUSE)
    assert service.suggest("space rockets", measure="web-kernel").suggestions[0].query == "nasa"
    assert len(server.requests) == asked + 1
    assert workspace.reopen().corpus.generation == generation


def test_results_become_past_queries(workspace):
    workspace.ask(["space travel", "apple pie"])
    workspace.mine()
    assert "apple pie" in [each.query for each in workspace.repository.by_count()]


def test_the_files_are_known(workspace):
    workspace.ask(["nasa"])
    assert corrupted_files(workspace) == []
    assert unknown_files(workspace.path) == []
    (workspace.path / "settings.toml").write_text("[engine]\nkind = 7\n")
    assert any("kind must be a text, got 7" in line for line in corrupted_files(workspace))
