"""Table 1 of Yih (2009): term weights trained on judged suggestions, evaluated by cross-validation over queries.

`python -m reproduce.tweak`. The learner as the paper has it, and ours; all over the same results as the baseline.
"""

from dataclasses import replace
from zlib import crc32

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation import evaluate
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import TextColumn
from querykin.learning.cross_validation import cross_validate
from querykin.learning.tweak.fitting import Tweak
from querykin.learning.tweak.term_weights import RESULTS
from querykin.learning.tweak.training_data import TweakTrainingData, fit_tweak_model, text_training_data
from querykin.measures.tfidf import Tfidf
from querykin.model_files import Model
from reproduce import data
from reproduce.cached_scores import keep, scores_by, scores_of
from reproduce.judged_sets import JudgedSet, read_set, read_sets
from reproduce.markdown import interval, number, table
from reproduce.orderings import by_metric, orderings
from reproduce.published import PublishedOrdering, of_table
from reproduce.tweak_as_printed import PrintedTweak

SETS = ("neuqs QR", "trec_tasks", "patent")
TRAINED_ON = ("neuqs QR", "trec_tasks", "uqv100", "bird", "patent")  # the shipped weights
MAX_GROUPS = 100  # per set, drawn at random, so that the largest set neither dominates nor takes hours
FOLDS = 10
LEARNER = 2  # incremented when the learner changes, so that cached scores are not reused
STATIC = ["tfidf", "web-kernel-paper", "web-kernel", DEFAULT_MEASURE]
BASELINE = f"tfidf, {RESULTS} results"  # as many as TWEAK has
PRINTED_LOSSES = ("sse", "log", "preference")  # features as printed too
LEARNED = (
    ("plain", "sse"),
    ("plain", "log"),
    ("plain", "preference"),
    ("tf-df", "preference"),
    ("more", "sse"),
    ("more", "log"),
    ("more", "preference"),
)
DEPTHS = (10, 30, 100)  # tried on the smaller sets
PUBLISHED = {
    "tfidf": (0.732, 0.540, 0.556),
    "TWEAK sse": (0.775, 0.590, 0.553),
    "TWEAK log": (0.781, 0.585, 0.545),
    "TWEAK preference": (0.782, 0.597, 0.570),
}
PRINTED_METRICS = ("auc", "map", "p@3")
METRICS = {"auc": "AUC", "mean_auc": "mean AUC", "map": "MAP", "p@1": "P@1", "p@3": "P@3"}


def report(workspace: Workspace) -> str:
    """One table per set, and the effect of the number of results."""
    parts = [
        _published(),
        *(_section(workspace, _some_groups(judged)) for judged in read_sets(SETS)),
        _results(workspace),
    ]
    return "\n\n".join(parts)


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """TWEAK as printed by each loss, and tfidf over the same results."""
    printed = by_metric(PRINTED_METRICS, PUBLISHED)
    found = []
    for judged in map(_some_groups, read_sets(SETS)):
        scores = {"tfidf": scores_of(Tfidf(workspace.expander, results=RESULTS), judged)}
        for loss in PRINTED_LOSSES:
            scores[f"TWEAK {loss}"] = held_out(workspace, judged, "plain", loss, learner=PrintedTweak)
        figures = evaluate(judged.judged, scores, judged.relevant, "tfidf", [])
        ours = orderings(printed, figures, judged, scores)
        found += of_table(
            "Yih 2009, table 1", ours, printed, METRICS, f"{judged.name}, {RESULTS} results each"
        )
    return found


def _published() -> str:
    rows = [[name, *map(number, values)] for name, values in PUBLISHED.items()]
    return "### The paper\n\n" + table(["method", *(METRICS[name] for name in PRINTED_METRICS)], rows)


def _section(workspace: Workspace, judged: JudgedSet) -> str:
    scores = scores_by(workspace, STATIC, judged)
    scores[BASELINE] = scores_of(Tfidf(workspace.expander, results=RESULTS), judged)
    for loss in PRINTED_LOSSES:
        scores[f"TWEAK as printed, {loss}"] = held_out(workspace, judged, "plain", loss, learner=PrintedTweak)
    for features, loss in LEARNED:
        scores[f"TWEAK {features} {loss}"] = held_out(workspace, judged, features, loss)
    found = evaluate(judged.judged, scores, judged.relevant, BASELINE)
    rows = [
        [
            result.measure,
            *(number(result.metrics.values[name]) for name in METRICS),
            *(
                interval(result.differences[name].interval if result.differences else None)
                for name in ("auc", "mean_auc", "map")
            ),
        ]
        for result in found.results
    ]
    header = [
        "method",
        *METRICS.values(),
        *(f"{name} against {BASELINE}" for name in ("AUC", "mean AUC", "MAP")),
    ]
    title = f"### {judged.name}: {found.pairs:,} pairs, {found.groups:,} groups, {FOLDS} folds over groups"
    return f"{title}\n\n{table(header, rows)}"


def _results(workspace: Workspace) -> str:
    """The number of documents that represent a text, chosen on held-out groups."""
    rows = []
    for judged in read_sets(("neuqs QR", "bird")):
        for results in DEPTHS:
            scores = held_out(workspace, judged, "more", "preference", results)
            found = evaluate(judged.judged, {"tweak": scores}, judged.relevant).results[0].metrics.values
            rows.append([judged.name, str(results), *(number(found[name]) for name in METRICS)])
    title = "### Number of results per text (TWEAK more preference, held-out groups)"
    return f"{title}\n\n{table(['set', 'results', *METRICS.values()], rows)}"


def held_out(
    workspace: Workspace,
    judged: JudgedSet,
    features: str,
    loss: str,
    results: int = RESULTS,
    learner: type[Tweak] = Tweak,
) -> Float64Array:
    """Scores by models trained without the pair's group, cached between runs."""
    settings = f"{features}-{loss}-{results}-{FOLDS}-{learner.__name__}-{LEARNER}"
    version = crc32(" ".join(_origin(workspace, judged)).encode())
    name = f"tweak-{judged.name}-{settings}-{version:08x}".replace(" ", "-")
    path = data.cache_folder() / "scores" / f"{name}.npy"
    if not path.exists():
        print(f"  {name}", flush=True)
        made = replace(training_data(workspace, judged, features, loss, results), learner=learner)
        keep(path, cross_validate(made, FOLDS))
    found: Float64Array = np.load(path)
    return found


_training_data: dict[tuple[object, ...], TweakTrainingData] = {}


def _origin(workspace: Workspace, judged: JudgedSet) -> tuple[str, ...]:
    """What features of terms depend on: the documents, the past queries, how texts are expanded, the pairs."""
    expander = workspace.expander
    return (
        expander.corpus.statistics.version,
        workspace.query_frequencies.state,
        f"{expander.window} {expander.idf_coverage}",
        judged.judged.fingerprint,
    )


def training_data(
    workspace: Workspace, judged: JudgedSet, features: str, loss: str, results: int = RESULTS
) -> TweakTrainingData:
    """The training data of a set; its terms do not depend on the loss."""
    key = *_origin(workspace, judged), features, results
    if key not in _training_data:
        _training_data.clear()
        _training_data[key] = text_training_data(
            workspace, judged.judged, features, loss, results, judged.relevant
        )
    return replace(_training_data[key], loss=loss)


def all_together(names: tuple[str, ...]) -> JudgedPairs:
    """Several sets as one, with binary grades and separate groups."""
    sets = [_some_groups(read_set(name)) for name in names]
    queries, candidates = TextColumn(), TextColumn()
    groups, grades = TextColumn(), [judged.labels.astype(np.float64) for judged in sets]
    for judged in sets:
        for query, candidate, group in zip(judged.left, judged.right, judged.judged.groups.ids, strict=True):
            queries.append(query)
            candidates.append(candidate)
            groups.append(f"{judged.name} {group}")
    return JudgedPairs(queries, candidates, np.concatenate(grades), groups)


def _some_groups(judged: JudgedSet) -> JudgedSet:
    groups = judged.judged.groups.ids
    chosen = np.random.default_rng(0).permutation(int(groups.max()) + 1)[:MAX_GROUPS]
    return judged.part(np.isin(groups, chosen))


def shipped(workspace: Workspace) -> Model:
    """The model trained on all sets together."""
    made = text_training_data(workspace, all_together(TRAINED_ON), relevant=1)
    return fit_tweak_model(made, "tweak", ", ".join(TRAINED_ON))


if __name__ == "__main__":
    data.show(report)
