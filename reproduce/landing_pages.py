"""Table 2 of Yih (2009): relevance of product pages by term weights trained without the query.

`python -m reproduce.landing_pages`. Pages are generated from the fields of the catalogue. Also the points of the paper's
figure 2, the ROC curves of the filters.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from html import escape
from typing import Any

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation import evaluate
from querykin.evaluation.metrics import tpr_at
from querykin.evaluation.ranked_groups import thresholds
from querykin.learning.cross_validation import cross_validate
from querykin.learning.landing_pages.pages import Page, page_terms
from querykin.learning.landing_pages.threshold import threshold_for_recall, with_threshold
from querykin.learning.tweak.term_weights import RESULTS
from querykin.learning.tweak.training_data import fit_tweak_model, page_training_data
from querykin.model_files import Model
from querykin.vectors import Vectors
from querykin.weighting.term_features import TermFeatureReader
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.chorus import catalogue, judged_facts, judged_products
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import interval, number, table
from reproduce.orderings import by_metric, orderings
from reproduce.published import PublishedOrdering, of_table

FOLDS = 10
FALSE_POSITIVES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7)
PUBLISHED = {
    "TFIDF": (0.794, 0.527, 0.658),
    "TF&DF": (0.806, 0.430, 0.639),
    "plain text": (0.832, 0.503, 0.704),
    "HTML": (0.855, 0.568, 0.750),
}
LEARNED = {"TF&DF": "tf-df", "plain text": "plain", "HTML": "html", "HTML, own words": "html-more"}
PRINTED_METRICS = ("auc", "tpr@0.1", "tpr@0.2")
METRICS = {"auc": "AUC", "tpr@0.1": "TPR at FPR .1", "tpr@0.2": "TPR at FPR .2", "mean_auc": "mean AUC"}
RECALL = 0.95  # of the default threshold; decision 41


def report(workspace: Workspace) -> str:
    """The rows of the paper, with the encyclopedia and with the catalogue as the corpus for queries."""
    rows = [[name, *map(number, values)] for name, values in PUBLISHED.items()]
    paper = "### The paper\n\n" + table(["method", *(METRICS[name] for name in PRINTED_METRICS)], rows)
    corpora = {"encyclopedia": workspace, "catalogue": catalogue()}
    return "\n\n".join([paper, *(_section(name, opened) for name, opened in corpora.items())])


def published(workspace: Workspace) -> list[PublishedOrdering]:
    """TFIDF and the sets of features by the preference loss, as in the paper, in AUC and points of the ROC curve."""
    judged = judged_products()
    printed = by_metric(PRINTED_METRICS, PUBLISHED)
    found = []
    for corpus, opened in {"encyclopedia": workspace, "catalogue": catalogue()}.items():
        by_column = learned_scores(opened)
        scores = {name: by_column[f"{name}, preference" if name in LEARNED else name] for name in PUBLISHED}
        figures = evaluate(judged.judged, scores, judged.relevant, "TFIDF", [])
        ours = orderings(printed, figures, judged, scores)
        on = f"chorus, {corpus}, {RESULTS} results each"
        found += of_table("Yih 2009, table 2", ours, printed, METRICS, on)
    return found


@cache
def learned_scores(workspace: Workspace) -> dict[str, Float64Array]:
    """The scores of TFIDF, and of every set of features and loss without the query of a pair."""
    judged, pages = judged_products(), product_pages()
    scores = {"TFIDF": tfidf(workspace, judged, pages)}
    for name, features in LEARNED.items():
        for loss in ("preference", "log"):
            made = page_training_data(
                workspace, judged.judged, pages, features, loss, relevant=judged.relevant
            )
            scores[f"{name}, {loss}"] = cross_validate(made, FOLDS)
    return scores


def _section(corpus: str, workspace: Workspace) -> str:
    judged = judged_products()
    by_default = scores_by(workspace, [DEFAULT_MEASURE], judged)[DEFAULT_MEASURE]
    scores = {
        **learned_scores(workspace),
        f"{DEFAULT_MEASURE}, of title and description": by_default,
    }
    found = evaluate(judged.judged, scores, judged.relevant, "TFIDF")
    rows = [
        [
            result.measure,
            *(number(result.metrics.values[name]) for name in METRICS),
            f"{result.metrics.values['coverage']:.1%}",
            *(
                interval(result.differences[name].interval if result.differences else None)
                for name in ("auc", "mean_auc")
            ),
        ]
        for result in found.results
    ]
    header = ["method", *METRICS.values(), "covered", "AUC against TFIDF", "mean AUC against TFIDF"]
    title = (
        f"### Queries expanded by the {corpus}: {found.pairs:,} pairs, {found.groups} queries, {FOLDS} folds"
    )
    curves = [[name, *map(number, roc(judged.labels, each))] for name, each in scores.items()]
    figure = table(["true positive rate at a false positive rate of", *map(str, FALSE_POSITIVES)], curves)
    return f"{title}\n\n{table(header, rows)}\n\nFigure 2:\n\n{figure}"


def roc(labels: BoolArray, scores: Float64Array) -> list[float]:
    """The highest true positive rate at each false positive rate; pairs without a score come last.

    >>> roc(np.array([True, False, True, False]), np.array([0.9, 0.8, 0.7, 0.1]))[:2]
    [0.5, 0.5]
    """
    cuts = thresholds(scores, labels.astype(np.float64), 1)
    return [tpr_at(cuts, each) for each in FALSE_POSITIVES]


def tfidf(
    workspace: Workspace, judged: JudgedSet, pages: Sequence[Page], results: int = RESULTS
) -> Float64Array:
    """The baseline of the paper: cosine of tf log(N / df) between the query's results as one text and the page."""
    reader = TermFeatureReader(workspace.expander.corpus, workspace.query_frequencies)
    expanded = reader.of_results(workspace.expander.expand(judged.judged.queries.distinct, results))
    shown = page_terms(reader, pages)
    rows = [
        Vectors(t.indptr, t.terms, t.counts * t.idf, "").select(t.idf > 0).unit() for t in (expanded, shown)
    ]
    return rows[0].dot(rows[1], judged.judged.queries.ids, np.arange(len(pages)))


def product_pages() -> list[Page]:
    """The page of each judged product."""
    return [Page.of_html(product_html(product)) for product in judged_facts()]


def product_html(product: dict[str, Any]) -> str:
    """A product page in HTML: title, description, heading, and a table of attributes."""
    facts = "".join(
        f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{escape(str(value))}</td></tr>"
        for name, value in product["attributes"].items()
    )
    return (
        f"<html><head><title>{escape(product['title'] or '')}</title>"
        f'<meta name="description" content="{escape(product["short_description"] or "")}"></head>'
        f"<body><h1>{escape(product['name'] or '')}</h1><p>{escape(product['supplier'] or '')}</p>"
        f"<table>{facts}</table></body></html>"
    )


def shipped(workspace: Workspace) -> Model:
    """The model trained on all products, with its threshold."""
    judged = judged_products()
    made = page_training_data(workspace, judged.judged, product_pages(), relevant=judged.relevant)
    model = fit_tweak_model(made, "landing-pages", "chorus")
    model = replace(model, training={**model.training, "pages": True})
    return with_threshold(model, made, partial(threshold_for_recall, recall=RECALL))[0]


if __name__ == "__main__":
    data.show(report)
