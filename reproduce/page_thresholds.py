"""Thresholds of the landing-page filter: what they keep, with other corpora, on other pages, on held-out queries.

`python -m reproduce.page_thresholds`. Weights are trained with the encyclopedia as the corpus, in ten folds of queries;
the threshold of a fold is chosen on the scores of the other folds.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array
from querykin.io.tables import as_text, read_table
from querykin.learning.cross_validation import group_folds
from querykin.learning.landing_pages.pages import Page, PageScorer
from querykin.learning.landing_pages.threshold import (
    ThresholdChoice,
    threshold_for,
    threshold_for_recall,
)
from querykin.learning.landing_pages.threshold_check import ThresholdCheck
from querykin.learning.tweak.training_data import page_training_data
from reproduce import data
from reproduce.chorus import catalogue, catalogue_sample, judged_products
from reproduce.landing_pages import FOLDS, RECALL, product_pages
from reproduce.markdown import number, table

FORMER_PRECISION = 0.8  # the goal of the threshold of querykin 0.1
FORMER_THRESHOLD = 0.46
GOALS: dict[str, ThresholdChoice] = {
    **{f"recall {share}": partial(threshold_for_recall, recall=share) for share in (0.99, 0.95, 0.9, 0.75)},
    **{f"precision {share}": partial(threshold_for, precision=share) for share in (0.7, 0.75, 0.8)},
}
SAMPLES = (3000, 300)  # products of small catalogues
BOILERPLATE = 3000  # characters of a foreign text at the end of a page
ENTITY_SUBSETS = ("SemSearch_ES", "INEX_LD")  # queries of keywords


def report(workspace: Workspace) -> str:
    """Thresholds by goal, the default with other corpora, and the shipped model on other pages."""
    return "\n\n".join([_goals_and_corpora(workspace), _other_pages(workspace)])


def _goals_and_corpora(workspace: Workspace) -> str:
    judged, pages = judged_products(), product_pages()
    relevant, grades, groups = judged.relevant, judged.judged.grades, judged.judged.groups.ids
    trained = page_training_data(workspace, judged.judged, pages, relevant=relevant)
    corpora = {"encyclopedia": workspace, "catalogue, 19,406 products": catalogue()}
    corpora |= {f"{size:,} of its products": catalogue_sample(size) for size in SAMPLES}
    folds = group_folds(groups, FOLDS)
    models = [trained.learn(np.flatnonzero(folds != fold)) for fold in range(FOLDS)]
    scores = {}
    for name, corpus in corpora.items():
        scored = page_training_data(corpus, judged.judged, pages, relevant=relevant)
        scores[name] = np.full(len(grades), np.nan)
        for fold in range(FOLDS):
            rows = np.flatnonzero(folds == fold)
            scores[name][rows] = scored.scores(models[fold], rows)
    own = scores["encyclopedia"]

    def row(name: str, goal: ThresholdChoice, corpus: str) -> list[str]:
        cuts = np.array(
            [goal(own[folds != fold], grades[folds != fold], relevant).score for fold in range(FOLDS)]
        )
        kept = scores[corpus] >= cuts[folds]
        return [
            name,
            f"{cuts.min():.2f} to {cuts.max():.2f}",
            *_outcome(kept, grades >= relevant, grades >= 3),
        ]

    header = ["threshold", "kept", "precision", "recall", "recall of grade 3", "bad pages dropped"]
    goals = [row(name, goal, "encyclopedia") for name, goal in GOALS.items()]
    default, former = GOALS[f"recall {RECALL}"], GOALS[f"precision {FORMER_PRECISION}"]
    other = [row(f"{corpus}: recall {RECALL}", default, corpus) for corpus in corpora]
    other += [row(f"{corpus}: precision {FORMER_PRECISION}", former, corpus) for corpus in corpora]
    return (
        f"### Goals: {len(grades):,} pairs, {len(np.unique(groups))} queries, {FOLDS} folds\n\n"
        f"{table(['goal', *header], goals)}\n\n"
        f"### The same thresholds with other corpora\n\n{table(['corpus: goal', *header], other)}"
    )


def _outcome(kept: np.ndarray, good: np.ndarray, perfect: np.ndarray) -> list[str]:
    shares = (kept.mean(), good[kept].mean(), kept[good].mean(), kept[perfect].mean(), (~kept)[~good].mean())
    return [number(float(share)) for share in shares]


def _other_pages(workspace: Workspace) -> str:
    scorer = PageScorer.of(workspace)
    default = scorer.threshold()
    judged, pages = judged_products(), product_pages()
    queries, grades = judged.judged.queries.at(range(len(pages))), judged.judged.grades
    entity_queries, entities, entity_grades = entity_pages()
    foreign = [page.text[:BOILERPLATE] for page in entities]
    longer = [replace(p, text=f"{p.text} {foreign[i % len(foreign)]}") for i, p in enumerate(pages)]
    products: dict[str, Callable[[], Sequence[Page]]] = {
        "product pages": lambda: pages,
        "with foreign text": lambda: longer,
        "without title and description": lambda: [Page(page.text) for page in pages],
    }
    pairs = queries, grades, judged.relevant
    rows = [_checked(name, scorer, default, made(), *pairs) for name, made in products.items()]
    for name, corpus in {"catalogue": catalogue(), "300 of its products": catalogue_sample(300)}.items():
        rows.append(_checked(f"product pages; corpus: {name}", PageScorer.of(corpus), default, pages, *pairs))
    rows.append(_checked("product pages", scorer, FORMER_THRESHOLD, pages, *pairs))
    rows.append(_checked("entities", scorer, default, entities, entity_queries, entity_grades, 2))
    header = [
        "pages",
        "threshold",
        "kept",
        "precision",
        "recall",
        "chance",
        "dropped above chance",
        "mismatched kept",
        "remark",
    ]
    return f"### The shipped model on other pages\n\n{table(header, rows)}"


def _checked(
    name: str,
    scorer: PageScorer,
    threshold: float,
    pages: Sequence[Page],
    queries: Sequence[str],
    grades: Float64Array,
    relevant: float,
) -> list[str]:
    check = ThresholdCheck()
    scores, mismatched = scorer.score_with_mismatched(queries, pages)
    check.add(scores, mismatched)
    kept, good = scores >= threshold, grades >= relevant
    remark = check.remark(threshold) or ""
    shares = (kept.mean(), good[kept].mean(), kept[good].mean(), *check.shares(threshold))
    verdict = next((word for word in ("too high", "too low") if word in remark), "none")
    return [name, f"{threshold:.2f}", *(number(float(share)) for share in shares), verdict]


def entity_pages() -> tuple[list[str], list[Page], Float64Array]:
    """Queries and encyclopedia articles of judged entities (dbpedia), with grades from 0 to 2."""
    table_rows = read_table(str(data.labelled_file("dbpedia")), ["query", "entity_title", "label"]).rows
    rows = [row for row in table_rows if row["subset"] in ENTITY_SUBSETS]
    wanted = {as_text(row["entity_title"]) for row in rows}
    pages = {each.title: Page(each.text, each.title) for each in data.documents() if each.title in wanted}
    known = [row for row in rows if as_text(row["entity_title"]) in pages]
    return (
        [as_text(row["query"]) for row in known],
        [pages[as_text(row["entity_title"])] for row in known],
        np.array([float(as_text(row["label"])) for row in known]),
    )


if __name__ == "__main__":
    data.show(report)
