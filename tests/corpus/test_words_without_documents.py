"""The vocabulary grows with words of texts that are no documents; frequencies may be those of an engine."""

import numpy as np
import pytest

from querykin import Document, InputError, Workspace
from querykin.engine_elsewhere import open_corpus

TEXTS = ["Umpires call strikes", "The pitcher throws strikes"]


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    workspace = Workspace.open(tmp_path)
    workspace.corpus.add([Document("1", "NASA", "NASA leads space exploration with rockets.")])
    return workspace


def number(corpus, word: str) -> int:
    return int(corpus.vocabulary.lookup(corpus.analyzer.tokenize([word]))[0])


def test_words_are_stored_and_the_statistics_stay(workspace):
    before, known = workspace.corpus.statistics, number(workspace.corpus, "space")
    assert workspace.corpus.add_words(TEXTS) > 0
    corpus = open_corpus(workspace.path)
    assert number(corpus, "umpires") >= 0
    assert number(corpus, "space") == known
    assert (corpus.statistics.version, len(corpus)) == (before.version, 1)
    assert corpus.statistics.df[number(corpus, "umpires")] == 0
    assert len(corpus.statistics.df) == len(corpus.statistics.label) == corpus.vocabulary.count


def test_known_words_change_nothing(workspace):
    workspace.corpus.add_words(TEXTS)
    generation = workspace.corpus.generation
    assert workspace.corpus.add_words(iter(TEXTS)) == 0
    assert workspace.corpus.add_words([]) == 0
    assert workspace.corpus.generation == generation


def test_documents_that_come_later_count_the_words(workspace):
    workspace.corpus.add_words(TEXTS)
    workspace.corpus.add([Document("2", "Umpire", "Umpires call strikes.")])
    corpus = open_corpus(workspace.path)
    assert corpus.statistics.df[number(corpus, "umpires")] == 1
    assert workspace.reopen().search("umpires").hits[0].id == "2"


def test_an_empty_corpus_recognizes_the_language_of_words(tmp_path):
    corpus = open_corpus(tmp_path)
    corpus.add_words(["Der Schiedsrichter pfeift das Spiel im Stadion an, und die Zuschauer jubeln laut."])
    assert open_corpus(tmp_path).analyzer.codes == corpus.analyzer.codes == ("de",)


def test_frequencies_that_are_told_are_those_of_stems_too(tmp_path):
    corpus = open_corpus(tmp_path, "en")
    corpus.add_words(["rocket rockets moon"])
    df = np.ones(corpus.vocabulary.count, np.int64)
    df[number(corpus, "rocket")], df[number(corpus, "rockets")] = 30, 50
    corpus.set_frequencies(1000, df)
    found = open_corpus(tmp_path).statistics
    assert (found.documents, found.df[number(corpus, "rockets")]) == (1000, 50)
    assert found.stem_df[number(corpus, "rocket")] == 50
    assert found.idf[number(corpus, "moon")] == np.log(1000)


def test_told_frequencies_and_documents_do_not_mix(workspace, tmp_path):
    with pytest.raises(InputError, match="has documents, whose frequencies are known"):
        workspace.corpus.set_frequencies(10, np.ones(workspace.corpus.vocabulary.count, np.int64))
    reported = open_corpus(tmp_path / "reported", "en")
    reported.add_words(["moon"])
    reported.set_frequencies(10, np.ones(1, np.int64))
    with pytest.raises(InputError, match="a search engine has reported the document frequencies"):
        reported.add([Document("1", "Moon", "The moon.")])
    assert len(open_corpus(tmp_path / "reported")) == 10
