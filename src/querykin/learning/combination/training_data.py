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
from querykin.learning.model_files import Model
from querykin.learning.preferences import pairwise_accuracy
from querykin.learning.trained_measure import was_trained_on
from querykin.learning.training_resources import TrainingResources
from querykin.learning.tweak.training_data import tweak_training_data
from querykin.measures.batch_scorer import score_judged_pairs
from querykin.measures.vector_measure import VectorMeasure
from querykin.progress import SILENT, Progress

_SCALED = 5  # folds whose predictions the calibration is fitted to
_PARTS = 10  # folds of a trained part that has seen the pairs
FIRST_STAGE_MEASURES = 2  # measures that retrieve candidates for re-ranking


@dataclass(frozen=True)
class CombinationTrainingData(TrainingData):
    """Judged pairs with their scores by all measures of a training configuration."""

    judged: JudgedPairs
    features: PairFeatures
    training_config: TrainingConfig
    relevant: float
    leaders: Sequence[str] = field(default=())  # measures that can propose candidates

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
        untrained = {name: each for name, each in measures.items() if not was_trained_on(each, judged)}
        scores = score_judged_pairs(judged, untrained, progress) if untrained else {}
        # Scores of a measure trained on these pairs would be optimistic: they are cross-validated instead.
        scores |= {name: _unseen(workspace, name, judged) for name in measures if name not in untrained}
        scores = {name: scores[name] for name in measures}
        always = [name for name, measure in measures.items() if measure.always_scores]
        rows = range(len(judged))
        queries, candidates = judged.queries.at(rows), judged.candidates.at(rows)
        features = pair_features(scores, always, queries, candidates, workspace.query_counts(candidates))
        searching = [name for name, measure in measures.items() if isinstance(measure, VectorMeasure)]
        return cls(judged, features, training_config, relevant, searching)

    @property
    def rows(self) -> Int64Array:
        """All of them."""
        return np.arange(len(self.judged))

    @property
    def labels(self) -> BoolArray:
        """Which pairs are relevant."""
        return self.judged.grades >= self.relevant

    @property
    def silent(self) -> BoolArray:
        """Pairs that no measure has an opinion of: as a measure, a combination has none either."""
        return np.asarray(np.isnan(self.features.only(self.training_config.measures).values).all(axis=1))

    def learn(self, rows: Int64Array) -> Content:
        """Weights or trees, and the scale on which scores are probabilities."""
        self.check(rows)
        features, grades = self.features.part(rows), self.judged.grades[rows]
        groups = dense_ids(self.judged.groups.ids[rows])
        variance = choose_variance(features, grades, groups, self.training_config)

        def fit(some: Int64Array) -> Content:
            return fit_combination(
                features.part(some), grades[some], groups[some], self.training_config, variance
            )

        def scores(content: Content, some: Int64Array) -> Float64Array:
            return combined(content, features.part(some))

        content = fit(np.arange(len(rows)))
        folds = min(_SCALED, int(groups.max()) + 1)
        unseen = cross_val_predict(groups, folds, fit, scores) if folds > 1 else combined(content, features)
        calibration = Calibration.fit(unseen, self.labels[rows])
        return {**content, "calibration": asdict(calibration)}

    def check(self, rows: Int64Array) -> None:
        """Complain where there is nothing to learn."""
        relevant = int(self.labels[rows].sum())
        if relevant in (0, len(rows)):
            raise InputError(
                f"learning needs relevant pairs and others; from grade {self.relevant:g} "
                f"on {relevant} of {len(rows)} are: choose another --relevant or judge more"
            )
        ordered = pairwise_accuracy(
            np.zeros(len(rows)), self.judged.grades[rows], self.judged.groups.ids[rows]
        )
        if self.training_config.loss == "preference" and np.isnan(ordered).all():
            raise InputError(
                "no two candidates of one group have different grades, so there is no preference to learn; "
                "next: --loss metric"
            )

    def scores(self, content: Content, rows: Int64Array) -> Float64Array:
        """Probabilities of pairs."""
        return Calibration(**content["calibration"]).probabilities(
            combined(content, self.features.part(rows))
        )


def _unseen(workspace: TrainingResources, name: str, judged: JudgedPairs) -> Float64Array:
    training_data = tweak_training_data(workspace, workspace.model(name), judged)
    return cross_validate(training_data, min(_PARTS, int(judged.groups.ids.max()) + 1))


def with_first_stage(content: Content, importance: Mapping[str, float], searching: Sequence[str]) -> Content:
    """The content with its first-stage measures: the most important ones that can search a repository."""
    ordered = sorted(searching, key=lambda name: -importance.get(name, 0.0))
    others = [name for name in ordered[1:FIRST_STAGE_MEASURES] if importance.get(name, 0.0) > 0]
    return {**content, "leaders": [*ordered[:1], *others]}


def config_of(model: Model) -> TrainingConfig:
    """The configuration that a combination was trained with."""
    content = model.content
    return TrainingConfig(tuple(content["measures"]), content["learner"], content["loss"], content["free"])
