"""Evaluation of judged files: measures on pairs, TREC runs, and measures searching a pool of candidates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

from querykin.build_policy import BuildPolicy
from querykin.errors import InputError, UnknownName
from querykin.evaluation.outcome import EvaluationOutcome
from querykin.evaluation.ranked_lists import evaluate_lists, make_qrels, run_ranked_lists
from querykin.evaluation.results import check_baseline, evaluate
from querykin.experiments.pool import Pool
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.judgement_files import JudgedTable, open_judged_pairs
from querykin.io.trec import read_qrels, read_run
from querykin.learning.retraining import cross_validated_scores
from querykin.learning.trained_measure import was_trained_on
from querykin.measures import measures
from querykin.measures.batch_scorer import score_judged_pairs
from querykin.progress import SILENT, Progress
from querykin.workspace import Workspace


@dataclass(frozen=True)
class EvaluationTask:
    """An evaluation: of measures on judged pairs, of rankings (`runs`), or of measures searching a `pool`."""

    file: str
    measures: Sequence[str] = ()  # names of measures, or of columns that hold scores
    columns: str = ""
    where: Sequence[str] = ()
    runs: Sequence[str] = ()
    pool: Iterable[str] | None = None  # texts searched together with the judged candidates
    relevant: float | None = None
    baseline: str | None = None
    folds: int | None = None  # cross-validates trained measures over the groups
    seed: int = 0
    progress: Progress = SILENT

    def open(self) -> JudgedTable:
        """Open the file as a table of judgements."""
        return open_judged_pairs(self.file, self.columns, self.where)

    def threshold(self, judged: JudgedPairs) -> float:
        """The minimum grade of a relevant pair."""
        return judged.threshold() if self.relevant is None else self.relevant


def evaluate_file(workspace: Workspace, task: EvaluationTask) -> EvaluationOutcome:
    """Run an evaluation task."""
    if bool(task.measures) == bool(task.runs):
        raise InputError(
            "evaluate needs either --measures or --run: names of measures, or rankings to evaluate"
        )
    if task.runs and task.pool is not None:
        raise InputError(
            "--pool is searched by --measures and cannot be combined with --run; omit one of them"
        )
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
    computed = [name for name in task.measures if name not in columns]
    for name in computed:
        _check_measure(workspace, name, table)
    with task.progress.task("reading", None) as advance:
        judged = table.read(columns, advance).merged()
    workspace.ask([*judged.queries.distinct, *judged.candidates.distinct], computed)
    built = {name: workspace.measure(name) for name in computed}
    retrained = [name for name in built if task.folds and name in workspace.trained()]
    if task.folds and not retrained:
        raise InputError(
            f"--folds needs a trained measure, and none of {', '.join(task.measures)} is one; omit it"
        )
    threshold = task.threshold(judged)
    direct = {name: measure for name, measure in built.items() if name not in retrained}
    scores = {**judged.scores, **(score_judged_pairs(judged, direct, task.progress) if direct else {})}
    for name in retrained:
        folds = task.folds or 0
        scores[name] = cross_validated_scores(
            workspace, name, judged, threshold, folds, task.seed, task.progress
        )
    scores = {name: scores[name] for name in task.measures}
    always_score = [name for name, measure in built.items() if measure.always_scores]
    evaluation = evaluate(judged, scores, threshold, task.baseline, always_score, task.seed)
    seen = [name for name, measure in direct.items() if was_trained_on(measure, judged)]
    return EvaluationOutcome(judged, scores, evaluation, seen)


def _check_measure(workspace: Workspace, name: str, table: JudgedTable) -> None:
    try:
        workspace.measure_class(name)
    except UnknownName:
        known = {*measures, *workspace.trained(), *table.columns}
        raise UnknownName("measure or column", name, known) from None


def _evaluate_runs(task: EvaluationTask) -> EvaluationOutcome:
    judged, returned = read_qrels(task.file, task.columns, task.where), {}
    for path in task.runs:
        run = read_run(path)
        if run.name in returned:
            raise InputError(f"two runs are named {run.name!r}, after their files; rename one of them")
        candidates, returned[run.name] = run_ranked_lists(judged, run)
    groups, threshold = judged.query_groups, task.threshold(judged)
    qrels = make_qrels(judged.queries.ids, candidates, judged.grades, groups, threshold)
    evaluation = evaluate_lists(qrels, returned, judged.fingerprint, task.baseline, task.seed)
    return EvaluationOutcome(judged, {}, evaluation)


def _evaluate_pool(workspace: Workspace, task: EvaluationTask, texts: Iterable[str]) -> EvaluationOutcome:
    """Search the judged candidates and further texts with every judged query."""
    for name in task.measures:
        workspace.measure_class(name)
    with task.progress.task("reading", None) as advance:
        judged = task.open().read(done=advance)
    texts = list(texts)
    workspace.ask([*judged.queries.distinct, *judged.candidates.distinct, *texts], task.measures)
    with TemporaryDirectory(prefix="querykin-pool-") as folder:
        pool = Pool.make(workspace, Path(folder), judged, texts)
        qrels, rankings = pool.qrels(task.threshold(judged)), {}
        for name in task.measures:
            measure = pool.workspace.measure(name)
            pool.workspace.indexes.require(measure, BuildPolicy.BUILD)
            with task.progress.task(f"searching by {name}", len(judged.query_groups)) as advance:
                rankings[name] = pool.search(name, task.seed, advance)
    evaluation = evaluate_lists(qrels, rankings, judged.fingerprint, task.baseline, task.seed)
    return EvaluationOutcome(judged, {}, evaluation)
