"""Web-relevance: results taken as one document, words weighed by the keyword extractor."""

from dataclasses import replace

import numpy as np
import pytest

from querykin import Document
from querykin.errors import WorkspaceError
from querykin.learning.keywords.extractor import Extractor
from querykin.model_files import Model
from querykin.text.stemming import stems
from querykin.text.stopwords import ENGLISH_STOP_WORDS
from querykin.weighting.term_features import TermFeatureReader
from reference.vectors import unit
from stocked import REPOSITORY, stock
from topics import DOCUMENTS

TEXTS = ["space exploration", "NASA", "java island", "mariners baseball game"]


def slow_row(workspace, measure, text):
    """Steps 1 to 4 of the paper, with one document at a time for the extractor."""
    expansions = workspace.expander.expand([text], measure.results)
    vocabulary = workspace.corpus.vocabulary
    stem = [int(vocabulary.stem[token >> 2]) for token in expansions.tokens]
    reader = TermFeatureReader(workspace.corpus, workspace.query_frequencies)
    extractor = Extractor.of(measure.model.content)
    probabilities = extractor.probabilities(reader, reader.of_results(expansions))
    ignored = set(stems(sorted(ENGLISH_STOP_WORDS)))
    row = dict(zip(sorted(set(stem)), probabilities.tolist(), strict=True))
    return unit({term: weight for term, weight in row.items() if vocabulary.word(term) not in ignored})


def test_scores_are_inner_products_of_extractor_scores(workspace):
    measure = replace(workspace.measure("web-relevance"), keep=1.0)
    rows = [slow_row(workspace, measure, text) for text in TEXTS]
    for a, one in zip(TEXTS, rows, strict=True):
        for b, other in zip(TEXTS, rows, strict=True):
            expected = sum(weight * other.get(term, 0) for term, weight in one.items())
            assert measure.score_pairs([a], [b])[0] == pytest.approx(expected)


def test_related_texts_without_a_word_in_common_score_higher(workspace):
    assert workspace.similarity("space exploration", "NASA", "web-relevance") > workspace.similarity(
        "space exploration", "apple pie", "web-relevance"
    )


def test_weights_are_not_negative_and_truncation_keeps_what_it_promises(workspace):
    measure = workspace.measure("web-relevance")
    whole, cut = replace(measure, keep=1.0).encode_candidates(TEXTS), measure.encode_candidates(TEXTS)
    assert (whole.weights >= 0).all()
    for number in range(len(TEXTS)):
        kept = np.isin(whole.row(number)[0], cut.row(number)[0])
        assert (whole.row(number)[1][kept] ** 2).sum() >= measure.keep - 1e-9
    assert measure.truncation_error == pytest.approx(1 - measure.keep)


def test_no_function_word_is_a_feature(workspace):
    found = workspace.explain("space exploration", "space travel", "web-relevance")
    assert not ENGLISH_STOP_WORDS & {part.term for part in found.contributions}


def test_it_has_no_opinion_on_uncovered_text(workspace):
    assert np.isnan(workspace.similarity("space exploration", "qwrtp", "web-relevance"))


def other_model():
    return Model("keywords", "keywords", {"weights": {"": {"bias": -2.0, "log tf": 1.0}}})


def test_an_index_of_another_extractor_is_built_anew(build):
    workspace = stock(build(DOCUMENTS), REPOSITORY, "web-relevance")
    assert not workspace.plan("web-relevance").needed
    before = workspace.match(["space exploration"], 5, "web-relevance")[0]
    workspace.models.write(other_model())
    changed = workspace.reopen()
    assert changed.plan("web-relevance").rebuild
    changed.build("web-relevance")
    after = changed.reopen().match(["space exploration"], 5, "web-relevance")[0]
    assert [each.score for each in after.suggestions] != [each.score for each in before.suggestions]


def test_new_queries_join_the_index_and_counts_stay_until_a_rebuild(build):
    workspace = stock(build(DOCUMENTS), REPOSITORY, "web-relevance")
    state = workspace.query_frequencies.state
    workspace.repository.add([("space rocket travel", 1)])
    later = workspace.reopen()
    work = later.plan("web-relevance")
    assert (work.rebuild, len(work.todo)) == (False, 1)
    later.build("web-relevance")
    assert later.reopen().query_frequencies.state == state
    later.build("web-relevance", rebuild=True)
    assert later.reopen().query_frequencies.state != state
    assert not later.reopen().plan("web-relevance").needed


def test_an_index_is_asked_with_the_statistics_it_was_built_with(build):
    workspace = stock(build(DOCUMENTS), REPOSITORY, "web-relevance")
    before = workspace.match(["apple pie"], 3, "web-relevance")[0]
    workspace.corpus.add([Document(f"more-{n}", "Zebra", "Zebras graze. " * 5) for n in range(40)])
    after = workspace.reopen().match(["apple pie"], 3, "web-relevance")[0]
    assert [each.query for each in after.suggestions] == [each.query for each in before.suggestions]
    assert [each.score for each in after.suggestions] == pytest.approx(
        [each.score for each in before.suggestions]
    )


def test_rows_of_another_extractor_refuse_to_be_compared(workspace):
    one = workspace.measure("web-relevance")
    other = replace(one, model=other_model())
    zero = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="different spaces"):
        one.encode_candidates(TEXTS[:1]).dot(other.encode_candidates(TEXTS[:1]), zero, zero)


def test_its_model_must_be_a_keyword_extractor(workspace):
    with pytest.raises(WorkspaceError, match="not a keyword extractor"):
        replace(workspace.measure("web-relevance"), model=Model("tweak", "keywords", {})).encode_candidates(
            TEXTS
        )
