"""Gradient-boosted trees: fitted by scikit-learn, stored as plain arrays, evaluated here.

scikit-learn can only pickle a fitted model, and loading a pickle runs code. The nodes of its trees are
extracted once, after training; a test checks that the evaluation here equals scikit-learn's.
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
_NODE_FIELDS = {  # our names of the fields of scikit-learn's nodes
    "feature": "feature_idx",
    "thresholds": "num_threshold",
    "left": "left",
    "right": "right",
    "leaf": "is_leaf",
    "value": "value",
}
_DTYPES: dict[str, type[np.generic]] = {  # in the order of the parameters of _predict
    "tree_offsets": np.int64,
    "feature": np.int64,
    "thresholds": np.float64,
    "left": np.int64,
    "right": np.int64,
    "leaf": np.bool_,
    "value": np.float64,
}


def fit_trees(
    features: Float64Array, sample_weight: Float64Array, targets: Float64Array, increasing: BoolArray
) -> dict[str, Any]:
    """Fit trees to targets from 0 to 1; the prediction never falls as an `increasing` feature rises.

    Returns the nodes of all trees as lists that JSON can hold. Binary targets give log-odds ("logistic"),
    others a regression.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    binary = bool(np.isin(targets, (0, 1)).all())
    if not len(targets):
        return {"base": 0.0, "logistic": True, "tree_offsets": [0], **{name: [] for name in _NODE_FIELDS}}
    kind = HistGradientBoostingClassifier if binary else HistGradientBoostingRegressor
    learner = kind(**_SETTINGS, monotonic_cst=increasing.astype(int))
    with limit_blas_threads():
        learner.fit(features, targets, sample_weight=sample_weight)
    trees = [stage[0].nodes for stage in learner._predictors]
    nodes = {name: np.concatenate([tree[field] for tree in trees]) for name, field in _NODE_FIELDS.items()}
    return {
        "base": float(np.ravel(learner._baseline_prediction)[0]),
        "logistic": binary,
        "tree_offsets": np.cumsum([0, *map(len, trees)]).tolist(),
        **{name: values.tolist() for name, values in nodes.items()},
    }


@njit
def _predict(
    features: Float64Array,
    out: Float64Array,
    tree_offsets: Int64Array,
    feature: Int64Array,
    thresholds: Float64Array,
    left: Int64Array,
    right: Int64Array,
    leaf: BoolArray,
    value: Float64Array,
) -> None:
    for row in range(len(features)):
        for tree in range(len(tree_offsets) - 1):
            node = tree_offsets[tree]
            while not leaf[node]:
                goes_left = features[row, feature[node]] <= thresholds[node]
                node = tree_offsets[tree] + (left[node] if goes_left else right[node])
            out[row] += value[node]


def tree_scores(trees: Mapping[str, Any], features: Float64Array) -> Float64Array:
    """The prediction for each row: log-odds for binary targets, else the target itself."""
    out = np.full(len(features), float(trees["base"]))
    arrays = [np.array(trees[name], dtype) for name, dtype in _DTYPES.items()]
    _predict(np.ascontiguousarray(features), out, *arrays)
    return out
