"""Learned combinations, the last lines of Yih & Meek's (2007) table 2: `python -m reproduce.learned`.

All scores come from ten-fold cross-validation over groups: no pair is scored by a model trained on its query. Also the
contribution of corpus-based measures beside surface measures and embeddings under the same learner.
"""

import time
from collections.abc import Sequence

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array, Int64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation import Evaluation, evaluate
from querykin.learning.combination.features import PairFeatures, pair_features
from querykin.learning.combination.fitting import TrainingConfig, choose_variance, combined, fit_combination
from querykin.learning.cross_validation import Content, cross_val_predict
from querykin.measures import measures
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.chorus import catalogue, judged_products
from reproduce.judged_sets import JudgedSet, read_sets
from reproduce.markdown import interval, number, table
from reproduce.orderings import difference

SETS = ("neuqs QR", "trec_tasks", "patent")  # for the table
MORE_SETS = ("bird", "dbpedia", "factoid")  # for the contribution of the corpus
PUBLISHED = [
    ["web kernel", ".664", ".667", ".436", ".383", "82.4%"],
    ["web-relevance", ".703", ".683", ".508", ".427", "83.3%"],
    ["metric learning", ".735", ".717", ".556", ".477", "94.4%"],
    ["preference learning", ".739", ".733", ".569", ".488", "94.4%"],
]
FOLDS = 10
SURFACE = (
    "matching",
    "dice",
    "jaccard",
    "overlap",
    "cosine",
    "jaccard-stems",
    "cosine-stems",
    "overlap-stems",
    "idf-cosine",
    "phrase",
    "edit",
)
# Without tweak: the shipped weights were trained on some of these pairs.
CORPUS = (
    "web-kernel",
    "web-kernel-paper",
    "tfidf",
    "result-cosine",
    "sparse-prob",
    "dense-prob",
    "set-overlap",
    "web-relevance",
)
LARGEST = 10_000  # largest set for which trees are trained: they take minutes
RECIPES = {
    "preference": TrainingConfig((), "logistic", "preference"),
    "metric": TrainingConfig((), "logistic", "metric"),
    "preference, trees": TrainingConfig((), "trees", "preference"),
    "metric, trees": TrainingConfig((), "trees", "metric"),
    "preference, unconstrained": TrainingConfig((), "logistic", "preference", unconstrained=True),
    "metric, unconstrained": TrainingConfig((), "logistic", "metric", unconstrained=True),
}
METRICS = {"auc": "AUC", "mean_auc": "mean AUC", "map": "MAP", "p@1": "P@1", "p@3": "P@3", "p@5": "P@5"}


def report(workspace: Workspace) -> str:
    """The table for each set, and the contribution of the corpus."""
    printed = table(["published", "AUC", "P@1", "P@3", "P@5", "covered"], PUBLISHED)
    tables = [_table(workspace, judged) for judged in read_sets(SETS)]
    return "\n\n".join([printed, *tables, "### What a corpus adds", _added(workspace)])


def combined_scores(
    judged: JudgedSet, scores: dict[str, Float64Array], names: Sequence[str], training_config: TrainingConfig
) -> Float64Array:
    """Combined scores of all pairs, each by a model trained without its group."""
    used = TrainingConfig(
        tuple(names), training_config.learner, training_config.loss, training_config.unconstrained
    )
    always = [name for name in names if measures[name].kind.always_scores]
    no_counts = np.zeros(len(judged.judged))  # no query log
    features = pair_features(
        {name: scores[name] for name in names}, always, judged.left, judged.right, no_counts
    )
    return _cross_val_scores(judged, features, used)


def _cross_val_scores(
    judged: JudgedSet, features: PairFeatures, training_config: TrainingConfig
) -> Float64Array:
    grades, groups = judged.judged.grades, judged.judged.groups.ids

    def learn(rows: Int64Array) -> Content:
        some = features.part(rows), grades[rows], groups[rows], training_config
        return fit_combination(*some, choose_variance(*some))

    def predict(content: Content, rows: Int64Array) -> Float64Array:
        return combined(content, features.part(rows))

    return cross_val_predict(groups, FOLDS, learn, predict)


def _table(workspace: Workspace, judged: JudgedSet) -> str:
    """Both combinations against every single measure."""
    extras = [name for name in ("static", "dense") if name in workspace.measures()]
    names = [*SURFACE, *CORPUS, *extras]
    scores = scores_by(workspace, [*names, DEFAULT_MEASURE], judged)
    combinations = {}
    for kind, some in (("without embeddings", [*SURFACE, *CORPUS]), ("all", names)):
        for name, training_config in RECIPES.items():
            if training_config.learner == "trees" and len(judged.judged) > LARGEST:
                continue
            start = time.perf_counter()
            combinations[f"{name}, {kind}"] = combined_scores(judged, scores, some, training_config)
            print(f"  {judged.name}: {name}, {kind}: {time.perf_counter() - start:.0f} s", flush=True)
    found = evaluate(judged.judged, {**scores, **combinations}, judged.relevant, "jaccard-stems", [])
    best = _best(found, [*SURFACE, *CORPUS]), _best(found, names)
    rows = []
    for name in [
        *best,
        *(name for name in ("web-kernel", *extras, DEFAULT_MEASURE) if name not in best),
        *combinations,
    ]:
        values = found.result(name).metrics.values
        against = [
            interval(difference("mean_auc", name, single, found, judged, {**scores, **combinations}))
            if name in combinations and not (single == best[1] and "without" in name)
            else ""
            for single in dict.fromkeys(best)
        ]
        rows.append([name, *(number(values[metric]) for metric in METRICS), *against])
    header = [f"mean AUC against {single}" for single in dict.fromkeys(best)]
    return "\n\n".join(
        [
            f"### {judged.name}",
            f"{found.pairs:,} pairs, {found.usable_groups} groups with both classes. Best single measure without "
            f"embeddings: {best[0]}; of all: {best[1]}.",
            table(["measure", *METRICS.values(), *header], list({row[0]: row for row in rows}.values())),
        ]
    )


def _best(found: Evaluation, names: Sequence[str]) -> str:
    return max(names, key=lambda name: found.result(name).metrics.values["mean_auc"])


def _added(workspace: Workspace) -> str:
    """Preference learning on surface measures, with an embedding, with the corpus, and with both."""
    rows = []
    own = [(judged_products(), catalogue(), "the catalogue")]
    sets = [(judged, workspace, "encyclopedia") for judged in read_sets((*SETS, *MORE_SETS))]
    for judged, opened, corpus in [*sets, *own]:
        scores = scores_by(opened, [*SURFACE, *CORPUS], judged)
        for base in ("", "static", "dense"):
            if base and base not in workspace.measures():
                continue
            scores |= scores_by(workspace, [base], judged) if base else {}
            without = [*SURFACE, *([base] if base else [])]
            both = {
                "without": combined_scores(judged, scores, without, RECIPES["preference"]),
                "with": combined_scores(judged, scores, [*without, *CORPUS], RECIPES["preference"]),
            }
            found = evaluate(judged.judged, both, judged.relevant, "without", [])
            means = [number(found.result(name).metrics.values["mean_auc"]) for name in both]
            gain = interval(found.result("with").differences["mean_auc"].interval)
            shown = f"surface + {base}" if base else "surface"
            rows.append([judged.name, corpus, shown, *means, gain])
            print("  " + " | ".join(rows[-1]), flush=True)
    return table(["set", "corpus", "measures", "mean AUC", "with corpus measures", "gain"], rows)


if __name__ == "__main__":
    data.show(report)
