"""The weights of the parts of a hybrid measure: against plain numbers, and by their properties."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from querykin.measures.part_weights import DENSE, STATIC, TERMS, PartWeights
from reference import text_evidence as reference
from reference.corpus import ReferenceCorpus
from topics import DOCUMENTS, QUERIES, WORDS
from word_model import WordModel

RESULTS = 10
QUANTIZED = 5e-3  # rows may be stored in 8 bits
TITLES = [document.title for document in DOCUMENTS if document.title]
texts = st.lists(st.sampled_from([*WORDS, "zzyzx", "qwrtp", "zebra", "quite"]), max_size=5).map(" ".join)
values = st.sampled_from([0.0, 0.25, 1.0, 5.0])


@pytest.fixture(scope="module")
def plain() -> ReferenceCorpus:
    return ReferenceCorpus(DOCUMENTS)


@pytest.fixture(scope="module")
def weights(workspace) -> PartWeights:
    return PartWeights(
        workspace.expander,
        RESULTS,
        model=WordModel(),
        owner="hybrid",
        dense=5.0,
        terms=0.25,
        terms_alone=2.0,
    )


@given(texts | st.sampled_from([*TITLES, *QUERIES]), values, values, values)
@settings(max_examples=80)
def test_weights_are_those_of_the_formula(weights, plain, text, dense, terms, terms_alone):
    measure = replace(weights, dense=dense, terms=terms, terms_alone=terms_alone)
    covered = plain.covered(text, RESULTS)
    trust = reference.trust(
        covered,
        reference.matched(plain, text, RESULTS),
        reference.titled(plain, text),
        WordModel().whole_words([text])[0],
    )
    expected = reference.part_weights(covered, trust, dense, terms, terms_alone)
    assert measure.weights([text])[0] == pytest.approx(expected, abs=QUANTIZED)


@given(st.lists(texts | st.sampled_from(QUERIES), max_size=5))
@settings(max_examples=40)
def test_weights_are_shares(weights, asked):
    found = weights.weights(asked)
    assert found.shape == (len(asked), 3)
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(np.ones(len(asked)))
    for text, row in zip(asked, found, strict=True):
        assert np.array_equal(weights.weights([text])[0], row)


def test_the_web_kernel_has_no_weight_for_a_text_that_the_corpus_does_not_cover(weights):
    for text in ("xq-9000 zklmr", "", "😀", "qwrtp"):
        assert weights.weights([text])[0] == pytest.approx([5 / 6, 1 / 6, 0], abs=QUANTIZED)


def test_the_less_the_model_knows_the_more_the_web_kernel_counts(weights):
    known, unknown = (replace(weights, model=WordModel()), replace(weights, model=Ignorant()))
    for text in ("space exploration", "Merapi", "java island"):
        before, after = known.weights([text])[0], unknown.weights([text])[0]
        assert after[TERMS] > before[TERMS]
        assert after[DENSE] < before[DENSE]


class Ignorant(WordModel):
    """Spells out every word."""

    def whole_words(self, texts):
        return np.zeros(len(texts))


def test_a_title_is_left_to_the_corpus(weights):
    title, other = weights.weights(["Merapi", "volcano"])
    assert title[TERMS] > other[TERMS]
    assert title[DENSE] / title[STATIC] == pytest.approx(2.5, abs=0.1)  # half the trust of 5


def test_weights_belong_to_the_measure_and_the_model(weights):
    assert weights.name == weights.index_name == "hybrid"
    others = [replace(weights, model=WordModel("another")), replace(weights, terms=1.0)]
    assert len({each.index_settings for each in (weights, *others)}) == 3
    assert weights.space.endswith(weights.expander.corpus.statistics.version)
    assert weights.label(np.arange(3), []) == ["sentence embedding", "word vectors", "web kernel"]
