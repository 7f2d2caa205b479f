"""Table 2 of Yih (2009): relevance of product pages by term weights trained without the query.

`python -m reproduce.landing_pages`; `python -m reproduce.landing_pages ship` trains the shipped weights and chooses their
threshold, `python -m reproduce.landing_pages threshold` chooses the threshold only. Pages are generated from the fields of the
catalogue.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.evaluation import evaluate
from querykin.learning.cross_validation import cross_validate
from querykin.learning.landing_pages.pages import Page, page_terms
from querykin.learning.landing_pages.threshold import threshold_for_recall, with_threshold
from querykin.learning.tweak.training_data import TweakTrainingData, fit_tweak_model, page_training_data
from querykin.model_files import Model
from querykin.vectors import Vectors
from querykin.weighting.term_features import TermFeatureReader
from reproduce import data
from reproduce.chorus import catalogue, judged_facts, judged_products
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import interval, number, table

FOLDS = 10
PUBLISHED = {
    "TFIDF": (0.794, 0.527, 0.658),
    "TF&DF": (0.806, 0.430, 0.639),
    "plain text": (0.832, 0.503, 0.704),
    "HTML": (0.855, 0.568, 0.750),
}
LEARNED = {"TF&DF": "tf-df", "plain text": "plain", "HTML": "html", "HTML, own words": "html-more"}
METRICS = {"auc": "AUC", "tpr@0.1": "TPR at FPR .1", "tpr@0.2": "TPR at FPR .2", "mean_auc": "mean AUC"}
MODEL = data.ROOT / "src" / "querykin" / "learning" / "shipped" / "landing-pages.json"
RECALL = 0.95  # of the default threshold; decision 41


def report(workspace: Workspace) -> str:
    """The rows of the paper, with the encyclopedia and with the catalogue as the corpus for queries."""
    rows = [[name, *map(number, values)] for name, values in PUBLISHED.items()]
    paper = "### The paper\n\n" + table(["method", "AUC", "TPR at FPR .1", "TPR at FPR .2"], rows)
    corpora = {"encyclopedia": workspace, "catalogue": catalogue()}
    return "\n\n".join([paper, *(_section(name, opened) for name, opened in corpora.items())])


def _section(corpus: str, workspace: Workspace) -> str:
    judged, pages = judged_products(), product_pages()
    scores = {"TFIDF": tfidf(workspace, judged, pages)}
    for name, features in LEARNED.items():
        for loss in ("preference", "log"):
            made = page_training_data(
                workspace, judged.judged, pages, features, loss, relevant=judged.relevant
            )
            scores[f"{name}, {loss}"] = cross_validate(made, FOLDS)
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
    return f"{title}\n\n{table(header, rows)}"


def tfidf(workspace: Workspace, judged: JudgedSet, pages: Sequence[Page], results: int = 200) -> Float64Array:
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


def ship(workspace: Workspace) -> str:
    """Train on all products and write the shipped file."""
    made = _training_data(workspace)
    model = fit_tweak_model(made, "landing-pages", "chorus")
    return _write(replace(model, training={**model.training, "pages": True}), made)


def choose_threshold(workspace: Workspace) -> str:
    """Choose the threshold of the shipped weights again and leave the weights as they are."""
    return _write(workspace.model("landing-pages"), _training_data(workspace))


def _training_data(workspace: Workspace) -> TweakTrainingData:
    judged = judged_products()
    return page_training_data(workspace, judged.judged, product_pages(), relevant=judged.relevant)


def _write(model: Model, training_data: TweakTrainingData) -> str:
    chosen, threshold = with_threshold(model, training_data, partial(threshold_for_recall, recall=RECALL))
    chosen.write(MODEL)
    return f"written: {MODEL.relative_to(data.ROOT)}: {chosen.content} {threshold}"


if __name__ == "__main__":
    data.show({"ship": ship, "threshold": choose_threshold}.get("".join(sys.argv[1:]), report))
