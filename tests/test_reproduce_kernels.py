"""The latent kernel and the pool of reproduce/ on small examples."""

import json

import numpy as np
import pytest

from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn
from querykin.vectors import Vectors
from topics import DOCUMENTS

TEXTS = ["space probe", "orbit of the moon", "apple pie", "home run", "zzyzx"]


@pytest.fixture
def rows(workspace):
    """Rows of the web kernel for 60 titles."""
    return workspace.measure("web-kernel").encode_candidates([document.title for document in DOCUMENTS])


def test_directions_are_the_eigenvectors_of_the_gram_matrix(module, rows):
    found = module("latent_kernel").Directions.of(rows, 8)
    values = np.linalg.eigvalsh(rows.gram(rows))[::-1]
    assert found.explained == pytest.approx(np.cumsum(values)[:8] / values.sum(), abs=1e-3)
    assert found.loadings.T @ found.loadings == pytest.approx(np.eye(8), abs=1e-4)


def test_at_full_rank_the_latent_kernel_equals_the_kernel(module, rows):
    script, count = module("latent_kernel"), len(rows)
    places = script.Directions.of(rows, count).project(rows)
    left, right = (side.ravel() for side in np.indices((count, count)))
    assert script.cosines(places, left, right) == pytest.approx(rows.gram(rows).ravel(), abs=1e-3)


def test_rows_without_a_feature_of_the_sample_are_projected_to_zero(module, rows):
    script = module("latent_kernel")
    stranger = Vectors(np.array([0, 1, 1]), np.array([rows.features.max() + 1]), np.ones(1), rows.space)
    places = script.Directions.of(rows, 4).project(stranger)
    assert not places.any()
    assert script.cosines(places, np.array([0]), np.array([1])).tolist() == [0]


def test_samples_are_distinct_and_exclude_judged_texts(module, monkeypatch):
    script = module("latent_kernel")
    queries = [(f"query {number}", 1, 1) for number in range(40)]
    monkeypatch.setattr(script, "read_queries", lambda path, problem: queries)
    monkeypatch.setattr(script, "QUERIES", 10)
    texts = TextColumn(["Query, 3", "QUERY 7"])
    judged = module("judged_sets").JudgedSet("small", JudgedPairs(texts, texts, np.ones(2), texts), 1)
    found = [query for sample in script.samples([judged]) for query in sample]
    assert len(found) == len(set(found)) == 30
    assert not {"query 3", "query 7"} & set(found)


def test_the_relevant_candidates_of_a_variation_are_the_others_of_its_need(module, monkeypatch, workspace):
    script = module("pool")
    needs = {"1": ["space probe", "probe in space"], "2": ['"apple" pie', "pie with apples", "apple pies"]}
    pairs = [(a, b, need) for need, texts in needs.items() for a in texts for b in texts if a != b]
    columns = [TextColumn(column) for column in zip(*pairs, strict=True)]
    judged = JudgedPairs(columns[0], columns[1], np.ones(len(pairs)), columns[2])
    assert json.loads(list(script._lines(judged))[2])["query"] == '"apple" pie'
    monkeypatch.setattr(script, "variations", lambda: judged)
    monkeypatch.setattr(
        script, "read_queries", lambda path, problem: [(text, 1, 1) for text in [*TEXTS, "apple pies"]]
    )
    monkeypatch.setattr(script, "MEASURES", ("jaccard-stems", "idf-cosine"))
    found = script.report(workspace)
    assert "5 variations of 2 needs search a pool of 9 queries: themselves and 6 web" in found
    assert "2 of which are variations too" in found
    assert found.count("| idf-cosine |") == 2
    assert found.count("| jaccard-stems |") == 1
