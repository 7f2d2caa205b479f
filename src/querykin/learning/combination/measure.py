"""Several measures as one, weighted by what judgements taught."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from querykin.compute.arrays import Float64Array
from querykin.errors import WorkspaceError
from querykin.learning.calibration import Calibration
from querykin.learning.combination.features import PairFeatures, owner, pair_features
from querykin.learning.combination.fitting import combined, ranks_matter
from querykin.learning.model_files import Model
from querykin.measures.base import Measure, VectorMeasure, setting
from querykin.measures.resources import Resources
from querykin.measures.trained import TrainedMeasure, trained_kinds
from querykin.types import Explanation, Passage


@trained_kinds.register("combination")
@dataclass(frozen=True)
class Combination(TrainedMeasure):
    """The probability that two texts are alike, from the scores of several measures.

    Made by `querykin train combination`; the model says which measures, and what each is worth.
    """

    symmetric: ClassVar[bool] = False
    source: ClassVar[str] = "Yih & Meek 2007"
    formula: ClassVar[str] = "p = 1 / (1 + exp(-(a sum of w_i x_i + b))), or the same of a vote of trees"
    advice: ClassVar[str] = "When a few hundred pairs of your own have been judged."
    model: Model = field(repr=False)
    parts: tuple[Measure, ...] = field(repr=False)
    asked: Callable[[Sequence[str]], Float64Array] = field(repr=False)
    prior: float = setting(
        0.0, "the share of relevant pairs where it is used; 0: as in training", 0, 0.999999
    )

    @classmethod
    def of_model(cls, sources: Resources, model: Model, parameters: Mapping[str, Any]) -> Self:
        """The measures that the model names, with the parameters they have on their own."""
        _check(model)
        parts = tuple(sources.measure(name) for name in model.content["measures"])
        return cls(sources.expander, model, parts, sources.asked, **parameters)

    @classmethod
    def made_of(cls, model: Model) -> tuple[str, ...]:
        """The measures whose scores it combines."""
        return tuple(model.content.get("measures", ()))

    @property
    def listwise(self) -> bool:
        """Whether a score depends on the other candidates of the query."""
        content = self.model.content
        return ranks_matter(content["features"]) or ("trees" in content and content["loss"] == "preference")

    def indexed_parts(self) -> tuple[VectorMeasure, ...]:
        """The parts of all its measures."""
        return tuple(part for measure in self.parts for part in measure.indexed_parts())

    def score_pairs(self, queries: Sequence[str], candidates: Sequence[str]) -> Float64Array:
        """The probability of each pair; the pairs of one query are one list."""
        scores = [part.score_pairs(queries, candidates) for part in self.parts]
        return self.combine(queries, candidates, scores)

    def combine(
        self, queries: Sequence[str], candidates: Sequence[str], scores: Sequence[Float64Array]
    ) -> Float64Array:
        """Probabilities from the scores of the parts, in their order; NaN where none has an opinion."""
        features = self._features(queries, candidates, scores)
        silent = np.isnan(np.array(scores)).all(axis=0)
        return np.where(silent, np.nan, self._probabilities(features))

    def _features(
        self, queries: Sequence[str], candidates: Sequence[str], scores: Sequence[Float64Array]
    ) -> PairFeatures:
        always = [part.name for part in self.parts if part.always_scores]
        named = {part.name: values for part, values in zip(self.parts, scores, strict=True)}
        return pair_features(named, always, queries, candidates, self.asked(candidates))

    def _probabilities(self, features: PairFeatures) -> Float64Array:
        calibration = Calibration(**self.model.content["calibration"])
        return calibration.probabilities(combined(self.model.content, features), self.prior or None)

    def explain(self, a: str, b: str) -> Explanation:
        """What each measure adds to the probability of an average pair, and the passages of the strongest."""
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
        """What the probability gains when a measure's features go from the average to those of this pair.

        Features change one measure after the other, once in this order and once in the reverse; the mean
        of the two sums up to the whole difference exactly.
        """
        used = list(self.model.content["features"])
        mine = features.only(used)
        owners = list(dict.fromkeys(map(owner, used)))
        found = dict.fromkeys(owners, 0.0)
        for order in (owners, owners[::-1]):
            lines = np.tile(np.array(self.model.content["feature_means"]), (len(order) + 1, 1))
            for step, name in enumerate(order):
                columns = [place for place, feature in enumerate(used) if owner(feature) == name]
                lines[step + 1 :, columns] = mine.values[0, columns]
            lists = np.arange(len(lines))  # each line on its own
            path = self._probabilities(PairFeatures(tuple(used), lines, lists))
            for step, name in enumerate(order):
                found[name] += float(path[step + 1] - path[step]) / 2
        return found

    def _passages(self, a: str, b: str, strongest: Sequence[str]) -> Sequence[Passage]:
        speaking = sorted(
            (part for part in self.parts if part.needs_corpus and part.name in strongest),
            key=lambda part: strongest.index(part.name),
        )
        return speaking[0].explain(a, b).passages if speaking else ()


def _check(model: Model) -> None:
    """Complain about a model that cannot be used: its file was changed by hand, or cut."""
    content = model.content
    learnt = "weights" if "weights" in content else "trees"
    try:
        Calibration(**content["calibration"])
        columns = [content["features"], content["missing_values"], content["feature_means"]]
        columns += [content["weights"]] if learnt == "weights" else []
        whole = len(set(map(len, columns))) == 1 and {"measures", "first_stage", "loss", learnt} <= set(
            content
        )
    except (KeyError, TypeError):
        whole = False
    if not whole:
        raise WorkspaceError(f"the model {model.name!r} is damaged; train it again")
