"""Search of a pool by measures: results equal brute force."""

import numpy as np
import pytest

from querykin.errors import InputError, UnknownName
from querykin.experiments import EvaluationTask, evaluate_file
from querykin.experiments.pool import Pool
from querykin.io.judgement_files import read_judged_pairs
from querykin.progress import Silent

NEEDS = {
    "space": ["space exploration", "astronauts in orbit", "rockets to Mars"],
    "food": ["apple pie in the oven", "tomato soup with onions", "bread dough"],
    "ball": ["home run", "the pitcher throws", "Seattle Mariners"],
}
MORE = ["black hole", "butter", "Space  Exploration", "stolen base", "a home run is hit", ""]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Every variation as a query for the others of its need."""
    rows = ["query\tcandidate\tgrade\tgroup"]
    rows += [f"{a}\t{b}\t1\t{need}" for need, texts in NEEDS.items() for a in texts for b in texts]
    path = tmp_path_factory.mktemp("pool") / "judged.tsv"
    path.write_text("\n".join(rows))
    return str(path)


@pytest.mark.parametrize("measure", ["web-kernel", "jaccard-stems", "edit", "dense-prob", "backoff"])
def test_results_equal_brute_force_without_the_query_itself(measure, workspace, judged, tmp_path):
    pairs = read_judged_pairs(judged)
    pool = Pool.make(workspace, tmp_path, pairs, MORE)
    repository = pool.workspace.repository
    everything = repository.queries(repository.live_ids())
    assert len(everything) == 9 + 4  # one of MORE is a duplicate, one is empty
    returned = pool.search(measure)
    made = pool.workspace.retriever(measure).measure
    for number, query in enumerate(pairs.queries.distinct):
        places = returned.candidates[returned.lists == number]
        found = repository.queries(places)
        assert query.casefold() not in {text.casefold() for text in found}
        scores = dict(zip(everything, made.score(query, everything).tolist(), strict=True))
        assert [scores[text] for text in found] == pytest.approx(
            sorted((scores[t] for t in found), reverse=True)
        )
        rest = [
            score
            for text, score in scores.items()
            if text not in found and text.casefold() != query.casefold()
        ]
        assert all(not score > min([scores[t] for t in found], default=0) + 1e-9 for score in rest)


def test_a_pool_is_evaluated_by_need_without_the_query_itself(workspace, judged):
    steps = []

    class Watched(Silent):
        def task(self, title, total):
            steps.append(title)
            return super().task(title, total)

    task = EvaluationTask(judged, ["exact", "web-kernel"], pool=MORE, progress=Watched())
    found = evaluate_file(workspace, task).evaluation
    assert (found.pairs, found.groups, found.baseline) == (18, 3, "exact")
    exact, kernel = (result.metrics.values for result in found.results)
    assert (exact["map"], exact["recall@1000"]) == (0, 0)  # only itself would match
    assert kernel["recall@10"] > 0.5
    assert found.result("web-kernel").differences["map"].interval.low > 0
    assert steps[0] == "reading"
    assert "searching by web-kernel" in steps


def test_the_workspace_is_not_changed(workspace, judged):
    before = sorted(workspace.path.rglob("*"))
    evaluate_file(workspace, EvaluationTask(judged, ["jaccard"], pool=MORE))
    assert sorted(workspace.path.rglob("*")) == before


def test_invalid_arguments_are_errors(workspace, judged):
    with pytest.raises(UnknownName, match="unknown measure 'nope'"):
        evaluate_file(workspace, EvaluationTask(judged, ["nope"], pool=MORE))
    with pytest.raises(InputError, match="omit one of them"):
        evaluate_file(workspace, EvaluationTask(judged, runs=["run"], pool=MORE))
    with pytest.raises(InputError, match="--relevant must be a grade"):
        evaluate_file(workspace, EvaluationTask(judged, ["jaccard"], relevant=np.nan))
