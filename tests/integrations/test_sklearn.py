"""Estimators for scikit-learn: pipelines, support vector machines, clones, and errors."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.exceptions import NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from querykin import Document, InputError, UnknownName, WorkspaceError
from querykin.integrations.sklearn import QueryKernel, QueryVectorizer
from querykin.measures import measures

SPACE = ["space exploration", "NASA", "Apollo astronauts", "Hubble telescope", "Mars rover", "rocket engine"]
FOOD = ["apple pie", "tomato soup", "bread dough", "pancake", "roast chicken", "chocolate butter"]
TEXTS = SPACE + FOOD
TOPICS = ["space"] * len(SPACE) + ["food"] * len(FOOD)
UNKNOWN = ["zzyzxq", "qqxzzy", "", "😀"]
KERNELS = [name for name in measures if measures[name].kind.kernel]


def test_a_pipeline_classifies_topics(workspace):
    model = make_pipeline(QueryVectorizer(workspace), LogisticRegression(C=100)).fit(TEXTS, TOPICS)
    assert model.predict(["moon landing astronauts", "fried eggs"]).tolist() == ["space", "food"]


def test_cross_validation_is_well_above_chance(workspace):
    model = make_pipeline(QueryVectorizer(workspace.path), LogisticRegression(C=100))
    assert cross_val_score(model, TEXTS, TOPICS, cv=3).mean() > 0.8
    assert cross_val_score(SVC(kernel=QueryKernel(workspace), C=10), TEXTS, TOPICS, cv=3).mean() > 0.8


def test_a_support_vector_machine_takes_lists_of_texts(workspace):
    model = SVC(kernel=QueryKernel(workspace)).fit(TEXTS, TOPICS)
    assert model.predict(["space travel to orbit", "soup with garlic"]).tolist() == ["space", "food"]


def test_models_that_need_a_matrix_take_a_precomputed_kernel(workspace):
    kernel = QueryKernel(workspace)
    groups = SpectralClustering(2, affinity="precomputed", random_state=0).fit_predict(kernel(TEXTS))
    assert len(set(groups[: len(SPACE)])) == 1
    assert len(set(groups[len(SPACE) :])) == 1
    ridge = KernelRidge(kernel="precomputed").fit(kernel(TEXTS), [1.0] * len(SPACE) + [0.0] * len(FOOD))
    near, far = ridge.predict(kernel(["astronauts", "omelette"], TEXTS))
    assert near > far


@pytest.mark.parametrize("measure", KERNELS)
def test_the_gram_matrix_is_positive_semidefinite_even_with_uncovered_texts(measure, workspace):
    texts = [*TEXTS, *UNKNOWN, *UNKNOWN]
    gram = QueryKernel(workspace, measure)(texts)
    assert np.allclose(gram, gram.T)
    assert np.allclose(np.diag(gram), 1)
    assert np.linalg.eigvalsh(gram).min() > -1e-9


def test_the_kernel_equals_the_scores_of_the_measure(workspace):
    gram = QueryKernel(workspace)(SPACE, FOOD)
    scores = workspace.score([(a, b) for a in SPACE for b in FOOD], ["web-kernel"])["web-kernel"]
    assert np.allclose(gram, scores.reshape(len(SPACE), len(FOOD)))


def test_an_uncovered_text_is_similar_only_to_itself(workspace):
    assert QueryKernel(workspace)(["zzyzxq"], ["NASA", "qqxzzy", "zzyzxq"]).tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("measure", KERNELS)
def test_inner_products_of_rows_equal_the_scores_of_the_measure(measure, workspace):
    rows = QueryVectorizer(workspace, measure).fit_transform(TEXTS)
    scores = workspace.measure(measure).score_pairs(TEXTS, TEXTS[::-1])
    assert np.allclose(rows.multiply(rows[::-1]).sum(axis=1).A1, np.nan_to_num(scores))


def test_features_not_seen_in_fit_are_dropped(workspace):
    vectorizer = QueryVectorizer(workspace, "cosine").fit(["apple pie"])
    assert sorted(vectorizer.get_feature_names_out()) == ["apple", "pie"]
    assert vectorizer.transform(["apple tart", "tart"]).getnnz(axis=1).tolist() == [1, 0]


def test_feature_names_match_their_columns(workspace):
    for measure in ("cosine", "web-kernel", "set-overlap"):
        vectorizer = QueryVectorizer(workspace, measure).fit(TEXTS)
        names = vectorizer.get_feature_names_out()
        found = workspace.explain("NASA", "space exploration", measure).contributions
        row = vectorizer.transform(["NASA"])
        assert {part.term for part in found} <= set(names[row.indices])
        assert all(names)


def test_a_word_outside_the_vocabulary_has_a_column(workspace):
    names = QueryVectorizer(workspace).fit(["NASA zzyzxq"]).get_feature_names_out()
    assert {"nasa", "zzyzxq"} <= set(names)


def test_clones_and_pickles_open_the_same_folder(workspace):
    for given in (workspace, workspace.path, str(workspace.path)):
        kernel = QueryKernel(given, "tfidf")
        for copy in (clone(kernel), pickle.loads(pickle.dumps(kernel)), clone(SVC(kernel=kernel)).kernel):
            assert copy.measure == "tfidf"
            assert np.array_equal(copy(SPACE), kernel(SPACE))
        vectorizer = QueryVectorizer(given).fit(TEXTS)
        again = pickle.loads(pickle.dumps(vectorizer))
        assert (again.transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0
        assert not hasattr(clone(vectorizer), "features_")


def test_a_changed_corpus_requires_a_new_fit(build):
    workspace = build([Document("1", "NASA", "NASA leads space exploration.")])
    vectorizer = QueryVectorizer(workspace.path).fit(["space"])
    workspace.corpus.add([Document("2", "Pie", "An apple pie.")])
    with pytest.raises(WorkspaceError, match="fit again"):
        vectorizer.transform(["space"])


def test_a_measure_that_is_not_a_kernel_is_refused(workspace, monkeypatch):
    monkeypatch.setattr(measures["tfidf"].kind, "kernel", False)
    with pytest.raises(InputError, match=r"'tfidf' is not a kernel; choose one of .*web-kernel"):
        QueryKernel(workspace, "tfidf")(TEXTS)


def test_input_that_is_not_a_list_of_texts_is_refused(workspace):
    kernel = QueryKernel(workspace)
    with pytest.raises(InputError, match="got one text"):
        kernel("NASA")
    with pytest.raises(InputError, match="got float"):
        kernel(["NASA", float("nan")])
    with pytest.raises(UnknownName, match="web-kernel"):
        QueryKernel(workspace, "web-kernle")(TEXTS)
    with pytest.raises(NotFittedError):
        QueryVectorizer(workspace).transform(TEXTS)
