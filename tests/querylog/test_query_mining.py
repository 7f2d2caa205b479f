"""Query mining: titles and phrases of a corpus with their document frequencies."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pickled_tasks import PickledTasks
from querykin import Document, Workspace
from querykin.querylog import mining_tasks
from querykin.querylog.mined_queries import MinedQueries
from querykin.querylog.phrase_counting import MIN_DOCUMENTS
from querykin.querylog.query_mining import mine_in_tasks, mine_queries
from querykin.storage.store import Store
from querykin.text.tokenizer import words
from topics import DOCUMENTS

# Filler sentences, whose words differ from document to document.
NOUNS = ["river", "garden", "window", "letter", "bridge", "candle", "forest", "mirror", "ladder", "harbour"]


def document(number: int, title: str, *sentences: str) -> Document:
    filler = f"Some {NOUNS[number % 10]}{number} stays by a {NOUNS[number * 3 % 10]}{number + 40}."
    return Document(str(number), title, " ".join([filler, *(f"{sentence}." for sentence in sentences)]))


SENTENCES = {
    0: ["We saw Salt Lake City there", "It was Valentine's Day then"],
    1: ["They left Salt Lake City soon", "It is Valentine's Day again", "A voting system was chosen"],
    2: ["Salt Lake City is far", "This voting system fails"],
    3: ["Salt Lake City again", "In Apollo 11 they flew", "Old Salt Lake City hall"],
    4: ["Both saw Apollo 11 rise", "No voting system helps", "On Valentine's Day it rains"],
    5: ["It was Apollo 11 indeed", "Every voting system is odd"],
    6: ["One sees the Bank of England here"],
    7: ["Walls of the Bank of England stand"],
    8: ["Near the Bank of England they met"],
}
TITLES = {
    0: "Salt Lake City",
    1: "List of cities",
    2: "1984",
    3: "Apollo 11",
    4: "Voting",
    5: "Listing offers",
    6: "Of",
    7: "A title that is much too long for a query",
    8: "Bank of England",
}
MADE = [document(number, title, *SENTENCES[number]) for number, title in TITLES.items()]


@pytest.fixture(scope="module")
def made(build) -> Workspace:
    return build(MADE[:4], MADE[4:])


def document_frequency(documents: Iterable[Document], phrase: str) -> int:
    """The number of documents with these words side by side, in the title or in a sentence."""
    wanted = words(phrase)
    count = 0
    for document in documents:
        pieces = [words(piece) for piece in (document.title, *document.text.split("."))]
        runs = [piece[i : i + len(wanted)] for piece in pieces for i in range(len(piece))]
        count += wanted in runs
    return count


def test_titles_and_phrases_have_their_document_frequencies(made):
    found = dict(mine_queries(made.corpus, 100))
    for phrase in (
        "salt lake city",
        "apollo 11",
        "voting system",
        "bank of england",
        "valentine's day",
        "voting",
    ):
        assert found[phrase] == document_frequency(MADE, phrase)


def test_fragments_of_longer_phrases_are_excluded(made):
    found = dict(mine_queries(made.corpus, 100))
    assert not {"lake city", "salt lake", "bank of", "of england"} & set(found)


def test_phrases_do_not_end_in_a_possessive(made):
    assert not [query for query, _ in mine_queries(made.corpus, 100) if query.endswith("'s")]


def test_lists_numbers_and_sentences_are_not_queries(made):
    found = dict(mine_queries(made.corpus, 100))
    assert not {"list of cities", "1984", "of", words(TITLES[7])[0]} & set(found)
    assert not [query for query in found if query.startswith("a title")]
    assert found["listing offers"] == 1


def test_every_count_is_a_number_of_documents(workspace):
    """A title that is not a phrase (too rare, or like "no hitter") counts once, for its own document."""
    titles = {" ".join(words(document.title)) for document in DOCUMENTS}
    for query, count in mine_queries(workspace.corpus, 1000):
        frequency = document_frequency(DOCUMENTS, query)
        assert count == frequency or (count == 1 and query in titles), query
        assert count >= MIN_DOCUMENTS or query in titles


def test_queries_are_ordered_by_frequency_and_limited(workspace):
    everything = list(mine_queries(workspace.corpus, 1000))
    assert everything == sorted(everything, key=lambda found: (-found[1], found[0]))
    assert len(dict(everything)) == len(everything)
    for limit in (1, 7, 50):
        assert list(mine_queries(workspace.corpus, limit)) == everything[:limit]


def test_the_result_does_not_depend_on_how_documents_were_added(build):
    once = list(mine_queries(build(DOCUMENTS).corpus, 1000))
    apart = build(DOCUMENTS[:20], DOCUMENTS[20:45], DOCUMENTS[45:])
    assert list(mine_queries(apart.corpus, 1000)) == once
    assert list(mine_queries(build(DOCUMENTS).corpus, 1000)) == once


def test_deleted_documents_do_not_count(build):
    workspace = build(MADE)
    workspace.corpus.remove(["1", "3", "8"])
    remaining = [document for document in MADE if document.id not in ("1", "3", "8")]
    workspace = workspace.reopen()
    assert list(mine_queries(workspace.corpus, 100)) == list(mine_queries(build(remaining).corpus, 100))
    assert "bank of england" not in dict(mine_queries(workspace.corpus, 100))


def test_an_empty_corpus_has_no_queries(build):
    assert not list(mine_queries(build().corpus, 10))
    emptied = build(MADE)
    emptied.corpus.remove([document.id for document in MADE])
    assert not list(mine_queries(emptied.reopen().corpus, 10))


def test_mined_queries_make_a_repository(build):
    workspace = build(DOCUMENTS)
    change = workspace.repository.add(mine_queries(workspace.corpus, 60))
    assert (change.added, change.repeated, change.unchanged) == (60, 0, 0)
    assert workspace.suggest("space travel", 3).covered


def test_tasks_mine_the_same_queries(tmp_path, monkeypatch):
    monkeypatch.setattr(mining_tasks, "_MIN_RUN", 200)
    monkeypatch.setattr(mining_tasks, "MAX_PHRASES", 300)
    corpus = Workspace.open(tmp_path).corpus
    corpus.add([replace(each, id=f"{copy} {each.id}") for copy in range(4) for each in DOCUMENTS])
    corpus.add([Document("last", "Salt Lake City", "Salt Lake City is in Utah. Salt Lake City has a lake.")])
    corpus.remove([f"1 {DOCUMENTS[0].id}"])
    for limit in (10, 100_000):
        expected = list(mine_queries(corpus, limit))
        store = Store(tmp_path / "repository", "repository")
        assert list(mine_in_tasks(corpus, limit, store, PickledTasks())) == expected
    assert len(expected) > 10
    assert not list((tmp_path / "repository" / "parts").glob("*"))


def test_a_workspace_with_a_task_runner_mines_in_tasks(tmp_path):
    Workspace.open(tmp_path).corpus.add([Document("1", "Apple pie", "Baked in the oven.")])
    assert Workspace.open(tmp_path, runner=PickledTasks()).mine().added == 1


@given(st.lists(st.tuples(st.text("ab é中", min_size=1, max_size=12), st.integers(1, 4))), st.integers(1, 9))
def test_the_most_frequent_queries_are_those_of_a_dictionary(found, limit):
    mined, highest = MinedQueries(), dict[str, int]()
    for query, documents in found:
        mined.add(query, documents)
        highest[query] = max(highest.get(query, 0), documents)
    ranked = sorted(highest.items(), key=lambda item: (-item[1], item[0]))
    assert list(mined.most_frequent(limit)) == ranked[:limit]
