"""Boosted trees: learnt by scikit-learn, kept as plain numbers, evaluated by a loop of our own.

scikit-learn can only pickle what it has learnt, and a pickle is a program. The nodes of its trees are read
out once, after training; a test holds that the loop here gives what scikit-learn gives.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.compute.jit import njit
from querykin.compute.threads import limit_blas_threads

_SETTINGS: dict[str, Any] = {
    "max_iter": 150,
    "learning_rate": 0.06,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 30,
    "l2_regularization": 1.0,
    "early_stopping": False,
    "random_state": 0,
}


def fit_trees(
    features: Float64Array, counts: Float64Array, targets: Float64Array, rising: BoolArray
) -> dict[str, Any]:
    """Trees that predict targets from 0 to 1; more of a rising feature never lowers the prediction."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    binary = bool(np.isin(targets, (0, 1)).all())
    if not len(targets):
        return {"base": 0.0, "logistic": True, "first": [0], **{name: [] for name in _FIELDS}}
    kind = HistGradientBoostingClassifier if binary else HistGradientBoostingRegressor
    learner = kind(**_SETTINGS, monotonic_cst=rising.astype(int))
    with limit_blas_threads():
        learner.fit(features, targets, sample_weight=counts)
    nodes = [stage[0].nodes for stage in learner._predictors]
    return {
        "base": float(np.ravel(learner._baseline_prediction)[0]),
        "logistic": binary,
        "first": np.cumsum([0, *(len(tree) for tree in nodes)]).tolist(),
        **{name: np.concatenate([tree[field] for tree in nodes]).tolist() for name, field in _FIELDS.items()},
    }


_FIELDS = {
    "feature": "feature_idx",
    "least": "num_threshold",
    "left": "left",
    "right": "right",
    "leaf": "is_leaf",
    "value": "value",
}
_KINDS: dict[str, type[np.generic]] = {
    "first": np.int64,
    "feature": np.int64,
    "least": np.float64,
    "left": np.int64,
    "right": np.int64,
    "leaf": np.bool_,
    "value": np.float64,
}


@njit
def _predict(
    features: Float64Array,
    out: Float64Array,
    first: Int64Array,
    feature: Int64Array,
    least: Float64Array,
    left: Int64Array,
    right: Int64Array,
    leaf: BoolArray,
    value: Float64Array,
) -> None:
    for row in range(len(features)):
        for tree in range(len(first) - 1):
            node = first[tree]
            while not leaf[node]:
                lower = features[row, feature[node]] <= least[node]
                node = first[tree] + (left[node] if lower else right[node])
            out[row] += value[node]


def tree_scores(trees: Mapping[str, Any], features: Float64Array) -> Float64Array:
    """What trees say of each line: the logarithm of the odds, or the predicted target itself."""
    out = np.full(len(features), float(trees["base"]))
    arrays = [np.array(trees[name], kind) for name, kind in _KINDS.items()]
    _predict(np.ascontiguousarray(features), out, *arrays)
    return out
