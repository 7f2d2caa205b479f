"""An index of a real OpenSearch that others fill, searched as it is: its analysis, its frequencies."""

from urllib.parse import urlsplit

import pytest

from cluster.servers.opensearch import OpenSearchCluster
from querykin import Workspace
from querykin.engine_setup import engine_sections, initialize
from querykin.errors import InputError
from querykin.opensearch.connection import Connection
from querykin.opensearch.settings import OpenSearchSettings
from querykin.testing import check_engine
from topics import DOCUMENTS

INDEX = "pages"
MAPPING = {
    "properties": {
        "name": {"type": "text", "analyzer": "english"},
        "body": {"type": "text", "analyzer": "english"},
        "link": {"type": "keyword"},
    }
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with OpenSearchCluster(tmp_path_factory.mktemp("opensearch"), nodes=1) as running:
        connection = Connection(OpenSearchSettings(hosts=tuple(running.urls), shards=2, replicas=0))
        connection.create_index(INDEX, {}, MAPPING)
        for each in DOCUMENTS:
            page = {"name": each.title, "body": each.text, "link": f"https://example.com/{each.id}"}
            connection.request("PUT", f"/{INDEX}/_doc/{each.id}", page)
        connection.refresh(INDEX)
        yield running


@pytest.fixture
def opened(cluster, tmp_path):
    def make(**settings) -> Workspace:
        host = urlsplit(cluster.urls[0]).hostname
        given = {"url": cluster.urls[0], "index": INDEX, "private_hosts": [host], **settings}
        sections = engine_sections("opensearch", given, "title=name,text=body,url=link", "en")
        return initialize(str(tmp_path / settings.get("frequencies", "workspace")), sections)

    return make


def test_the_index_conforms(opened):
    check_engine(opened().expander.engine, "astronauts orbit")


def test_its_analysis_finds_other_forms_and_its_highlights_are_passages(opened):
    hits = opened().search("exploring").hits
    assert "Space exploration" in [hit.title for hit in hits]
    assert all(hit.url.startswith("https://example.com/") for hit in hits)
    assert any("exploration" in passage for hit in hits for passage in hit.passages)


@pytest.mark.parametrize("frequencies", ["snippets", "engine"])
def test_texts_are_compared_without_documents(opened, frequencies):
    workspace = opened(frequencies=frequencies)
    scores = workspace.score([("space travel", "astronauts"), ("space travel", "apple pie")], ["web-kernel"])
    related, unrelated = scores["web-kernel"].tolist()
    assert related > 0.3 > unrelated


def test_the_frequencies_are_those_of_the_index(opened):
    workspace = opened(frequencies="engine")
    workspace.ask(["astronauts orbit", "space"], ["web-kernel"])
    corpus = workspace.corpus
    assert len(corpus) == len(DOCUMENTS)
    assert corpus.segments == []
    word = int(corpus.vocabulary.lookup(corpus.analyzer.tokenize(["astronauts"]))[0])
    having = sum("astronaut" in f"{each.title} {each.text}".lower() for each in DOCUMENTS)
    assert corpus.statistics.df[word] == having
    assert workspace.engine_info()["frequencies"] == f"engine ({len(DOCUMENTS)} documents)"
    with pytest.raises(InputError, match="a search engine has reported the document frequencies"):
        corpus.add(DOCUMENTS)


def test_a_replay_needs_no_cluster(opened):
    workspace = opened(frequencies="engine")
    before = workspace.similarity("space travel", "astronauts", "web-kernel")
    offline = workspace.settings.engine.model_copy(update={"offline": True})
    gone = OpenSearchSettings(hosts=workspace.settings.opensearch.hosts, retries=0)
    settings = type(workspace.settings)(engine=offline, text=workspace.settings.text, opensearch=gone)
    assert (
        Workspace.open(workspace.path, settings).similarity("space travel", "astronauts", "web-kernel")
        == before
    )
