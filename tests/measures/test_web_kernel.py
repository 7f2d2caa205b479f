"""The web kernel equals the formula of the paper, separates topics, and has no score for uncovered texts."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin import Document
from querykin.measures import measures
from querykin.vectors import QUANTIZATION_LEVELS
from reference.corpus import ReferenceCorpus
from reference.vectors import dot
from topics import DOCUMENTS, QUERIES, WORDS

TEXTS = (*QUERIES, "zzyzx", "", "rocket zzyzx", "volcanoes of Java", "ball ball ball")
REFERENCE = ReferenceCorpus(DOCUMENTS)
ADAPTED = {"results": 20, "power": 2.0, "terms": 15, "own": 0.4, "missing": 0.7, "damping": 0.75}
paper_vector = cache(REFERENCE.web_kernel_vector)
pseudo_document_vector = cache(REFERENCE.pseudo_document_vector)


@cache
def adapted_vector(text: str):
    return REFERENCE.adapted_vector(text, **ADAPTED)


def rows(vectors):
    return [dict(zip(*(v.tolist() for v in vectors.row(i)), strict=True)) for i in range(len(vectors))]


@pytest.mark.parametrize(
    ("name", "parameters", "expected_vector"),
    [
        ("web-kernel-paper", {}, paper_vector),
        ("tfidf", {}, pseudo_document_vector),
        ("web-kernel", {**ADAPTED, "keep": 1.0, "row_terms": 0}, adapted_vector),
    ],
)
def test_vectors_and_scores_equal_the_reference(workspace, name, parameters, expected_vector):
    kernel = measures[name].kind(workspace.expander, **parameters)
    rounded = 1 / QUANTIZATION_LEVELS if name == "web-kernel" else 1e-12
    for row, text in zip(rows(kernel.encode_candidates(TEXTS)), TEXTS, strict=True):
        expected = {
            feature: weight for feature, weight in expected_vector(text).items() if weight > rounded / 2
        }
        assert row == pytest.approx(expected, rel=1e-6, abs=rounded)
    queries, candidates = zip(*product(TEXTS, TEXTS), strict=True)
    expected = [dot(expected_vector(a), expected_vector(b)) for a, b in product(TEXTS, TEXTS)]
    assert kernel.score_pairs(queries, candidates) == pytest.approx(expected, abs=2 * rounded, nan_ok=True)


def test_rows_can_be_truncated_to_the_terms_of_largest_weight(workspace):
    full, cut = (
        measures["web-kernel"].kind(workspace.expander, row_terms=n).encode_candidates(TEXTS) for n in (0, 5)
    )
    for row, short in zip(rows(full), rows(cut), strict=True):
        largest = sorted(row.values(), reverse=True)[:5]
        scale = sum(weight**2 for weight in largest) ** 0.5 or 1
        assert sorted(short.values(), reverse=True) == pytest.approx(
            [weight / scale for weight in largest], abs=2 / QUANTIZATION_LEVELS
        )


@given(st.lists(st.sampled_from([*WORDS, "zzyzx"]), min_size=1, max_size=4).map(" ".join))
@settings(deadline=None, max_examples=25)
def test_the_vector_of_any_text_equals_the_reference(workspace, text):
    kernel = measures["web-kernel-paper"].kind(workspace.expander)
    assert rows(kernel.encode_candidates([text])) == [pytest.approx(paper_vector(text))]


@pytest.mark.parametrize(
    ("name", "text", "near", "far"),
    [
        ("web-kernel-paper", "space exploration", "NASA", "apple pie"),
        ("web-kernel-paper", "Ichiro Suzuki", "Seattle Mariners", "Krakatoa"),
        ("web-kernel", "space exploration", "NASA", "apple pie"),
        ("web-kernel", "java island", "Indonesia", "java programming"),
        ("web-kernel", "java programming", "applet development", "Indonesia"),
    ],
)
def test_related_texts_score_higher_without_common_words(workspace, name, text, near, far):
    assert workspace.similarity(text, near, name) > workspace.similarity(text, far, name)


@pytest.mark.parametrize("name", ["web-kernel", "web-kernel-paper", "tfidf", "set-overlap", "result-cosine"])
def test_an_uncovered_text_has_no_score_even_with_itself(workspace, name):
    scores = workspace.measure(name).score_pairs(
        ["zzyzx", "NASA", "zzyzx", "", "the zzyzx qwrtp"], ["NASA", "zzyzx", "zzyzx", "", "the"]
    )
    assert np.isnan(scores).all()
    explanation = workspace.explain("zzyzx", "NASA", name)
    assert np.isnan(explanation.score)
    assert explanation.contributions == ()


def test_truncation_changes_scores_by_no_more_than_its_bound(workspace):
    whole, cut = (measures["web-kernel"].kind(workspace.expander, keep=keep) for keep in (1.0, 0.9))
    a, b = zip(*product(QUERIES, QUERIES), strict=True)
    lengths = [np.diff(measure.encode_candidates(QUERIES).indptr) for measure in (cut, whole)]
    assert (lengths[0] < lengths[1]).any()
    assert cut.score_pairs(a, b) == pytest.approx(whole.score_pairs(a, b), abs=2 * np.sqrt(0.1))


def test_with_weight_0_the_words_of_the_query_are_not_added(workspace):
    alone = measures["web-kernel"].kind(workspace.expander, own=0.0, missing=0.0)
    vocabulary = workspace.corpus.vocabulary
    features, weights = alone.encode_candidates(["rocket zzyzx"]).row(0)
    assert (features >= 0).all()
    assert "rocket" in [vocabulary.word(int(feature)) for feature in features[weights > 0]]


def test_rows_of_another_statistics_version_are_refused(build):
    workspace = build(DOCUMENTS[:10])
    before = workspace.measure("web-kernel").encode_candidates(["mariners"])
    workspace.corpus.add([Document("one more", "more")])
    after = workspace.reopen().measure("web-kernel").encode_candidates(["mariners"])
    with pytest.raises(ValueError, match="different spaces"):
        before.gram(after)


def test_rows_of_other_parameters_are_refused(workspace):
    a, b = (
        measures["web-kernel"].kind(workspace.expander, results=n).encode_candidates(["NASA"])
        for n in (10, 20)
    )
    with pytest.raises(ValueError, match="different spaces"):
        a.gram(b)


def test_a_batch_is_encoded_like_its_texts_one_by_one(workspace):
    kernel = workspace.measure("web-kernel")
    texts = [f"{a} {b}" for a in QUERIES for b in QUERIES]
    assert len(texts) > 100
    together = rows(kernel.encode_candidates(texts))
    assert together == [rows(kernel.encode_candidates([text]))[0] for text in texts]


def test_the_default_kernel_works_on_a_corpus_of_one_document(build):
    workspace = build([Document("1", "NASA", "NASA explores space with rockets.")])
    assert workspace.similarity("NASA", "rockets", "web-kernel") > 0.5
