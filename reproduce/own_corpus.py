"""A corpus of the same domain: products judged for queries, with the encyclopedia or the catalogue as the corpus.

`python -m reproduce.own_corpus`
"""

from querykin import Workspace
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation import evaluate
from querykin.measures import measures
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.chorus import catalogue, judged_products
from reproduce.markdown import interval, number, table
from reproduce.orderings import difference

MEASURES = [
    DEFAULT_MEASURE,
    "web-kernel",
    "web-kernel-paper",
    "result-cosine",
    "dense-prob",
    "sparse-prob",
    "idf-cosine",
]
WITHOUT = ["jaccard-stems", "static", "dense"]  # independent of the corpus
METRICS = {
    "auc": "AUC",
    "mean_auc": "mean AUC",
    "map": "MAP",
    "p@1": "P@1",
    "p@3": "P@3",
    "coverage": "covered",
}


def report(workspace: Workspace) -> str:
    """Each measure on both corpora, and the difference."""
    judged = judged_products()
    corpora = {
        "encyclopedia": workspace,
        "catalogue": catalogue(),
        "catalogue without attributes": catalogue(False),
    }
    names = [name for name in WITHOUT if name in workspace.measures()]
    scores = scores_by(workspace, names, judged)
    for name in MEASURES:
        for corpus, opened in corpora.items():
            scores[f"{name}, {corpus}"] = scores_by(opened, [name], judged)[name]
    always = [name for name in scores if measures[name.partition(",")[0]].kind.always_scores]
    found = evaluate(judged.judged, scores, judged.relevant, names[0], always)
    rows = [
        [result.measure, *(number(result.metrics.values[name]) for name in METRICS)]
        for result in found.results
    ]
    gains = []
    for name in MEASURES:
        for corpus in list(corpora)[1:]:
            sides = f"{name}, {corpus}", f"{name}, encyclopedia"
            each = [
                interval(difference(metric, *sides, found, judged, scores)) for metric in ("auc", "mean_auc")
            ]
            gains.append([sides[0], *each])
    return "\n\n".join(
        [
            f"{found.pairs:,} pairs of query and product, {found.groups} queries, {found.usable_groups} with both classes; the catalogue: {len(catalogue().corpus):,} products.",
            table(["measure and corpus", *METRICS.values()], rows),
            "Gain of the catalogue over the encyclopedia, with 95 % intervals:",
            table(["measure and corpus", "AUC", "mean AUC"], gains),
        ]
    )


if __name__ == "__main__":
    data.show(report)
