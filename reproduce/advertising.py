"""Advertising keywords for products, an application named by Yih & Meek (2007): `python -m reproduce.advertising`.

The three steps of the guide "Find advertising keywords for a product": keywords of the product's page, the past queries
nearest to them, and of these the ones whose results are like the page. Judged are the pairs of query and product that
people rated; the weights of the filter are learned without the query.
"""

import numpy as np

from querykin import Document, Workspace
from querykin.compute.arrays import BoolArray, Float64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.learning.cross_validation import cross_validate
from querykin.learning.keywords.extraction import extract
from querykin.learning.landing_pages.threshold import threshold_for_recall
from querykin.learning.tweak.training_data import page_training_data
from reproduce import data
from reproduce.chorus import catalogue, judged_facts, judged_products
from reproduce.judged_sets import JudgedSet
from reproduce.landing_pages import RECALL, product_pages
from reproduce.markdown import number, table

KEYWORDS = 10  # phrases of a page
NEAREST = (1, 3, 5)  # past queries of each phrase
MEASURES = (DEFAULT_MEASURE, "web-kernel", "jaccard-stems")
FOLDS = 10


def report(encyclopedia: Workspace) -> str:
    """Precision and recall of the proposals, with and without the filter."""
    judged, corpus = judged_products(), catalogue()
    workspace = data.linked(corpus, "advertising", ("corpus",))
    if not len(workspace.repository):
        workspace.repository.add((query, 1) for query in judged.judged.queries.distinct)
        workspace = workspace.reopen()
    products, phrases = product_phrases(corpus)
    kept, ids = held_out_filter(encyclopedia, judged), [product["id"] for product in judged_facts()]
    rows = [["every judged pair", "", *_quality(judged, np.ones(len(kept), np.bool_), kept)]]
    for name in MEASURES:
        workspace.build(name)
        workspace = workspace.reopen()
        for nearest in NEAREST:
            found = proposals(workspace, name, products, phrases, nearest)
            proposed = np.array([pair in found for pair in zip(ids, judged.left, strict=True)], np.bool_)
            rows.append([name, str(nearest), *_quality(judged, proposed, kept)])
            print("  " + " | ".join(rows[-1]), flush=True)
    header = ["measure", "queries of a phrase", "judged pairs", "good", "share of the good"]
    filtered = ["kept", "good among them", "share of the good"]
    facts = (
        f"{len(products):,} products, {KEYWORDS} phrases each, {len(workspace.repository)} past queries; {len(kept):,} judged "
        f"pairs. The threshold of the filter keeps {RECALL:.0%} of the good pairs."
    )
    return f"{facts}\n\n{table([*header, *filtered], rows)}"


def product_phrases(workspace: Workspace) -> tuple[list[str], list[list[str]]]:
    """The judged products, and the phrases of each one's page."""
    pages = {}
    for product in judged_facts():
        described = [
            product["short_description"] or "",
            *(f"{k} {v}" for k, v in product["attributes"].items()),
        ]
        pages[product["id"]] = Document(product["id"], product["title"] or "", ". ".join(described))
    found = extract(workspace, list(pages.values()), KEYWORDS, phrases=True)
    return list(pages), [[keyword.word for keyword in each.keywords] for each in found]


def proposals(
    workspace: Workspace, measure: str, products: list[str], phrases: list[list[str]], nearest: int
) -> set[tuple[str, str]]:
    """The past queries proposed for each product."""
    distinct = sorted({phrase for each in phrases for phrase in each})
    found = workspace.match(distinct, nearest, measure)
    queries = {
        phrase: [suggestion.query for suggestion in each.suggestions]
        for phrase, each in zip(distinct, found, strict=True)
    }
    return {
        (product, query)
        for product, each in zip(products, phrases, strict=True)
        for phrase in each
        for query in queries[phrase]
    }


def held_out_filter(workspace: Workspace, judged: JudgedSet) -> BoolArray:
    """Which pairs the filter keeps by weights learned without their query; one threshold for all."""
    made = page_training_data(workspace, judged.judged, product_pages(), relevant=judged.relevant)
    scores: Float64Array = cross_validate(made, FOLDS)
    threshold = threshold_for_recall(scores, judged.judged.grades, judged.relevant, RECALL).score
    kept: BoolArray = scores >= threshold
    return kept


def _quality(judged: JudgedSet, proposed: BoolArray, kept: BoolArray) -> list[str]:
    cells = []
    for chosen in (proposed, proposed & kept):
        good = int((judged.labels & chosen).sum())
        precision, recall = good / max(1, int(chosen.sum())), good / int(judged.labels.sum())
        cells += [f"{chosen.sum():,}", number(precision), number(recall)]
    return cells


if __name__ == "__main__":
    data.show(report)
