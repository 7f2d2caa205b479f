"""Benchmarks: peers return the same scores, runs are compared, synthetic data is reproducible."""

import json
import sys
from itertools import islice

import numpy as np
import pytest
from bench import compare, workload
from bench.sparse_peers import Querykin, ScipyColumns, ScipyProduct, ScipyRows, TermAtATime
from bench.timing import take_turns
from scipy.sparse import random_array


@pytest.mark.parametrize("kind", [TermAtATime, ScipyColumns, ScipyProduct, ScipyRows])
def test_peers_return_the_same_scores(kind, tmp_path):
    rows = random_array((200, 50), density=0.1, format="csr", rng=np.random.default_rng(6))
    ours, peer = Querykin(rows, tmp_path / "ours"), kind(rows, tmp_path / "theirs")
    for row in range(20):
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        query = rows.indices[part].astype(np.int64), rows.data[part]
        assert ours.top(query, 5) == pytest.approx(peer.top(query, 5), rel=1e-5)


def results(folder, **figures):
    folder.mkdir()
    kept = {"figures": figures, "machine": {"processor": "p"}}
    (folder / "top_k.json").write_text(json.dumps(kept))
    return str(folder)


@pytest.mark.parametrize(("after", "code"), [(1.05, 0), (0.5, 0), (1.2, 1)])
def test_a_larger_time_is_reported(after, code, tmp_path, monkeypatch, capsys):
    folders = results(tmp_path / "a", p50=1.0), results(tmp_path / "b", p50=after)
    monkeypatch.setattr(sys, "argv", ["compare", *folders])
    assert compare.main() == code
    assert ("p50: 1 -> 1.2 (+20%)" in capsys.readouterr().out) == bool(code)


def test_a_higher_throughput_is_not_a_loss():
    slow, fast = {"two cores": 10.0}, {"two cores": 20.0}
    assert compare.differences(slow, fast) == [("two cores: 10 -> 20 (+100%)", False)]
    assert compare.differences(fast, slow) == [("two cores: 20 -> 10 (-50%)", True)]


@pytest.mark.parametrize("spreads", [(0.5, 0.1), (0.1, 0.5)])
def test_a_change_within_the_spread_of_either_run_does_not_count(spreads):
    before, after = (
        {"a p50": value, "a p99": 2 * value, "a spread": spread, "b p50": value}
        for value, spread in zip((1.0, 1.4), spreads, strict=True)
    )
    assert compare.differences(before, after) == [
        ("a p99: 2 -> 2.8 (+40%)", True),
        ("b p50: 1 -> 1.4 (+40%)", True),
    ]


def test_a_change_within_a_tenth_does_not_count_however_small_the_spread():
    before, after = ({"p50": value, "spread": 0.0, "repeats": 5} for value in (1.0, 1.09))
    assert compare.differences(before, after) == []
    assert compare.differences(before, after | {"p50": 1.2}) == [("p50: 1 -> 1.2 (+20%)", True)]


def test_results_without_common_figures_are_an_error(tmp_path, monkeypatch, capsys):
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(sys, "argv", ["compare", results(tmp_path / "a", p50=1.0), str(tmp_path / "empty")])
    assert compare.main() == 1
    assert "nothing to compare" in capsys.readouterr().err


def test_synthetic_queries_are_distinct_and_reproducible(monkeypatch):
    monkeypatch.setattr(workload, "real", lambda: False)
    queries = list(islice(workload.queries(), 500))
    assert len(set(queries)) == 500
    assert queries == list(islice(workload.queries(), 500))
    assert workload.unseen_queries() == queries[: workload.UNSEEN_QUERIES]


def test_competitors_get_every_query_equally_often():
    calls = []
    found = take_turns({"a": calls.append, "b": calls.append}, [1, 2, 3], repeats=2)
    assert sorted(calls) == sorted([1, 1] + 4 * [1, 2, 3])
    assert all(latency.repeats == 2 and latency.p99 >= latency.p50 >= 0 for latency in found.values())
