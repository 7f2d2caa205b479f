"""A core of a real Solr that others fill, searched as it is: its analysis, highlights and frequencies."""

import pytest

from cluster.servers.maven import MISSING
from cluster.servers.solr import Solr
from querykin import Workspace
from querykin.engine_setup import engine_sections, initialize
from querykin.errors import ServiceUnavailable
from querykin.testing import check_engine
from topics import DOCUMENTS

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)
FIELDS = "title=name,text=body,url=link"


@pytest.fixture(scope="module")
def solr(tmp_path_factory):
    pages = [
        {"id": each.id, "name": each.title, "body": each.text, "link": f"https://example.com/{each.id}"}
        for each in DOCUMENTS
    ]
    with Solr(tmp_path_factory.mktemp("solr")) as running:
        running.add(pages)
        yield running


@pytest.fixture
def opened(solr, tmp_path):
    def make(fields=FIELDS, **settings) -> Workspace:
        given = {"url": solr.url, "private_hosts": ["127.0.0.1"], **settings}
        sections = engine_sections("solr", given, fields, "en")
        return initialize(str(tmp_path / settings.get("frequencies", "workspace")), sections)

    return make


def test_the_core_conforms(opened):
    check_engine(opened().expander.engine, "astronauts orbit")


def test_its_analysis_finds_other_forms_and_its_highlights_are_passages(opened):
    hits = opened().search("exploring").hits
    assert "Space exploration" in [hit.title for hit in hits]
    assert all(hit.url.startswith("https://example.com/") for hit in hits)
    assert any("exploration" in passage for hit in hits for passage in hit.passages)
    assert all("<" not in passage for hit in hits for passage in hit.passages)


def test_characters_of_the_query_language_are_words(opened):
    engine = opened().expander.engine
    assert engine.search('"space" AND (travel) OR name:x -moon +orbit* ~2 {!lucene}', 5)


@pytest.mark.parametrize("frequencies", ["snippets", "engine"])
def test_texts_are_compared_without_documents(opened, frequencies):
    workspace = opened(frequencies=frequencies)
    scores = workspace.score([("space travel", "astronauts"), ("space travel", "apple pie")], ["web-kernel"])
    related, unrelated = scores["web-kernel"].tolist()
    assert related > 0.3 > unrelated


def test_the_frequencies_are_those_of_the_core(opened):
    workspace = opened(frequencies="engine")
    workspace.ask(["astronauts orbit", "space"], ["web-kernel"])
    corpus = workspace.corpus
    assert len(corpus) == len(DOCUMENTS)
    word = int(corpus.vocabulary.lookup(corpus.analyzer.tokenize(["astronauts"]))[0])
    having = sum("astronaut" in f"{each.title} {each.text}".lower() for each in DOCUMENTS)
    assert corpus.statistics.df[word] == having
    assert workspace.engine_info()["frequencies"] == f"engine ({len(DOCUMENTS)} documents)"


def test_a_field_that_does_not_exist_is_one_line(opened):
    workspace = opened("title=name,text=missing")
    with pytest.raises(ServiceUnavailable, match=r"answered 400: .*missing") as caught:
        workspace.search("space")
    assert "\n" not in str(caught.value)


def test_a_replay_needs_no_server(opened):
    workspace = opened(frequencies="engine")
    before = workspace.similarity("space travel", "astronauts", "web-kernel")
    offline = {"offline": True, "url": workspace.settings.engine.url}
    engine = workspace.settings.engine.model_copy(update=offline)
    settings = type(workspace.settings)(engine=engine, text=workspace.settings.text)
    again = Workspace.open(workspace.path, settings)
    assert again.similarity("space travel", "astronauts", "web-kernel") == before
