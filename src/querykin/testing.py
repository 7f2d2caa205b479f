"""Conformance checks for measures and search engines, both built-in and third-party.

A check is a function that raises AssertionError with a description of the failure. `check_measure` and
`check_engine` run all checks; `MEASURE_CHECKS` and `ENGINE_CHECKS` list them, for one test per check.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from itertools import pairwise

import numpy as np

from querykin.compute.arrays import BoolArray, Float64Array
from querykin.corpus.segment import CorpusSegment
from querykin.measures import Measure, VectorMeasure
from querykin.measures.expansion_measure import ExpansionMeasure
from querykin.measures.hybrid import HybridMeasure
from querykin.search.engine import SearchEngine
from querykin.types import Explanation
from querykin.workspace import Workspace

ODD_TEXTS = (
    "",
    " \t\n",
    "😀👍🏽",
    "nul\0nul",
    "tiny text " * 1000,
    "x" * 10_000,
    "zzyzxq qqxzzy",  # out-of-vocabulary words
    "שלום עולם",
    "half a \ud800 surrogate",
)
SAMPLE = 8  # documents whose titles are used as covered texts
EXACT = 1e-9  # tolerance of computed scores
STORED = 2e-6  # tolerance of indexed scores: indexes store weights in single precision
DEPTH = 15  # compared length of rankings


def check_measure(measure: Measure, texts: Sequence[str] | None = None) -> None:
    """Run every check on a measure; the default texts are titles of documents of its corpus."""
    samples = sample_texts(measure) if texts is None else texts
    for check in MEASURE_CHECKS:
        check(measure, samples)


def check_engine(engine: SearchEngine, query: str) -> None:
    """Run every check on a search engine; the query must match documents."""
    for check in ENGINE_CHECKS:
        check(engine, query)


def check_search(workspace: Workspace, measure: str, queries: Sequence[str]) -> None:
    """Searching the repository gives the same ranking as scoring every query, also after reopening."""
    workspace.build(measure)
    opened = workspace.reopen()
    instance, repository = opened.measure(measure), opened.repository
    candidates = repository.queries(repository.live_ids())
    counts = repository.counts[repository.live_ids()].tolist()
    all_rows = isinstance(instance, HybridMeasure) or (
        isinstance(instance, VectorMeasure) and instance.scores_all_rows
    )
    for query, result in zip(queries, opened.match(queries, DEPTH, measure), strict=True):
        scores = instance.score(query, candidates)
        eligible = ~np.isnan(scores) & (all_rows | (scores > 0))
        expected = np.sort(scores[eligible])[::-1][:DEPTH]
        ranked = np.array([suggestion.score for suggestion in result.suggestions])
        _check(_near(ranked, expected), instance, f"search for {query!r} and brute force differ in scores")
        score = dict(zip(candidates, scores.tolist(), strict=True))
        computed = np.array([score[suggestion.query] for suggestion in result.suggestions])
        _check(_near(ranked, computed), instance, f"search for {query!r} gives a query a wrong score")
        keys = [(-s.score, -s.count, s.query) for s in result.suggestions]
        _check(keys == sorted(keys), instance, f"{query!r}: ties are not ordered by count and text")
        count = dict(zip(candidates, counts, strict=True))
        _check(all(s.count == count[s.query] for s in result.suggestions), instance, "a wrong count")


def sample_texts(measure: Measure) -> list[str]:
    """Titles of the first documents of a measure's corpus, singly and in pairs, so that texts share words."""
    documents = (
        segment.document(ordinal)
        for segment in _segments(measure)
        for ordinal in range(min(SAMPLE, len(segment)))
    )
    titles = [document.title for document in documents][:SAMPLE] or ["apple pie", "space exploration"]
    return [*titles, *(f"{a} {b}" for a, b in pairwise(titles))]


def _segments(measure: Measure) -> Sequence[CorpusSegment]:
    """The segments of the corpus that a measure reads; none if it reads no corpus."""
    parts = [measure, *measure.components()]
    return next((part.expander.corpus.segments for part in parts if isinstance(part, ExpansionMeasure)), [])


def scores_are_finite_or_absent(measure: Measure, texts: Sequence[str]) -> None:
    """A score is finite, or NaN exactly if the query or the candidate has no score with any text."""
    all_texts = [*texts, *ODD_TEXTS]
    scores = _matrix(measure, all_texts)
    _check(not np.isinf(scores).any(), measure, "a score is infinite")
    missing: BoolArray = np.isnan(scores)
    _check(not (measure.always_scores and missing.any()), measure, "always_scores, but a score is NaN")
    expected = missing.all(axis=1, keepdims=True) | missing.all(axis=0, keepdims=True)
    _check(
        np.array_equal(missing, expected),
        measure,
        "NaN for two covered texts, or a number where one is not covered",
    )
    if isinstance(measure, VectorMeasure) and not measure.always_scores:
        queries, candidates = measure.encode_queries(all_texts), measure.encode_candidates(all_texts)
        covered = queries.covered[:, None] & candidates.covered
        _check(np.array_equal(~covered, missing), measure, "exactly the empty rows must score NaN")


def a_batch_scores_like_its_pairs(measure: Measure, texts: Sequence[str]) -> None:
    """A batch of pairs gets the same scores as its pairs scored singly."""
    queries = [*texts, *ODD_TEXTS]
    candidates = [*queries[1:], queries[0]]
    batch = measure.score_pairs(queries, candidates)
    single = [measure.score_pairs([q], [c])[0] for q, c in zip(queries, candidates, strict=True)]
    _check(_same(batch, np.array(single)), measure, "a batch and its pairs scored singly differ")


def no_pairs_have_no_scores(measure: Measure, texts: Sequence[str]) -> None:
    """An empty batch gives an empty array."""
    try:
        empty = [measure.score_pairs([], []), measure.score(texts[0], [])]
    except Exception as error:
        raise AssertionError(f"{measure!r}: an empty batch raised {error!r}") from error
    _check([len(scores) for scores in empty] == [0, 0], measure, "scores for an empty batch")


def score_agrees_with_score_pairs(measure: Measure, texts: Sequence[str]) -> None:
    """`score` gives one query and several candidates the same scores as `score_pairs`."""
    pairs = measure.score_pairs([texts[0]] * len(texts), texts)
    _check(_same(measure.score(texts[0], texts), pairs), measure, "score and score_pairs differ")


def order_does_not_matter_where_symmetric(measure: Measure, texts: Sequence[str]) -> None:
    """A measure declared symmetric gives (a, b) and (b, a) the same score."""
    scores = _matrix(measure, [*texts, *ODD_TEXTS])
    _check(
        not measure.symmetric or _same(scores, scores.T),
        measure,
        "declared symmetric, but the order of the texts changes the score",
    )


def bounded_scores_keep_their_bounds(measure: Measure, texts: Sequence[str]) -> None:
    """A measure declared bounded gives scores between -1 and 1."""
    outside = np.abs(_matrix(measure, [*texts, *ODD_TEXTS])) > 1 + STORED  # rows may be quantized
    _check(not (measure.bounded and outside.any()), measure, "declared bounded, but a score is beyond 1")


def kernels_are_kernels(measure: Measure, texts: Sequence[str]) -> None:
    """A kernel is symmetric, in [0, 1], 1 for a covered text with itself, and positive semi-definite."""
    if not measure.kernel:
        return
    scores = _matrix(measure, [*texts, *ODD_TEXTS])
    covered = np.diag(scores) > 0
    gram = scores[np.ix_(covered, covered)]
    _check(bool(covered.any()), measure, "no text is covered: pass texts with words of the corpus")
    _check(_same(np.diag(gram), np.ones(len(gram))), measure, "K(x, x) is not 1")
    _check(bool(((gram >= 0) & (gram <= 1)).all()), measure, "a score is outside [0, 1]")
    _check(_same(gram, gram.T), measure, "K(x, y) is not K(y, x)")
    lowest = float(np.linalg.eigvalsh(gram).min())
    _check(lowest >= -EXACT * len(gram), measure, f"not positive semi-definite: eigenvalue {lowest}")


def explanations_add_up(measure: Measure, texts: Sequence[str]) -> None:
    """An explanation has the texts and the score, and the shares of its terms sum to the score."""
    for a, b in [(texts[0], text) for text in [*texts, ODD_TEXTS[0]]]:
        explanation = measure.explain(a, b)
        _check((explanation.a, explanation.b) == (a, b), measure, "the explanation is of other texts")
        _check(explanation.measure == measure.name, measure, "the explanation names another measure")
        score = measure.score_pairs([a], [b])
        _check(_same(score, np.array([explanation.score])), measure, "the explanation has another score")
        _check(explanation.bounded == measure.bounded, measure, "the explanation has another `bounded`")
        total = sum(part.share for part in explanation.contributions)
        _check(
            abs(total - np.nan_to_num(score[0])) <= EXACT,
            measure,
            f"the shares for {a[:40]!r} and {b[:40]!r} sum to {total}, the score is {score[0]}",
        )
        _check_fields(measure, explanation)


def _check_fields(measure: Measure, explanation: Explanation) -> None:
    _check(all(part.term for part in explanation.contributions), measure, "a contribution without a term")
    for passage in explanation.passages:
        _check(passage.side in ("a", "b"), measure, f"a passage for side {passage.side!r}")
        filled = bool(passage.document and (passage.text or passage.title))
        _check(filled, measure, "a passage without a document or without text")


def repr_names_what_makes_it(measure: Measure, texts: Sequence[str]) -> None:
    """The repr has the class and every parameter; a measure rebuilt from its fields is equal."""
    shown = [f"{f.name}={getattr(measure, f.name)!r}" for f in fields(measure) if f.repr]
    expected = f"{type(measure).__qualname__}({', '.join(shown)})"
    _check(repr(measure) == expected, measure, f"its repr should be {expected}")
    rebuilt = type(measure)(**{f.name: getattr(measure, f.name) for f in fields(measure) if f.init})
    _check(rebuilt == measure, measure, "not equal to its copy rebuilt from its fields")
    _check(
        _same(rebuilt.score(texts[0], texts), measure.score(texts[0], texts)),
        measure,
        "its copy rebuilt from its fields gives other scores",
    )


def odd_texts_do_no_harm(measure: Measure, texts: Sequence[str]) -> None:
    """Empty, very long, unknown and malformed texts are scored and explained without an exception."""
    for odd in ODD_TEXTS:
        try:
            measure.score_pairs([odd, texts[0], odd], [texts[0], odd, odd])
            measure.explain(odd, texts[0])
            measure.explain(odd, odd)
            measure.explain(f"{texts[0]} {odd}", f"{texts[1]} {odd}")
        except Exception as error:
            raise AssertionError(f"{measure!r}: {odd[:40]!r} raised {error!r}") from error


def hits_keep_the_limit(engine: SearchEngine, query: str) -> None:
    """There are at most `limit` hits, and a smaller limit gives a prefix of them."""
    hits = engine.search(query, 100)
    _check(bool(hits), engine, f"{query!r} has no hits: pass a query that matches documents")
    for limit in (1, 2, 100):
        _check(engine.search(query, limit) == hits[:limit], engine, f"limit {limit} gives other hits")


def hits_are_whole_and_fall(engine: SearchEngine, query: str) -> None:
    """Hits are distinct documents with ids, and their scores are finite and do not increase."""
    hits = engine.search(query, 100)
    ids = [hit.document_id for hit in hits]
    _check(all(ids) and len(set(ids)) == len(ids), engine, "a document without an id, or a duplicate")
    scores = np.array([hit.score for hit in hits])
    _check(bool(np.isfinite(scores).all()), engine, "a score is not finite")
    _check(bool((np.diff(scores) <= 0).all()), engine, "a score is higher than the previous one")


def the_same_query_finds_the_same(engine: SearchEngine, query: str) -> None:
    """Two searches for the same query give the same hits."""
    _check(engine.search(query, 100) == engine.search(query, 100), engine, "two searches differ")


def no_query_finds_nothing(engine: SearchEngine, query: str) -> None:
    """An empty query has no hits."""
    _check(not engine.search("", 100) and not engine.search(" \t\n", 100), engine, "hits for an empty query")


def odd_queries_do_no_harm(engine: SearchEngine, query: str) -> None:
    """Empty, very long, unknown and malformed queries are searched without an exception."""
    for odd in (*ODD_TEXTS, f'{query}" AND (title:* OR [', f"{query}\0{query}"):
        try:
            engine.search(odd, 5)
        except Exception as error:
            raise AssertionError(f"{engine!r}: {odd[:40]!r} raised {error!r}") from error


MEASURE_CHECKS: tuple[Callable[[Measure, Sequence[str]], None], ...] = (
    scores_are_finite_or_absent,
    a_batch_scores_like_its_pairs,
    no_pairs_have_no_scores,
    score_agrees_with_score_pairs,
    order_does_not_matter_where_symmetric,
    bounded_scores_keep_their_bounds,
    kernels_are_kernels,
    explanations_add_up,
    repr_names_what_makes_it,
    odd_texts_do_no_harm,
)
ENGINE_CHECKS: tuple[Callable[[SearchEngine, str], None], ...] = (
    hits_keep_the_limit,
    hits_are_whole_and_fall,
    the_same_query_finds_the_same,
    no_query_finds_nothing,
    odd_queries_do_no_harm,
)


def _check(condition: bool, subject: object, message: str) -> None:
    if not condition:
        raise AssertionError(f"{subject!r}: {message}")


def _same(a: Float64Array, b: Float64Array) -> bool:
    return bool(np.allclose(a, b, rtol=0, atol=EXACT, equal_nan=True))


def _near(a: Float64Array, b: Float64Array) -> bool:
    return len(a) == len(b) and bool(np.allclose(a, b, rtol=STORED, atol=STORED))


def _matrix(measure: Measure, texts: Sequence[str]) -> Float64Array:
    """The score of every text with every text."""
    queries = [text for text in texts for _ in texts]
    return measure.score_pairs(queries, list(texts) * len(texts)).reshape(len(texts), len(texts))
