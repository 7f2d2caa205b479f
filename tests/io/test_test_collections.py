"""TREC, BEIR and MS MARCO: what is written comes back, and rankings get what ir-measures gives them."""

from math import isclose

import ir_measures
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_measures import AP, P, R, nDCG

from querykin.errors import InputError
from querykin.evaluation.ranked_lists import list_metrics, make_qrels
from querykin.experiments.evaluation import EvaluationTask, evaluate_file
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import open_judged_pairs, read_judged_pairs
from querykin.io.judgement_writers import write_judged_pairs, write_run
from querykin.io.text_column import TextColumn
from querykin.io.trec import Run, read_qrels, read_run, run_ranked_lists

ids = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=6)
grades = st.one_of(st.integers(-1, 4), st.floats(-5, 5)).map(float)
cells = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")), max_size=8)
anything = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
scores = st.one_of(st.just(np.nan), st.integers(-4, 4).map(lambda n: n / 8))
many = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def judgements(rows, **more):
    queries, candidates, given_grades = zip(*rows, strict=True)
    return JudgedPairs(
        TextColumn(queries), TextColumn(candidates), np.array(given_grades), TextColumn(queries), **more
    )


def rows_of(judged):
    return [*zip(judged.pairs(), judged.grades.tolist(), strict=True)]


@many
@given(
    st.lists(st.tuples(ids, ids, grades), min_size=1, max_size=20),
    st.sampled_from(["trec", "beir", "msmarco"]),
)
def test_qrels_come_back_as_they_were_written(tmp_path, rows, form):
    path = str(tmp_path / "qrels")
    write_judged_pairs(judgements(rows), path, form)
    assert rows_of(read_qrels(path)) == rows_of(judgements(rows))


@many
@given(st.data(), st.sampled_from(["tsv", "csv", "jsonl"]))
def test_tables_come_back_with_groups_raters_and_scores(tmp_path, data, form):
    text = cells if form == "tsv" else anything
    named = text.filter(bool)
    rows = data.draw(st.lists(st.tuples(named, text, grades, named, text, scores), min_size=1, max_size=12))
    queries, candidates, given_grades, groups, raters, mine = zip(*rows, strict=True)
    columns = map(TextColumn, (queries, candidates, groups, raters))
    q, c, g, r = columns
    judged = JudgedPairs(q, c, np.array(given_grades), g, r, {"mine": np.array(mine)})
    path = str(tmp_path / f"judged.{form}")
    write_judged_pairs(judged, path, form)
    found = open_judged_pairs(path).read(["mine"])
    assert rows_of(found) == rows_of(judged)
    assert found.groups.at(range(len(rows))) == list(groups)
    assert found.raters.at(range(len(rows))) == list(raters)
    assert np.array_equal(found.scores["mine"], np.array(mine), equal_nan=True)
    assert found.fingerprint == judged.fingerprint


@many
@given(
    st.lists(st.tuples(ids, ids, st.floats(-9, 9), st.integers(1, 99)), min_size=1, max_size=20),
    st.sampled_from(["trec", "msmarco"]),
)
def test_runs_come_back_as_they_were_written(tmp_path, rows, form):
    queries, candidates, values, ranks = zip(*rows, strict=True)
    run = Run("my run", TextColumn(queries), TextColumn(candidates), np.array(values), np.array(ranks))
    path = str(tmp_path / "my run.txt")
    write_run(run, path, form)
    found = read_run(path)
    assert (found.name, found.ranks.tolist()) == ("my run", list(ranks))
    assert [*zip(found.queries.at(range(len(rows))), found.candidates.at(range(len(rows))), strict=True)] == [
        *zip(queries, candidates, strict=True)
    ]
    assert found.scores.tolist() == (list(values) if form == "trec" else [-rank for rank in ranks])


def test_what_a_form_cannot_hold_is_refused(tmp_path):
    path = str(tmp_path / "qrels")
    for query in ("two words", "", " a", "a\n"):
        with pytest.raises(InputError, match="an id in qrels and runs is one word"):
            write_judged_pairs(judgements([(query, "d", 1.0)]), path, "trec")
    with pytest.raises(InputError, match="must be one of tsv, csv, jsonl, trec, beir, msmarco, got 'xml'"):
        write_judged_pairs(judgements([("a", "b", 1.0)]), path, "xml")


# One query, or two, with judged documents d0 to d9 and a ranking over d0 to d14, by distinct scores.
qrel_rows = st.dictionaries(st.integers(0, 9), st.integers(0, 3), min_size=1)
run_rows = st.permutations(range(15)).flatmap(lambda order: st.integers(0, 15).map(lambda n: order[:n]))


@given(st.lists(st.tuples(qrel_rows, run_rows), min_size=1, max_size=4), st.integers(1, 3))
def test_rankings_get_the_metrics_of_ir_measures(queries, relevant):
    queries = [each for each in queries if any(grade >= relevant for grade in each[0].values())]
    if not any(run for _, run in queries):
        return
    qrels = [
        ir_measures.Qrel(f"q{q}", f"d{d}", grade)
        for q, (judged, _) in enumerate(queries)
        for d, grade in judged.items()
    ]
    docs = [
        ir_measures.ScoredDoc(f"q{q}", f"d{d}", 1 / (1 + place))
        for q, (_, run) in enumerate(queries)
        for place, d in enumerate(run)
    ]
    judged = judgements([(qrel.query_id, qrel.doc_id, float(qrel.relevance)) for qrel in qrels])
    run = Run(
        "run",
        TextColumn(doc.query_id for doc in docs),
        TextColumn(doc.doc_id for doc in docs),
        np.array([doc.score for doc in docs]),
        np.zeros(len(docs), np.int64),
    )
    candidates, returned = run_ranked_lists(judged, run)
    asked = make_qrels(judged.queries.ids, candidates, judged.grades, judged.query_groups, relevant)
    found = list_metrics(asked, returned).by_group
    names = {
        "map": AP(rel=relevant),
        "ndcg": nDCG,
        "p@1": P(rel=relevant) @ 1,
        "p@5": P(rel=relevant) @ 5,
        "recall@10": R(rel=relevant) @ 10,
    }
    theirs = {
        (metric.measure, int(metric.query_id[1:])): metric.value
        for metric in ir_measures.iter_calc(names.values(), qrels, docs)
    }
    for name, measure in names.items():
        for number, (_, run_of_query) in enumerate(queries):
            expected = (
                theirs.get((measure, number), 0.0) if run_of_query else 0.0
            )  # nothing returned: nothing found
            assert isclose(found[name][number], expected, abs_tol=1e-9), name


def test_what_nobody_judged_is_irrelevant_and_what_is_not_returned_is_missed(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 2\nq1 0 c 0\nq2 0 a 1\n")
    (tmp_path / "mine.run").write_text("q1 Q0 x 1 9 t\nq1 Q0 b 2 8 t\nq3 Q0 a 1 9 t\n")
    (tmp_path / "best.trec").write_text("q1 Q0 b 1 9 t\nq1 Q0 a 2 8 t\nq2 Q0 a 1 9 t\n")
    runs = [str(tmp_path / name) for name in ("mine.run", "best.trec")]
    found = evaluate_file(None, EvaluationTask(str(tmp_path / "qrels.txt"), runs=runs, relevant=1)).evaluation
    mine, best = (result.metrics.values for result in found.results)
    assert (found.pairs, found.groups, found.baseline) == (4, 2, "mine")
    assert (mine["map"], mine["recall@10"], mine["p@1"]) == (0.125, 0.25, 0)
    assert (best["map"], best["recall@10"], best["p@1"]) == (1, 1, 1)
    assert found.result("best").differences["map"].interval.difference == 0.875


def test_equal_scores_of_a_run_stand_by_their_ranks(tmp_path):
    (tmp_path / "run").write_text("q Q0 b 2 1.0 t\nq Q0 a 1 1.0 t\nq Q0 c 3 2.0 t\n")
    judged = judgements([("q", "a", 1.0), ("q", "b", 1.0), ("q", "c", 1.0)])
    _, returned = run_ranked_lists(judged, read_run(str(tmp_path / "run")))
    assert returned.candidates.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ("q 0 d 1\nq 0 d\n", "q Q0 d 1 1 t\n", "line 2: 3 fields, not query 0 document grade"),
        ("q 0 d 1\nq 0 e x\n", "q Q0 d 1 1 t\n", "line 2: the grade must be a number, got 'x'"),
        ("q 0 d 1\n", "q Q0 d 1 nan t\n", "line 1: the score must be a number, got 'nan'"),
        ("q 0 d 1\n", "q d\n", "line 1: expected query Q0 document rank score tag"),
        ("q 0 d 1\n", "\n", "holds no ranking"),
        ("q 0 d 1\n", "q Q0 d 1 1 t\nq Q0 d 2 1 t\n", "has 'd' twice for query 'q'"),
        ("q 0 d 0\nq 0 e 1\n", "q Q0 d 1 1 t\n", "no candidate has a grade of 3 or more"),
        ("query document\nq d\n", "q Q0 d 1 1 t\n", "no column 'query'"),
    ],
)
def test_bad_collections_are_refused(qrels, run, message, tmp_path):
    (tmp_path / "qrels.txt").write_text(qrels)
    (tmp_path / "a.run").write_text(run)
    with pytest.raises(InputError, match=message):
        evaluate_file(
            None, EvaluationTask(str(tmp_path / "qrels.txt"), runs=[str(tmp_path / "a.run")], relevant=3)
        )


def test_beir_names_are_known_and_judgements_of_one_pair_are_one(tmp_path):
    (tmp_path / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t2\nq\te\t0\n")
    judged = read_judged_pairs(str(tmp_path / "test.tsv"))
    assert rows_of(judged) == [(("q", "d"), 2.0), (("q", "e"), 0.0)]
    twice = make_qrels(
        np.array([0, 0, 0]), np.array([5, 5, 6]), np.array([1.0, 0.0, 1.0]), np.array([0]), 0.5
    )
    assert (twice.candidates.tolist(), twice.grades.tolist(), twice.good.tolist()) == ([5, 6], [0.5, 1], [2])
