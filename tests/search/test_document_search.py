"""Search for documents: ranking and passages."""

import numpy as np
import pytest

from querykin import Document, WorkspaceError
from querykin.search.document_search import MAX_PASSAGES, PASSAGE, hits_json
from querykin.text.stemming import stem
from querykin.text.tokenizer import words

FILLER = "Nothing of interest stands in this sentence of the text. " * 20


def test_documents_are_those_of_the_engine_in_its_order(workspace):
    query = "space exploration by astronauts"
    expected = workspace.expander.engine.search(query, 10)
    found = workspace.search(query)
    assert found.covered
    assert [(hit.id, hit.title, hit.url, hit.score) for hit in found.hits] == [
        (hit.document_id, hit.title, hit.url, hit.score) for hit in expected
    ]


def test_fewer_documents_are_the_first_of_more(workspace):
    many = workspace.search("space orbit", 50)
    assert workspace.search("space orbit", 2).hits == many.hits[:2]
    assert 2 < len(many.hits) < 50


def test_the_query_is_normalized(workspace):
    found = workspace.search("  space \t orbit\n")
    assert found.query == "space orbit"
    assert found == workspace.search("space orbit")


@pytest.mark.parametrize("query", ["", "zzyzx qwxv", "😀", "!?", "\0"])
def test_a_query_that_is_not_covered_has_no_documents(workspace, query):
    found = workspace.search(query)
    assert (found.covered, found.hits) == (False, ())


def test_coverage_does_not_depend_on_k(workspace):
    query = "astronauts risotto bullpen"  # no document has more than one of these words
    assert workspace.search(query, 1).covered
    assert workspace.search(query, 10).covered


def test_an_empty_corpus_is_an_error(build):
    with pytest.raises(WorkspaceError, match="is empty; next: querykin corpus add FILE"):
        build().search("space")


def test_passages_together_hold_the_words_of_the_query(build):
    text = f"A risotto is stirred. {FILLER} Saffron colours it. {FILLER} Serve it with parmesan. {FILLER}"
    (hit,) = build([Document("1", "Rice", text)]).search("risottos saffron parmesan").hits
    assert len(hit.passages) == 3
    for word in ("risotto", "Saffron", "parmesan"):
        assert sum(word in passage for passage in hit.passages) == 1
    assert all(len(passage) <= PASSAGE + 40 for passage in hit.passages)


def test_a_passage_with_all_words_needs_no_other(build):
    text = f"Saffron. {FILLER} Risotto with saffron and parmesan. {FILLER} Parmesan. {FILLER}"
    (hit,) = build([Document("1", "Rice", text)]).search("risotto saffron parmesan").hits
    (passage,) = hit.passages
    assert "Risotto with saffron and parmesan." in passage


def test_common_words_alone_are_no_reason_for_a_passage(build):
    others = [Document(str(number), "Other", "whether it is so") for number in range(60)]
    text = f"A risotto is stirred. {FILLER} Ask whether it is ready. {FILLER}"
    found = build([Document("rice", "Rice", text), *others]).search("whether risotto")
    assert found.hits[0].id == "rice"
    assert len(found.hits[0].passages) == 1


def test_passages_do_not_overlap_and_are_few(build):
    names = ["saffron", "parmesan", "thyme", "barolo", "shallot"]
    text = " ".join(f"Then {name} is added. {FILLER}" for name in names)
    (hit,) = build([Document("1", "Rice", text)]).search(" ".join(names)).hits
    assert len(hit.passages) == MAX_PASSAGES
    held = [{name for name in names if name in passage} for passage in hit.passages]
    assert all(held)
    assert sum(map(len, held)) == len(set.union(*held))


def test_a_document_without_a_body_has_no_passage_and_a_title_match_shows_the_beginning(build):
    documents = [Document("1", "Saffron"), Document("2", "Saffron spice", f"It colours rice. {FILLER}")]
    hits = {hit.id: hit for hit in build(documents).search("saffron").hits}
    assert hits["1"].passages == ()
    assert hits["2"].passages[0].startswith("It colours rice.")


def test_terms_to_be_marked_are_not_stop_words(workspace):
    assert workspace.search("the orbit of the moon").terms == ["orbit", "moon"]
    assert workspace.search("of the").terms == ["of", "the"]


def test_every_passage_of_a_body_match_holds_a_word_of_the_query(workspace):
    for query in ("space probes", "a cake for valentines", "virtual machine memory"):
        for hit in workspace.search(query).hits:
            wanted = {stem(word) for word in words(query)}
            body = [{stem(word) for word in words(passage)} for passage in hit.passages]
            title = {stem(word) for word in words(hit.title)}
            assert all(found & wanted for found in body) or title & wanted


def test_json_has_the_fields_of_the_contract(workspace):
    entries = hits_json(workspace.search("space exploration", 3))
    assert [list(entry) for entry in entries] == [["id", "title", "url", "score", "passages"]] * 3
    assert np.all(np.diff([entry["score"] for entry in entries]) <= 0)
