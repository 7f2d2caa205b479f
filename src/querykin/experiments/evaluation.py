"""From a file to results: judged pairs scored by measures, rankings made elsewhere, searches of a pool."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import InputError, UnknownName
from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.ranked_lists import evaluate_lists, make_qrels, run_ranked_lists
from querykin.evaluation.results import check_baseline, evaluate
from querykin.experiments.pool import Pool
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import JudgedTable, open_judged_pairs
from querykin.io.trec import read_qrels, read_run
from querykin.measures import Measure, measures
from querykin.measures.batch_scorer import ROWS, Scorer
from querykin.measures.trained import TrainedMeasure
from querykin.workspace import Workspace

Progress = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]


@contextmanager
def silent(title: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Progress that nobody sees."""
    yield lambda steps: None


@dataclass(frozen=True)
class EvaluationTask:
    """What to evaluate: measures on judged pairs, rankings (`runs`), or measures as searches of a `pool`."""

    file: str
    measures: Sequence[str] = ()  # a name that is a column of the file stands for its numbers
    columns: str = ""
    where: Sequence[str] = ()
    runs: Sequence[str] = ()
    pool: Iterable[str] | None = None  # texts that join the judged candidates
    relevant: float | None = None
    baseline: str | None = None
    seed: int = 0
    progress: Progress = silent
    folded: Callable[[str, JudgedPairs, float], Float64Array] | None = (
        None  # scores by what is learnt anew in folds
    )

    def open(self) -> JudgedTable:
        """Open the file as a table of judgements."""
        return open_judged_pairs(self.file, self.columns, self.where)

    def threshold(self, judged: JudgedPairs) -> float:
        """From which grade on a pair is relevant."""
        return judged.threshold() if self.relevant is None else self.relevant


def evaluate_file(workspace: Workspace, task: EvaluationTask) -> EvaluationOutcome:
    """Do what a task says."""
    if bool(task.measures) == bool(task.runs):
        raise InputError("evaluate needs either --measures or --run: names of measures, or rankings to judge")
    if task.runs and task.pool is not None:
        raise InputError("--pool is searched by --measures; a --run has been searched already: leave one out")
    if task.relevant is not None and not isfinite(task.relevant):
        raise InputError(f"--relevant must be a grade, a number like 2, got {task.relevant}")
    if task.runs:
        return _evaluate_runs(task)
    check_baseline(task.baseline, task.measures)
    return (
        _evaluate_pairs(workspace, task) if task.pool is None else _evaluate_pool(workspace, task, task.pool)
    )


def _evaluate_pairs(workspace: Workspace, task: EvaluationTask) -> EvaluationOutcome:
    table = task.open()
    columns = [name for name in task.measures if name in table.columns]
    made = {name: _measure(workspace, name, table) for name in task.measures if name not in columns}
    learnt = [name for name in made if task.folded and name in workspace.trained()]
    if task.folded and not learnt:
        raise InputError(
            f"--folds is for trained measures, and none of {', '.join(task.measures)} is one; leave it out"
        )
    with task.progress("reading", None) as done:
        judged = table.read(columns, done).merged()
    ready = {name: measure for name, measure in made.items() if name not in learnt}
    scores = {**judged.scores, **(score(judged, ready, task.progress) if ready else {})}
    if task.folded:
        scores |= {name: task.folded(name, judged, task.threshold(judged)) for name in learnt}
    scores = {name: scores[name] for name in task.measures}
    always = [name for name, measure in made.items() if measure.always_scores]
    found = evaluate(judged, scores, task.threshold(judged), task.baseline, always, task.seed)
    seen = [name for name, measure in ready.items() if was_trained_on(measure, judged)]
    return EvaluationOutcome(judged, scores, found, seen)


def was_trained_on(measure: Measure, judged: JudgedPairs) -> bool:
    """Whether a trained measure has learnt from these very judgements."""
    return (
        isinstance(measure, TrainedMeasure)
        and measure.model.training.get("fingerprint") == judged.fingerprint
    )


def _measure(workspace: Workspace, name: str, table: JudgedTable) -> Measure:
    try:
        return workspace.measure(name)
    except UnknownName:
        known = {*measures, *workspace.trained(), *table.columns}
        raise UnknownName("measure or column", name, known) from None


def score(
    judged: JudgedPairs, made: Mapping[str, Measure], progress: Progress = silent
) -> dict[str, Float64Array]:
    """The scores of all judged pairs by several measures."""
    found, scorer = {name: np.empty(len(judged)) for name in made}, Scorer(made)
    at_once = len(judged) if scorer.listwise else ROWS
    with progress("scoring", len(judged)) as done:
        for begin in range(0, len(judged), at_once):
            rows = range(begin, min(begin + at_once, len(judged)))
            for name, values in scorer.score(judged.queries.at(rows), judged.candidates.at(rows)).items():
                found[name][begin : rows.stop] = values
            done(len(rows))
    return found


def _evaluate_runs(task: EvaluationTask) -> EvaluationOutcome:
    judged, returned = read_qrels(task.file, task.columns, task.where), {}
    for path in task.runs:
        run = read_run(path)
        if run.name in returned:
            raise InputError(f"two runs are called {run.name!r}, by their files' names; rename one of them")
        candidates, returned[run.name] = run_ranked_lists(judged, run)
    groups, threshold = judged.query_groups, task.threshold(judged)
    asked = make_qrels(judged.queries.ids, candidates, judged.grades, groups, threshold)
    found = evaluate_lists(asked, returned, judged.fingerprint, task.baseline, task.seed)
    return EvaluationOutcome(judged, {}, found)


def _evaluate_pool(workspace: Workspace, task: EvaluationTask, more: Iterable[str]) -> EvaluationOutcome:
    """Search the judged candidates and more for every judged query, and see what is found."""
    for name in task.measures:
        workspace.measure(name)
    with task.progress("reading", None) as done:
        judged = task.open().read(done=done)
    with TemporaryDirectory(prefix="querykin-pool-") as folder:
        pool = Pool.make(workspace, Path(folder), judged, more)
        asked, returned = pool.qrels(task.threshold(judged)), {}
        for name in task.measures:
            _build(pool.workspace, name, task.progress)
            with task.progress(f"searching by {name}", len(judged.query_groups)) as done:
                returned[name] = pool.search(name, task.seed, done)
    found = evaluate_lists(asked, returned, judged.fingerprint, task.baseline, task.seed)
    return EvaluationOutcome(judged, {}, found)


def _build(workspace: Workspace, measure: str, progress: Progress) -> None:
    for name in workspace.needs(measure):
        plan = workspace.plan(name)
        if plan.needed:
            with progress(f"indexing the pool for {name}", len(plan.todo)) as done:
                workspace.run(plan, name, done)
