"""Keyword extraction: the most probable words or phrases, spelled as in the document."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document
from querykin.errors import InputError, UnknownName
from querykin.learning.keywords.extraction import MAX_PHRASE_WORDS, extract, page_of
from querykin.model_files import Model
from querykin.text.normalization import to_nfc
from querykin.text.stemming import stems
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from querykin.text.tokenizer import starts_cluster, tokenize
from querykin.text.tokenizer import words as words_of
from strategies import texts
from topics import DOCUMENTS

NASA = Document(
    "n",
    "NASA",
    "NASA leads space exploration. Rockets of NASA explore space; one rocket exploded in 1969. "
    "The rockets were built by contractors. Space exploration is dear.",
)


def words(workspace, document, k=10, **options):
    return [keyword.word for keyword in next(extract(workspace, [document], k, **options)).keywords]


def test_keywords_have_their_most_frequent_spelling_in_the_document(workspace):
    found = words(workspace, NASA)
    assert found[0] == "NASA"
    assert {"space", "Rockets"} <= set(found)
    assert not {"rocket", "rockets", "nasa"} & set(found)


def test_scores_are_descending_probabilities(workspace):
    scores = [keyword.score for keyword in next(extract(workspace, [NASA])).keywords]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] <= scores[0] < 1


def test_stop_words_are_excluded_and_stems_are_distinct(workspace):
    found = words(workspace, NASA, k=100)
    assert not ENGLISH_STOP_WORDS & {word.lower() for word in found}
    roots = stems([word.lower() for word in found])
    assert len(set(roots)) == len(roots)


def test_a_smaller_k_gives_a_prefix(workspace):
    assert words(workspace, NASA, k=3) == words(workspace, NASA, k=100)[:3]


def test_phrases_are_contiguous_in_the_document(workspace):
    found = words(workspace, NASA, phrases=True)
    assert "space exploration" in [phrase.lower() for phrase in found]
    assert all(phrase in f"NASA {NASA.text}" for phrase in found)


def test_phrases_do_not_cross_punctuation_or_sentences(workspace):
    text = "Rockets, probes. Telescopes orbit; satellites\nastronauts"
    found = " | ".join(words(workspace, Document("1", "", text), phrases=True)).lower()
    for parted in ("rockets probes", "probes telescopes", "orbit satellites", "satellites astronauts"):
        assert parted not in found


def test_phrases_may_contain_hyphens_and_line_breaks_become_spaces(workspace):
    text = "The rover-drill is a rover-drill. The rover-drill breaks. All of it was of the and to be."
    assert words(workspace, Document("1", "", text), 1, phrases=True) == ["rover-drill"]


def test_results_are_in_the_order_of_documents_for_any_batch_size(workspace):
    many = [Document(str(n), "", DOCUMENTS[n % 61].text) for n in range(150)]
    found = list(extract(workspace, many, 3))
    assert [each.document.id for each in found] == [document.id for document in many]
    assert found[0].keywords == found[61].keywords == found[122].keywords
    alone = [next(extract(workspace, [document], 3)).keywords for document in many[:5]]
    assert [each.keywords for each in found[:5]] == alone


def test_extraction_works_in_an_empty_workspace(build):
    assert "NASA" in words(build(), NASA, 3)
    assert not build().path.joinpath("query-log").exists()


def test_a_title_repeated_as_the_first_line_counts_once():
    assert page_of(Document("1", "Java", "Java\nAn island.")).everything.split() == ["Java", "An", "island."]
    assert page_of(Document("1", "Java", "Java is an island.")).everything == "Java\nJava is an island."
    assert page_of(Document("1", "Java", "Java")).everything == "Java"


def test_the_metadata_of_a_page_is_read():
    page = page_of(Document("1", "", "x", "u", {"keywords": ["a", "b"], "links": "c", "description": 3}))
    assert (page.keywords, page.links, page.description, page.url) == ("a\nb", "c", "", "u")


def test_another_extractor_can_be_used_and_other_kinds_of_models_are_refused(build):
    workspace = build(DOCUMENTS)
    late = {"weights": {"": {"bias": -20.0, "log position": 10.0}}}
    workspace.models.write(Model("keywords", "late", late))
    workspace.models.write(Model("tweak", "other", {"features": ["bias"], "weights": [1.0], "results": 30}))
    assert words(workspace, NASA, 1, model="late") == ["dear"]
    with pytest.raises(InputError, match="'other' is a model of kind 'tweak', not of keywords"):
        extract(workspace, [NASA], model="other")
    with pytest.raises(UnknownName, match="unknown model 'latte'; did you mean 'late'"):
        extract(workspace, [NASA], model="latte")


@given(st.lists(texts(), max_size=3), st.booleans())
@settings(deadline=None, max_examples=150)
def test_keywords_of_any_text_are_substrings_of_it(workspace, batch, phrases):
    found = list(
        extract(workspace, [Document(str(n), "", text) for n, text in enumerate(batch)], 5, phrases=phrases)
    )
    assert len(found) == len(batch)
    for each, text in zip(found, batch, strict=True):
        plain = " ".join(to_nfc(text).split())
        for keyword in each.keywords:
            assert keyword.word in plain
            tokens = tokenize([keyword.word])
            if not starts_cluster(tokens.codepoints).any():  # a bigram has two clusters as tokens, too
                assert 1 <= len(tokens.begin) <= (MAX_PHRASE_WORDS if phrases else 1)
        assert len(each.keywords) <= 5
        if not set(words_of(text)) - ENGLISH_STOP_WORDS:
            assert not each.keywords
