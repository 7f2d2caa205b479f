"""What the content of a model file may be, by its kind; what somebody else wrote is checked before use."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

# Larger than any model that is trained here: boosting makes 150 trees of at most 15 nodes.
MAX_FEATURES, MAX_NODES = 10_000, 1_000_000
# Weights beyond it are of no use, and their products with features would overflow.
_LARGEST = 1e100

Number = Annotated[FiniteFloat, Field(ge=-_LARGEST, le=_LARGEST)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[list[Name], Field(max_length=MAX_FEATURES)]
Numbers = Annotated[list[Number], Field(max_length=MAX_FEATURES)]
NodeNumbers = Annotated[list[Annotated[int, Field(ge=0, le=MAX_NODES)]], Field(max_length=MAX_NODES + 1)]
# Scikit-learn's thresholds of nodes that only separate missing values are infinite.
NodeValues = Annotated[list[float], Field(max_length=MAX_NODES)]


class _Content(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")


class _Calibration(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    slope: Number
    shift: Number
    prior: Annotated[FiniteFloat, Field(gt=0, lt=1)]


class _Trees(_Content):
    base: Number
    tree_offsets: Annotated[NodeNumbers, Field(min_length=1)]
    feature: NodeNumbers
    thresholds: NodeValues
    left: NodeNumbers
    right: NodeNumbers
    leaf: Annotated[list[bool | Literal[0, 1]], Field(max_length=MAX_NODES)]
    value: Annotated[list[Number], Field(max_length=MAX_NODES)]

    @model_validator(mode="after")
    def _is_a_forest(self) -> "_Trees":
        """Every node has its place, and children come after their parents: a walk ends at a leaf."""
        columns = (self.feature, self.thresholds, self.left, self.right, self.leaf, self.value)
        if {len(column) for column in columns} != {self.tree_offsets[-1]}:
            raise ValueError("the nodes of the trees are incomplete")
        if self.tree_offsets[0] != 0 or any(map(lambda x: x != x, self.thresholds)):
            raise ValueError("the trees do not begin at 0, or have NaN as a threshold")
        trees = list(pairwise(self.tree_offsets))
        if any(begin >= end for begin, end in trees):
            raise ValueError("a tree has no nodes")
        for begin, end in trees:
            for node in range(begin, end):
                children = (begin + self.left[node], begin + self.right[node])
                if not self.leaf[node] and not all(node < child < end for child in children):
                    raise ValueError(f"node {node} of the trees leads to none that comes after it")
        return self


class _Combination(_Content):
    measures: Annotated[Names, Field(min_length=1)]
    first_stage: Names
    loss: Literal["preference", "metric"]
    features: Annotated[Names, Field(min_length=1)]
    missing_values: Numbers
    feature_means: Numbers
    calibration: _Calibration
    weights: Numbers | None = None
    shift: Number | None = None
    trees: _Trees | None = None

    @model_validator(mode="after")
    def _fits(self) -> "_Combination":
        width = len(self.features)
        if len(set(self.features)) != width:
            raise ValueError("a feature is there twice")
        lists = (
            self.missing_values,
            self.feature_means,
            self.features if self.weights is None else self.weights,
        )
        if {len(each) for each in lists} != {width}:
            raise ValueError("features, missing values, means and weights are not of one length")
        if (self.weights is None) == (self.trees is None) or (
            self.weights is not None and self.shift is None
        ):
            raise ValueError("weights with a shift, or trees, are needed")
        inner = self.trees and zip(self.trees.feature, self.trees.leaf, strict=True)
        if any(feature >= width and not leaf for feature, leaf in inner or ()):
            raise ValueError("the trees have a feature that is not among the features")
        if not set(self.first_stage) <= set(self.measures):
            raise ValueError("the first stage has a measure that is not combined")
        return self


class _TermWeights(_Content):
    features: Annotated[Names, Field(min_length=1)]
    weights: Numbers
    results: Annotated[int, Field(ge=1, le=100_000)]
    threshold: Annotated[FiniteFloat, Field(ge=0, le=1)] | None = None

    @model_validator(mode="after")
    def _fits(self) -> "_TermWeights":
        if len(self.weights) != len(self.features) or len(set(self.features)) != len(self.features):
            raise ValueError("each feature needs one weight")
        return self


class _Keywords(_Content):
    weights: Annotated[dict[str, dict[Name, Number]], Field(min_length=1, max_length=100)]


_KINDS: dict[str, type[_Content]] = {
    "combination": _Combination,
    "tweak": _TermWeights,
    "keywords": _Keywords,
}
_MAX_SHOWN = 60  # characters of a wrong value in a message


def content_problem(kind: str, content: Mapping[str, Any]) -> str | None:
    """What is wrong with the content of a model, or None.

    >>> content_problem("tweak", {"features": ["bias"], "weights": ["heavy"], "results": 30})
    "weights.0: Input should be a valid number, got 'heavy'"
    >>> content_problem("tweak", {"features": ["bias"], "weights": [2.5], "results": 30})
    """
    if kind not in _KINDS:
        return f"its kind is {kind[:_MAX_SHOWN]!r}; known are {', '.join(_KINDS)}"
    try:
        _KINDS[kind].model_validate(dict(content))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))[:_MAX_SHOWN] or "content"
        if first["type"] in ("value_error", "missing"):
            return f"{place}: {first['msg'].removeprefix('Value error, ')}"
        return f"{place}: {first['msg']}, got {first['input']!r:.{_MAX_SHOWN}}"
    return None
