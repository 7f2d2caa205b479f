"""Training data of a combination: judged pairs with their scores by all measures."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array, Int64Array
from querykin.errors import InputError
from querykin.io.judged_pairs import JudgedPairs
from querykin.io.text_column import dense_ids
from querykin.learning.calibration import Calibration
from querykin.learning.combination.features import PairFeatures, pair_features
from querykin.learning.combination.fitting import TrainingConfig, choose_variance, combined, fit_combination
from querykin.learning.cross_validation import Content, TrainingData, cross_val_predict, cross_validate
from querykin.learning.preferences import pairwise_accuracy
from querykin.learning.trained_measure import was_trained_on
from querykin.learning.training_resources import TrainingResources
from querykin.learning.tweak.training_data import tweak_training_data
from querykin.measures.batch_scorer import score_judged_pairs
from querykin.measures.vector_measure import VectorMeasure
from querykin.model_files import Model
from querykin.progress import SILENT, Progress

_CALIBRATION_FOLDS = 5  # the calibration is fitted to out-of-fold scores
_COMPONENT_FOLDS = 10  # for components that were trained on the same pairs
FIRST_STAGE_MEASURES = 2  # measures that retrieve candidates for re-ranking


@dataclass(frozen=True)
class CombinationTrainingData(TrainingData):
    """Judged pairs with their scores by all measures of a training configuration."""

    judged: JudgedPairs
    features: PairFeatures
    training_config: TrainingConfig
    relevant: float
    searchable: Sequence[str] = field(default=())  # measures that can retrieve candidates

    @classmethod
    def prepare(
        cls,
        workspace: TrainingResources,
        judged: JudgedPairs,
        training_config: TrainingConfig,
        relevant: float,
        progress: Progress = SILENT,
    ) -> "CombinationTrainingData":
        """Compute all scores once."""
        measures = {name: workspace.measure(name) for name in training_config.measures}
        untrained = {
            name: measure for name, measure in measures.items() if not was_trained_on(measure, judged)
        }
        scores = score_judged_pairs(judged, untrained, progress) if untrained else {}
        # Scores of a measure trained on these pairs would be optimistic: they are cross-validated instead.
        scores |= {
            name: _held_out_scores(workspace, name, judged) for name in measures if name not in untrained
        }
        scores = {name: scores[name] for name in measures}
        always = [name for name, measure in measures.items() if measure.always_scores]
        rows = range(len(judged))
        queries, candidates = judged.queries.at(rows), judged.candidates.at(rows)
        features = pair_features(scores, always, queries, candidates, workspace.query_counts(candidates))
        searchable = [name for name, measure in measures.items() if isinstance(measure, VectorMeasure)]
        return cls(judged, features, training_config, relevant, searchable)

    @property
    def rows(self) -> Int64Array:
        """The indices of all pairs."""
        return np.arange(len(self.judged))

    @property
    def labels(self) -> BoolArray:
        """Which pairs are relevant."""
        return self.judged.grades >= self.relevant

    @property
    def uncovered(self) -> BoolArray:
        """Pairs that no measure covers, and hence neither does the combination."""
        return np.asarray(np.isnan(self.features.only(self.training_config.measures).values).all(axis=1))

    def learn(self, rows: Int64Array) -> Content:
        """Fit weights or trees and the calibration to these rows only."""
        self.check(rows)
        features, grades = self.features.part(rows), self.judged.grades[rows]
        groups = dense_ids(self.judged.groups.ids[rows])
        variance = choose_variance(features, grades, groups, self.training_config)

        def fit(train: Int64Array) -> Content:
            return fit_combination(
                features.part(train), grades[train], groups[train], self.training_config, variance
            )

        def scores(content: Content, test: Int64Array) -> Float64Array:
            return combined(content, features.part(test))

        content = fit(np.arange(len(rows)))
        folds = min(_CALIBRATION_FOLDS, int(groups.max()) + 1)
        held_out = cross_val_predict(groups, folds, fit, scores) if folds > 1 else combined(content, features)
        calibration = Calibration.fit(held_out, self.labels[rows])
        return {**content, "calibration": asdict(calibration)}

    def check(self, rows: Int64Array) -> None:
        """Raise if nothing can be learned from these rows."""
        relevant = int(self.labels[rows].sum())
        if relevant in (0, len(rows)):
            raise InputError(
                f"learning needs relevant pairs and others; {relevant} of {len(rows)} "
                f"have a grade of at least {self.relevant:g}: choose another --relevant or judge more"
            )
        accuracy = pairwise_accuracy(
            np.zeros(len(rows)), self.judged.grades[rows], self.judged.groups.ids[rows]
        )
        if self.training_config.loss == "preference" and np.isnan(accuracy).all():
            raise InputError(
                "no two candidates of one group have different grades, so there is no preference to learn; "
                "next: --loss metric"
            )

    def scores(self, content: Content, rows: Int64Array) -> Float64Array:
        """Calibrated probabilities of pairs."""
        return Calibration(**content["calibration"]).probabilities(
            combined(content, self.features.part(rows))
        )


def _held_out_scores(workspace: TrainingResources, name: str, judged: JudgedPairs) -> Float64Array:
    training_data = tweak_training_data(workspace, workspace.model(name), judged)
    return cross_validate(training_data, min(_COMPONENT_FOLDS, int(judged.groups.ids.max()) + 1))


def with_first_stage(content: Content, importance: Mapping[str, float], searchable: Sequence[str]) -> Content:
    """The content with its first-stage measures: the most important ones that can search a repository."""
    ordered = sorted(searchable, key=lambda name: -importance.get(name, 0.0))
    others = [name for name in ordered[1:FIRST_STAGE_MEASURES] if importance.get(name, 0.0) > 0]
    return {**content, "first_stage": [*ordered[:1], *others]}


def config_of(model: Model) -> TrainingConfig:
    """The configuration that a combination was trained with."""
    content = model.content
    return TrainingConfig(
        tuple(content["measures"]), content["learner"], content["loss"], content["unconstrained"]
    )
