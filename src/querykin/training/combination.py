"""A combination of measures, learnt from judged pairs and reported on as a person would ask."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from querykin.compiled import Bools, Longs, Reals
from querykin.errors import InputError
from querykin.evaluation.files import Progress, has_seen, score, silent
from querykin.evaluation.judgements import Judgements
from querykin.evaluation.texts import numbered
from querykin.learning.calibration import Calibration
from querykin.learning.combination import Recipe, choose_variance, combined, fit_combination
from querykin.learning.models import Model
from querykin.learning.pair_features import PairFeatures, pair_features
from querykin.learning.preferences import well_ordered
from querykin.measures.base import VectorMeasure
from querykin.training.lessons import Content, Lesson, cross_validated, held_out
from querykin.training.tweak import tweak_again
from querykin.workspace import Workspace

_SCALED = 5  # folds whose scores the probabilities are fitted to
_PARTS = 10  # folds in which a trained part is learnt anew
LEADERS = 2  # measures that propose candidates to a repository's search


@dataclass(frozen=True)
class CombinationLesson(Lesson):
    """Judged pairs with their scores by all measures of a recipe."""

    judged: Judgements
    features: PairFeatures
    recipe: Recipe
    relevant: float
    leaders: Sequence[str] = field(default=())  # measures that can propose candidates

    @classmethod
    def prepare(
        cls,
        workspace: Workspace,
        judged: Judgements,
        recipe: Recipe,
        relevant: float,
        progress: Progress = silent,
    ) -> "CombinationLesson":
        """Compute all scores once."""
        made = {name: workspace.measure(name) for name in recipe.measures}
        fresh = {name: measure for name, measure in made.items() if not has_seen(measure, judged)}
        scores = score(judged, fresh, progress) if fresh else {}
        # What has learnt from these pairs would seem better here than it is: its scores are of other folds.
        scores |= {name: _unseen(workspace, name, judged) for name in made if name not in fresh}
        scores = {name: scores[name] for name in made}
        always = [name for name, measure in made.items() if measure.always_scores]
        rows = range(len(judged))
        queries, candidates = judged.queries.at(rows), judged.candidates.at(rows)
        features = pair_features(scores, always, queries, candidates, workspace.asked(candidates))
        leaders = [name for name, measure in made.items() if isinstance(measure, VectorMeasure)]
        return cls(judged, features, recipe, relevant, leaders)

    @property
    def rows(self) -> Longs:
        """All of them."""
        return np.arange(len(self.judged))

    @property
    def labels(self) -> Bools:
        """Which pairs are relevant."""
        return self.judged.grades >= self.relevant

    @property
    def silent(self) -> Bools:
        """Pairs that no measure has an opinion of: as a measure, a combination has none either."""
        return np.asarray(np.isnan(self.features.only(self.recipe.measures).values).all(axis=1))

    def learn(self, rows: Longs) -> Content:
        """Weights or trees, and the scale on which scores are probabilities."""
        self.check(rows)
        features, grades = self.features.part(rows), self.judged.grades[rows]
        groups = numbered(self.judged.groups.numbers[rows])
        variance = choose_variance(features, grades, groups, self.recipe)

        def fit(some: Longs) -> Content:
            return fit_combination(features.part(some), grades[some], groups[some], self.recipe, variance)

        def scores(content: Content, some: Longs) -> Reals:
            return combined(content, features.part(some))

        content = fit(np.arange(len(rows)))
        folds = min(_SCALED, int(groups.max()) + 1)
        unseen = held_out(groups, folds, fit, scores) if folds > 1 else combined(content, features)
        calibration = Calibration.fit(unseen, self.labels[rows])
        return {**content, "calibration": asdict(calibration)}

    def check(self, rows: Longs) -> None:
        """Complain where there is nothing to learn."""
        relevant = int(self.labels[rows].sum())
        if relevant in (0, len(rows)):
            raise InputError(
                f"learning needs relevant pairs and others; from grade {self.relevant:g} "
                f"on {relevant} of {len(rows)} are: choose another --relevant or judge more"
            )
        ordered = well_ordered(
            np.zeros(len(rows)), self.judged.grades[rows], self.judged.groups.numbers[rows]
        )
        if self.recipe.loss == "preference" and np.isnan(ordered).all():
            raise InputError(
                "no two candidates of one group have different grades, so there is no preference to learn; "
                "next: --loss metric"
            )

    def scores(self, content: Content, rows: Longs) -> Reals:
        """Probabilities of pairs."""
        return Calibration(**content["calibration"]).probabilities(
            combined(content, self.features.part(rows))
        )


def _unseen(workspace: Workspace, name: str, judged: Judgements) -> Reals:
    lesson = tweak_again(workspace, workspace.model(name), judged)
    return cross_validated(lesson, min(_PARTS, int(judged.groups.numbers.max()) + 1))


def with_leaders(content: Content, worth: Mapping[str, float], searching: Sequence[str]) -> Content:
    """The content with the measures that propose candidates: the worthiest that can search a repository."""
    ordered = sorted(searching, key=lambda name: -worth.get(name, 0.0))
    others = [name for name in ordered[1:LEADERS] if worth.get(name, 0.0) > 0]
    return {**content, "leaders": [*ordered[:1], *others]}


def recipe_of(model: Model) -> Recipe:
    """How a combination was learnt."""
    content = model.content
    return Recipe(tuple(content["measures"]), content["learner"], content["loss"], content["free"])
