"""Latent word vectors: truncated SVD of the PPMI matrix of the corpus."""

import numpy as np
import pytest

from querykin import Document
from querykin.cooccurrence import latent

PEOPLE = ["anna", "bert", "carla", "david", "emma", "fritz"]
FRUIT = ["apples", "pears", "plums", "grapes", "figs"]


@pytest.fixture(scope="module")
def fruit(build):
    """Fruit is eaten, instruments are played; no two of them ever co-occur."""
    eaten = [f"{person} eats ripe {fruit} from the garden" for person in PEOPLE for fruit in FRUIT]
    played = [
        f"{person} plays the old {thing} in the orchestra"
        for person in PEOPLE
        for thing in ("violin", "cello", "flute")
    ]
    return build([Document(str(n), "", text) for n, text in enumerate(eaten + played)])


def test_words_that_never_co_occur_are_similar_if_their_contexts_are(fruit):
    near = fruit.similarity("apples", "pears", "latent")
    assert near > 0.9
    assert near > fruit.similarity("apples", "violin", "latent") + 0.5


def test_the_same_corpus_gives_the_same_vectors(fruit, build):
    again = fruit.reopen()
    again.latent.update(again.cooccurrence)
    assert np.array_equal(again.latent.vectors, fruit.latent.vectors)
    assert again.latent.version != fruit.latent.version


def test_the_factors_reconstruct_the_ppmi_matrix(fruit):
    """With all dimensions, U S^(1/2) has the Gram matrix of the symmetric square root: (M M')^(1/2)."""
    counts = fruit.cooccurrence
    words = np.flatnonzero(counts.marginals)
    matrix = latent._ppmi(counts, words).toarray().astype(float)
    factors = latent._truncated_svd(latent._ppmi(counts, words)).astype(float)
    values, vectors = np.linalg.eigh(matrix @ matrix.T)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    assert factors @ factors.T == pytest.approx(root, abs=0.05 * np.abs(root).max())


def test_the_matrix_is_ppmi_with_smoothed_context_frequencies(fruit):
    counts = fruit.cooccurrence
    words = np.flatnonzero(counts.marginals)
    matrix = latent._ppmi(counts, words).toarray()
    context = counts.marginals[words] ** 0.75
    for i in range(0, len(words), 3):
        features, found = counts.rows(words[i : i + 1], phrases=False).row(0)
        row = dict(zip(features.tolist(), found.tolist(), strict=True))
        for j, word in enumerate(words.tolist()):
            chance = counts.marginals[words[i]] * context[j] / context.sum()
            expected = max(0.0, np.log(row[word] / chance)) if word in row else 0.0
            assert matrix[i, j] == pytest.approx(expected, abs=1e-5)


def test_only_the_most_frequent_words_have_vectors(fruit, monkeypatch):
    monkeypatch.setattr(latent, "WORDS", 4)
    small = fruit.reopen()
    small.latent.update(small.cooccurrence)
    assert len(small.latent.words) == 4
    assert np.isnan(small.similarity("apples", "pears", "latent"))


def test_new_documents_are_used_after_an_update(build):
    workspace = build([Document("1", "", "red apples and green pears grow in the garden")])
    assert np.isnan(workspace.similarity("kiwi", "pears", "latent"))
    workspace.corpus.add([Document("2", "", "green kiwi and red apples grow in the garden")])
    workspace = workspace.reopen()
    assert np.isnan(workspace.similarity("kiwi", "pears", "latent"))  # until the vectors are updated
    workspace.update_derived("latent")
    assert workspace.similarity("kiwi", "pears", "latent") > 0


def test_a_corpus_without_co_occurrences_has_no_vectors(build):
    workspace = build([Document("1", "", "alone")])
    assert np.isnan(workspace.similarity("alone", "alone", "latent"))
