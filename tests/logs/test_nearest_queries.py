"""The logged queries nearest to a text: the compiled search equals comparing with every query."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from querykin.compute.arrays import make_indptr
from querykin.io.log_files import LogRecord
from querykin.logs.log import Log
from querykin.logs.log_graph import LogGraph
from querykin.logs.nearest_queries import StemPostings, nearest_queries
from querykin.logs.query_stems import stem_idf
from querykin.text.analyzer import DEFAULT
from reference.nearest_queries import nearest

STEMS = "abcdefg"
SETS = st.sets(st.sampled_from(STEMS), min_size=1, max_size=4)


@given(st.lists(SETS, min_size=1, max_size=12), st.lists(SETS, max_size=4), st.integers(1, 4), st.data())
def test_the_nearest_queries_are_those_of_brute_force(queries, texts, limit, data):
    own = [data.draw(st.integers(-1, len(queries) - 1)) for _ in texts]
    min_similarity = data.draw(st.sampled_from([0.0, 0.33, 0.71]))
    having = [[n for n, query in enumerate(queries) if stem in query] for stem in STEMS]
    idf = stem_idf(np.array([len(each) for each in having]), len(queries))
    norms = np.array([np.sqrt(sum(idf[STEMS.index(stem)] ** 2 for stem in query)) for query in queries])
    postings = StemPostings(
        np.arange(len(STEMS)), make_indptr(map(len, having)), np.array([*chain(*having)], np.int32), norms
    )
    stems = [[STEMS.index(stem) for stem in sorted(text)] for text in texts]
    flat = np.array([*chain(*stems)], np.int64)
    known = np.where(np.array([len(having[stem]) > 0 for stem in flat], np.bool_), flat, -1)
    indptr, ids, similarities = nearest_queries(
        make_indptr(map(len, stems)),
        known,
        idf[flat],
        np.array(own, np.int64),
        postings,
        limit,
        min_similarity,
    )
    for n, (text, itself) in enumerate(zip(texts, own, strict=True)):
        expected = nearest(text, queries, itself, limit, min_similarity)
        found = slice(indptr[n], indptr[n + 1])
        assert ids[found].tolist() == [number for number, _ in expected]
        assert similarities[found] == pytest.approx([similarity for _, similarity in expected])


@pytest.fixture
def graph(tmp_path):
    log = Log(tmp_path / "log")
    shared = [
        LogRecord(query, str(n)) for query in ("apple pie", "apple pie recipe", "nasa") for n in range(3)
    ]
    log.add([*shared, LogRecord("nasa", "4"), LogRecord("apple pie secret", "4"), LogRecord("😀", "4")])
    graph = LogGraph(tmp_path / "graph", "sessions")
    graph.update(log, DEFAULT, 3)
    return graph


def test_a_graph_has_nothing_of_queries_of_few_sessions(graph, tmp_path):
    assert sorted(graph.queries(np.arange(len(graph)))) == ["apple pie", "apple pie recipe", "nasa"]
    assert not any(b"secret" in path.read_bytes() for path in (tmp_path / "graph").rglob("*.npy"))


def test_a_text_is_a_mixture_of_logged_queries(graph):
    rows = graph.anchors(["nasa", "Pie, apples", "apple pie", "volcano", ""], DEFAULT, 3.0, 5, 0.5)
    named = [dict(zip(graph.queries(ids), weights, strict=True)) for ids, weights in map(rows.row, range(5))]
    assert named[0] == {"nasa": 1.0}
    assert named[1].keys() == {"apple pie", "apple pie recipe"}
    assert named[1]["apple pie"] > named[1]["apple pie recipe"]
    assert sum(named[1].values()) == pytest.approx(1)
    assert named[2] == pytest.approx({"apple pie": 0.5, "apple pie recipe": 0.5})
    assert named[3:] == [{}, {}]


def test_without_smoothing_a_logged_query_is_itself(graph):
    ids, weights = graph.anchors(["apple pie"], DEFAULT, 0.0, 5, 0.5).row(0)
    assert (graph.queries(ids), weights.tolist()) == (["apple pie"], [1.0])
