"""Term weights from judged pairs of texts, or of queries and pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from querykin.compiled import Longs, Reals, in_threads
from querykin.errors import InputError
from querykin.evaluation.judgements import Judgements
from querykin.landing_pages import Page, check_documents, page_terms
from querykin.learning.models import Model
from querykin.learning.term_pairs import TermPairs
from querykin.learning.tweak import ALPHAS, Tweak
from querykin.training.lessons import Lesson
from querykin.weighting.term_weights import RESULTS, START, distinct_terms, feature_names, result_terms
from querykin.weighting.terms import TermReader, Terms
from querykin.workspace import Workspace

LOSS, FEATURES = "preference", "more"  # the best on groups held out
PAGE_LOSS, PAGE_FEATURES = "log", "html-more"  # one threshold for all queries: scores must mean the same
FOLDS = 10
_CHUNK = 64  # texts that one thread reads at once
Done = Callable[[int], None]


@dataclass(frozen=True)
class TweakLesson(Lesson):
    """Judged pairs with the features of all their terms.

    Grades from `relevant` on are 1 and others 0; without it they are scaled to 0..1, which keeps their order.
    """

    judged: Judgements
    pairs: TermPairs
    features: tuple[str, ...]
    loss: str = LOSS
    results: int = RESULTS
    relevant: float | None = None
    seed: int = 0
    done: Done = lambda steps: None

    @property
    def targets(self) -> Reals:
        """How alike each pair is, from 0 to 1."""
        grades = self.judged.grades
        if self.relevant is not None:
            return (grades >= self.relevant).astype(np.float64)
        low, high = float(grades.min()), float(grades.max())
        return (grades - low) / (high - low) if high > low else np.zeros(len(grades))

    @property
    def steps(self) -> int:
        """How many steps `done` hears of in one learning."""
        return len(ALPHAS) + 1

    @property
    def folds(self) -> int:
        """How many folds a cross-validation has."""
        return min(FOLDS, len(np.unique(self.judged.groups.numbers)))

    def learn(self, rows: Longs) -> dict[str, Any]:
        """The content of a model learnt from these rows alone."""
        start = np.array([START.get(name, 0.0) for name in self.features])
        learner = Tweak(start, self.loss, self.seed)
        groups = self.judged.groups.numbers[rows]
        fit = learner.learn(self.pairs.take(rows), self.targets[rows], groups, self.done)
        return {
            "features": list(self.features),
            "weights": [float(weight) for weight in fit.weights],
            "results": self.results,
            "loss": self.loss,
            "alpha": fit.alpha,
            "development": fit.development,
        }

    def scores(self, content: Mapping[str, Any], rows: Longs) -> Reals:
        """The cosines of these rows under learnt weights."""
        return self.pairs.take(rows).cosines(np.array(content["weights"]))


def text_lesson(
    workspace: Workspace, judged: Judgements, features: str | Sequence[str] = FEATURES, loss: str = LOSS,
    results: int = RESULTS, relevant: float | None = None, seed: int = 0, done: Done = lambda steps: None,
) -> TweakLesson:  # fmt: skip
    """A lesson from pairs of short texts: both are expanded."""
    names = feature_names(features) if isinstance(features, str) else tuple(features)
    queries, candidates = judged.queries, judged.candidates
    texts = list(dict.fromkeys([*queries.distinct, *candidates.distinct]))
    place = {text: number for number, text in enumerate(texts)}
    parts = _expanded(workspace, texts, names, results, done)
    left, right = (
        np.array([place[text] for text in side.distinct])[side.numbers] for side in (queries, candidates)
    )
    return TweakLesson(judged, _pairs(parts, names, left, right), names, loss, results, relevant, seed)


def page_lesson(
    workspace: Workspace, judged: Judgements, pages: Sequence[Page], features: str = PAGE_FEATURES,
    loss: str = PAGE_LOSS, results: int = RESULTS, relevant: float | None = None, seed: int = 0,
    done: Done = lambda steps: None,
) -> TweakLesson:  # fmt: skip
    """A lesson from queries and pages: the query is expanded, the page is its own document."""
    names = feature_names(features)
    reader = TermReader(workspace.expander.corpus, workspace.query_words)
    asked = judged.queries.distinct
    parts = _expanded(workspace, asked, names, results, done)

    def read(some: Sequence[Page]) -> Terms:
        done(len(some))
        return page_terms(reader, some)

    shown = in_threads(read, [pages[i : i + _CHUNK] for i in range(0, len(pages), _CHUNK)])
    right = len(asked) + np.arange(len(pages))
    pairs = _pairs([*parts, *shown], names, judged.queries.numbers, right)
    return TweakLesson(judged, pairs, names, loss, results, relevant, seed)


def _expanded(
    workspace: Workspace, texts: Sequence[str], names: Sequence[str], results: int, done: Done
) -> list[Terms]:
    check_documents(workspace)
    expander = workspace.expander
    reader = TermReader(expander.corpus, workspace.query_words)

    def read(some: Sequence[str]) -> Terms:
        done(len(some))
        return result_terms(reader, expander.expand(some, results), names)

    return in_threads(read, [texts[i : i + _CHUNK] for i in range(0, len(texts), _CHUNK)])


def _pairs(parts: Sequence[Terms], names: Sequence[str], left: Longs, right: Longs) -> TermPairs:
    first, terms, features = distinct_terms(parts, names)
    return TermPairs.of(first, terms, features, left, right)


def train_tweak(lesson: TweakLesson, name: str, file: str) -> Model:
    """A model learnt from all pairs of a lesson."""
    content = lesson.learn(np.arange(len(lesson.judged)))
    return Model("tweak", name, content, training_facts(lesson, file))


def training_facts(lesson: TweakLesson, file: str) -> dict[str, Any]:
    """What a model says of the pairs it was learnt from."""
    judged = lesson.judged
    return {
        "file": file,
        "fingerprint": judged.fingerprint,
        "pairs": len(judged),
        "groups": len(np.unique(judged.groups.numbers)),
        "covered": int(lesson.pairs.covered.sum()),
        "relevant": lesson.relevant,
        "seed": lesson.seed,
    }


def tweak_again(workspace: Workspace, model: Model, judged: Judgements) -> TweakLesson:
    """A lesson from other pairs that learns as a model was learnt."""
    content = model.content
    if "pages" in model.training:
        raise InputError(f"{model.name!r} was trained on pages; it cannot learn anew from pairs of texts")
    return text_lesson(workspace, judged, content["features"], content["loss"], content["results"])
