"""Whether more is known of a suggestion than its score: logistic regressions, cross-validated by query."""

from collections.abc import Callable, Sequence

import numpy as np

from querykin import Workspace
from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.evaluation import metrics
from querykin.evaluation.ranked_groups import rank
from querykin.learning.cross_validation import group_folds
from querykin.learning.linear import Prior, fit_weights
from querykin.text.tokenizer import words
from reproduce.judged_sets import JudgedSet
from reproduce.markdown import number, table
from reproduce.suggestion_calibration import log_loss, suggestion_pairs

FOLDS = 9
_VARIANCE = 1.0  # of the prior of standardized features

Feature = Callable[[Workspace, JudgedSet], Float64Array]


def report(opened: Workspace, judged: JudgedSet) -> str:
    """Each further feature beside the score."""
    known = {"score": suggestion_pairs(opened, judged).scores["hybrid"]}
    known |= {name: feature(opened, judged) for name, feature in FEATURES.items()}
    rows = []
    for others in ((), *((name,) for name in FEATURES), tuple(FEATURES)):
        features = np.column_stack([known[name] for name in ("score", *others)])
        predicted = out_of_fold(features, judged.labels, judged.judged.groups.ids)
        ranked = rank(predicted, judged.judged.grades, judged.judged.groups.ids, judged.relevant)
        value = metrics.mean(metrics.group_auc(ranked))
        title = "all of these" if len(others) > 1 else f"+ {others[0]}" if others else "score of hybrid"
        rows.append([title, number(value), number(log_loss(predicted, judged.labels))])
    text = (
        f"A logistic regression of good on the score and more, {FOLDS} folds over queries: mean AUC within a query, and the "
        "log loss of the probabilities."
    )
    return f"### More features\n\n{text}\n\n{table(['features', 'mean AUC', 'log loss'], rows)}"


def out_of_fold(features: Float64Array, relevant: BoolArray, groups: Int64Array) -> Float64Array:
    """Probabilities by regressions that were fitted without the group."""
    folds, predicted = group_folds(groups, FOLDS), np.zeros(len(features))
    for fold in range(FOLDS):
        training, test = folds != fold, folds == fold
        mean, spread = features[training].mean(axis=0), features[training].std(axis=0) + 1e-9
        standardized = (features - mean) / spread
        prior = Prior(np.full(features.shape[1], _VARIANCE), np.zeros(features.shape[1], np.bool_))
        ones = np.ones(int(training.sum()))
        *weights, shift = fit_weights(
            standardized[training], ones, relevant[training].astype(np.float64), prior, True
        )
        predicted[test] = 1 / (1 + np.exp(-(standardized[test] @ weights + shift)))
    return predicted


def _of_words(value: Callable[[Sequence[str], Sequence[str]], float]) -> Feature:
    """A feature that depends on the words of query and candidate."""

    def feature(opened: Workspace, judged: JudgedSet) -> Float64Array:
        return np.array([value(words(a), words(b)) for a, b in judged.judged.pairs()], np.float64)

    return feature


FEATURES: dict[str, Feature] = {
    "log count": lambda opened, judged: np.log1p(opened.query_counts(judged.right)),
    "one word of several of the query": _of_words(lambda a, b: len(b) == 1 and len(a) > 1 and b[0] in a),
    "share of the query's words": _of_words(lambda a, b: len({*a} & {*b}) / max(1, len(a))),
    "share of the candidate's words": _of_words(lambda a, b: len({*a} & {*b}) / max(1, len(b))),
}
