"""Web-relevance (Yih & Meek 2007): its settings, and a comparison with related measures: `python -m reproduce.web_relevance`."""

from dataclasses import replace

import numpy as np

from querykin import Workspace
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation import evaluate
from querykin.learning.keywords.web_relevance import WebRelevance
from reproduce import data
from reproduce.cached_scores import scores_by, scores_of
from reproduce.judged_sets import JudgedSet, auc, read_sets
from reproduce.markdown import interval, number, table

SETS = ("uqv100", "bird", "neuqs QR", "trec_tasks", "patent")
SETTLED_ON = SETS[:3]
RESULTS = (10, 20, 30, 50)
KEEP = (1.0, 0.97, 0.9, 0.8, 0.6, 0.4)
SAMPLE = 1000  # texts whose rows are measured
BESIDE = ["tfidf", "web-kernel-paper", "dense-prob", "web-kernel", DEFAULT_MEASURE, "web-relevance"]
METRICS = {"auc": "AUC", "mean_auc": "mean AUC", "map": "MAP", "p@1": "P@1", "p@3": "P@3"}


def report(workspace: Workspace) -> str:
    """The settings, then every set."""
    measure = workspace.measure("web-relevance")
    assert isinstance(measure, WebRelevance)
    sets = {judged.name: judged for judged in read_sets(SETS)}
    settled = [sets[name] for name in SETTLED_ON]
    return "\n\n".join(
        [_settings(measure, settled), *(_beside(workspace, judged) for judged in sets.values())]
    )


def _settings(chosen: WebRelevance, sets: list[JudgedSet]) -> str:
    """AUC by number of results without truncation; then by degree of truncation."""
    tried = [replace(chosen, results=results, keep=1.0) for results in RESULTS]
    tried += [replace(chosen, keep=keep) for keep in KEEP if keep < 1]
    texts = sorted({text for judged in sets for text in judged.left})
    texts = texts[:: len(texts) // SAMPLE or 1]
    rows = []
    for measure in tried:
        figures = [auc(judged.labels, scores_of(measure, judged, measure.index_settings)) for judged in sets]
        terms = float(np.diff(measure.encode_candidates(texts).indptr).mean())
        rows.append(
            [
                str(measure.results),
                f"{measure.keep:g}",
                *map(number, figures),
                number(float(np.mean(figures))),
                f"{terms:.0f}",
            ]
        )
        print(" | ".join(rows[-1]), flush=True)
    header = ["results", "keep", *(f"{judged.name}: AUC" for judged in sets), "mean", "terms a row"]
    return f"### Settings; the default is results {chosen.results}, keep {chosen.keep:g}\n\n{table(header, rows)}"


def _beside(workspace: Workspace, judged: JudgedSet) -> str:
    found = evaluate(judged.judged, scores_by(workspace, BESIDE, judged), judged.relevant, BESIDE[-1])
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
    header = [
        "measure",
        *METRICS.values(),
        "covered",
        "AUC against web-relevance",
        "mean AUC against web-relevance",
    ]
    title = f"### {judged.name}: {found.pairs:,} pairs, {found.groups:,} groups"
    return f"{title}\n\n{table(header, rows)}"


if __name__ == "__main__":
    data.show(report)
