"""Every registered measure and engine keeps its promises, and every check can fail."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pytest

from querykin import Hit
from querykin.checks import (
    ENGINE_CHECKS,
    MEASURE_CHECKS,
    check_engine,
    check_measure,
    sample_texts,
)
from querykin.engines.base import SearchEngine, engines
from querykin.engines.recorded import RecordedEngine
from querykin.engines.tantivy import TantivyEngine
from querykin.measures import measures
from querykin.measures.base import Measure
from querykin.measures.surface import Cosine

QUERY = "java island"
HITS = [Hit(str(n), f"title {n}", "an island", "", 1.0 / (1 + n)) for n in range(5)]


# Remove an entry when its fault is mended: its test fails until you do.


def _cases():
    for name in measures:
        for check in MEASURE_CHECKS:
            yield pytest.param(name, check, id=f"{name}-{check.__name__}")


@pytest.mark.parametrize(("name", "check"), list(_cases()))
def test_every_registered_measure_passes(name, check, workspace):
    measure = workspace.measure(name)
    check(measure, sample_texts(measure))


@pytest.mark.parametrize("name", list(engines))
def test_every_registered_engine_passes(name, workspace):
    made = {"tantivy": TantivyEngine(workspace.corpus), "recorded": RecordedEngine({QUERY: HITS})}
    check_engine(made[name], QUERY)


@pytest.mark.parametrize("name", [name for name in measures if measures[name].always_scores])
def test_measures_of_the_words_pass_without_a_corpus(name, build):
    check_measure(build().measure(name))


@dataclass(frozen=True)
class Sound(Cosine):
    """The cosine under a name of its own; each class below breaks it in one way."""

    name: ClassVar[str] = "sound"
    scale: float = 1.0


class Nan(Sound):
    def score_pairs(self, queries, candidates):
        scores = super().score_pairs(queries, candidates)
        return np.where(np.array(queries, object) == np.array(candidates, object), scores, np.nan)


class Drifting(Sound):
    def score_pairs(self, queries, candidates):
        return super().score_pairs(queries, candidates) + 0.001 * len(queries)


class OtherScore(Sound):
    def score(self, query, candidates):
        return super().score(query, candidates)[::-1]


class Lopsided(Sound):
    def score_pairs(self, queries, candidates):
        factors = [
            0.5 if query < candidate else 1.0 for query, candidate in zip(queries, candidates, strict=True)
        ]
        return super().score_pairs(queries, candidates) * np.array(factors)


class Indefinite(Sound):
    def score_pairs(self, queries, candidates):
        scores = super().score_pairs(queries, candidates)
        near = [
            abs(len(query) - len(candidate)) < 4 for query, candidate in zip(queries, candidates, strict=True)
        ]
        return np.where(near, np.maximum(scores, 1.0 * (scores.max(initial=0) > 0)), scores)


class OutOfRange(Sound):
    def score_pairs(self, queries, candidates):
        return 2 * super().score_pairs(queries, candidates)


class Unbalanced(Sound):
    def explain(self, a, b):
        return replace(super().explain(a, b), contributions=())


class Nameless(Sound):
    def explain(self, a, b):
        found = super().explain(a, b)
        return replace(found, contributions=tuple(replace(part, term="") for part in found.contributions))


class Silent(Sound):
    def __repr__(self):
        return "Silent()"


@dataclass(frozen=True)
class Unrepeatable(Sound):
    moment: object = field(default_factory=object, init=False)


class Nonempty(Sound):
    def score_pairs(self, queries, candidates):
        return super().score_pairs([*queries, "a"], [*candidates, "a"])[: max(1, len(queries))]


class Fragile(Sound):
    def encode_chunk(self, texts):
        [text.encode() for text in texts]
        return super().encode_chunk(texts)


BROKEN_MEASURES = [
    (Nan, "scores_are_finite_or_absent"),
    (Drifting, "a_batch_scores_like_its_pairs"),
    (OtherScore, "score_agrees_with_score_pairs"),
    (Lopsided, "order_does_not_matter_where_symmetric"),
    (Indefinite, "kernels_are_kernels"),
    (OutOfRange, "kernels_are_kernels"),
    (Unbalanced, "explanations_add_up"),
    (Nameless, "explanations_add_up"),
    (Silent, "repr_names_what_makes_it"),
    (Unrepeatable, "repr_names_what_makes_it"),
    (Nonempty, "no_pairs_have_no_scores"),
    (Fragile, "odd_texts_do_no_harm"),
]


def test_a_sound_measure_passes(workspace):
    check_measure(Sound(workspace.expander))


@pytest.mark.parametrize(
    ("kind", "name"), BROKEN_MEASURES, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_broken_measure_fails(kind, name, workspace):
    measure: Measure = kind(workspace.expander)
    with pytest.raises(AssertionError, match=kind.__name__):
        _named(MEASURE_CHECKS, name)(measure, sample_texts(measure))


class Engine(RecordedEngine):
    def __init__(self):
        super().__init__({QUERY: HITS})


class Generous(Engine):
    def search(self, query, limit):
        return super().search(query, limit + 1)


class Rising(Engine):
    def search(self, query, limit):
        return super().search(query, limit)[::-1]


class Moody(Engine):
    turn = 0

    def search(self, query, limit):
        self.turn += 1
        return super().search(query, limit - self.turn % 2 * (limit - 1))


class Chatty(Engine):
    def search(self, query, limit):
        return super().search(query if query.strip() else QUERY, limit)


class Brittle(Engine):
    def search(self, query, limit):
        query.encode()
        return super().search(query, limit)


BROKEN_ENGINES = [
    (Generous, "hits_keep_the_limit"),
    (Rising, "hits_are_whole_and_fall"),
    (Moody, "the_same_query_finds_the_same"),
    (Chatty, "no_query_finds_nothing"),
    (Brittle, "odd_queries_do_no_harm"),
]


@pytest.mark.parametrize(
    ("kind", "name"), BROKEN_ENGINES, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_broken_engine_fails(kind, name):
    engine: SearchEngine = kind()
    with pytest.raises(AssertionError, match=kind.__name__):
        _named(ENGINE_CHECKS, name)(engine, QUERY)


def test_every_check_is_shown_to_fail():
    shown = {name for _, name in [*BROKEN_MEASURES, *BROKEN_ENGINES]}
    assert shown == {check.__name__ for check in (*MEASURE_CHECKS, *ENGINE_CHECKS)}


def _named(checks, name):
    return next(check for check in checks if check.__name__ == name)
