"""Measures combined by logistic regression or boosted trees over their scores (Yih & Meek 2007)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import WorkspaceError
from querykin.learning.calibration import Calibration
from querykin.learning.combination.features import PairFeatures, owner, pair_features
from querykin.learning.combination.fitting import combined, ranks_matter
from querykin.learning.trained_measure import TrainedMeasure, trained_kinds
from querykin.measures.base import Measure, RerankingMeasure
from querykin.measures.parameters import number
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.model_files import Model
from querykin.types import Explanation, Passage


@trained_kinds.register("combination")
@dataclass(frozen=True)
class Combination(TrainedMeasure, RerankingMeasure):
    """The probability that two texts are related, from the scores of several measures.

    Trained by `querykin train combination`; the model names the measures and their weights.
    """

    symmetric: ClassVar[bool] = False
    source: ClassVar[str] = "Yih & Meek 2007"
    formula: ClassVar[str] = "p = 1 / (1 + exp(-(a sum of w_i x_i + b))), or the same of a vote of trees"
    advice: ClassVar[str] = "When a few hundred pairs of your own have been judged."
    model: Model = field(repr=False)
    parts: tuple[Measure, ...] = field(repr=False)
    query_counts: Callable[[Sequence[str]], Float64Array] = field(repr=False)
    prior: Annotated[
        float, number("the share of relevant pairs where it is used; 0: as in training", le=0.999999)
    ] = 0.0

    @classmethod
    def from_model(cls, resources: Resources, model: Model, parameters: Mapping[str, Any]) -> Self:
        """With the measures listed in the model, each with the parameters of the settings file."""
        _check(model)
        if model.name in model.content["measures"]:
            raise WorkspaceError(f"the model {model.name!r} is damaged: it combines itself; train it again")
        parts = tuple(resources.measure(name) for name in model.content["measures"])
        return cls(model, parts, resources.query_counts, **parameters)

    @classmethod
    def model_requirements(cls, model: Model) -> Requirements:
        """The measures whose scores it combines."""
        return Requirements(measures=tuple(model.content.get("measures", ())))

    @property
    def listwise(self) -> bool:
        """Whether a score depends on the other candidates of the query."""
        content = self.model.content
        return ranks_matter(content["features"]) or ("trees" in content and content["loss"] == "preference")

    def components(self) -> tuple[Measure, ...]:
        """The measures whose scores are combined."""
        return self.parts

    @property
    def first_stage(self) -> Sequence[str]:
        """The most important components that can search a repository."""
        return tuple(self.model.content["first_stage"])

    def with_components(self, components: Sequence[Measure]) -> Self:
        """The combination over other instances of its measures."""
        return replace(self, parts=tuple(components))

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The probability of each pair; the pairs of one query are one list."""
        scores = [part.score_pairs(queries, candidates) for part in self.parts]
        return self.combine(queries, candidates, scores)

    def combine(
        self, queries: Sequence[str], candidates: Sequence[str], scores: Sequence[Float64Array]
    ) -> Float64Array:
        """Probabilities from the scores of the parts, in their order; NaN where no part covers the pair."""
        features = self._features(queries, candidates, scores)
        uncovered = np.isnan(np.array(scores)).all(axis=0)
        return np.where(uncovered, np.nan, self._probabilities(features))

    def _features(
        self, queries: Sequence[str], candidates: Sequence[str], scores: Sequence[Float64Array]
    ) -> PairFeatures:
        always = [part.name for part in self.parts if part.always_scores]
        named = {part.name: values for part, values in zip(self.parts, scores, strict=True)}
        return pair_features(named, always, queries, candidates, self.query_counts(candidates))

    def _probabilities(self, features: PairFeatures) -> Float64Array:
        calibration = Calibration(**self.model.content["calibration"])
        return calibration.probabilities(combined(self.model.content, features), self.prior or None)

    def explain(self, a: str, b: str) -> Explanation:
        """How each measure changes the probability of an average pair, and passages of the strongest one."""
        scores = [part.score_pairs([a], [b]) for part in self.parts]
        score = float(self.combine([a], [b], scores)[0])
        if np.isnan(score):
            return self.explanation(a, b, score, [], np.zeros(0))
        shares = self._shares(self._features([a], [b], scores))
        strongest = sorted(shares, key=lambda name: -abs(shares[name]))
        names = ["an average pair", *strongest]
        start = score - sum(shares.values())
        parts = np.array([start, *(shares[name] for name in strongest)])
        return self.explanation(a, b, score, names, parts, self._passages(a, b, strongest))

    def _shares(self, features: PairFeatures) -> dict[str, float]:
        """The change of probability when a measure's features go from the training means to the pair's.

        Features change one measure after the other, once in this order and once in reverse; the means of the
        two, an approximation of Shapley values, sum exactly to the whole difference.
        """
        used = list(self.model.content["features"])
        pair = features.only(used)
        owners = list(dict.fromkeys(map(owner, used)))
        changes = dict.fromkeys(owners, 0.0)
        for order in (owners, owners[::-1]):
            steps = np.tile(np.array(self.model.content["feature_means"]), (len(order) + 1, 1))
            for step, name in enumerate(order):
                columns = [column for column, feature in enumerate(used) if owner(feature) == name]
                steps[step + 1 :, columns] = pair.values[0, columns]
            lists = np.arange(len(steps))  # each row is a list of one
            path = self._probabilities(PairFeatures(tuple(used), steps, lists))
            for step, name in enumerate(order):
                changes[name] += float(path[step + 1] - path[step]) / 2
        return changes

    def _passages(self, a: str, b: str, strongest: Sequence[str]) -> Sequence[Passage]:
        with_corpus = sorted(
            (part for part in self.parts if part.requirements().corpus and part.name in strongest),
            key=lambda part: strongest.index(part.name),
        )
        return with_corpus[0].explain(a, b).passages if with_corpus else ()


def _check(model: Model) -> None:
    """Raise if the content of a model is incomplete."""
    content = model.content
    learned = "weights" if "weights" in content else "trees"
    try:
        Calibration(**content["calibration"])
        columns = [content["features"], content["missing_values"], content["feature_means"]]
        columns += [content["weights"]] if learned == "weights" else []
        complete = len(set(map(len, columns))) == 1 and {"measures", "first_stage", "loss", learned} <= set(
            content
        )
    except (KeyError, TypeError):
        complete = False
    if not complete:
        raise WorkspaceError(f"the model {model.name!r} is damaged; train it again")
