"""Every registered measure and engine passes the conformance checks, and every check can fail."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pytest

from querykin import Hit
from querykin.io.log_files import LogRecord
from querykin.measures import measures
from querykin.measures.base import Measure
from querykin.measures.word_overlap import Cosine
from querykin.retrieval.retrievers import IndexRetriever
from querykin.search.engine import SearchEngine, engines
from querykin.search.postings_engine import PostingsEngine
from querykin.search.recorded_engine import RecordedEngine
from querykin.search.tantivy_engine import TantivyEngine
from querykin.testing import (
    ENGINE_CHECKS,
    MEASURE_CHECKS,
    check_engine,
    check_measure,
    check_search,
    sample_texts,
)
from search_log import LOG
from topics import DOCUMENTS, QUERIES

QUERY = "java island"
HITS = [Hit(str(n), f"title {n}", "an island", "", 1.0 / (1 + n)) for n in range(5)]


def _needs(name):
    absent = not measures[name].kind.requirements().installed
    return pytest.mark.skipif(absent, reason=f"the extra for {name} is not installed")


MEASURES = [pytest.param(name, marks=_needs(name)) for name in measures]


def _cases():
    for name in measures:
        for check in MEASURE_CHECKS:
            yield pytest.param(name, check, id=f"{name}-{check.__name__}", marks=_needs(name))


@pytest.mark.parametrize(("name", "check"), list(_cases()))
def test_every_registered_measure_passes(name, check, workspace):
    measure = workspace.measure(name)
    check(measure, sample_texts(measure))


@pytest.fixture(scope="module")
def stocked(build):
    """Documents in two batches and a repository of titles with different counts, some equal."""
    workspace = build(DOCUMENTS[::2], DOCUMENTS[1::2])
    titles = [document.title for document in DOCUMENTS if document.title]
    queries = [*QUERIES, *titles, "Mariners of Seattle", "seattle mariner", "zzyzx", "space-exploration"]
    workspace.repository.add([(text, 1 + number % 3) for number, text in enumerate(queries)])
    workspace.add_log(LOG)
    return workspace.reopen()


@pytest.mark.parametrize("name", MEASURES)
def test_search_by_every_registered_measure_equals_brute_force(name, stocked):
    queries = ["space exploration", "the seattle mariners", "java", "zzyzx", "", "Rice terraces of Java"]
    check_search(stocked, name, queries)


def test_a_search_that_misses_the_best_result_fails(stocked, monkeypatch):
    stocked.build("jaccard")
    complete = IndexRetriever.search
    monkeypatch.setattr(
        IndexRetriever,
        "search",
        lambda self, queries, *more: [
            replace(ranking, query_ids=ranking.query_ids[1:], scores=ranking.scores[1:])
            for ranking in complete(self, queries, *more)
        ],
    )
    with pytest.raises(AssertionError, match="and brute force differ in scores"):
        check_search(stocked, "jaccard", ["space exploration"])


# OpenSearch needs servers: tests/cluster/test_opensearch.py checks it.
# Engines that are asked over a network are checked in tests/cluster and tests/search/external.
@pytest.mark.parametrize("name", sorted({*engines} - {"opensearch", "mediawiki", "searxng", "solr", "brave"}))
def test_every_registered_engine_passes(name, workspace):
    instances = {
        "postings": PostingsEngine(workspace.corpus),
        "tantivy": TantivyEngine(workspace.corpus),
        "recorded": RecordedEngine({QUERY: HITS}),
    }
    check_engine(instances[name], QUERY)


def _needs_corpus(name):
    requirements = measures[name].kind.requirements()
    return requirements.corpus or any(map(_needs_corpus, requirements.measures))


TEXTS = ("apple pie", "space exploration")  # those of checks without a corpus
WITHOUT_CORPUS = [pytest.param(name, marks=_needs(name)) for name in measures if not _needs_corpus(name)]


@pytest.mark.parametrize("name", WITHOUT_CORPUS)
def test_measures_that_need_no_corpus_pass_without_one(name, build):
    workspace = build()
    workspace.log.add([LogRecord(text, session, 0.0, f"/{text}") for session in "123" for text in TEXTS])
    check_measure(workspace.measure(name))


@dataclass(frozen=True)
class Conforming(Cosine):
    """A conforming measure; each class below violates the contract in one way."""

    name: ClassVar[str] = "conforming"
    scale: float = 1.0


class NanForDifferentTexts(Conforming):
    def score_pairs(self, queries, candidates):
        scores = super().score_pairs(queries, candidates)
        return np.where(np.array(queries, object) == np.array(candidates, object), scores, np.nan)


class BatchDependent(Conforming):
    def score_pairs(self, queries, candidates):
        return super().score_pairs(queries, candidates) + 0.001 * len(queries)


class InconsistentScore(Conforming):
    def score(self, query, candidates):
        return super().score(query, candidates)[::-1]


class Asymmetric(Conforming):
    def score_pairs(self, queries, candidates):
        factors = [
            0.5 if query < candidate else 1.0 for query, candidate in zip(queries, candidates, strict=True)
        ]
        return super().score_pairs(queries, candidates) * np.array(factors)


class Indefinite(Conforming):
    def score_pairs(self, queries, candidates):
        scores = super().score_pairs(queries, candidates)
        near = [
            abs(len(query) - len(candidate)) < 4 for query, candidate in zip(queries, candidates, strict=True)
        ]
        return np.where(near, np.maximum(scores, 1.0 * (scores.max(initial=0) > 0)), scores)


class OutOfRange(Conforming):
    def score_pairs(self, queries, candidates):
        return 2 * super().score_pairs(queries, candidates)


class Unbounded(OutOfRange):
    """Beyond 1, which only a measure that is declared unbounded may be."""


class NoContributions(Conforming):
    def explain(self, a, b):
        return replace(super().explain(a, b), contributions=())


class EmptyTerms(Conforming):
    def explain(self, a, b):
        found = super().explain(a, b)
        return replace(found, contributions=tuple(replace(part, term="") for part in found.contributions))


class ConstantRepr(Conforming):
    def __repr__(self):
        return "ConstantRepr()"


@dataclass(frozen=True)
class UnstableRepr(Conforming):
    moment: object = field(default_factory=object, init=False)


class ScoresWithoutPairs(Conforming):
    def score_pairs(self, queries, candidates):
        return super().score_pairs([*queries, "a"], [*candidates, "a"])[: max(1, len(queries))]


class FailsOnSurrogates(Conforming):
    def encode_batch(self, texts):
        [text.encode() for text in texts]
        return super().encode_batch(texts)


BROKEN_MEASURES = [
    (NanForDifferentTexts, "scores_are_finite_or_absent"),
    (BatchDependent, "a_batch_scores_like_its_pairs"),
    (InconsistentScore, "score_agrees_with_score_pairs"),
    (Asymmetric, "order_does_not_matter_where_symmetric"),
    (Unbounded, "bounded_scores_keep_their_bounds"),
    (Indefinite, "kernels_are_kernels"),
    (OutOfRange, "kernels_are_kernels"),
    (NoContributions, "explanations_add_up"),
    (EmptyTerms, "explanations_add_up"),
    (ConstantRepr, "repr_names_what_makes_it"),
    (UnstableRepr, "repr_names_what_makes_it"),
    (ScoresWithoutPairs, "no_pairs_have_no_scores"),
    (FailsOnSurrogates, "odd_texts_do_no_harm"),
]


def test_a_conforming_measure_passes():
    check_measure(Conforming())


@pytest.mark.parametrize(
    ("kind", "name"), BROKEN_MEASURES, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_broken_measure_fails(kind, name):
    measure: Measure = kind()
    with pytest.raises(AssertionError, match=kind.__name__):
        _named(MEASURE_CHECKS, name)(measure, sample_texts(measure))


class Engine(RecordedEngine):
    def __init__(self):
        super().__init__({QUERY: HITS})


class ExceedsLimit(Engine):
    def search(self, query, limit):
        return super().search(query, limit + 1)


class Ascending(Engine):
    def search(self, query, limit):
        return super().search(query, limit)[::-1]


class Nondeterministic(Engine):
    turn = 0

    def search(self, query, limit):
        self.turn += 1
        return super().search(query, limit - self.turn % 2 * (limit - 1))


class AnswersEmptyQuery(Engine):
    def search(self, query, limit):
        return super().search(query if query.strip() else QUERY, limit)


class EngineFailsOnSurrogates(Engine):
    def search(self, query, limit):
        query.encode()
        return super().search(query, limit)


BROKEN_ENGINES = [
    (ExceedsLimit, "hits_keep_the_limit"),
    (Ascending, "hits_are_whole_and_fall"),
    (Nondeterministic, "the_same_query_finds_the_same"),
    (AnswersEmptyQuery, "no_query_finds_nothing"),
    (EngineFailsOnSurrogates, "odd_queries_do_no_harm"),
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
