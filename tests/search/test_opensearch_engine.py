"""The searches that OpenSearch proposes documents by, and what is made of its answers."""

import json

import pytest

from querykin import Settings, Workspace
from querykin.errors import UnknownName, WorkspaceError
from querykin.opensearch.settings import OpenSearchSettings
from querykin.search.engine import EngineOutOfStep
from querykin.search.engine_settings import EngineSettings
from querykin.settings import Settings as SettingsFile
from replaying_node import replaying_node
from topics import DOCUMENTS


@pytest.fixture
def workspace(tmp_path):
    opened = Workspace.open(tmp_path / "workspace")
    opened.corpus.add(DOCUMENTS)
    return opened.reopen()


def _settings(node):
    return Settings(
        engine=EngineSettings(kind="opensearch"), opensearch=OpenSearchSettings(hosts=(node.url,), retries=0)
    )


def _replies(corpus, held, found=(), /, **metadata):
    owner = {"corpus": corpus.store_id, "format": 1, "generation": corpus.generation, **metadata}
    hits = [{"fields": {"number": [number]}} for number in found]

    def answer(body):
        return 200, {"responses": [{"hits": {"hits": hits}}] * (body.count(b"\n") // 2)}

    return {
        "GET /querykin-documents/_mapping": (200, {"querykin-documents": {"mappings": {"_meta": owner}}}),
        "GET /querykin-documents/_count": (200, {"count": held}),
        "POST /querykin-documents/_msearch": answer,
    }


def test_proposed_documents_are_ranked_here_and_unknown_ones_left_out(workspace):
    corpus = workspace.corpus
    with replaying_node(_replies(corpus, len(corpus), [3, 0, 1, 2, 999_999])) as node:
        remote = Workspace.open(workspace.path, _settings(node))
        title = corpus.segments[0].document(0).title
        hits = remote.expander.engine.search(title, 10)
        own = {hit.document_id: hit for hit in workspace.expander.engine.search(title, 100)}
        assert hits
        assert all(own[hit.document_id] == hit for hit in hits if hit.document_id in own)
        assert len(hits) <= 4
        sent = [json.loads(line) for line in node.requests[-1][3].splitlines()]
    assert sent[0] == {"allow_partial_search_results": False}
    assert sent[1]["size"] == 300
    fields = {field for clause in sent[1]["query"]["bool"]["should"] for field in clause["term"]}
    assert fields == {"body", "title"}


@pytest.mark.parametrize(("held", "metadata"), [(-1, {}), (0, {"generation": 0})])
def test_an_index_out_of_step_is_an_error_with_the_command(workspace, held, metadata):
    replies = _replies(workspace.corpus, len(workspace.corpus) + held, **metadata)
    with (
        replaying_node(replies) as node,
        pytest.raises(EngineOutOfStep, match=r"the corpus \d+ documents.*next: querykin corpus send"),
    ):
        Workspace.open(workspace.path, _settings(node)).search("nasa")


def test_the_index_of_another_corpus_is_an_error(workspace):
    with (
        replaying_node(_replies(workspace.corpus, 5, corpus="another")) as node,
        pytest.raises(WorkspaceError, match="documents of another corpus; next: set index of"),
    ):
        Workspace.open(workspace.path, _settings(node)).search("nasa")


def test_additions_are_kept_when_they_cannot_be_sent(tmp_path):
    with replaying_node({"GET /": (503, {"error": "no cluster manager"})}) as node:
        opened = Workspace.open(tmp_path / "workspace", _settings(node))
        with pytest.raises(Exception, match=r"no cluster manager.*querykin corpus send"):
            opened.corpus.add(DOCUMENTS)
    assert len(Workspace.open(tmp_path / "workspace").corpus) == len(DOCUMENTS)


def test_settings_are_read_from_a_file(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text(
        '[engine]\nkind = "opensearch"\nmode = "proposer"\n[candidates]\nkind = "opensearch"\n'
        '[opensearch]\nhosts = ["https://a:9200", "https://b:9200"]\nuser = "me"\nshards = 3\n'
    )
    settings = SettingsFile.read(path)
    assert settings.engine.kind == settings.candidates.kind == "opensearch"
    assert settings.opensearch.hosts == ("https://a:9200", "https://b:9200")
    path.write_text('[opensearch]\npassword = "hunter2"\n')
    with pytest.raises(UnknownName, match="password"):
        SettingsFile.read(path)
    path.write_text('[engine]\nmode = "foreign"\n')
    with pytest.raises(Exception, match="mode must be one of proposer, external, got 'foreign'"):
        SettingsFile.read(path)
