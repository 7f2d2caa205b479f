"""Answers to factoid questions, an application of Sahami & Heilman (2006): `python -m reproduce.answers`.

Two controls need no similarity at all: a right answer shares no word with its question more often than a wrong one, and
its words stand in the documents that the question finds. The second is a feature beside embeddings.
"""

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import Float64Array, Int32Array, Int64Array
from querykin.defaults import DEFAULT_MEASURE
from querykin.evaluation import evaluate
from querykin.learning.cross_validation import Content, cross_val_predict
from querykin.search.expansion import Expander
from querykin.search.query_parser import parse_queries
from reproduce import data
from reproduce.cached_scores import scores_by
from reproduce.judged_sets import JudgedSet, read_set
from reproduce.markdown import interval, number, table
from reproduce.yih_meek_learning import Logistic, fit_preference, votes

MEASURES = [DEFAULT_MEASURE, "dense", "static", "web-kernel", "web-kernel-paper", "jaccard-stems"]
NO_WORD, IN_RESULTS = "no word of the question", "its words in the question's results"
RESULTS = 30  # of a question
FOLDS = 10
METRICS = {"auc": "AUC", "mean_auc": "mean AUC", "p@1": "P@1", "map": "MAP"}


def report(workspace: Workspace) -> str:
    """Measures and controls alone, then each measure, and with the control, with the feature, by cross-validation over questions."""
    judged = read_set("factoid")
    names = [name for name in MEASURES if name in workspace.measures()]
    scores = scores_by(workspace, names, judged)
    scores[NO_WORD] = (scores["jaccard-stems"] == 0).astype(np.float64)
    scores[IN_RESULTS] = holding_results(workspace.expander, judged)
    both = {}
    for name in names[:-1]:
        for beside in ("", NO_WORD):
            columns = [scores[each] for each in (name, beside) if each]
            title = f"{name} and *{beside}*" if beside else name
            both[title] = learned(judged, columns)
            both[f"{title}, with {IN_RESULTS}"] = learned(judged, [*columns, scores[IN_RESULTS]])
        print(f"  {name}", flush=True)
    return "\n\n".join([_alone(judged, scores), _added(judged, both)])


def holding_results(expander: Expander, judged: JudgedSet) -> Float64Array:
    """How many of a question's results hold all stems of the candidate, those of the question left out.

    A candidate whose words all stand in the question has none.
    """
    stem_of = expander.corpus.vocabulary.stem
    candidates = parse_queries(judged.right, expander.corpus)
    found = np.zeros(len(judged.judged))
    held: dict[str, tuple[set[int], list[set[int]]]] = {}
    for place, question in enumerate(judged.left):
        if question not in held:
            held[question] = _stems(expander, question, stem_of)
        own, documents = held[question]
        wanted = set(candidates.terms(place)[0].tolist()) - own
        found[place] = sum(wanted <= document for document in documents) if wanted else 0
    return found


def _stems(expander: Expander, question: str, stem_of: Int32Array) -> tuple[set[int], list[set[int]]]:
    """The stems of a question, and of each of its results."""
    queries, results, _ = expander.search([question], RESULTS)
    documents = []
    for number_of_segment, place in zip(results.segment_ids, results.ordinals, strict=True):
        segment = results.segments[number_of_segment]
        tokens = segment.tokens[segment.indptr[place] : segment.indptr[place + 1]]
        documents.append(set(stem_of[tokens >> 2].tolist()))
    return set(queries.terms(0)[0].tolist()), documents


def learned(judged: JudgedSet, columns: list[Float64Array]) -> Float64Array:
    """Scores by preferences over these features, each by weights learned without the question."""
    rows, groups = (
        np.column_stack([np.log1p(np.maximum(column, 0)) for column in columns]),
        judged.judged.groups.ids,
    )

    def fit(train: Int64Array) -> Content:
        return {"model": fit_preference(rows[train], judged.judged.grades[train], groups[train])}

    def predict(content: Content, test: Int64Array) -> Float64Array:
        model: Logistic = content["model"]
        return votes(model.logits(rows[test]), groups[test])

    return cross_val_predict(groups, FOLDS, fit, predict)


def _alone(judged: JudgedSet, scores: dict[str, Float64Array]) -> str:
    found = evaluate(judged.judged, scores, judged.relevant, NO_WORD, [NO_WORD, IN_RESULTS])
    rows = [
        [
            result.measure,
            *(number(result.metrics.values[metric]) for metric in METRICS),
            f"{result.metrics.values['coverage']:.1%}",
            interval(result.differences["mean_auc"].interval if result.differences else None),
        ]
        for result in found.results
    ]
    title = f"{found.pairs:,} candidates of {found.groups:,} questions, {found.usable_groups:,} with right and wrong ones."
    header = ["score", *METRICS.values(), "covered", f"mean AUC against *{NO_WORD}*"]
    return f"{title}\n\n{table(header, rows)}"


def _added(judged: JudgedSet, both: dict[str, Float64Array]) -> str:
    rows = []
    names = list(both)
    for alone, together in zip(names[::2], names[1::2], strict=True):
        found = evaluate(
            judged.judged, {each: both[each] for each in (alone, together)}, judged.relevant, alone, names
        )
        values = [number(found.result(each).metrics.values["mean_auc"]) for each in (alone, together)]
        gain = interval(found.result(together).differences["mean_auc"].interval)
        rows.append([alone, *values, gain])
    title = f"Learned from preferences in {FOLDS} folds over questions, mean AUC, without and with *{IN_RESULTS}*:"
    return f"{title}\n\n{table(['learned from', 'without', 'with it', 'gain'], rows)}"


if __name__ == "__main__":
    data.show(report)
