"""Training data of term weights: judged pairs of texts, or of queries and pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from querykin.compute.arrays import Float64Array, Int64Array
from querykin.compute.threads import thread_map
from querykin.errors import InputError
from querykin.io.judged_pairs import JudgedPairs
from querykin.learning.cross_validation import TrainingData
from querykin.learning.landing_pages.pages import Page, check_documents, page_terms
from querykin.learning.training_resources import TrainingResources
from querykin.learning.tweak.fitting import ALPHAS, Tweak
from querykin.learning.tweak.term_pairs import TermPairs
from querykin.learning.tweak.term_weights import (
    RESULTS,
    START,
    concatenate_terms,
    feature_names,
    result_terms,
)
from querykin.model_files import Model
from querykin.weighting.term_features import TermFeatureReader, TermTable

LOSS, FEATURES = "preference", "more"  # the best on held-out groups
PAGE_LOSS, PAGE_FEATURES = "log", "html-more"  # one threshold for all queries needs comparable scores
FOLDS = 10
_CHUNK = 64  # texts that one thread processes at once
Done = Callable[[int], None]


@dataclass(frozen=True)
class TweakTrainingData(TrainingData):
    """Judged pairs with the features of all their terms.

    With `relevant`, the target of a pair is 1 if its grade is at least that, else 0. Without it, grades are
    scaled to 0..1.
    """

    judged: JudgedPairs
    pairs: TermPairs
    features: tuple[str, ...]
    loss: str = LOSS
    results: int = RESULTS
    relevant: float | None = None
    seed: int = 0
    done: Done = lambda steps: None
    learner: type[Tweak] = Tweak

    @property
    def targets(self) -> Float64Array:
        """The target similarity of each pair, from 0 to 1."""
        grades = self.judged.grades
        if self.relevant is not None:
            return (grades >= self.relevant).astype(np.float64)
        low, high = float(grades.min()), float(grades.max())
        return (grades - low) / (high - low) if high > low else np.zeros(len(grades))

    @property
    def steps(self) -> int:
        """The number of steps that one call of `learn` reports to `done`."""
        return len(ALPHAS) + 1

    @property
    def folds(self) -> int:
        """The number of folds of cross-validation."""
        return min(FOLDS, len(np.unique(self.judged.groups.ids)))

    def learn(self, rows: Int64Array) -> dict[str, Any]:
        """Fit term weights to these rows only and return the content of a model."""
        start = np.array([START.get(name, 0.0) for name in self.features])
        learner = self.learner(start, self.loss, self.seed)
        groups = self.judged.groups.ids[rows]
        fit = learner.learn(self.pairs.take(rows), self.targets[rows], groups, self.done)
        return {
            "features": list(self.features),
            "weights": [float(weight) for weight in fit.weights],
            "results": self.results,
            "loss": self.loss,
            "alpha": fit.alpha,
            "development": fit.development,
        }

    def scores(self, content: Mapping[str, Any], rows: Int64Array) -> Float64Array:
        """The cosines of these rows under learned weights."""
        return self.pairs.take(rows).cosines(np.array(content["weights"]))


def text_training_data(
    workspace: TrainingResources,
    judged: JudgedPairs,
    features: str | Sequence[str] = FEATURES,
    loss: str = LOSS,
    results: int = RESULTS,
    relevant: float | None = None,
    seed: int = 0,
    done: Done = lambda steps: None,
) -> TweakTrainingData:
    """Training data from pairs of short texts, both expanded with search results."""
    names = feature_names(features) if isinstance(features, str) else tuple(features)
    queries, candidates = judged.queries, judged.candidates
    texts = list(dict.fromkeys([*queries.distinct, *candidates.distinct]))
    row_of = {text: number for number, text in enumerate(texts)}
    parts = _expanded(workspace, texts, names, results, done)
    left, right = (
        np.array([row_of[text] for text in side.distinct])[side.ids] for side in (queries, candidates)
    )
    return TweakTrainingData(judged, _pairs(parts, names, left, right), names, loss, results, relevant, seed)


def page_training_data(
    workspace: TrainingResources,
    judged: JudgedPairs,
    pages: Sequence[Page],
    features: str = PAGE_FEATURES,
    loss: str = PAGE_LOSS,
    results: int = RESULTS,
    relevant: float | None = None,
    seed: int = 0,
    done: Done = lambda steps: None,
) -> TweakTrainingData:
    """Training data from queries, expanded with search results, and pages, used as they are."""
    names = feature_names(features)
    reader = TermFeatureReader(workspace.expander.corpus, workspace.query_frequencies)
    queries = judged.queries.distinct
    parts = _expanded(workspace, queries, names, results, done)

    def read(batch: Sequence[Page]) -> TermTable:
        done(len(batch))
        return page_terms(reader, batch)

    page_parts = thread_map(read, [pages[i : i + _CHUNK] for i in range(0, len(pages), _CHUNK)])
    right = len(queries) + np.arange(len(pages))
    pairs = _pairs([*parts, *page_parts], names, judged.queries.ids, right)
    return TweakTrainingData(judged, pairs, names, loss, results, relevant, seed)


def _expanded(
    workspace: TrainingResources, texts: Sequence[str], names: Sequence[str], results: int, done: Done
) -> list[TermTable]:
    check_documents(workspace)
    expander = workspace.expander
    reader = TermFeatureReader(expander.corpus, workspace.query_frequencies)

    def read(batch: Sequence[str]) -> TermTable:
        done(len(batch))
        return result_terms(reader, expander.expand(batch, results), names)

    return thread_map(read, [texts[i : i + _CHUNK] for i in range(0, len(texts), _CHUNK)])


def _pairs(
    parts: Sequence[TermTable], names: Sequence[str], left: Int64Array, right: Int64Array
) -> TermPairs:
    indptr, terms, features = concatenate_terms(parts, names)
    return TermPairs.of(indptr, terms, features, left, right)


def fit_tweak_model(training_data: TweakTrainingData, name: str, file: str) -> Model:
    """A model fitted to all pairs."""
    content = training_data.learn(np.arange(len(training_data.judged)))
    return Model("tweak", name, content, training_metadata(training_data, file))


def training_metadata(training_data: TweakTrainingData, file: str) -> dict[str, Any]:
    """The description of the training pairs that a model file contains."""
    judged = training_data.judged
    return {
        "file": file,
        "fingerprint": judged.fingerprint,
        "pairs": len(judged),
        "groups": len(np.unique(judged.groups.ids)),
        "covered": int(training_data.pairs.covered.sum()),
        "relevant": training_data.relevant,
        "seed": training_data.seed,
    }


def tweak_training_data(workspace: TrainingResources, model: Model, judged: JudgedPairs) -> TweakTrainingData:
    """Training data from judged pairs in the configuration of an existing model."""
    content = model.content
    if "pages" in model.training:
        raise InputError(f"{model.name!r} was trained on pages; it cannot be retrained on pairs of texts")
    return text_training_data(workspace, judged, content["features"], content["loss"], content["results"])
