"""Expansion: the titles and windows of the best results, and which texts are covered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.search import expansion, proposing_engine
from querykin.search.engine import SearchEngine
from querykin.search.expansion import Expander
from querykin.search.tantivy_engine import TantivyEngine
from reference.corpus import ReferenceCorpus
from topics import DOCUMENTS, QUERIES, WORDS

short_texts = st.lists(st.sampled_from([*WORDS, "zzyzx", "qwrtp"]), max_size=5).map(" ".join)


@pytest.fixture(scope="module")
def reference_corpus() -> ReferenceCorpus:
    return ReferenceCorpus(DOCUMENTS)


def words_of(expander: Expander, expansions, text: int) -> list[list[str]]:
    word = expander.corpus.vocabulary.word
    found = []
    for r in range(expansions.indptr[text], expansions.indptr[text + 1]):
        tokens = expansions.tokens[expansions.windows[r] : expansions.windows[r + 1]]
        found.append([word(int(token) >> 2) for token in tokens])
    return found


@pytest.mark.parametrize("width", [60, 300, 1000])
def test_titles_and_windows_equal_the_reference(workspace, reference_corpus, width):
    expander = Expander(workspace.corpus, TantivyEngine(workspace.corpus), window=width)
    expansions = expander.expand(QUERIES, 15)
    for number, text in enumerate(QUERIES):
        assert words_of(expander, expansions, number) == reference_corpus.expand(text, 15, width)


def test_windows_over_several_segments_equal_those_over_one(build, workspace):
    pieces = build(DOCUMENTS[:13], DOCUMENTS[13:40], DOCUMENTS[40:])
    split, whole = (w.expander.expand(QUERIES, 25) for w in (pieces, workspace))
    for number in range(len(QUERIES)):
        assert words_of(pieces.expander, split, number) == words_of(workspace.expander, whole, number)
    assert split.covered.tolist() == whole.covered.tolist()


@given(st.lists(short_texts, max_size=4).filter(len))
@settings(deadline=None, max_examples=60)
def test_a_text_is_covered_when_its_results_match_enough_of_its_idf_mass(workspace, reference_corpus, batch):
    for limit in (1, 30):
        _, _, covered = workspace.expander.search(batch, limit)
        assert covered.tolist() == [reference_corpus.covered(text, limit) for text in batch]


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("space exploration", True),
        ("exploring spaces", True),  # inflected forms of words of the corpus
        ("zzyzx", False),
        ("", False),
        ("!?", False),
        ("the zzyzx qwrtp", False),  # one common word of three is not enough
        ("Krakatoa zzyzx", True),  # a rare word is half of the text
    ],
)
def test_coverage_of(workspace, text, covered):
    assert workspace.expander.search([text])[2].tolist() == [covered]


def test_the_required_idf_coverage_can_be_set(workspace):
    texts = ["the zzyzx qwrtp", "Krakatoa zzyzx", "Krakatoa", "zzyzx"]

    def covered(idf_coverage):
        expander = Expander(workspace.corpus, TantivyEngine(workspace.corpus), idf_coverage=idf_coverage)
        return expander.search(texts)[2].tolist()

    assert covered(0.0) == [True, True, True, False]
    assert covered(0.999) == [False, False, True, False]


def test_a_batch_is_expanded_like_its_texts_one_by_one(workspace):
    batch = ["zzyzx", *QUERIES, ""]
    together = workspace.expander.expand(batch, 10)
    for number, text in enumerate(batch):
        alone = workspace.expander.expand([text], 10)
        assert words_of(workspace.expander, alone, 0) == words_of(workspace.expander, together, number)
        assert alone.covered[0] == together.covered[number]


def test_no_texts_have_no_expansions(workspace):
    assert workspace.expander.expand([], 5).indptr.tolist() == [0]


def test_a_smaller_limit_takes_the_best_results_only(workspace):
    few, many = (workspace.expander.expand(["java island"], limit) for limit in (3, 12))
    assert (len(few.results.documents), len(many.results.documents)) == (3, 12)
    assert words_of(workspace.expander, few, 0) == words_of(workspace.expander, many, 0)[:3]
    assert few.results.scores.tolist() == many.results.scores[:3].tolist()


def test_more_results_than_are_cached_are_searched_for(workspace, monkeypatch):
    expected = workspace.expander.search(["java island"], 12)[1].documents.tolist()
    monkeypatch.setattr(expansion, "MAX_RESULTS", 2)
    monkeypatch.setattr(proposing_engine, "FIRST_STAGE_DEPTH", 3)
    expander = Expander(workspace.corpus, workspace.expander.engine)
    deep, few = (expander.search(["java island"], limit)[1].documents.tolist() for limit in (12, 2))
    assert deep == expected
    assert few == expected[:2]


def test_a_measure_uses_at_most_a_thousand_results(workspace):
    workspace.expander.search(["java island"], 1000)
    with pytest.raises(ValueError, match="results must be at most 1000, got 1001"):
        workspace.expander.search(["java island"], 1001)


def test_begins_and_ends_locate_the_window_in_its_segment(workspace):
    expansions = workspace.expander.expand(QUERIES, 20)
    (segment,) = workspace.corpus.segments
    for r, ordinal in enumerate(expansions.results.ordinals):
        begin = segment.indptr[ordinal]
        title = segment.tokens[begin : begin + segment.title_lengths[ordinal]]
        window = segment.tokens[expansions.begins[r] : expansions.ends[r]]
        tokens = expansions.tokens[expansions.windows[r] : expansions.windows[r + 1]]
        assert np.concatenate([title, window]).tolist() == tokens.tolist()


class CountingEngine(SearchEngine):
    """Finds nothing, and counts its searches."""

    def __init__(self):
        self.searches = 0

    def search(self, query, limit):
        self.searches += 1
        return []


def test_the_results_of_a_text_are_cached(workspace):
    engine = CountingEngine()
    expander = Expander(workspace.corpus, engine)
    for limit in (5, 10):
        expander.expand(["a", "b"], limit)
    assert engine.searches == 2
    expander.clear_cache()
    expander.expand(["a"], 5)
    assert engine.searches == 3


def test_the_least_recently_used_results_leave_a_full_cache(workspace, monkeypatch):
    monkeypatch.setattr(expansion, "CACHE_SIZE", 2)
    engine = CountingEngine()
    expander = Expander(workspace.corpus, engine)
    for text in ("a", "b", "a", "c", "a", "b"):
        expander.search([text])
    assert engine.searches == 4  # a, b, c, and b again


def test_a_text_may_come_several_times_in_a_batch(workspace):
    expander = Expander(workspace.corpus, TantivyEngine(workspace.corpus))
    batch = [QUERIES[0], QUERIES[1], QUERIES[0], QUERIES[2]]
    _, results, _ = expander.search(batch, 5)
    for number, text in enumerate(batch):
        expected = workspace.expander.search([text], 5)[1]
        assert results.of(number).documents.tolist() == expected.documents.tolist()
